"""Rules on two revisions of an object: what Kueue and the runtimes' webhooks do not let change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

from stowplan.kueue.elastic import ELASTIC
from stowplan.kueue.tree import JOB_KINDS, KUEUE_GROUP
from stowplan.model.fleet import Fleet
from stowplan.model.handedover import QUEUE_LABEL
from stowplan.model.previous import RefusedChange, Update
from stowplan.passes.differences import differences
from stowplan.passes.lower.kueue.dialect import dialect_of
from stowplan.passes.lower.kueue.flavors import HOSTNAME
from stowplan.source.span import Pointer, format_pointer

__all__ = ["FixedField", "fixed_fields", "kueue_refusals"]

Release = tuple[int, int, int]
Manifest = Mapping[str, Any]

_HOSTNAME_LAST: Final = (0, 20, 0)
"""From this release on levels may change where the node is the last one before and after."""
_FIXED_SIZE: Final = (0, 19, 1)
"""From this release on the size of a LeaderWorkerSet's groups is fixed."""
_PRIORITY: Final = "kueue.x-k8s.io/priority-class"
_LIMIT: Final = "kueue.x-k8s.io/max-exec-time-seconds"
_SERVING: Final = ("Deployment", "StatefulSet", "LeaderWorkerSet")
_MANAGED_BY: Final = {
    "PyTorchJob": ("spec", "runPolicy", "managedBy"),
    "MPIJob": ("spec", "runPolicy", "managedBy"),
}
_FIXED: Final[Mapping[str, tuple[str, ...]]] = {
    "JobSet": ("network", "successPolicy", "failurePolicy", "startupPolicy", "volumeClaimPolicies"),
}
_FIXED_ONCE_STATED: Final[Mapping[str, tuple[str, ...]]] = {
    "TrainJob": ("runtimeRef", "initializer", "trainer", "activeDeadlineSeconds"),
}
"""What a rule of the definition compares: it may still come, or go."""
_FIXED_ONCE_STARTED: Final[Mapping[str, tuple[str, ...]]] = {"TrainJob": ("runtimePatches", "podTemplateOverrides")}
_MUTABLE_WHILE_SUSPENDED: Final = ("nodeSelector", "tolerations", "schedulingGates")
"""Of the pods of a JobSet, besides labels and annotations."""
_IMMUTABLE: Final = "field is immutable"
_STARTED: Final = "cannot change once the job has started"
_REPLACE: Final = "take the object out in one commit, sync, and put it in again in the next; or give it another name"
_END: Final = "end the job (`state: done`), compile and sync, and bring it back; or give the intent another name"


@dataclass(frozen=True, slots=True)
class FixedField:
    """A field that cannot change in place: `code` of the rule, what the server says, and how to go about it.

    One that is not `is_certain` can change as long as the job has not started.
    """

    code: str
    pointer: Pointer
    reason: str
    cure: str
    is_certain: bool = True


def kueue_refusals(updates: Iterable[Update], fleet: Fleet) -> Iterator[RefusedChange]:
    """The refused changes of Kueue's objects and of jobs, by the release of Kueue on each cluster."""
    releases: dict[str, Release] = {}
    for update in updates:
        made = update.made
        cluster = made.unit.target.cluster
        if cluster not in releases:
            dialect = dialect_of(fleet.clusters[cluster])
            releases[cluster] = dialect.version if dialect is not None else (0, 0, 0)
        group = made.api_version.rpartition("/")[0]
        for one in fixed_fields((group, made.kind), update.old, made.object, releases[cluster]):
            fields = tuple(found.pointer for found in differences(update.old, made.object, one.pointer))
            field = format_pointer(one.pointer)
            yield RefusedChange(one.code, update, fields or (one.pointer,), field, one.reason, one.cure, one.is_certain)


def fixed_fields(kind: tuple[str, str], old: Manifest, new: Manifest, release: Release) -> Iterator[FixedField]:
    """The fields that changed and cannot; `kind` is a group and a kind."""
    check = _CHECKS.get(kind[1]) if kind[0] == KUEUE_GROUP else _job if kind in JOB_KINDS else None
    if check is not None:
        yield from check(kind[1], old, new, release)


def _at(made: Any, path: Iterable[str | int]) -> Any:
    found: Any = made
    for step in path:
        found = found.get(step) if isinstance(found, Mapping) else None
    return found


def _differs(old: Manifest, new: Manifest, path: Pointer) -> bool:
    return bool(_at(old, path) != _at(new, path))


def _local_queue(_: str, old: Manifest, new: Manifest, _release: Release) -> Iterator[FixedField]:
    path = ("spec", "clusterQueue")
    if _differs(old, new, path):
        cure = "make a LocalQueue of another name and move the jobs, or delete this one first"
        yield FixedField("SP2020", path, _IMMUTABLE, cure)


def _topology(_: str, old: Manifest, new: Manifest, release: Release) -> Iterator[FixedField]:
    path = ("spec", "levels")
    if _differs(old, new, path) and not (
        release >= _HOSTNAME_LAST and all(_ends_in_node(_at(made, path)) for made in (old, new))
    ):
        yield FixedField("SP2064", path, _IMMUTABLE, _REPLACE)


