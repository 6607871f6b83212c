"""Starts the operators of workloads, JobSet's and the Kubeflow trainer's, with their webhooks on loopback."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any

import yaml

from harness.binaries import executable, require
from harness.client import Object, reference
from harness.control_plane import ControlPlane, healthy
from harness.kustomize import kustomize_build
from harness.modules import module_directory
from harness.processes import Server, free_port
from harness.webhooks import install_hooked


@dataclass(frozen=True, slots=True)
class Operator:
    """What one operator is started from.

    `called` is the name of the program in its image, `manifests` folders of its module, `certificates` the
    configuration that turns its own certificates off.
    """

    command: str
    called: str
    module: str
    manifests: tuple[str, ...]
    namespace: str
    api: str
    certificates: Mapping[str, Any] = field(default_factory=dict)


OPERATORS: Mapping[str, Operator] = MappingProxyType(
    {
        "jobset": Operator(
            "jobset",
            "/manager",
            "sigs.k8s.io/jobset",
            ("config/default",),
            "jobset-system",
            "config.jobset.x-k8s.io/v1alpha1",
            {"internalCertManagement": {"enable": False}},
        ),
        "trainer": Operator(
            "trainer-controller-manager",
            "/manager",
            "github.com/kubeflow/trainer/v2",
            ("manifests/base/crds", "manifests/base/webhook"),
            "kubeflow-system",
            "config.trainer.kubeflow.org/v1alpha1",
            {"certManagement": {"enable": False}},
        ),
    }
)
"""The operators by name, which is also that of the module of ours that pins them."""


def start_operator(plane: ControlPlane, name: str) -> Server:
    """Install an operator of `OPERATORS` in a plane and start it; returns when its webhooks answer.

    The trainer wants JobSet's CRD: start `jobset` before it.

    Raises:
        ServerError: it died or did not become ready.
    """
    operator = OPERATORS[name]
    require(operator.command, "kustomize")
    hook_port, health_port = free_port(), free_port()
    client = plane.client("stowplan-e2e-operators")
    client.apply(reference("v1", "Namespace", operator.namespace))
    install_hooked(client, _manifests(name), hook_port, plane.certificates)
    folder = plane.folder / name
    # the folder that controller-runtime looks for certificates in
    certificates = folder / "k8s-webhook-server" / "serving-certs"
    certificates.mkdir(parents=True)
    shutil.copy(plane.certificates.server, certificates / "tls.crt")
    shutil.copy(plane.certificates.server_key, certificates / "tls.key")
    file = folder / "configuration.yaml"
    file.write_text(yaml.safe_dump(_configuration(operator, hook_port, health_port)), encoding="utf-8")
    environment = {"KUBECONFIG": str(plane.kubeconfig()), "TMPDIR": str(folder)}
    server = Server(
        f"{plane.name}-{name}",
        [executable(operator.command), f"--config={file}"],
        folder,
        environment=environment,
        ports=(hook_port, health_port),
        called=operator.called,
    )
    return server.wait_ready(lambda: healthy(health_port, "/readyz"))


@cache
def _manifests(name: str) -> tuple[Object, ...]:
    operator = OPERATORS[name]
    directory = module_directory(name, operator.module)
    return tuple(document for folder in operator.manifests for document in kustomize_build(directory / folder))


def _configuration(operator: Operator, hook_port: int, health_port: int) -> Object:
    return {
        "apiVersion": operator.api,
        "kind": "Configuration",
        "health": {"healthProbeBindAddress": f"127.0.0.1:{health_port}"},
        "metrics": {"bindAddress": "0"},
        "webhook": {"host": "127.0.0.1", "port": hook_port},
        "leaderElection": {"leaderElect": False},
        **operator.certificates,
    }
