"""The builder: its cache is keyed by content, half a build never counts, and a failure says which server and why."""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
from pathlib import Path

import pytest
from harness import build as builder
from harness import servers
from harness.servers import SERVERS, Server, built_folder, find

OWN_MAINS = {"kube": "k8s.io/kubernetes", "argocd": "github.com/argoproj/argo-cd/v3"}
"""What those are of whose main package is ours."""

MAIN = 'package main\n\nimport "os"\n\nfunc main() { os.Exit(7) }\n'


@pytest.fixture
def hello(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A server of one file, with a cache of its own and Go's cache as it is."""
    monkeypatch.setenv("STOWPLAN_SERVERS_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)
    monkeypatch.setattr(servers, "MODULES", tmp_path)
    (tmp_path / "hello").mkdir()
    (tmp_path / "hello" / "go.mod").write_text("module hello.test\n\ngo 1.26.0\n")
    (tmp_path / "hello" / "main.go").write_text(MAIN)
    server = Server("hello", "v1", ".", ("hello", "goodbye"), (), 0.1)
    monkeypatch.setattr(builder, "SERVERS", {"hello": server})
    return server


def _needs_go() -> None:
    if shutil.which("go") is None:
        pytest.skip("Go is not on the PATH")


def test_a_server_is_built_once_and_again_when_its_content_changes(
    hello: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    _needs_go()
    assert builder.main([]) == 0
    folder = built_folder(hello)
    assert (folder / "goodbye").stat().st_ino == (folder / "hello").stat().st_ino
    said = capsys.readouterr().out
    assert said.startswith("hello v1: building (about 0.1 min on two busy cores) ...\nhello v1: built in ")
    made = (folder / "hello").stat().st_mtime_ns
    assert builder.main(["hello"]) == 0
    assert capsys.readouterr().out.startswith("hello v1: there already, ")
    assert (folder / "hello").stat().st_mtime_ns == made
    (hello.folder / "main.go").write_text(MAIN.replace("7", "8"))
    assert built_folder(hello) != folder
    assert not built_folder(hello).exists()


def test_a_failed_build_says_which_server_and_what_to_do(hello: Server, capsys: pytest.CaptureFixture[str]) -> None:
    _needs_go()
    (hello.folder / "main.go").write_text("package main\n\nfunc main() { absent() }\n")
    assert builder.main([]) == 2
    error = capsys.readouterr().err
    assert error.startswith("hello: `go build` ended with 1\n")
    assert "    | ./main.go:3:15: undefined: absent\n" in error
    assert "Run `make servers` again after mending this" in error
    assert not built_folder(hello).exists()
    assert [path.name for path in built_folder(hello).parent.iterdir() if path.is_dir()] == []


def test_a_module_that_cannot_be_fetched_points_at_the_network(
    hello: Server, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _needs_go()
    monkeypatch.setenv("GOPROXY", "off")
    (hello.folder / "main.go").write_text(MAIN.replace('"os"', '(\n\t"os"\n\n\t_ "absent.test/module"\n)'))
    (hello.folder / "go.mod").write_text("module hello.test\n\ngo 1.26.0\n\nrequire absent.test/module v1.2.3\n")
    hashed = "h1:cUXqp2Ki46IovJB+XpkfaFNzitQDJjyfjrCAsl5Jnns="
    sums = (f"absent.test/module v1.2.3{part} {hashed}\n" for part in ("", "/go.mod"))
    (hello.folder / "go.sum").write_text("".join(sums))
    assert builder.main([]) == 2
    error = capsys.readouterr().err
    assert error.startswith("hello: `go build` ended with 1\n")
    assert "check the network and `go env GOPROXY`" in error


def test_without_go_the_message_says_so(
    hello: Server, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    assert builder.main([]) == 2
    error = capsys.readouterr().err
    assert error.startswith("hello: Go is not on the PATH\n    Install Go 1.24 or newer")


def test_what_a_killed_build_left_is_swept_away_and_does_not_count(hello: Server) -> None:
    _needs_go()
    remains = built_folder(hello).parent / ".hello-killed"
    remains.mkdir(parents=True)
    (remains / "hello").write_bytes(b"half")
    builder.build(hello)
    assert not remains.exists()
    assert (built_folder(hello) / "hello").stat().st_size > 1000


def test_the_key_covers_everything_that_a_server_is_made_of(hello: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {hello.key()}
    for changed in ({"package": "./x"}, {"variables": (("a.b", "c"),)}, {"names": ("hello",)}):
        keys.add(dataclasses.replace(hello, **changed).key())
    (hello.folder / "go.sum").write_text("")
    same = hello.key()
    (hello.folder / "go.sum").write_text("x\n")
    keys |= {hello.key()}
    monkeypatch.setattr(servers, "TOOLCHAIN", "go1.0")
    keys |= {hello.key()}
    assert len(keys) == 6
    assert same in keys


def test_assets_that_were_brought_win_for_the_api_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STOWPLAN_SERVERS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path))
    monkeypatch.delenv(servers.KUEUE, raising=False)
    for name in ("etcd", "kube-apiserver", "kueue"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    assert find("kube-apiserver") == tmp_path / "kube-apiserver"
    assert find("kube-controller-manager") is None
    assert find("kueue") is None
    assert servers.missing(("etcd", "kube-apiserver")) == ()
    assert servers.missing(("etcd", "kube-controller-manager", "kueue")) == ("kube", "kueue")


def test_a_run_may_choose_another_release_of_kueue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has to be named to be built, and with it come its own definitions."""
    monkeypatch.setenv("STOWPLAN_SERVERS_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)
    monkeypatch.delenv(servers.KUEUE, raising=False)
    assert servers.chosen("kueue").release == "0.17.0"
    monkeypatch.setenv(servers.KUEUE, "0.19")
    assert servers.chosen("kueue").release == "0.19.0"
    assert servers.missing(("kueue", "kustomize")) == ("kueue-0.19", "kustomize")
    monkeypatch.setenv(servers.KUEUE, "0.16")
    with pytest.raises(servers.ChoiceError, match=r"STOWPLAN_KUEUE=0\.16: there is no such server, only 0\.17, 0\.19"):
        servers.chosen("kueue")


def test_what_replaces_another_is_built_only_by_name(
    hello: Server, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _needs_go()
    newer = dataclasses.replace(hello, version="v2", variables=(("main.version", "2"),), replaces="hello")
    monkeypatch.setattr(builder, "SERVERS", {"hello": hello, "hello-2": newer})
    assert builder.main([]) == 0
    assert not built_folder(newer).exists()
    assert builder.main(["hello-2"]) == 0
    assert built_folder(newer).exists()
    assert capsys.readouterr().out.count("built in") == 2


def test_servers_of_one_module_are_built_one_by_one(hello: Server) -> None:
    _needs_go()
    other = dataclasses.replace(hello, name="other", names=("other",), package="./other", of_module="hello")
    (hello.folder / "other").mkdir()
    (hello.folder / "other" / "main.go").write_text(MAIN.replace("7", "9"))
    assert (other.folder, other.key() != hello.key()) == (hello.folder, True)
    for server in (hello, other):
        builder.build(server)
    codes = [subprocess.run([built_folder(s) / s.names[0]], check=False).returncode for s in (hello, other)]
    assert codes == [7, 9]


def test_every_server_has_its_module_pinned() -> None:
    for server in SERVERS.values():
        text = (server.folder / "go.mod").read_text()
        module = OWN_MAINS.get(server.name, server.package)
        assert any(f"{prefix} {server.version}" in text for prefix in _prefixes(module)), server.name
        assert (server.folder / "go.sum").stat().st_size > 0


def _prefixes(module: str) -> list[str]:
    parts = module.split("/")
    return ["/".join(parts[:length]) for length in range(2, len(parts) + 1)]
