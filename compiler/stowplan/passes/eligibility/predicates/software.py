"""Predicates on what runs in the cluster: operators, served APIs; and on money and policy."""

from __future__ import annotations

from collections.abc import Iterator

from stowplan.model.eligibility import Predicate, Reason
from stowplan.model.runtimes import KUEUE_APIS, RUNTIMES
from stowplan.passes.eligibility.context import ClusterCase, reason

__all__ = ["CLUSTER_PREDICATES", "needed_apis", "needed_components"]

_BUILT_IN = ("v1", "batch/v1", "apps/v1")


def needed_components(case: ClusterCase) -> tuple[str, ...]:
    """Components that the workload needs on the cluster that runs it."""
    workload = case.workload
    if workload.kind == "InferenceIntent":
        return ("gateway-api", "inference-extension", *(("lws",) if workload.unit.workers > 1 else ()))
    kueue = () if _runtime_kind(case) == "VolcanoJob" or workload.dispatch == "karmada" else ("kueue",)
    runtime = RUNTIMES.get(_runtime_kind(case))
    return (*kueue, *(runtime.components if runtime else ()))


def needed_apis(case: ClusterCase) -> tuple[tuple[str, ...], ...]:
    """APIs that must be served, each as a tuple of alternatives."""
    workload = case.workload
    if workload.kind == "InferenceIntent":
        spread = (("leaderworkerset.x-k8s.io/v1",),) if workload.unit.workers > 1 else ()
        return (("gateway.networking.k8s.io/v1",), ("inference.networking.k8s.io/v1",), *spread)
    needed: list[tuple[str, ...]] = [KUEUE_APIS] if "kueue" in needed_components(case) else []
    runtime = RUNTIMES.get(_runtime_kind(case))
    if runtime is not None and runtime.apis[0] not in _BUILT_IN:
        needed.append(runtime.apis)
    return tuple(needed)


def _runtime_kind(case: ClusterCase) -> str:
    return str(getattr(case.workload.entity.spec, "runtime", ""))


def runtime(case: ClusterCase) -> Iterator[Reason]:
    """The operator is installed, and delivery reaches the cluster."""
    components = case.cluster.spec.components
    spec = case.workload.entity.spec
    where = case.workload.entity.at("runtime") if hasattr(spec, "runtime") else case.workload.entity.name_origin
    for name in needed_components(case):
        if name not in components:
            yield reason(
                Predicate.RUNTIME,
                f"`{case.cluster.name}` has no {name}",
                (f"{name} installed", where),
                (f"components {', '.join(components) or 'none'}", case.cluster.entity.at("components")),
            )
    if case.workload.dispatch == "karmada" and case.cluster.spec.karmada is None:
        yield reason(
            Predicate.RUNTIME,
            f"`{case.cluster.name}` is no Karmada member, and Karmada dispatches this intent",
            ("a Karmada member", where),
            ("no `karmada`", case.cluster.entity.name_origin),
        )
    if case.workload.kind == "InferenceIntent" and case.cluster.spec.gateway is None:
        yield reason(
            Predicate.RUNTIME,
            f"`{case.cluster.name}` has no inference gateway",
            ("a gateway", case.workload.entity.at("gateway")),
            ("no `gateway`", case.cluster.entity.name_origin),
        )


def api(case: ClusterCase) -> Iterator[Reason]:
    """The API is served, as the snapshot saw it."""
    if case.cluster.snapshot is None:
        return
    spec = case.workload.entity.spec
    where = case.workload.entity.at("runtime") if hasattr(spec, "runtime") else case.workload.entity.name_origin
    for alternatives in needed_apis(case):
        if not case.cluster.apis.intersection(alternatives):
            yield reason(
                Predicate.API,
                f"`{case.cluster.name}` does not serve {' or '.join(f'`{a}`' for a in alternatives)}",
                (f"{alternatives[0]} served", where),
                ("not among the APIs observed", case.cluster.snapshot.at("apis")),
            )


CLUSTER_PREDICATES = (runtime, api)
"""Asked once a cluster, in this order."""
