"""Changes on the command line: told before they are written, gone afterwards; against another checkout in CI."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from stowplan.cli.main import run
from stowplan.recall import recall as module
from stowplan.resources import builtin_folder

POLICY = """apiVersion: stowplan.io/v1alpha1
kind: GuardrailPolicy
metadata: {name: image-by-release}
spec:
  match: {kinds: [JobSet]}
  validations:
    - expression: oldObject == null || oldObject.spec.replicatedJobs == object.spec.replicatedJobs
      messageExpression: "request.operation + ' of what runs'"
      message: what runs is changed
  level: warning
"""
EXEMPT = """apiVersion: stowplan.io/v1alpha1
kind: Exemption
metadata: {name: house}
spec:
  exemptions:
    - {rule: immutable-job, subject: "*", reason: replaced by hand, expires: "2099-01-01T00:00:00Z"}
"""
INTENT = "fleet/intents/training.yaml"
Said = tuple[int, str]
Run = Callable[..., Said]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(module, "program_digest", lambda: "this")
    root = Path(shutil.copytree(builtin_folder("init"), tmp_path / "workspace"))
    assert run(["compile", "-qq", "-C", str(root)]) == 0
    return root


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(command: str, root: Path, *options: str) -> Said:
        capsys.readouterr()
        code = run([command, "-C", str(root), "--format", "concise", *options])
        said = capsys.readouterr()
        return code, said.out + said.err

    return call


def change(root: Path, comment: str = "") -> None:
    path = root / INTENT
    text = path.read_text()
    assert "command: [torchrun, train.py]" in text
    path.write_text(text.replace("command: [torchrun, train.py]", f"command: [python, train.py]{comment}"))


def test_told_before_it_is_written__and_nothing_is(root: Path, say: Run) -> None:
    change(root)
    for command in ("check", "compile"):
        code, said = say(command, root)
        assert code == 1
        assert f"{INTENT}:" in said
        assert "SP2075" in said
    assert "SP2075" in say("compile", root, "--check")[1]
    shown = (root / "rendered").rglob("*.yaml")
    assert not any("python" in path.read_text() for path in shown)


def test_suppressed__written__and_then_unused(root: Path, say: Run) -> None:
    change(root, "  # stowplan: allow[SP2075] replaced by hand")
    code, said = say("compile", root)
    assert code == 0
    assert "SP2075" not in said
    assert "1 written" in said  # the job
    for _ in range(3):  # not remembered, compiled anew, remembered
        code, said = say("compile", root)
        assert code == 0
        assert "SP0105" in said
        assert "0 written" in said
    assert say("compile", root, "--check")[0] == 0


def test_exempt__written__and_then_unused(root: Path, say: Run) -> None:
    change(root)
    (root / "policies" / "house.yaml").write_text(EXEMPT)
    code, said = say("compile", root)
    assert code == 0
    assert "SP1222" not in said
    for _ in range(3):
        assert "SP1222" in say("compile", root)[1]


def test_guardrail_with_the_old_object__is_not_replayed(root: Path, say: Run) -> None:
    (root / "policies" / "house.yaml").write_text(EXEMPT)
    (root / "policies" / "release.yaml").write_text(POLICY)
    for _ in range(3):
        assert "of what runs" not in say("compile", root)[1]
    change(root)
    code, said = say("compile", root)
    assert code == 0
    assert "UPDATE of what runs" in said
    for _ in range(3):
        code, said = say("compile", root)
        assert code == 0
        assert "of what runs" not in said


def test_new_objects_have_no_old_one(tmp_path: Path, say: Run) -> None:
    root = Path(shutil.copytree(builtin_folder("init"), tmp_path / "fresh"))
    policy = POLICY.replace(
        "oldObject == null || oldObject.spec.replicatedJobs == object.spec.replicatedJobs", "oldObject != null"
    )
    (root / "policies" / "release.yaml").write_text(policy)
    assert "CREATE of what runs" in say("compile", root)[1]
    for _ in range(3):
        assert "of what runs" not in say("compile", root)[1]


def test_damaged_tree__is_a_note_and_no_guess(root: Path, say: Run) -> None:
    [job] = (root / "rendered").rglob("jobset-*.yaml")
    job.write_text(job.read_text() + "# edited\n")
    assert "SP0831" not in say("check", root)[1]  # nothing is to change
    change(root)
    code, said = say("check", root)
    assert code == 0
    assert "SP0831" in said
    assert "SP2075" not in said
    job.unlink()
    assert "SP0831" in say("compile", root)[1]
    assert "SP0831" not in say("compile", root)[1]


def test_previous__another_checkout(root: Path, say: Run, tmp_path: Path) -> None:
    base = Path(shutil.copytree(root, tmp_path / "base"))
    change(root, "  # stowplan: allow[SP2075] replaced by hand")
    assert say("compile", root)[0] == 0
    path = root / INTENT
    path.write_text(path.read_text().replace("  # stowplan: allow[SP2075] replaced by hand", ""))
    assert say("compile", root)[0] == 0
    assert "SP2075" not in say("check", root)[1]
    for place in (base, base / "rendered"):
        code, said = say("check", root, "--previous", str(place))
        assert code == 1
        assert "SP2075" in said
    assert say("check", root, "--previous", str(root))[0] == 0


@pytest.mark.parametrize("lock", [None, b"", b"{}", b"<<<<<<< HEAD\n"])
def test_previous__that_is_none(root: Path, say: Run, tmp_path: Path, lock: bytes | None) -> None:
    other = tmp_path / "other"
    (other / "rendered").mkdir(parents=True)
    if lock is not None:
        (other / "rendered" / "stowplan.lock").write_bytes(lock)
    code, said = say("check", root, "--previous", str(other))
    assert code == 2
    assert "is no rendered tree" in said
