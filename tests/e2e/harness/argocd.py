"""Starts Argo CD's repo server and application controller on a control plane, with Debian's redis and git."""

from __future__ import annotations

import base64
import json
import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from harness.binaries import executable, require, tool
from harness.client import Client, Object, reference
from harness.control_plane import ControlPlane, healthy
from harness.crds import install_components
from harness.patience import PATIENCE
from harness.processes import Server, free_port
from harness.repository import git_environment

API = "argoproj.io/v1alpha1"
NAMESPACE = "argocd"
MANAGER = "argocd-controller"
"""The field manager of the objects that Argo CD applies."""

_PART_OF = {"app.kubernetes.io/part-of": "argocd"}
_REFRESH = "argocd.argoproj.io/refresh"


@dataclass(slots=True)
class ArgoCD:
    """A running Argo CD: redis, repo server and application controller on `plane` (the hub)."""

    plane: ControlPlane
    redis: Server
    repo_server: Server
    controller: Server

    @property
    def client(self) -> Client:
        """A client of the hub."""
        return self.plane.client("stowplan-e2e-argocd")

    def add_cluster(self, name: str, plane: ControlPlane, labels: Mapping[str, str] | None = None) -> None:
        """Register a plane as the destination `name`."""
        trust = {"caData": plane.certificates.bundle()}
        config = {"bearerToken": plane.token(), "tlsClientConfig": trust}
        secret = reference("v1", "Secret", f"cluster-{name}", NAMESPACE)
        secret["metadata"]["labels"] = {"argocd.argoproj.io/secret-type": "cluster", **_PART_OF, **(labels or {})}
        secret["stringData"] = {"name": name, "server": plane.url, "config": json.dumps(config)}
        self.client.apply(secret)

    def add_project(self, name: str) -> None:
        """An AppProject that allows everything."""
        spec = {
            "sourceRepos": ["*"],
            "destinations": [{"name": "*", "server": "*", "namespace": "*"}],
            "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
        }
        self.client.apply({**reference(API, "AppProject", name, NAMESPACE), "spec": spec})

    def application(
        self, name: str, *, repository: str, path: str, cluster: str, namespace: str = "default", **spec: Any
    ) -> Object:
        """An Application with automated sync by server-side apply, and further fields of its spec; not applied.

        `namespace` is the one of the destination, which the sync makes when it is not there.
        """
        basics: Object = {
            "project": "default",
            "source": {"repoURL": repository, "path": path, "targetRevision": "main"},
            "destination": {"name": cluster, "namespace": namespace},
            "syncPolicy": {
                "automated": {"prune": True, "selfHeal": True},
                "syncOptions": ["ServerSideApply=true", "CreateNamespace=true"],
            },
        }
        return {**reference(API, "Application", name, NAMESPACE), "spec": basics | spec}

    def refresh(self, name: str, *, hard: bool = False) -> None:
        """Have an Application compared again now; `hard` also renders it again."""
        kind = "hard" if hard else "normal"
        change = {"metadata": {"annotations": {_REFRESH: kind}}}
        self.client.patch(reference(API, "Application", name, NAMESPACE), change, manager="argocd-cli")

    def wait_synced(self, name: str, revision: str = "", *, timeout: float = PATIENCE) -> Object:
        """Refresh an Application and wait until it is Synced (at the commit, when one is given) and Healthy.

        Raises:
            NotYetError: it did not get there; shows its last state.
        """
        self.refresh(name)
        of = reference(API, "Application", name, NAMESPACE)
        return self.client.wait_until(
            of, lambda found: _settled(found, revision), timeout=timeout, what="Synced, Healthy"
        )

    def stop(self) -> None:
        """Stop all three servers."""
        for server in (self.controller, self.repo_server, self.redis):
            server.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _settled(found: Object | None, revision: str) -> bool:
    if found is None or _REFRESH in found["metadata"].get("annotations", {}):
        return False
    status = found.get("status", {})
    sync = status.get("sync", {})
    at_revision = not revision or sync.get("revision") == revision
    running = status.get("operationState", {}).get("phase", "Succeeded") != "Succeeded"
    healthy_now = status.get("health", {}).get("status") == "Healthy"
    return sync.get("status") == "Synced" and healthy_now and at_revision and not running


