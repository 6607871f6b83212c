"""Findings as a JUnit report: a file is a test suite, a finding a test case."""

from __future__ import annotations

from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from stowplan.diagnostics.locator import Catalogue, Locator
from stowplan.diagnostics.model import Severity
from stowplan.diagnostics.placed import Placed
from stowplan.diagnostics.render.width import clean

__all__ = ["render"]


def render(placed: tuple[Placed, ...], *, locator: Locator, color: bool, catalogue: Catalogue | None) -> str:
    """Errors are failures; warnings and notes are passed cases with their text. No findings are one passed case."""
    del locator, color
    suites = [(path, list(group)) for path, group in groupby(placed, key=_suite)]
    failures = sum(map(_is_failure, placed))
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines.append(f'<testsuites name="stowplan" tests="{max(1, len(placed))}" failures="{failures}" errors="0">')
    for path, group in suites:
        failed = sum(map(_is_failure, group))
        lines.append(f'  <testsuite name={_attribute(path)} tests="{len(group)}" failures="{failed}" errors="0">')
        lines += [line for one in group for line in _case(one, path, catalogue)]
        lines.append("  </testsuite>")
    if not placed:
        lines.append('  <testsuite name="stowplan" tests="1" failures="0" errors="0">')
        lines.append('    <testcase name="no findings" classname="stowplan"/>')
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>"]) + "\n"


def _suite(one: Placed) -> str:
    return one.primary.place.path if one.primary.place else one.diagnostic.subject or "stowplan"


def _is_failure(one: Placed) -> bool:
    return one.diagnostic.severity is Severity.ERROR


def _case(one: Placed, path: str, catalogue: Catalogue | None) -> list[str]:
    diagnostic = one.diagnostic
    rule = catalogue.describe(diagnostic.code) if catalogue else None
    name = " ".join(filter(None, (diagnostic.code, rule.name if rule else "", one.where)))
    body = [f"{one.where}: {one.primary.text}" if one.primary.text else one.where]
    body += [f"note: {note}" for note in diagnostic.notes] + [f"help: {text}" for text in diagnostic.helps]
    text = escape(clean("\n".join(body)))
    lines = [f"    <testcase name={_attribute(name)} classname={_attribute(path)}>"]
    if _is_failure(one):
        lines.append(
            f'      <failure type="{diagnostic.code}" message={_attribute(diagnostic.message)}>{text}</failure>'
        )
    else:
        headline = escape(clean(f"{diagnostic.severity.word}: {diagnostic.message}"))
        lines.append(f"      <system-out>{headline}\n{text}</system-out>")
    return [*lines, "    </testcase>"]


def _attribute(text: str) -> str:
    return quoteattr(clean(text).replace("\n", " "))
