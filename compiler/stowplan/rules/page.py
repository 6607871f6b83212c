"""A rule's documentation: sections of its module docstring, and the fenced examples in them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from stowplan.rules.model import Rule

__all__ = ["SECTIONS", "Block", "Page", "read_page"]

SECTIONS: Final = ("What it checks", "Why it matters", "Example", "Use instead", "References")
"""The headings that every page has, in this order."""

_HEADING: Final = re.compile(r"^## (.+)$", re.MULTILINE)
_FENCE: Final = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block. `words` are those of its info string: language, path, options."""

    words: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Page:
    """A rule with its documentation. `sections` maps headings to Markdown, in the order of the page."""

    rule: Rule
    summary: str
    sections: Mapping[str, str]

    def blocks(self, section: str) -> tuple[Block, ...]:
        """The fenced blocks of a section."""
        return tuple(
            Block(tuple(found["info"].split()), found["text"])
            for found in _FENCE.finditer(self.sections.get(section, ""))
        )

    @property
    def markdown(self) -> str:
        """The page as Markdown, headings from the second level on, without a title."""
        parts = (f"## {heading}\n\n{text}" for heading, text in self.sections.items())
        return "\n\n".join((self.summary, *parts))


def read_page(rule: Rule, docstring: str) -> Page:
    """The page that a rule's docstring holds; the summary is its first line."""
    head, *rest = _HEADING.split(inspect.cleandoc(docstring))
    sections = {heading.strip(): text.strip() for heading, text in zip(rest[::2], rest[1::2], strict=True)}
    return Page(rule, head.strip().split("\n")[0], MappingProxyType(sections))
