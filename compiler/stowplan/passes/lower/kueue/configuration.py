"""Kueue's own configuration: the integrations and gates that rendered objects need, rendered where the cluster says so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from stowplan.model.fleet import Cluster, Fleet
from stowplan.model.inputs.fleet import KueueHub
from stowplan.model.inputs.kueue import CredentialsProvider, KueueSettings
from stowplan.model.manifest import Manifest, Target, Unit
from stowplan.model.quantity import canonical_duration, canonical_quantity
from stowplan.passes.lower.kueue.dialect import Dialect, dialect_of
from stowplan.passes.lower.kueue.dispatch import Dispatches
from stowplan.passes.lower.kueue.frameworks import FRAMEWORKS, frameworks_of, manager_frameworks
from stowplan.passes.lower.targets import cluster_target, manager_target
from stowplan.source.yaml_writer import dumps

__all__ = ["Needs", "configuration_document", "configuration_manifests", "manager_origin", "needs_of", "round_size"]

_DISPATCHERS = {
    "AllAtOnce": "kueue.x-k8s.io/multikueue-dispatcher-all-at-once",
    "Incremental": "kueue.x-k8s.io/multikueue-dispatcher-incremental",
}
_STEP = 1
"""Clusters that the Incremental dispatcher asks at once: with Kueue's own three, the first three of a set would race."""

_OWN_STEP = 3
"""Kueue's own number of them."""

_FAIR_STRATEGIES = ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]


@dataclass(frozen=True, slots=True)
class Needs:
    """What rendered objects ask of one cluster's Kueue: integrations by name, gates that are off by default."""

    frameworks: tuple[str, ...]
    gates: tuple[tuple[str, bool], ...]


def manager_origin(fleet: Fleet) -> str | None:
    """The name under which the manager marks what it makes on workers; two managers of one worker must differ."""
    hub = fleet.spec.hubs.kueue
    if hub is None:
        return None
    return fleet.clusters[hub.cluster].spec.kueue.origin or fleet.name


def round_size(cluster: Cluster) -> int:
    """Clusters that a manager's dispatcher Incremental asks in a round: ours where the configuration is rendered."""
    dialect = dialect_of(cluster)
    is_ours = dialect is not None and dialect.keeps_order and cluster.spec.kueue.configuration == "rendered"
    return _STEP if is_ours else _OWN_STEP


def needs_of(fleet: Fleet, jobs: Dispatches, cluster: Cluster, dialect: Dialect) -> Needs:
    """Integrations and gates of one cluster, as manager, as worker, or both."""
    hub = fleet.spec.hubs.kueue
    is_manager = hub is not None and hub.cluster == cluster.name
    runtimes = set()
    pods = False
    for dispatch in jobs.jobs.values():
        if cluster.name in dispatch.places:
            runtimes.add(str(dispatch.workload.entity.spec.runtime))  # type: ignore[union-attr]
    pods = any(c == cluster.name and fleet.workload(name) is not None for (c, _, name) in jobs.local_queues)
    names = {framework.name for framework in frameworks_of(sorted(runtimes))}
    is_worker = any(cluster.name in candidates.clusters for candidates in jobs.sets.values())
    if is_manager or is_worker:
        names.update(
            framework.name for framework in manager_frameworks(fleet, {d.workload.name for d in jobs.jobs.values()})
        )
    if pods:
        names.add("pod")
    names.update(cluster.spec.kueue.frameworks)
    known = [name for name in FRAMEWORKS if name in names]
    ordered = (*known, *sorted(names.difference(FRAMEWORKS)))
    return Needs(ordered, tuple(sorted(_gates(fleet, jobs, cluster, dialect, is_manager=is_manager).items())))


def _gates(fleet: Fleet, jobs: Dispatches, cluster: Cluster, dialect: Dialect, *, is_manager: bool) -> dict[str, bool]:
    gates: dict[str, bool] = {}
    if is_manager and any(
        fleet.clusters[c].spec.cluster_profile is not None for s in jobs.sets.values() for c in s.clusters
    ):
        gates["MultiKueueClusterProfile"] = True
    if cluster.spec.kueue.device_classes and not dialect.at_least(18):
        gates["DynamicResourceAllocation"] = True
    here = [d for d in jobs.jobs.values() if cluster.name in d.places or (is_manager and d.candidates is not None)]
    elastic = any(d.workload.entity.spec.options.get("elastic") is True for d in here)  # type: ignore[union-attr]
    if elastic and not dialect.at_least(18):
        gates["ElasticJobsViaWorkloadSlices"] = True
    if is_manager and dialect.at_least(19) and cluster.spec.kueue.pods_ready is None:
        gates["DisableWaitForPodsReady"] = True  # pods run on workers, and not every kind's status comes back
    return {**gates, **cluster.spec.kueue.feature_gates}


