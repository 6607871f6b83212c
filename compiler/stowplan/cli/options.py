"""Options that several commands share, each with its environment variable."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from stowplan.diagnostics.model import Severity
from stowplan.diagnostics.render import FORMATS

__all__ = [
    "as_of_option",
    "color_option",
    "directory_option",
    "fail_level",
    "fail_on_option",
    "format_option",
    "quiet_option",
]

F = TypeVar("F", bound=Callable[..., Any])


def directory_option(function: F) -> F:
    """`-C DIR`."""
    return click.option(
        "-C", "--directory", type=click.Path(path_type=Path, file_okay=False, exists=True), default=Path(),
        envvar="STOWPLAN_DIRECTORY", show_envvar=True, metavar="<dir>", help="Workspace root.  [default: this folder]",
    )(function)  # fmt: skip


def format_option(function: F) -> F:
    """`--format F` for diagnostics."""
    return click.option(
        "--format", "format_", type=click.Choice(FORMATS), default="text", envvar="STOWPLAN_FORMAT", show_envvar=True,
        show_default=True, help="How findings look.",
    )(function)  # fmt: skip


def fail_on_option(function: F) -> F:
    """`--fail-on LEVEL`."""
    return click.option(
        "--fail-on", type=click.Choice(["error", "warning", "note", "never"]), default="error",
        envvar="STOWPLAN_FAIL_ON", show_envvar=True, show_default=True, help="Least level that makes the exit code 1.",
    )(function)  # fmt: skip


def color_option(function: F) -> F:
    """`--color WHEN`."""
    return click.option(
        "--color", type=click.Choice(["auto", "always", "never"]), default="auto", envvar="STOWPLAN_COLOR",
        show_envvar=True, show_default=True, help="When to colour.",
    )(function)  # fmt: skip


def quiet_option(function: F) -> F:
    """`-q`, twice for more."""
    return click.option("-q", "--quiet", count=True, help="No summary; twice: data only.")(function)


def _instant(_context: click.Context, _parameter: click.Parameter, value: str | None) -> datetime | None:
    if value is None:
        return None
    try:
        found = datetime.fromisoformat(value.replace("Z", "+00:00"))
    except ValueError:
        raise click.BadParameter("a time is written as RFC 3339, such as 2026-11-29T06:00:00Z") from None
    if not 1970 <= found.year <= 9000:
        raise click.BadParameter("a year is between 1970 and 9000")
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def as_of_option(function: F) -> F:
    """`--as-of TIME`."""
    return click.option(
        "--as-of", callback=_instant, envvar="STOWPLAN_AS_OF", show_envvar=True, metavar="<time>",
        help="Judge freshness, windows, and expiries as of this time.  [default: the newest snapshot]",
    )(function)  # fmt: skip


def fail_level(choice: str) -> Severity | None:
    """The severity that `--fail-on` names; None for never."""
    return None if choice == "never" else Severity[choice.upper()]