def _ends_in_node(levels: Any) -> bool:
    return isinstance(levels, list) and bool(levels) and _at(levels[-1], ("nodeLabel",)) == HOSTNAME


def _flavor(_: str, old: Manifest, new: Manifest, release: Release) -> Iterator[FixedField]:
    if _at(old, ("spec", "topologyName")) is None:
        return
    for name in ("topologyName",) if release >= _HOSTNAME_LAST else ("topologyName", "nodeLabels", "tolerations"):
        if _differs(old, new, ("spec", name)):
            yield FixedField("SP2064", ("spec", name), "field is immutable: the flavor has a topology", _REPLACE)


def _check(_: str, old: Manifest, new: Manifest, _release: Release) -> Iterator[FixedField]:
    path = ("spec", "controllerName")
    if _differs(old, new, path):
        yield FixedField("SP2064", path, _IMMUTABLE, _REPLACE)


def _queue(_: str, old: Manifest, new: Manifest, _release: Release) -> Iterator[FixedField]:
    path = ("spec", "concurrentAdmissionPolicy")
    if _differs(old, new, path):
        yield FixedField("SP2064", path, _IMMUTABLE, _REPLACE)


def _job(kind: str, old: Manifest, new: Manifest, release: Release) -> Iterator[FixedField]:
    cure = _REPLACE if kind in _SERVING else _END
    for label in (QUEUE_LABEL, _PRIORITY, _LIMIT):
        path: Pointer = ("metadata", "labels", label)
        is_gone, is_new = _at(new, path) is None, _at(old, path) is None
        if not _differs(old, new, path) or (label == _PRIORITY and not (is_gone or is_new)):
            continue
        if is_gone and (label == _PRIORITY or kind in _SERVING):
            yield FixedField("SP2075", path, "cannot be taken away", cure)
        else:
            yield FixedField("SP2075", path, _STARTED, cure, is_certain=False)
    spec: list[Pointer] = [("spec", name) for name in _FIXED.get(kind, ())]
    for path in (_MANAGED_BY.get(kind, ("spec", "managedBy")), ("metadata", "annotations", ELASTIC), *spec):
        if _differs(old, new, path):
            yield FixedField("SP2075", path, _IMMUTABLE, cure)
    for name in _FIXED_ONCE_STATED.get(kind, ()):
        if _differs(old, new, ("spec", name)) and None not in (_at(old, ("spec", name)), _at(new, ("spec", name))):
            yield FixedField("SP2075", ("spec", name), _IMMUTABLE, cure)
    for name in _FIXED_ONCE_STARTED.get(kind, ()):
        if _differs(old, new, ("spec", name)):
            yield FixedField("SP2075", ("spec", name), _STARTED, _END, is_certain=False)
    path = ("spec", "replicatedJobs")
    if kind == "JobSet" and _differs(old, new, path):
        is_certain = _fixed_part(_at(old, path)) != _fixed_part(_at(new, path))
        yield FixedField("SP2075", path, _IMMUTABLE if is_certain else _STARTED, _END, is_certain)
    if kind == "LeaderWorkerSet":
        yield from _groups(old, new, release)
    elif kind == "StatefulSet" and _is_queued(old, new):
        path = ("spec", "replicas")
        if _differs(old, new, path) and 0 not in (_at(old, path), _at(new, path)):
            reason = "cannot change but to and from 0 while Kueue manages the set"
            yield FixedField("SP2075", path, reason, "scale to 0 in one commit, and up again in the next")


def _fixed_part(jobs: Any) -> Any:
    """The jobs of a JobSet without what may change while it is suspended."""
    if not isinstance(jobs, list):
        return jobs
    found = deepcopy(jobs)
    for job in found:
        pod = _at(job, ("template", "spec", "template"))
        metadata, spec = _at(pod, ("metadata",)), _at(pod, ("spec",))
        for part, names in ((metadata, ("labels", "annotations")), (spec, _MUTABLE_WHILE_SUSPENDED)):
            for name in names if isinstance(part, dict) else ():
                part.pop(name, None)
    return found


def _groups(old: Manifest, new: Manifest, release: Release) -> Iterator[FixedField]:
    path = ("spec", "leaderWorkerTemplate", "subGroupPolicy")
    one, other = _at(old, path), _at(new, path)
    if (one is None) != (other is None) or _differs(old, new, (*path, "subGroupSize")):
        yield FixedField("SP2075", path, _IMMUTABLE, _REPLACE)
    path = ("spec", "leaderWorkerTemplate", "size")
    if release >= _FIXED_SIZE and _is_queued(old, new) and _differs(old, new, path):
        yield FixedField("SP2075", path, "field is immutable while Kueue manages the groups", _REPLACE)


def _is_queued(old: Manifest, new: Manifest) -> bool:
    return all(_at(made, ("metadata", "labels", QUEUE_LABEL)) is not None for made in (old, new))


_CHECKS: Final[Mapping[str, Callable[[str, Manifest, Manifest, Release], Iterator[FixedField]]]] = {
    "LocalQueue": _local_queue,
    "Topology": _topology,
    "ResourceFlavor": _flavor,
    "AdmissionCheck": _check,
    "ClusterQueue": _queue,
}
