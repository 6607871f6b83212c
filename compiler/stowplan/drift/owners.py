"""Who owns a live field, read from an object's managedFields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from stowplan.ownership.fieldpath import FieldPath, PathSyntaxError
from stowplan.ownership.fieldset import EMPTY, FieldSet

__all__ = ["LiveOwner", "LiveOwners"]


@dataclass(frozen=True, slots=True)
class LiveOwner:
    """One entry of managedFields: who wrote, how, and when (RFC 3339, empty if not said)."""

    manager: str
    operation: str
    subresource: str
    time: str

    @property
    def text(self) -> str:
        """The owner as reports show it, such as `kubectl-edit (Update)`."""
        where = f" of {self.subresource}" if self.subresource else ""
        return f"{self.manager} ({self.operation}{where})"


class LiveOwners:
    """The owners of one live object; entries are parsed when first asked for."""

    __slots__ = ("_entries", "_sets", "engine_names", "is_tracked")

    def __init__(self, live: Mapping[str, Any], engine_names: tuple[str, ...]) -> None:
        metadata = live.get("metadata")
        raw = metadata.get("managedFields") if isinstance(metadata, dict) else None
        self._entries: list[tuple[LiveOwner, Any]] = [
            (
                LiveOwner(
                    str(entry.get("manager", "unknown")), str(entry.get("operation", "")),
                    str(entry.get("subresource") or ""), str(entry.get("time") or ""),
                ),
                entry.get("fieldsV1"),
            )
            for entry in (raw if isinstance(raw, list) else ())
            if isinstance(entry, dict)
        ]  # fmt: skip
        self._sets: dict[int, FieldSet] = {}
        self.engine_names = engine_names
        self.is_tracked = bool(self._entries)

    def _set(self, position: int) -> FieldSet:
        found = self._sets.get(position)
        if found is None:
            try:
                found = FieldSet.from_wire(self._entries[position][1])
            except PathSyntaxError:
                found = EMPTY
            self._sets[position] = found
        return found

    def owners_of(self, path: FieldPath) -> tuple[LiveOwner, ...]:
        """Everybody who owns the unit at `path` or something below it; failing that, who owns a larger unit.

        A bare container may stay in an entry after all below it went to others, so it counts only if nobody else does.
        """
        direct = self.owners_at(path)
        if direct:
            return direct
        return tuple(owner for n, (owner, _) in enumerate(self._entries) if _owns_larger(self._set(n), path))

    def owners_at(self, path: FieldPath) -> tuple[LiveOwner, ...]:
        """Everybody who owns the unit at `path` itself or something below it."""
        return tuple(owner for n, (owner, _) in enumerate(self._entries) if _owns(self._set(n), path))

    def is_engine(self, owner: LiveOwner) -> bool:
        """Whether an owner is the delivery engine itself."""
        return owner.manager in self.engine_names

    def everybody(self) -> Iterator[LiveOwner]:
        """All entries' owners."""
        return (owner for owner, _ in self._entries)

    def foreign_fields(self) -> Iterator[tuple[LiveOwner, Any]]:
        """Raw fieldsV1 of all entries that are neither the engine's nor of the status subresource."""
        for owner, fields in self._entries:
            if owner.subresource != "status" and not self.is_engine(owner):
                yield owner, fields


def _owns(owned: FieldSet, path: FieldPath) -> bool:
    node = owned
    for element in path[:-1]:
        below = node.children.get(element)
        if below is None:
            return False
        node = below
    return bool(path) and (path[-1] in node.members or path[-1] in node.children)


def _owns_larger(owned: FieldSet, path: FieldPath) -> bool:
    node = owned
    for element in path[:-1]:
        below = node.children.get(element)
        if below is None:
            return element in node.members
        node = below
    return False
