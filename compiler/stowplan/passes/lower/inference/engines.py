"""What the kinds of model server need: command line, health paths, metrics, and how a replica spans nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

__all__ = ["ENGINES", "EngineKind"]


@dataclass(frozen=True, slots=True)
class EngineKind:
    """One kind of server.

    `command` is empty where the image's own entry point is used. `model`, `port`, `served_name`, and `parallel` are
    the flags that take the model's path (None: the first argument), the port, the served name, and the accelerators of
    one node (None where there is none); `refused` are further flags that would contradict what is rendered. `metrics` maps what an autoscaler may look at to a metric of the custom metrics API. `rewritten` is the path
    that the server's API starts with. `metrics_port` is None where metrics are on the serving port. `head` and
    `member` are further arguments of the first and of the other nodes of a replica; empty where it cannot span nodes.
    `counts_all_nodes` says that `parallel` takes the accelerators of the whole replica. `streams_objects` are the arguments for a model in
    an object store, None where it cannot load one. `picker_engine` is how the endpoint picker calls the server's metrics, None where it cannot read them.
    """

    command: tuple[str, ...]
    model: str | None
    port: str
    served_name: str | None
    parallel: str | None
    alive_path: str
    ready_path: str
    rewritten: str
    fixed: tuple[str, ...] = ()
    metrics: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    metrics_port: int | None = None
    takes_hub_names: bool = True
    streams_objects: tuple[str, ...] | None = None
    head: tuple[str, ...] = ()
    member: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    counts_all_nodes: bool = False
    picker_engine: str | None = None

    @property
    def own_flags(self) -> frozenset[str]:
        """Flags that the compiler sets, so that users must not."""
        named = (self.model, self.port, self.served_name, self.parallel)
        spread = (argument.partition("=")[0] for argument in (*self.head, *self.member, *self.fixed))
        return frozenset(flag for flag in (*named, *spread, *self.refused) if flag)


_LEADER = "$(LWS_LEADER_ADDRESS)"
_RANK = "--node-rank=$(LWS_WORKER_INDEX)"

ENGINES: Mapping[str, EngineKind] = MappingProxyType(
    {
        "vllm": EngineKind(
            command=("vllm", "serve"),
            model=None,
            port="--port",
            served_name="--served-model-name",
            parallel="--tensor-parallel-size",
            alive_path="/health",
            ready_path="/v1/models",
            rewritten="/v1",
            metrics=MappingProxyType(
                {
                    "queue-depth": "vllm_num_requests_waiting",
                    "requests": "vllm_num_requests_running",
                    "kv-cache": "vllm_kv_cache_usage_perc",
                }
            ),
            streams_objects=("--load-format=runai_streamer",),
            head=(
                "--pipeline-parallel-size=$(LWS_GROUP_SIZE)",
                "--nnodes=$(LWS_GROUP_SIZE)",
                _RANK,
                f"--master-addr={_LEADER}",
            ),
            member=(
                "--pipeline-parallel-size=$(LWS_GROUP_SIZE)",
                "--nnodes=$(LWS_GROUP_SIZE)",
                _RANK,
                f"--master-addr={_LEADER}",
                "--headless",
            ),
            refused=("--model", "-tp", "-pp", "--host", "--uds"),
            picker_engine="vllm",
        ),
        "sglang": EngineKind(
            command=("python3", "-m", "sglang.launch_server"),
            model="--model-path",
            port="--port",
            served_name="--served-model-name",
            parallel="--tp-size",
            alive_path="/health",
            ready_path="/health",
            rewritten="/v1",
            fixed=("--host=0.0.0.0", "--enable-metrics"),
            metrics=MappingProxyType(
                {
                    "queue-depth": "sglang_num_queue_reqs",
                    "requests": "sglang_num_running_reqs",
                    "kv-cache": "sglang_token_usage",
                }
            ),
            head=("--nnodes=$(LWS_GROUP_SIZE)", _RANK, f"--dist-init-addr={_LEADER}:20000"),
            member=("--nnodes=$(LWS_GROUP_SIZE)", _RANK, f"--dist-init-addr={_LEADER}:20000"),
            refused=("--model", "--tp", "--tensor-parallel-size", "--dp-size"),
            counts_all_nodes=True,
            picker_engine="sglang",
        ),
        "tgi": EngineKind(
            command=(),
            model="--model-id",
            port="--port",
            served_name=None,
            parallel="--num-shard",
            alive_path="/health",
            ready_path="/health",
            rewritten="/v1",
            metrics=MappingProxyType({"queue-depth": "tgi_queue_size", "requests": "tgi_batch_current_size"}),
        ),
        "triton": EngineKind(
            command=("tritonserver",),
            model="--model-repository",
            port="--http-port",
            served_name=None,
            parallel=None,
            alive_path="/v2/health/live",
            ready_path="/v2/health/ready",
            rewritten="/v2",
            fixed=("--metrics-port=8002",),
            metrics=MappingProxyType({"queue-depth": "nv_inference_pending_request_count"}),
            metrics_port=8002,
            takes_hub_names=False,
            streams_objects=(),
        ),
    }
)
"""By the engine's type."""
