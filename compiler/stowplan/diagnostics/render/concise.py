"""One line a finding: `PATH:LINE:COL: SPnnnn message`."""

from __future__ import annotations

from stowplan.diagnostics.locator import Catalogue, Locator
from stowplan.diagnostics.placed import Placed
from stowplan.diagnostics.render.palette import ANSI, PLAIN
from stowplan.diagnostics.render.width import clean

__all__ = ["render"]


def render(placed: tuple[Placed, ...], *, locator: Locator, color: bool, catalogue: Catalogue | None) -> str:
    """The lines of all findings; where there is no text the path or the subject stands, never a made-up position."""
    del locator, catalogue
    palette = ANSI if color else PLAIN
    lines = []
    for one in placed:
        where = clean(one.where or "stowplan").replace("\n", " ")
        code = palette.paint(palette.severity(one.diagnostic.severity), one.diagnostic.code)
        message = clean(one.diagnostic.message).replace("\n", " ")
        lines.append(f"{palette.paint(palette.strong, where)}: {code} {message}\n")
    return "".join(lines)
