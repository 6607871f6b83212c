"""Builds the real servers once, into a cache keyed by content: `python -m harness.build [NAME...]`.

Exit codes: 0 all there, 2 one could not be built (one line says which, the last lines of its log, what to do).
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.servers import SERVERS, TOOLCHAIN, Server, brought, built_folder, cache_root

LAST_LINES = 12

_NETWORK_SIGNS = (
    "dial tcp",
    "no such host",
    "i/o timeout",
    "connection refused",
    "network is unreachable",
    "module lookup disabled",
    "403 Forbidden",
    "404 Not Found",
    "410 Gone",
    "TLS handshake",
    "proxyconnect",
)


class BuildError(Exception):
    """A server that could not be built: `server` is its name, the text says why and what to do."""

    def __init__(self, server: str, reason: str, advice: str, log: str = "") -> None:
        lines = log.strip().splitlines()[-LAST_LINES:]
        shown = "".join(f"\n    | {line}" for line in lines)
        super().__init__(f"{server}: {reason}{shown}\n    {advice}")
        self.server = server


@dataclass(frozen=True, slots=True)
class Built:
    """One server that is there: folder, seconds that the build took (0 from the cache), bytes."""

    server: str
    folder: Path
    seconds: float
    size: int


def go_environment() -> dict[str, str]:
    """The environment of every go command here: one toolchain, no cgo, nothing of the user's flags or workspaces.

    Compilers and linkers collect garbage only near a limit, unless the user says otherwise: that takes a quarter less CPU.
    """
    memory = {"GOGC": "off", "GOMEMLIMIT": "4GiB"}
    ours = {"GOTOOLCHAIN": TOOLCHAIN, "CGO_ENABLED": "0", "GOFLAGS": "", "GOWORK": "off", "GO111MODULE": "on"}
    return {**memory, **os.environ, **ours}


def build(server: Server) -> Built:
    """Bring one server into the cache; from the cache when this very content was built before."""
    folder = built_folder(server)
    if all(brought(name) for name in server.names):
        return Built(server.name, Path(os.environ["KUBEBUILDER_ASSETS"]), 0, 0)
    if folder.exists():
        return Built(server.name, folder, 0, _size(folder, server))
    with _locked(server):
        if folder.exists():
            return Built(server.name, folder, 0, _size(folder, server))
        return _build_now(server, folder)


def _build_now(server: Server, folder: Path) -> Built:
    _require_go(server)
    started = time.monotonic()
    work = Path(tempfile.mkdtemp(prefix=f".{server.name}-", dir=folder.parent))
    try:
        first = work / server.names[0]
        _compile(server, first)
        for name in server.names[1:]:
            os.link(first, work / name)
        seconds = time.monotonic() - started
        facts = {"server": server.name, "version": server.version, "toolchain": TOOLCHAIN, "seconds": round(seconds, 1)}
        (work / "built.json").write_text(json.dumps(facts) + "\n", encoding="utf-8")
        work.chmod(0o755)
        work.rename(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return Built(server.name, folder, seconds, _size(folder, server))


def _compile(server: Server, output: Path) -> None:
    command = ("go", "build", *server.flags, "-o", str(output), server.package)
    done = subprocess.run(
        command,
        cwd=server.folder,
        env=go_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode == 0 and output.exists():
        return
    log = cache_root() / f"{server.name}.log"
    log.write_text(f"$ cd {server.folder}\n$ {' '.join(command)}\n{done.stdout}", encoding="utf-8")
    raise BuildError(server.name, f"`go build` ended with {done.returncode}", _advice(done.stdout, log), done.stdout)


def _advice(output: str, log: Path) -> str:
    if any(sign in output for sign in _NETWORK_SIGNS):
        return (
            "A Go module or the toolchain could not be fetched: check the network and `go env GOPROXY`, then run "
            f"`make servers` again; what was fetched is kept. Whole log: {log}"
        )
    return f"Run `make servers` again after mending this; finished servers are kept. Whole log: {log}"


def _require_go(server: Server) -> None:
    if shutil.which("go") is None:
        raise BuildError(
            server.name,
            "Go is not on the PATH",
            f"Install Go 1.24 or newer (it brings {TOOLCHAIN} itself), then run `make servers` again.",
        )


@contextmanager
def _locked(server: Server) -> Iterator[None]:
    """Hold the lock of one server: a second builder waits, and then finds the work done."""
    root = cache_root()
    root.mkdir(parents=True, exist_ok=True)
    with (root / f".{server.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _sweep(server)
        yield


def _sweep(server: Server) -> None:
    """Remove what a build left that was killed: whoever holds the lock is the only builder of this server."""
    for remains in sorted(cache_root().glob(f".{server.name}-*")):
        shutil.rmtree(remains, ignore_errors=True)


def _size(folder: Path, server: Server) -> int:
    return (folder / server.names[0]).stat().st_size


def _announce(server: Server) -> None:
    if not built_folder(server).exists() and not all(brought(name) for name in server.names):
        print(
            f"{server.name} {server.version}: building (about {server.minutes:g} min on two busy cores) ...", flush=True
        )


def _report(server: Server, built: Built) -> None:
    how = f"built in {built.seconds:.0f} s" if built.seconds else "there already"
    size = f", {built.size / 1e6:.0f} MB" if built.size else ""
    print(f"{server.name} {server.version}: {how}{size}: {built.folder}", flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Build the servers named on the command line (without a name, all that stand in for no other) and say what was done."""
    parser = argparse.ArgumentParser(prog="python -m harness.build", description=__doc__.splitlines()[0])
    usual = [name for name, server in SERVERS.items() if not server.replaces]
    say = f"one of {', '.join(SERVERS)} (default: {', '.join(usual)})"
    parser.add_argument("names", nargs="*", metavar="NAME", help=say)
    names = parser.parse_args(arguments).names or usual
    unknown = [name for name in names if name not in SERVERS]
    if unknown:
        parser.error(f"no server is called {unknown[0]!r}: {', '.join(SERVERS)}")
    started = time.monotonic()
    for name in names:
        _announce(SERVERS[name])
        try:
            _report(SERVERS[name], build(SERVERS[name]))
        except (BuildError, OSError) as error:
            print(error if isinstance(error, BuildError) else f"{name}: {error}", file=sys.stderr)
            return 2
    print(f"servers: {len(names)} there, {time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
