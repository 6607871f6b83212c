"""Runs the command line in this process and hands over what went to each stream."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from stowplan.cli.main import run as run_command

EXAMPLE = Path(__file__).parent.parent / "data" / "example"


@dataclass(frozen=True)
class Ran:
    """Exit code, data, and talk."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    for name in (
        "STOWPLAN_DIRECTORY",
        "STOWPLAN_FORMAT",
        "STOWPLAN_FAIL_ON",
        "STOWPLAN_COLOR",
        "STOWPLAN_AS_OF",
        "FORCE_COLOR",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "100")

    def call(*arguments: str | Path) -> Ran:
        code = run_command([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return call


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A copy of the example workspace."""
    folder = tmp_path / "workspace"
    shutil.copytree(EXAMPLE, folder)
    return folder
