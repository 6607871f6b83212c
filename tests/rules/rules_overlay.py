"""The one place where the examples of rules meet the compiler."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from stowplan.diagnostics.model import Diagnostic
from stowplan.driver import Compilation, compile_workspace
from stowplan.model.eligibility import Reason
from stowplan.resources import builtin_folder
from stowplan.rules.examples import CompileOverlay, PlanOverlay
from stowplan.source.files import SourceTree


def base() -> dict[str, str | bytes]:
    """The files of the workspace of `stowplan init`."""
    folder: Path = builtin_folder("init")
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*.yaml"))}


def _run(files: dict[str, str]) -> Compilation:
    return compile_workspace(SourceTree.from_texts({**base(), **files}))


def _compile(files: dict[str, str]) -> Iterable[Diagnostic]:
    return _run(files).diagnostics


def _plan(files: dict[str, str]) -> Iterable[Reason]:
    done = _run(files)
    assert done.plan is not None, [f"{d.code} {d.message}" for d in done.diagnostics]
    return [rejection.reason for placement in done.plan.placements.values() for rejection in placement.rejections]


compile_overlay: CompileOverlay | None = _compile
"""Compiles the workspace of `stowplan init` with the example's files put in."""

plan_overlay: PlanOverlay = _plan
"""The reasons of the plan of that workspace; the example must hold no other error."""
