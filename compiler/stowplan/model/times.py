"""Instants and stretches of time, read from the text of the input language."""

from __future__ import annotations

import functools
from datetime import UTC, datetime

from stowplan.model.quantity import parse_duration

__all__ = ["format_time", "hours", "parse_time"]


@functools.lru_cache(maxsize=4096)
def parse_time(text: str) -> datetime:
    """The instant of an RFC 3339 text, in UTC. The text was checked by its model."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC)


def format_time(instant: datetime) -> str:
    """RFC 3339 in UTC with `Z`, whole seconds."""
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@functools.lru_cache(maxsize=4096)
def hours(duration: str) -> float:
    """Hours of a duration in Go's form."""
    return float(parse_duration(duration)) / 3600
