"""The fleet with all names bound: clusters with their facts, capacity pools, and tenants' quotas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType

from stowplan.model.entity import Entity
from stowplan.model.inputs.cluster import ClusterSpec
from stowplan.model.inputs.fleet import CohortSpec, FlavorSpec, FleetSpec
from stowplan.model.inputs.inventory import InventorySnapshotSpec, NodeGroup, Price, Transfer
from stowplan.model.inputs.policies import (
    ComponentSpec,
    ExemptionSpec,
    FailoverPolicySpec,
    GuardrailPolicySpec,
    OwnershipPolicySpec,
    PlacementPolicySpec,
    RolloutPolicySpec,
    RuleLevelsSpec,
)
from stowplan.model.inputs.tenant import ArtifactSpec, TenantSpec
from stowplan.model.workload import Workload
from stowplan.source.span import Origin

__all__ = ["Cluster", "Fleet", "Leaf", "Policies", "Pool", "QuotaFact"]


@dataclass(frozen=True, slots=True)
class Leaf:
    """Nodes of one group in one innermost topology domain: totals and what is free now.

    `cpu` is in thousandths of a core, `memory` in bytes, both of one node; `free_accelerators` may lie on partly used
    nodes, `free_nodes` are whole.
    """

    path: tuple[str, ...]
    group: str
    nodes: int
    accelerators_per_node: int
    cpu: int
    memory: int
    free_nodes: int
    free_accelerators: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class Pool:
    """The capacity of one flavor in one cluster."""

    cluster: str
    flavor: str
    groups: tuple[tuple[NodeGroup, Origin], ...]
    leaves: tuple[Leaf, ...]
    levels: tuple[str, ...]
    price: Price | None
    price_origin: Origin | None
    wait_hours: float
    power_kilowatts_per_node: float
    best_per_node: dict[tuple[int, int, int], int | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """Kept by `rooms.best_per_node`."""

    @property
    def total_accelerators(self) -> int:
        """Accelerators on all nodes, free or not."""
        return sum(leaf.nodes * leaf.accelerators_per_node for leaf in self.leaves)

    @property
    def nodes(self) -> int:
        """Nodes of the pool."""
        return sum(leaf.nodes for leaf in self.leaves)


@dataclass(frozen=True, slots=True)
class Cluster:
    """One cluster: what its owners declare and what the snapshot observed."""

    name: str
    entity: Entity[ClusterSpec]
    snapshot: Entity[InventorySnapshotSpec] | None
    pools: Mapping[str, Pool]
    apis: frozenset[str]
    cached: Mapping[str, str]
    transfer: Mapping[str, tuple[Transfer, Origin]]
    minor: int

    @property
    def spec(self) -> ClusterSpec:
        """The declared facts."""
        return self.entity.spec

    @property
    def labels(self) -> Mapping[str, str]:
        """Labels of the Cluster document."""
        return self.entity.labels

    @property
    def is_member(self) -> bool:
        """Whether it takes workloads (anything but a pure hub)."""
        return any(role != "hub" for role in self.spec.roles)

    @property
    def observed(self) -> InventorySnapshotSpec | None:
        """The snapshot's facts."""
        return None if self.snapshot is None else self.snapshot.spec


@dataclass(frozen=True, slots=True)
class QuotaFact:
    """A tenant's quota of a flavor in a cluster, accelerators; None for a limit means there is none."""

    nominal: int
    borrowing_limit: int | None
    lending_limit: int | None
    origin: Origin


@dataclass(frozen=True, slots=True)
class Policies:
    """All policy documents, each sorted by name."""

    placement: tuple[Entity[PlacementPolicySpec], ...] = ()
    ownership: tuple[Entity[OwnershipPolicySpec], ...] = ()
    guardrails: tuple[Entity[GuardrailPolicySpec], ...] = ()
    failover: tuple[Entity[FailoverPolicySpec], ...] = ()
    rollout: tuple[Entity[RolloutPolicySpec], ...] = ()
    levels: tuple[Entity[RuleLevelsSpec], ...] = ()
    exemptions: tuple[Entity[ExemptionSpec], ...] = ()


@dataclass(frozen=True, slots=True)
class Fleet:
    """Everything bound. Mappings are sorted by name; `as_of` is the newest observation or what `--as-of` said."""

    entity: Entity[FleetSpec]
    clusters: Mapping[str, Cluster]
    flavors: Mapping[str, Entity[FlavorSpec]]
    cohorts: Mapping[str, Entity[CohortSpec]]
    tenants: Mapping[str, Entity[TenantSpec]]
    artifacts: Mapping[str, Entity[ArtifactSpec]]
    workloads: tuple[Workload, ...]
    components: tuple[Entity[ComponentSpec], ...]
    policies: Policies
    as_of: datetime
    quotas: Mapping[tuple[str, str, str], QuotaFact] = field(default_factory=lambda: MappingProxyType({}))
    """Quota by (tenant, cluster, flavor)."""
    _workloads: Mapping[str, Workload] = field(init=False, repr=False, compare=False)
    members: tuple[Cluster, ...] = field(init=False, repr=False, compare=False)
    """Clusters that take workloads, by name."""

    def __post_init__(self) -> None:
        """Indexes that are asked often."""
        by_name: dict[str, Workload] = {}
        for workload in self.workloads:
            by_name.setdefault(workload.name, workload)
        object.__setattr__(self, "_workloads", by_name)
        object.__setattr__(self, "members", tuple(c for c in self.clusters.values() if c.is_member))

    @property
    def name(self) -> str:
        """The fleet's name."""
        return self.entity.name

    @property
    def spec(self) -> FleetSpec:
        """What holds for every cluster."""
        return self.entity.spec

    def workload(self, name: str) -> Workload | None:
        """The workload of that name."""
        return self._workloads.get(name)
