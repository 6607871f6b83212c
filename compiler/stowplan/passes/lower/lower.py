"""The lower pass: one lowerer after the other, each returns its units and manifests."""

from __future__ import annotations

from collections.abc import Callable

from stowplan.diagnostics.model import Diagnostic, Outcome
from stowplan.model.fleet import Fleet
from stowplan.model.manifest import Lowered, Manifest, Unit
from stowplan.model.plan import PlacementPlan
from stowplan.passes.lower.inference import lower_inference
from stowplan.passes.lower.kueue.lower import lower_kueue
from stowplan.passes.lower.tenancy import lower_tenancy

__all__ = ["LOWERERS", "Lowerer", "lower"]

Lowerer = Callable[[Fleet, PlacementPlan], Outcome[tuple[Manifest, ...]]]
"""Makes the manifests of one concern; the units are those that its manifests name."""

LOWERERS: tuple[Lowerer, ...] = (lower_tenancy, lower_kueue, lower_inference)


def lower(fleet: Fleet, plan: PlacementPlan) -> Outcome[Lowered]:
    """All manifests, and the units they name, sorted by target, wave, and name."""
    manifests: list[Manifest] = []
    found: list[Diagnostic] = []
    for lowerer in LOWERERS:
        outcome = lowerer(fleet, plan)
        manifests.extend(outcome.value)
        found.extend(outcome.diagnostics)
    units: dict[tuple[str, str], Unit] = {}
    for manifest in manifests:
        units.setdefault((manifest.unit.target.folder, manifest.unit.name), manifest.unit)
    ordered = sorted(units.values(), key=lambda u: (u.target.folder, u.wave, u.name))
    plain = tuple(manifest for manifest in manifests if not manifest.member)
    propagated = tuple(manifest for manifest in manifests if manifest.member)
    return Outcome(Lowered(tuple(ordered), plain, propagated), tuple(found))
