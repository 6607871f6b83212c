"""Findings as a GitLab code quality report."""

from __future__ import annotations

import json
from typing import Any, Final

from stowplan.diagnostics.fingerprint import fingerprints
from stowplan.diagnostics.locator import Catalogue, Locator
from stowplan.diagnostics.model import Severity
from stowplan.diagnostics.placed import Placed

__all__ = ["render"]

_SEVERITIES: Final = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}


def render(placed: tuple[Placed, ...], *, locator: Locator, color: bool, catalogue: Catalogue | None) -> str:
    """A JSON list of issues, in the order of the findings."""
    del color
    names = fingerprints(placed, locator)
    issues = [_issue(one, name, catalogue) for one, name in zip(placed, names, strict=True)]
    return json.dumps(issues, ensure_ascii=False, indent=2) + "\n"


def _issue(one: Placed, fingerprint: str, catalogue: Catalogue | None) -> dict[str, Any]:
    diagnostic, place = one.diagnostic, one.primary.place
    rule = catalogue.describe(diagnostic.code) if catalogue else None
    subject = f" ({diagnostic.subject})" if diagnostic.subject else ""
    return {
        "description": f"{diagnostic.code}: {diagnostic.message}{subject}",
        "check_name": rule.name if rule else diagnostic.code,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[diagnostic.severity],
        # GitLab drops issues without path and line: a finding without text is listed under its subject.
        "location": {
            "path": place.path if place else diagnostic.subject or "stowplan",
            "lines": {"begin": place.span.line if place and place.span else 1},
        },
    }
