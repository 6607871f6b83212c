"""Builds a directory with the real kustomize."""

from __future__ import annotations

import subprocess
from pathlib import Path

from harness.binaries import executable
from harness.modules import Object, load_all


class KustomizeError(Exception):
    """kustomize refused a directory; the text is its own."""


def kustomize_text(directory: Path) -> str:
    """What `kustomize build DIRECTORY` prints.

    Raises:
        KustomizeError: it refused.
    """
    command = (str(executable("kustomize")), "build", str(directory))
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise KustomizeError(f"kustomize build {directory}: {done.stderr.strip()}")
    return done.stdout


def kustomize_build(directory: Path) -> list[Object]:
    """The objects that a directory builds to, in kustomize's order."""
    return load_all(kustomize_text(directory))
