"""Eligibility as values: predicates, reasons with the two facts that disagree, and the matrix of all verdicts."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from stowplan.source.span import Origin

__all__ = ["ClassVerdict", "Fact", "Predicate", "Reason"]


class Predicate(enum.Enum):
    """What is asked of every (workload, cluster, flavor); the value is the name users see."""

    ROLE = "role"
    ENVIRONMENT = "environment"
    ROUTE = "route"
    TENANT_CLUSTER = "tenant-cluster"
    TENANT_FLAVOR = "tenant-flavor"
    DATA_CLASS = "data-class"
    JURISDICTION = "jurisdiction"
    RESIDENCY = "residency"
    REGION = "region"
    ACCELERATOR_VENDOR = "accelerator-vendor"
    ACCELERATOR_MODEL = "accelerator-model"
    ACCELERATOR_MEMORY = "accelerator-memory"
    MIG = "mig"
    PRECISION = "precision"
    DRIVER = "driver"
    CUDA = "cuda"
    TOPOLOGY = "topology"
    RDMA = "rdma"
    NETWORK = "network"
    QUOTA = "quota"
    CAPACITY = "capacity"
    RUNTIME = "runtime"
    API = "api"
    NAMESPACE = "namespace"
    DATA = "data"
    IMAGE = "image"
    POWER = "power"
    CAPACITY_TYPE = "capacity-type"
    MAINTENANCE = "maintenance"
    TAINT = "taint"
    FRESHNESS = "freshness"
    HEALTH = "health"
    POLICY = "policy"
    BUDGET = "budget"
    DEVICE_CLAIMS = "device-claims"

    @property
    def code(self) -> str:
        """The reason code: SP0510 and on, in the order above."""
        return _CODE_BY_PREDICATE[self]


_CODE_BY_PREDICATE = {predicate: f"SP{510 + index:04d}" for index, predicate in enumerate(Predicate)}


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact in words and where it was stated (None where it follows from nothing that stands anywhere)."""

    text: str
    origin: Origin | None


@dataclass(frozen=True, slots=True)
class Reason:
    """Why not: the predicate that failed, in words, and the two facts that disagree (the need and what is there)."""

    predicate: Predicate
    message: str
    need: Fact
    found: Fact


@dataclass(frozen=True, slots=True)
class ClassVerdict:
    """All reasons for one class of equal needs in one cluster; no reasons for a flavor and none for the cluster: eligible."""

    cluster: str
    reasons: tuple[Reason, ...]
    by_flavor: Mapping[str, tuple[Reason, ...]]

    @property
    def eligible_flavors(self) -> tuple[str, ...]:
        """Flavors with nothing against them, by name."""
        return () if self.reasons else tuple(flavor for flavor, reasons in self.by_flavor.items() if not reasons)
