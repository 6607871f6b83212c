"""Fleet, Flavor, and Cohort: what holds for every cluster."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from stowplan.model.inputs.base import ClusterName, Duration, InputModel, Name, Text, Version, seq
from stowplan.model.inputs.forms import ApiVersion, Currency, LabelKey, LabelValue, ResourceName
from stowplan.model.inputs.kueue import Provisioning

__all__ = [
    "AcceleratorKind",
    "CohortSpec",
    "FlavorSpec",
    "FleetSpec",
    "Planes",
    "Reader",
    "Toleration",
    "WorkloadPlacementPlane",
]

Engine = Literal["argocd", "flux"]


class GitOps(InputModel):
    """Where the rendered tree lives and who syncs it."""

    repository: Text = Field(description="URL of the Git repository that the engines read")
    revision: Text = Field(default="main", description="branch, tag, or commit that the engines follow")
    path: Text = Field(default="rendered", description="folder of the rendered tree in the repository")
    engines: tuple[Engine, ...] = Field(description="GitOps engines in use: argocd, flux, or both", strict=False)


class HubRef(InputModel):
    """A hub on a cluster of the fleet."""

    cluster: ClusterName = Field(description="the Cluster it runs on")


class KueueHub(HubRef):
    """The MultiKueue manager."""

    dispatcher: Literal["AllAtOnce", "Incremental"] = Field(
        default="AllAtOnce",
        description="how the manager nominates worker clusters; keeps an order only from Kueue 0.19 on",
    )


class KarmadaHub(HubRef):
    """The Karmada control plane: an API server of its own, the target `karmada`."""

    version: Version = Field(description="version of Karmada")
    apis: tuple[ApiVersion, ...] = seq("API groups with versions that Karmada's API server serves")
    kubernetes: Text = Field(default="1.36", description="Kubernetes minor of Karmada's API server")


class Hubs(InputModel):
    """The central control planes; each may be absent."""

    gitops: HubRef | None = Field(default=None, description="where Argo CD runs")
    kueue: KueueHub | None = Field(default=None, description="the MultiKueue manager cluster")
    karmada: KarmadaHub | None = Field(default=None, description="the Karmada control plane")


class WorkloadPlacementPlane(InputModel):
    """Who dispatches each class of workload."""

    training: Literal["multikueue", "direct", "karmada", "none"] = Field(description="dispatch owner of training gangs")
    batch: Literal["multikueue", "direct", "karmada", "none"] = Field(description="dispatch owner of batch shards")
    inference: Literal["karmada", "direct", "none"] = Field(description="dispatch owner of inference services")
    interactive: Literal["direct", "none"] = Field(description="dispatch owner of workspaces")
    components: Literal["gitops", "karmada", "none"] = Field(description="delivery owner of platform components")


class Planes(InputModel):
    """The planes table: exactly one owner each; `none` is an answer, silence is not."""

    cluster_lifecycle: Text = Field(description="owner of cluster creation and upgrades")
    inventory: Text = Field(description="owner of the inventory")
    workload_placement: WorkloadPlacementPlane = Field(description="owner of placement by class of workload")
    service_discovery: Text = Field(description="owner of service discovery across clusters")
    network: Text = Field(description="owner of the network between pods")
    traffic: Text = Field(description="owner of request routing")
    data_replication: Text = Field(description="owner of data replication")
    policy: Text = Field(description="owner of admission policy")


class Reader(InputModel):
    """Who looks for drift: a subject of RBAC."""

    kind: Literal["Group", "User", "ServiceAccount"] = Field(description="kind of the subject")
    name: Annotated[Text, Field(min_length=1, max_length=253)] = Field(description="name, as the cluster knows it")
    namespace: Name | None = Field(default=None, description="namespace of a ServiceAccount; of no other kind")

    @model_validator(mode="after")
    def _namespace_of_accounts(self) -> Self:
        if (self.kind == "ServiceAccount") != (self.namespace is not None):
            text = "a ServiceAccount needs its `namespace`; a Group or User has none"
            raise PydanticCustomError("exclusive", text, {})
        return self


class Drift(InputModel):
    """The search for drift."""

    readers: tuple[Reader, ...] = seq("who may list what is rendered, on every API server; nobody by default")


class FleetSpec(InputModel):
    """All clusters compiled for, as one."""

    gitops: GitOps = Field(description="where the rendered tree lives and who syncs it")
    hubs: Hubs = Field(default=Hubs.model_construct(), description="central control planes")
    priorities: dict[Name, Annotated[int, Field(ge=-2147483648, le=1000000000)]] = Field(
        description="workload priorities by name; higher runs first", min_length=1
    )
    default_priority: Name = Field(description="priority of an intent that names none")
    planes: Planes = Field(description="exactly one owner for each plane")
    drift: Drift = Field(default=Drift.model_construct(), description="who may look for drift")
    currency: Currency = Field(default="USD", description="currency of all prices, budgets, and costs")
    snapshot_max_age: Duration = Field(
        default="24h", description="age from which a snapshot no longer counts (duration)"
    )


class AcceleratorKind(InputModel):
    """A make of accelerator."""

    vendor: Literal["nvidia", "amd", "intel", "google", "aws"] = Field(description="maker of the accelerator")
    model: Text = Field(description="model as the inventory states it, such as H200-SXM")
    resource: ResourceName = Field(description="extended resource that counts it, such as nvidia.com/gpu")
    mig_profile: Text | None = Field(default=None, description="MIG profile of a partition, such as 3g.40gb")


class Toleration(InputModel):
    """A toleration, in Kubernetes' form."""

    key: LabelKey | None = Field(default=None, description="taint key; absent means all keys")
    operator: Literal["Exists", "Equal"] = Field(default="Equal", description="how value is compared")
    value: LabelValue | None = Field(default=None, description="taint value for Equal")
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = Field(
        default=None, description="taint effect; absent means all effects"
    )


