"""The same inputs give the same bytes: twice, in another order, under other hash seeds, from elsewhere."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parent.parent / "data" / "example"


def run(
    *arguments: str, cwd: Path | None = None, seed: str = "0", executable: str = sys.executable
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    return subprocess.run(
        [executable, "-m", "stowplan", *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def digest(root: Path) -> str:
    """All paths and bytes below a folder."""
    total = hashlib.sha256()
    for path in sorted(p for p in root.rglob("*") if p.is_file()):
        total.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLE, tmp_path / "workspace"))


@pytest.mark.slow
def test_compiling_twice_changes_nothing(workspace: Path) -> None:
    assert run("compile", "-C", str(workspace)).returncode == 0
    before = {p: (p.stat().st_ino, p.stat().st_mtime_ns) for p in (workspace / "rendered").rglob("*") if p.is_file()}
    first = digest(workspace / "rendered")
    again = run("compile", "-C", str(workspace))
    assert again.returncode == 0
    assert "0 written" in again.stderr
    assert digest(workspace / "rendered") == first
    assert {p: (p.stat().st_ino, p.stat().st_mtime_ns) for p in before} == before
    assert run("compile", "--check", "-C", str(workspace)).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["1", "2"])
def test_hash_seed_and_working_directory_do_not_matter(workspace: Path, tmp_path: Path, seed: str) -> None:
    other = Path(shutil.copytree(EXAMPLE, tmp_path / "other"))
    assert run("compile", "-C", str(workspace), seed="0").returncode == 0
    assert run("compile", cwd=other, seed=seed).returncode == 0
    assert digest(workspace / "rendered") == digest(other / "rendered")


@pytest.mark.slow
def test_nothing_is_written_when_there_is_an_error(workspace: Path) -> None:
    assert run("compile", "-C", str(workspace)).returncode == 0
    before = digest(workspace)
    path = workspace / "fleet" / "fleet.yaml"
    text = path.read_text()
    path.write_text(text.replace("defaultPriority: normal", "defaultPriority: nobody"))
    result = run("compile", "-C", str(workspace))
    assert result.returncode == 1
    assert "SP0308" in result.stderr
    path.write_text(text)
    assert digest(workspace) == before


def test_a_missing_workspace_is_one_clear_line(tmp_path: Path) -> None:
    result = run("compile", "-C", str(tmp_path))
    assert result.returncode == 2
    assert result.stderr.startswith("error: ") and result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr


def test_help_loads_nothing_slow() -> None:
    code = (
        "import sys; from stowplan.cli.main import run; run(['--help']); "
        "slow = {'pydantic', 'kubernetes', 'jinja2', 'yaml', 'ruamel', 'deepdiff'} & set(sys.modules); sys.exit(len(slow))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0
