"""The values that guardrails see of a rendered object, and a memory of outcomes by what their expressions read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from stowplan.model.exposed import cluster_value, fleet_value, intent_value, tenant_value
from stowplan.model.fleet import Fleet
from stowplan.model.manifest import Target
from stowplan.model.previous import Changes
from stowplan.model.rendered import RenderedObject
from stowplan.policies.evaluation import GuardrailOutcome, LazyValues, evaluate_guardrail
from stowplan.policies.guardrails import Guardrail
from stowplan.policies.pods import pod_paths, pod_templates
from stowplan.schema.holes import holes_read
from stowplan.templates.shape import Shape

__all__ = ["Cases"]

_MOST_REMEMBERED: Final = 20_000
"""Distinct values of holes that are kept as keys."""


class Cases:
    """Evaluates guardrails on rendered objects; equal values of what a guardrail reads are evaluated once."""

    def __init__(self, fleet: Fleet, objects: Iterable[RenderedObject], changes: Changes | None = None) -> None:
        """`objects` are all that are rendered: neighbours are looked up among them. `changes` say what they were before.

        Without `changes` all are new.
        """
        self._fleet = fleet
        self._changes = changes
        self.saw_changes = False
        self._intents = {w.name: w for w in fleet.workloads}
        self._tenants = {n: t.name for t in fleet.tenants.values() for n in t.spec.namespaces}
        self._values: dict[tuple[str, str], Any] = {}
        self._holes: dict[tuple[str, Shape, str, str], tuple[int, ...]] = {}
        self._known: dict[tuple[Any, ...], GuardrailOutcome] = {}
        self._exhausted: dict[str, GuardrailOutcome] = {}
        self._current: RenderedObject | None = None
        self._parts: dict[int, str | int] = {}
        self._numbers: dict[Any, int] = {}
        self._n_numbers = 0
        self._objects = objects
        self._by_place: dict[tuple[Target, str], dict[str, list[RenderedObject]]] | None = None
        self._context: dict[str, tuple[str, ...]] = {}

    def judge(self, guardrail: Guardrail, made: RenderedObject) -> GuardrailOutcome:
        """The outcome of a guardrail on an object that it matches; one that ran out of steps once is not run again."""
        key = (guardrail.code, guardrail.name, made.rendered.shape, self._read(guardrail, made))
        known = self._known.get(key)
        if known is None:
            known = self._exhausted.get(guardrail.name) or evaluate_guardrail(guardrail, self.values(made))
            self._known[key] = known
            if known.exhausted:
                self._exhausted[guardrail.name] = known
        return known

    def values(self, made: RenderedObject) -> LazyValues:
        """What expressions see of an object, each part made when it is read."""
        tenant, intent = self.tenant_of(made), self._intent_of(made)
        target = made.unit.target
        facts = {"name": target.name, "folder": target.folder, "engine": target.engine, "unit": made.unit.name}
        return LazyValues(
            {
                "object": lambda: made.object,
                "oldObject": lambda: self._before(made),
                "cluster": lambda: self._value("cluster", target.cluster),
                "fleet": lambda: self._value("fleet", ""),
                "tenant": lambda: self._value("tenant", tenant),
                "intent": lambda: self._value("intent", intent),
                "target": lambda: facts,
                "pods": lambda: pod_templates(made.object),
                "neighbours": lambda: self._neighbours(made),
                "request": lambda: _request(made, self._before(made)),
                "namespaceObject": lambda: self._namespace_object(made),
            }
        )

    def _before(self, made: RenderedObject) -> Mapping[str, Any] | None:
        return self._changes.before(made) if self._changes is not None else None

    def tenant_of(self, made: RenderedObject) -> str:
        """The tenant that an object belongs to; empty where it belongs to none."""
        kind, _, name = made.manifest.source.partition("/")
        if kind == "workload" and name in self._intents:
            return self._intents[name].tenant
        if kind == "tenant" and name in self._fleet.tenants:
            return name
        return self._tenants.get(made.name if made.kind == "Namespace" else made.namespace or "", "")

    def _intent_of(self, made: RenderedObject) -> str:
        kind, _, name = made.manifest.source.partition("/")
        return name if kind == "workload" and name in self._intents else ""

    def _read(self, guardrail: Guardrail, made: RenderedObject) -> tuple[Any, ...]:
        """Everything that the outcome depends on besides the shape."""
        shape = made.rendered.shape
        key = (guardrail.name, shape, made.api_version, made.kind)
        holes = self._holes.get(key)
        if holes is None:
            holes = self._holes[key] = holes_read(shape.tree, _object_paths(guardrail, made))
        read: list[Any] = self._hole_parts(made, holes)
        for name in self._reads_context(guardrail):
            read.append(self._context_key(name, made))
        return tuple(read)

    def _hole_parts(self, made: RenderedObject, holes: tuple[int, ...]) -> list[Any]:
        """What stands for the values of holes in keys: text as it is, a number for every other distinct value.

        Each value of an object is looked at once, however many guardrails read it.
        """
        if made is not self._current:
            self._current, self._parts = made, {}
        parts, values = self._parts, made.rendered.values
        found: list[Any] = []
        for index in holes:
            part = parts.get(index)
            if part is None:
                value = values[index]
                part = parts[index] = value if type(value) is str else self._number(_frozen(value))
            found.append(part)
        return found

    def _number(self, frozen: Any) -> int:
        """A number for a value; when too many are known, all are forgotten together with what was remembered."""
        known = self._numbers.get(frozen)
        if known is not None:
            return known
        if len(self._numbers) >= _MOST_REMEMBERED:
            self._numbers.clear()
            self._known.clear()
            self._parts.clear()
        self._n_numbers += 1
        self._numbers[frozen] = self._n_numbers
        return self._n_numbers

    def _reads_context(self, guardrail: Guardrail) -> tuple[str, ...]:
        found = self._context.get(guardrail.name)
        if found is None:
            names = sorted({path[0] for path in guardrail.reads} - {"object", "pods", "variables", "fleet"})
            found = self._context[guardrail.name] = tuple(names)
        return found

    def _context_key(self, name: str, made: RenderedObject) -> Any:
        target = made.unit.target
        if name == "cluster":
            return target.cluster
        if name == "tenant":
            return self.tenant_of(made)
        if name == "intent":
            return self._intent_of(made)
        if name == "oldObject":
            return self._old_key(made)
        if name == "request":
            return (*self._old_key(made)[:1], target, made.unit.name, _place(made), made.name)
        return (target, made.unit.name, _place(made))

    def _old_key(self, made: RenderedObject) -> tuple[str, str]:
        """What stands for the old object: nothing, the object itself (whose holes are read as its own), or this one."""
        if self._changes is None:
            return "new", ""
        self.saw_changes = self.saw_changes or not self._changes.is_kept(made)
        if made.path in self._changes.updates:
            return "changed", made.path
        return ("new" if self._before(made) is None else "kept"), ""

    def _value(self, kind: str, name: str) -> Any:
        if kind != "fleet" and not name:
            return None
        key = (kind, name)
        if key not in self._values:
            self._values[key] = self._make(kind, name)
        return self._values[key]

    def _make(self, kind: str, name: str) -> Any:
        if kind == "cluster":
            return cluster_value(self._fleet.clusters[name])
        if kind == "tenant":
            return tenant_value(self._fleet, name)
        if kind == "intent":
            return intent_value(self._intents[name])
        return fleet_value(self._fleet)

    def _namespace_object(self, made: RenderedObject) -> Any:
        """The Namespace that an object is in: as it is rendered for the target, else its name alone."""
        if not made.namespace:
            return None
        self._neighbours(made)
        assert self._by_place is not None
        for other in self._by_place.get((made.unit.target, ""), {}).get("Namespace", ()):
            if other.name == made.namespace:
                return other.object
        return {"metadata": {"name": made.namespace, "labels": {"kubernetes.io/metadata.name": made.namespace}}}

    def _neighbours(self, made: RenderedObject) -> LazyValues:
        """Objects of the same target and namespace by kind; of a Namespace, those in it."""
        if self._by_place is None:
            self._by_place = defaultdict(lambda: defaultdict(list))
            for other in self._objects:
                self._by_place[other.unit.target, other.namespace or ""][other.kind].append(other)
        here: Mapping[str, list[RenderedObject]] = self._by_place.get((made.unit.target, _place(made)), {})
        return LazyValues({kind: _objects_of(others) for kind, others in here.items()})


def _objects_of(others: list[RenderedObject]) -> Any:
    return lambda: [other.object for other in others]


def _request(made: RenderedObject, old: Mapping[str, Any] | None) -> dict[str, Any]:
    """The request that would create the object, or update what it was."""
    group, _, version = made.api_version.rpartition("/")
    kind = {"group": group, "version": version, "kind": made.kind}
    operation = "CREATE" if old is None else "UPDATE"
    return {"operation": operation, "name": made.name, "namespace": made.namespace or "", "kind": kind}


def _place(made: RenderedObject) -> str:
    return made.name if made.kind == "Namespace" else made.namespace or ""


def _object_paths(guardrail: Guardrail, made: RenderedObject) -> list[tuple[str, ...]]:
    paths: list[tuple[str, ...]] = []
    for path in guardrail.reads:
        if path[0] in ("object", "oldObject"):
            paths.append(path[1:])
        elif path[0] == "pods":
            paths.extend(_before_star(steps) for steps in pod_paths(made.api_version, made.kind))
    return paths


def _before_star(steps: tuple[str, ...]) -> tuple[str, ...]:
    return steps[: steps.index("*")] if "*" in steps else steps


def _frozen(value: Any) -> Any:
    """A value as part of a key: with its type where equal values of different types are different values."""
    kind = type(value)
    if kind is str:
        return value
    if kind is dict or kind is MappingProxyType:
        return tuple([(key, item if type(item) is str else _frozen(item)) for key, item in value.items()])
    if kind is list or kind is tuple:
        return (list, *[item if type(item) is str else _frozen(item) for item in value])
    return (kind, value)
