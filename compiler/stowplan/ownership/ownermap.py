"""The ownership map: for every rendered object, who writes which unit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from stowplan.ownership.atlas import AtlasRow
from stowplan.ownership.rendered import RenderedObject
from stowplan.ownership.units import Unit

__all__ = ["ObjectOwnership", "OwnershipMap", "SharedUnit"]


@dataclass(frozen=True, slots=True)
class SharedUnit:
    """A unit that Git renders and run-time controllers write too; `reason` is set where that is allowed or harmless."""

    unit: Unit
    rows: tuple[AtlasRow, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class ObjectOwnership:
    """One object: its units, all written by its engine, those that others write too, and the rows that speak of it."""

    object: RenderedObject
    units: tuple[Unit, ...]
    shared: tuple[SharedUnit, ...]
    rows: tuple[AtlasRow, ...] = ()

    def writers(self, unit: Unit) -> tuple[str, ...]:
        """The names of all writers of a unit, the delivery engine first."""
        rows = next((shared.rows for shared in self.shared if shared.unit == unit), ())
        return self.object.engine, *(row.controller for row in rows)


@dataclass(frozen=True, slots=True)
class OwnershipMap:
    """All objects in order of target, unit and path, propagated copies included."""

    objects: tuple[ObjectOwnership, ...]
    _by_unit: dict[tuple[str, str], list[ObjectOwnership]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        """The index that `unit_of` reads."""
        for entry in self.objects:
            self._by_unit.setdefault((entry.object.target, entry.object.unit), []).append(entry)

    def shared(self) -> Iterator[tuple[ObjectOwnership, SharedUnit]]:
        """Every unit with more than one writer."""
        for entry in self.objects:
            for unit in entry.shared:
                yield entry, unit

    def unit_of(self, target: str, unit: str) -> tuple[ObjectOwnership, ...]:
        """The objects of one unit of one target."""
        return tuple(self._by_unit.get((target, unit), ()))
