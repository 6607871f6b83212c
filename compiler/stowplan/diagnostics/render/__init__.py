"""Findings as text for people and machines: one module a format, one function to call."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Final

from stowplan.diagnostics.locator import Catalogue, Locator
from stowplan.diagnostics.model import Diagnostic
from stowplan.diagnostics.placed import place_all

__all__ = ["FORMATS", "render"]

FORMATS: Final = ("text", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit")


def render(
    diagnostics: Iterable[Diagnostic],
    format: str,
    locator: Locator,
    *,
    color: bool = False,
    catalogue: Catalogue | None = None,
) -> str:
    """The findings in one of `FORMATS`: sorted, without repeats, ending in a line break unless empty.

    Places are looked up here and nowhere before. `color` concerns `text` and `concise` only. Without a `catalogue`,
    rules have codes but no names.

    Raises:
        ValueError: there is no such format.
    """
    if format not in FORMATS:
        raise ValueError(f"unknown format {format!r}")
    placed = place_all(diagnostics, locator.locate)
    module = import_module(f"{__name__}.{format}")
    result: str = module.render(placed, locator=locator, color=color, catalogue=catalogue)
    return result
