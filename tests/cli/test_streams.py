"""Exit codes, and what goes where: data to stdout, talk to stderr, on each way out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Ran

Run = Callable[..., Ran]


def plant(workspace: Path, file: str, before: str, after: str) -> None:
    path = workspace / file
    assert before in path.read_text()
    path.write_text(path.read_text().replace(before, after, 1))


@pytest.fixture
def broken(workspace: Path) -> Path:
    plant(workspace, "fleet/intents/batch.yaml", "tenant: vision", "tenant: vison")
    return workspace


def test_check__findings_below_the_level(run: Run, workspace: Path) -> None:
    done = run("check", "-C", workspace)
    assert done.code == 0
    assert "SP0604" in done.out
    assert done.err.startswith("checked ") and done.err.count("\n") == 1


@pytest.mark.parametrize(("level", "code"), [("error", 0), ("warning", 1), ("note", 1), ("never", 0)])
def test_check__fail_on(run: Run, workspace: Path, level: str, code: int) -> None:
    assert run("check", "-C", workspace, "--fail-on", level).code == code


def test_check__never_fails_when_told_so(run: Run, broken: Path) -> None:
    assert run("check", "-C", broken).code == 1
    assert run("check", "-C", broken, "--fail-on", "never").code == 0


def test_check__writes_nothing(run: Run, workspace: Path) -> None:
    before = sorted(workspace.rglob("*"))
    run("check", "-C", workspace)
    assert sorted(workspace.rglob("*")) == before


@pytest.mark.parametrize("format_", ["json", "sarif", "gitlab"])
def test_check__machine_formats_are_whole_documents(run: Run, broken: Path, format_: str) -> None:
    done = run("check", "-C", broken, "--format", format_)
    assert "SP0306" in json.dumps(json.loads(done.out))
    assert done.code == 1 and "SP0306" not in done.err


def test_check__jsonl(run: Run, broken: Path) -> None:
    lines = run("check", "-C", broken, "--format", "jsonl").out.splitlines()
    assert "SP0306" in {json.loads(line).get("code") for line in lines}


def test_check__place_for_editors(run: Run, broken: Path) -> None:
    out = run("check", "-C", broken, "--format", "concise").out
    assert out.startswith("fleet/intents/batch.yaml:6:11: SP0306 unknown Tenant `vison`")


def test_quiet__drops_the_summary(run: Run, workspace: Path) -> None:
    assert run("check", "-C", workspace, "-q").err == ""


def test_color(run: Run, broken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[" not in run("check", "-C", broken).out
    assert "\x1b[" in run("check", "-C", broken, "--color", "always").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in run("check", "-C", broken).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in run("check", "-C", broken).out


def test_text_of_users_cannot_steer_the_terminal(run: Run, workspace: Path) -> None:
    plant(workspace, "fleet/intents/batch.yaml", "tenant: vision", 'tenant: "vis\\e[31mon"')
    done = run("check", "-C", workspace)
    assert done.code == 1 and "\x1b" not in done.out + done.err


def test_environment__stands_for_options_and_yields_to_them(
    run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STOWPLAN_DIRECTORY", str(workspace))
    monkeypatch.setenv("STOWPLAN_FAIL_ON", "warning")
    assert run("check").code == 1
    assert run("check", "--fail-on", "error").code == 0


def test_compile__data_is_the_plan_and_the_rest_is_talk(run: Run, workspace: Path) -> None:
    done = run("compile", "-C", workspace)
    assert done.code == 0
    assert "asr-pretrain" in done.out and "SP0604" not in done.out
    assert "SP0604" in done.err and "rendered/:" in done.err
    assert (workspace / "rendered" / "stowplan.lock").is_file()
    silent = run("compile", "-C", workspace, "-qq")
    assert (silent.code, silent.out, silent.err) == (0, "", "")


def test_compile__with_errors_writes_nothing(run: Run, broken: Path) -> None:
    done = run("compile", "-C", broken)
    assert (done.code, done.out) == (1, "")
    assert "SP0306" in done.err
    assert not (broken / "rendered").exists()


def test_compile__check(run: Run, workspace: Path) -> None:
    assert run("compile", "-C", workspace, "--check").code == 1
    assert not (workspace / "rendered").exists()
    run("compile", "-C", workspace)
    same = run("compile", "-C", workspace, "--check")
    assert (same.code, same.out) == (0, "")
    victim = sorted((workspace / "rendered" / "clusters").rglob("*.yaml"))[0]
    victim.write_text(victim.read_text() + "# by hand\n")
    differs = run("compile", "-C", workspace, "--check")
    assert differs.code == 1
    assert differs.out == f"differs: {victim.relative_to(workspace).as_posix()}\n"


UNUSABLE = [
    ((), "Usage"),
    (("check", "--format", "yaml"), "yaml"),
    (("check", "-C", "/nonexistent"), "nonexistent"),
    (("check", "--fail-on", "fatal"), "fatal"),
    (("compile", "--as-of", "yesterday"), "RFC 3339"),
    (("explain",), "<what>"),
    (("schema", "Clusters"), "did you mean `Cluster`"),
    (("complie",), "Did you mean `compile`"),
    (("check", "--formt", "json"), "--format"),
]


@pytest.mark.parametrize(("arguments", "words"), UNUSABLE, ids=lambda a: " ".join(a) if isinstance(a, tuple) else None)
def test_usage__exit_code_two_and_nothing_on_stdout(
    run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], words: str
) -> None:
    monkeypatch.chdir(workspace)
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


def test_environment_fault__is_no_finding(run: Run, tmp_path: Path) -> None:
    done = run("check", "-C", tmp_path)
    assert done.code == 2 and done.err.startswith("error: ") and done.out == ""


def test_bug__is_no_finding(run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise KeyError("pool")

    monkeypatch.setattr("stowplan.workspace.compile_workspace", fails)
    done = run("check", "-C", workspace)
    assert (done.code, done.out) == (2, "")
    assert "error[SP9901]: internal error: KeyError: 'pool'" in done.err and "Traceback" not in done.err


def test_interrupt(run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("stowplan.workspace.compile_workspace", interrupted)
    assert run("check", "-C", workspace).code == 130


def test_init__never_overwrites(run: Run, tmp_path: Path) -> None:
    first = run("init", tmp_path / "new")
    assert first.code == 0 and "fleet/fleet.yaml" in first.out
    before = (tmp_path / "new" / "fleet" / "fleet.yaml").read_bytes()
    again = run("init", tmp_path / "new")
    assert again.code == 2 and "exists already" in again.err
    assert (tmp_path / "new" / "fleet" / "fleet.yaml").read_bytes() == before
    assert run("check", "-C", tmp_path / "new", "--fail-on", "warning").code == 0


def test_fmt(run: Run, workspace: Path) -> None:
    run("fmt", "-C", workspace)
    assert run("fmt", "-C", workspace, "--check").code == 0
    plant(workspace, "fleet/tenants.yaml", "  namespaces: [speech]", "  namespaces:   [speech]")
    check = run("fmt", "-C", workspace, "--check")
    assert (check.code, check.out) == (1, f"{workspace / 'fleet' / 'tenants.yaml'}\n")
    assert run("fmt", "-C", workspace).code == 0
    assert run("fmt", "-C", workspace, "--check").code == 0
