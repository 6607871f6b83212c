"""What the renderers need from the outside: places, source lines, and what a rule is called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from stowplan.source.span import Origin, Span

__all__ = ["Catalogue", "Locator", "RuleText"]


class Locator(Protocol):
    """Turns origins into spans and shows source lines; `SourceTree` is one."""

    def locate(self, origin: Origin) -> Span | None:
        """The span of a place, None where there is no text for it."""
        ...

    def excerpt(self, path: str, line: int) -> str | None:
        """A source line (from 1) without its end, None where there is none."""
        ...


@dataclass(frozen=True, slots=True)
class RuleText:
    """A rule as reports name it. `help_uri` is the address of its documentation."""

    code: str
    name: str
    summary: str
    help_uri: str


class Catalogue(Protocol):
    """Names and summaries of rules by code; `stowplan.rules.registry.REGISTRY` is one."""

    def describe(self, code: str) -> RuleText | None:
        """The rule of a code, None where no such rule is known."""
        ...
