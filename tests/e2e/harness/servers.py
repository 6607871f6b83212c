"""The table of the real servers: what each is built from, and the names its file is called by."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

MODULES = Path(__file__).resolve().parent.parent / "servers"
"""Folder of our small Go modules."""

TOOLCHAIN = "go1.27.3"
"""One toolchain for all of them: what one server compiled, the next finds in Go's build cache."""

COMMON_FLAGS = ("-mod=readonly", "-trimpath", "-buildvcs=false")


@dataclass(frozen=True, slots=True)
class Server:
    """One executable and the module of ours that it is built in.

    `package` is what `go build` is given, `variables` are link-time strings (import path of the variable to its
    value), `names` the commands that the one executable answers to, `version` that of the upstream module. One that
    `replaces` another stands in for it where a run chooses so, and is built only where it is named. Servers whose
    libraries agree are built in one module (`of_module`): what they share is then compiled once.
    """

    name: str
    version: str
    package: str
    names: tuple[str, ...]
    variables: tuple[tuple[str, str], ...]
    minutes: float
    replaces: str = ""
    of_module: str = ""

    @property
    def module(self) -> str:
        """The folder of its module below `MODULES`."""
        return self.of_module or self.name

    @property
    def release(self) -> str:
        """The version as components state it, without its letter."""
        return self.version.removeprefix("v")

    @property
    def folder(self) -> Path:
        """Where go.mod and go.sum lie."""
        return MODULES / self.module

    @property
    def flags(self) -> tuple[str, ...]:
        """Flags of `go build`, without the output file."""
        linker = " ".join(("-s", "-w", *(f"-X {name}={value}" for name, value in self.variables)))
        return (*COMMON_FLAGS, f"-ldflags={linker}")

    def key(self) -> str:
        """Sixteen hex digits that change when anything changes that the executable is made of."""
        digest = hashlib.sha256()
        for file_name in ("go.mod", "go.sum", "main.go"):
            path = self.folder / file_name
            content = path.read_bytes() if path.exists() else b""
            digest.update(f"{file_name} {len(content)}\n".encode() + content)
        for part in (TOOLCHAIN, self.package, *self.flags, *self.names, sys.platform, platform.machine()):
            digest.update(part.encode() + b"\0")
        return digest.hexdigest()[:16]


_COMPONENT = "k8s.io/component-base/version"

SERVERS: Mapping[str, Server] = MappingProxyType(
    {
        server.name: server
        for server in (
            Server(
                "kube",
                "v1.36.3",
                ".",
                ("etcd", "kube-apiserver", "kube-controller-manager"),
                (
                    (f"{_COMPONENT}.gitVersion", "v1.36.3"),
                    (f"{_COMPONENT}.gitMajor", "1"),
                    (f"{_COMPONENT}.gitMinor", "36"),
                ),
                5,
            ),
            Server(
                "kueue",
                "v0.17.0",
                "sigs.k8s.io/kueue/cmd/kueue",
                ("kueue",),
                (("sigs.k8s.io/kueue/pkg/version.GitVersion", "v0.17.0"),),
                3,
            ),
            Server(
                "kueue-0.19",
                "v0.19.0",
                "sigs.k8s.io/kueue/cmd/kueue",
                ("kueue",),
                (("sigs.k8s.io/kueue/pkg/version.GitVersion", "v0.19.0"),),
                3,
                replaces="kueue",
            ),
            Server("jobset", "v0.11.1", "sigs.k8s.io/jobset", ("jobset",), (), 2),
            Server(
                "trainer",
                "v2.2.0",
                "github.com/kubeflow/trainer/v2/cmd/trainer-controller-manager",
                ("trainer-controller-manager",),
                (),
                0.2,
                of_module="kueue",
            ),
            Server("flux", "v1.9.6", "github.com/fluxcd/kustomize-controller", ("kustomize-controller",), (), 3),
            Server(
                "kustomize", "v5.8.1", "sigs.k8s.io/kustomize/kustomize/v5", ("kustomize",), (), 0.2, of_module="flux"
            ),
            Server(
                "argocd",
                "v3.6.1",
                ".",
                ("argocd-repo-server", "argocd-application-controller"),
                (("github.com/argoproj/argo-cd/v3/common.version", "3.6.1"),),
                3,
            ),
        )
    }
)
"""Every server by name, in the order in which they are built; `minutes` is a first build on two busy cores."""

OWNERS: Mapping[str, str] = MappingProxyType(
    {name: server.name for server in SERVERS.values() if not server.replaces for name in server.names}
)
"""The name of the server that each command belongs to, before a run chooses."""

KUEUE = "STOWPLAN_KUEUE"
"""The release of Kueue that a run is held to, as 0.19; without it the one of the default servers."""


class ChoiceError(Exception):
    """A release is asked for that no server has."""


def chosen(name: str) -> Server:
    """The server that plays the part of `name` in this run."""
    server = SERVERS[name]
    release = os.environ.get(KUEUE, "") if name == "kueue" else ""
    if not release or _minor(server) == release:
        return server
    others = {_minor(other): other for other in SERVERS.values() if other.replaces == name}
    if release not in others:
        known = ", ".join((_minor(server), *others))
        raise ChoiceError(f"{KUEUE}={release}: there is no such server, only {known}")
    return others[release]


def owner(command: str) -> Server:
    """The server that a command comes from in this run."""
    return chosen(OWNERS[command])


def _minor(server: Server) -> str:
    """The release without its patch, as 0.19."""
    return server.release.rpartition(".")[0]


def cache_root() -> Path:
    """The folder of everything built: STOWPLAN_SERVERS_CACHE, or one under the user's cache folder."""
    named = os.environ.get("STOWPLAN_SERVERS_CACHE")
    if named:
        return Path(named).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "stowplan" / "servers"


def built_folder(server: Server) -> Path:
    """Where this very content of a server is once it is built: the folder exists only when it is whole."""
    return cache_root() / f"{server.name}-{server.key()}"


def brought(command: str) -> Path | None:
    """The command from KUBEBUILDER_ASSETS, which wins for etcd, kube-apiserver and kube-controller-manager."""
    assets = os.environ.get("KUBEBUILDER_ASSETS")
    if not assets or OWNERS[command] != "kube":
        return None
    path = Path(assets) / command
    return path if os.access(path, os.X_OK) else None


def find(command: str) -> Path | None:
    """The executable for a command, or None when it has to be built first."""
    path = brought(command) or built_folder(owner(command)) / command
    return path if path.exists() else None


def missing(commands: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the servers that still have to be built before the commands can run."""
    return tuple(dict.fromkeys(owner(command).name for command in commands if find(command) is None))
