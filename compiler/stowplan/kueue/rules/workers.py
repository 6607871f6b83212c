"""Rules on whole clusters: integrations, their definitions, origins, dispatchers, and what a release can do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stowplan.diagnostics.model import Severity
from stowplan.kueue.rules.base import Finding, problem
from stowplan.kueue.tree import JOB_KINDS, KueueTree, Side, group_of
from stowplan.passes.lower.kueue.configuration import manager_origin
from stowplan.passes.lower.kueue.dialect import dialect_of, version_of
from stowplan.passes.lower.kueue.frameworks import FRAMEWORKS, Framework, manager_frameworks
from stowplan.source.span import Origin

__all__ = ["CHECKS"]

_SUSPENDS: Mapping[str, tuple[str, tuple[int, int, int]]] = {"JobSet": ("jobset", (0, 6, 0))}
"""Operators that can be suspended again once Kueue has written into their pods, by kind."""
_HANDS_OVER: Mapping[str, tuple[str, tuple[int, int, int]]] = {
    "PyTorchJob": ("training-operator", (1, 9, 0)), "MPIJob": ("mpi-operator", (0, 6, 0)),
    "RayJob": ("kuberay", (1, 3, 1)), "RayCluster": ("kuberay", (1, 3, 1)),
}  # fmt: skip
"""Operators that leave a job alone whose `managedBy` names MultiKueue, by kind."""
_SEALED_PATCHES = (2, 3, 0)
"""From this Trainer on most of a patch cannot change once it is made."""
_WRITES_OWN_PATCH_ONLY = (0, 20, 0)
"""Before this Kueue an update carries all patches as Kueue knows them, which such a Trainer refuses."""


def _error(code: str, origin: Origin, message: str, *helps: str, targets: tuple[str, ...] = ()) -> Finding:
    return Finding(code, Severity.ERROR, message, origin=origin, helps=helps, targets=targets)


def _workers(tree: KueueTree) -> list[str]:
    manager = tree.manager
    named = {n for q in manager.queues.values() for n in manager.candidates(q)} if manager is not None else set()
    return sorted(named & tree.fleet.clusters.keys())


def definitions(tree: KueueTree) -> Iterator[Finding]:
    """SP2051: every integration of the manager is defined on every worker, or the whole worker is out."""
    fleet = tree.fleet
    hub = fleet.spec.hubs.kueue
    if hub is None:
        return
    enabled = _enabled(tree, hub.cluster)
    for name in _workers(tree):
        cluster = fleet.clusters[name]
        if cluster.snapshot is None:
            continue
        for framework in enabled:
            if not framework.is_built_in and framework.api not in cluster.apis:
                yield _error(
                    "SP2051", cluster.snapshot.at("apis"),
                    f"`{name}` does not serve `{framework.api}`, which the manager's integration `{framework.name}` watches: "
                    "the whole worker counts as lost, plain Jobs too",
                    f"install its definitions on `{name}`, or turn the integration off in the manager's configuration",
                    targets=(name,),
                )  # fmt: skip


def _enabled(tree: KueueTree, hub: str) -> tuple[Framework, ...]:
    """What the snapshot saw enabled on the manager; else what placed intents need."""
    fleet = tree.fleet
    observed = fleet.clusters[hub].observed
    seen = observed.kueue.frameworks if observed is not None and observed.kueue is not None else None
    if seen is not None and fleet.clusters[hub].spec.kueue.configuration == "external":
        return tuple(FRAMEWORKS[name] for name in seen if name in FRAMEWORKS)
    return manager_frameworks(fleet, {p.workload for p in tree.plan.placements.values() if p.assignments})


def integrations(tree: KueueTree) -> Iterator[Finding]:
    """SP2072: a kind that Kueue does not manage starts at once, past every queue."""
    for side in tree.sides.values():
        observed = side.cluster.observed
        facts = observed.kueue if observed is not None else None
        if facts is None or facts.frameworks is None or side.cluster.spec.kueue.configuration == "rendered":
            continue
        for made in side.jobs:
            name = JOB_KINDS[group_of(made), made.kind]
            if name not in facts.frameworks:
                yield problem(
                    "SP2072", made, ("kind",),
                    f"{made.reference} has a queue, but integration `{name}` is off on `{side.name}`: it starts unmanaged",
                    "enable the integration in Kueue's configuration",
                )  # fmt: skip


def origins(tree: KueueTree) -> Iterator[Finding]:
    """SP2053: two managers that share a worker delete each other's work unless their origins differ."""
    fleet, mine = tree.fleet, manager_origin(tree.fleet)
    hub = fleet.spec.hubs.kueue
    if hub is None or mine is None:
        return
    manager = fleet.clusters[hub.cluster]
    observed = manager.observed
    seen = observed.kueue.origin if observed is not None and observed.kueue is not None else None
    origin = seen if seen is not None and manager.spec.kueue.configuration == "external" else mine
    for name in _workers(tree):
        cluster = fleet.clusters[name]
        if origin in cluster.spec.kueue.other_managers:
            index = cluster.spec.kueue.other_managers.index(origin)
            yield _error(
                "SP2053", cluster.entity.at("kueue", "otherManagers", index),
                f"`{name}` is a worker of another manager with origin `{origin}`, which is this fleet's too: each deletes what "
                "the other dispatched",
                "set `kueue.origin` of the manager cluster", targets=(name,),
            )  # fmt: skip


