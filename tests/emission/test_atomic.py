"""Emission: the tree is the old one or the new one at every moment, and what has not changed is not touched."""

from __future__ import annotations

import os
import random
import signal
import stat
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stowplan.emission import atomic, swap
from stowplan.emission.atomic import EmitReport, emit, exclusive
from stowplan.emission.lock import LOCK_NAME, Lock, file_digests, parse_lock, write_lock
from stowplan.emission.output import OutputTree
from stowplan.emission.tree import TreeDifferences, compare, verify
from stowplan.source.faults import EnvironmentFault

NAME = "rendered"
WAYS = pytest.mark.parametrize("in_one_step", [True, False], ids=["exchange", "journal"])
AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def lock_of(files: Mapping[str, str | bytes], compiler: str = "1") -> Lock:
    return Lock(compiler, files=file_digests(files))


def run(root: Path, files: Mapping[str, str | bytes], in_one_step: bool = True) -> EmitReport:
    return emit(root, NAME, files, lock_of(files), in_one_step=in_one_step)


def contents(root: Path) -> dict[str, bytes]:
    tree = root / NAME
    return {
        p.relative_to(tree).as_posix(): p.read_bytes()
        for p in sorted(tree.rglob("*"))
        if p.is_file() and p.name != LOCK_NAME
    }


def wanted(files: Mapping[str, str]) -> dict[str, bytes]:
    return {path: text.encode() for path, text in sorted(files.items())}


def identity(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_ino, found.st_mtime_ns


def only_tree(root: Path) -> bool:
    return [entry.name for entry in root.iterdir()] == [NAME]


OLD = {"a/x.yaml": "1\n", "a/y.yaml": "2\n", "b/z.yaml": "3\n", "top.json": "{}\n"}
NEW = {"a/x.yaml": "1\n", "a/y.yaml": "two\n", "c/d/e.yaml": "4\n", "top.json": "{}\n"}


@WAYS
def test_emit__writes_what_changed_and_removes_what_is_gone(tmp_path: Path, in_one_step: bool) -> None:
    first = run(tmp_path, OLD, in_one_step)
    assert (first.written, first.unchanged, first.removed) == (tuple(sorted(OLD)), 0, ())
    kept = identity(tmp_path / NAME / "a/x.yaml")
    second = run(tmp_path, NEW, in_one_step)
    assert second == EmitReport(("a/y.yaml", "c/d/e.yaml"), 2, ("b/z.yaml",), is_new_lock=True)
    assert contents(tmp_path) == wanted(NEW)
    assert (tmp_path / NAME / LOCK_NAME).read_bytes() == write_lock(lock_of(NEW))
    assert identity(tmp_path / NAME / "a/x.yaml") == kept
    assert not (tmp_path / NAME / "b").exists()
    assert only_tree(tmp_path)


def test_emit__nothing_changed_touches_nothing(tmp_path: Path) -> None:
    run(tmp_path, OLD)
    tree = tmp_path / NAME
    before = {
        p: (p.stat().st_ino, p.stat().st_mtime_ns, p.stat().st_ctime_ns) for p in [tmp_path, tree, *tree.rglob("*")]
    }
    report = run(tmp_path, dict(reversed(OLD.items())))
    assert not report.changed_anything
    assert report.unchanged == len(OLD)
    assert {p: (p.stat().st_ino, p.stat().st_mtime_ns, p.stat().st_ctime_ns) for p in before} == before


def test_emit__an_edit_of_the_same_size_is_put_right(tmp_path: Path) -> None:
    run(tmp_path, OLD)
    (tmp_path / NAME / "a/x.yaml").write_text("9\n")
    assert verify(tmp_path, NAME, lock_of(OLD)) == TreeDifferences(edited=("a/x.yaml",))
    assert run(tmp_path, OLD).written == ("a/x.yaml",)
    assert contents(tmp_path) == wanted(OLD)


@WAYS
def test_emit__foreign_files_stay_as_they_are(tmp_path: Path, in_one_step: bool) -> None:
    run(tmp_path, OLD)
    tree = tmp_path / NAME
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("theirs")
    (tree / "b/notes.md").write_text("mine")
    (tree / "empty/inner").mkdir(parents=True)
    (tree / "empty").chmod(0o750)
    (tree / "link").symlink_to(outside)
    (tree / "dangling").symlink_to("nowhere")
    os.mkfifo(tree / "pipe")
    kept = identity(tree / "b/notes.md")
    report = run(tmp_path, NEW, in_one_step)
    assert report.foreign_kept == ("b/notes.md", "dangling", "link", "pipe")
    assert report.removed == ("b/z.yaml",)
    assert identity(tree / "b/notes.md") == kept
    assert (tree / "link").readlink() == outside
    assert (tree / "dangling").readlink() == Path("nowhere")
    assert stat.S_ISFIFO((tree / "pipe").lstat().st_mode)
    assert (tree / "empty/inner").is_dir()
    assert stat.S_IMODE((tree / "empty").stat().st_mode) == 0o750
    assert [p.name for p in outside.iterdir()] == ["file"]


def test_emit__without_a_lock_nothing_is_removed(tmp_path: Path) -> None:
    run(tmp_path, OLD)
    (tmp_path / NAME / LOCK_NAME).unlink()
    report = run(tmp_path, NEW)
    assert report.removed == ()
    assert report.foreign_kept == ("b/z.yaml",)
    assert report.replaced == ("a/y.yaml",)


def test_emit__a_link_in_place_of_our_file_is_replaced_not_followed(tmp_path: Path) -> None:
    run(tmp_path, OLD)
    target = tmp_path / "target"
    target.write_text("theirs")
    (tmp_path / NAME / "a/y.yaml").unlink()
    (tmp_path / NAME / "a/y.yaml").symlink_to(target)
    run(tmp_path, NEW)
    assert not (tmp_path / NAME / "a/y.yaml").is_symlink()
    assert contents(tmp_path) == wanted(NEW)
    assert target.read_text() == "theirs"


def test_emit__a_linked_folder_is_in_the_way(tmp_path: Path) -> None:
    run(tmp_path, {"top.json": "1"})
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / NAME / "a").symlink_to(elsewhere)
    with pytest.raises(EnvironmentFault, match="`a` is in the way"):
        run(tmp_path, OLD)
    assert list(elsewhere.iterdir()) == []
    assert contents(tmp_path) == {"top.json": b"1"}


