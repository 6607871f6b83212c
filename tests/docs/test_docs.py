"""Every command in the documentation is run, in order, in an empty folder."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted(p for p in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")] if "```console" in p.read_text())
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")


def commands(page: Path) -> list[str]:
    lines = [line for block in BLOCK.findall(page.read_text()) for line in block.splitlines()]
    return [line[2:] for line in lines if line.startswith("$ ")]


def test_there_are_pages() -> None:
    assert {"README.md", "guide.md"} <= {p.name for p in PAGES}


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_commands(page: Path, tmp_path: Path) -> None:
    """A trailing `# exit N` says which exit code is right; 0 otherwise."""
    assert commands(page)
    for command in commands(page):
        text, _, code = command.partition("  # exit ")
        words = shlex.split(text)
        assert words[0] == "stowplan", f"only stowplan can be run here: {command}"
        result = subprocess.run(
            [sys.executable, "-m", "stowplan", *words[1:]], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert result.returncode == int(code or 0), f"{command}\n{result.stdout}\n{result.stderr}"
        assert "Traceback" not in result.stderr


@pytest.mark.parametrize("page", [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))], ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"
