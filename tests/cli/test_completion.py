"""`completion` and `help`: each shell's script, what a shell is told, and the same pages as `--help`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import EXAMPLE, Ran

Run = Callable[..., Ran]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion__script(run: Run, shell: str) -> None:
    done = run("completion", shell)
    assert done.code == 0
    assert f"_STOWPLAN_COMPLETE={shell}_complete" in done.out


def test_completion__unknown_shell(run: Run) -> None:
    assert run("completion", "tcsh").code == 2


def completed(words: str, folder: Path) -> list[str]:
    environment = {**os.environ, "_STOWPLAN_COMPLETE": "bash_complete", "COMP_WORDS": f"stowplan {words}"}
    environment["COMP_CWORD"] = str(len(words.split(" ")))
    command = [sys.executable, "-c", "from stowplan.cli.main import main; main()"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder, check=True)
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("words", "some"),
    [
        ("com", ["compile", "completion"]),
        ("compile --up", ["--upgrade"]),
        ("check --format s", ["sarif"]),
        ("explain SP060", ["SP0601", "SP0604"]),
        ("explain w", ["workload/"]),
    ],
)
def test_completion__answers(tmp_path: Path, words: str, some: list[str]) -> None:
    assert set(some) <= set(completed(words, tmp_path))


def test_completion__names_of_the_last_compile(run: Run, workspace: Path) -> None:
    assert run("compile", "-C", workspace).code == 0
    assert completed("explain workload/asr-", workspace) == ["workload/asr-giant", "workload/asr-pretrain"]
    assert "cluster/eu-west-l40s" in completed("explain cluster/", workspace)
    assert completed(f"explain -C {workspace} quota/", workspace.parent) == ["quota/speech", "quota/vision"]
    (workspace / "rendered" / "plan.json").write_text("[1]")
    assert completed("explain w", workspace) == ["workload/"]


@pytest.mark.parametrize("names", [[], ["compile"], ["policy"], ["policy", "test"]])
def test_help__is_the_page(run: Run, names: list[str]) -> None:
    assert run("help", *names) == run(*names, "--help")


@pytest.mark.parametrize("names", [["compil"], ["compile", "now"], ["policy", "nothing"]])
def test_help__of_nothing(run: Run, names: list[str]) -> None:
    done = run("help", *names)
    assert (done.code, done.out) == (2, "")
    assert EXAMPLE.name not in done.err