def test_emit__a_foreign_file_below_a_new_file_is_in_the_way(tmp_path: Path) -> None:
    run(tmp_path, {"a/x": "1"})
    (tmp_path / NAME / "a/notes").write_text("mine")
    with pytest.raises(EnvironmentFault, match="`a/notes` is in the way"):
        run(tmp_path, {"a": "1"})
    (tmp_path / NAME / "a/notes").unlink()
    assert run(tmp_path, {"a": "1"}).removed == ("a/x",)


def test_emit__the_tree_must_be_a_folder_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "else").mkdir()
    (tmp_path / NAME).symlink_to(tmp_path / "else")
    with pytest.raises(EnvironmentFault, match="no folder of its own"):
        run(tmp_path, OLD)
    assert list((tmp_path / "else").iterdir()) == []


@pytest.mark.parametrize(
    "path",
    [
        "../x",
        "/x",
        "a/../x",
        "a//x",
        "a/",
        ".",
        "a\\x",
        "a\nb",
        "a\x00",
        LOCK_NAME,
        "x" * 300,
        "",
        "é" * 200,
        "a/" * 600 + "x",
    ],
)
def test_emit__paths_that_leave_the_tree_are_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(ValueError, match="path"):
        run(tmp_path, {"fine": "", path: ""})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("pair", [("a", "a/b"), ("a/b", "A/b"), ("A", "a/b/c")])
def test_emit__paths_that_clash_are_refused(tmp_path: Path, pair: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="cannot stand in one tree"):
        run(tmp_path, dict.fromkeys(pair, ""))


def test_emit__a_second_run_is_kept_out(tmp_path: Path) -> None:
    with exclusive(tmp_path), pytest.raises(EnvironmentFault, match="another stowplan"):
        run(tmp_path, OLD)
    run(tmp_path, OLD)


