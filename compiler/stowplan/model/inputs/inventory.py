"""InventorySnapshot: dated facts observed in one cluster; never edited by hand."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from stowplan.model.inputs.base import (
    Accelerators,
    ClusterName,
    Digest,
    Duration,
    InputModel,
    Name,
    Quantity,
    Text,
    Timestamp,
    Version,
    seq,
)
from stowplan.model.inputs.cluster import Taint
from stowplan.model.inputs.forms import (
    ApiVersion,
    DeviceProperty,
    DeviceValue,
    KubernetesVersion,
    LabelKey,
    LabelValue,
    ResourceName,
    Subdomain,
)
from stowplan.model.inputs.kueue import KueueFacts

__all__ = ["ClaimedDevices", "Domain", "InventorySnapshotSpec", "NodeGroup", "Price", "Running", "Transfer"]


class Health(InputModel):
    """Whether the cluster answers and works."""

    ready: bool = Field(description="whether the cluster takes work")
    reason: Text | None = Field(default=None, description="why it is not ready")


class PerNode(InputModel):
    """Allocatable resources of one node."""

    cpu: Quantity = Field(description="cores")
    memory: Quantity = Field(description="bytes, as a quantity")
    ephemeral_storage: Quantity | None = Field(default=None, description="bytes, as a quantity")
    pods: int = Field(default=110, ge=1, le=1000, description="pods")
    accelerators: Accelerators = Field(default=0, description="accelerators (MIG partitions count one each)")


class ClaimedDevices(InputModel):
    """Devices that Dynamic Resource Allocation hands out: pods claim them by class, and ask for no extended resource."""

    device_class: Subdomain = Field(description="DeviceClass that claims name, such as gpu.nvidia.com")
    driver: Subdomain | None = Field(
        default=None,
        description="driver that publishes the devices, the domain of their attributes and capacities; absent: named as "
        "the class",
    )
    attributes: dict[DeviceProperty, DeviceValue] = Field(
        default_factory=dict,
        max_length=16,
        description="attributes that tell these devices from others of the class, with their values",
    )
    capacity: dict[DeviceProperty, Quantity] = Field(
        default_factory=dict,
        max_length=16,
        description="capacities that tell these devices from others of the class, with the least that each device has",
    )


class ObservedAccelerator(InputModel):
    """What the device plugin, or the driver of Dynamic Resource Allocation, reports."""

    vendor: Text = Field(description="maker")
    model: Text = Field(description="model")
    memory: Quantity = Field(description="memory of one accelerator or partition, as a quantity")
    mig_profile: Text | None = Field(default=None, description="MIG profile when partitioned")
    precisions: tuple[Text, ...] | None = Field(
        default=None, strict=False, description="number formats in hardware, such as fp8; absent means not reported"
    )
    dra: ClaimedDevices | None = Field(
        default=None,
        description="present where Dynamic Resource Allocation hands the devices out; absent: a device plugin does",
    )


class Rdma(InputModel):
    """Remote direct memory access between nodes."""

    resource: ResourceName = Field(description="extended resource that a pod asks for")
    gigabits_per_second_per_node: float = Field(gt=0, description="gigabits per second a node")
    per_node: int | None = Field(
        default=None, ge=1, le=1024, description="devices of a node; absent: shared, as many as accelerators"
    )


class NodeGroup(InputModel):
    """Nodes of one shape."""

    name: Name = Field(description="name in this cluster")
    flavor: Name = Field(description="the Flavor of these nodes")
    nodes: int = Field(ge=0, le=1_000_000, description="nodes")
    per_node: PerNode = Field(description="allocatable resources of one node")
    accelerator: ObservedAccelerator | None = Field(default=None, description="accelerators of a node")
    driver: Version | None = Field(default=None, description="driver version")
    cuda: Version | None = Field(default=None, description="newest CUDA version the driver takes")
    rocm: Version | None = Field(default=None, description="ROCm version")
    rdma: Rdma | None = Field(default=None, description="RDMA between nodes")
    power_kilowatts_per_node: float | None = Field(default=None, ge=0, description="power of a busy node, kilowatts")
    taints: tuple[Taint, ...] = seq("taints of the nodes")


class Level(InputModel):
    """A level of the topology, told by a node label."""

    name: Name = Field(description="name of the level: block, rack, node, ...")
    label: LabelKey = Field(description="node label that carries the domain's name")


class Domain(InputModel):
    """A topology domain above the node, by the path of names from the outermost level."""

    path: tuple[LabelValue, ...] = Field(
        strict=False, description="names of the levels above the node, outermost first"
    )
    node_group: Name = Field(description="node group of these nodes")
    nodes: int = Field(ge=0, description="nodes in all")
    free_nodes: int = Field(ge=0, description="wholly free nodes")
    free_accelerators: Accelerators = Field(description="free accelerators, also on partly used nodes")


class TopologyFacts(InputModel):
    """Levels and domains; the last level is the node."""

    levels: tuple[Level, ...] = Field(
        strict=False, min_length=1, description="levels, outermost first; the last is the node"
    )
    domains: tuple[Domain, ...] = seq("every domain above the node")


class Running(InputModel):
    """What of ours runs already: not part of what is free."""

    intent: Name = Field(description="the intent")
    flavor: Name = Field(description="the Flavor it runs on")
    domain: tuple[LabelValue, ...] = seq("path of the topology domain")
    accelerators: Accelerators = Field(description="accelerators it holds")


class QueueState(InputModel):
    """State of the queue of a flavor."""

    flavor: Name = Field(description="the Flavor")
    wait_estimate: Duration = Field(description="expected wait (duration)")


class Cached(InputModel):
    """An artifact that lies in the cluster."""

    artifact: Name = Field(description="the Artifact")
    digest: Digest = Field(description="digest of the copy")


class Price(InputModel):
    """What a flavor costs here."""

    flavor: Name = Field(description="the Flavor")
    per_accelerator_hour: float = Field(ge=0, description="fleet currency an accelerator and hour")
    interruptions_per_node_hour: float = Field(default=0, ge=0, description="expected interruptions a node and hour")
    on_demand_per_accelerator_hour: float | None = Field(
        default=None, ge=0, description="on-demand price of the same, fleet currency an accelerator and hour"
    )


class Transfer(InputModel):
    """What bringing data in costs."""

    from_region: Name = Field(description="region the data comes from")
    per_gigabyte: float = Field(ge=0, description="fleet currency a gigabyte (10^9 bytes)")
    gigabits_per_second: float = Field(gt=0, description="gigabits per second")


class Carbon(InputModel):
    """Carbon intensity of the grid."""

    grams_per_kilowatt_hour: float = Field(ge=0, description="grams of CO2 equivalent a kilowatt hour")


class NamespaceFact(InputModel):
    """A namespace as found."""

    name: Name = Field(description="namespace")
    phase: Literal["Active", "Terminating"] = Field(default="Active", description="phase")


class InventorySnapshotSpec(InputModel):
    """Facts observed in one cluster at one time."""

    cluster: ClusterName = Field(description="the Cluster")
    observed_at: Timestamp = Field(description="when (RFC 3339)")
    kubernetes: KubernetesVersion = Field(description="version the API server reports")
    health: Health = Field(description="whether it takes work")
    node_groups: tuple[NodeGroup, ...] = seq("nodes by shape")
    topology: TopologyFacts | None = Field(default=None, description="levels and domains")
    running: tuple[Running, ...] = seq("what of ours runs already")
    queues: tuple[QueueState, ...] = seq("state of the queues by flavor")
    cached: tuple[Cached, ...] = seq("artifacts that lie in the cluster")
    prices: tuple[Price, ...] = seq("prices by flavor")
    transfer: tuple[Transfer, ...] = seq("transfer rows by source region")
    carbon: Carbon | None = Field(default=None, description="carbon intensity")
    apis: tuple[ApiVersion, ...] = seq("API groups with versions that the cluster serves")
    namespaces: tuple[NamespaceFact, ...] = seq("namespaces as found")
    secrets: tuple[Text, ...] | None = Field(
        default=None, strict=False, description="secrets as NAMESPACE/NAME (names only); absent means not looked at"
    )
    runtimes: tuple[Text, ...] = seq("ClusterTrainingRuntimes as found")
    kueue: KueueFacts | None = Field(default=None, description="what was seen of the cluster's Kueue")
    crds: tuple[Text, ...] = seq("schema packs or CRD files of this cluster, from the workspace's root")
