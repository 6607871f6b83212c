"""`stowplan check`: all findings, nothing written."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from stowplan.cli.console import say, show, summarise, wants_color
from stowplan.cli.exit_codes import FINDINGS, OK
from stowplan.cli.options import (
    as_of_option,
    color_option,
    directory_option,
    fail_level,
    fail_on_option,
    format_option,
    quiet_option,
)

__all__ = ["command"]


@click.command("check")
@directory_option
@click.option("--previous", type=click.Path(path_type=Path, file_okay=False, exists=True), metavar="<dir>",
              help="Judge changes against the rendered tree of this checkout, such as the base branch's.")  # fmt: skip
@format_option
@fail_on_option
@as_of_option
@color_option
@quiet_option
def command(
    directory: Path, previous: Path | None, format_: str, fail_on: str, as_of: datetime | None, color: str, quiet: int
) -> int:
    """Report everything that is wrong or worth knowing; write nothing.

    \b
    stowplan check -C infra --format github
    stowplan check --fail-on warning
    stowplan check --previous ../base       in CI: what would be refused of this change?
    """
    from stowplan.diagnostics.render import render
    from stowplan.driver import Options
    from stowplan.rules.registry import REGISTRY
    from stowplan.workspace import compile_directory, tree_of

    before = tree_of(previous) if previous is not None else None
    done = compile_directory(directory, Options(as_of=as_of, tree_before=before))
    show_text = render(done.diagnostics, format_, done.tree, color=wants_color(color), catalogue=REGISTRY)
    if show_text:
        show(show_text)
    if not quiet:
        say(summarise(done.diagnostics, len(done.tree.files) + len(done.tree.templates)))
    level = fail_level(fail_on)
    return FINDINGS if level is not None and any(d.severity >= level for d in done.diagnostics) else OK
