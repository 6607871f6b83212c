"""Plain values the ownership check reads: rendered objects, facts of the clusters, and what the owners allow."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from stowplan.source.span import Origin

__all__ = ["ENGINE_MANAGERS", "ClusterFacts", "ObjectKey", "RenderedObject", "SharedField", "group_of"]

ENGINE_MANAGERS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "argocd": ("argocd-controller", "argocd-application-controller"),
        "flux": ("kustomize-controller",),
        "karmada": ("karmada-controller-manager", "karmada-agent", "controller-manager"),
    }
)
"""The managedFields names under which each delivery engine writes, the usual one first."""

ObjectKey = tuple[str, str, str, str]
"""API group, kind, namespace (empty if cluster-scoped) and name: what makes an object one in its cluster."""

_EMPTY: Final[Mapping[str, str]] = MappingProxyType({})


def group_of(api_version: str) -> str:
    """The API group of an apiVersion, empty for the core group."""
    return api_version.rpartition("/")[0]


@dataclass(frozen=True, slots=True, eq=False)
class RenderedObject:
    """One rendered object and the way it reaches an API server.

    `target` names the API server (a cluster, or a hub), `unit` the directory synced as one, `path` the rendered file,
    `engine` who applies it there. `workload_class` (training, batch, inference, interactive, components) is set on what
    belongs to a workload. Objects of equal `shape_key` have equal fields, list keys and map keys included, so that what
    follows from those is worked out once; None means the object is looked at by itself.
    """

    target: str
    unit: str
    path: str
    api_version: str
    kind: str
    namespace: str
    name: str
    object: Mapping[str, Any]
    engine: str
    delivered_by: str = ""
    workload_class: str = ""
    shape_key: Hashable | None = None

    @property
    def key(self) -> ObjectKey:
        """What makes the object one in its cluster."""
        return group_of(self.api_version), self.kind, self.namespace, self.name

    @property
    def title(self) -> str:
        """Kind, namespace and name as people write them."""
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"

    def metadata_map(self, name: str) -> Mapping[str, Any]:
        """The labels or annotations, empty if there are none."""
        metadata = self.object.get("metadata")
        found = metadata.get(name) if isinstance(metadata, dict) else None
        return found if isinstance(found, dict) else _EMPTY


@dataclass(frozen=True, slots=True)
class ClusterFacts:
    """What decides which controllers write in a cluster: `hub` is `karmada` or `kueue` where the target is one."""

    name: str
    kubernetes: str = ""
    components: Mapping[str, str] = field(default_factory=dict)
    engine: str = ""
    hub: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SharedField:
    """A field that its owners let these writers share; `writers` are atlas ids, controllers or managers."""

    kind: str
    field: str
    writers: tuple[str, ...]
    reason: str
    origin: Origin | None = None
