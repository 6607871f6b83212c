"""The GitHub action, the GitLab template, and the pre-commit hooks: their commands run, and find what they should."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "tests" / "data" / "example"
MISTAKE = ("gramsPerKilowattHour", "gramsPerKilowattHuor")


def read(name: str) -> list[Any]:
    return list(yaml.safe_load_all((ROOT / name).read_text()))


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = Path(shutil.copytree(EXAMPLE, tmp_path_factory.mktemp("integrations") / "workspace"))
    assert call("stowplan compile --quiet", root).returncode == 0
    return root


@pytest.fixture
def broken(compiled: Path, tmp_path: Path) -> Path:
    root = Path(shutil.copytree(compiled, tmp_path / "workspace"))
    path = next(p for p in sorted((root / "fleet/inventory").iterdir()) if MISTAKE[0] in p.read_text())
    path.write_text(path.read_text().replace(*MISTAKE))
    return root


def call(line: str, root: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """One line of a script, with `stowplan` being this checkout's."""
    own = f"{shlex.quote(sys.executable)} -m stowplan"
    text = re.sub(r"^stowplan\b", own, line)
    assert text != line, f"only stowplan can be run here: {line}"
    environment = {**os.environ, **variables}
    return subprocess.run(["bash", "-ec", text], cwd=root, env=environment, capture_output=True, text=True, check=False)


def action() -> tuple[str, dict[str, str]]:
    """The last step of the action, with the defaults of its inputs."""
    (whole,) = read("action.yml")
    step = whole["runs"]["steps"][-1]
    defaults = {name: given["default"] for name, given in whole["inputs"].items()}
    values = {
        name: re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda m: defaults[m[1]], value)
        for name, value in step["env"].items()
    }
    assert not any("${{" in value for value in (step["run"], *values.values()))
    return step["run"], values


def test_action(compiled: Path, broken: Path) -> None:
    line, variables = action()
    assert call(line, compiled, **variables).returncode == 0
    failed = call(line, broken, **variables)
    assert failed.returncode == 1
    assert "::error file=fleet/inventory/" in failed.stdout


def test_action__no_input_in_a_script() -> None:
    """What users give reaches shells through the environment alone."""
    (whole,) = read("action.yml")
    assert [step["run"] for step in whole["runs"]["steps"] if "${{" in step.get("run", "")] == []


def test_workflow__uses_what_is_there() -> None:
    (workflow,) = read(".github/workflows/ci.yml")
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    targets = re.findall(r"^([a-z0-9]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    made = [step["run"].split()[1] for step in steps if step.get("run", "").startswith("make ")]
    assert made and set(made) <= set(targets)
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert workflow["permissions"] == {"contents": "read"}


def test_gitlab(compiled: Path, broken: Path) -> None:
    header, jobs = read("ci/gitlab.yml")
    job = jobs["stowplan"]
    inputs = header["spec"]["inputs"]
    variables = {
        name: re.sub(r"\$\[\[ inputs\.([a-z-]+) \]\]", lambda m: inputs[m[1]]["default"], value)
        for name, value in job["variables"].items()
    }
    report = job["artifacts"]["reports"]["codequality"]
    for root, codes in ((compiled, [0, 0]), (broken, [0, 1])):
        assert [call(line, root, **variables).returncode for line in job["script"]] == codes
        found = json.loads((root / report).read_text())
        assert all({"description", "fingerprint", "severity", "location"} <= entry.keys() for entry in found)
        assert ("SP0201" in " ".join(entry["description"] for entry in found)) == (root == broken)
        (root / report).unlink()


@pytest.mark.parametrize("hook", read(".pre-commit-hooks.yaml")[0], ids=lambda hook: str(hook["id"]))
def test_hooks(hook: dict[str, Any], compiled: Path) -> None:
    names = [p.relative_to(compiled).as_posix() for p in sorted(compiled.rglob("*")) if p.is_file()]
    chosen = [name for name in names if re.search(hook["files"], name)]
    assert chosen
    given = shlex.join(chosen) if hook.get("pass_filenames", True) else ""
    assert call(f"{hook['entry']} {given}", compiled).returncode == 0


@pytest.mark.parametrize("hook", read(".pre-commit-hooks.yaml")[0][1:], ids=lambda hook: str(hook["id"]))
def test_hooks__stop_a_commit(hook: dict[str, Any], broken: Path) -> None:
    assert call(hook["entry"], broken).returncode == 1
