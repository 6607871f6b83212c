"""MultiKueue's manager: a queue, a check, and a configuration for each candidate set, and the quota behind them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from stowplan.model.fleet import Cluster, Fleet
from stowplan.model.manifest import Manifest, Unit
from stowplan.passes.lower.kueue.dialect import Dialect, dialect_of
from stowplan.passes.lower.kueue.dispatch import CandidateSet, Dispatches
from stowplan.passes.lower.kueue.flavors import flavor_manifest, levels_origin, topology_manifest, topology_name
from stowplan.passes.lower.kueue.groups import FlavorQuota
from stowplan.passes.lower.kueue.members import cohorts_above
from stowplan.passes.lower.kueue.priorities import priority_manifests
from stowplan.passes.lower.kueue.queues import cluster_queue, cohort_manifest, local_queue, stop_policy
from stowplan.passes.lower.kueue.quotas import Outside, QuotaBasis, flavor_order, quota_origins
from stowplan.passes.lower.kueue.shares import Component, components_of, home_clusters, lendable
from stowplan.passes.lower.kueue.units import kueue_unit
from stowplan.passes.lower.kueue.variants import Variant, variants_of
from stowplan.passes.lower.targets import manager_target

__all__ = ["MULTIKUEUE_CONTROLLER", "hub_variants", "lower_manager", "manager_quotas"]

MULTIKUEUE_CONTROLLER = "kueue.x-k8s.io/multikueue"


@dataclass(frozen=True, slots=True)
class _Scene:
    fleet: Fleet
    basis: QuotaBasis
    jobs: Dispatches
    unit: Unit
    dialect: Dialect
    hub: Cluster
    variants: Mapping[tuple[str, str], Variant]
    components: tuple[Component, ...]


def lower_manager(fleet: Fleet, basis: QuotaBasis, jobs: Dispatches) -> Iterator[Manifest]:
    """Everything in `hubs/kueue/kueue`; nothing without a manager or without work for it."""
    target = manager_target(fleet)
    if target is None or not jobs.sets:
        return
    hub = fleet.clusters[target.cluster]
    dialect = dialect_of(hub)
    if dialect is None:
        return
    clusters = sorted({name for candidates in jobs.sets.values() for name in candidates.clusters})
    variants = hub_variants(fleet, hub, clusters)
    scene = _Scene(fleet, basis, jobs, kueue_unit(target), dialect, hub, variants, components_of(jobs.sets.values()))
    yield from _capacity(scene)
    if not hub.is_member:
        yield from priority_manifests(fleet, scene.unit, dialect)
    for component in scene.components:
        yield from _cohorts(scene, component)
    for candidates in jobs.sets.values():
        yield from _candidate_set(scene, candidates)
    for cluster in clusters:
        yield _worker(scene, fleet.clusters[cluster])
    for (namespace, name), set_name in jobs.manager_queues.items():
        tenant = fleet.tenants[jobs.sets[set_name].tenant]
        origin = tenant.at("namespaces", tenant.spec.namespaces.index(namespace))
        chosen_at = jobs.chosen_at[namespace, name]
        yield local_queue(
            tenant, scene.unit, dialect, name=name, namespace=namespace, queue=set_name, origin=origin, chosen_at=chosen_at
        )  # fmt: skip


def hub_variants(fleet: Fleet, hub: Cluster, clusters: Iterable[str]) -> Mapping[tuple[str, str], Variant]:
    """The manager's flavor for each (cluster, flavor) of its workers, beside those of its own nodes."""
    own = hub.pools if hub.is_member else {}
    taken = {*own, *(t for f in own if (t := topology_name(fleet, hub, f)) is not None)}
    return variants_of(fleet, clusters, taken)


def _capacity(scene: _Scene) -> Iterator[Manifest]:
    """Flavors and topologies that the sets' queues name, each once."""
    seen: set[str] = set()
    topologies: dict[str, tuple[Variant, str]] = {}
    used = {(c, f) for s in scene.jobs.sets.values() for c in s.clusters for f in _flavors(scene, s, c)}
    for cluster, flavor in sorted(used):
        variant = scene.variants[cluster, flavor]
        if variant.topology is not None:
            topologies.setdefault(variant.topology, (variant, cluster))
        if variant.name not in seen:
            seen.add(variant.name)
            yield flavor_manifest(
                scene.fleet, scene.unit, scene.dialect, flavor, name=variant.name, topology=variant.topology, pool=None
            )
    for name, (variant, cluster) in sorted(topologies.items()):
        named_at = scene.fleet.flavors[variant.flavor].at("topology")
        origin = levels_origin(scene.fleet.clusters[cluster])
        yield topology_manifest(scene.unit, scene.dialect, name, variant.levels, origin, named_at)


def _flavors(scene: _Scene, candidates: CandidateSet, cluster: str) -> list[str]:
    return flavor_order(scene.fleet, candidates.tenant, scene.fleet.clusters[cluster])


def _cohorts(scene: _Scene, component: Component) -> Iterator[Manifest]:
    """The members' borrowing tree over the sets of one component, with what absent tenants could lend."""
    for name in cohorts_above(scene.fleet, list(component.tenants)):
        entity = scene.fleet.cohorts[name]
        quotas: dict[str, FlavorQuota] = {}
        for cluster in component.clusters:
            own = scene.basis.cohort_rows(name, scene.fleet.clusters[cluster])
            others = lendable(scene.fleet, scene.basis, name, cluster, component.tenants_at(cluster))
            for row in (*own, *others):
                _add(quotas, scene.variants[cluster, row.flavor].name, row)
        parent = entity.spec.parent
        yield cohort_manifest(
            entity, scene.unit, scene.dialect, name=component.cohort(name),
            parent=None if parent is None else component.cohort(parent), quotas=[quotas[key] for key in sorted(quotas)],
        )  # fmt: skip