class FlavorSpec(InputModel):
    """A kind of capacity, lowered to Kueue's ResourceFlavor."""

    accelerator: AcceleratorKind | None = Field(default=None, description="accelerator; absent for cpu-only capacity")
    capacity_type: Literal["reserved", "on-demand", "spot"] = Field(description="how the capacity is bought")
    node_labels: dict[LabelKey, LabelValue] = Field(
        default_factory=dict, description="labels of the nodes that have it"
    )
    node_taints: tuple[Toleration, ...] = seq("taints of those nodes, stated on the ResourceFlavor")
    tolerations: tuple[Toleration, ...] = seq("tolerations that the pods get")
    topology: Name | None = Field(default=None, description="name of the Kueue Topology of these nodes")
    provisioning: Provisioning | None = Field(
        default=None, description="present when nodes are added on request, by a ProvisioningRequest"
    )


class FairSharing(InputModel):
    """Fair sharing in the borrowing tree."""

    weight: Annotated[float, Field(ge=0, le=1_000_000)] = Field(default=1, description="share against siblings")


class CohortQuota(InputModel):
    """A cohort's own quota, lent to its queues."""

    flavor: Name = Field(description="the Flavor")
    cluster: Text = Field(default="*", description="a Cluster, or `*` for each that has the flavor")
    nominal: int = Field(ge=0, description="accelerators")
    borrowing_limit: int | None = Field(
        default=None, ge=0, description="accelerators that may be borrowed from the parent"
    )
    lending_limit: int | None = Field(default=None, ge=0, description="accelerators that may be lent to the parent")


class CohortSpec(InputModel):
    """A node of the borrowing tree."""

    parent: Name | None = Field(default=None, description="parent Cohort")
    fair_sharing: FairSharing | None = Field(default=None, description="weight against siblings")
    quota: tuple[CohortQuota, ...] = seq("the cohort's own quota by flavor and cluster")
