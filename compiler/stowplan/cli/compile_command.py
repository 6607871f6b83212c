"""`stowplan compile`: check, place, render, and write the tree."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from stowplan.driver import Compilation

__all__ = ["command"]


@click.command("compile")
@directory_option
@click.option("--check", is_flag=True, help="Compare with rendered/ and write nothing; exit 1 on a difference.")
@click.option("--upgrade", is_flag=True, help="Weigh every placement anew instead of keeping the lock's.")
@click.option("--profile", is_flag=True, help="Print time and memory by pass to stderr.")
@format_option
@fail_on_option
@as_of_option
@color_option
@quiet_option
def command(
    directory: Path,
    check: bool,
    upgrade: bool,
    profile: bool,
    format_: str,
    fail_on: str,
    as_of: datetime | None,
    color: str,
    quiet: int,
) -> int:
    """Compile the workspace into rendered/, which Argo CD or Flux sync.

    \b
    stowplan compile
    stowplan compile --check          in CI: is rendered/ what the inputs say?
    stowplan compile -C infra --as-of 2026-11-29T06:00:00Z
    """
    from stowplan.diagnostics.render import render
    from stowplan.driver import Options
    from stowplan.rules.registry import REGISTRY
    from stowplan.workspace import compile_directory

    done = compile_directory(directory, Options(as_of=as_of, upgrade=upgrade))
    level = fail_level(fail_on)
    fails = done.failed() or (level is not None and any(d.severity >= level for d in done.diagnostics))
    text = render(done.diagnostics, format_, done.tree, color=wants_color(color, error_stream=True), catalogue=REGISTRY)
    if text:
        if format_ in ("text", "concise"):
            if quiet < 2 or fails:
                say(text)
        else:
            show(text)
    code = FINDINGS if fails else OK
    if not done.failed() and done.files is not None:
        code = max(code, _compare(directory, done, quiet) if check else _write(directory, done, quiet, fails=fails))
    if profile:
        say(done.profile.text())
    if not quiet:
        say(summarise(done.diagnostics, len(done.tree.files) + len(done.tree.templates)))
    return code


def _write(directory: Path, done: Compilation, quiet: int, *, fails: bool) -> int:
    from stowplan.emission.atomic import emit
    from stowplan.views.plan_summary import summary
    from stowplan.workspace import OUTPUT, make_lock

    assert done.files is not None
    if fails:
        return OK
    with done.profile.measure("emit"):
        report = emit(directory, OUTPUT, done.files, make_lock(done))
    if quiet < 2 and done.plan is not None and done.fleet is not None:
        show(summary(done.fleet, done.plan))
    if not quiet:
        changed = f"{len(report.written)} written, {report.unchanged} unchanged, {len(report.removed)} removed"
        say(f"{OUTPUT}/: {changed}")
        for path in report.replaced:
            say(f"warning: {OUTPUT}/{path} was not ours and has been replaced")
    return OK


def _compare(directory: Path, done: Compilation, quiet: int) -> int:
    from stowplan.emission.output import OutputTree
    from stowplan.emission.tree import compare
    from stowplan.workspace import OUTPUT, make_lock

    assert done.files is not None
    with done.profile.measure("compare"):
        found = compare(directory, OUTPUT, OutputTree(done.files, make_lock(done)).contents())
    for word, paths in (("missing", found.missing), ("differs", found.edited), ("left over", found.left_over)):
        for path in paths:
            show(f"{word}: {OUTPUT}/{path}")
    if not quiet:
        say(f"{OUTPUT}/ differs: run `stowplan compile`" if found else f"{OUTPUT}/ is what the inputs say")
    return FINDINGS if found else OK
