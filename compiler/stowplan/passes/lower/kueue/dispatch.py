"""Who dispatches each job that is rendered, where to, and through which queue: one owner an intent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from stowplan.diagnostics.model import Diagnostic, Label, error
from stowplan.model.devices import claim_of
from stowplan.model.fleet import Cluster, Fleet
from stowplan.model.inputs.intents import Route
from stowplan.model.plan import Assignment, Placement, PlacementPlan
from stowplan.model.runtimes import RUNTIMES
from stowplan.model.workload import Workload
from stowplan.passes.lower.kueue.dialect import dialect_of
from stowplan.passes.lower.kueue.flavors import level_labels, topology_name
from stowplan.passes.lower.kueue.names import LABEL_LIMIT, digest_of, joined_name, limited_name
from stowplan.source.span import Origin

__all__ = ["CandidateSet", "Dispatch", "Dispatches", "dispatches", "route_of"]

_MOST_CLUSTERS = 20
"""Clusters of one MultiKueueConfig, of the releases that keep an order."""

_RENDERED = ("placed", "queued", "routed")


@dataclass(frozen=True, slots=True)
class CandidateSet:
    """Clusters, in order, that the manager may send a tenant's work to; `name` is that of its queue and check.

    `queue` is the LocalQueue's name in the tenant's namespaces, the same on manager and workers; `namespaces` are
    those that use it.
    """

    tenant: str
    clusters: tuple[str, ...]
    name: str
    queue: str
    namespaces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dispatch:
    """One job to render. `flavors` may run it, the first is the plan's; `queue` is None outside Kueue.

    `candidates` is the set that the manager chooses from, None where the job is rendered on the member itself.
    """

    workload: Workload
    placement: Placement
    assignment: Assignment
    queue: str | None
    flavors: tuple[str, ...]
    candidates: CandidateSet | None

    @property
    def cluster(self) -> str:
        """Where the plan wants it."""
        return self.assignment.cluster

    @property
    def places(self) -> tuple[str, ...]:
        """Every cluster that may run it."""
        return self.candidates.clusters if self.candidates is not None else (self.cluster,)


@dataclass(frozen=True, slots=True)
class Dispatches:
    """All jobs by intent name, the manager's candidate sets by name, and extra LocalQueues of members.

    `local_queues` maps (cluster, namespace, name) to the tenant whose ClusterQueue is behind; `manager_queues` maps
    (namespace, name) to the candidate set, and `chosen_at` to where the first workload of it chose that set.
    """

    jobs: Mapping[str, Dispatch]
    sets: Mapping[str, CandidateSet]
    local_queues: Mapping[tuple[str, str, str], str]
    manager_queues: Mapping[tuple[str, str], str]
    chosen_at: Mapping[tuple[str, str], Origin]
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(slots=True)
class _Draft:
    """A job on its way to a Dispatch."""

    workload: Workload
    placement: Placement
    assignment: Assignment
    clusters: tuple[str, ...]
    flavors: tuple[str, ...]


@dataclass(slots=True)
class _Books:
    found: list[Diagnostic] = field(default_factory=list)
    local_queues: dict[tuple[str, str, str], str] = field(default_factory=dict)
    manager_queues: dict[tuple[str, str], str] = field(default_factory=dict)
    routed_by: dict[tuple[str, str], Workload] = field(default_factory=dict)


def route_of(workload: Workload) -> Route | None:
    """The user's own choice of cluster and queue."""
    found: Route | None = getattr(workload.entity.spec, "route", None)
    return found


def dispatches(fleet: Fleet, plan: PlacementPlan) -> Dispatches:
    """What is rendered, from the plan: jobs that have a place, each with its queue."""
    drafts = [draft for w in fleet.workloads if (draft := _draft(fleet, plan, w)) is not None]
    sets = _sets(drafts)
    books = _Books()
    _member_queues(fleet, plan, books)
    jobs = {draft.workload.name: _finish(draft, sets, books) for draft in drafts}
    by_name = {s.name: s for s in sorted(sets.values(), key=lambda s: s.name)}
    return Dispatches(
        MappingProxyType(jobs),
        MappingProxyType(by_name),
        MappingProxyType(dict(sorted(books.local_queues.items()))),
        MappingProxyType(dict(sorted(books.manager_queues.items()))),
        MappingProxyType({key: _chosen_at(workload) for key, workload in books.routed_by.items()}),
        tuple(books.found),
    )


