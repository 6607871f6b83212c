"""Rules on any Kueue object: versions, canonical quantities, and what Kueue writes itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stowplan.kueue.podsets import podsets_of
from stowplan.kueue.rules.base import Finding, problem, warn
from stowplan.kueue.tree import KUEUE_GROUP, KueueTree, Side, group_of
from stowplan.model.quantity import QuantityError, canonical_quantity
from stowplan.model.rendered import RenderedObject
from stowplan.passes.lower.kueue.dialect import dialect_of
from stowplan.source.span import Pointer

__all__ = ["SIDE_CHECKS"]

_NEVER_RENDERED = {(KUEUE_GROUP, "Workload"), ("autoscaling.x-k8s.io", "ProvisioningRequest")}
_P = f"{KUEUE_GROUP}/"
_MARKS = frozenset(
    f"{_P}{name}"
    for name in (
        "cluster-queue-name", "component-workload-index", "job-owner-gvk", "job-owner-name", "job-uid", "local-queue-name",
        "managed", "multikueue-origin", "multikueue-origin-uid", "multikueue-worker-workload-pod", "pod-index-offset",
        "pod-suspending-parent", "podset", "prebuilt-workload-name", "role-hash", "stopping", "workload",
        "workload-allowed-resource-flavors", "workload-slice-name",
    )
)  # fmt: skip
"""Labels and annotations by which Kueue tells what it has made of a job."""
_QUANTITIES = ("nominalQuota", "borrowingLimit", "lendingLimit")


def versions(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2001: one API version, the one that the cluster serves and stores."""
    dialect = dialect_of(side.cluster)
    seen: dict[tuple[str, str | None, str], RenderedObject] = {}
    for made in side.kueue:
        if dialect is None:
            yield problem("SP2001", made, (), f"{made.reference} goes to `{side.name}`, which has no Kueue")
            continue
        if made.api_version != dialect.api_version:
            yield problem(
                "SP2001", made, ("apiVersion",),
                f"{made.reference} is `{made.api_version}`; Kueue on `{side.name}` is spoken to in `{dialect.api_version}`",
                f"render `{dialect.api_version}`: no object may stand in two versions, and older ones are deprecated",
            )  # fmt: skip
        first = seen.setdefault((made.kind, made.namespace, made.name), made)
        if first is not made and first.api_version != made.api_version:
            yield problem("SP2001", made, ("apiVersion",), f"{made.reference} is rendered in two API versions")


def quantities(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2002: quantities spelt as Kueue's webhook and controllers store them."""
    for made in (*side.queues.values(), *side.cohorts.values()):
        for pointer, text in _spelt(made):
            wanted = _canonical(text)
            if wanted is not None and text != wanted:
                yield problem(
                    "SP2002", made, pointer,
                    f"`{text}` in {made.reference} is stored as `\"{wanted}\"`: Git and cluster would flap",
                    f'write "{wanted}"',
                )  # fmt: skip


def _canonical(text: Any) -> str | None:
    try:
        return canonical_quantity(str(text))
    except QuantityError:
        return None


def _spelt(made: RenderedObject) -> Iterator[tuple[Pointer, Any]]:
    spec = made.object.get("spec") or {}
    for g, group in enumerate(spec.get("resourceGroups") or []):
        for f, flavor in enumerate(group.get("flavors") or []):
            for r, row in enumerate(flavor.get("resources") or []):
                for name in _QUANTITIES:
                    if name in row:
                        yield ("spec", "resourceGroups", g, "flavors", f, "resources", r, name), row[name]
    weight = (spec.get("fairSharing") or {}).get("weight")
    if weight is not None:
        yield ("spec", "fairSharing", "weight"), weight


def owned(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2003: Workloads, finalizers, and status are Kueue's own."""
    for made in (*side.kueue, *side.others):
        if (group_of(made), made.kind) in _NEVER_RENDERED:
            yield problem(
                "SP2003", made, (), f"{made.reference} is Kueue's own to make", "render the job; Kueue makes the rest",
            )  # fmt: skip
    for made in side.kueue:
        if (made.object.get("metadata") or {}).get("finalizers"):
            yield problem(
                "SP2003", made, ("metadata", "finalizers"), f"finalizers of {made.reference} are Kueue's",
                "leave `metadata.finalizers` out",
            )  # fmt: skip
        if "status" in made.object:
            yield problem("SP2003", made, ("status",), f"the status of {made.reference} is Kueue's", "leave it out")


def marks(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2003, further: labels and annotations of jobs and their pods that Kueue sets and reads back."""
    for job in side.jobs:
        metadata = job.object.get("metadata") or {}
        places: list[tuple[Pointer, Any]] = [(("metadata",), metadata)]
        places += [((*p.pointer, "metadata"), p.template.get("metadata") or {}) for p in podsets_of(job) if p.pointer]
        for at, given in places:
            for part in ("labels", "annotations"):
                for key in sorted(_MARKS.intersection(given.get(part) or {})):
                    yield problem(
                        "SP2003", job, (*at, part, key),
                        f"`{key}` of {job.reference} is Kueue's: it takes the job for one that it has made or admitted",
                        "leave it out",
                    )  # fmt: skip


def label_name(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2018: a ClusterQueue's name becomes a label's value on pods only where it is a DNS label."""
    for made in side.queues.values():
        if len(made.name) > 63 or "." in made.name:
            yield warn(
                "SP2018", made, ("metadata", "name"),
                f"ClusterQueue `{made.name}` is no DNS label: pods silently lose the label that names their queue",
                "use at most 63 letters, digits, and `-`",
            )  # fmt: skip


SIDE_CHECKS = (versions, quantities, owned, marks, label_name)
