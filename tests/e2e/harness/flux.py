"""Starts Flux's kustomize-controller on a control plane; the harness plays the source controller."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Self

from harness.artifacts import Artifact, ArtifactServer
from harness.binaries import executable, require
from harness.client import Client, NotYetError, Object, condition, reference
from harness.control_plane import ControlPlane, healthy
from harness.crds import install_components
from harness.patience import PATIENCE
from harness.processes import Server, free_port

NAMESPACE = "flux-system"
SOURCE_API = "source.toolkit.fluxcd.io/v1"
KUSTOMIZATION_API = "kustomize.toolkit.fluxcd.io/v1"
REQUESTED_AT = "reconcile.fluxcd.io/requestedAt"
_MANAGER = "source-controller"


@dataclass(slots=True)
class Flux:
    """A running kustomize-controller, the plane it writes to and the server of its artifacts."""

    plane: ControlPlane
    server: Server
    artifacts: ArtifactServer
    published: dict[tuple[str, str, str], Artifact] = field(default_factory=dict)

    @property
    def client(self) -> Client:
        """A client of the plane whose writes are those of a source controller."""
        return self.plane.client(_MANAGER)

    def publish(
        self, name: str, directory: Path, *, namespace: str = NAMESPACE, kind: str = "GitRepository"
    ) -> Artifact:
        """Serve a directory as the artifact of a source; makes a GitRepository unless it is there.

        The spec of a source that exists is left alone (the compiler may have rendered it). Of the other kinds, each
        must exist; ExternalArtifact also wants `--feature-gates=ExternalArtifact=true` of the controller.
        """
        source = reference(SOURCE_API, kind, name, namespace)
        client = self.client
        if kind == "GitRepository" and client.find(source) is None:
            spec = {"interval": "1h", "url": "https://git.example.com/fleet.git", "ref": {"branch": "main"}}
            client.create(source | {"spec": spec})
        artifact = self.artifacts.publish(f"{namespace}/{name}", directory)
        self.published[kind, namespace, name] = artifact
        client.patch_status(source, source_status(client.get(source), artifact))
        return artifact

    def kustomization(self, name: str, *, source: str, path: str = "./", **spec: Any) -> Object:
        """A Kustomization with what it must have, and further fields of its spec; not applied."""
        basics = {"interval": "1h", "retryInterval": "5s", "timeout": "30s", "prune": True, "path": path}
        basics["sourceRef"] = {"kind": "GitRepository", "name": source}
        return {**reference(KUSTOMIZATION_API, "Kustomization", name, NAMESPACE), "spec": basics | spec}

    def wake(self, name: str, namespace: str = NAMESPACE) -> str:
        """Ask for a reconciliation now; returns the mark that `status.lastHandledReconcileAt` will carry."""
        mark = datetime.now(UTC).isoformat()
        of = reference(KUSTOMIZATION_API, "Kustomization", name, namespace)
        self.client.patch(of, {"metadata": {"annotations": {REQUESTED_AT: mark}}}, manager="flux")
        return mark

    def wait_ready(self, name: str, *, timeout: float = PATIENCE, namespace: str = NAMESPACE) -> Object:
        """Wake a Kustomization until it is Ready at the published revision of its source and at its generation.

        Raises:
            NotYetError: it did not become ready; shows its conditions.
        """
        of = reference(KUSTOMIZATION_API, "Kustomization", name, namespace)
        deadline, pause = time.monotonic() + timeout, 5.0
        marks: list[str] = []
        while True:
            marks.append(self.wake(name, namespace))
            try:
                return self.client.wait_until(of, partial(self._settled, marks), timeout=pause, what="Ready")
            except NotYetError:
                if time.monotonic() > deadline:
                    raise
            pause = min(2 * pause, 40)  # a reconciliation may take longer than the pause

    def _settled(self, marks: Sequence[str], found: Object | None) -> bool:
        if found is None:
            return False
        status: Mapping[str, Any] = found.get("status", {})
        source = found["spec"]["sourceRef"]
        namespace = source.get("namespace", found["metadata"]["namespace"])
        published = self.published.get((source["kind"], namespace, source["name"]))
        return (
            status.get("lastHandledReconcileAt") in marks
            and condition(found, "Ready").get("status") == "True"
            and status.get("observedGeneration") == found["metadata"]["generation"]
            and (published is None or status.get("lastAppliedRevision") == published.revision)
        )

    def stop(self) -> None:
        """Stop the controller and the artifact server."""
        self.server.stop()
        self.artifacts.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def start_flux(plane: ControlPlane, *, arguments: Sequence[str] = ()) -> Flux:
    """Install Flux's CRDs in a plane and start kustomize-controller; `arguments` are further flags of it.

    Raises:
        ServerError: it died or did not become ready.
    """
    require("kustomize-controller")
    client = plane.client("stowplan-e2e-flux")
    install_components(client, "flux", "flux-source")
    client.apply(reference("v1", "Namespace", NAMESPACE))
    health, metrics = free_port(), free_port()
    command: list[str | Path] = [
        executable("kustomize-controller"),
        f"--health-addr=127.0.0.1:{health}",
        f"--metrics-addr=127.0.0.1:{metrics}",
        "--events-addr=",
        "--watch-all-namespaces",
        "--requeue-dependency=2s",
        *arguments,
    ]
    environment = {"KUBECONFIG": str(plane.kubeconfig()), "RUNTIME_NAMESPACE": NAMESPACE, "TMPDIR": str(plane.folder)}
    folder = plane.folder / "flux"
    server = Server(f"{plane.name}-flux", command, folder, environment=environment, ports=(health, metrics))
    server.wait_ready(lambda: healthy(health, "/readyz"))
    return Flux(plane, server, ArtifactServer())


def source_status(source: Object, artifact: Artifact) -> Object:
    """The status that source-controller would set on a source for an artifact."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    generation = source["metadata"]["generation"]
    ready = {
        "type": "Ready",
        "status": "True",
        "reason": "Succeeded",
        "message": f"stored artifact for revision '{artifact.revision}'",
        "lastTransitionTime": now,
        "observedGeneration": generation,
    }
    described = {
        "digest": artifact.digest,
        "lastUpdateTime": now,
        "path": artifact.path,
        "revision": artifact.revision,
        "size": artifact.size,
        "url": artifact.url,
    }
    return {"observedGeneration": generation, "conditions": [ready], "artifact": described}
