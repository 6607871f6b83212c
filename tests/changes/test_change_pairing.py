"""Which object was which: by name and not by path; and what is done with files that nobody vouches for."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from change_samples import BASE, COMPONENT, compile_change, component, told, tree_of

from stowplan.driver import Options, compile_workspace
from stowplan.emission.lock import Lock, digest
from stowplan.emission.previous import previous_tree
from stowplan.model.previous import PreviousFile, PreviousTree
from stowplan.passes.changes import find_changes
from stowplan.source.files import SourceTree

CLAIM = """apiVersion: v1
kind: ConfigMap
metadata: {name: NAME, namespace: SPACE}
immutable: true
data: {a: "VALUE"}
"""


def config(name: str, space: str, value: str) -> str:
    return CLAIM.replace("NAME", name).replace("SPACE", space).replace("VALUE", value)


def other_unit(files: dict[str, str], clusters: str = "[east]") -> dict[str, str]:
    """The same manifests as a component of another name, so that all its files lie elsewhere."""
    moved = COMPONENT.replace("name: own}", "name: other}").replace("clusters: [east]", f"clusters: {clusters}")
    return {**files, "fleet/own.yaml": moved}


def test_moved_to_another_unit__is_an_update() -> None:
    before, after = component(config("a", "tools", "1")), other_unit(component(config("a", "tools", "2")))
    [finding] = told(compile_change(before, after))
    assert "`data`" in finding.message
    assert any("clusters/east/component-own/configmap-tools-a.yaml" in note for note in finding.notes)


def test_moved_unchanged__is_no_change_and_no_file_is_read() -> None:
    text = config("a", "tools", "1")
    first = compile_workspace(SourceTree.from_texts({**BASE, **component(text)}))
    second = compile_workspace(SourceTree.from_texts({**BASE, **other_unit(component(text))}))
    assert second.rendered is not None
    tree = tree_of(first)
    read: list[str] = []
    watched = PreviousTree("rendered", tree.digests, lambda path: read.append(path) or tree.read(path))  # type: ignore[func-returns-value]
    digests = tree_of(second).digests
    changes = find_changes(second.rendered.objects, digests, watched)
    [made] = [made for made in second.rendered.objects if made.kind == "ConfigMap" and made.name == "a"]
    assert changes.is_kept(made)
    assert changes.before(made) == made.object
    assert not any("configmap" in path for path in read)


def test_on_another_cluster__is_another_object() -> None:
    before, after = component(config("a", "tools", "1")), other_unit(component(config("a", "tools", "2")), "[hub]")
    assert told(compile_change(before, after)) == []


def test_path_of_another_object__is_not_that_object() -> None:
    """`a-b` in `c` and `b-c` in `a` read alike as a path."""
    before, after = component(config("b-c", "a", "1")), component(config("c", "a-b", "2"))
    done = compile_change(before, after)
    assert told(done) == []
    assert not done.failed()


def test_nothing_changed__nothing_is_read() -> None:
    files = {**BASE, **component(config("a", "tools", "1"))}
    first = compile_workspace(SourceTree.from_texts(files))

    def fails(path: str) -> PreviousFile:
        raise AssertionError(path)

    tree = PreviousTree("rendered", tree_of(first).digests, fails)
    again = compile_workspace(SourceTree.from_texts(files), Options(tree_before=tree))
    assert again.files == first.files
    assert not again.speaks_of_changes


def test_no_tree_before__all_is_new() -> None:
    first = compile_workspace(SourceTree.from_texts(BASE))
    assert first.rendered is not None
    changes = find_changes(first.rendered.objects, {}, None)
    assert changes.added == {made.path for made in first.rendered.objects}
    assert changes.before(first.rendered.objects[0]) is None


def test_rendered_bytes_do_not_depend_on_the_tree_before() -> None:
    files = component(config("a", "tools", "2"))
    alone = compile_workspace(SourceTree.from_texts({**BASE, **files}))
    allowed = {**files, "policies/l.yaml": LEVELS}
    change = compile_change(component(config("a", "tools", "1")), allowed)
    assert told(change)
    assert change.files is not None
    assert alone.files is not None
    assert {p: t for p, t in change.files.items() if p.endswith(".yaml")} == {
        p: t for p, t in alone.files.items() if p.endswith(".yaml")
    }


LEVELS = """apiVersion: stowplan.io/v1alpha1
kind: RuleLevels
metadata: {name: house}
spec: {levels: {SP0830: note}}
"""
GOOD = b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"
FLOW = b"{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n"
HOSTILE = {
    "empty": b"",
    "binary": bytes(range(256)),
    "a list": b"- a\n",
    "two documents": GOOD + b"---\n" + GOOD,
    "no name": b"apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n",
    "a name that is none": b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: [a]}\n",
    "a kind that is none": b"apiVersion: v1\nkind: {}\nmetadata: {name: a}\n",
    "metadata that is none": b"apiVersion: v1\nkind: ConfigMap\nmetadata: a\n",
    "deep": b"a: " + b"[" * 5000 + b"]" * 5000 + b"\n",
    "deep blocks": b"".join(b" " * n + b"a:\n" for n in range(3000)),
    "aliases": b"a: &a [x, x]\n" + b"".join(b"b%d: &b%d [*a, *a]\n" % (n, n) for n in range(40)),
    "cut": b'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: "a\n',
    "tags": b"!!python/object/apply:os.system [true]\n",
}


@pytest.mark.parametrize("content", [GOOD, FLOW], ids=["canonical", "flow"])
def test_reader__an_object(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.yaml").write_bytes(content)
    tree = previous_tree(tmp_path, Lock("1", files={"a.yaml": digest(content)}), "rendered")
    file = tree.read("a.yaml")
    assert file.object is not None
    assert file.object["metadata"] == {"name": "a"}
    assert tree.read("a.yaml") is file


@pytest.mark.parametrize("case", HOSTILE)
def test_reader__what_is_no_object(tmp_path: Path, case: str) -> None:
    (tmp_path / "a.yaml").write_bytes(HOSTILE[case])
    tree = previous_tree(tmp_path, Lock("1", files={"a.yaml": digest(HOSTILE[case])}), "rendered")
    assert tree.read("a.yaml") == PreviousFile(None, "holds no object that can be read")


def _missing(path: Path) -> None:
    path.unlink()


def _edited(path: Path) -> None:
    path.write_bytes(GOOD + b"\n")


def _linked(path: Path) -> None:
    path.rename(path.with_name("b"))
    path.symlink_to("b")


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("damage", [_missing, _edited, _linked, _folder, _pipe])
def test_reader__what_the_lock_does_not_vouch_for(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    (tmp_path / "a.yaml").write_bytes(GOOD)
    damage(tmp_path / "a.yaml")
    file = previous_tree(tmp_path, Lock("1", files={"a.yaml": digest(GOOD)}), "rendered").read("a.yaml")
    assert file.object is None
    assert file.problem