def _chosen_at(workload: Workload) -> Origin:
    route = route_of(workload)
    return workload.entity.name_origin if route is None else workload.entity.at("route", "cluster")


def _draft(fleet: Fleet, plan: PlacementPlan, workload: Workload) -> _Draft | None:
    """The job, if it is rendered. The manager is no worker of its own: what is placed on it starts there directly."""
    if workload.is_service or workload.entity.spec.state != "active" or workload.dispatch == "karmada":
        return None
    placement = plan.placements.get(workload.name)
    if placement is None or placement.status not in _RENDERED or not placement.assignments:
        return None
    assignment = placement.assignments[0]
    hub = fleet.spec.hubs.kueue
    if _is_dispatched(workload) and hub is not None and assignment.cluster != hub.cluster:
        clusters, flavors = _candidates(fleet, workload, placement, assignment)
    else:
        clusters, flavors = (), (assignment.flavor,)
    return _Draft(workload, placement, assignment, clusters, flavors)


def _is_dispatched(workload: Workload) -> bool:
    runtime = RUNTIMES[workload.entity.spec.runtime]  # type: ignore[union-attr]
    return workload.dispatch == "multikueue" and runtime.multikueue is not None


def _candidates(
    fleet: Fleet, workload: Workload, placement: Placement, assignment: Assignment
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Clusters in order and flavors: only those where every flavor of the set may run the job.

    Below Kueue 0.19, and with a dispatcher that asks all at once, an order means nothing: one cluster.
    """
    hub = fleet.spec.hubs.kueue
    manager = None if hub is None else dialect_of(fleet.clusters[hub.cluster])
    alone = (assignment.cluster,), (assignment.flavor,)
    if hub is None or manager is None or not manager.keeps_order or hub.dispatcher != "Incremental":
        return alone
    if route_of(workload) is not None or assignment.is_running:
        return alone
    may_run = {(c.cluster, c.flavor) for c in placement.alternatives} | {(assignment.cluster, assignment.flavor)}
    clusters, flavors = [assignment.cluster], [assignment.flavor]
    for other in placement.alternatives:
        if len(clusters) == _MOST_CLUSTERS or other.cluster in (*clusters, hub.cluster):
            continue
        wanted_flavors = flavors if other.flavor in flavors else [*flavors, other.flavor]
        fits_all = all(_harmless(fleet, may_run, c, f) for c in [*clusters, other.cluster] for f in wanted_flavors)
        if fits_all and _same_terms(fleet, workload, assignment, other.cluster, other.flavor):
            clusters.append(other.cluster)
            flavors = wanted_flavors
    return tuple(clusters), tuple(flavors)


def _harmless(fleet: Fleet, may_run: set[tuple[str, str]], cluster: str, flavor: str) -> bool:
    """The flavor may run the job there, or there is none of it."""
    return (cluster, flavor) in may_run or flavor not in fleet.clusters[cluster].pools


def _same_terms(fleet: Fleet, workload: Workload, first: Assignment, cluster: str, flavor: str) -> bool:
    """What the job states for one cluster holds on the other: level labels, device names, storage."""
    here, there = fleet.clusters[first.cluster], fleet.clusters[cluster]
    if _level_label(fleet, workload, here, first.flavor) != _level_label(fleet, workload, there, flavor):
        return False
    one, other = fleet.flavors[first.flavor].spec.accelerator, fleet.flavors[flavor].spec.accelerator
    if (one and one.resource) != (other and other.resource):
        return False
    if claim_of(here.pools[first.flavor]) != claim_of(there.pools[flavor]):
        return False
    return _rdma(workload, here, first.flavor) == _rdma(workload, there, flavor)


def _rdma(workload: Workload, cluster: Cluster, flavor: str) -> str | None:
    if not getattr(workload.entity.spec, "rdma", False):
        return None
    return next((g.rdma.resource for g, _ in cluster.pools[flavor].groups if g.rdma is not None), None)


def _level_label(fleet: Fleet, workload: Workload, cluster: Cluster, flavor: str) -> str | None:
    if topology_name(fleet, cluster, flavor) is None:
        return None
    need = workload.training.topology if workload.training else None
    if need is None:
        return "*"
    level = need.required or need.preferred
    names = cluster.pools[flavor].levels
    return level_labels(cluster)[names.index(level)] if level in names else None


def _sets(drafts: list[_Draft]) -> dict[tuple[str, tuple[str, ...]], CandidateSet]:
    """One set for each tenant and list of clusters; names that would be equal get a digest."""
    namespaces: dict[tuple[str, tuple[str, ...]], set[str]] = {}
    for draft in drafts:
        if draft.clusters:
            key = (draft.workload.tenant, draft.clusters)
            namespaces.setdefault(key, set()).add(draft.workload.namespace)
    drafts_by_name: dict[str, int] = {}
    for tenant, clusters in namespaces:
        name = joined_name((tenant, _set_label(clusters)))
        drafts_by_name[name] = drafts_by_name.get(name, 0) + 1
    made = {}
    for key in sorted(namespaces):
        tenant, clusters = key
        name = joined_name((tenant, _set_label(clusters)))
        if drafts_by_name[name] > 1:
            name = joined_name((limited_name(name, LABEL_LIMIT - 7), digest_of(tenant, *clusters)))
        made[key] = CandidateSet(tenant, clusters, name, _set_label(clusters), tuple(sorted(namespaces[key])))
    return made


def _set_label(clusters: tuple[str, ...]) -> str:
    """The cluster's name; for several the first one's, with how many follow and a digest of their order."""
    if len(clusters) == 1:
        return clusters[0]
    return joined_name((limited_name(clusters[0], LABEL_LIMIT - 14), f"plus-{len(clusters) - 1}", digest_of(*clusters)))


def _member_queues(fleet: Fleet, plan: PlacementPlan, books: _Books) -> None:
    """LocalQueues that members have whatever is dispatched: tenants' own, those of routes, and of workspaces."""
    for tenant, cluster in sorted({(t, c) for (t, c, _) in fleet.quotas}):
        for namespace in fleet.tenants[tenant].spec.namespaces:
            books.local_queues[cluster, namespace, tenant] = tenant
    for workload in fleet.workloads:
        if workload.entity.spec.state == "done":
            continue
        route = route_of(workload)
        if route is not None and route.local_queue is not None:
            books.local_queues[route.cluster, workload.namespace, route.local_queue] = workload.tenant
        placement = plan.placements.get(workload.name)
        if workload.kind == "WorkspaceIntent" and placement is not None:
            for assignment in placement.assignments:
                books.local_queues[assignment.cluster, workload.namespace, workload.name] = workload.tenant


def _finish(draft: _Draft, sets: Mapping[tuple[str, tuple[str, ...]], CandidateSet], books: _Books) -> Dispatch:
    workload, route = draft.workload, route_of(draft.workload)
    named = route.local_queue if route is not None else None
    if not draft.clusters:
        runtime = RUNTIMES[workload.entity.spec.runtime]  # type: ignore[union-attr]
        queue = None if runtime.framework is None else named or workload.tenant
        return Dispatch(workload, draft.placement, draft.assignment, queue, draft.flavors, None)
    chosen = sets[workload.tenant, draft.clusters]
    queue = named or chosen.queue
    _manager_queue(workload, queue, chosen, books)
    for cluster in chosen.clusters:
        books.local_queues[cluster, workload.namespace, queue] = workload.tenant
    return Dispatch(workload, draft.placement, draft.assignment, queue, draft.flavors, chosen)


def _manager_queue(workload: Workload, queue: str, chosen: CandidateSet, books: _Books) -> None:
    """Books a LocalQueue of the manager; it can stand before one ClusterQueue only."""
    key = (workload.namespace, queue)
    before = books.manager_queues.setdefault(key, chosen.name)
    first = books.routed_by.setdefault(key, workload)
    if before == chosen.name:
        return
    where = workload.entity.at("route", "localQueue")
    books.found.append(
        error(
            "SP2021",
            f"LocalQueue `{queue}` of namespace `{workload.namespace}` would lead to two candidate sets on the "
            f"manager, `{before}` and `{chosen.name}`",
            where,
            "second use",
            secondary=(Label(first.entity.name_origin, "first use"),),
            helps=("give one of the routes another `localQueue`, or set `dispatch: direct`",),
        )
    )
