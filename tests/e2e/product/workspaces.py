"""Compiles workspaces into temporary folders, as a user does, and hands out their objects by target in sync order."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from product.releases import state_release
from stowplan.driver import Compilation
from stowplan.model.rendered import RenderedObject
from stowplan.passes.gitops.engines import sync_waves
from stowplan.workspace import compile_directory

REPOSITORY = Path(__file__).resolve().parents[3]
EXAMPLE = REPOSITORY / "tests" / "data" / "example"

FIRST_KINDS = ("Namespace", "ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")
"""Kinds that both engines apply before the others of a unit, as far as the order can matter."""


@dataclass(frozen=True)
class Workspace:
    """A compiled workspace: its folder (with `rendered/` written) and what the compile made."""

    name: str
    root: Path
    done: Compilation

    @cached_property
    def objects(self) -> tuple[RenderedObject, ...]:
        """All rendered objects in the order in which engines apply them."""
        assert self.done.rendered is not None
        waves = sync_waves(self.done.rendered.units)
        return tuple(sorted(self.done.rendered.objects, key=lambda made: _rank(made, waves)))

    def of_target(self, target: str) -> tuple[RenderedObject, ...]:
        """The objects for one API server, those of the engines themselves included."""
        return tuple(made for made in self.objects if made.unit.target.name == target)

    @property
    def targets(self) -> tuple[str, ...]:
        """Names of the API servers that something is rendered for."""
        return tuple(dict.fromkeys(made.unit.target.name for made in self.objects))

    @property
    def plan(self) -> Mapping[str, Any]:
        """The plan as it is written beside the manifests."""
        import json

        found: Mapping[str, Any] = json.loads((self.root / "rendered" / "plan.json").read_text())
        return found

    def plain(self, made: RenderedObject) -> dict[str, Any]:
        """The object as its file says it."""
        found: dict[str, Any] = yaml.load(
            (self.root / "rendered" / made.path).read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        )
        return found


def _rank(made: RenderedObject, waves: Mapping[str, int]) -> tuple[Any, ...]:
    kind = FIRST_KINDS.index(made.kind) if made.kind in FIRST_KINDS else len(FIRST_KINDS)
    wave = waves.get(made.unit.folder, made.unit.wave)
    return made.unit.target.folder, wave, made.unit.name, kind, made.path


def copy_workspace(source: Path, root: Path, folders: Sequence[str] = ("fleet", "policies", "templates")) -> Path:
    """Copy the inputs of a workspace; its clusters state the release of Kueue that the run is held to."""
    for folder in folders:
        if (source / folder).is_dir() and not (folder == "templates" and source == REPOSITORY):
            shutil.copytree(source / folder, root / folder)
    state_release(root)
    return root


def compile_copy(name: str, root: Path) -> Workspace:
    """Run `stowplan compile` in a folder, then read what it made.

    Raises:
        AssertionError: the compile failed; shows what it said.
    """
    stowplan(root, "compile", "--quiet")
    return Workspace(name, root, compile_directory(root))


def stowplan(root: Path, *arguments: str, code: int | None = 0) -> subprocess.CompletedProcess[str]:
    """Run the command line in a workspace and check its exit code (None takes any)."""
    command = (sys.executable, "-m", "stowplan", arguments[0], "-C", str(root), *arguments[1:])
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if code is not None:
        assert done.returncode == code, (
            f"{' '.join(command)}: {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        )
    return done
