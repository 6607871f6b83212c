"""Judge many objects of one shape: once for each pattern of hole values, not once for each object.

Most holes hold names, labels, images and plain text. The server does not care which name it is, only whether it is
well formed and which other strings it equals. So each hole is reduced to what can matter: for such places whether the
value is plainly well formed and which earlier place holds the same string; for all others the value itself. Objects
with the same reduction get the same verdict, so only the first of them is judged in full. A value that is not
plainly well formed, or that equals a string of the static part, counts as itself. Faulty objects are always judged
in full, so that the causes name their own values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from stowplan.schema.builtin.derive import pull_policy
from stowplan.schema.builtin.judge import judge_builtin, normalise_builtin
from stowplan.schema.builtin.patches import Patch, apply_patch, find_patch
from stowplan.schema.holes import Fill, filler, holes_in
from stowplan.schema.kind import ShapeLike
from stowplan.schema.verdict import FieldError
from stowplan.templates.fill import FillError
from stowplan.templates.skeleton import Hole, Joined

__all__ = ["BuiltinShape", "specialise_builtin"]

_WELL: tuple[FieldError, ...] = ()
_REMEMBERED: Final = 4096
_SCALARS: Final = frozenset({bool, int, float, type(None)})
_TEXT_ROOM: Final = 128 * 1024

Path = tuple[str, ...]
"""Where a hole stands; `*` for any item of a list."""

# Kinds whose name means nothing to the server beyond its syntax.
_PLAINLY_NAMED: Final = frozenset(
    {
        "apps/v1/DaemonSet",
        "apps/v1/Deployment",
        "apps/v1/ReplicaSet",
        "apps/v1/StatefulSet",
        "autoscaling/v2/HorizontalPodAutoscaler",
        "batch/v1/CronJob",
        "batch/v1/Job",
        "networking.k8s.io/v1/NetworkPolicy",
        "policy/v1/PodDisruptionBudget",
        "rbac.authorization.k8s.io/v1/Role",
        "rbac.authorization.k8s.io/v1/RoleBinding",
        "resource.k8s.io/v1/ResourceClaimTemplate",
        "v1/ConfigMap",
        "v1/LimitRange",
        "v1/PersistentVolumeClaim",
        "v1/Pod",
        "v1/ResourceQuota",
        "v1/Secret",
        "v1/Service",
        "v1/ServiceAccount",
    }
)
_NAME: Final = re.compile(r"[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?")
_LABEL: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?", re.ASCII)
_IMAGE: Final = re.compile(r"[a-z0-9]+(?:[./-][a-z0-9]+)*(?::[A-Za-z0-9][A-Za-z0-9._-]*)?(?:@sha256:[0-9a-f]{64})?")
_LABEL_HOLDERS: Final = (
    ("metadata", "labels"),
    ("spec", "podSelector", "matchLabels"),
    ("spec", "selector"),
    ("spec", "selector", "matchLabels"),
)
_REFERENCES: Final = frozenset(
    {"claimName", "name", "resourceClaimTemplateName", "secretName", "serviceAccountName", "serviceName"}
)
_POD_SPECS: Final = (("spec",), ("spec", "template", "spec"), ("spec", "jobTemplate", "spec", "template", "spec"))


@lru_cache(maxsize=16384)
def _is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None


@lru_cache(maxsize=16384)
def _is_label(text: str) -> bool:
    return _LABEL.fullmatch(text) is not None


@lru_cache(maxsize=16384)
def _is_image(text: str) -> bool:
    return len(text) <= 255 and _IMAGE.fullmatch(text) is not None


def _in_container(path: Path) -> Path:
    """The rest of a path below a container of a Pod or template; empty elsewhere."""
    for prefix in _POD_SPECS:
        rest = path[len(prefix) :]
        if path[: len(prefix)] == prefix and rest[:2] in (("containers", "*"), ("initContainers", "*")):
            return rest[2:]
    return ()


def _is_ours(key: str) -> bool:
    """Whether a label or annotation key means nothing to the server."""
    if key in ("controller-uid", "job-name"):
        return False
    return "kubernetes.io/" not in key.removeprefix("app.kubernetes.io/") and "k8s.io/" not in key


def _is_labelled(path: Path) -> bool:
    """Whether a path is a value of labels or of a selector over labels."""
    holder = path[:-1]
    if holder in _LABEL_HOLDERS:
        return True
    return len(holder) <= 7 and holder[-3:] == ("template", "metadata", "labels")


def _is_reference(path: Path) -> bool:
    """Whether a path holds the name of another object, a container or a volume."""
    return path[-1] in _REFERENCES and "ports" not in path


def _form(path: Path, kind: str) -> tuple[str, Callable[[str], bool]] | None:
    """What matters of a string at a path: the name of its form and the test of it; None if all of it."""
    if "?" in path:
        return None
    if path == ("metadata", "namespace"):
        return "name", _is_name
    if kind not in _PLAINLY_NAMED:
        return None
    if path == ("metadata", "name") or _is_reference(path):
        return "name", _is_name
    if _is_labelled(path) and _is_ours(path[-1]):
        return "label", _is_label
    below = _in_container(path)
    if below == ("image",):
        return "image", _is_image
    if below in (("args", "*"), ("command", "*"), ("env", "*", "value")):
        return "text", bool
    plain_annotation = path[:-1] == ("metadata", "annotations") and _is_ours(path[-1])
    if plain_annotation or (kind == "v1/ConfigMap" and path[:-1] == ("data",)):
        return "text", bool
    return None


def _slots(tree: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Every part of a tree with holes in it: leaves with their path, keys with holes with the mapping's own path."""
    if not holes_in(tree):
        return
    if isinstance(tree, dict):
        for key, value in tree.items():
            if type(key) is not str:
                yield (*path, "?"), key
            yield from _slots(value, (*path, key if type(key) is str else "?"))
    elif isinstance(tree, list | tuple):
        for item in tree:
            yield from _slots(item, (*path, "*"))
    else:
        yield path, tree


