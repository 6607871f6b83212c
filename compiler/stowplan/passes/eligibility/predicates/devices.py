"""Predicates on the accelerators of a flavor: maker, model, memory, partition, precision, driver, fabric."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stowplan.model.eligibility import Predicate, Reason
from stowplan.model.quantity import quantity_bytes
from stowplan.passes.eligibility.context import PoolCase, reason

__all__ = ["POOL_PREDICATES", "version_key"]


def version_key(text: str) -> tuple[int, ...]:
    """The numbers of a version, for comparison: `570.148.08` is (570, 148, 8)."""
    return tuple(int(part) for part in re.findall(r"\d+", text))


def tenant_flavor(case: PoolCase) -> Iterator[Reason]:
    """The tenant may use the flavor."""
    tenant = case.fleet.tenants[case.workload.tenant]
    allowed = tenant.spec.allow.flavors
    if allowed is not None and case.pool.flavor not in allowed:
        yield reason(
            Predicate.TENANT_FLAVOR,
            f"tenant `{tenant.name}` may not use flavor `{case.pool.flavor}`",
            (f"tenant may use {', '.join(allowed)}", tenant.at("allow", "flavors")),
            (f"flavor {case.pool.flavor}", case.pool.groups[0][1] / "flavor"),
        )


def vendor(case: PoolCase) -> Iterator[Reason]:
    """Maker."""
    yield from _equal(case, Predicate.ACCELERATOR_VENDOR, "vendor", case.workload.need.vendor)


def _equal(case: PoolCase, predicate: Predicate, part: str, wanted: str | None) -> Iterator[Reason]:
    if wanted is None:
        return
    for group, origin in case.pool.groups:
        found = getattr(group.accelerator, part) if group.accelerator else "none"
        if found != wanted:
            yield reason(
                predicate,
                f"needs accelerators of {wanted}, `{case.pool.flavor}` has {found}",
                (f"{part} {wanted}", case.workload.entity.at("accelerator", part)),
                (f"{part} {found}", origin / "accelerator"),
            )


def model(case: PoolCase) -> Iterator[Reason]:
    """One of the models that will do."""
    wanted = case.workload.need.models
    for group, origin in case.pool.groups:
        found = group.accelerator.model if group.accelerator else "none"
        if wanted and found not in wanted:
            yield reason(
                Predicate.ACCELERATOR_MODEL,
                f"needs {' or '.join(wanted)}, `{case.pool.flavor}` has {found}",
                (f"models {', '.join(wanted)}", case.workload.entity.at("accelerator", "models")),
                (f"model {found}", origin / "accelerator" / "model"),
            )
        if case.workload.unit.accelerators and group.accelerator is None:
            yield reason(
                Predicate.ACCELERATOR_MODEL,
                f"`{case.pool.flavor}` has no accelerators",
                ("accelerators", case.workload.entity.name_origin),
                ("no accelerators", origin),
            )


def memory(case: PoolCase) -> Iterator[Reason]:
    """Memory of one accelerator."""
    wanted = case.workload.need.min_memory
    if wanted is None:
        return
    for group, origin in case.pool.groups:
        found = group.accelerator.memory if group.accelerator else "0"
        if quantity_bytes(found) < quantity_bytes(wanted):
            yield reason(
                Predicate.ACCELERATOR_MEMORY,
                f"needs {wanted} of memory an accelerator, `{case.pool.flavor}` has {found}",
                (f"at least {wanted}", case.workload.entity.at("accelerator", "minMemory")),
                (found, origin / "accelerator" / "memory"),
            )


def mig(case: PoolCase) -> Iterator[Reason]:
    """Whole accelerators, or partitions of the profile asked for."""
    wanted = case.workload.need.mig_profile
    for group, origin in case.pool.groups:
        found = group.accelerator.mig_profile if group.accelerator else None
        if found != wanted and case.workload.unit.accelerators:
            yield reason(
                Predicate.MIG,
                f"needs {wanted or 'whole accelerators'}, `{case.pool.flavor}` has {found or 'whole accelerators'}",
                (f"MIG profile {wanted or 'none'}", case.workload.entity.at("accelerator")),
                (f"MIG profile {found or 'none'}", origin / "accelerator"),
            )


def precision(case: PoolCase) -> Iterator[Reason]:
    """The number format is there in hardware."""
    wanted = case.workload.need.precision
    if wanted is None:
        return
    for group, origin in case.pool.groups:
        known = group.accelerator.precisions if group.accelerator else ()
        if known is None or wanted not in known:
            found = "not reported" if known is None else ", ".join(known)
            yield reason(
                Predicate.PRECISION,
                f"needs {wanted} in hardware, `{case.pool.flavor}`: {found}",
                (f"precision {wanted}", case.workload.entity.at("accelerator", "precision")),
                (f"precisions {found}", origin / "accelerator"),
            )


def driver(case: PoolCase) -> Iterator[Reason]:
    """The driver is new enough."""
    yield from _at_least(case, Predicate.DRIVER, "driver", "driver", "minDriver", case.workload.need.min_driver)


def cuda(case: PoolCase) -> Iterator[Reason]:
    """CUDA or ROCm is new enough."""
    need = case.workload.need
    yield from _at_least(case, Predicate.CUDA, "CUDA", "cuda", "minCuda", need.min_cuda)
    yield from _at_least(case, Predicate.CUDA, "ROCm", "rocm", "minRocm", need.min_rocm)


def _at_least(
    case: PoolCase, predicate: Predicate, word: str, part: str, asked: str, wanted: str | None
) -> Iterator[Reason]:
    if wanted is None:
        return
    for group, origin in case.pool.groups:
        found = getattr(group, part)
        if found is None or version_key(found) < version_key(wanted):
            shown = "not reported" if found is None else found
            yield reason(
                predicate,
                f"needs {word} {wanted} or newer, `{case.pool.flavor}` has {shown}",
                (f"at least {wanted}", case.workload.entity.at("accelerator", asked)),
                (shown, origin if found is None else origin / part),
            )


def rdma(case: PoolCase) -> Iterator[Reason]:
    """RDMA between nodes."""
    training = case.workload.training
    if training is None or not training.rdma:
        return
    for group, origin in case.pool.groups:
        if group.rdma is None:
            yield reason(
                Predicate.RDMA,
                f"needs RDMA, the nodes of `{case.pool.flavor}` have none",
                ("rdma", case.workload.entity.at("rdma")),
                ("no RDMA reported", origin),
            )


def network(case: PoolCase) -> Iterator[Reason]:
    """Bandwidth between nodes, and the MTU."""
    need = case.workload.training.network if case.workload.training else None
    if need is None:
        return
    here = case.cluster.spec.network
    if need.min_mtu is not None and (here is None or here.mtu < need.min_mtu):
        found = "not stated" if here is None else str(here.mtu)
        yield reason(
            Predicate.NETWORK,
            f"needs an MTU of {need.min_mtu}, `{case.cluster.name}` has {found}",
            (f"MTU {need.min_mtu}", case.workload.entity.at("network", "minMtu")),
            (f"MTU {found}", case.cluster.entity.at("network", "mtu")),
        )
    wanted = need.min_gigabits_per_second
    for group, origin in case.pool.groups:
        speed = group.rdma.gigabits_per_second_per_node if group.rdma else 0.0
        if wanted is not None and speed < wanted:
            yield reason(
                Predicate.NETWORK,
                f"needs {wanted:g} Gb/s a node, `{case.pool.flavor}` has {speed:g}",
                (f"{wanted:g} Gb/s", case.workload.entity.at("network", "minGigabitsPerSecond")),
                (f"{speed:g} Gb/s", origin),
            )


def capacity_type(case: PoolCase) -> Iterator[Reason]:
    """Spot capacity takes only what may be interrupted."""
    flavor = case.fleet.flavors[case.pool.flavor]
    if flavor.spec.capacity_type == "spot" and not case.workload.interruptible:
        spec = case.workload.entity.spec
        stated = "interruptible" in spec.model_fields_set
        where = case.workload.entity.at("interruptible") if stated else case.workload.entity.name_origin
        yield reason(
            Predicate.CAPACITY_TYPE,
            f"flavor `{flavor.name}` is spot capacity, and the intent may not be interrupted",
            ("not interruptible", where),
            ("capacity type spot", flavor.at("capacityType")),
        )


POOL_PREDICATES = (
    tenant_flavor,
    vendor,
    model,
    memory,
    mig,
    precision,
    driver,
    cuda,
    rdma,
    network,
    capacity_type,
)
"""Asked once a flavor of a cluster, in this order."""
