"""A wheel in an empty environment compiles to the same bytes as the checkout."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
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


def data_files() -> set[str]:
    """Everything that the program reads of itself, by its place in the package."""
    templates = {f"data/{p.relative_to(ROOT)}" for p in (ROOT / "templates").rglob("*.j2")}
    package = ROOT / "compiler" / "stowplan"
    data = {str(p.relative_to(package)) for p in (package / "data").rglob("*") if p.is_file()}
    return {f"stowplan/{name}" for name in templates | data | {"py.typed"}}


def test_the_wheel_holds_what_the_program_needs(wheel: Path) -> None:
    expected = data_files()
    for part in ("templates/tenancy", "packs", "atlas", "policies", "init/fleet"):
        assert any(name.startswith(f"stowplan/data/{part}/") for name in expected), part
    names = set(zipfile.ZipFile(wheel).namelist())
    assert expected - names == set()
    assert [name for name in names if name.endswith("/licenses/NOTICE")]
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"stowplan"}


def test_the_source_distribution_gives_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build"]
    subprocess.run([*build, "-t", "sdist", "-d", str(tmp_path)], cwd=ROOT, check=True, capture_output=True)
    (archive,) = tmp_path.glob("stowplan-*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    assert not (source / "tests").exists()
    subprocess.run([*build, "-t", "wheel", "-d", str(tmp_path)], cwd=source, check=True, capture_output=True)
    (again,) = tmp_path.glob("stowplan-*.whl")
    one, two = zipfile.ZipFile(wheel), zipfile.ZipFile(again)
    assert {i.filename: i.CRC for i in one.infolist()} == {i.filename: i.CRC for i in two.infolist()}


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
