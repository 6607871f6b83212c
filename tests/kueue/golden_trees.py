"""Compares rendered trees with golden files; with STOWPLAN_UPDATE_GOLDEN=1 these are written instead."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from stowplan.driver import Compilation
from stowplan.passes.lower.jobs.mpijob import KEYS_FOLDER

GOLDEN = Path(__file__).parent / "golden"
KEYS = "KEYS_FOLDER"
"""What stands in golden files for the folder of that name."""


def hold_to_golden(name: str, done: Compilation, paths: Iterable[str]) -> None:
    """The files at these paths, kustomizations aside, are those of the golden tree."""
    files = done.files or {}
    kept = [path for path in sorted(paths) if not path.endswith("kustomization.yaml")]
    text = "".join(f"# {path}\n{files[path]}---\n" for path in kept).replace(KEYS_FOLDER, KEYS)
    golden = GOLDEN / f"{name}.yaml"
    if os.environ.get("STOWPLAN_UPDATE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8"), "run with STOWPLAN_UPDATE_GOLDEN=1 and look at the difference"
