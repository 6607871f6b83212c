"""Finding and reading the files of a workspace: order, links, pipes, budgets, and what the machine refuses."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from stowplan.source.faults import EnvironmentFault
from stowplan.source.files import ReadSettings, SourceTree
from stowplan.source.limits import Limits
from stowplan.source.problems import ProblemKind


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def test_read__sorted_and_complete(tmp_path: Path) -> None:
    names = ["fleet/b.yaml", "fleet/a/z.yml", "fleet/B.yaml", "policies/p.yaml", "fleet/c/t.yaml.j2", "templates/x.j2"]
    ignored = ["other/x.yaml", "fleet/readme.md", "fleet/.git/x.yaml", "fleet/.hidden.yaml", "x.yaml"]
    write(tmp_path, dict.fromkeys(names + ignored, "a: 1\n"))
    tree = SourceTree.read(tmp_path)
    assert [f.path for f in tree.files] == ["fleet/B.yaml", "fleet/a/z.yml", "fleet/b.yaml", "policies/p.yaml"]
    assert [t.path for t in tree.templates] == ["fleet/c/t.yaml.j2", "templates/x.j2"]
    assert tree.problems == ()


def test_read__equals_from_texts(tmp_path: Path) -> None:
    files = {"fleet/a.yaml": "a: no\n---\nb: 1\n", "fleet/t.yaml.j2": "{{ x }}\n"}
    read, made = SourceTree.read(write(tmp_path, files)), SourceTree.from_texts(files)
    assert read.files == made.files and read.templates == made.templates and read.problems == made.problems


def link_outside(root: Path) -> str:
    (root.parent / "secret.yaml").write_text("a: 1\n")
    (root / "fleet/link.yaml").symlink_to(root.parent / "secret.yaml")
    return "leads out of the workspace"


def folder_outside(root: Path) -> str:
    (root / "fleet/link").symlink_to("/etc")
    return "leads out of the workspace"


def folder_inside(root: Path) -> str:
    (root / "fleet/loop").symlink_to(root / "fleet")
    return "link to a folder"


def circle(root: Path) -> str:
    (root / "fleet/one").symlink_to("two")
    (root / "fleet/two").symlink_to("one")
    return "leads nowhere"


def circle_named_yaml(root: Path) -> str:
    (root / "fleet/one.yaml").symlink_to("one.yaml")
    return "leads nowhere"


def pipe(root: Path) -> str:
    os.mkfifo(root / "fleet/pipe.yaml")
    return "not a regular file"


def odd_name(root: Path) -> str:
    (root / "fleet/a\nb.yaml").write_text("a: 1\n")
    return "cannot be printed"


def undecodable_name(root: Path) -> str:
    with Path(os.fsdecode(os.fsencode(root / "fleet") + b"/\xff.yaml")).open("w") as file:
        file.write("a: 1\n")
    return "cannot be printed"


REFUSED = [link_outside, folder_outside, folder_inside, circle_named_yaml, pipe, odd_name, undecodable_name]


def test_read__refuses_links_in_a_circle(tmp_path: Path) -> None:
    root = write(tmp_path / "w", {"fleet/a.yaml": "a: 1\n"})
    reason = circle(root)
    found = SourceTree.read(root).problems
    assert [(p.path, reason in p.details[0]) for p in found] == [("fleet/one", True), ("fleet/two", True)]


@pytest.mark.parametrize("make", REFUSED)
def test_read__refuses(tmp_path: Path, make: Callable[[Path], str]) -> None:
    root = write(tmp_path / "w", {"fleet/a.yaml": "a: 1\n"})
    reason = make(root)
    tree = SourceTree.read(root)
    [problem] = tree.problems
    assert problem.kind is ProblemKind.UNUSABLE_FILE
    assert reason in problem.details[0]
    assert problem.path.isprintable()
    assert [file.path for file in tree.files] == ["fleet/a.yaml"]


def test_read__follows_links_to_files_inside(tmp_path: Path) -> None:
    root = write(tmp_path, {"fleet/a.yaml": "a: 1\n"})
    (root / "fleet/b.yaml").symlink_to("a.yaml")
    tree = SourceTree.read(root)
    assert [file.path for file in tree.files] == ["fleet/a.yaml", "fleet/b.yaml"]
    assert tree.files[0].digest == tree.files[1].digest


def no_folder(root: Path) -> None:
    (root / "fleet").rename(root / "x")


def file_for_folder(root: Path) -> None:
    no_folder(root)
    (root / "fleet").write_text("x")


def dangling(root: Path) -> None:
    (root / "fleet/b.yaml").symlink_to("missing.yaml")


@pytest.mark.parametrize("spoil", [no_folder, file_for_folder, dangling])
def test_read__environment_fault(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    spoil(write(tmp_path, {"fleet/a.yaml": "a: 1\n"}))
    with pytest.raises(EnvironmentFault) as caught:
        SourceTree.read(tmp_path)
    assert "\n" not in str(caught.value) and "fleet" in str(caught.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("name", ["fleet", "fleet/a.yaml"])
def test_read__no_permission(tmp_path: Path, name: str) -> None:
    root = write(tmp_path, {"fleet/a.yaml": "a: 1\n"})
    (root / name).chmod(0)
    try:
        with pytest.raises(EnvironmentFault, match="permission denied"):
            SourceTree.read(root)
    finally:
        (root / name).chmod(0o700)


def test_read__missing_root(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match="does not exist"):
        SourceTree.read(tmp_path / "nowhere")


BUDGETS = {
    "files": (Limits(files=2), 2),
    "workspace": (Limits(total_bytes=12), 2),
    "file": (Limits(file_bytes=4), 3),
}


@pytest.mark.parametrize("what", BUDGETS)
def test_read__budgets(tmp_path: Path, what: str) -> None:
    limits, n_files = BUDGETS[what]
    root = write(tmp_path, {f"fleet/{name}.yaml": "a: 1\n" for name in "abc"})
    tree = SourceTree.read(root, ReadSettings(limits=limits))
    assert {problem.value for problem in tree.problems} == {what}
    assert {problem.kind for problem in tree.problems} == {ProblemKind.TOO_LARGE}
    assert len(tree.files) == n_files


def test_template__problems_and_excerpts() -> None:
    tree = SourceTree.from_texts({"t.yaml.j2": "a: {{ x }}\nb: \ue000\n", "u.j2": b"\xff"})
    kinds = [(problem.path, problem.kind) for problem in tree.problems]
    assert kinds == [("t.yaml.j2", ProblemKind.FORBIDDEN_CHARACTER), ("u.j2", ProblemKind.INVALID_ENCODING)]
    assert tree.excerpt("t.yaml.j2", 1) == "a: {{ x }}"


def test_example_workspace_reads_clean() -> None:
    folder = os.environ.get("STOWPLAN_EXAMPLES")
    if not folder:
        pytest.skip("STOWPLAN_EXAMPLES is not set")
    tree = SourceTree.read(Path(folder) / "workspace")
    assert tree.problems == ()
    assert len(tree.files) == 16 and len(tree.templates) == 1


@pytest.mark.parametrize(
    ("text", "is_incomplete"),
    [
        ("a: 1\n", False),
        ("a: no\n", False),
        ("a: 1\na: 2\n", False),
        ("a: *x\n", False),
        ("a: [\n", True),
        (b"\xff\xfea\0", True),
        (b"a: \xff\n", True),
        ("- no\n" * 200, True),
        ("[" * 101 + "]" * 101, True),
    ],
)
def test_is_incomplete(text: str | bytes, is_incomplete: bool) -> None:
    assert SourceTree.from_texts({"a.yaml": text}).is_incomplete is is_incomplete
