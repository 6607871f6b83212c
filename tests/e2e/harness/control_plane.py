"""One control plane on loopback: etcd, kube-apiserver and, when asked for, kube-controller-manager."""

from __future__ import annotations

import http.client
import shutil
import ssl
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import yaml

from harness.binaries import executable, require
from harness.certificates import Certificates
from harness.client import Client, reference
from harness.processes import Server, free_port

ADMIN = "admin"
USERS = {ADMIN: "system:masters", "reader": "stowplan:readers", "developer": "stowplan:developers"}
"""Users by name, with their group; the token is the name with `-token`. Only the admin may do anything at first."""

_LESS_COLLECTING = {"GOGC": "200"}
"""Large CRDs make an API server collect garbage for a third of its time; memory is cheaper here."""


@dataclass(slots=True)
class ControlPlane:
    """A running control plane. Make it with `start_control_plane`, or by the fixtures."""

    name: str
    folder: Path
    certificates: Certificates
    port: int
    etcd: Server
    api_server: Server
    controller_manager: Server | None = None
    _clients: dict[tuple[str, str], Client] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """The address of the API server."""
        return f"https://127.0.0.1:{self.port}"

    def token(self, user: str = ADMIN) -> str:
        """The bearer token of a user of `USERS`."""
        return f"{user}-token"

    def client(self, manager: str = "stowplan-e2e", user: str = ADMIN) -> Client:
        """The client of a user; `manager` is the field manager of its writes. Closed when the plane stops."""
        known = self._clients.get((manager, user))
        if known is None:
            known = Client(self.port, self.token(user), self.certificates.trust(), manager)
            self._clients[manager, user] = known
        return known

    def kubeconfig_text(self, user: str = ADMIN) -> str:
        """A kubeconfig with one context, named after the plane."""
        return kubeconfig_text([self], user)

    def kubeconfig(self, user: str = ADMIN) -> Path:
        """The kubeconfig as a file."""
        path = self.folder / f"{user}.kubeconfig"
        path.write_text(self.kubeconfig_text(user), encoding="utf-8")
        path.chmod(0o600)
        return path

    def start_controller_manager(self) -> None:
        """Start kube-controller-manager for this plane and wait until it is healthy."""
        port = free_port()
        command = _controller_manager_command(self, port)
        server = Server(f"{self.name}-kube-controller-manager", command, self.folder, ports=(port,))
        self.controller_manager = server.wait_ready(lambda: healthy(port, "/healthz", self.certificates.trust()))

    def stop(self) -> None:
        """Stop all servers of the plane and drop its data; the logs stay."""
        for server in (self.controller_manager, self.api_server, self.etcd):
            if server is not None:
                server.stop()
        for client in self._clients.values():
            client.close()
        shutil.rmtree(self.folder / "etcd", ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def start_control_plane(
    name: str, folder: Path, certificates: Certificates, *, controller_manager: bool = False
) -> ControlPlane:
    """Start a plane whose files lie in `folder`, and wait until it answers `/readyz`.

    Raises:
        ServerError: a server died or did not become ready; nothing of this plane is left running.
    """
    started: list[Server] = []
    try:
        client_port, peer_port, port = free_port(), free_port(), free_port()
        etcd = Server(f"{name}-etcd", _etcd_command(folder, client_port, peer_port), folder, ports=(client_port,))
        started.append(etcd)
        etcd.wait_ready(lambda: healthy(client_port, "/health"))
        command = _api_server_command(folder, certificates, client_port, port)
        api_server = Server(f"{name}-kube-apiserver", command, folder, environment=_LESS_COLLECTING, ports=(port,))
        started.append(api_server)
        trust = certificates.trust()
        api_server.wait_ready(lambda: healthy(port, "/readyz", trust, f"{ADMIN}-token"))
        plane = ControlPlane(name, folder, certificates, port, etcd, api_server)
        if controller_manager:
            plane.start_controller_manager()
        _wait_namespace(plane)
        return plane
    except BaseException:
        for server in started:
            server.stop()
        raise


def start_control_planes(
    names: Sequence[str], folder: Path, certificates: Certificates, *, controller_manager: bool = False
) -> dict[str, ControlPlane]:
    """Start several planes at the same time; when one fails, all are stopped."""
    require("etcd", "kube-apiserver", *(("kube-controller-manager",) if controller_manager else ()))

    def start(name: str) -> ControlPlane:
        return start_control_plane(name, folder / name, certificates, controller_manager=controller_manager)

    with ThreadPoolExecutor(len(names)) as pool:
        futures = [pool.submit(start, name) for name in names]
    failed = [error for future in futures if (error := future.exception()) is not None]
    if failed:
        for future in futures:
            if future.exception() is None:
                future.result().stop()
        raise failed[0]
    return {name: future.result() for name, future in zip(names, futures, strict=True)}


def kubeconfig_text(planes: Sequence[ControlPlane], user: str = ADMIN) -> str:
    """A kubeconfig with a context for each plane, named after it; the first one is current."""
    clusters, users, contexts = [], [], []
    for plane in planes:
        login = f"{user}@{plane.name}"
        cluster = {"server": plane.url, "certificate-authority-data": plane.certificates.bundle()}
        clusters.append({"name": plane.name, "cluster": cluster})
        users.append({"name": login, "user": {"token": plane.token(user)}})
        contexts.append({"name": plane.name, "context": {"cluster": plane.name, "user": login}})
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": planes[0].name,
        "clusters": clusters,
        "users": users,
        "contexts": contexts,
    }
    return yaml.safe_dump(document, sort_keys=False)


