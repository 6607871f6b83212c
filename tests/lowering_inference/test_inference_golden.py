"""The example workspace's service, file by file; STOWPLAN_UPDATE_GOLDEN=1 writes the files instead."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stowplan.driver import compile_workspace
from stowplan.source.files import SourceTree

HERE = Path(__file__).parent
EXAMPLE = HERE.parent / "data" / "example"
GOLDEN = HERE / "golden"
UNITS = (
    "hubs/karmada/inference",
    "clusters/eu-west-l40s/inference",
    "clusters/eu-west-l40s/traffic",
    "clusters/us-east-spot/inference",
    "clusters/us-east-spot/traffic",
    "clusters/eu-west-h200/component-gpu-alerts",
    "clusters/us-east-spot/component-gpu-alerts",
)


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    done = compile_workspace(SourceTree.read(EXAMPLE))
    assert done.files is not None, done.diagnostics
    return {path: text for path, text in done.files.items() if path.rpartition("/")[0] in UNITS}


def test_units(files: dict[str, str]) -> None:
    if os.environ.get("STOWPLAN_UPDATE_GOLDEN"):
        for path, text in files.items():
            (GOLDEN / path).parent.mkdir(parents=True, exist_ok=True)
            (GOLDEN / path).write_text(text)
    kept = {p.relative_to(GOLDEN).as_posix(): p.read_text() for p in sorted(GOLDEN.rglob("*.yaml"))}
    assert sorted(files) == sorted(kept)
    for path, text in kept.items():
        assert files[path] == text, path
