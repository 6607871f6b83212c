"""The one place where the examples of rules meet the compiler."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from stowplan.diagnostics.model import Diagnostic
from stowplan.driver import Compilation, Options, compile_workspace
from stowplan.emission.lock import Lock, file_digests
from stowplan.emission.previous import previous_tree
from stowplan.model.eligibility import Reason
from stowplan.resources import builtin_folder
from stowplan.rules.examples import RENDERED, CompileOverlay, PlanOverlay
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
    """Likewise, after a compile of that workspace with the files of an earlier revision; some of what it wrote may lie there changed."""
    first = compile_kueue(before)
    assert first.files is not None, [f"{d.code} {d.message}" for d in first.diagnostics]
    written = {path: text.encode() for path, text in first.files.items()}

    def overlay(files: dict[str, str]) -> Iterable[Diagnostic]:
        inputs = {path: text for path, text in files.items() if not path.startswith(RENDERED)}
        found = {path.removeprefix(RENDERED): text.encode() for path, text in files.items() if path not in inputs}
        assert found.keys() <= written.keys(), (
            f"the earlier revision did not write {sorted(found.keys() - written.keys())}"
        )
        with TemporaryDirectory() as folder:
            for path, content in {**written, **found}.items():
                place = Path(folder) / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content)
            tree = previous_tree(Path(folder), Lock("", files=file_digests(written)), "rendered")
            return tuple(compile_kueue(inputs, Options(tree_before=tree)).diagnostics)

    return overlay
