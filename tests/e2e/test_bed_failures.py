"""When a server cannot start: the message names it and shows its last lines, and nothing is left running."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from harness import control_plane
from harness.bed import Bed
from harness.binaries import REQUIRED, executable
from harness.patience import PATIENCE
from harness.processes import Server, ServerError, free_port, running

HARNESS = str(Path(__file__).parent)


def _exists(pid: int) -> bool:
    """Whether a process is there and not just a corpse that nobody has fetched."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except FileNotFoundError:
        return False


def _gone(pids: list[int], timeout: float = PATIENCE) -> bool:
    deadline = time.monotonic() + timeout
    while any(_exists(pid) for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_a_port_that_is_taken_is_said_before_the_start(tmp_path: Path) -> None:
    before = running()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ServerError, match=rf"east-etcd: port {port} on 127\.0\.0\.1 is taken by another process"):
            Server("east-etcd", [executable("etcd")], tmp_path, ports=(port,))
    assert running() == before


def test_a_port_taken_at_the_last_moment_is_in_the_last_lines(bed: Bed, monkeypatch: pytest.MonkeyPatch) -> None:
    before = running()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        monkeypatch.setattr(control_plane, "free_port", lambda: taken.getsockname()[1])
        monkeypatch.setattr("harness.processes.port_taken", lambda port: False)
        with pytest.raises(ServerError, match=r"(?s)east-etcd: died: .*bind: address already in use"):
            bed.plane("east")
    assert running() == before


def test_a_server_that_dies_at_start_is_named_with_its_last_lines(bed: Bed, monkeypatch: pytest.MonkeyPatch) -> None:
    before = running()
    real = control_plane._api_server_command
    monkeypatch.setattr(control_plane, "_api_server_command", lambda *rest: [*real(*rest), "--no-such-flag"])
    with pytest.raises(ServerError) as failure:
        bed.planes("east", "west")
    assert str(failure.value).startswith("east-kube-apiserver: died: ended with exit code 1\n")
    assert "    | Error: unknown flag: --no-such-flag\n" in str(failure.value)
    assert "whole log: " in str(failure.value)
    assert running() == before


def test_stopping_a_plane_ends_every_process_and_drops_its_data(bed: Bed) -> None:
    plane = bed.plane("east", controller_manager=True)
    servers = (plane.etcd, plane.api_server, plane.controller_manager)
    pids = [server.pid for server in servers if server is not None]
    assert len(pids) == 3
    assert all(_exists(pid) for pid in pids)
    plane.stop()
    assert _gone(pids, timeout=0)
    assert not (plane.folder / "etcd").exists()
    assert plane.api_server.log.exists()
    plane.stop()


def test_what_a_server_started_goes_with_it(tmp_path: Path) -> None:
    script = "sleep 300 & echo $!; wait"
    server = Server("parent", ["sh", "-c", script], tmp_path)
    server.wait_ready(lambda: server.log.read_text().endswith("\n"))
    child = int(server.log.read_text())
    assert _exists(child)
    server.stop()
    assert _gone([server.pid, child])


def test_a_server_that_is_never_ready_is_stopped(tmp_path: Path) -> None:
    server = Server("slow", ["sh", "-c", "echo still thinking; sleep 300"], tmp_path)
    with pytest.raises(ServerError, match=r"slow: not ready after 0\.3 s\n    \| still thinking"):
        server.wait_ready(lambda: False, timeout=0.3)
    assert _gone([server.pid])


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_survives_a_test_run_that_is_killed(tmp_path: Path, how: signal.Signals) -> None:
    script = f"""
import os, sys, time
sys.path.insert(0, {HARNESS!r})
from pathlib import Path
from harness.processes import Server
from harness.reaper import reaper
servers = [Server(f"server-{{n}}", ["sh", "-c", "sleep 300 & wait"], Path({str(tmp_path)!r})) for n in range(2)]
print(reaper().pid, *[server.pid for server in servers], flush=True)
time.sleep(300)
"""
    with subprocess.Popen((sys.executable, "-c", script), stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        pids = [int(word) for word in run.stdout.readline().split()]
        assert len(pids) == 3
        assert all(_exists(pid) for pid in pids)
        run.send_signal(how)
    assert _gone(pids)


@pytest.mark.parametrize(("required", "outcome"), [("1", "failed"), ("", "skipped")])
def test_a_missing_server_skips_or_fails(tmp_path: Path, required: str, outcome: str) -> None:
    test = Path(__file__).with_name("test_bed_kustomize.py")
    environment = {**os.environ, REQUIRED: required, "STOWPLAN_SERVERS_CACHE": str(tmp_path)}
    command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test))
    done = subprocess.run(command, env=environment, cwd=test.parent, capture_output=True, text=True, check=False)
    assert f"2 {outcome}" in done.stdout
    assert "kustomize: the server kustomize is not built: run `make servers`" in done.stdout


def test_ports_are_given_out_once() -> None:
    ports = [free_port() for _ in range(50)]
    assert len(set(ports)) == 50
    assert all(20000 <= port < 32000 for port in ports)
