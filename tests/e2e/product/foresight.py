"""The atlas rows that speak of each rendered object, the engines' own objects included."""

from __future__ import annotations

from collections.abc import Mapping

from product.workspaces import Workspace
from stowplan.model.rendered import RenderedObject as Made
from stowplan.ownership.atlas import Atlas, AtlasRow, load_atlas
from stowplan.ownership.rendered import RenderedObject
from stowplan.ownership.scalers import ScalerIndex
from stowplan.passes.ownership import cluster_facts


def atlas_rows(workspace: Workspace, atlas: Atlas | None = None) -> Mapping[str, tuple[AtlasRow, ...]]:
    """Rows by path of the rendered file: those whose writers are at work where the object goes, and select it."""
    assert workspace.done.fleet is not None
    facts = cluster_facts(workspace.done.fleet, {made.unit.target for made in workspace.objects})
    candidates = {made.path: _candidate(made) for made in workspace.objects}
    scalers = ScalerIndex(candidates.values())
    rows = {name: (atlas or load_atlas()).rows_on(cluster) for name, cluster in facts.items()}
    return {path: tuple(_chosen(one, rows[one.target], scalers)) for path, one in candidates.items()}


def _chosen(candidate: RenderedObject, rows: tuple[AtlasRow, ...], scalers: ScalerIndex) -> list[AtlasRow]:
    kinds = tuple(scaler.kind for scaler in scalers.acting_on(candidate))
    return [
        row
        for row in rows
        if row.applies_to_kind(candidate.api_version, candidate.kind) and row.selects(candidate, kinds)
    ]


def _candidate(made: Made) -> RenderedObject:
    unit = made.unit
    return RenderedObject(
        target=unit.target.name,
        unit=unit.folder,
        path=made.path,
        api_version=made.api_version,
        kind=made.kind,
        namespace=made.namespace or "",
        name=made.name,
        object=made.object,
        engine=unit.target.engine,
        delivered_by=made.manifest.delivered_by,
    )
