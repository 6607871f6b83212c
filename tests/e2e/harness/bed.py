"""What a test asks for servers: starts them, remembers them, stops them all when its scope ends."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.argocd import ArgoCD, start_argocd
from harness.artifacts import ArtifactServer
from harness.certificates import Certificates
from harness.control_plane import ADMIN, ControlPlane, kubeconfig_text, start_control_planes
from harness.flux import Flux, start_flux
from harness.kueue import Kueue, start_kueues
from harness.operators import start_operator
from harness.processes import Server
from harness.repository import Repository


@dataclass(slots=True)
class Bed:
    """Servers of one scope (a test, a module or the run); `folder` is its own, logs stay there."""

    folder: Path
    certificates: Certificates
    _stack: ExitStack = field(default_factory=ExitStack)
    _count: int = 0

    def planes(self, *names: str, controller_manager: bool = False) -> dict[str, ControlPlane]:
        """Start fresh control planes at the same time, by name."""
        self._count += 1
        folder = self.folder / f"planes-{self._count}"
        planes = start_control_planes(names, folder, self.certificates, controller_manager=controller_manager)
        for plane in planes.values():
            self._stack.callback(plane.stop)
        return planes

    def plane(self, name: str = "plane", *, controller_manager: bool = False) -> ControlPlane:
        """Start one fresh control plane."""
        return self.planes(name, controller_manager=controller_manager)[name]

    def kueues(self, planes: Sequence[ControlPlane], **options: Any) -> tuple[Kueue, ...]:
        """Install and start Kueue in several planes at the same time (options of `start_kueue`)."""
        kueues = start_kueues(planes, **options)
        for kueue in kueues:
            self._stack.callback(kueue.stop)
        return kueues

    def kueue(self, plane: ControlPlane, **options: Any) -> Kueue:
        """Install and start Kueue in one plane."""
        return self.kueues((plane,), **options)[0]

    def operators(self, plane: ControlPlane, *names: str) -> tuple[Server, ...]:
        """Install and start workload operators in a plane, in the order given: of `jobset`, `trainer`."""
        servers = []
        for name in names:
            servers.append(start_operator(plane, name))
            self._stack.callback(servers[-1].stop)
        return tuple(servers)

    def flux(self, plane: ControlPlane, **options: Any) -> Flux:
        """Install and start Flux's kustomize-controller in a plane (options of `start_flux`)."""
        flux = start_flux(plane, **options)
        self._stack.callback(flux.stop)
        return flux

    def argocd(self, plane: ControlPlane, **options: Any) -> ArgoCD:
        """Install and start Argo CD in a plane (options of `start_argocd`)."""
        argocd = start_argocd(plane, **options)
        self._stack.callback(argocd.stop)
        return argocd

    def kubeconfig(self, planes: Sequence[ControlPlane], user: str = ADMIN) -> Path:
        """A kubeconfig file with one context for each plane, named after it."""
        self._count += 1
        path = self.folder / f"kubeconfig-{self._count}"
        path.write_text(kubeconfig_text(planes, user), encoding="utf-8")
        path.chmod(0o600)
        return path

    def artifacts(self) -> ArtifactServer:
        """Serve artifacts on loopback."""
        return self._stack.enter_context(ArtifactServer())

    def repository(self, name: str = "fleet") -> Repository:
        """Make an empty git repository."""
        self._count += 1
        return Repository(self.folder / f"repository-{self._count}" / name)

    def close(self) -> None:
        """Stop everything, the youngest first."""
        self._stack.close()