def _add(quotas: dict[str, FlavorQuota], name: str, row: FlavorQuota) -> None:
    """Adds a worker's row to the manager's row of that flavor; a limit that one of them lacks is no limit."""
    before = quotas.get(name)
    if before is None:
        quotas[name] = FlavorQuota(name, dict(row.nominal), row.borrowing, row.lending)
        return
    quotas[name] = FlavorQuota(
        name,
        _sum(before.nominal, row.nominal),
        None if before.borrowing is None or row.borrowing is None else _sum(before.borrowing, row.borrowing),
        None if before.lending is None or row.lending is None else _sum(before.lending, row.lending),
    )


def _sum(one: Mapping[str, Fraction], other: Mapping[str, Fraction]) -> dict[str, Fraction]:
    return {name: one.get(name, Fraction(0)) + other.get(name, Fraction(0)) for name in sorted({*one, *other})}


def manager_quotas(
    fleet: Fleet,
    basis: QuotaBasis,
    variants: Mapping[tuple[str, str], Variant],
    candidates: CandidateSet,
    home: set[str],
) -> list[FlavorQuota]:
    """The set's rows: the sum of what its workers' queues have, each worker counted in one set of the tenant only.

    Flavors of workers that are counted elsewhere stand with nothing of their own: the set borrows it.
    """
    quotas: dict[str, FlavorQuota] = {}
    for cluster in candidates.clusters:
        for row in basis.rows(candidates.tenant, fleet.clusters[cluster]):
            name = variants[cluster, row.flavor].name
            if cluster in home:
                _add(quotas, name, row)
            else:
                quotas.setdefault(name, FlavorQuota(name, {r: Fraction(0) for r in row.nominal}))
    return list(quotas.values())


def _candidate_set(scene: _Scene, candidates: CandidateSet) -> Iterator[Manifest]:
    fleet, tenant = scene.fleet, scene.fleet.tenants[candidates.tenant]
    component = next(c for c in scene.components if candidates in c.sets)
    home = home_clusters(component.sets, candidates)
    names = {"api_version": scene.dialect.api_version, "name": candidates.name}
    origins = {(): tenant.origin, ("clusters",): fleet.entity.at("hubs", "kueue")}
    yield Manifest(
        scene.unit, "kueue/multikueueconfig", {**names, "clusters": list(candidates.clusters)}, origins,
        f"tenant/{tenant.name}",
    )  # fmt: skip
    check = {
        "controller": MULTIKUEUE_CONTROLLER,
        "retry": None if scene.dialect.is_beta2 else 15,
        "parameters_kind": "MultiKueueConfig",
        "parameters_name": candidates.name,
    }
    yield Manifest(scene.unit, "kueue/admissioncheck", {**names, **check}, origins, f"tenant/{tenant.name}")
    stops = [stop_policy(fleet, fleet.clusters[c], tenant) for c in candidates.clusters]
    alone = len(candidates.clusters) == 1
    yield cluster_queue(
        tenant,
        scene.unit,
        scene.dialect,
        name=candidates.name,
        cohort=component.cohort_of(fleet, tenant.name),
        quotas=manager_quotas(fleet, scene.basis, scene.variants, candidates, home),
        stop=stops[0] if alone else "None",
        checks=[{"name": candidates.name}],
        origins=quota_origins(fleet, tenant.name, fleet.clusters[candidates.clusters[0]]) if alone else None,
    )


def _worker(scene: _Scene, cluster: Cluster) -> Manifest:
    """The connection to one worker, by reference to a Secret or a ClusterProfile that the platform's owners keep."""
    profile = cluster.spec.cluster_profile
    if profile is not None:
        source: dict[str, object] = {"clusterProfileRef": {"name": profile}}
        at = cluster.entity.at("clusterProfile")
    else:
        location = {"location": f"multikueue-{cluster.name}", "locationType": "Secret"}
        source = {"kubeConfig": location}
        at = cluster.entity.name_origin
    spec = {"clusterSource": source} if scene.dialect.is_beta2 else source
    variables = {"api_version": scene.dialect.api_version, "name": cluster.name, "spec": spec}
    origins = {(): cluster.entity.origin, ("name",): cluster.entity.name_origin, ("spec",): at}
    return Manifest(scene.unit, "kueue/multikueuecluster", variables, origins, f"cluster/{cluster.name}")


def queue_totals(fleet: Fleet, outside: Outside, jobs: Dispatches) -> dict[str, list[FlavorQuota]]:
    """The manager's rows by candidate set, for the ledger."""
    basis = QuotaBasis(fleet, outside)
    clusters = sorted({name for s in jobs.sets.values() for name in s.clusters})
    variants = variants_of(fleet, clusters, ())
    parts = components_of(jobs.sets.values())
    made = {}
    for candidates in jobs.sets.values():
        component = next(c for c in parts if candidates in c.sets)
        home = home_clusters(component.sets, candidates)
        made[candidates.name] = manager_quotas(fleet, basis, variants, candidates, home)
    return made