@WAYS
@pytest.mark.parametrize("n_calls", range(24))
def test_emit__disk_full_at_any_step_leaves_the_old_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_one_step: bool, n_calls: int
) -> None:
    run(tmp_path, OLD)
    left = n_calls

    def failing(real: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **keywords: object) -> object:
            nonlocal left
            left -= 1
            if left < 0:
                raise OSError(28, "No space left on device", arguments[0] if isinstance(arguments[0], str) else None)
            return real(*arguments, **keywords)

        return call

    with monkeypatch.context() as patch:
        for name in ("link", "write", "mkdir"):
            patch.setattr(os, name, failing(getattr(os, name)))
        try:
            run(tmp_path, NEW, in_one_step)
        except EnvironmentFault as fault:
            assert "No space left on device" in str(fault)
            assert "\n" not in str(fault)
            assert contents(tmp_path) == wanted(OLD)
        else:
            assert contents(tmp_path) == wanted(NEW)
            assert n_calls > 8
    assert only_tree(tmp_path)
    run(tmp_path, NEW, in_one_step)
    assert contents(tmp_path) == wanted(NEW)


@pytest.mark.skipif(AS_ROOT, reason="root may write everywhere")
def test_emit__no_permission(tmp_path: Path) -> None:
    run(tmp_path, OLD)
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(EnvironmentFault, match="Permission denied"):
            run(tmp_path, NEW)
        assert contents(tmp_path) == wanted(OLD)
    finally:
        tmp_path.chmod(0o700)


def test_emit__no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match="No such file"):
        run(tmp_path / "nosuch", OLD)


def test_emit__copies_where_there_are_no_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path, OLD)
    before = (tmp_path / NAME / "a/x.yaml").stat().st_mtime_ns

    def no_links(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    run(tmp_path, NEW)
    assert contents(tmp_path) == wanted(NEW)
    assert (tmp_path / NAME / "a/x.yaml").stat().st_mtime_ns == before


def test_emit__falls_back_to_the_journal_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path, OLD)
    monkeypatch.setattr(swap, "exchange", lambda *_: False)
    run(tmp_path, NEW)
    assert contents(tmp_path) == wanted(NEW)
    assert only_tree(tmp_path)


def test_exchange__works_here_where_linux_offers_it(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "f").write_text(name)
    if not swap.exchange(tmp_path / "one", tmp_path / "other"):
        pytest.skip("this file system cannot exchange two folders")
    assert (tmp_path / "one/f").read_text() == "other"


class Crash(BaseException):
    """Stands for the power switch: nothing after it runs."""


@pytest.mark.parametrize("at_step", range(6))
def test_journal__a_crash_between_any_two_steps_is_finished_or_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_step: int
) -> None:
    run(tmp_path, OLD)
    left = at_step
    real_rename, real_unlink = Path.rename, Path.unlink

    def step() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Crash

    def rename(self: Path, target: Path) -> Path:
        step()
        return real_rename(self, target)

    def unlink(self: Path, missing_ok: bool = False) -> None:
        step()
        real_unlink(self, missing_ok)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", rename)
        patch.setattr(Path, "unlink", unlink)
        patch.setattr(atomic, "_remove", lambda folder: step())
        with pytest.raises(Crash):
            run(tmp_path, NEW, in_one_step=False)
            raise Crash
    with exclusive(tmp_path):
        swap.settle(tmp_path, NAME)
    assert contents(tmp_path) in (wanted(OLD), wanted(NEW))
    run(tmp_path, OLD)
    assert contents(tmp_path) == wanted(OLD)
    assert only_tree(tmp_path)


def test_settle__an_old_tree_without_a_journal_is_taken_back(tmp_path: Path) -> None:
    run(tmp_path, OLD)
    (tmp_path / NAME).rename(tmp_path / f".{NAME}.old-1")
    (tmp_path / f".{NAME}.stage-1").mkdir()
    assert not run(tmp_path, OLD).changed_anything
    assert only_tree(tmp_path)


def test_settle__a_journal_that_names_other_folders_is_not_obeyed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (tmp_path / f".{NAME}.journal").write_text("precious\n../precious\n")
    (tmp_path / f".{NAME}.stage-1").symlink_to(precious)
    run(tmp_path, OLD)
    assert precious.is_dir()
    assert contents(tmp_path) == wanted(OLD)


# ---------------------------------------------------------------- kill -9

FIRST = {f"c{i}/u{j}/f.yaml": f"first {i} {j}\n" if (i + j) % 2 else "same\n" for i in range(4) for j in range(3)}
SECOND = {f"c{i}/u{j}/f.yaml": f"second {i} {j}\n" if (i + j) % 2 else "same\n" for i in range(1, 5) for j in range(3)}


