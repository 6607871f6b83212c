"""Cluster: the stable facts of one Kubernetes cluster."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from stowplan.model.inputs.base import InputModel, Name, Text, Timestamp, Version, seq
from stowplan.model.inputs.forms import LabelKey, LabelValue
from stowplan.model.inputs.kueue import KueueSettings

__all__ = ["COMPONENT_NAMES", "ClusterSpec", "Maintenance", "Role", "Taint"]

Role = Literal["training", "batch", "inference", "interactive", "hub"]

COMPONENT_NAMES = (
    "agentgateway", "argocd", "cert-manager", "envoy-gateway", "flux", "gateway-api", "gpu-operator",
    "inference-extension", "istio", "jobset", "karmada", "keda", "kserve", "kueue", "kuberay", "lws", "mpi-operator", "trainer",
    "training-operator", "volcano",
)  # fmt: skip
"""Names that `components` of a Cluster may use, one spelling each."""


class Delivery(InputModel):
    """Who syncs this cluster's own units."""

    engine: Literal["argocd", "flux"] = Field(description="GitOps engine that syncs this cluster")


class KarmadaMember(InputModel):
    """Membership in Karmada."""

    mode: Literal["push", "pull"] = Field(description="how Karmada reaches the member")


class Gateway(InputModel):
    """The cluster's inference gateway."""

    class_: Text = Field(alias="class", description="GatewayClass name")
    host: Text = Field(description="host name of the listener")


class Storage(InputModel):
    """Where data lies."""

    classes: dict[Text, Text] = Field(default_factory=dict, description="storage classes by purpose")
    object_store: Text | None = Field(default=None, description="URI of the object store")
    registry: Text | None = Field(default=None, description="registry mirror host for images")


class Network(InputModel):
    """Fabric inside and lines outside."""

    fabric: Text = Field(description="fabric between nodes, such as infiniband, efa, or ethernet")
    mtu: int = Field(ge=576, le=65535, description="maximum transmission unit, bytes")
    wan_gigabits_per_second: float = Field(gt=0, description="line to the outside, gigabits per second")


class Power(InputModel):
    """Power and cooling of the site."""

    cap_kilowatts: float = Field(gt=0, description="power cap of the cluster, kilowatts")
    cooling: Literal["air", "liquid"] = Field(default="air", description="kind of cooling")


class Maintenance(InputModel):
    """A window in which the cluster is worked on."""

    from_: Timestamp = Field(alias="from", description="start (RFC 3339)")
    until: Timestamp = Field(description="end (RFC 3339)")
    reason: Text = Field(description="what is done")
    drain: bool = Field(default=False, description="whether running work is evicted when it starts (else only held)")


class Taint(InputModel):
    """A cluster-wide taint, in Kubernetes' form."""

    key: LabelKey = Field(description="taint key")
    value: LabelValue | None = Field(default=None, description="taint value")
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] = Field(description="what it does")


class ClusterSpec(InputModel):
    """Stable facts of one cluster."""

    owner: Text = Field(description="team that owns the cluster (informative, carried into the plan)")
    environment: Text = Field(description="production, staging, or another environment")
    provider: Text = Field(description="cloud provider or onprem")
    region: Name = Field(description="region, as transfer rows name it")
    zone: Text = Field(description="zone in the region (informative)")
    failure_domain: Text = Field(description="what fails together; N-1 takes one at a time")
    jurisdiction: Text = Field(description="legal jurisdiction of the site, such as EU")
    roles: tuple[Role, ...] = Field(description="classes of work it takes", strict=False, min_length=1)
    delivery: Delivery = Field(description="who syncs it")
    kubernetes: Annotated[Text, Field(pattern=r"^1\.[0-9]{1,2}$")] = Field(description="Kubernetes minor, such as 1.36")
    components: dict[Text, Version] = Field(default_factory=dict, description="installed components with versions")
    karmada: KarmadaMember | None = Field(default=None, description="present when a Karmada member")
    gateway: Gateway | None = Field(default=None, description="inference gateway")
    storage: Storage = Field(default=Storage.model_construct(), description="where data lies")
    network: Network | None = Field(default=None, description="fabric and lines")
    power: Power | None = Field(default=None, description="power and cooling")
    maintenance: tuple[Maintenance, ...] = seq("maintenance windows")
    taints: tuple[Taint, ...] = seq("taints on the cluster as a whole")
    data_classes: tuple[Text, ...] | None = Field(
        default=None, strict=False, description="data classes that may enter; absent means all"
    )
    cluster_profile: Name | None = Field(
        default=None,
        description="ClusterProfile by which the MultiKueue manager reaches it; absent: a kubeconfig Secret",
    )
    kueue: KueueSettings = Field(
        default=KueueSettings.model_construct(), description="configuration of the cluster's Kueue"
    )
    identity: Text | None = Field(default=None, description="workload identity annotation value for service accounts")