def healthy(port: int, path: str, trust: ssl.SSLContext | None = None, token: str = "") -> bool:
    """Whether a loopback address answers 200, over TLS when `trust` is given."""
    if trust is None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    else:
        connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=5, context=trust)
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"} if token else {})
        with connection.getresponse() as response:
            return response.status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _wait_namespace(plane: ControlPlane) -> None:
    """Wait for the namespace `default`, which the API server makes a moment after it is ready."""
    plane.client().wait_until(reference("v1", "Namespace", "default"), lambda found: found is not None)


def _etcd_command(folder: Path, client_port: int, peer_port: int) -> list[str | Path]:
    client, peer = f"http://127.0.0.1:{client_port}", f"http://127.0.0.1:{peer_port}"
    return [
        executable("etcd"),
        f"--data-dir={folder / 'etcd'}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        "--unsafe-no-fsync",
        "--heartbeat-interval=20",
        "--election-timeout=200",
        "--log-level=warn",
    ]


def _api_server_command(folder: Path, certificates: Certificates, etcd_port: int, port: int) -> list[str | Path]:
    tokens = folder / "tokens.csv"
    tokens.write_text("".join(f'{user}-token,{user},{user},"{group}"\n' for user, group in USERS.items()))
    return [
        executable("kube-apiserver"),
        f"--etcd-servers=http://127.0.0.1:{etcd_port}",
        f"--secure-port={port}",
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        f"--cert-dir={folder / 'certificates'}",
        f"--tls-cert-file={certificates.server}",
        f"--tls-private-key-file={certificates.server_key}",
        f"--token-auth-file={tokens}",
        "--authorization-mode=RBAC",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={certificates.account_key}",
        f"--service-account-signing-key-file={certificates.account_key}",
        "--service-cluster-ip-range=10.0.0.0/16",
        "--disable-admission-plugins=ServiceAccount",
        "--allow-privileged=true",
        "--profiling=false",
    ]


def _controller_manager_command(plane: ControlPlane, port: int) -> list[str | Path]:
    kubeconfig = plane.kubeconfig()
    return [
        executable("kube-controller-manager"),
        f"--kubeconfig={kubeconfig}",
        f"--secure-port={port}",
        "--bind-address=127.0.0.1",
        f"--tls-cert-file={plane.certificates.server}",
        f"--tls-private-key-file={plane.certificates.server_key}",
        f"--service-account-private-key-file={plane.certificates.account_key}",
        f"--root-ca-file={plane.certificates.authority}",
        "--leader-elect=false",
        "--horizontal-pod-autoscaler-sync-period=2s",
        "--node-monitor-grace-period=10m",  # a busy machine renews leases late
        "--kube-api-qps=200",
        "--kube-api-burst=400",
        "--profiling=false",
    ]
