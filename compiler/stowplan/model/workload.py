"""A workload: an intent with defaults filled in and quantities read, in the terms that placement needs."""

from __future__ import annotations

from dataclasses import dataclass

from stowplan.model.entity import Entity
from stowplan.model.inputs.intents import (
    AcceleratorNeed,
    BatchIntentSpec,
    InferenceIntentSpec,
    IntentSpec,
    TrainingIntentSpec,
    WorkspaceIntentSpec,
)

__all__ = ["ROLE_BY_KIND", "Unit", "Workload"]

ROLE_BY_KIND = {
    "TrainingIntent": "training",
    "BatchIntent": "batch",
    "InferenceIntent": "inference",
    "WorkspaceIntent": "interactive",
}


@dataclass(frozen=True, slots=True)
class Unit:
    """What must run whole: a gang, a shard, a replica, or a user's share.

    `workers` alike, each on one node: `accelerators`, `cpu` (thousandths of a core), and `memory` (bytes) are of one.
    """

    workers: int
    accelerators: int
    cpu: int
    memory: int

    @property
    def total(self) -> int:
        """Accelerators of the whole unit."""
        return self.workers * self.accelerators


@dataclass(frozen=True, slots=True)
class Workload:
    """One intent, bound.

    `units` run at a time (declared replicas, parallel shards, users; a gang is one); `rounds` is how many times in a
    row the units run (shards in waves), 1 otherwise. `dispatch` is its one dispatch owner.
    """

    name: str
    kind: str
    entity: Entity[IntentSpec]
    tenant: str
    namespace: str
    priority: str
    priority_value: int
    unit: Unit
    units: int
    rounds: int
    dispatch: str
    run_hours: float
    loss_unit_hours: float
    interruptible: bool

    @property
    def role(self) -> str:
        """The cluster role it needs."""
        return ROLE_BY_KIND[self.kind]

    @property
    def need(self) -> AcceleratorNeed:
        """What an accelerator must be."""
        return self.entity.spec.accelerator

    @property
    def training(self) -> TrainingIntentSpec | None:
        """The spec, if a gang."""
        spec = self.entity.spec
        return spec if isinstance(spec, TrainingIntentSpec) else None

    @property
    def batch(self) -> BatchIntentSpec | None:
        """The spec, if shards."""
        spec = self.entity.spec
        return spec if isinstance(spec, BatchIntentSpec) else None

    @property
    def inference(self) -> InferenceIntentSpec | None:
        """The spec, if a service."""
        spec = self.entity.spec
        return spec if isinstance(spec, InferenceIntentSpec) else None

    @property
    def workspace(self) -> WorkspaceIntentSpec | None:
        """The spec, if interactive."""
        spec = self.entity.spec
        return spec if isinstance(spec, WorkspaceIntentSpec) else None

    @property
    def total_accelerators(self) -> int:
        """Accelerators held at a time when everything runs."""
        return self.units * self.unit.total

    @property
    def is_service(self) -> bool:
        """Whether it holds its capacity for good (inference and workspaces) rather than until it ends."""
        return self.kind in ("InferenceIntent", "WorkspaceIntent")
