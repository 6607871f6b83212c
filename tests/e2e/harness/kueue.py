"""Starts Kueue against a control plane: its CRDs with conversion, its webhooks on loopback, its manager.

The manifests are those of Kueue's own `config/default`, built by kustomize. Kueue's certificate rotator is on, as in a
release, but finds a Secret and a folder with our certificates, which are valid in its eyes and stay.
"""

from __future__ import annotations

import base64
import socket
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from harness.binaries import executable, require
from harness.client import Client, Object, has_condition, reference
from harness.control_plane import ControlPlane, healthy
from harness.kustomize import kustomize_build
from harness.modules import module_directory
from harness.patience import PATIENCE
from harness.processes import Server, free_port
from harness.webhooks import install_hooked

API = "kueue.x-k8s.io/v1beta2"
NAMESPACE = "kueue-system"
DEFAULT_FRAMEWORKS = ("batch/job",)
_MANAGER = "stowplan-e2e-kueue"


@dataclass(frozen=True, slots=True)
class Kueue:
    """A running Kueue manager and the plane it manages."""

    plane: ControlPlane
    server: Server

    def stop(self) -> None:
        """Stop the manager; its webhooks stay configured and refuse, as those of a dead manager do."""
        self.server.stop()


def start_kueue(
    plane: ControlPlane,
    *,
    frameworks: Sequence[str] = DEFAULT_FRAMEWORKS,
    settings: Mapping[str, Any] | None = None,
    gates: str = "VisibilityOnDemand=false",
    configuration: Mapping[str, Any] | None = None,
) -> Kueue:
    """Install Kueue in a plane and start its manager; returns when it is ready.

    `frameworks` are those of the manager's configuration (install their CRDs before), `settings` is merged over the
    configuration's top level, `gates` are feature gates. `configuration` is a whole document instead of all of these: only
    what a manager on loopback needs is put into it.

    Raises:
        ServerError: the manager died or did not become ready.
    """
    require("kueue", "kustomize")
    hook_port, health_port = free_port(), free_port()
    install_kueue(plane, hook_port)
    folder = plane.folder / "kueue"
    file = folder / "configuration.yaml"
    command: list[str | Path] = [executable("kueue"), f"--config={file}", f"--kubeconfig={plane.kubeconfig()}"]
    loopback = _loopback(plane, folder, hook_port, health_port)
    if configuration is None:
        made = {**_FORM, **loopback, "integrations": {"frameworks": list(frameworks)}, **(settings or {})}
        command += [f"--feature-gates={gates}"] if gates else []
    else:
        made = {**configuration, **{name: _over(configuration.get(name), value) for name, value in loopback.items()}}
        made["featureGates"] = {**configuration.get("featureGates", {}), **_NO_VISIBILITY}
    file.write_text(yaml.safe_dump(made, sort_keys=False), encoding="utf-8")
    server = Server(f"{plane.name}-kueue", command, folder, ports=(hook_port, health_port))
    server.wait_ready(lambda: healthy(health_port, "/readyz") and _listens(hook_port))
    return Kueue(plane, server)


def _listens(port: int) -> bool:
    """Whether webhooks answer: from 0.19 on what prepares certificates is ready before them, on the same health port."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def start_kueues(planes: Sequence[ControlPlane], **options: Any) -> tuple[Kueue, ...]:
    """Start a manager for each of several planes at the same time; `options` are those of `start_kueue`."""
    require("kueue", "kustomize")
    _manifests()
    with ThreadPoolExecutor(len(planes)) as pool:
        futures = [pool.submit(start_kueue, plane, **options) for plane in planes]
    failed = [error for future in futures if (error := future.exception()) is not None]
    if failed:
        for future in futures:
            if future.exception() is None:
                future.result().stop()
        raise failed[0]
    return tuple(future.result() for future in futures)


def install_kueue(plane: ControlPlane, hook_port: int) -> None:
    """Apply Kueue's CRDs, roles, certificate Secret and webhooks, with the addresses turned to a loopback port."""
    client = plane.client(_MANAGER)
    client.apply(reference("v1", "Namespace", NAMESPACE))
    client.apply(_secret(plane), force=True)
    install_hooked(client, _manifests(), hook_port, plane.certificates)


