"""Which schemas count for which target: the shipped packs, a cluster's own, and the built-in kinds of its minor."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from stowplan.model.fleet import Fleet
from stowplan.model.manifest import Target
from stowplan.resources import builtin_folder
from stowplan.schema.pack import Pack, read_pack
from stowplan.schema.sets import SchemaSet

__all__ = ["fleet_schemas", "shipped_packs"]


@cache
def shipped_packs() -> tuple[Pack, ...]:
    """The packs of custom kinds that ship with the compiler, by file name."""
    folder = builtin_folder("packs")
    return tuple(read_pack(path.read_bytes(), path.stem) for path in sorted(folder.glob("*.pack")))


def fleet_schemas(fleet: Fleet, own: dict[str, tuple[Pack, ...]] | None = None) -> Callable[[Target], SchemaSet]:
    """Schema sets by target, shared by targets of one minor and the same packs; `own` are clusters' packs by name."""
    made: dict[tuple[int, tuple[int, ...]], SchemaSet] = {}

    def schemas_for(target: Target) -> SchemaSet:
        hub = fleet.spec.hubs.karmada
        if target.is_karmada and hub is not None:
            minor = int(hub.kubernetes.split(".")[1])
        else:
            minor = fleet.clusters[target.cluster].minor
        packs = (*(own or {}).get(target.name, ()), *shipped_packs())
        key = (minor, tuple(map(id, packs)))
        if key not in made:
            made[key] = SchemaSet(packs, minor)
        return made[key]

    return schemas_for
