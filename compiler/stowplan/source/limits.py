"""How much input is read before the compiler refuses: every number in one place."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Budgets for reading a workspace. They are far above what people write and far below what hurts."""

    file_bytes: int = 16 * 2**20
    """Bytes of one file."""
    total_bytes: int = 512 * 2**20
    """Bytes of all files together."""
    files: int = 50_000
    """Number of files."""
    depth: int = 100
    """Nesting of collections in one document."""
    aliases: int = 10_000
    """Number of `*aliases` in one file."""
    nodes: int = 2_000_000
    """Values in one file, counting what every alias stands for."""
    problems: int = 100
    """Problems reported for one file before the rest of it is skipped."""