@cache
def _manifests() -> tuple[Object, ...]:
    return tuple(kustomize_build(module_directory("kueue", "sigs.k8s.io/kueue") / "config/default"))


def _secret(plane: ControlPlane) -> Object:
    """The Secret that the rotator looks into, as it would have filled it."""
    made = plane.certificates
    files = {"ca.crt": made.authority, "ca.key": made.authority_key, "tls.crt": made.server, "tls.key": made.server_key}
    data = {name: base64.b64encode(path.read_bytes()).decode() for name, path in files.items()}
    return {**reference("v1", "Secret", "kueue-webhook-server-cert", NAMESPACE), "data": data}


_FORM = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", "namespace": NAMESPACE}
_NO_VISIBILITY = {"VisibilityOnDemand": False}
"""Its server of queue positions wants a port of its own; gates stand on the command line or in the document, never both."""


def _over(below: Any, above: Any) -> Any:
    """A value of the document with that of loopback over it, map by map."""
    if isinstance(below, Mapping) and isinstance(above, Mapping):
        return {**below, **{name: _over(below.get(name), value) for name, value in above.items()}}
    return above


def _loopback(plane: ControlPlane, folder: Path, hook_port: int, health_port: int) -> Object:
    """What a manager needs that runs beside others on loopback, outside the cluster: addresses, certificates, no lease."""
    certificates = folder / "certificates"
    certificates.mkdir(parents=True, exist_ok=True)
    for name, source in (("tls.crt", plane.certificates.server), ("tls.key", plane.certificates.server_key)):
        (certificates / name).write_bytes(source.read_bytes())
    (certificates / "ca.crt").write_bytes(plane.certificates.authority.read_bytes())
    return {
        "health": {"healthProbeBindAddress": f"127.0.0.1:{health_port}"},
        "metrics": {"bindAddress": "0"},
        "webhook": {"host": "127.0.0.1", "port": hook_port, "certDir": str(certificates)},
        "leaderElection": {"leaderElect": False},
        "internalCertManagement": {
            "enable": True,
            "webhookServiceName": "kueue-webhook-service",
            "webhookSecretName": "kueue-webhook-server-cert",
        },
        "clientConnection": {"qps": 200, "burst": 400},
    }


def connect_worker(manager: ControlPlane, worker: ControlPlane, cluster: str) -> None:
    """Give a manager the kubeconfig of a worker: Secret `multikueue-CLUSTER`, key `kubeconfig`, in kueue-system."""
    secret = reference("v1", "Secret", f"multikueue-{cluster}", NAMESPACE)
    secret["stringData"] = {"kubeconfig": worker.kubeconfig_text()}
    manager.client(_MANAGER).apply(secret)


def wait_active(client: Client, kind: str, name: str, namespace: str = "", timeout: float = PATIENCE) -> Object:
    """Wait for the condition Active of a Kueue object (ClusterQueue, LocalQueue, AdmissionCheck, MultiKueueCluster)."""
    of = reference(API, kind, name, namespace)
    return client.wait_until(of, has_condition("Active"), timeout=timeout, what="condition Active")


def workload_of(client: Client, job: Object, timeout: float = PATIENCE) -> Object:
    """The Workload that Kueue made for a job object that is stored: the one owned by its uid."""
    deadline = time.monotonic() + timeout
    uid = client.get(job)["metadata"]["uid"]
    while time.monotonic() < deadline:
        for workload in client.list(API, "Workload", job["metadata"]["namespace"]):
            if any(owner["uid"] == uid for owner in workload["metadata"].get("ownerReferences", [])):
                return workload
        time.sleep(0.05)
    raise AssertionError(f"no Workload for {job['kind']} {job['metadata']['name']} within {timeout:g} s")
