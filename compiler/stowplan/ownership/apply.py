"""A small emulator of the API server's field manager: Apply and Update with managers, conflicts, and force."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from stowplan.ownership.extract import STRIPPED, field_set, shape_errors
from stowplan.ownership.fieldset import EMPTY, FieldSet
from stowplan.ownership.merge import (
    Comparison,
    compare_values,
    equal_values,
    merge_values,
    named_members,
    remove_items,
)
from stowplan.ownership.typefacts import TypeFacts

__all__ = ["ApplyOutcome", "Conflict", "ManagerEntry", "apply", "entries_from_wire", "entries_to_wire", "update"]

_MAX_UPDATERS: Final = 10
_BEFORE_FIRST_APPLY: Final = "before-first-apply"
_UNKNOWN: Final = "unknown"
_ANCIENT: Final = "ancient-changes"


@dataclass(frozen=True, slots=True)
class ManagerEntry:
    """One entry of managedFields; `time` orders entries and may be None, `operation` is `Apply` or `Update`."""

    manager: str
    operation: str
    api_version: str
    time: int | None
    fields: FieldSet
    subresource: str = ""

    @property
    def identity(self) -> tuple[str, str, str, str]:
        """What tells two entries apart; appliers are the same at every version."""
        version = "" if self.operation == "Apply" else self.api_version
        return self.manager, self.operation, self.subresource, version


_Known = dict[tuple[str, str, str, str], ManagerEntry]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Fields of a request that another manager owns with another value."""

    entry: ManagerEntry
    fields: FieldSet


@dataclass(frozen=True, slots=True)
class ApplyOutcome:
    """The object and its managers after a request; with conflicts or errors, those of before."""

    object: Mapping[str, Any]
    entries: tuple[ManagerEntry, ...]
    conflicts: tuple[Conflict, ...] = ()
    errors: tuple[str, ...] = ()
    changed: bool = False


def apply(
    live: Mapping[str, Any] | None, entries: Sequence[ManagerEntry], config: Mapping[str, Any], facts: TypeFacts, *,
    manager: str, force: bool = False, time: int = 0, reset: FieldSet = EMPTY, subresource: str = "",
    finish: Callable[[Any], Any] | None = None,
) -> ApplyOutcome:  # fmt: skip
    """An apply patch by `manager`: `live` is None if the object does not exist; managedFields stand in `entries`.

    `finish` makes of the merged object what is stored (defaults, canonical spelling); without it, it is stored as it is.
    A request that changes neither the stored object nor the owners leaves the times of all entries alone.
    """
    identity = {key: config[key] for key in ("apiVersion", "kind") if key in config}
    current: Mapping[str, Any] = live if live is not None else identity
    errors = shape_errors(config, facts)
    if isinstance(config.get("metadata"), dict) and config["metadata"].get("managedFields") is not None:
        errors = ("metadata.managedFields must be nil", *errors)
    if errors:
        return ApplyOutcome(current, tuple(entries), errors=errors)
    known = {entry.identity: entry for entry in entries}
    if live is not None and not known:
        first = _first_owner(live, facts, reset, time)
        known = {first.identity: first} if first.fields else {}
    mine = ManagerEntry(manager or _UNKNOWN, "Apply", str(config.get("apiVersion", "")), time, EMPTY, subresource)
    last = known.get(mine.identity)
    owned = field_set(config, facts).recursive_difference(reset)
    known[mine.identity] = replace(mine, fields=owned)
    merged = merge_values(current, config, facts)
    if last is not None and last.fields:
        merged = _prune(merged, known, last.fields, facts)
    known, conflicts, _ = _settle(current, merged, known, mine.identity, facts, reset, force)
    if conflicts:
        return ApplyOutcome(current, tuple(entries), conflicts)
    kept = _strip(known)
    if mine.identity in kept:
        before = last.time if last is not None else None
        same = equal_values(current, merged)
        kept[mine.identity] = replace(kept[mine.identity], time=before if same else time)
    stored = merged if finish is None else finish(merged)
    return _stored(live, entries, stored, merged, kept)


def _stored(
    live: Mapping[str, Any] | None, entries: Sequence[ManagerEntry], stored: Any, merged: Any, known: _Known
) -> ApplyOutcome:
    """The outcome of a write; one that only moves times is none."""
    changed = live is None or not equal_values(live, stored)
    if not changed and _timeless(known.values()) == _timeless(entries):
        return ApplyOutcome(merged, tuple(entries))
    return ApplyOutcome(merged, _ordered(known.values()), changed=changed)


def _timeless(entries: Iterable[ManagerEntry]) -> dict[tuple[str, str, str, str], tuple[str, FieldSet]]:
    return {entry.identity: (entry.api_version, entry.fields) for entry in entries}