def start_argocd(
    plane: ControlPlane,
    *,
    clusters: Mapping[str, ControlPlane] | None = None,
    settings: Mapping[str, str] | None = None,
    arguments: Sequence[str] = (),
) -> ArgoCD:
    """Install Argo CD in a plane and start its servers; `clusters` are destinations by name.

    `settings` are keys of the ConfigMap argocd-cm, `arguments` further flags of the application controller.

    Raises:
        ServerError: a server died or did not become ready; none of them is left running.
    """
    require("argocd-repo-server", "argocd-application-controller", "kustomize")
    tool("redis-server", "redis-server")
    tool("git", "git")
    _install(plane, settings or {})
    folder = plane.folder / "argocd"
    started: list[Server] = []
    try:
        redis_port, repo_port = free_port(), free_port()
        started.append(_start_redis(plane.name, folder, redis_port))
        started.append(_start_repo_server(plane, folder, repo_port, redis_port))
        started.append(_start_controller(plane, folder, repo_port, redis_port, arguments))
        argocd = ArgoCD(plane, *started)
        argocd.add_project("default")
        for name, member in (clusters or {}).items():
            argocd.add_cluster(name, member)
        return argocd
    except BaseException:
        for server in reversed(started):
            server.stop()
        raise


def _install(plane: ControlPlane, settings: Mapping[str, str]) -> None:
    client = plane.client("stowplan-e2e-argocd")
    install_components(client, "argocd")
    client.apply(reference("v1", "Namespace", NAMESPACE))
    contents = {"argocd-cm": dict(settings), "argocd-rbac-cm": {}, "argocd-cmd-params-cm": {}}
    for name, data in contents.items():
        document = reference("v1", "ConfigMap", name, NAMESPACE) | {"data": data}
        document["metadata"]["labels"] = dict(_PART_OF)
        client.apply(document)
    secret = reference("v1", "Secret", "argocd-secret", NAMESPACE)
    secret["metadata"]["labels"] = dict(_PART_OF)
    secret["data"] = {"server.secretkey": base64.b64encode(b"bed-of-servers-bed-of-servers-32").decode()}
    client.apply(secret)


def _start_redis(name: str, folder: Path, port: int) -> Server:
    folder.mkdir(parents=True, exist_ok=True)
    command: list[str | Path] = [
        tool("redis-server", "redis-server"),
        "--port",
        str(port),
        "--bind",
        "127.0.0.1",
        "--save",
        "",
    ]
    command += ["--appendonly", "no", "--dir", str(folder)]
    return Server(f"{name}-redis", command, folder, ports=(port,)).wait_ready(lambda: _accepts(port))


def _start_repo_server(plane: ControlPlane, folder: Path, port: int, redis_port: int) -> Server:
    metrics = free_port()
    command: list[str | Path] = [
        executable("argocd-repo-server"),
        f"--port={port}",
        "--address=127.0.0.1",
        f"--metrics-port={metrics}",
        "--metrics-address=127.0.0.1",
        f"--redis=127.0.0.1:{redis_port}",
        "--disable-tls",
        "--client-ca-path=",
    ]
    environment = _environment(plane, folder) | {"ARGOCD_GPG_ENABLED": "false"}
    server = Server(f"{plane.name}-argocd-repo-server", command, folder, environment=environment, ports=(port, metrics))
    return server.wait_ready(lambda: healthy(metrics, "/healthz") and _accepts(port))


def _start_controller(
    plane: ControlPlane, folder: Path, repo_port: int, redis_port: int, arguments: Sequence[str]
) -> Server:
    metrics = free_port()
    command: list[str | Path] = [
        executable("argocd-application-controller"),
        f"--kubeconfig={plane.kubeconfig()}",
        f"--namespace={NAMESPACE}",
        f"--repo-server=127.0.0.1:{repo_port}",
        "--repo-server-plaintext",
        f"--redis=127.0.0.1:{redis_port}",
        f"--metrics-port={metrics}",
        "--app-resync=10",
        *arguments,
    ]
    environment = _environment(plane, folder)
    name = f"{plane.name}-argocd-application-controller"
    server = Server(name, command, folder, environment=environment, ports=(metrics,))
    return server.wait_ready(lambda: healthy(metrics, "/healthz"))


def _environment(plane: ControlPlane, folder: Path) -> dict[str, str]:
    """PATH with our kustomize and the verification helper, a home and a temporary folder inside the plane's folder."""
    tools = folder / "tools"
    tools.mkdir(parents=True, exist_ok=True)
    helper = tools / "git-verify-wrapper.sh"
    helper.write_text("#!/bin/sh\nexit 0\n")
    helper.chmod(0o755)
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    path = os.pathsep.join((str(tools), str(executable("kustomize").parent), os.environ.get("PATH", os.defpath)))
    ours = {"PATH": path, "HOME": str(folder), "TMPDIR": str(temporary), "KUBECONFIG": str(plane.kubeconfig())}
    return ours | git_environment()


def _accepts(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2):
            return True
    except OSError:
        return False
