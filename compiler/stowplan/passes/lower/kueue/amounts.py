"""Accelerators to amounts of every resource: cpu, memory, pods, and devices follow from the shape of the nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from stowplan.model.devices import claim_of, counted_as
from stowplan.model.fleet import Fleet, Pool
from stowplan.model.inputs.kueue import KueueSettings
from stowplan.model.quantity import QuantityForm, format_quantity, parse_quantity

__all__ = ["Amounts", "Shape", "accelerator_names", "accelerator_resource", "format_amount", "shape_of"]

Amounts = dict[str, Fraction]
"""An exact amount by resource name: cores, bytes, or a count."""

_BINARY = ("memory", "ephemeral-storage")


@dataclass(frozen=True, slots=True)
class Shape:
    """What comes with one accelerator of a pool (with one node, where nodes have none), by resource name.

    `unit` says what the quota counts: `accelerators` or `nodes`.
    """

    per_unit: Mapping[str, Fraction]
    unit: str

    def amounts(self, count: int | Fraction) -> Amounts:
        """All resources of `count` accelerators (or nodes), rounded down to what Kueue counts in."""
        return {name: _floor(name, share * count) for name, share in self.per_unit.items()}


def accelerator_resource(fleet: Fleet, flavor: str, cluster: str) -> str | None:
    """The resource that counts a flavor's accelerators on a cluster, None for cpu-only capacity.

    For devices that pods claim it is what Kueue's configuration maps their class to.
    """
    kind = fleet.flavors[flavor].spec.accelerator
    if kind is None:
        return None
    pool = fleet.clusters[cluster].pools.get(flavor)
    claim = claim_of(pool) if pool is not None else None
    mapped = counted_as(fleet.clusters[cluster].spec.kueue, claim.device_class) if claim is not None else None
    return mapped or kind.resource


def accelerator_names(fleet: Fleet) -> frozenset[str]:
    """Every resource that some cluster's quotas count accelerators in, by the fleet's flavors and inventory."""
    made: set[str] = set()
    for cluster in fleet.clusters.values():
        mine = {resource for flavor in cluster.pools if (resource := accelerator_resource(fleet, flavor, cluster.name))}
        made.update(mine)
        for row in cluster.spec.kueue.transformations:
            made.update(row.outputs if row.input in mine else ())
    return frozenset(made)


def shape_of(fleet: Fleet, pool: Pool) -> Shape:
    """Totals of the pool's nodes, shared by its accelerators; the weighted mean where node groups differ."""
    totals: Amounts = {"cpu": Fraction(0), "memory": Fraction(0), "pods": Fraction(0)}
    nodes = accelerators = 0
    for group, _ in pool.groups:
        per = group.per_node
        nodes += group.nodes
        accelerators += group.nodes * per.accelerators
        totals["cpu"] += group.nodes * parse_quantity(per.cpu)
        totals["memory"] += group.nodes * parse_quantity(per.memory)
        totals["pods"] += group.nodes * per.pods
        if group.rdma is not None:
            devices = group.rdma.per_node or per.accelerators or 1
            totals[group.rdma.resource] = totals.get(group.rdma.resource, Fraction(0)) + group.nodes * devices
    resource = accelerator_resource(fleet, pool.flavor, pool.cluster)
    has_claims = claim_of(pool) is not None
    if resource is not None and accelerators and not has_claims:
        totals[resource] = Fraction(accelerators)
    counted = _counted(totals, fleet.clusters[pool.cluster].spec.kueue)
    if resource is not None and accelerators and has_claims:
        counted[resource] = counted.get(resource, Fraction(0)) + accelerators
    if resource is not None and accelerators:
        return Shape({name: total / accelerators for name, total in counted.items()}, "accelerators")
    return Shape({name: total / max(1, nodes) for name, total in counted.items()}, "nodes")


def _counted(totals: Amounts, settings: KueueSettings) -> Amounts:
    """As the cluster's Kueue counts: transformed, and without what its configuration leaves out; claims come in later."""
    made = dict(totals)
    for row in settings.transformations:
        amount = totals.get(row.input)
        if amount is None:
            continue
        if row.strategy == "Replace":
            made.pop(row.input, None)
        for name, each in row.outputs.items():
            made[name] = made.get(name, Fraction(0)) + amount * Fraction(parse_quantity(each))
    excluded = settings.exclude_prefixes
    return {name: amount for name, amount in made.items() if not any(name.startswith(p) for p in excluded)}


def _floor(name: str, amount: Fraction) -> Fraction:
    """Cores to thousandths, memory to whole MiB, all else to whole ones."""
    if name == "cpu":
        return Fraction(int(amount * 1000), 1000)
    if name in _BINARY:
        mebibyte = 1 << 20
        return Fraction(int(amount) // mebibyte * mebibyte)
    return Fraction(int(amount))


@lru_cache(maxsize=65536)
def format_amount(name: str, amount: Fraction | int) -> str:
    """The amount as Kueue's webhooks store it."""
    return format_quantity(amount, QuantityForm.BINARY if name in _BINARY else QuantityForm.DECIMAL)
