"""The script that runs all tests under two hash seeds: its own verdict, and what it leaves running."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

SEEDS = Path(__file__).parents[1] / "seeds"


def programs(folder: Path, *, covered: str, beside: str) -> Path:
    """A folder with a `python` and a `pytest` that do what they are told."""
    for name, body in (("python", covered), ("pytest", beside)):
        file = folder / name
        file.write_text(f"#!/bin/bash\n{body}\n", encoding="utf-8")
        file.chmod(0o755)
    return folder


@pytest.mark.parametrize(("covered", "beside", "wanted"), [(0, 0, 0), (1, 0, 1), (0, 2, 1), (3, 4, 1)])
def test_it_fails_with_either_run_and_ends_alone(covered: int, beside: int, wanted: int, tmp_path: Path) -> None:
    """A caller in its process group lives on and hears how it ended."""
    folder = programs(tmp_path, covered=f"exit {covered}", beside=f"echo from beside; exit {beside}")
    done = subprocess.run(
        ["bash", "-c", f'"{SEEDS}" "{folder}"; echo "left with $?"'],
        capture_output=True, text=True, start_new_session=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done
    assert done.stdout.splitlines()[-1] == f"left with {wanted}"
    assert "from beside" in done.stdout


def test_what_runs_beside_ends_with_it(tmp_path: Path) -> None:
    told = tmp_path / "beside.pid"
    folder = programs(tmp_path, covered="sleep 1", beside=f"echo $$ > {told}; exec sleep 60")
    running = subprocess.Popen([SEEDS, folder], stdout=subprocess.DEVNULL, start_new_session=True)
    while not told.exists() or not told.read_text():
        time.sleep(0.02)
    running.send_signal(signal.SIGTERM)
    assert running.wait(30) == 130
    with pytest.raises(ProcessLookupError):
        for _ in range(500):
            os.kill(int(told.read_text()), 0)
            time.sleep(0.02)
