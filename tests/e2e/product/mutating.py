"""Objects that nobody has written: members taken out, put in, changed, doubled, nulled, as the kind's own schema suggests."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from product.forms import Form

Object = dict[str, Any]
Path = tuple[str | int, ...]

TEXTS = (
    *("a", "web", "A", "a_b", "a.b", "", "-a", "a b", "é", "x" * 64, "x" * 254, "../x", "/x", "a/b", "/a:b", "$(A)"),
    *("10.0.0.1", "::1", "10.0.0.0/8", "example.com/x", "example.com", "https://example.com/x", "http", "1Gi", "50%"),
    *("0.5", "true", "app", "zone", "team-a", "kubernetes.io/hostname", "2026-01-01T00:00:00Z", "5m", "*", "A-B"),
    *("Always", "Never", "OnFailure", "IfNotPresent", "Equal", "Exists", "In", "NotIn", "DoesNotExist", "None"),
    *("TCP", "RollingUpdate", "Recreate", "OnDelete", "ClusterIP", "ExternalName", "Local", "Cluster", "ClientIP"),
    *("IPv4", "IPv6", "SingleStack", "RequireDualStack", "Pod", "Deployment", "Job", "batch", "apps", "gpu-high"),
    *("nvidia", "kata", "Memory", "HugePages", "Localhost", "RuntimeDefault", "Unconfined", "Directory", "Block"),
    *("ReadWriteOnce", "ReadOnlyMany", "ReadWriteOncePod", "Filesystem", "NonIndexed", "Indexed", "Foreign"),
    *("DoNotSchedule", "ScheduleAnyway", "Honor", "Ignore", "NoSchedule", "NoExecute", "PreferNoSchedule", "FailJob"),
    *("Count", "FailIndex", "Utilization", "AverageValue", "Value", "cpu", "memory", "nvidia.com/gpu", "Resource"),
    *("ContainerResource", "Pods", "Object", "External", "Max", "Min", "Disabled", "Percent", "Orphan", "Delete"),
    *("Retain", "Restart", "RestartContainer", "NotRequired", "linux", "windows", "Parallel", "ServiceAccount", "Role"),
    *(
        "ClusterRole",
        "User",
        "Prefix",
        "Exact",
        "Fail",
        "object.spec.replicas <= 5",
        "self.size() > 0",
        "kueue.x-k8s.io/q",
    ),
)
KEYS = (
    *("app", "a.b/c", "cpu", "memory", "nvidia.com/gpu", "requests.cpu", "limits.memory", "pods", "ephemeral-storage"),
    *("A B", "k" * 64, "team", "storage", "hugepages-2Mi", "example.com/dongle", "KEY_A", "config.yaml"),
)
INTEGERS = (
    *(0, 1, 2, 3, 5, -1, 80, 443, 65535, 65536, 100, 101, 1000, 30000, 604801),
    *(2147483647, -2147483648, 1001),
)
QUANTITIES = ("1", "100m", "1Gi", "0", "-1", "1.5", "1e3", "5n", "0.1Mi", "abc", "1Ki", "12345678901234567890", 7, 1.5)
_VALUES: Mapping[str, tuple[Any, ...]] = MappingProxyType(
    {
        "s": TEXTS,
        "i": INTEGERS,
        "l": INTEGERS,
        "f": (0, 1.5, -2, 100),
        "b": (True, False),
        "y": ("", "YWJj", "!!"),
        "q": QUANTITIES,
        "p": (*INTEGERS, "http", "50%", "a" * 20, "25%", "-1%", "101%", "8080", ""),
        "t": ("2026-01-01T00:00:00Z", "2026-01-01", "2026-01-01T00:00:00.5+02:00"),
        "u": ("2026-01-01T00:00:00.000000Z", "2026-01-01T00:00:00Z"),
        "*": ({}, "x", 1, {"a": 1}, [], True),
    }
)
_WRONG: tuple[Any, ...] = ("text", 7, True, {}, [], 1.5)
_SERVERS = frozenset(
    {"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink", "ownerReferences"}
    | {"deletionTimestamp", "deletionGracePeriodSeconds", "generateName", "namespace"}
)
_DEEP = 4


@dataclass(frozen=True)
class Mutant:
    """One changed object, and what was done to it."""

    document: Object
    edits: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.document.get('kind')} ({'; '.join(self.edits)})"


class Mutator:
    """Makes mutants; the same ones for the same seed. Objects that exist keep their names (`renames` false)."""

    def __init__(self, seed: int, *, renames: bool = True) -> None:
        self._chance = random.Random(seed)
        self._fixed = _SERVERS if renames else _SERVERS | {"name"}

    def choose(self, items: Any) -> Any:
        """One of several."""
        return self._chance.choice(items)

    def mutants(self, bases: list[tuple[Object, Form]], count: int) -> Iterator[Mutant]:
        """So many mutants of objects chosen at random: first a kind, then one of its objects."""
        by_kind: dict[str, list[tuple[Object, Form]]] = {}
        for base in bases:
            by_kind.setdefault(f"{base[0]['apiVersion']}/{base[0]['kind']}", []).append(base)
        kinds = sorted(by_kind)
        while count:
            document, form = self.choose(
                by_kind[self.choose(kinds if self._chance.random() < 0.5 else [self._weighted(by_kind)])]
            )
            if (mutant := self.mutate(document, form)) is not None:
                count -= 1
                yield mutant

    def _weighted(self, by_kind: Mapping[str, list[Any]]) -> str:
        """A kind, the sooner the more objects it has."""
        (kind,) = self._chance.choices(sorted(by_kind), [len(by_kind[one]) for one in sorted(by_kind)])
        return kind

    def mutate(self, base: Object, form: Form) -> Mutant | None:
        """A copy of an object with one to three changes; None if they came to nothing."""
        document = copy.deepcopy(base)
        edits = [edit for _ in range(self.choose((1, 1, 1, 2, 3))) if (edit := self._edit(document, form))]
        return Mutant(document, tuple(edits)) if edits else None

    def _edit(self, document: Object, form: Form) -> str:
        places = [(path, one) for path, one in _objects(document, form, ()) if path != ("metadata",)]
        path, found = ("metadata",), form.parts["metadata"]
        if places and self._chance.random() > 0.05:
            path, found = self.choose(places)
        holder = _at(document, path)
        names = [name for name in found.parts if self._is_free(path, name)]
        present, absent = [one for one in names if one in holder], [one for one in names if one not in holder]
        fate = self._chance.random()
        if fate < 0.03:
            holder["unheardOf"] = 1
            return f"unknown {_shown((*path, 'unheardOf'))}"
        if present and fate < 0.55:
            return self._change(holder, self.choose(present), found, path, fate)
        if not absent:
            return ""
        name = self.choose(absent)
        holder[name] = self.value(found.parts[name], len(path))
        return f"add {_shown((*path, name))}"

    def _is_free(self, path: Path, name: str) -> bool:
        """Whether a member is the user's to write, and says neither what the object is nor where."""
        if not path:
            return name not in ("apiVersion", "kind", "metadata", "status")
        return name not in self._fixed if path == ("metadata",) else True

    def _change(self, holder: Object, name: str, form: Form, path: Path, fate: float) -> str:
        shown, part, value = _shown((*path, name)), form.parts[name], holder[name]
        if fate < 0.18:
            del holder[name]
            return f"drop {shown}"
        if fate < 0.22:
            holder[name] = None
            return f"null {shown}"
        if fate < 0.24:
            holder[name] = self.choose(_WRONG)
            return f"mistake {shown}"
        if isinstance(value, list) and value and self._chance.random() < 0.4:
            value.append(copy.deepcopy(self.choose(value)))
            return f"repeat {shown}"
        if part.kind == "object" and self._chance.random() < 0.8:
            return ""
        holder[name] = self.value(part, len(path))
        return f"set {shown}"

    def value(self, form: Form, depth: int) -> Any:
        """A value of a form, right or wrong."""
        if form.samples and self._chance.random() < 0.7:
            return copy.deepcopy(self.choose(form.samples))
        if form.kind == "list":
            return [self.value(form.item, depth) for _ in range(self.choose((0, 1, 1, 1, 2)))]
        if form.kind == "map":
            return {self.choose(KEYS): self.value(form.item, depth) for _ in range(self.choose((0, 1, 1, 2)))}
        if form.kind != "object":
            return copy.deepcopy(self.choose(_VALUES[form.kind]))
        return self._object(form, depth)

    def _object(self, form: Form, depth: int) -> Object:
        names = sorted(form.parts)
        needed = [name for name in names if name in form.required]
        more = self.choose((0, 0, 1, 1, 2, 3)) if depth < _DEEP else 0
        if self._chance.random() < 0.1:
            needed, more = [], 1
        others = [name for name in names if name not in needed]
        chosen = [*needed, *self._chance.sample(others, min(more, len(others)))]
        return {name: self.value(form.parts[name], depth + 1) for name in chosen}


def _objects(value: Any, form: Form, path: Path) -> Iterator[tuple[Path, Form]]:
    """Every object inside a value that has members to speak of, with its form; status is nobody's to send."""
    if isinstance(value, dict) and form.kind == "object":
        if form.parts:
            yield path, form
        for name, part in form.parts.items():
            if name in value and not (not path and name == "status") and name not in _SERVERS:
                yield from _objects(value[name], part, (*path, name))
    elif isinstance(value, dict) and form.kind == "map":
        for name, item in value.items():
            yield from _objects(item, form.item, (*path, name))
    elif isinstance(value, list) and form.kind == "list":
        for index, item in enumerate(value[:3]):
            yield from _objects(item, form.item, (*path, index))


def _at(document: Any, path: Path) -> Any:
    for step in path:
        document = document[step]
    return document


def _shown(path: Path) -> str:
    return ".".join(map(str, path))
