"""Serves directories as Flux artifacts over loopback HTTP: archives whose bytes depend on the content alone."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self


@dataclass(frozen=True, slots=True)
class Artifact:
    """One archive: address, digest (`sha256:...`), revision (`main@sha1:...`) and size in bytes."""

    url: str
    path: str
    digest: str
    revision: str
    size: int


def archive(directory: Path) -> bytes:
    """A tar.gz of a directory: sorted names, no times, no owners; equal content gives equal bytes."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in sorted(directory.rglob("*")):
            if path.is_file():
                entry = tarfile.TarInfo(path.relative_to(directory).as_posix())
                content = path.read_bytes()
                entry.size, entry.mode = len(content), 0o644
                tar.addfile(entry, io.BytesIO(content))
    return gzip.compress(raw.getvalue(), compresslevel=6, mtime=0)


class ArtifactServer:
    """An HTTP server on a free loopback port, in a thread of its own. `requests` are the paths asked for."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self._files: dict[str, bytes] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self._files, self.requests))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def publish(self, name: str, directory: Path) -> Artifact:
        """Serve a directory as the artifact of that name; earlier ones stay to be had."""
        content = archive(directory)
        digest = hashlib.sha256(content).hexdigest()
        revision = f"main@sha1:{hashlib.sha1(content, usedforsecurity=False).hexdigest()}"
        path = f"{name}/{digest[:16]}.tar.gz"
        self._files[f"/{path}"] = content
        url = f"http://127.0.0.1:{self._server.server_address[1]}/{path}"
        return Artifact(url, path, f"sha256:{digest}", revision, len(content))

    def stop(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=10)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _handler(files: dict[str, bytes], requests: list[str]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(self.path)
            content = files.get(self.path)
            self.send_response(200 if content is not None else 404)
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, format: str, *args: object) -> None:
            return

    return Handler
