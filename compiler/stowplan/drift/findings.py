"""A drift report as diagnostics, for the formats that CI systems read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from stowplan.diagnostics.model import Diagnostic, error, warning
from stowplan.drift.model import ClusterStatus, DriftClass, DriftReport
from stowplan.drift.views import DriftGroup, group_differences

__all__ = ["drift_diagnostics"]

_CODES: Final[Mapping[DriftClass, tuple[str, str]]] = {
    DriftClass.MISSING: ("SP1101", "is rendered and not in the cluster"),
    DriftClass.MODIFIED: ("SP1102", "has another value in the cluster"),
    DriftClass.FOREIGN: ("SP1103", "was put there by somebody else"),
    DriftClass.TAKEN_OVER: ("SP1104", "is owned by somebody else now"),
    DriftClass.ORPHANED: ("SP1105", "is ours and not rendered any more"),
    DriftClass.FIGHT: ("SP1106", "is written by two parties in turn"),
}


def drift_diagnostics(report: DriftReport) -> tuple[Diagnostic, ...]:
    """One diagnostic for each change, joined over clusters, and one for each cluster that is not fully known."""
    return (*(_of_group(group) for group in group_differences(report)), *_of_clusters(report))


def _of_group(group: DriftGroup) -> Diagnostic:
    entry, difference = group.first, group.difference
    code, text = _CODES[difference.drift]
    what = f"`{difference.path}` of {entry.title}" if difference.path else entry.title
    notes = tuple(
        note
        for note in (
            f"live owner: {difference.owner}" if difference.owner else "",
            difference.reason,
            f"rendered in {entry.file}" if entry.file else "",
        )
        if note
    )
    return error(code, f"{what} {text}", notes=notes, subject=f"cluster/{entry.cluster} {entry.title}",
                 targets=group.clusters)  # fmt: skip


def _of_clusters(report: DriftReport) -> Iterator[Diagnostic]:
    for cluster in report.clusters:
        if cluster.status is ClusterStatus.COMPARED:
            continue
        unknown = cluster.status is ClusterStatus.UNKNOWN
        yield (error if unknown else warning)(
            "SP1107" if unknown else "SP1108",
            f"cluster `{cluster.name}` " + ("did not answer" if unknown else "could be read in part only"),
            notes=cluster.problems, subject=f"cluster/{cluster.name}", targets=(cluster.name,),
            helps=("what is unknown is never counted as clean; read the cluster again",),
        )  # fmt: skip