def emit_forever(root: Path, in_one_step: bool) -> None:
    """The child: one tree after the other until it is killed."""
    try:
        while True:
            run(root, SECOND, in_one_step)
            run(root, FIRST, in_one_step)
    finally:
        os._exit(3)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.slow
@pytest.mark.parametrize(("in_one_step", "times"), [(True, 200), (False, 100)], ids=["exchange", "journal"])
def test_kill__at_random_moments_the_tree_is_the_old_or_the_new(tmp_path: Path, in_one_step: bool, times: int) -> None:
    chance = random.Random(20)
    run(tmp_path, FIRST, in_one_step)
    begin = time.perf_counter()
    run(tmp_path, SECOND, in_one_step)
    run(tmp_path, FIRST, in_one_step)
    longest = 2 * (time.perf_counter() - begin) + 0.01
    seen = set()
    n_interrupted = 0
    for _ in range(times):
        child = os.fork()
        if child == 0:
            emit_forever(tmp_path, in_one_step)
        time.sleep(chance.uniform(0.001, longest))
        os.kill(child, signal.SIGKILL)
        assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
        leavings = [entry.name for entry in tmp_path.iterdir() if entry.name != NAME]
        n_interrupted += bool(leavings)
        if not in_one_step:  # two steps: between them the tree is missing until the next run starts
            with exclusive(tmp_path):
                swap.settle(tmp_path, NAME)
        state = contents(tmp_path)
        assert state in (wanted(FIRST), wanted(SECOND))
        files = FIRST if state == wanted(FIRST) else SECOND
        assert (tmp_path / NAME / LOCK_NAME).read_bytes() == write_lock(lock_of(files))
        seen.add("first" if files is FIRST else "second")
        assert not run(tmp_path, files, in_one_step).changed_anything
        assert only_tree(tmp_path)
    assert seen == {"first", "second"}
    assert n_interrupted > times // 10


# ---------------------------------------------------------------- comparing


def test_compare__says_what_is_missing_edited_and_left_over(tmp_path: Path) -> None:
    run(tmp_path, OLD)
    new = OutputTree(NEW, lock_of(NEW)).contents()
    assert compare(tmp_path, NAME, new) == TreeDifferences(("c/d/e.yaml",), ("a/y.yaml", LOCK_NAME), ("b/z.yaml",))
    assert not compare(tmp_path, NAME, OutputTree(OLD, lock_of(OLD)).contents())
    assert compare(tmp_path, "nosuch", new).missing == tuple(sorted(new))


def test_output__the_lock_must_list_the_files() -> None:
    with pytest.raises(ValueError, match="lists other files"):
        OutputTree(OLD, lock_of(NEW)).contents()


def test_journal__when_the_second_step_fails_the_first_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path, OLD)
    real = Path.rename

    def rename(self: Path, target: Path) -> Path:
        if ".stage-" in self.name and target.name == NAME:
            raise OSError(16, "Device or resource busy", str(self))
        return real(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(EnvironmentFault, match="busy"):
        run(tmp_path, NEW, in_one_step=False)
    assert contents(tmp_path) == wanted(OLD)
    assert only_tree(tmp_path)


paths = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=3).map("/".join)
trees = st.dictionaries(paths, st.text(alphabet="xy", max_size=2), max_size=5).filter(
    lambda files: not any(p != q and q.startswith(f"{p}/") for p in files for q in files)
)


@settings(max_examples=60, deadline=None)
@given(st.lists(trees, min_size=1, max_size=4), st.booleans())
def test_any_sequence_of_trees__ends_as_the_last(
    tmp_path_factory: pytest.TempPathFactory, sequence: list[dict[str, str]], in_one_step: bool
) -> None:
    root = tmp_path_factory.mktemp("root")
    for files in sequence:
        run(root, files, in_one_step)
        assert contents(root) == wanted(files)
    assert only_tree(root)
    folders = {p.relative_to(root / NAME).as_posix() for p in (root / NAME).rglob("*") if p.is_dir()}
    assert folders == {p.as_posix() for path in sequence[-1] for p in Path(path).parents if p != Path()}


def test_lock_on_disk_that_is_corrupt_removes_nothing(tmp_path: Path) -> None:
    run(tmp_path, OLD)
    (tmp_path / NAME / LOCK_NAME).write_text("{")
    assert parse_lock("x", b"{").failed
    assert run(tmp_path, NEW).removed == ()
