"""The help pages, word by word. With STOWPLAN_UPDATE_GOLDEN=1 they are written instead."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import click
import pytest
from conftest import Ran

from stowplan.cli.main import _COMMANDS, cli

PAGES = Path(__file__).parent / "help"


@pytest.mark.parametrize("name", ["stowplan", *_COMMANDS])
def test_page(name: str, run: Callable[..., Ran]) -> None:
    done = run(*([] if name == "stowplan" else [name]), "--help")
    path = PAGES / f"{name}.txt"
    if os.environ.get("STOWPLAN_UPDATE_GOLDEN"):
        path.write_text(done.out)
    assert (done.code, done.err) == (0, "")
    assert done.out == path.read_text(), "run again with STOWPLAN_UPDATE_GOLDEN=1 and look at the difference"


def test_no_page_is_left_over() -> None:
    assert {path.stem for path in PAGES.glob("*.txt")} == {"stowplan", *_COMMANDS}


@pytest.mark.parametrize("name", _COMMANDS)
def test_command__is_described(name: str) -> None:
    command = import_module(f"stowplan.cli.{name.replace('-', '_')}_command").command
    assert command.help and command.name == name
    options = [p for p in command.params if isinstance(p, click.Option)]
    assert [p.name for p in options if not p.help] == []
    assert [o for p in options for o in p.opts if not re.fullmatch(r"--[a-z][a-z-]+|-[Cqvh]", o)] == []


@pytest.mark.parametrize("arguments", [("-h",), ("check", "-h")])
def test_short_form(arguments: tuple[str, ...], run: Callable[..., Ran]) -> None:
    done = run(*arguments)
    assert done.code == 0 and done.out.startswith("Usage: stowplan")


def test_help_lists_the_exit_codes(run: Callable[..., Ran]) -> None:
    out = run("--help").out
    assert re.findall(r"^ +(\d+) +\w", out, re.MULTILINE) == ["0", "1", "2", "130"]


def test_version__both_ways(run: Callable[..., Ran]) -> None:
    assert run("version").out == run("--version").out
    assert isinstance(cli, click.Group)
