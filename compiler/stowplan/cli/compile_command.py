"""`stowplan compile`: check, place, render, and write the tree."""

from __future__ import annotations

from dataclasses import dataclass
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
from stowplan.emission.paths import OUTPUT

if TYPE_CHECKING:
    from stowplan.driver import Compilation
    from stowplan.emission.atomic import EmitReport
    from stowplan.emission.lock import Lock
    from stowplan.recall.recall import Memory, Question

__all__ = ["command"]


@click.command("compile")
@directory_option
@click.option("--check", is_flag=True, help="Compare with rendered/ and write nothing; exit 1 on a difference.")
@click.option("--upgrade", is_flag=True, help="Weigh every placement anew instead of keeping the lock's.")
@click.option("--profile", is_flag=True, help="Print time and memory by pass to stderr.")
@click.option("--cache/--no-cache", default=True, envvar="STOWPLAN_CACHE", show_envvar=True,
              help="Whether to answer from memory where nothing has changed.")  # fmt: skip
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
    cache: bool,
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
    request = _Request(check, format_, fail_on, wants_color(color, error_stream=True), quiet, upgrade)
    question = None
    if cache and not profile:
        from stowplan.recall.recall import ask, recall

        stated = (str(as_of), str(upgrade), format_, fail_on, str(request.color))
        question = ask(directory, OUTPUT, stated)
        memory = recall(question) if question is not None else None
        if memory is not None:
            return _repeat(request, memory)
    return _compile(directory, request, as_of=as_of, profile=profile, question=question)


@dataclass(frozen=True, slots=True)
class _Request:
    """What was asked of one run, besides what the compile depends on."""

    check: bool
    format: str
    fail_on: str
    color: bool
    quiet: int
    upgrade: bool


def _repeat(request: _Request, memory: Memory) -> int:
    """What a compile prints that changes nothing, from memory."""
    answer = memory.answer
    _show_findings(request, answer.findings, fails=False)
    if request.check:
        _tell(request, f"{OUTPUT}/ is what the inputs say")
    else:
        if request.quiet < 2:
            show(answer.summary)
        _tell(request, f"{OUTPUT}/: 0 written, {memory.n_files} unchanged, 0 removed")
    _tell(request, answer.counts)
    return OK


def _compile(
    directory: Path,
    request: _Request,
    *,
    as_of: datetime | None,
    profile: bool,
    question: Question | None,
) -> int:
    from stowplan.diagnostics.render import render
    from stowplan.driver import Options
    from stowplan.rules.registry import REGISTRY
    from stowplan.workspace import compile_directory

    done = compile_directory(
        directory, Options(as_of=as_of, upgrade=request.upgrade), question.inputs if question else None
    )
    level = fail_level(request.fail_on)
    fails = done.failed() or (level is not None and any(d.severity >= level for d in done.diagnostics))
    findings = render(done.diagnostics, request.format, done.tree, color=request.color, catalogue=REGISTRY)
    counts = summarise(done.diagnostics, len(done.tree.files) + len(done.tree.templates))
    _show_findings(request, findings, fails=fails)
    code = FINDINGS if fails else OK
    if not done.failed() and done.files is not None:
        if request.check:
            code = max(code, _compare(directory, done, request))
        elif not fails:
            _write(directory, done, request, question, (findings, counts))
    if profile:
        say(done.profile.text())
    _tell(request, counts)
    return code


def _show_findings(request: _Request, text: str, *, fails: bool) -> None:
    if not text:
        return
    if request.format not in ("text", "concise"):
        show(text)
    elif request.quiet < 2 or fails:
        say(text)


def _tell(request: _Request, text: str) -> None:
    if not request.quiet:
        say(text)


def _write(
    directory: Path, done: Compilation, request: _Request, question: Question | None, said: tuple[str, str]
) -> None:
    from stowplan.emission.atomic import emit
    from stowplan.views.plan_summary import summary
    from stowplan.workspace import make_lock

    assert done.files is not None
    assert done.plan is not None
    assert done.fleet is not None
    with done.profile.measure("emit"):
        lock = make_lock(done)
        report = emit(directory, OUTPUT, done.files, lock)
    placed = summary(done.fleet, done.plan)
    if request.quiet < 2:
        show(placed)
    _tell(
        request,
        f"{OUTPUT}/: {len(report.written)} written, {report.unchanged} unchanged, {len(report.removed)} removed",
    )
    for path in report.replaced:
        _tell(request, f"warning: {OUTPUT}/{path} was not ours and has been replaced")
    if question is not None:
        _remember(request, question, done, lock, report, (said[0], placed, said[1]))


def _remember(
    request: _Request, question: Question, done: Compilation, lock: Lock, report: EmitReport, said: tuple[str, str, str]
) -> None:
    """Keeps what was said if the next compile, finding the lock as it is now, would say it too and write nothing."""
    from stowplan.emission.lock import write_lock
    from stowplan.recall.recall import remember
    from stowplan.recall.record import Answer
    from stowplan.workspace import says_the_same_again

    if done.speaks_of_changes:  # they are the tree now: the next compile has nothing to say of them
        return
    if report.changed_anything:
        with done.profile.measure("settle"):
            if not says_the_same_again(done, lock, upgrade=request.upgrade):
                return
        question = question.with_lock(write_lock(lock))
    remember(question, Answer(*said), tuple(lock.files))


def _compare(directory: Path, done: Compilation, request: _Request) -> int:
    from stowplan.emission.output import OutputTree
    from stowplan.emission.tree import compare
    from stowplan.workspace import make_lock

    assert done.files is not None
    with done.profile.measure("compare"):
        found = compare(directory, OUTPUT, OutputTree(done.files, make_lock(done)).contents())
    for word, paths in (("missing", found.missing), ("differs", found.edited), ("left over", found.left_over)):
        for path in paths:
            show(f"{word}: {OUTPUT}/{path}")
    _tell(request, f"{OUTPUT}/ differs: run `stowplan compile`" if found else f"{OUTPUT}/ is what the inputs say")
    return FINDINGS if found else OK
