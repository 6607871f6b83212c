"""Compares rendered objects with live clusters and makes the drift report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from stowplan.drift.classify import Classifier
from stowplan.drift.compare import compare_object, owned_below, value_at
from stowplan.drift.marks import mark_of_ours
from stowplan.drift.model import (
    ABSENT,
    ClusterDrift,
    ClusterStatus,
    DesiredObject,
    Difference,
    DriftClass,
    DriftReport,
    LiveCluster,
    ObjectDrift,
)
from stowplan.drift.owners import LiveOwners
from stowplan.ownership.atlas import Atlas, AtlasRow, load_atlas
from stowplan.ownership.fieldpath import FieldPath
from stowplan.ownership.rendered import (
    ENGINE_MANAGERS,
    ClusterFacts,
    ObjectKey,
    RenderedObject,
    SharedField,
    group_of,
)
from stowplan.ownership.scalers import ScalerIndex
from stowplan.ownership.typefacts import TypeFacts, untyped
from stowplan.ownership.units import TypeLookup

__all__ = ["DriftFacts", "Normalise", "compare", "key_of"]

Normalise = Callable[[str, str, Mapping[str, Any]], Mapping[str, Any]]
"""An object as an API server would store it, by apiVersion and kind: defaults filled in, values canonical."""

_NO_ENGINE: Final = ("",)


def _untyped(_target: str, _api_version: str, _kind: str) -> TypeFacts:
    return untyped()


@dataclass(frozen=True, slots=True)
class DriftFacts:
    """What the comparison may know: all of it optional, each part makes the report sharper.

    `applications` are the names of our Applications and Kustomizations, by which orphans are told from others' objects;
    `earlier` is an older look at the clusters, by which fights are told from single changes.
    """

    clusters: Mapping[str, ClusterFacts] = field(default_factory=dict)
    types: TypeLookup = _untyped
    normalise: Normalise | None = None
    shared_fields: Sequence[SharedField] = ()
    atlas: Atlas | None = None
    applications: frozenset[str] | None = None
    earlier: Mapping[str, LiveCluster] = field(default_factory=dict)


def compare(
    desired: Mapping[str, Sequence[DesiredObject]], live: Mapping[str, LiveCluster], facts: DriftFacts
) -> DriftReport:
    """The drift of every cluster that something is rendered for, or that was read.

    A cluster that was not read, or did not answer, is unknown: never clean.
    """
    names = sorted({*desired, *live})
    return DriftReport(
        tuple(_ClusterComparison(name, desired.get(name, ()), facts).run(live.get(name)) for name in names)
    )


def key_of(data: Mapping[str, Any]) -> ObjectKey:
    """Group, kind, namespace and name of an object; empty texts for what it does not say."""
    metadata = data.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    return (
        group_of(str(data.get("apiVersion", ""))), str(data.get("kind", "")),
        str(metadata.get("namespace") or ""), str(metadata.get("name", "")),
    )  # fmt: skip


class _ClusterComparison:
    """The comparison of one cluster."""

    def __init__(self, name: str, desired: Sequence[DesiredObject], facts: DriftFacts) -> None:
        self._name = name
        self._desired = desired
        self._facts = facts
        cluster = facts.clusters.get(name) or ClusterFacts(name)
        self._rows = (facts.atlas or load_atlas()).rows_on(cluster)
        self._rows_of_kind: dict[tuple[str, str], tuple[AtlasRow, ...]] = {}
        self._types: dict[tuple[str, str], TypeFacts] = {}
        self._scalers: ScalerIndex | None = None

    def run(self, live: LiveCluster | None) -> ClusterDrift:
        """The drift of this cluster."""
        n_rendered = len(self._desired)
        if live is None:
            return ClusterDrift(
                self._name, ClusterStatus.UNKNOWN, problems=("nothing was read of it",), n_rendered=n_rendered
            )
        if not live.answered:
            return ClusterDrift(self._name, ClusterStatus.UNKNOWN, problems=live.problems, n_rendered=n_rendered)
        by_key = {key_of(data): data for data in live.objects}
        earlier = self._facts.earlier.get(self._name)
        before = {key_of(data): data for data in earlier.objects} if earlier else {}
        found = [*self._compare_rendered(by_key, before, live), *self._orphans(by_key)]
        found.sort(key=lambda entry: (entry.kind, entry.namespace, entry.name, entry.api_version))
        partial = bool(live.problems or live.kinds_failed)
        status = ClusterStatus.PARTIAL if partial else ClusterStatus.COMPARED
        return ClusterDrift(self._name, status, tuple(found), live.problems, n_rendered, len(live.objects))

    def _compare_rendered(
        self, by_key: Mapping[ObjectKey, Mapping[str, Any]], before: Mapping[ObjectKey, Mapping[str, Any]],
        live: LiveCluster,
    ) -> Iterator[ObjectDrift]:  # fmt: skip
        kinds_seen = {key[:2] for key in by_key}
        for entry in self._desired:
            key = key_of(entry.object)
            there = by_key.get(key)
            if there is None:
                if key[:2] not in live.kinds_failed:
                    yield self._drift(entry, (_missing(key, kinds_seen),))
                continue
            differences = self._differences(entry, there, before.get(key))
            if differences:
                yield self._drift(entry, differences)

    def _differences(
        self, entry: DesiredObject, live: Mapping[str, Any], before: Mapping[str, Any] | None
    ) -> tuple[Difference, ...]:
        desired = entry.object
        facts = self._type(desired)
        raw = compare_object(desired, live, facts)
        names = ENGINE_MANAGERS.get(entry.engine, (entry.engine,) if entry.engine else _NO_ENGINE)
        owners = LiveOwners(live, names)
        taken: list[FieldPath] = []
        for _, fields in owners.foreign_fields():
            owned_below(fields, desired, facts, taken.append)
        if not raw and not taken:
            return ()
        if raw and self._facts.normalise is not None:
            raw = self._compare_normalised(desired, live, facts)
        rows = self._rows_for(entry)
        earlier = LiveOwners(before, names) if before is not None else None
        classifier = Classifier(str(desired.get("kind", "")), owners, rows, self._facts.shared_fields, earlier)
        found = {difference.path: difference for difference in classifier.classify(raw)}
        for path in taken:
            difference = classifier.taken_over(path, value_at(live, path, facts))
            if difference is not None and not any(_within(difference.path, known) for known in found):
                found[difference.path] = difference
        return tuple(found[path] for path in sorted(found))

    def _compare_normalised(
        self, desired: Mapping[str, Any], live: Mapping[str, Any], facts: TypeFacts
    ) -> list[tuple[FieldPath, Any, Any]]:
        normalise = self._facts.normalise
        if normalise is None:
            return compare_object(desired, live, facts)
        api_version, kind = str(desired.get("apiVersion", "")), str(desired.get("kind", ""))
        return compare_object(normalise(api_version, kind, desired), normalise(api_version, kind, live), facts)

    def _type(self, data: Mapping[str, Any]) -> TypeFacts:
        kind = str(data.get("apiVersion", "")), str(data.get("kind", ""))
        found = self._types.get(kind)
        if found is None:
            found = self._types[kind] = self._facts.types(self._name, *kind)
        return found

    def _rows_for(self, entry: DesiredObject) -> tuple[AtlasRow, ...]:
        candidate = self._rendered(entry)
        kind = candidate.api_version, candidate.kind
        rows = self._rows_of_kind.get(kind)
        if rows is None:
            rows = self._rows_of_kind[kind] = tuple(row for row in self._rows if row.applies_to_kind(*kind))
        if self._scalers is None:
            self._scalers = ScalerIndex(self._rendered(other) for other in self._desired)
        kinds = tuple(scaler.kind for scaler in self._scalers.acting_on(candidate))
        return tuple(row for row in rows if row.selects(candidate, kinds))

    def _rendered(self, entry: DesiredObject) -> RenderedObject:
        _, kind, namespace, name = key_of(entry.object)
        return RenderedObject(
            self._name, entry.unit, entry.file, str(entry.object.get("apiVersion", "")), kind, namespace, name,
            entry.object, entry.engine, entry.delivered_by,
        )  # fmt: skip

    def _orphans(self, by_key: Mapping[ObjectKey, Mapping[str, Any]]) -> Iterator[ObjectDrift]:
        rendered = {key_of(entry.object) for entry in self._desired}
        for key, data in by_key.items():
            if key in rendered:
                continue
            if mark := mark_of_ours(data, self._facts.applications):
                difference = Difference(DriftClass.ORPHANED, "", ABSENT, ABSENT, "", mark)
                api_version = str(data.get("apiVersion", ""))
                yield ObjectDrift(self._name, "", "", api_version, key[1], key[2], key[3], (difference,))

    def _drift(self, entry: DesiredObject, differences: tuple[Difference, ...]) -> ObjectDrift:
        _, kind, namespace, name = key_of(entry.object)
        api_version = str(entry.object.get("apiVersion", ""))
        return ObjectDrift(self._name, entry.unit, entry.file, api_version, kind, namespace, name, differences)


def _missing(key: ObjectKey, kinds_seen: set[tuple[str, str]]) -> Difference:
    reason = "" if key[:2] in kinds_seen else f"no {key[1]} at all was read; was the kind exported?"
    return Difference(DriftClass.MISSING, "", reason=reason)


def _within(path: str, known: str) -> bool:
    return path == known or (path.startswith(known) and path[len(known)] in ".[")
