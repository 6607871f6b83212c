"""The lower pass: one lowerer after the other, each returns its units and manifests."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from stowplan.diagnostics.model import Diagnostic, Outcome
from stowplan.model.fleet import Fleet
from stowplan.model.manifest import Lowered, Manifest, Unit
from stowplan.model.plan import PlacementPlan
from stowplan.passes.lower.components import lower_components
from stowplan.passes.lower.inference import lower_inference
from stowplan.passes.lower.kueue.lower import lower_kueue
from stowplan.passes.lower.tenancy import lower_tenancy
from stowplan.source.files import SourceTree

__all__ = ["LOWERERS", "Lowerer", "lower", "units_of"]

Lowerer = Callable[[Fleet, PlacementPlan], Outcome[tuple[Manifest, ...]]]
"""Makes the manifests of one concern; the units are those that its manifests name."""

LOWERERS: tuple[Lowerer, ...] = (lower_tenancy, lower_kueue, lower_inference)


def lower(fleet: Fleet, plan: PlacementPlan, tree: SourceTree) -> Outcome[Lowered]:
    """All manifests, and the units they name. `tree` holds the components' own manifests and templates."""
    manifests: list[Manifest] = []
    found: list[Diagnostic] = []
    for lowerer in LOWERERS:
        outcome = lowerer(fleet, plan)
        manifests.extend(outcome.value)
        found.extend(outcome.diagnostics)
    components = lower_components(fleet, tree)
    manifests.extend(components.manifests)
    found.extend(components.diagnostics)
    plain = tuple(manifest for manifest in manifests if not manifest.member)
    propagated = tuple(manifest for manifest in manifests if manifest.member)
    made = Lowered(units_of(manifests), plain, propagated, components.templates, components.chosen)
    return Outcome(made, tuple(found))


def units_of(manifests: Iterable[Manifest]) -> tuple[Unit, ...]:
    """The units that manifests name, sorted by target, wave, and name."""
    units: dict[tuple[str, str], Unit] = {}
    for manifest in manifests:
        units.setdefault((manifest.unit.target.folder, manifest.unit.name), manifest.unit)
    return tuple(sorted(units.values(), key=lambda u: (u.target.folder, u.wave, u.name)))
