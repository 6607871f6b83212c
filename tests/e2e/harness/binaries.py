"""Finds the executables of the real servers, and skips or fails the test that lacks one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from harness.servers import SERVERS, find, missing, owner

REQUIRED = "STOWPLAN_E2E_REQUIRED"
"""Set to 1, a missing server is a failure and not a skip."""


def executable(command: str) -> Path:
    """The executable of a command that was built, or was brought in KUBEBUILDER_ASSETS."""
    path = find(command)
    if path is None:
        absent(f"{command}: the server {owner(command).name} is not built: {_advice((owner(command).name,))}")
    assert path is not None
    return path


def tool(command: str, package: str) -> Path:
    """The executable of a command that the system's packages bring."""
    found = shutil.which(command)
    if found is None:
        absent(f"{command}: not on the PATH: install the package {package} (see tests/e2e/README.md)")
    assert found is not None
    return Path(found)


def require(*commands: str) -> None:
    """Skip or fail the test unless every command is there."""
    names = missing(commands)
    if names:
        absent(f"not built: {', '.join(names)}: {_advice(names)}")


def _advice(names: tuple[str, ...]) -> str:
    """What builds the servers; one that stands in for another has to be named."""
    named = [name for name in names if SERVERS[name].replaces]
    return f"run `tests/e2e/servers/build {' '.join(named)}`" if named else "run `make servers`"


def absent(reason: str) -> None:
    """Fail where servers are required, skip elsewhere."""
    if os.environ.get(REQUIRED, "") not in ("", "0"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
