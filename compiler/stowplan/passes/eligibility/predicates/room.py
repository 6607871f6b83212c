"""Predicates on room: topology, capacity, quota, power. All judge totals, less what services hold for good."""

from __future__ import annotations

from collections.abc import Iterator

from stowplan.model.eligibility import Predicate, Reason
from stowplan.model.rooms import best_per_node
from stowplan.passes.eligibility.context import PoolCase, reason

__all__ = ["POOL_PREDICATES", "unit_words"]

_UNIT_WORDS = {
    "TrainingIntent": "the gang",
    "BatchIntent": "one shard",
    "InferenceIntent": "one replica",
    "WorkspaceIntent": "one user's share",
}


def unit_words(case: PoolCase) -> str:
    """What must run whole, in words with its size."""
    unit = case.workload.unit
    size = f"{unit.total} accelerators" if unit.accelerators else f"{unit.workers} workers"
    return f"{_UNIT_WORDS[case.workload.kind]} of {size}"


def topology(case: PoolCase) -> Iterator[Reason]:
    """A worker fits a node, and the gang fits one domain of the level it requires."""
    unit = case.workload.unit
    if not best_per_node(case.pool, unit):
        yield _worker_too_big(case)
        return
    training = case.workload.training
    level = training.topology.required if training and training.topology else None
    if level is None:
        return
    need = (f"one `{level}`", case.workload.entity.at("topology", "required"))
    if level not in case.pool.levels:
        found = (f"levels {', '.join(case.pool.levels)}", case.pool.leaves[0].origin if case.pool.leaves else None)
        yield reason(Predicate.TOPOLOGY, f"`{case.cluster.name}` reports no level `{level}`", need, found)
        return
    domains = case.held.room(case.pool).domains(level, unit)
    best = max(domains, key=lambda domain: domain.workers, default=None)
    if best is None or best.workers < unit.workers:
        fits = best.workers if best else 0
        path = "/".join(best.path) if best and best.path else "the cluster"
        origin = case.pool.leaves[best.leaves[0]].origin if best else None
        yield reason(
            Predicate.TOPOLOGY,
            f"{unit_words(case)} must fit one `{level}`; the largest here, {path}, has room for "
            f"{fits * unit.accelerators} ({fits} of {unit.workers} workers)",
            need,
            (f"largest `{level}` takes {fits * unit.accelerators}", origin),
        )


def _worker_too_big(case: PoolCase) -> Reason:
    unit = case.workload.unit
    leaf = case.pool.leaves[0] if case.pool.leaves else None
    if leaf is None:
        found = ("no nodes", case.pool.groups[0][1])
        return reason(Predicate.TOPOLOGY, f"`{case.pool.flavor}` has no nodes", ("nodes", None), found)
    asks = f"{unit.accelerators} accelerators, {unit.cpu / 1000:g} cores, and {unit.memory / 2**30:g} GiB"
    has = f"{leaf.accelerators_per_node} accelerators, {leaf.cpu / 1000:g} cores, and {leaf.memory / 2**30:g} GiB"
    return reason(
        Predicate.TOPOLOGY,
        f"a worker needs {asks} on one node; nodes of `{case.pool.flavor}` have {has}",
        (asks, case.workload.entity.name_origin),
        (has, case.pool.groups[0][1] / "perNode"),
    )


def capacity(case: PoolCase) -> Iterator[Reason]:
    """The flavor's total, less what is held for others, takes one unit."""
    unit, room = case.workload.unit, case.held.room(case.pool)
    a_worker_fits = bool(best_per_node(case.pool, unit))
    short = room.workers(unit) < unit.workers if a_worker_fits else room.free_accelerators < unit.total
    if short:
        total = case.pool.total_accelerators
        held = total - room.free_accelerators
        yield reason(
            Predicate.CAPACITY,
            f"{unit_words(case)} does not fit: `{case.pool.flavor}` has {total} accelerators here, {held} of them held for others",
            (unit_words(case), case.workload.entity.name_origin),
            (f"{total} less {held}", case.pool.groups[0][1]),
        )


def quota(case: PoolCase) -> Iterator[Reason]:
    """The tenant could ever be admitted with one unit: nominal quota and what may be borrowed."""
    unit, tenant = case.workload.unit, case.workload.tenant
    fact = case.fleet.quotas.get((tenant, case.cluster.name, case.pool.flavor))
    need = (unit_words(case), case.workload.entity.name_origin)
    if fact is None:
        where = case.fleet.tenants[tenant].at("quota")
        message = f"tenant `{tenant}` has no quota of `{case.pool.flavor}` on `{case.cluster.name}`"
        yield reason(Predicate.QUOTA, message, need, ("no quota", where))
        return
    if not unit.total:
        return
    node = case.held.tree(case.fleet, case.cluster.name, case.pool.flavor).tenants[tenant]
    reachable = node.potential()
    if reachable < unit.total:
        held = fact.nominal - node.nominal
        parts = f"nominal {fact.nominal}"
        parts += f", {held} of it held by its services" if held else ""
        parts += f", borrowing included {reachable}" if node.parent is not None else ""
        yield reason(
            Predicate.QUOTA,
            f"{unit_words(case)} exceeds what tenant `{tenant}` can reach of `{case.pool.flavor}` on "
            f"`{case.cluster.name}`: {reachable} ({parts})",
            need,
            (f"quota {parts}", fact.origin),
        )


def power(case: PoolCase) -> Iterator[Reason]:
    """The nodes of one unit stay below the site's power cap, with what services draw."""
    site = case.cluster.spec.power
    if site is None or not case.pool.power_kilowatts_per_node:
        return
    unit = case.workload.unit
    per_node = best_per_node(case.pool, unit)
    if not per_node:
        return
    nodes = -(-unit.workers // per_node)
    draw = nodes * case.pool.power_kilowatts_per_node
    held = case.held.power.get(case.cluster.name, 0.0)
    if draw + held > site.cap_kilowatts:
        yield reason(
            Predicate.POWER,
            f"{nodes} nodes of `{case.pool.flavor}` draw {draw:g} kW; `{case.cluster.name}` is capped at "
            f"{site.cap_kilowatts:g} kW, of which services hold {held:g}",
            (f"{draw:g} kW", case.pool.groups[0][1] / "powerKilowattsPerNode"),
            (f"cap {site.cap_kilowatts:g} kW", case.cluster.entity.at("power", "capKilowatts")),
        )


POOL_PREDICATES = (topology, quota, capacity, power)
"""Asked once a flavor of a cluster, in this order."""
