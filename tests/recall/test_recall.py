"""A compile in which nothing changed is answered from memory; anything else is compiled."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from stowplan.cli.main import run
from stowplan.recall import program
from stowplan.recall import recall as module
from stowplan.recall.recall import cache_folder
from stowplan.recall.record import read_record

EXAMPLE = Path(__file__).parent.parent / "data" / "example"
FILE = "rendered/plan.json"


class Compiled(Exception):
    """Raised in place of the placement pass: the answer did not come from memory."""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(module, "program_digest", lambda: "this")  # the sources may be edited while tests run
    root = Path(shutil.copytree(EXAMPLE, tmp_path / "workspace", ignore=shutil.ignore_patterns("rendered")))
    assert run(["compile", "-C", str(root)]) == 0
    return root


def is_remembered(monkeypatch: pytest.MonkeyPatch, root: Path, *options: str) -> bool:
    def compiled(*_: object, **__: object) -> None:
        raise Compiled

    with monkeypatch.context() as patch:
        patch.setattr("stowplan.driver.Placer", compiled)
        return run(["compile", "-C", str(root), *options]) == 0


def test_the_next_compile_says_the_same_from_memory(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert run(["compile", "--no-cache", "-C", str(root)]) == 0
    said = capsys.readouterr()
    assert is_remembered(monkeypatch, root)
    assert capsys.readouterr() == said
    assert "0 written" in said.err


def test_check_is_answered_too(root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert is_remembered(monkeypatch, root, "--check")
    said = capsys.readouterr()
    assert run(["compile", "--no-cache", "--check", "-C", str(root)]) == 0
    assert capsys.readouterr() == said


def test_other_options_are_another_question(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for options in (["--format", "json"], ["--as-of", "2030-01-01T00:00:00Z"], ["--upgrade"], ["--no-cache"]):
        assert not is_remembered(monkeypatch, root, *options)


def _edit_input(root: Path) -> None:
    path = sorted((root / "fleet").rglob("*.yaml"))[0]
    path.write_text(path.read_text() + "# a comment\n")


def _add_input(root: Path) -> None:
    (root / "fleet" / "more.yaml").write_text("")


def _edit_output(root: Path) -> None:
    """Of equal size, with its old times put back as far as a user can."""
    known = (root / FILE).stat()
    text = (root / FILE).read_text()
    (root / FILE).write_text(text[:-2] + text[-1] + " ")
    os.utime(root / FILE, ns=(known.st_atime_ns, known.st_mtime_ns))


def _remove_output(root: Path) -> None:
    (root / FILE).unlink()


def _link_output(root: Path) -> None:
    (root / FILE).rename(root / "elsewhere")
    (root / FILE).symlink_to(root / "elsewhere")


def _edit_lock(root: Path) -> None:
    lock = root / "rendered" / "stowplan.lock"
    lock.write_text(lock.read_text() + "\n")


def _leave_a_stage(root: Path) -> None:
    (root / ".rendered.stage-1").mkdir()


def _damage_records(_root: Path) -> None:
    folder = cache_folder()
    assert folder is not None
    for record in folder.iterdir():
        content = bytearray(record.read_bytes())
        content[len(content) // 2] ^= 1
        record.write_bytes(content)


def _cut_records(_root: Path) -> None:
    folder = cache_folder()
    assert folder is not None
    for record in folder.iterdir():
        record.write_bytes(record.read_bytes()[:40])


@pytest.mark.parametrize(
    "change",
    [
        _edit_input, _add_input, _edit_output, _remove_output, _link_output, _edit_lock, _leave_a_stage, _damage_records,
        _cut_records,
    ],
)  # fmt: skip
def test_after_any_change_it_compiles(
    root: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]
) -> None:
    assert is_remembered(monkeypatch, root)
    change(root)
    assert not is_remembered(monkeypatch, root)
    assert run(["compile", "-qq", "-C", str(root)]) == 0
    assert run(["compile", "--no-cache", "--check", "-C", str(root)]) == 0


def test_an_edit_is_found_once_the_files_are_old_enough_for_their_times_to_tell(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_YOUNG_NANOSECONDS", 0)
    assert is_remembered(monkeypatch, root)  # by digests; keeps times
    with monkeypatch.context() as patch:
        patch.setattr("stowplan.emission.tree.verify", None)  # not needed: times suffice
        assert is_remembered(patch, root)
    _edit_output(root)
    assert not is_remembered(monkeypatch, root)


def test_another_program_compiles(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "program_digest", lambda: "another")
    assert not is_remembered(monkeypatch, root)


def test_the_program_is_told_by_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "stowplan"
    package.mkdir()
    monkeypatch.setattr(program, "_PACKAGE", str(package))
    seen = {program.program_digest()}
    (package / "rule.py").write_text("a = 1")
    seen.add(program.program_digest())
    (package / "rule.py").write_text("a = 12")
    seen.add(program.program_digest())
    assert len(seen) == 3


def test_a_touched_tree_is_told_by_its_digests(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (root / "rendered").rglob("*"):
        os.utime(path)
    assert is_remembered(monkeypatch, root)


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    root = Path(shutil.copytree(EXAMPLE, tmp_path / "workspace", ignore=shutil.ignore_patterns("rendered")))
    assert run(["compile", "-qq", "-C", str(root)]) == 0
    assert run(["compile", "-qq", "-C", str(root)]) == 0


def test_findings_above_the_level_are_not_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = Path(shutil.copytree(EXAMPLE, tmp_path / "workspace", ignore=shutil.ignore_patterns("rendered")))
    first = run(["compile", "-qq", "--fail-on", "note", "-C", str(root)])
    assert run(["compile", "-qq", "--fail-on", "note", "-C", str(root)]) == first


def test_bytes_that_are_no_record_are_told() -> None:
    assert read_record(b"") is None
    assert read_record(b"0" * 200) is None
