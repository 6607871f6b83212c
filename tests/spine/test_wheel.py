"""A wheel in an empty environment compiles to the same bytes as the checkout."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from test_determinism import EXAMPLE, digest, run

ROOT = Path(__file__).parent.parent.parent

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(folder), str(ROOT)],
        check=True, capture_output=True,
    )  # fmt: skip
    (found,) = folder.glob("stowplan-*.whl")
    return found


def test_the_wheel_holds_what_the_program_needs(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for part in (
        "data/templates/tenancy/namespace.yaml.j2",
        "data/packs/custom.pack",
        "data/init/fleet/fleet.yaml",
        "py.typed",
    ):
        assert f"stowplan/{part}" in names


def test_the_same_bytes_from_a_wheel(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    zipfile.ZipFile(wheel).extractall(site)
    one = Path(shutil.copytree(EXAMPLE, tmp_path / "one"))
    two = Path(shutil.copytree(EXAMPLE, tmp_path / "two"))
    assert run("compile", "-C", str(one)).returncode == 0
    code = f"import sys; sys.path.insert(0, {str(site)!r}); import stowplan; assert stowplan.__file__.startswith({str(site)!r}); "
    code += "from stowplan.cli.main import main; main(['compile'])"
    result = subprocess.run([sys.executable, "-c", code], cwd=two, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert digest(one / "rendered") == digest(two / "rendered")
