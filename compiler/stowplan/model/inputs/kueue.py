"""What a cluster says of its Kueue: how it is configured, what its snapshot saw of it, and capacity that must be provisioned."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from stowplan.model.inputs.base import Accelerators, Duration, InputModel, Name, Quantity, Text, seq
from stowplan.model.inputs.forms import LabelKey, Subdomain

__all__ = ["KueueFacts", "KueueSettings", "Provisioning", "ResourceTransformation"]


class DeviceClass(InputModel):
    """Devices of Dynamic Resource Allocation, counted in quota as one resource."""

    resource: LabelKey = Field(description="resource name that quotas count, such as example.com/gpu")
    classes: tuple[Subdomain, ...] = Field(
        strict=False, min_length=1, max_length=8, description="DeviceClasses that count as it"
    )


class ResourceTransformation(InputModel):
    """How a resource that pods ask for counts in quota."""

    input: Text = Field(description="resource that pods ask for")
    strategy: Literal["Retain", "Replace"] = Field(description="whether the input counts too")
    outputs: dict[Text, Quantity] = Field(description="what one of the input counts as, by resource", min_length=1)


class CredentialsProvider(InputModel):
    """A command by which the MultiKueue manager gets credentials for the workers whose ClusterProfile names this provider."""

    name: Text = Field(description="name that the status of ClusterProfiles has")
    command: Text = Field(description="exec plugin of client-go, as a path in the manager's container")
    args: tuple[Text, ...] = seq("arguments of the command")
    env: dict[Text, Text] = Field(default_factory=dict, description="environment variables of the command; no secrets")
    api_version: Literal["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"] = Field(
        default="client.authentication.k8s.io/v1", description="version of ExecCredential that the command prints"
    )
    provide_cluster_info: bool = Field(
        default=False, description="whether the command is told of the worker, as KUBERNETES_EXEC_INFO"
    )


class PodsReady(InputModel):
    """How long an admitted job may take until all its pods run."""

    timeout: Duration = Field(default="30m", description="time from admission until all pods are ready (duration)")
    recovery_timeout: Duration | None = Field(
        default=None, description="time for a pod that failed to be ready again (duration)"
    )
    block_admission: bool = Field(default=False, description="whether nothing else is admitted meanwhile")


class KueueSettings(InputModel):
    """Configuration of the cluster's Kueue."""

    configuration: Literal["external", "rendered"] = Field(
        default="external",
        description="rendered: the ConfigMap of Kueue's configuration is part of the tree; external: whoever installs "
        "Kueue keeps it, and it is checked against the snapshot",
    )
    namespace: Name = Field(default="kueue-system", description="namespace that Kueue runs in")
    frameworks: tuple[Text, ...] = seq("integrations beyond those that rendered jobs need, by Kueue's names")
    feature_gates: dict[Text, bool] = Field(default_factory=dict, description="feature gates beyond those needed")
    origin: Text | None = Field(
        default=None, description="name of this manager on its workers; absent: the fleet's name"
    )
    other_managers: tuple[Text, ...] = seq("origins of managers of other fleets that use this cluster as a worker")
    credentials_providers: tuple[CredentialsProvider, ...] = seq(
        "of a MultiKueue manager: where credentials for ClusterProfiles come from", max_length=16
    )
    fair_sharing: bool = Field(
        default=False, description="whether preemption follows shares instead of priorities alone"
    )
    device_classes: tuple[DeviceClass, ...] = seq(
        "DeviceClasses that count in quota, a class under one resource only", max_length=16
    )
    transformations: tuple[ResourceTransformation, ...] = seq("how resources count in quota")
    exclude_prefixes: tuple[Text, ...] = seq("prefixes of resources that do not count in quota")
    pods_ready: PodsReady | None = Field(
        default=None, description="wait for all pods of a job; absent: Kueue's own default"
    )


class QueueUsage(InputModel):
    """What is admitted through a ClusterQueue."""

    queue: Name = Field(description="ClusterQueue")
    flavor: Name = Field(description="ResourceFlavor")
    accelerators: Accelerators = Field(description="accelerators admitted")


class KueueFacts(InputModel):
    """What was seen of a running Kueue."""

    frameworks: tuple[Text, ...] | None = Field(
        default=None, strict=False, description="integrations that are enabled; absent means not looked at"
    )
    feature_gates: dict[Text, bool] = Field(default_factory=dict, description="feature gates that are set")
    origin: Text | None = Field(default=None, description="origin that a manager marks its remote objects with")
    usage: tuple[QueueUsage, ...] = seq("what is admitted, by ClusterQueue and ResourceFlavor")


class Provisioning(InputModel):
    """Nodes that a cluster autoscaler adds on request, before work is admitted."""

    class_name: Text = Field(description="provisioning class, such as check-capacity.autoscaling.x-k8s.io")
    parameters: dict[Text, Annotated[Text, Field(max_length=255)]] = Field(
        default_factory=dict, description="parameters of the class", max_length=100
    )
    managed_resources: tuple[Text, ...] = seq("resources that need a request; empty means all work does")
    retries: Annotated[int, Field(ge=0, le=100)] = Field(default=3, description="retries of a request that failed")
    retry_after: Duration = Field(default="1m", description="first wait before a retry (duration)")
    retry_at_most: Duration = Field(default="30m", description="longest wait before a retry (duration)")
