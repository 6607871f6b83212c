"""Shows a drift report as text, Markdown or JSON; equal changes on several clusters are one entry."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from stowplan.drift.model import ABSENT, ClusterStatus, Difference, DriftClass, DriftReport, ObjectDrift

__all__ = ["SCHEMA_VERSION", "group_differences", "to_json", "to_markdown", "to_text"]

SCHEMA_VERSION = 1
_LONGEST_VALUE = 120


@dataclass(frozen=True, slots=True)
class DriftGroup:
    """One change and the clusters that show it."""

    first: ObjectDrift
    difference: Difference
    clusters: tuple[str, ...]


def group_differences(report: DriftReport, *, all_classes: bool = False) -> tuple[DriftGroup, ...]:
    """The differences with equal ones joined over clusters, worst class first; without what is no drift unless asked."""
    found: dict[Hashable, tuple[ObjectDrift, Difference, list[str]]] = {}
    for entry, difference in report.differences():
        if difference.drift.is_drift or all_classes:
            key = (entry.api_version, entry.title, difference.grouping())
            found.setdefault(key, (entry, difference, []))[2].append(entry.cluster)
    order = list(DriftClass)
    groups = [DriftGroup(entry, difference, tuple(clusters)) for entry, difference, clusters in found.values()]
    groups.sort(key=lambda g: (order.index(g.difference.drift), g.first.title, g.difference.path, g.clusters))
    return tuple(groups)


def to_text(report: DriftReport, *, all_classes: bool = False) -> str:
    """The report for a terminal, without colour; ends with a newline."""
    lines: list[str] = []
    for group in group_differences(report, all_classes=all_classes):
        difference = group.difference
        lines.append(f"{difference.drift.value}: {group.first.title}{_at(difference)}")
        lines.append(f"  on {_clusters(group.clusters, report)}")
        lines.extend(f"  {line}" for line in _facts(group))
    if lines:
        lines.append("")
    lines.extend(_status_lines(report))
    return "\n".join(lines) + "\n"


def to_markdown(report: DriftReport, *, all_classes: bool = False) -> str:
    """The report as Markdown for an issue or a pull request; ends with a newline."""
    lines = ["## Drift", ""]
    groups = group_differences(report, all_classes=all_classes)
    if groups:
        lines += ["| class | object | field | rendered | live | owner | clusters |", "|---|---|---|---|---|---|---|"]
    for group in groups:
        difference = group.difference
        cells = (
            difference.drift.value, group.first.title, difference.path and f"`{difference.path}`",
            _code(difference.rendered), _code(difference.live), difference.owner or difference.reason,
            _clusters(group.clusters, report),
        )  # fmt: skip
        lines.append("| " + " | ".join(_cell(cell) for cell in cells) + " |")
    if groups:
        lines.append("")
    lines.extend(f"- {_cell(line)}" for line in _status_lines(report))
    return "\n".join(lines) + "\n"


def to_json(report: DriftReport) -> str:
    """The whole report as JSON, every difference of every cluster by itself; ends with a newline."""
    data = {
        "schemaVersion": SCHEMA_VERSION,
        "clean": report.is_clean,
        "counts": {drift.value: count for drift, count in report.counts().items()},
        "clusters": [
            {
                "name": cluster.name, "status": cluster.status.value, "clean": cluster.is_clean,
                "problems": list(cluster.problems), "rendered": cluster.n_rendered, "live": cluster.n_live,
                "objects": [_object_json(entry) for entry in cluster.objects],
            }
            for cluster in report.clusters
        ],
    }  # fmt: skip
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _object_json(entry: ObjectDrift) -> dict[str, Any]:
    return {
        "apiVersion": entry.api_version, "kind": entry.kind, "namespace": entry.namespace, "name": entry.name,
        "unit": entry.unit, "file": entry.file,
        "differences": [_difference_json(difference) for difference in entry.differences],
    }  # fmt: skip


def _difference_json(difference: Difference) -> dict[str, Any]:
    data: dict[str, Any] = {"class": difference.drift.value, "path": difference.path}
    for name, value in (("rendered", difference.rendered), ("live", difference.live)):
        if value is not ABSENT:
            data[name] = value
    return {**data, "owner": difference.owner, "reason": difference.reason}


def _at(difference: Difference) -> str:
    return f" {difference.path}" if difference.path else ""


def _facts(group: DriftGroup) -> Iterator[str]:
    difference = group.difference
    if difference.path:
        yield f"rendered {_short(difference.rendered)}, live {_short(difference.live)}"
    if difference.owner:
        yield f"live owner: {difference.owner}"
    if difference.reason:
        yield difference.reason
    if group.first.file:
        yield f"from {group.first.file}"


def _short(value: Any) -> str:
    if value is ABSENT:
        return "(absent)"
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 3] + "..."


def _code(value: Any) -> str:
    return "" if value is ABSENT else f"`{_short(value).replace('`', chr(39))}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _clusters(names: Iterable[str], report: DriftReport) -> str:
    names = tuple(dict.fromkeys(names))
    n_known = sum(cluster.status is not ClusterStatus.UNKNOWN for cluster in report.clusters)
    if len(names) > 3 and len(names) == n_known:
        return f"all {n_known} clusters"
    return f"{len(names)} clusters: {', '.join(names)}" if len(names) > 3 else ", ".join(names)


def _status_lines(report: DriftReport) -> Iterator[str]:
    for cluster in report.clusters:
        if cluster.status is not ClusterStatus.COMPARED:
            yield f"{cluster.name} is {cluster.status.value}: {'; '.join(cluster.problems) or 'no reason given'}"
    counts = [f"{count} {drift.value}" for drift, count in report.counts().items() if count]
    n_clean = sum(cluster.is_clean for cluster in report.clusters)
    yield f"{n_clean} of {len(report.clusters)} clusters clean" + (f"; {', '.join(counts)}" if counts else "")
