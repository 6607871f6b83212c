"""The predicate on devices that pods claim: the API is served, and Kueue can count what is claimed, wherever it looks."""

from __future__ import annotations

from collections.abc import Iterator

from stowplan.model.devices import (
    CLAIMS_GROUP,
    COUNTS_CLAIMS,
    READS_V1,
    SELECTORS,
    DeviceClaim,
    claim_of,
    claims_api,
    counted_as,
    gate_off,
)
from stowplan.model.eligibility import Predicate, Reason
from stowplan.model.fleet import Cluster
from stowplan.passes.eligibility.context import PoolCase, reason
from stowplan.passes.eligibility.predicates.devices import version_key
from stowplan.source.span import Origin

__all__ = ["device_claims"]


def device_claims(case: PoolCase) -> Iterator[Reason]:
    """Work on devices of Dynamic Resource Allocation can claim them, and the queues that it goes through count them."""
    claim = claim_of(case.pool)
    if claim is None or not case.workload.unit.accelerators:
        return
    yield from _served(case, claim, case.cluster)
    if not _is_queued(case):
        return
    yield from _counted(case, claim, case.cluster)
    yield from _held_together(case, claim)
    hub = case.fleet.spec.hubs.kueue
    if case.workload.dispatch != "multikueue" or hub is None or hub.cluster == case.cluster.name:
        return
    manager = case.fleet.clusters[hub.cluster]
    yield from _served(case, claim, manager)
    yield from _counted(case, claim, manager)
    yield from _alike(case, claim, manager)


def _held_together(case: PoolCase, claim: DeviceClaim) -> Iterator[Reason]:
    """Kueue's topologies look for claimed devices among the resources of nodes, or from 0.17.5 and 0.18.1 on not at all."""
    training = case.workload.training
    level = training.topology.required if training is not None and training.topology is not None else None
    if level is not None:
        yield _no(
            claim,
            f"devices of `{case.pool.flavor}` are claimed, and Kueue holds no gang to one `{level}` there: its topologies do not "
            "count them",
            (f"`{level}` required", case.workload.entity.at("topology", "required")),
        )  # fmt: skip


def _is_queued(case: PoolCase) -> bool:
    runtime = str(getattr(case.workload.entity.spec, "runtime", ""))
    return case.workload.kind != "InferenceIntent" and runtime != "VolcanoJob"


def _no(claim: DeviceClaim, message: str, found: tuple[str, Origin | None]) -> Reason:
    return reason(
        Predicate.DEVICE_CLAIMS, message, (f"claims of DeviceClass `{claim.device_class}`", claim.origin), found
    )


def _served(case: PoolCase, claim: DeviceClaim, place: Cluster) -> Iterator[Reason]:
    if claims_api(place) is None:
        yield _no(
            claim,
            f"devices of `{case.pool.flavor}` are claimed, and `{place.name}` serves no version of `{CLAIMS_GROUP}`: Kubernetes "
            "does by default from 1.34 on",
            (f"Kubernetes {place.spec.kubernetes}", place.entity.at("kubernetes")),
        )  # fmt: skip


def _counted(case: PoolCase, claim: DeviceClaim, place: Cluster) -> Iterator[Reason]:
    declared = place.spec.components.get("kueue")
    if declared is None:
        return
    major, minor, patch = (*version_key(declared), 0, 0, 0)[:3]
    release, at = (major, minor, patch), place.entity.at("components", "kueue")
    found = (f"Kueue {declared}", at)
    what = f"devices of `{case.pool.flavor}` are claimed, and Kueue {declared} on `{place.name}`"
    if release < COUNTS_CLAIMS:
        yield _no(claim, f"{what} counts no claims: the first that does is 0.14", found)
        return
    if not _is_read(place, release):
        wanted = "v1" if release >= READS_V1 else "v1beta2"
        yield _no(claim, f"{what} reads them as `{CLAIMS_GROUP}/{wanted}`, which is not served there", found)
    gate = gate_off(place, release)
    if gate is not None:
        off = (f"gate {gate} off", place.entity.at("kueue", "featureGates"))
        yield _no(claim, f"{what} does not count them: gate {gate} is off", off)
    if claim.selectors and release < SELECTORS:
        yield _no(claim, f"{what} takes no claims with selectors: the first that does is 0.18", found)
    elif claim.selectors and place.name != case.cluster.name:
        yield _no(
            claim,
            f"{what}, the manager, compares selectors with the devices of its own cluster: it would dispatch nothing", found,
        )  # fmt: skip
    if counted_as(place.spec.kueue, claim.device_class) is None:
        yield _no(
            claim, f"{what} maps DeviceClass `{claim.device_class}` to no resource that quotas count",
            ("`kueue.deviceClasses` without it", place.entity.at("kueue", "deviceClasses")),
        )  # fmt: skip


def _is_read(place: Cluster, release: tuple[int, int, int]) -> bool:
    """Whether the API server has claims in the version that Kueue reads; where it has none at all, that is said already."""
    served = claims_api(place)
    if served is None:
        return True
    if release >= READS_V1:
        return served == f"{CLAIMS_GROUP}/v1"
    return f"{CLAIMS_GROUP}/v1beta2" in place.apis


def _alike(case: PoolCase, claim: DeviceClaim, manager: Cluster) -> Iterator[Reason]:
    here, there = (counted_as(c.spec.kueue, claim.device_class) for c in (case.cluster, manager))
    if here is not None and there is not None and here != there:
        yield _no(
            claim,
            f"DeviceClass `{claim.device_class}` counts as `{here}` on `{case.cluster.name}` and as `{there}` on its manager "
            f"`{manager.name}`, whose quota is the sum of its workers'",
            (f"counted as `{there}`", manager.entity.at("kueue", "deviceClasses")),
        )  # fmt: skip
