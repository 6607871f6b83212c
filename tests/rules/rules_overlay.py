"""The one place where the examples of rules meet the compiler."""

from __future__ import annotations

from stowplan.rules.examples import CompileOverlay

compile_overlay: CompileOverlay | None = None
"""Compiles the workspace of `stowplan init` with the example's files put in; None until there is a driver."""