def dispatcher(tree: KueueTree) -> Iterator[Finding]:
    """SP2057: an order of clusters needs a dispatcher and a release that keep it."""
    fleet = tree.fleet
    hub = fleet.spec.hubs.kueue
    dialect = dialect_of(fleet.clusters[hub.cluster]) if hub is not None else None
    if hub is None or dialect is None or hub.dispatcher != "Incremental" or dialect.keeps_order:
        return
    declared = fleet.clusters[hub.cluster].spec.components["kueue"]
    why = f"goes by the clusters' names before Kueue 0.19; `{hub.cluster}` runs {declared}"
    if dialect.at_least(19):
        why = f"keeps no order on `{hub.cluster}`, where gate {dialect.no_order} is off"
    yield Finding(
        "SP2057", Severity.WARNING,
        f"dispatcher Incremental {why}, so each candidate set holds one cluster",
        origin=fleet.entity.at("hubs", "kueue", "dispatcher"), targets=(hub.cluster,),
    )  # fmt: skip


def served_versions(tree: KueueTree) -> Iterator[Finding]:
    """SP2096: features that the release of a cluster lacks, by name."""
    fleet = tree.fleet
    hub = fleet.spec.hubs.kueue
    manager = dialect_of(fleet.clusters[hub.cluster]) if hub is not None else None
    for name in _workers(tree) if manager is not None and manager.at_least(16) else ():
        dialect = dialect_of(fleet.clusters[name])
        if dialect is not None and not dialect.is_beta2:
            cluster = fleet.clusters[name]
            where = cluster.snapshot.at("apis") if cluster.snapshot is not None else cluster.entity.origin
            yield _error(
                "SP2096", where, f"worker `{name}` serves no `kueue.x-k8s.io/v1beta2`, which the manager speaks",
                "upgrade Kueue there to 0.15 or newer", targets=(name,),
            )  # fmt: skip
    for tenant in fleet.tenants.values():
        if tenant.spec.queueing.fungibility.preference is None:
            continue
        for side in tree.sides.values():
            dialect = dialect_of(side.cluster)
            has_queue = any(made.manifest.source == f"tenant/{tenant.name}" for made in side.queues.values())
            if dialect is not None and has_queue and not dialect.is_beta2:
                yield _error(
                    "SP2096", tenant.at("queueing", "fungibility", "preference"),
                    f"`preference` needs `kueue.x-k8s.io/v1beta2`; `{side.name}` serves v1beta1", targets=(side.name,),
                )  # fmt: skip


def operators(tree: KueueTree) -> Iterator[Finding]:
    """SP2077: Kueue and Trainer agree on how a TrainJob is patched."""
    for side in tree.sides.values():
        jobs = [made for made in side.jobs if made.kind == "TrainJob"]
        components = side.cluster.spec.components
        if not jobs or "trainer" not in components or "kueue" not in components:
            continue
        kueue, trainer = version_of(components["kueue"]), version_of(components["trainer"])
        is_sealed = trainer >= _SEALED_PATCHES and kueue < _WRITES_OWN_PATCH_ONLY
        if is_sealed or (kueue >= (0, 17, 0)) != (trainer >= (2, 2, 0)):
            wanted = ("2.2" if is_sealed else "2.2 or newer") if kueue >= (0, 17, 0) else "older than 2.2"
            yield _error(
                "SP2077", side.cluster.entity.at("components", "trainer"),
                f"Kueue {components['kueue']} on `{side.name}` starts TrainJobs by Trainer {wanted}; declared is "
                f"{components['trainer']}: they are admitted and never start",
                "bring the two together", targets=(side.name,),
            )  # fmt: skip


def floors(tree: KueueTree) -> Iterator[Finding]:
    """SP2079: operators that can do what Kueue and MultiKueue do to their jobs, on every API server that gets them."""
    for side in tree.sides.values():
        needs: dict[tuple[str, str], str] = {}
        for job in side.jobs:
            queue = side.queue_of(job)
            workers = side.candidates(queue) if queue is not None else ()
            for table in (_SUSPENDS, _HANDS_OVER) if workers else (_SUSPENDS,):
                if job.kind in table:
                    needs.update({(name, job.kind): job.reference for name in (side.name, *workers)})
        for (name, kind), reference in needs.items():
            component, least = {**_SUSPENDS, **_HANDS_OVER}[kind]
            cluster = tree.fleet.clusters.get(name)
            declared = cluster.spec.components.get(component) if cluster is not None else None
            if cluster is not None and declared is not None and version_of(declared) < least:
                why = "suspend a job again" if kind in _SUSPENDS else "leave a job to MultiKueue"
                yield _error(
                    "SP2079", cluster.entity.at("components", component),
                    f"{component} {declared} on `{name}` cannot {why}, as it must for {reference}",
                    f"upgrade it to {'.'.join(map(str, least))} or newer", targets=(name,),
                )  # fmt: skip


def observed_gates(tree: KueueTree) -> Iterator[Finding]:
    """SP2096, further: gates that rendered objects need are on in what runs."""
    for side in tree.sides.values():
        yield from _profile_gate(side)


def _profile_gate(side: Side) -> Iterator[Finding]:
    observed = side.cluster.observed
    facts = observed.kueue if observed is not None else None
    if facts is None or side.cluster.spec.kueue.configuration == "rendered":
        return
    for made in side.workers.values():
        source = (made.object.get("spec") or {}).get("clusterSource") or {}
        if "clusterProfileRef" in source and not facts.feature_gates.get("MultiKueueClusterProfile", False):
            yield problem(
                "SP2096", made, ("spec",),
                f"{made.reference} names a ClusterProfile, but gate MultiKueueClusterProfile is off on `{side.name}`",
                "turn the gate on, or reach the worker by a kubeconfig Secret",
            )  # fmt: skip


CHECKS = (definitions, integrations, origins, dispatcher, served_versions, operators, floors, observed_gates)
