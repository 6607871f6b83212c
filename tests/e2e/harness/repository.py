"""A git repository that an engine reads over file://, with commits that depend on the content alone."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from harness.binaries import tool

_AUTHOR = {
    "GIT_AUTHOR_NAME": "Bed",
    "GIT_AUTHOR_EMAIL": "bed@example.com",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_NAME": "Bed",
    "GIT_COMMITTER_EMAIL": "bed@example.com",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}


def git_environment() -> dict[str, str]:
    """What keeps git from reading the machine's or the user's settings, or asking for a password."""
    return {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0"}


class Repository:
    """One repository with the branch `main`."""

    def __init__(self, folder: Path) -> None:
        self._git = tool("git", "git")
        self.folder = folder
        folder.mkdir(parents=True)
        self._run("init", "--quiet", "--initial-branch=main")

    @property
    def url(self) -> str:
        """Its address for engines on this machine."""
        return f"file://{self.folder}"

    def publish(self, directory: Path, message: str = "Change the fleet") -> str:
        """Make the tree equal to a directory and commit it; returns the commit's hash (the old one if nothing changed)."""
        for path in self.folder.iterdir():
            if path.name != ".git":
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(directory, self.folder, dirs_exist_ok=True)
        self._run("add", "--all")
        if self._run("status", "--porcelain") or not self._has_commit():
            self._run("commit", "--quiet", "--allow-empty", "--message", message)
        return self._run("rev-parse", "HEAD")

    def _has_commit(self) -> bool:
        return bool(self._run("rev-list", "--all", "--max-count=1"))

    def _run(self, *arguments: str) -> str:
        environment = {**os.environ, **git_environment(), **_AUTHOR}
        command = (str(self._git), *arguments)
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"git {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout.strip()
