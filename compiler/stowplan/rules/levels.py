"""Levels of rules: read what the user chose, and apply it to findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from stowplan.diagnostics.model import Diagnostic, Outcome, error
from stowplan.diagnostics.suggest import did_you_mean
from stowplan.rules.model import Level
from stowplan.rules.registry import REGISTRY, Registry
from stowplan.source.span import Origin

__all__ = ["apply_levels", "read_levels"]


def read_levels(
    chosen: Mapping[str, str], at: Origin | None = None, registry: Registry = REGISTRY
) -> Outcome[dict[str, Level]]:
    """Levels by code, from a mapping of codes or names to `off`, `note`, `warn` or `error`.

    `at` is the mapping's place in its document, if it has one. Entries that are wrong are reported and left out.
    """
    levels: dict[str, Level] = {}
    complaints: list[Diagnostic] = []
    for name, word in chosen.items():
        place = at / name if at else None
        page = registry.find(name)
        if page is None:
            key = place.key() if place else None
            complaints.append(error("SP0091", f"unknown rule `{name}`", key, helps=registry.did_you_mean(name)))
        elif word not in (words := [level.value for level in Level]):
            helps = did_you_mean(word, words) or (f"levels are {', '.join(words)}",)
            complaints.append(error("SP0092", f"unknown level `{word}` of rule `{name}`", place, helps=helps))
        elif not page.rule.configurable and Level(word) is not page.rule.default:
            message = f"the level of rule `{name}` is fixed: {page.rule.default.value}"
            complaints.append(error("SP0093", message, place, notes=["the compiler cannot go on without it"]))
        else:
            levels[page.rule.code] = Level(word)
    return Outcome(levels, tuple(complaints))


def apply_levels(diagnostics: Iterable[Diagnostic], levels: Mapping[str, Level]) -> tuple[Diagnostic, ...]:
    """The findings at the levels given by code; those at `off` are dropped, those without a level stay as they are."""
    return tuple(filter(None, (_at_level(diagnostic, levels.get(diagnostic.code)) for diagnostic in diagnostics)))


def _at_level(diagnostic: Diagnostic, level: Level | None) -> Diagnostic | None:
    if level is None:
        return diagnostic
    severity = level.severity
    if severity is diagnostic.severity:
        return diagnostic
    return replace(diagnostic, severity=severity) if severity else None
