"""Kills what a test run leaves behind: a small process of its own that outlives the run by a moment.

It reads lines from its standard input: `+GROUP` for a process group that was started, `-GROUP` for one that has
ended. When the other end closes, because the test run ended or was killed, it kills every group still listed. (The
kernel's own parent-death signal is of no use here: it comes when the starting *thread* ends.)
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from typing import TextIO


def watch(lines: TextIO) -> None:
    """Read until the end, then kill the groups that have not ended."""
    groups: dict[int, None] = {}
    for line in lines:
        group = int(line[1:])
        if line.startswith("+"):
            groups[group] = None
        else:
            groups.pop(group, None)
    for group in groups:
        kill_group(group)


def kill_group(group: int) -> None:
    """Kill a process group that may be gone already."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


class Reaper:
    """The side of the test run: tells the reaper process which groups live."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            (sys.executable, "-I", "-S", __file__),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )

    def started(self, group: int) -> None:
        """Have a group killed when the run dies."""
        self._tell(f"+{group}\n")

    def ended(self, group: int) -> None:
        """Forget a group: its number may be given to another."""
        self._tell(f"-{group}\n")

    @property
    def pid(self) -> int:
        """The reaper's own process id."""
        return self._process.pid

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        with self._lock:
            self._process.stdin.write(line)
            self._process.stdin.flush()

    def close(self) -> None:
        """End the reaper, and with it every group still listed."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=10)


_shared: Reaper | None = None
_shared_lock = threading.Lock()


def reaper() -> Reaper:
    """The one reaper of this test run, started at first use."""
    global _shared
    with _shared_lock:
        if _shared is None:
            _shared = Reaper()
        return _shared


def close_reaper() -> None:
    """End the run's reaper, at the end of the run."""
    global _shared
    with _shared_lock:
        if _shared is not None:
            _shared.close()
            _shared = None


if __name__ == "__main__":
    watch(sys.stdin)
