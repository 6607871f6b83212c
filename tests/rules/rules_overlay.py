"""The one place where the examples of rules meet the compiler."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from stowplan.diagnostics.model import Diagnostic
from stowplan.driver import compile_workspace
from stowplan.resources import builtin_folder
from stowplan.rules.examples import CompileOverlay
from stowplan.source.files import SourceTree


def _base() -> dict[str, str | bytes]:
    folder: Path = builtin_folder("init")
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*.yaml"))}


def _compile(files: dict[str, str]) -> Iterable[Diagnostic]:
    return compile_workspace(SourceTree.from_texts({**_base(), **files})).diagnostics


compile_overlay: CompileOverlay | None = _compile
"""Compiles the workspace of `stowplan init` with the example's files put in."""
