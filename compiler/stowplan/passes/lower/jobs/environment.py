"""What a job's containers learn from their environment: data, checkpoints, and an output place of the attempt's own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from stowplan.model.fleet import Cluster, Fleet
from stowplan.model.inputs.intents import Checkpoint, Output
from stowplan.model.quantity import parse_duration
from stowplan.passes.lower.images import copy_of, shared_image
from stowplan.passes.lower.kueue.dispatch import Dispatch
from stowplan.passes.lower.kueue.names import joined_name

__all__ = ["OBJECT_STORE", "Attempt", "environment", "job_image", "storage_base", "volume_name"]

OBJECT_STORE = "objectStore"
PREFIX = "STOWPLAN_"
"""Names of variables that the compiler sets; intents may not use it."""

_NO_NAME = re.compile(r"[^A-Z0-9]+")


@dataclass(frozen=True, slots=True)
class Attempt:
    """Where the attempt's identity comes from at run time: fields of the pod, never anything in Git.

    `identity` is the variables that make it up, as (name, field path) in order; `shard` is the field path of the
    shard's number, None for a gang.
    """

    identity: tuple[tuple[str, str], ...]
    shard: str | None = None

    @property
    def reference(self) -> str:
        """The identity as other variables refer to it."""
        return "-".join(f"$({name})" for name, _ in self.identity)


def environment(fleet: Fleet, dispatch: Dispatch, attempt: Attempt) -> list[dict[str, Any]]:
    """Variables in order: a variable may refer to those before it; the user's own come last, by name."""
    spec: Any = dispatch.workload.entity.spec
    made: list[dict[str, Any]] = [{"name": name, **_field(path)} for name, path in attempt.identity]
    if attempt.shard is not None:
        made.append({"name": "STOWPLAN_SHARD", **_field(attempt.shard)})
    made.append({"name": "STOWPLAN_ATTEMPT", "value": attempt.reference})
    made.append({"name": "STOWPLAN_INTENT", "value": dispatch.workload.name})
    cluster = fleet.clusters[dispatch.cluster]
    for need in spec.data:
        name = _NO_NAME.sub("_", need.artifact.upper())
        made.append(
            {"name": f"STOWPLAN_DATA_{name}_URI", "value": copy_of(fleet, fleet.artifacts[need.artifact], cluster)[0]}
        )
    if spec.checkpoint is not None:
        made.extend(_checkpoint(cluster, spec.checkpoint))
    if spec.output is not None:
        made.extend(_output(cluster, spec.output, shards=attempt.shard is not None))
    made.extend({"name": name, "value": value} for name, value in sorted(spec.env.items()))
    return made


def _field(path: str) -> dict[str, Any]:
    return {"valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}}


def _checkpoint(cluster: Cluster, checkpoint: Checkpoint) -> list[dict[str, str]]:
    """Checkpoints outlive attempts: their place is the intent's."""
    base = storage_base(cluster, "checkpoint", checkpoint)
    return [
        {"name": "STOWPLAN_CHECKPOINT_URI", "value": base},
        {"name": "STOWPLAN_CHECKPOINT_INTERVAL_SECONDS", "value": str(int(parse_duration(checkpoint.every)))},
    ]


def _output(cluster: Cluster, output: Output, *, shards: bool) -> list[dict[str, str]]:
    """Each attempt writes below `attempts/`; what is promoted lies below `promoted`, by shard where there are any."""
    base = storage_base(cluster, "output", output)
    shard = "/$(STOWPLAN_SHARD)" if shards else ""
    return [
        {"name": "STOWPLAN_OUTPUT_URI", "value": f"{base}/attempts{shard}/$(STOWPLAN_ATTEMPT)"},
        {"name": "STOWPLAN_PROMOTED_URI", "value": f"{base}/promoted{shard}"},
    ]


def storage_base(cluster: Cluster, purpose: str, place: Checkpoint | Output) -> str:
    """Where a path of the intent lies: in the cluster's object store, or on a volume mounted below `/stowplan`."""
    path = place.path.strip("/")
    if place.storage == OBJECT_STORE:
        store = cluster.spec.storage.object_store or f"objectstore://{cluster.name}"
        return f"{store.rstrip('/')}/{path}"
    return f"file://{mount_path(purpose)}/{path}"


def mount_path(purpose: str) -> str:
    """Where the volume of a purpose (checkpoint, output) is mounted."""
    return f"/stowplan/{purpose}"


def volume_name(intent: str, purpose: str) -> str:
    """Name of the claim behind it."""
    return joined_name((intent, purpose))


def job_image(fleet: Fleet, dispatch: Dispatch) -> str:
    """The job's image by digest, as every cluster that may run the job can pull it."""
    spec: Any = dispatch.workload.entity.spec
    names = dispatch.candidates.clusters if dispatch.candidates is not None else (dispatch.cluster,)
    return shared_image(fleet, fleet.artifacts[spec.image], [fleet.clusters[name] for name in names])