def configuration_document(fleet: Fleet, jobs: Dispatches, cluster: Cluster, dialect: Dialect) -> dict[str, Any]:
    """The Configuration, defaults left to Kueue: what stands here is decided, what does not is Kueue's own."""
    settings = cluster.spec.kueue
    needs = needs_of(fleet, jobs, cluster, dialect)
    is_beta2 = dialect.at_least(15)
    made: dict[str, Any] = {
        "apiVersion": f"config.kueue.x-k8s.io/{'v1beta2' if is_beta2 else 'v1beta1'}",
        "kind": "Configuration",
        "namespace": settings.namespace,
        "health": {"healthProbeBindAddress": ":8081"},
        "metrics": {"bindAddress": ":8443"},
        "webhook": {"port": 9443},
        "leaderElection": {"leaderElect": True, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
        "integrations": {"frameworks": list(needs.frameworks)},
    }
    if needs.gates:
        made["featureGates"] = dict(needs.gates)
    if settings.fair_sharing:
        strategies: dict[str, Any] = {"preemptionStrategies": _FAIR_STRATEGIES}
        made["fairSharing"] = strategies if is_beta2 else {"enable": True, **strategies}
    hub = fleet.spec.hubs.kueue
    if hub is not None and hub.cluster == cluster.name:
        made["multiKueue"] = _multikueue(fleet, hub, cluster, dialect)
    resources = _resources(settings)
    if resources:
        made["resources"] = resources
    if settings.pods_ready is not None:
        made["waitForPodsReady"] = _pods_ready(settings, enable=not is_beta2)
    return made


def _multikueue(fleet: Fleet, hub: KueueHub, cluster: Cluster, dialect: Dialect) -> dict[str, Any]:
    made: dict[str, Any] = {"origin": manager_origin(fleet), "dispatcherName": _DISPATCHERS[hub.dispatcher]}
    if hub.dispatcher == "Incremental" and dialect.keeps_order:
        made["incrementalDispatcherConfig"] = {"stepSize": _STEP}
    providers = cluster.spec.kueue.credentials_providers
    if providers and dialect.at_least(15):
        field = "accessProviders" if dialect.at_least(19) else "credentialsProviders"
        made["clusterProfile"] = {field: [_provider(row) for row in providers]}
    return made


def _provider(given: CredentialsProvider) -> dict[str, Any]:
    command: dict[str, Any] = {"apiVersion": given.api_version, "command": given.command, "interactiveMode": "Never"}
    if given.args:
        command["args"] = list(given.args)
    if given.env:
        command["env"] = [{"name": name, "value": value} for name, value in sorted(given.env.items())]
    if given.provide_cluster_info:
        command["provideClusterInfo"] = True
    return {"name": given.name, "execConfig": command}


def _resources(settings: KueueSettings) -> dict[str, Any]:
    made: dict[str, Any] = {}
    if settings.exclude_prefixes:
        made["excludeResourcePrefixes"] = list(settings.exclude_prefixes)
    if settings.transformations:
        made["transformations"] = [
            {
                "input": row.input,
                "strategy": row.strategy,
                "outputs": {name: canonical_quantity(amount) for name, amount in sorted(row.outputs.items())},
            }
            for row in settings.transformations
        ]
    if settings.device_classes:
        rows = settings.device_classes
        made["deviceClassMappings"] = [{"name": r.resource, "deviceClassNames": list(r.classes)} for r in rows]
    return made


def _pods_ready(settings: KueueSettings, *, enable: bool) -> dict[str, Any]:
    given = settings.pods_ready
    assert given is not None
    made: dict[str, Any] = {"enable": True} if enable else {}
    made["timeout"] = canonical_duration(given.timeout)
    made["blockAdmission"] = given.block_admission
    if given.recovery_timeout is not None:
        made["recoveryTimeout"] = canonical_duration(given.recovery_timeout)
    return made


def configuration_manifests(fleet: Fleet, jobs: Dispatches) -> Iterator[Manifest]:
    """The ConfigMap of every cluster whose configuration is part of the tree."""
    hub = fleet.spec.hubs.kueue
    for cluster in fleet.clusters.values():
        dialect = dialect_of(cluster)
        if dialect is None or cluster.spec.kueue.configuration != "rendered":
            continue
        is_manager = hub is not None and hub.cluster == cluster.name
        target: Target | None = manager_target(fleet) if is_manager else cluster_target(fleet, cluster.name)
        assert target is not None
        document = configuration_document(fleet, jobs, cluster, dialect)
        variables = {
            "namespace": cluster.spec.kueue.namespace,
            "text": dumps(document),
        }
        yield Manifest(
            Unit(target, "component-kueue", 0, plane="workloadPlacement"),
            "kueue/configuration",
            variables,
            {(): cluster.entity.at("kueue"), ("namespace",): cluster.entity.at("kueue", "namespace")},
            f"cluster/{cluster.name}",
        )
