"""A compile that is killed at any moment leaves the old tree or the new one, and nothing else after the next run."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from pathlib import Path

import pytest
from test_determinism import EXAMPLE, digest

from stowplan.cli.main import run
from stowplan.workspace import OUTPUT

TIMES = 200
OLD, NEW = "gramsPerKilowattHour: 350", "gramsPerKilowattHour: 351"

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")]


def compile_quietly(root: Path) -> None:
    assert run(["compile", "-qq", "-C", str(root)]) == 0


def change(root: Path, *, new: bool) -> None:
    path = root / "fleet" / "inventory" / "east.yaml"
    text = path.read_text()
    path.write_text(text.replace(OLD, NEW) if new else text.replace(NEW, OLD))


def test_killed_at_random_moments(tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    assert run(["init", str(root)]) == 0
    compile_quietly(root)
    old = digest(root / OUTPUT)
    change(root, new=True)
    begin = time.perf_counter()
    compile_quietly(root)
    usual = time.perf_counter() - begin
    new = digest(root / OUTPUT)
    assert old != new
    chance = random.Random(7)
    n_killed = 0
    is_new = True
    for _ in range(TIMES):
        is_new = not is_new
        change(root, new=is_new)
        child = os.fork()
        if child == 0:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            os._exit(run(["compile", "-qq", "-C", str(root)]))
        time.sleep(chance.uniform(0.5 * usual, 1.2 * usual))
        os.kill(child, signal.SIGKILL)
        was_killed = os.WIFSIGNALED(os.waitpid(child, 0)[1])
        n_killed += was_killed
        usual *= 1.03 if was_killed else 0.95  # the machine's load comes and goes
        assert digest(root / OUTPUT) in (old, new)
        if chance.random() < 0.1:
            compile_quietly(root)
            assert digest(root / OUTPUT) == (new if is_new else old)
            assert sorted(p.name for p in root.iterdir()) == ["fleet", "policies", OUTPUT]
    assert n_killed > TIMES // 8


def test_an_interrupt_is_no_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(shutil.copytree(EXAMPLE, tmp_path / "workspace"))
    compile_quietly(root)
    before = digest(root)

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("stowplan.driver.Placer", interrupted)
    assert run(["compile", "--no-cache", "-C", str(root)]) == 130
    assert digest(root) == before


def test_a_bug_is_no_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = Path(shutil.copytree(EXAMPLE, tmp_path / "workspace"))

    def broken(*_: object, **__: object) -> None:
        raise ValueError("boom")

    monkeypatch.setattr("stowplan.driver.Placer", broken)
    assert run(["compile", "-C", str(root)]) == 2
    assert "error[SP9901]: internal error: ValueError: boom" in capsys.readouterr().err
    assert not (root / OUTPUT).exists()
