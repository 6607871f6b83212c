"""The pack of custom kinds that ships with the compiler."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources

from stowplan.schema.pack import Pack, read_pack

__all__ = ["shipped_pack"]


@lru_cache(maxsize=1)
def shipped_pack() -> Pack:
    """Facts of the kinds we render and read, without CEL rules (those come with imported definitions)."""
    return read_pack((resources.files("stowplan") / "data" / "packs" / "custom.pack").read_bytes(), "shipped")
