"""Where each workload went, a line each, for the terminal."""

from __future__ import annotations

from stowplan.model.fleet import Fleet
from stowplan.model.plan import Placement, PlacementPlan

__all__ = ["summary"]


def summary(fleet: Fleet, plan: PlacementPlan) -> str:
    """A table: workload, status, where, accelerators, hours, money, carbon; then the counts."""
    rows: list[tuple[str, ...]] = [
        ("WORKLOAD", "STATUS", "WHERE", "ACCELERATORS", "HOURS", fleet.spec.currency, "KG CO2")
    ]
    for placement in plan.placements.values():
        rows.extend(_rows(placement))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell.ljust(w) if i < 3 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(cells).rstrip())
    counts: dict[str, int] = {}
    for placement in plan.placements.values():
        counts[placement.status] = counts.get(placement.status, 0) + 1
    lines.append("")
    lines.append(", ".join(f"{n} {status}" for status, n in sorted(counts.items())))
    return "\n".join(lines) + "\n"


def _rows(placement: Placement) -> list[tuple[str, ...]]:
    if not placement.assignments:
        return [(placement.workload, placement.status, "-", "", "", "", "")]
    rows: list[tuple[str, ...]] = []
    for index, a in enumerate(placement.assignments):
        share = placement.share(a)
        estimate = a.candidate.estimate
        domain = f" [{'/'.join(a.domain)}]" if a.domain else ""
        reserve = f" (+{a.reserved})" if a.reserved else ""
        result = placement.kind in ("TrainingIntent", "BatchIntent")
        rows.append(
            (
                placement.workload if index == 0 else "",
                placement.status if index == 0 else "",
                f"{a.cluster}/{a.flavor}{domain}",
                f"{a.accelerators}{reserve}",
                f"{a.hours:.1f}" if result else "",
                f"{estimate.cost * share:,.0f}" + ("" if result else "/mo"),
                f"{estimate.carbon_kilograms * share:,.0f}" + ("" if result else "/mo"),
            )
        )
    return rows
