"""Custom kinds from what users name: schema packs, definition files, folders of either."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from stowplan.diagnostics.model import Diagnostic, Outcome, error
from stowplan.schema.pack import Pack, PackError, read_pack
from stowplan.source.inputs import PACK_SUFFIX

__all__ = ["pack_of", "read_definitions", "whole_pack"]


def read_definitions(paths: Iterable[Path]) -> Outcome[tuple[Pack, ...]]:
    """The packs of all paths: those that are packs as they are, the rest imported into one pack that comes first."""
    from stowplan.schema.importing import import_crds

    packs: list[Pack] = []
    plain: list[Path] = []
    found: list[Diagnostic] = []
    for path in paths:
        if path.suffix != PACK_SUFFIX:
            plain.append(path)
            continue
        outcome = pack_of(path)
        found.extend(outcome.diagnostics)
        if outcome.value is not None:
            packs.append(outcome.value)
    if plain:
        imported = import_crds(plain)
        found.extend(imported.diagnostics)
        packs.insert(0, imported.value)
    return Outcome(tuple(packs), tuple(found))


def whole_pack(pack: Pack) -> Pack:
    """The pack, after a look at every node: one that refers to what does not come before it is no pack."""
    for index in range(len(pack.pool)):
        pack.pool[index]
    return pack


def pack_of(path: Path) -> Outcome[Pack | None]:
    """The pack in a file; None, and why, where it is none."""
    try:
        return Outcome(whole_pack(read_pack(path.read_bytes(), path.stem)))
    except OSError as problem:
        return Outcome(None, (error("SP0810", f"`{path}` cannot be read: {problem.strerror}"),))
    except (PackError, ValueError) as problem:
        return Outcome(None, (error("SP0810", f"`{path}`: {problem}"),))
