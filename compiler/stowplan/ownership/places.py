"""Where a value of a rendered object was stated in the inputs, as the checks are told."""

from __future__ import annotations

from collections.abc import Callable

from stowplan.diagnostics.model import Label
from stowplan.ownership.rendered import RenderedObject
from stowplan.source.span import Origin, Pointer

__all__ = ["Locate", "located"]

Locate = Callable[[RenderedObject, Pointer], tuple[Origin, tuple[Label, ...]] | None]
"""The place, and what else to look at: for a line of a template, what it was rendered for."""


def located(
    locate: Locate | None, candidate: RenderedObject, pointer: Pointer = ()
) -> tuple[Origin | None, tuple[Label, ...]]:
    """The place of a value and what is beside it; nothing where nobody knows."""
    found = locate(candidate, pointer) if locate is not None else None
    return found or (None, ())
