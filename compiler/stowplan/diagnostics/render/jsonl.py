"""Findings as JSON lines: the records of `json`, one a line, each with the schema version."""

from __future__ import annotations

import json

from stowplan.diagnostics.locator import Catalogue, Locator
from stowplan.diagnostics.placed import Placed
from stowplan.diagnostics.render.json import SCHEMA_VERSION, as_record

__all__ = ["render"]


def render(placed: tuple[Placed, ...], *, locator: Locator, color: bool, catalogue: Catalogue | None) -> str:
    """One line for each finding, nothing where there is none."""
    del locator, color
    records = ({"schema_version": SCHEMA_VERSION} | as_record(one, catalogue) for one in placed)
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
