"""Starts one server as a process group of its own, waits until it is ready, stops it by its own process id."""

from __future__ import annotations

import os
import random
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

from harness.patience import PATIENCE
from harness.reaper import kill_group, reaper

LAST_LINES = 20
_PORTS = range(20000, 32000)
"""Below the range that the kernel takes client ports from, so that no outgoing connection takes one of ours."""

_given: set[int] = set()
_given_lock = threading.Lock()
_random = random.Random(os.getpid() * 7919 + time.monotonic_ns())


class ServerError(Exception):
    """A server that did not start or did not become ready: names it, shows the last lines of its log, gives advice."""

    def __init__(self, server: str, reason: str, log: Path | None = None, advice: str = "") -> None:
        shown = f"\n{tail(log)}" if log is not None else ""
        where = f"\n    whole log: {log}" if log is not None else ""
        super().__init__(f"{server}: {reason}{shown}{where}" + (f"\n    {advice}" if advice else ""))
        self.server = server


def tail(log: Path, lines: int = LAST_LINES) -> str:
    """The last lines of a log, each marked as such."""
    try:
        with log.open("rb") as stream:
            stream.seek(max(0, log.stat().st_size - 64 * 1024))
            text = stream.read().decode(errors="replace")
    except FileNotFoundError:
        return "    | (no log)"
    last = [line[:400] for line in text.splitlines()[-lines:]]
    return "\n".join(f"    | {line}" for line in last) or "    | (the log is empty)"


def free_port() -> int:
    """A loopback port that nothing listens on and that this run has not given out before."""
    with _given_lock:
        for _ in range(1000):
            port = _random.choice(_PORTS)
            if port not in _given and not port_taken(port):
                _given.add(port)
                return port
    raise ServerError("harness", "no free loopback port found between 20000 and 32000")


def port_taken(port: int) -> bool:
    """Whether something listens on the loopback port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


class Server:
    """One running server. `name` is what messages call it, `log` holds both its outputs.

    `called` is the name that the program sees itself called by: some make it their field manager's.

    Use as a context manager, or call `stop`. What the server started itself goes with it: the group is killed whole.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        folder: Path,
        *,
        environment: Mapping[str, str] | None = None,
        ports: Sequence[int] = (),
        called: str = "",
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.name = name
        self.log = folder / f"{name}.log"
        self.ports = tuple(ports)
        self._refuse_taken_ports()
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(
                [called or str(command[0]), *(str(part) for part in command[1:])],
                executable=shutil.which(command[0]) or str(command[0]),
                cwd=folder,
                env={**_clean_environment(), **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        reaper().started(self.pid)
        with _running_lock:
            _running[self.pid] = self

    def _refuse_taken_ports(self) -> None:
        for port in self.ports:
            if port_taken(port):
                advice = "End what listens there (`ss -ltnp` shows it) or run the tests again for other ports."
                raise ServerError(self.name, f"port {port} on 127.0.0.1 is taken by another process", advice=advice)

    @property
    def pid(self) -> int:
        """The server's process id, and its group's."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the server still runs."""
        return self._process.poll() is None

    def wait_ready(self, ready: Callable[[], bool], timeout: float = PATIENCE, interval: float = 0.1) -> Self:
        """Wait until `ready` says so; a server that dies or takes too long is stopped and reported.

        Raises:
            ServerError: with the last lines of the log.
        """
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            self.require_alive()
            if ready():
                return self
            time.sleep(interval)
        self.stop()
        raise ServerError(self.name, f"not ready after {timeout:g} s", self.log, "A busy machine may need longer.")

    def require_alive(self) -> None:
        """Raise ServerError when the server has died."""
        code = self._process.poll()
        if code is not None:
            self.stop()
            how = f"killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
            raise ServerError(self.name, f"died: {how}", self.log, "The last lines above are the server's own words.")

    def stop(self) -> None:
        """Kill the server and everything it started, at once: its data are the test's. Safe to call twice."""
        with _running_lock:
            known = _running.pop(self.pid, None) is not None
        if known:
            kill_group(self.pid)
        self._process.wait(timeout=PATIENCE)
        if known:
            reaper().ended(self.pid)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


_running: dict[int, Server] = {}
_running_lock = threading.Lock()


def running() -> tuple[Server, ...]:
    """Every server of this run that was started and not stopped, in the order of starting."""
    with _running_lock:
        return tuple(_running.values())


def stop_all() -> None:
    """Stop every server that still runs, the youngest first."""
    for server in reversed(running()):
        server.stop()


def _clean_environment() -> dict[str, str]:
    """The environment without what would lead a server to another cluster or through a proxy."""
    dropped = {"KUBECONFIG", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY", "all_proxy"}
    return {name: value for name, value in os.environ.items() if name not in dropped}
