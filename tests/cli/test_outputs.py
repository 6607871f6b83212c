"""Streams that end early: a reader that goes away, a closed stdout, a full disk. One clear line at most, never a trace."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

STOWPLAN = f"{sys.executable} -c 'from stowplan.cli.main import main; main()'"


def shell(command: str) -> subprocess.CompletedProcess[str]:
    script = f"set -o pipefail; {command}"
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)


def test_reader_goes_away() -> None:
    done = shell(f"{STOWPLAN} rules --format markdown | head -c 10")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("words", ["rules", "version", "--help"])
def test_stdout_is_closed(words: str) -> None:
    done = shell(f"{STOWPLAN} {words} >&-")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("words", ["rules", "version"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_disk_is_full(words: str) -> None:
    done = shell(f"{STOWPLAN} {words} > /dev/full")
    assert done.returncode == 2
    assert done.stderr == "error: cannot write to standard output: No space left on device\n"
