"""What each release of Kueue knows: feature gates with their defaults, and integrations. Facts, from 0.14 to the newest known."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from typing import Any, Final

__all__ = ["GROUPS", "gate_words", "gates_of", "integrations_of", "is_known"]

GROUPS: Final = ("AllAlpha", "AllBeta")
"""Gates that stand for others; every release takes them."""


@lru_cache(maxsize=1)
def _facts() -> Mapping[str, Any]:
    text = resources.files("stowplan.data").joinpath("kueue/releases.json").read_text(encoding="utf-8")
    loaded: Mapping[str, Any] = json.loads(text)
    return loaded


def is_known(minor: int) -> bool:
    """Whether the facts speak of release 0.`minor`."""
    first, last = _facts()["minors"]
    return bool(first <= minor <= last)


def _at(runs: list[list[Any]], minor: int) -> Any:
    value = None
    for since, entry in runs:
        if since > minor:
            break
        value = entry
    return value


def first_patch(name: str, minor: int) -> int:
    """The first patch of 0.`minor` that has a gate which some patch of it has."""
    found: int = _facts()["patches"].get(name, {}).get(str(minor), 0)
    return found


@lru_cache(maxsize=32)
def gates_of(minor: int, patch: int | None = None) -> Mapping[str, tuple[bool, bool]]:
    """The gates of a release, by name: whether they are on by default, and whether that is fixed.

    Without a patch, those of the minor's newest.
    """
    found = {name: _at(runs, minor) for name, runs in _facts()["gates"].items()}
    return {
        name: (text.startswith("on"), text.endswith("locked"))
        for name, text in found.items()
        if text is not None and (patch is None or first_patch(name, minor) <= patch)
    }


def gate_words(name: str, minor: int) -> str | None:
    """Since when, or until when, a gate is known that the release does not have; None for one that none has."""
    runs = _facts()["gates"].get(name)
    if runs is None:
        return None
    if _at(runs, minor) is not None:
        return f"0.{minor}.{first_patch(name, minor)} is the first of its patches that has it"
    if runs[0][0] > minor:
        return f"0.{runs[0][0]} is the first release that has it"
    gone = next(since for since, entry in runs if entry is None and since <= minor)
    return f"it is gone from 0.{gone} on"


@lru_cache(maxsize=32)
def integrations_of(minor: int) -> tuple[str, ...]:
    """The integrations of a release, by name."""
    return tuple(name for name, runs in _facts()["integrations"].items() if _at(runs, minor))
