"""What lowering makes: units of manifests for targets, as template variables with their origins, not yet objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stowplan.source.span import Origin, Pointer

__all__ = ["Lowered", "Manifest", "Target", "Unit"]


@dataclass(frozen=True, slots=True, order=True)
class Target:
    """An API server that gets manifests, and the folder of its units below `rendered/`.

    `name` is how plans and checks call it: a cluster's name, or `karmada` for Karmada's own API server. `folder` is
    `clusters/NAME`, `hubs/kueue`, or `hubs/karmada`. `cluster` is the Cluster whose facts (minor, served APIs, packs,
    components) hold for it; for Karmada's API server, which has facts of its own, the cluster it runs on.
    `engine` is who syncs it: argocd or flux.
    """

    folder: str
    name: str
    cluster: str
    engine: str

    @property
    def is_karmada(self) -> bool:
        """Whether it is Karmada's own API server."""
        return self.folder == "hubs/karmada"


@dataclass(frozen=True, slots=True)
class Unit:
    """Manifests that are synced together: one folder with an explicit kustomization.

    `wave` orders units of a target (lower first); `depends_on` names units of the same target that must be healthy
    before; `plane` is the row of the planes table it belongs to; `protected` says that the engines must not prune it
    (namespaces, quotas: what takes others along when it goes); `patience_minutes` is how long its objects may take to
    become healthy.
    """

    target: Target
    name: str
    wave: int
    depends_on: tuple[str, ...] = ()
    plane: str = "workloadPlacement"
    protected: bool = False
    patience_minutes: int = 5

    @property
    def folder(self) -> str:
        """The unit's folder below `rendered/`."""
        return f"{self.target.folder}/{self.name}"


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object to be: a template's name, its variables, and where each variable came from.

    `template` is a path below `templates/` without `.yaml.j2` (`kueue/clusterqueue`), or the path of a component's own
    template file. `origins` maps a variable's path (`("queue", "nominal")`) to the input that it came from; the
    longest prefix wins, and `()` is the manifest's own origin, always there. `delivered_by` is the plane's owner:
    gitops, karmada, or multikueue. `source` names the intent, tenant, cluster, or component that asked for it
    (`workload/asr`, `tenant/speech`).
    """

    unit: Unit
    template: str
    variables: Mapping[str, Any]
    origins: Mapping[Any, Origin]
    source: str
    delivered_by: str = "gitops"
    member: str = ""
    """The cluster that Karmada is to carry it to; what is alike there becomes one template, the rest overrides."""

    def origin_of(self, path: Pointer) -> Origin:
        """The input that a variable came from."""
        for length in range(len(path), -1, -1):
            found = self.origins.get(path[:length])
            if found is not None:
                rest = path[length:]
                return found.below(rest) if length and rest else found
        raise KeyError(path)


@dataclass(frozen=True, slots=True)
class Lowered:
    """All units in order (target, wave, name) and all manifests."""

    units: tuple[Unit, ...] = ()
    manifests: tuple[Manifest, ...] = ()
    propagated: tuple[Manifest, ...] = ()
    """What Karmada carries, once for each member (`Manifest.member`), not yet folded into templates and policies."""
    component_templates: Mapping[str, str] = field(default_factory=dict)
    """Texts of component manifests and templates by path, as the render pass needs them."""
    components: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The clusters that get each component, by its name."""