def _strings(tree: Any) -> Iterator[str]:
    """All fixed strings of a tree, keys too."""
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, Mapping):
        for key, value in tree.items():
            yield from _strings(key)
            yield from _strings(value)
    elif isinstance(tree, list | tuple):
        for item in tree:
            yield from _strings(item)


_Slot = tuple[int, Fill, str, Callable[[str], bool] | None]


@lru_cache(maxsize=1024)
def _leaf_filler(leaf: Hole | Joined) -> Fill:
    return filler(leaf)


def _slot(leaf: Any, form: tuple[str, Callable[[str], bool]] | None) -> _Slot:
    """A hole to look at: its number when it stands alone, how to fill it, its form and the test of it."""
    index = leaf.index if isinstance(leaf, Hole) else -1
    return (index, _leaf_filler(leaf), *(form or ("", None)))


class BuiltinShape:
    """The check of objects of one shape (see `ShapeCheck`)."""

    __slots__ = (
        "_minor", "_patches", "_room", "_seen", "_shape", "_slots", "_static", "_switched_on", "sound", "tree",
    )  # fmt: skip

    def __init__(self, shape: ShapeLike, minor: int, *, switched_on: bool = False) -> None:
        """Find the holes and what matters of each."""
        self._shape, self._minor, self._switched_on = shape, minor, switched_on
        self.tree = shape.tree
        self.sound = True
        kind = f"{shape.tree.get('apiVersion')}/{shape.tree.get('kind')}" if isinstance(shape.tree, dict) else ""
        found = list(_slots(shape.tree, ()))
        # The same leaf at two places of one form is looked at once; a form gives the order of the places.
        self._slots = tuple(dict.fromkeys(_slot(leaf, _form(path, kind)) for path, leaf in found))
        self._static = frozenset(_strings(shape.tree))
        fixed = sum(len(text) for text in _strings(shape.tree))
        self._room = _TEXT_ROOM // max(len(found), 1) if fixed < _TEXT_ROOM else 0
        self._seen: set[tuple[Any, ...]] = set()
        self._patches: dict[tuple[Any, ...], Patch] = {}

    def _pattern(self, values: Sequence[Any], places: dict[str, int]) -> tuple[Any, ...]:
        """What matters of the values; objects with equal patterns have equal verdicts. Fills in the strings' places."""
        pattern: list[Any] = []
        room, static = self._room, self._static
        for index, fill, form, test in self._slots:
            value = values[index] if index >= 0 else fill(values)
            if value.__class__ is not str:
                pattern.append((value.__class__, repr(value)))
                if value.__class__ not in _SCALARS:
                    pattern.extend(places.setdefault(text, len(places)) for text in _strings(value))
            elif form == "text" and len(value) <= room and value:
                pattern.append(form)
            elif test is None or len(value) > room or value in static or not test(value):
                pattern.append((value, places.setdefault(value, len(places))))
            else:
                pattern.append((form, places.setdefault(value, len(places)), form == "image" and pull_policy(value)))
        return tuple(pattern)

    def check(self, values: Sequence[Any]) -> tuple[FieldError, ...]:
        """The causes against the object of these values, as the full judge gives them; empty when there are none."""
        try:
            pattern = self._pattern(values, {})
        except FillError:
            return self._judge(values)
        if pattern in self._seen:
            return _WELL
        errors = self._judge(values)
        if not errors:
            if len(self._seen) >= _REMEMBERED:
                self._seen.clear()
            self._seen.add(pattern)
        return errors

    def stored(self, values: Sequence[Any]) -> dict[str, Any]:
        """The object of these values in its stored form, or as it is when it cannot be decoded."""
        built: dict[str, Any] = self._shape.build(values)
        patch, strings = self._patch(values, built)
        if patch:
            apply_patch(patch, built, strings)
        return built

    def is_fixed_point(self, values: Sequence[Any]) -> bool:
        """Whether the object of these values is stored as it is, the server's own members apart."""
        return not self._patch(values, None)[0]

    def _patch(self, values: Sequence[Any], built: dict[str, Any] | None) -> tuple[Patch, list[str]]:
        """What storing does to the object of these values, and the strings to put in."""
        places: dict[str, int] = {}
        pattern = self._pattern(values, places)
        patch = self._patches.get(pattern)
        if patch is None:
            before = self._shape.build(values) if built is None else built
            try:
                after = normalise_builtin(before, self._minor)
            except ValueError:
                after = before
            patch = find_patch(before, after, places)
            if len(self._patches) >= _REMEMBERED:
                self._patches.clear()
            self._patches[pattern] = patch
        return patch, list(places)

    def _judge(self, values: Sequence[Any]) -> tuple[FieldError, ...]:
        made = self._shape.build(values)
        return judge_builtin(made, self._minor, switched_on=self._switched_on).errors or _WELL


def specialise_builtin(shape: ShapeLike, minor: int, *, switched_on: bool = False) -> BuiltinShape:
    """The check of objects of one shape of a built-in kind in a minor."""
    return BuiltinShape(shape, minor, switched_on=switched_on)
