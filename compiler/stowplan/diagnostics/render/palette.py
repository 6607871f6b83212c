"""Colours for terminals: meaning never depends on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from stowplan.diagnostics.model import Severity

__all__ = ["ANSI", "PLAIN", "Palette"]


@dataclass(frozen=True, slots=True)
class Palette:
    """ANSI sequences for each kind of text; all empty where colour is off."""

    error: str = ""
    warning: str = ""
    note: str = ""
    strong: str = ""
    frame: str = ""
    secondary: str = ""
    reset: str = ""

    def severity(self, severity: Severity) -> str:
        """The colour of a severity."""
        return {Severity.ERROR: self.error, Severity.WARNING: self.warning, Severity.NOTE: self.note}[severity]

    def paint(self, style: str, text: str) -> str:
        """`text` in one of this palette's styles."""
        return f"{style}{text}{self.reset}" if style and text else text


PLAIN: Final = Palette()
ANSI: Final = Palette(
    error="\x1b[1;31m", warning="\x1b[1;33m", note="\x1b[1;36m", strong="\x1b[1m", frame="\x1b[34m",
    secondary="\x1b[34m", reset="\x1b[0m",
)  # fmt: skip
