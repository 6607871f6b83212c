"""Rules on two revisions of a tree: what Kueue does not let change, and so needs another object."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from stowplan.diagnostics.model import Severity
from stowplan.model.handedover import QUEUE_LABEL
from stowplan.passes.lower.kueue.flavors import HOSTNAME
from stowplan.source.span import Pointer, format_pointer

__all__ = ["KINDS", "ImmutableChange", "ObjectName", "immutable_changes"]

ObjectName = tuple[str, str, str, str]
"""API server, kind, namespace (empty for none), and name."""

_HOSTNAME_LAST = (0, 20, 0)
"""From this release on levels may change where the node is the last one before and after."""
_JOBS = ("Job", "JobSet", "TrainJob", "PyTorchJob", "MPIJob", "RayJob", "RayCluster", "LeaderWorkerSet", "Pod")
_SERVING = ("Deployment", "StatefulSet", "LeaderWorkerSet")
_PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"
_ELASTIC = "kueue.x-k8s.io/elastic-job"
_MANAGED_BY = {"PyTorchJob": ("spec", "runPolicy", "managedBy"), "MPIJob": ("spec", "runPolicy", "managedBy")}
_FIXED: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "JobSet": (("spec", "network"), ("spec", "successPolicy"), ("spec", "failurePolicy"), ("spec", "startupPolicy")),
    "TrainJob": (("spec", "runtimeRef"), ("spec", "trainer"), ("spec", "activeDeadlineSeconds")),
}
KINDS = frozenset({"LocalQueue", "Topology", "ResourceFlavor", "AdmissionCheck", *_JOBS, *_SERVING})
"""The kinds that have such fields."""


@dataclass(frozen=True, slots=True)
class ImmutableChange:
    """A field that cannot change in place: `code` of the rule, the object, the field, and how to go about it.

    A warning where the field can change as long as the job has not started.
    """

    code: str
    name: ObjectName
    pointer: Pointer
    message: str
    cure: str
    severity: Severity = Severity.ERROR


def immutable_changes(
    before: Mapping[ObjectName, Mapping[str, Any]],
    after: Mapping[ObjectName, Mapping[str, Any]],
    versions: Mapping[str, tuple[int, int, int]],
) -> tuple[ImmutableChange, ...]:
    """Changes of objects in both revisions; `versions` are Kueue's releases by API server."""
    made: list[ImmutableChange] = []
    for name in sorted(before.keys() & after.keys()):
        old, new = before[name], after[name]
        version = versions.get(name[0], (0, 0, 0))
        for check in (_local_queue, _topology, _flavor, _check, _job):
            made.extend(check(name, old, new, version))
    return tuple(made)


_REPLACE = "delete the object and make it anew: one commit takes it out, the next puts it in"


def _at(made: Mapping[str, Any], path: Iterable[str]) -> Any:
    found: Any = made
    for step in path:
        found = found.get(step) if isinstance(found, Mapping) else None
    return found


def _local_queue(
    name: ObjectName, old: Mapping[str, Any], new: Mapping[str, Any], _: tuple[int, int, int]
) -> Iterator[ImmutableChange]:
    path = ("spec", "clusterQueue")
    if name[1] == "LocalQueue" and _at(old, path) != _at(new, path):
        yield ImmutableChange(
            "SP2020", name, path,
            f"LocalQueue `{name[2]}/{name[3]}` cannot move from ClusterQueue `{_at(old, path)}` to `{_at(new, path)}`",
            "make a LocalQueue of another name and move the jobs, or delete this one first",
        )  # fmt: skip


def _topology(
    name: ObjectName, old: Mapping[str, Any], new: Mapping[str, Any], version: tuple[int, int, int]
) -> Iterator[ImmutableChange]:
    path = ("spec", "levels")
    one, other = _at(old, path) or [], _at(new, path) or []
    if name[1] != "Topology" or one == other:
        return
    ends_in_node = all(rows and rows[-1].get("nodeLabel") == HOSTNAME for rows in (one, other))
    if version < _HOSTNAME_LAST or not ends_in_node:
        yield ImmutableChange("SP2064", name, path, f"the levels of Topology `{name[3]}` cannot change", _REPLACE)


def _flavor(
    name: ObjectName, old: Mapping[str, Any], new: Mapping[str, Any], version: tuple[int, int, int]
) -> Iterator[ImmutableChange]:
    before = _at(old, ("spec", "topologyName"))
    if name[1] != "ResourceFlavor" or before is None:
        return
    fields = ["topologyName"] if version >= _HOSTNAME_LAST else ["topologyName", "nodeLabels", "tolerations"]
    for field in fields:
        if _at(old, ("spec", field)) != _at(new, ("spec", field)):
            yield ImmutableChange(
                "SP2064", name, ("spec", field),
                f"`{field}` of ResourceFlavor `{name[3]}` cannot change: the flavor has a topology", _REPLACE,
            )  # fmt: skip


def _check(
    name: ObjectName, old: Mapping[str, Any], new: Mapping[str, Any], _: tuple[int, int, int]
) -> Iterator[ImmutableChange]:
    path = ("spec", "controllerName")
    if name[1] == "AdmissionCheck" and _at(old, path) != _at(new, path):
        message = f"the controller of AdmissionCheck `{name[3]}` cannot change"
        yield ImmutableChange("SP2064", name, path, message, _REPLACE)


def _job(
    name: ObjectName, old: Mapping[str, Any], new: Mapping[str, Any], _: tuple[int, int, int]
) -> Iterator[ImmutableChange]:
    kind = name[1]
    labels = ("metadata", "labels")
    if kind not in (*_JOBS, *_SERVING):
        return
    for label in (QUEUE_LABEL, _PRIORITY_LABEL):
        before, after = _at(old, (*labels, label)), _at(new, (*labels, label))
        gone = before is not None and after is None
        never = gone and (label == _PRIORITY_LABEL or kind in _SERVING)
        if before != after and (gone or label == QUEUE_LABEL):
            yield ImmutableChange(
                "SP2075", name, (*labels, label),
                f"label `{label}` of {kind} `{name[2]}/{name[3]}` cannot go from `{before}` to `{after or 'nothing'}`"
                + ("" if never else " once the job runs"),
                _REPLACE, Severity.ERROR if never else Severity.WARNING,
            )  # fmt: skip
    fixed = [_MANAGED_BY.get(kind, ("spec", "managedBy")), ("metadata", "annotations", _ELASTIC), *_FIXED.get(kind, ())]
    for path in fixed:
        if _at(old, path) != _at(new, path):
            yield ImmutableChange(
                "SP2075",
                name,
                path,
                f"`{format_pointer(path)}` of {kind} `{name[2]}/{name[3]}` cannot change",
                _REPLACE,
            )
