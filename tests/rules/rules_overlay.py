"""The one place where the examples of rules meet the compiler."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import yaml

from stowplan.diagnostics.model import Diagnostic
from stowplan.driver import Compilation, Options, compile_workspace
from stowplan.emission.lock import file_digests
from stowplan.model.eligibility import Reason
from stowplan.model.previous import PreviousFile, PreviousTree
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

KUEUE = Path(__file__).parents[1] / "data" / "kueue"


def kueue_base() -> dict[str, str]:
    """The files of the workspace in `tests/data/kueue`: a hub with the MultiKueue manager, and two members."""
    return {p.relative_to(KUEUE).as_posix(): p.read_text() for p in sorted(KUEUE.rglob("*")) if p.is_file()}


def compile_kueue(files: dict[str, str], options: Options | None = None) -> Compilation:
    """Compiles that workspace with the files put in."""
    return compile_workspace(SourceTree.from_texts({**kueue_base(), **files}), options)


def kueue_overlay(files: dict[str, str]) -> Iterable[Diagnostic]:
    """The findings of that workspace."""
    return compile_kueue(files).diagnostics


def revision_overlay(before: dict[str, str]) -> CompileOverlay:
    """Likewise, after a compile of that workspace with the files of an earlier revision."""
    first = compile_kueue(before)
    assert first.files is not None, [f"{d.code} {d.message}" for d in first.diagnostics]
    written = first.files
    tree = PreviousTree("rendered", file_digests(written), lambda path: PreviousFile(yaml.safe_load(written[path])))
    return lambda files: compile_kueue(files, Options(tree_before=tree)).diagnostics
