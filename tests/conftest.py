"""Keeps the tests out of the user's cache, and what they generate the same in every run."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import hypothesis
import pytest

_KEY = pytest.StashKey[str]()

hypothesis.settings.register_profile("stowplan", derandomize=True, deadline=None)
hypothesis.settings.load_profile(
    os.environ.get("STOWPLAN_HYPOTHESIS", "stowplan")
)  # `default` looks further, at random


def pytest_configure(config: pytest.Config) -> None:
    usual = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    os.environ.setdefault("STOWPLAN_SERVERS_CACHE", f"{usual}/stowplan/servers")  # the real servers stay where they are
    config.stash[_KEY] = tempfile.mkdtemp(prefix="stowplan-cache-")
    os.environ["XDG_CACHE_HOME"] = config.stash[_KEY]


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(config.stash[_KEY], ignore_errors=True)