def update(
    live: Mapping[str, Any] | None, entries: Sequence[ManagerEntry], new: Mapping[str, Any], facts: TypeFacts, *,
    manager: str, time: int = 0, reset: FieldSet = EMPTY, subresource: str = "",
    edited: Sequence[ManagerEntry] | None = None,
) -> ApplyOutcome:  # fmt: skip
    """A create or a write of the whole object by `manager`; it never conflicts and takes what it changes.

    `edited` is the list of entries that the request itself carried: it stands for the present ones; an empty one clears
    all ownership. An object without any entry stays untracked.
    """
    start = entries if edited is None else edited
    if edited == () or (live is not None and not start):
        return ApplyOutcome(new, (), changed=not equal_values(live, new))
    identity = {key: new[key] for key in ("apiVersion", "kind") if key in new}
    current: Mapping[str, Any] = live if live is not None else identity
    mine = ManagerEntry(manager or _UNKNOWN, "Update", str(new.get("apiVersion", "")), time, EMPTY, subresource)
    known = {entry.identity: entry for entry in start}
    known, _, change = _settle(current, new, known, None, facts, reset, True)
    taken = change.modified.union(change.added).recursive_difference(reset).difference(STRIPPED)
    if taken:
        previous = known.get(mine.identity)
        before = previous.fields if previous is not None else EMPTY
        known[mine.identity] = replace(mine, fields=before.union(taken))
    return _stored(live, entries, new, new, _capped(_strip(known)))


def _first_owner(live: Mapping[str, Any], facts: TypeFacts, reset: FieldSet, time: int) -> ManagerEntry:
    """Who owns what was there before anybody's ownership was tracked."""
    identity = {key: live[key] for key in ("apiVersion", "kind") if key in live}
    change = compare_values(identity, live, facts)
    owned = change.added.union(change.modified).recursive_difference(reset).difference(STRIPPED)
    return ManagerEntry(_BEFORE_FIRST_APPLY, "Update", str(live.get("apiVersion", "")), time, owned)


def _settle(
    before: Any, after: Any, known: _Known, applier: tuple[str, str, str, str] | None, facts: TypeFacts,
    reset: FieldSet, force: bool,
) -> tuple[_Known, tuple[Conflict, ...], Comparison]:  # fmt: skip
    """Take changed and removed fields from all others; without force, changed fields of others are conflicts."""
    change = compare_values(before, after, facts)
    touched = change.modified.union(change.added).recursive_difference(reset)
    removed = change.removed.recursive_difference(reset)
    conflicts = []
    settled: _Known = {}
    for identity, entry in known.items():
        fields = entry.fields
        if identity != applier:
            lost = fields.intersection(touched)
            if lost:
                conflicts.append(Conflict(entry, lost))
            fields = fields.difference(lost).difference(removed)
        if fields:
            settled[identity] = replace(entry, fields=fields)
    if conflicts and not force:
        return known, tuple(sorted(conflicts, key=lambda c: c.entry.identity)), change
    return settled, (), change


def _prune(merged: Any, known: _Known, last: FieldSet, facts: TypeFacts) -> Any:
    """Remove what the applier set last time and nobody sets now."""
    before = named_members(last, facts)
    pruned = remove_items(merged, before, facts)
    managed = EMPTY
    for entry in known.values():
        managed = managed.union(entry.fields)
    merged_set = named_members(field_set(merged, facts), facts)
    kept = named_members(field_set(pruned, facts), facts).union(named_members(managed, facts))
    pruned = remove_items(merged, merged_set.difference(kept), facts)
    remaining = named_members(field_set(pruned, facts), facts)
    return remove_items(merged, merged_set.difference(remaining).intersection(before), facts)


def _strip(known: _Known) -> _Known:
    stripped = {identity: replace(entry, fields=entry.fields.difference(STRIPPED)) for identity, entry in known.items()}
    return {identity: entry for identity, entry in stripped.items() if entry.fields}


def _capped(known: _Known) -> _Known:
    """At most ten entries of updaters; the oldest beyond that become one for each version."""
    updaters = [e for e in known.values() if e.operation == "Update" and not e.subresource]
    too_many = len(updaters) - _MAX_UPDATERS
    if too_many <= 0:
        return known
    kept = dict(known)
    for entry in sorted(updaters, key=lambda e: (e.time or 0, e.manager))[: too_many + 1]:
        del kept[entry.identity]
        bucket = ManagerEntry(_ANCIENT, "Update", entry.api_version, entry.time, entry.fields)
        previous = kept.get(bucket.identity)
        if previous is not None:
            bucket = replace(bucket, fields=bucket.fields.union(previous.fields))
        kept[bucket.identity] = bucket
    return kept


def _ordered(entries: Iterable[ManagerEntry]) -> tuple[ManagerEntry, ...]:
    """The API server's order: appliers first, then by time, then by name."""
    return tuple(
        sorted(
            entries,
            key=lambda e: (e.operation, e.time if e.time is not None else -1, e.manager, e.api_version, e.subresource),
        )
    )


def entries_from_wire(entries: Sequence[Mapping[str, Any]]) -> tuple[ManagerEntry, ...]:
    """ManagedFields with `t`, a counter, in place of the time."""
    return tuple(
        ManagerEntry(
            str(e["manager"]), str(e["operation"]), str(e["apiVersion"]), e.get("t"),
            FieldSet.from_wire(e.get("fieldsV1")), str(e.get("subresource") or ""),
        )
        for e in entries
    )  # fmt: skip


def entries_to_wire(entries: Sequence[ManagerEntry]) -> list[dict[str, Any]]:
    """Entries as `entries_from_wire` reads them."""
    return [
        {
            "manager": e.manager, "operation": e.operation, "apiVersion": e.api_version, "t": e.time,
            "fieldsV1": e.fields.to_wire(), **({"subresource": e.subresource} if e.subresource else {}),
        }
        for e in entries
    ]  # fmt: skip
