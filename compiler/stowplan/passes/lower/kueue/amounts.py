"""Accelerators to amounts of every resource: cpu, memory, pods, and devices follow from the shape of the nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from stowplan.model.fleet import Fleet, Pool
from stowplan.model.inputs.kueue import KueueSettings
from stowplan.model.quantity import QuantityForm, format_quantity, parse_quantity

__all__ = ["Amounts", "Shape", "accelerator_resource", "format_amount", "shape_of"]

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


def accelerator_resource(fleet: Fleet, flavor: str) -> str | None:
    """The extended resource of a flavor, None for cpu-only capacity."""
    kind = fleet.flavors[flavor].spec.accelerator
    return None if kind is None else kind.resource


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
    resource = accelerator_resource(fleet, pool.flavor)
    if resource is not None and accelerators:
        totals[resource] = Fraction(accelerators)
    counted = _counted(totals, fleet.clusters[pool.cluster].spec.kueue)
    if resource is not None and accelerators:
        return Shape({name: total / accelerators for name, total in counted.items()}, "accelerators")
    return Shape({name: total / max(1, nodes) for name, total in counted.items()}, "nodes")


def _counted(totals: Amounts, settings: KueueSettings) -> Amounts:
    """As the cluster's Kueue counts: transformed, and without what its configuration leaves out."""
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
