"""Inline suppressions: `# stowplan: allow[SP0502] reason` on the line of a finding, and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from stowplan.diagnostics.model import Diagnostic, error, warning
from stowplan.diagnostics.placed import Locate, place_all
from stowplan.diagnostics.suggest import did_you_mean
from stowplan.source.document import SourceFile, TemplateFile
from stowplan.source.span import Span
from stowplan.source.text import split_lines

__all__ = ["Suppression", "apply_suppressions", "find_suppressions"]

_MENTION: Final = "stowplan:"
_COMMENT: Final = re.compile(r"(?:^|(?<=\s))#\s*stowplan:\s*allow\[(?P<codes>[^\]#\n]*)\](?P<reason>[^\n]*)$")
_NEVER: Final = ("SP01", "SP99")


@dataclass(frozen=True, slots=True)
class Suppression:
    """A comment that allows findings on its line; on a line of its own, those of the next line that has content."""

    at: Span
    line: int
    codes: tuple[str, ...]
    reason: str


def find_suppressions(file: SourceFile | TemplateFile) -> tuple[Suppression, ...]:
    """The suppressions of a file, in order. Text that only looks like one, in a block scalar, counts too."""
    if _MENTION not in file.text:
        return ()
    lines = split_lines(file.text)
    found = []
    for number, line in enumerate(lines, 1):
        match = _COMMENT.search(line) if _MENTION in line else None
        if match is not None:
            at = Span(file.path, number, match.start() + 1, number, match.end() + 1)
            codes = tuple(dict.fromkeys(filter(None, re.split(r"[\s,]+", match["codes"]))))
            target = number if line[: match.start()].strip() else _next_content(lines, number)
            found.append(Suppression(at, target, codes, match["reason"].strip()))
    return tuple(found)


def _next_content(lines: list[str], number: int) -> int:
    for following in range(number, len(lines)):
        line = lines[following].strip()
        if line and not line.startswith("#"):
            return following + 1
    return number


def apply_suppressions(
    diagnostics: Iterable[Diagnostic],
    files: Iterable[SourceFile | TemplateFile],
    locate: Locate,
    codes_by_name: Mapping[str, str],
) -> tuple[Diagnostic, ...]:
    """The findings that stay, and findings about the suppressions themselves.

    `codes_by_name` holds every known code, by its name and by itself. A suppression without a reason suppresses
    nothing. Findings about files and YAML (SP01xx) and internal errors cannot be suppressed.
    """
    given = tuple(diagnostics)
    suppressions = [one for file in files for one in find_suppressions(file)]
    if not suppressions:
        return given
    allowed = _allowed(suppressions, codes_by_name)
    used: set[tuple[Suppression, str]] = set()
    kept: list[Diagnostic] = []
    for diagnostic in given:
        key = _key(diagnostic, locate) if diagnostic.code[:4] not in _NEVER else None
        if key is not None and key in allowed:
            used.add((allowed[key], diagnostic.code))
        else:
            kept.append(diagnostic)
    complaints = (c for one in suppressions for c in _complain(one, used, codes_by_name))
    return (*kept, *complaints)


def _allowed(
    suppressions: Iterable[Suppression], codes_by_name: Mapping[str, str]
) -> dict[tuple[str, int, str], Suppression]:
    return {
        (one.at.path, one.line, codes_by_name[code]): one
        for one in suppressions
        if one.reason
        for code in one.codes
        if code in codes_by_name
    }


def _key(diagnostic: Diagnostic, locate: Locate) -> tuple[str, int, str] | None:
    place = place_all((diagnostic,), locate)[0].primary.place
    return (place.path, place.span.line, diagnostic.code) if place and place.span else None


def _complain(
    one: Suppression, used: Collection[tuple[Suppression, str]], codes_by_name: Mapping[str, str]
) -> list[Diagnostic]:
    if not one.reason:
        return [error("SP0114", "suppression without a reason", one.at, "say why after the bracket",
                      helps=[f"write `# stowplan: allow[{', '.join(one.codes)}] REASON`"])]  # fmt: skip
    complaints = [] if one.codes else [warning("SP0105", "suppression names no code", one.at)]
    for name in one.codes:
        code = codes_by_name.get(name)
        if code is None:
            helps = did_you_mean(name, codes_by_name)
            complaints.append(warning("SP0105", f"suppression of the unknown code `{name}`", one.at, helps=helps))
        elif (one, code) not in used:
            never = code[:4] in _NEVER
            message = f"`{name}` cannot be suppressed" if never else f"unused suppression of `{name}`"
            helps = () if never else ("remove it: nothing on that line is reported under this code",)
            complaints.append(warning("SP0105", message, one.at, helps=helps))
    return complaints
