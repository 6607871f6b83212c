"""Training, batch, inference, and interactive intents: what a team asks for."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from stowplan.model.inputs.base import ClusterName, Duration, InputModel, Name, Quantity, Text, Version, seq
from stowplan.model.inputs.fleet import Toleration
from stowplan.model.quantity import parse_duration

__all__ = ["BatchIntentSpec", "InferenceIntentSpec", "IntentSpec", "TrainingIntentSpec", "WorkspaceIntentSpec"]

Count = Annotated[int, Field(ge=1, le=100_000)]
Runtime = Literal[
    "TrainJob", "JobSet", "PyTorchJob", "MPIJob", "RayJob", "LeaderWorkerSet", "Job", "VolcanoJob", "RayCluster", "Pods"
]
OnUnplaced = Literal["warn", "error"]


class AcceleratorNeed(InputModel):
    """What an accelerator must be."""

    vendor: Text | None = Field(default=None, description="maker")
    models: tuple[Text, ...] = seq("models that will do; empty means any")
    min_memory: Quantity | None = Field(default=None, description="least memory of one accelerator, as a quantity")
    min_driver: Version | None = Field(default=None, description="least driver version")
    min_cuda: Version | None = Field(default=None, description="least CUDA version")
    min_rocm: Version | None = Field(default=None, description="least ROCm version")
    mig_profile: Text | None = Field(default=None, description="MIG profile; absent means whole accelerators")
    precision: Text | None = Field(default=None, description="number format needed in hardware, such as fp8")


class TopologyNeed(InputModel):
    """How close a gang must be; required and preferred exclude each other."""

    required: Name | None = Field(default=None, description="level whose one domain must hold the gang")
    preferred: Name | None = Field(default=None, description="level whose one domain should hold the gang")

    @model_validator(mode="after")
    def _one_only(self) -> Self:
        if (self.required is None) == (self.preferred is None):
            raise PydanticCustomError("exclusive", "state either `required` or `preferred`, and one of them only", {})
        return self


class NetworkNeed(InputModel):
    """Bandwidth between nodes."""

    min_gigabits_per_second: float | None = Field(default=None, gt=0, description="least gigabits per second a node")
    min_mtu: int | None = Field(default=None, ge=576, le=65535, description="least MTU, bytes")


class DataNeed(InputModel):
    """An artifact that must be there."""

    artifact: Name = Field(description="the Artifact")
    access: Literal["read", "write"] = Field(default="read", description="kind of access")


class Checkpoint(InputModel):
    """Where progress is kept."""

    storage: Text = Field(description="`objectStore` or a storage class purpose of the cluster")
    path: Text = Field(min_length=1, description="path below it")
    every: Duration = Field(description="interval between checkpoints (duration)")
    size: Quantity | None = Field(
        default=None, description="size of the volume, as a quantity; for storage classes, which need one"
    )


class Output(InputModel):
    """Where results go: each attempt writes to a place of its own, and what succeeded is promoted."""

    storage: Text = Field(description="`objectStore` or a storage class purpose of the cluster")
    path: Text = Field(min_length=1, description="path below it")
    size: Quantity | None = Field(
        default=None, description="size of the volume, as a quantity; for storage classes, which need one"
    )
    promote: tuple[Text, ...] | None = Field(
        default=None,
        strict=False,
        min_length=1,
        description="command, in the intent's image, that makes STOWPLAN_OUTPUT_URI final under STOWPLAN_PROMOTED_URI "
        "once the work has succeeded; absent: the program does it itself",
    )


class Failover(InputModel):
    """Recovery promises."""

    rpo: Duration = Field(description="work that may be lost (duration)")
    rto: Duration = Field(description="time until it runs again (duration)")


class Route(InputModel):
    """An explicit choice of the user."""

    cluster: ClusterName = Field(description="the Cluster")
    local_queue: Name | None = Field(default=None, description="LocalQueue; absent means the tenant's own")


class CommonIntent(InputModel):
    """What every intent may say."""

    tenant: Name = Field(description="the Tenant that asks")
    namespace: Name | None = Field(default=None, description="namespace of the tenant; absent means its first")
    priority: Name | None = Field(default=None, description="priority; absent means the fleet's default")
    environment: Text | None = Field(default=None, description="environment it must run in; absent means any")
    jurisdictions: tuple[Text, ...] | None = Field(
        default=None, strict=False, description="jurisdictions it may run in"
    )
    accelerator: AcceleratorNeed = Field(
        default=AcceleratorNeed.model_construct(), description="what an accelerator must be"
    )
    clusters: tuple[ClusterName, ...] | None = Field(default=None, strict=False, description="clusters it may run on")
    tolerations: tuple[Toleration, ...] = seq("cluster and node taints it tolerates")
    secrets: tuple[Name, ...] = seq("secrets of the namespace it mounts, by name")
    on_unplaced: OnUnplaced = Field(default="warn", description="level of the finding when it cannot be placed")
    state: Literal["active", "suspended", "done"] = Field(
        default="active", description="`done` takes a finished job out; `suspended` renders nothing that runs"
    )
    dispatch: Literal["multikueue", "direct", "karmada"] | None = Field(
        default=None, description="dispatch owner; absent means the planes table's"
    )


class TrainingDuration(InputModel):
    """How long a gang runs."""

    expected: Duration = Field(description="expected run time (duration)")
    limit: Duration | None = Field(default=None, description="time after which it is stopped (duration)")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.limit is not None and parse_duration(self.limit) < parse_duration(self.expected):
            raise PydanticCustomError(
                "order", "`limit` ({limit}) is below `expected` ({expected})",
                {"limit": self.limit, "expected": self.expected, "field": "limit", "other": "expected"},
            )  # fmt: skip
        return self


class Workers(InputModel):
    """The members of a gang, all alike."""

    count: Count = Field(description="workers")
    accelerators: Annotated[int, Field(ge=0, le=1024)] = Field(description="accelerators of one worker")
    cpu: Quantity = Field(description="cores of one worker")
    memory: Quantity = Field(description="memory of one worker, as a quantity")


class TrainingIntentSpec(CommonIntent):
    """One gang that starts together or not at all."""

    runtime: Runtime = Field(description="kind of object that runs it")
    image: Name = Field(description="Artifact of type image, rendered by digest")
    command: tuple[Text, ...] = Field(strict=False, min_length=1, description="command and arguments")
    env: dict[Text, Text] = Field(default_factory=dict, description="environment of the containers")
    workers: Workers = Field(description="the gang")
    topology: TopologyNeed | None = Field(default=None, description="how close the gang must be")
    rdma: bool = Field(default=False, description="whether workers need RDMA")
    network: NetworkNeed | None = Field(default=None, description="bandwidth between nodes")
    data: tuple[DataNeed, ...] = seq("data it reads or writes")
    checkpoint: Checkpoint | None = Field(default=None, description="where progress is kept")
    output: Output | None = Field(default=None, description="where results go")
    duration: TrainingDuration = Field(description="how long it runs")
    interruptible: bool = Field(description="whether it may be interrupted and resumed")
    attempts: Annotated[int, Field(ge=1, le=100)] = Field(default=1, description="attempts before it counts as failed")
    failover: Failover | None = Field(default=None, description="recovery promises")
    deadline: Duration | None = Field(default=None, description="time to result that must hold, from as-of (duration)")
    regions: tuple[Name, ...] | None = Field(default=None, strict=False, description="regions it may run in")
    route: Route | None = Field(default=None, description="explicit choice of cluster and queue")
    options: dict[Text, Any] = Field(default_factory=dict, description="options of the runtime, by its own field names")


class ShardDuration(InputModel):
    """How long a shard runs."""

    expected_per_shard: Duration = Field(description="expected run time of one shard (duration)")
    limit_per_shard: Duration | None = Field(default=None, description="time after which a shard is stopped (duration)")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.limit_per_shard is not None and parse_duration(self.limit_per_shard) < parse_duration(
            self.expected_per_shard
        ):
            raise PydanticCustomError(
                "order", "`limitPerShard` ({limit}) is below `expectedPerShard` ({expected})",
                {"limit": self.limit_per_shard, "expected": self.expected_per_shard, "field": "limitPerShard"},
            )  # fmt: skip
        return self


class Shards(InputModel):
    """Loosely coupled pieces, all alike; the unit of placement is one shard."""

    count: Count = Field(description="shards in all")
    parallelism: Count | None = Field(default=None, description="shards at a time; absent means all at once")
    accelerators: Annotated[int, Field(ge=0, le=1024)] = Field(description="accelerators of one shard")
    cpu: Quantity = Field(description="cores of one shard")
    memory: Quantity = Field(description="memory of one shard, as a quantity")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.parallelism is not None and self.parallelism > self.count:
            raise PydanticCustomError(
                "order", "`parallelism` ({parallelism}) is above `count` ({count})",
                {"parallelism": self.parallelism, "count": self.count, "field": "parallelism"},
            )  # fmt: skip
        return self


class BatchIntentSpec(CommonIntent):
    """Many loosely coupled trials, shards, or stages."""

    runtime: Runtime = Field(description="kind of object that runs it")
    image: Name = Field(description="Artifact of type image, rendered by digest")
    command: tuple[Text, ...] = Field(strict=False, min_length=1, description="command and arguments")
    env: dict[Text, Text] = Field(default_factory=dict, description="environment of the containers")
    shards: Shards = Field(description="the pieces")
    data: tuple[DataNeed, ...] = seq("data it reads or writes")
    checkpoint: Checkpoint | None = Field(default=None, description="where progress is kept")
    output: Output | None = Field(default=None, description="where results go")
    duration: ShardDuration = Field(description="how long a shard runs")
    interruptible: bool = Field(description="whether a shard may be interrupted and run again")
    attempts: Annotated[int, Field(ge=1, le=100)] = Field(
        default=3, description="attempts of a shard before the batch fails"
    )
    deadline: Duration | None = Field(default=None, description="time to result that must hold, from as-of (duration)")
    regions: tuple[Name, ...] | None = Field(default=None, strict=False, description="regions it may run in")
    route: Route | None = Field(default=None, description="explicit choice of cluster and queue")
    options: dict[Text, Any] = Field(default_factory=dict, description="options of the runtime, by its own field names")


class Engine(InputModel):
    """The model server."""

    type: Literal["vllm", "sglang", "triton", "tgi"] = Field(description="kind of server")
    image: Name = Field(description="Artifact of type image, rendered by digest")
    args: tuple[Text, ...] = seq("arguments")
    port: Annotated[int, Field(ge=1, le=65535)] = Field(default=8000, description="port it listens on")


class Replica(InputModel):
    """One replica of the service."""

    accelerators: Annotated[int, Field(ge=1, le=1024)] = Field(description="accelerators of one replica")
    nodes: Annotated[int, Field(ge=1, le=64)] = Field(default=1, description="nodes that one replica spans")
    cpu: Quantity = Field(description="cores of one replica")
    memory: Quantity = Field(description="memory of one replica, as a quantity")

    @model_validator(mode="after")
    def _even(self) -> Self:
        if self.accelerators % self.nodes:
            raise PydanticCustomError(
                "order", "`accelerators` ({accelerators}) cannot be shared evenly by `nodes` ({nodes})",
                {"accelerators": self.accelerators, "nodes": self.nodes, "field": "accelerators"},
            )  # fmt: skip
        return self


class RegionReplicas(InputModel):
    """Replicas of a region."""

    region: Name = Field(description="region")
    replicas: Annotated[int, Field(ge=0, le=10_000)] = Field(description="declared replicas")


class Spread(InputModel):
    """Over how many clusters."""

    min_clusters: Annotated[int, Field(ge=1, le=1000)] = Field(default=1, description="least number of clusters")


class Slo(InputModel):
    """Service objectives (informative, carried into the plan)."""

    time_to_first_token: Duration | None = Field(default=None, description="time to first token (duration)")
    requests_per_second_per_replica: float | None = Field(
        default=None, gt=0, description="requests per second of a replica"
    )
    peak_requests_per_second: float | None = Field(default=None, gt=0, description="requests per second at peak")


class ColdStart(InputModel):
    """How long a replica may take to be ready."""

    limit: Duration = Field(description="longest start (duration)")


class Scaling(InputModel):
    """Scaling in each cluster."""

    by: Literal["hpa", "keda", "none"] = Field(description="who scales")
    min: Annotated[int, Field(ge=0, le=10_000)] = Field(default=1, description="least replicas in a cluster")
    max: Annotated[int, Field(ge=1, le=10_000)] = Field(description="most replicas in a cluster")
    metric: Literal["queue-depth", "kv-cache", "requests"] = Field(
        default="queue-depth", description="what is measured"
    )
    target: Annotated[float, Field(gt=0)] = Field(default=8, description="value of the metric a replica")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.min > self.max:
            raise PydanticCustomError(
                "order", "`min` ({min}) is above `max` ({max})", {"min": self.min, "max": self.max, "field": "min"}
            )
        return self


class InferenceGateway(InputModel):
    """Route to the service."""

    path: Annotated[Text, Field(pattern=r"^/[A-Za-z0-9/_.~-]*$", max_length=200)] = Field(description="path prefix")


class InferenceIntentSpec(CommonIntent):
    """A model served in several clusters."""

    model: Name = Field(description="Artifact of type model")
    served_name: Text | None = Field(default=None, description="name that requests use; absent means the model's")
    engine: Engine = Field(description="the model server")
    env: dict[Text, Text] = Field(default_factory=dict, description="environment of the containers")
    replica: Replica = Field(description="one replica")
    regions: tuple[RegionReplicas, ...] = Field(strict=False, min_length=1, description="declared replicas by region")
    mode: Literal["active-active", "warm-standby"] = Field(
        default="active-active",
        description="how the regions share load; for whoever steers requests between clusters, which nothing rendered does",
    )
    spread: Spread = Field(default=Spread.model_construct(), description="over how many clusters")
    survive: Literal["none", "one-cluster", "one-region"] = Field(default="none", description="loss that must be borne")
    slo: Slo | None = Field(default=None, description="service objectives (informative)")
    cold_start: ColdStart | None = Field(default=None, description="how long a replica may take to be ready")
    prewarm: bool = Field(default=False, description="whether model and image are brought to the nodes first")
    scaling: Scaling | None = Field(default=None, description="scaling in each cluster")
    gateway: InferenceGateway = Field(description="route to the service")
    interruptible: bool = Field(default=False, description="whether replicas may be interrupted")


class PerUser(InputModel):
    """One user's share."""

    accelerators: Annotated[int, Field(ge=0, le=64)] = Field(description="accelerators of one user")
    cpu: Quantity = Field(description="cores of one user")
    memory: Quantity = Field(description="memory of one user, as a quantity")


class Hours(InputModel):
    """Working hours (informative, carried into the plan)."""

    timezone: Text = Field(description="IANA time zone")
    weekdays: Text = Field(description="from-to on weekdays")
    weekend: Text | None = Field(default=None, description="from-to at the weekend")


class WorkspaceIntentSpec(CommonIntent):
    """Quota for notebooks or dev boxes, which the users start themselves."""

    users: Count = Field(description="users at a time")
    per_user: PerUser = Field(description="one user's share")
    hours: Hours | None = Field(default=None, description="working hours (informative)")
    idle_reclaim: Duration | None = Field(
        default=None, description="idle time after which it is reclaimed (informative)"
    )
    interruptible: bool = Field(default=False, description="whether a workspace may be interrupted")


IntentSpec = TrainingIntentSpec | BatchIntentSpec | InferenceIntentSpec | WorkspaceIntentSpec
