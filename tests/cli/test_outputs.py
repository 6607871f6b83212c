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


@pytest.mark.parametrize(
    "words", ["rules --format markdown", "rules", "version", "--help", "rules --help", "--version"]
)
@pytest.mark.parametrize("reader", ["head -c 10", "true", "(exec <&-; sleep 1)"], ids=["some", "none", "closed"])
@pytest.mark.parametrize("also", ["", "2>&1"], ids=["stdout", "both"])
def test_reader_goes_away(words: str, reader: str, also: str) -> None:
    done = shell(f"{STOWPLAN} {words} {also} | {reader}")
    assert (done.returncode, done.stderr) == (0, "")


def test_reader_of_complaints_goes_away() -> None:
    done = shell(f"{STOWPLAN} check --directory /nowhere 2>&1 >&- | (exec <&-; sleep 1)")
    assert (done.returncode, done.stderr) == (2, "")


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
