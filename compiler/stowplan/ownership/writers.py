"""Pairs the units of an object with the atlas rows that write them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

from stowplan.ownership.atlas import Atlas, AtlasRow
from stowplan.ownership.fieldpath import FieldPath
from stowplan.ownership.ownermap import ObjectOwnership, SharedUnit
from stowplan.ownership.pattern import FieldPattern
from stowplan.ownership.rendered import ClusterFacts, RenderedObject, SharedField
from stowplan.ownership.scalers import ScalerIndex
from stowplan.ownership.units import Unit, UnitCache

__all__ = ["WriterIndex"]

_KindRows = tuple[tuple[AtlasRow, ...], tuple[AtlasRow, ...]]

_RETAIN_LABEL = "resourcetemplate.karmada.io/retain-replicas"


class WriterIndex:
    """Finds the writers of rendered objects; what depends on kind, cluster and shape only is worked out once."""

    __slots__ = (
        "_atlas",
        "_cache",
        "_clusters",
        "_documents",
        "_retained",
        "_rows",
        "_rows_of_kind",
        "_scalers",
        "_sets",
        "_shared",
        "_units",
        "_writing",
    )

    def __init__(
        self,
        atlas: Atlas,
        clusters: Mapping[str, ClusterFacts],
        units: UnitCache,
        scalers: ScalerIndex,
        shared_fields: Sequence[SharedField],
        retained: frozenset[tuple[str, str]],
    ) -> None:
        self._atlas = atlas
        self._clusters = clusters
        self._units = units
        self._scalers = scalers
        self._shared = shared_fields
        self._retained = retained
        self._rows: dict[tuple[str, str, str], _KindRows] = {}
        self._rows_of_kind: dict[Hashable, _KindRows] = {}
        self._cache: dict[Hashable, tuple[SharedUnit, ...]] = {}
        self._documents: dict[Hashable, tuple[tuple[Unit, ...], tuple[SharedUnit, ...], tuple[AtlasRow, ...]]] = {}
        self._sets: dict[tuple[int, ...], tuple[AtlasRow, ...]] = {}
        self._writing: dict[tuple[int, FieldPath, bool], tuple[AtlasRow, ...]] = {}

    def ownership(self, candidate: RenderedObject) -> ObjectOwnership:
        """The units of an object and those it shares with run-time writers; worked out once for equal documents."""
        kind_rows = self._kind_rows(candidate)
        kinds = tuple([scaler.kind for scaler in self._scalers.acting_on(candidate)]) if kind_rows[1] else ()
        key = (id(candidate.object), id(kind_rows), kinds, candidate.delivered_by)
        known = self._documents.get(key)
        if known is None:
            rows = self._chosen(kind_rows, candidate, kinds)
            units = self._units.units(candidate)
            known = self._documents[key] = (units, self._shared_units(candidate, units, rows), rows)
        return ObjectOwnership(candidate, *known)

    def _shared_units(
        self, candidate: RenderedObject, units: tuple[Unit, ...], rows: tuple[AtlasRow, ...]
    ) -> tuple[SharedUnit, ...]:
        if not rows:
            return ()
        if candidate.shape_key is None:
            return self._match(candidate, units, rows)
        kept = candidate.delivered_by, candidate.metadata_map("labels").get(_RETAIN_LABEL)
        key = (candidate.shape_key, candidate.api_version, candidate.kind, kept, id(rows))
        found = self._cache.get(key)
        if found is None:
            found = self._cache[key] = self._match(candidate, units, rows)
        return found

    def _kind_rows(self, candidate: RenderedObject) -> _KindRows:
        place = (candidate.target, candidate.api_version, candidate.kind)
        found = self._rows.get(place)
        if found is None:
            found = self._rows[place] = self._rows_at(*place)
        return found

    def _chosen(self, found: _KindRows, candidate: RenderedObject, scalers: tuple[str, ...]) -> tuple[AtlasRow, ...]:
        """The atlas rows that select this object where it lands."""
        always, conditional = found
        chosen = [row for row in conditional if row.selects(candidate, scalers)]
        return self._one_set((*always, *chosen)) if chosen else always

    def _one_set(self, rows: tuple[AtlasRow, ...]) -> tuple[AtlasRow, ...]:
        """The same tuple for the same rows, so that its id stands for it."""
        return self._sets.setdefault(tuple(map(id, rows)), rows)

    def _rows_at(self, target: str, api_version: str, kind: str) -> _KindRows:
        """Rows for a kind in a target: those that take every object, and those with conditions. Like targets share."""
        facts = self._clusters.get(target) or ClusterFacts(target)
        signature = (tuple(sorted(facts.components.items())), facts.engine, facts.hub, api_version, kind)
        found = self._rows_of_kind.get(signature)
        if found is None:
            rows = [
                row
                for row in self._atlas.rows_on(facts)
                if row.sharing != "status" and row.applies_to_kind(api_version, kind)
            ]
            found = self._rows_of_kind[signature] = (
                self._one_set(tuple(row for row in rows if not row.select)), tuple(row for row in rows if row.select),
            )  # fmt: skip
        return found

    def unrendered_conflicts(self, entry: ObjectOwnership) -> tuple[tuple[AtlasRow, FieldPattern], ...]:
        """For a copy that Karmada puts as a whole: writers of fields that its put takes away although Git is silent."""
        candidate = entry.object
        if candidate.delivered_by != "karmada" or (candidate.api_version, candidate.kind) in self._retained:
            return ()
        rendered = {row.id for shared in entry.shared for row in shared.rows}
        return tuple(
            (row, pattern)
            for row in entry.rows
            if row.how in ("update", "subresource") and row.sharing == "never" and row.select and row.id not in rendered
            if not self._keeps(candidate, row)
            for pattern in row.patterns[:1]
            if pattern.text.startswith("spec.")
        )

    def _keeps(self, candidate: RenderedObject, row: AtlasRow) -> bool:
        """Whether Karmada leaves the member's value of the row's fields alone."""
        if row.retained:
            return True
        return (
            candidate.kind == "Deployment"
            and any(pattern.text == "spec.replicas" for pattern in row.patterns)
            and candidate.metadata_map("labels").get(_RETAIN_LABEL) == "true"
        )

    def _match(
        self, candidate: RenderedObject, units: Iterable[Unit], rows: tuple[AtlasRow, ...]
    ) -> tuple[SharedUnit, ...]:
        found = []
        for unit in units:
            key = (id(rows), unit.path, unit.whole)
            writing = self._writing.get(key)
            if writing is None:
                writing = self._writing[key] = tuple(row for row in rows if _writes(row, unit))
            if writing:
                found.append(SharedUnit(unit, writing, self._reason(candidate, unit, writing)))
        return tuple(found)

    def _reason(self, candidate: RenderedObject, unit: Unit, rows: Sequence[AtlasRow]) -> str:
        """Why sharing this unit is no conflict; empty if it is one."""
        offending = [row for row in rows if row.sharing == "never"]
        if not offending:
            return f"tolerated: {rows[0].controller} writes it by {rows[0].how}"
        if candidate.delivered_by == "karmada" and all(self._keeps(candidate, row) for row in offending):
            return "Karmada keeps the member's value"
        text = unit.text
        for rule in self._shared:
            if rule.kind == candidate.kind and rule.field == text and all(_named(rule, row) for row in offending):
                return rule.reason
        return ""


def _writes(row: AtlasRow, unit: Unit) -> bool:
    return any(
        not pattern.whole and (pattern.covers(unit.path) or (unit.whole and pattern.lies_below(unit.path)))
        for pattern in row.patterns
    )


def _named(rule: SharedField, row: AtlasRow) -> bool:
    wanted = {writer.casefold() for writer in rule.writers}
    return any(name.casefold() in wanted for name in (row.id, row.controller, *row.managers))
