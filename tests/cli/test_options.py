"""Options that several commands share: what is refused, and how."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import EXAMPLE, Ran

Run = Callable[..., Ran]


@pytest.mark.parametrize(
    "text", ["9999-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "yesterday", "", "2026-13-01T00:00:00Z"]
)
def test_as_of__refuses(run: Run, text: str) -> None:
    done = run("check", "-C", EXAMPLE, "--as-of", text)
    assert (done.code, done.out) == (2, "")
    assert "Invalid value for '--as-of'" in done.err


def test_directory__refuses_a_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert run("check", "-C", tmp_path / "file").code == 2
