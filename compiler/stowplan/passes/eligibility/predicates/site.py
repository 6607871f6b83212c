"""Predicates on the site: role, environment, route, tenancy, jurisdiction, region, maintenance, taints, health."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from stowplan.model.eligibility import Predicate, Reason
from stowplan.model.inputs.cluster import Taint
from stowplan.model.inputs.fleet import Toleration
from stowplan.model.times import format_time, hours, parse_time
from stowplan.passes.eligibility.context import ClusterCase, PoolCase, reason
from stowplan.source.span import Origin

__all__ = ["CLUSTER_PREDICATES", "taint"]


def role(case: ClusterCase) -> Iterator[Reason]:
    """The cluster takes this class of work."""
    roles, wanted = case.cluster.spec.roles, case.workload.role
    if wanted not in roles:
        yield reason(
            Predicate.ROLE,
            f"`{case.cluster.name}` takes {', '.join(roles)}, not {wanted}",
            (f"{wanted} work", case.workload.entity.name_origin),
            (f"roles {', '.join(roles)}", case.cluster.entity.at("roles")),
        )


def environment(case: ClusterCase) -> Iterator[Reason]:
    """The environment the intent asks for, and those its tenant may use."""
    found = case.cluster.spec.environment
    wanted = case.workload.entity.spec.environment
    where = (f"environment {found}", case.cluster.entity.at("environment"))
    if wanted is not None and wanted != found:
        need = (f"environment {wanted}", case.workload.entity.at("environment"))
        yield reason(Predicate.ENVIRONMENT, f"`{case.cluster.name}` is {found}, not {wanted}", need, where)
    tenant = case.fleet.tenants[case.workload.tenant]
    allowed = tenant.spec.allow.environments
    if allowed is not None and found not in allowed:
        need = (f"tenant may use {', '.join(allowed)}", tenant.at("allow", "environments"))
        yield reason(Predicate.ENVIRONMENT, f"tenant `{tenant.name}` may not use {found} clusters", need, where)


def route(case: ClusterCase) -> Iterator[Reason]:
    """Clusters that the intent names."""
    spec = case.workload.entity.spec
    explicit = getattr(spec, "route", None)
    here = (f"cluster {case.cluster.name}", case.cluster.entity.name_origin)
    if explicit is not None and explicit.cluster != case.cluster.name:
        need = (f"route to {explicit.cluster}", case.workload.entity.at("route", "cluster"))
        yield reason(Predicate.ROUTE, f"the intent is routed to `{explicit.cluster}`", need, here)
    if spec.clusters is not None and case.cluster.name not in spec.clusters:
        need = (f"clusters {', '.join(spec.clusters)}", case.workload.entity.at("clusters"))
        yield reason(Predicate.ROUTE, f"the intent names {', '.join(f'`{c}`' for c in spec.clusters)} only", need, here)


def tenant_cluster(case: ClusterCase) -> Iterator[Reason]:
    """The tenant may use the cluster."""
    tenant = case.fleet.tenants[case.workload.tenant]
    allowed = tenant.spec.allow.clusters
    if allowed is not None and case.cluster.name not in allowed:
        yield reason(
            Predicate.TENANT_CLUSTER,
            f"tenant `{tenant.name}` may not use `{case.cluster.name}`",
            (f"tenant may use {', '.join(allowed)}", tenant.at("allow", "clusters")),
            (f"cluster {case.cluster.name}", case.cluster.entity.name_origin),
        )


def jurisdiction(case: ClusterCase) -> Iterator[Reason]:
    """Jurisdictions of the tenant and of the intent."""
    found = case.cluster.spec.jurisdiction
    where = (f"jurisdiction {found}", case.cluster.entity.at("jurisdiction"))
    tenant = case.fleet.tenants[case.workload.tenant]
    allowed = tenant.spec.allow.jurisdictions
    if allowed is not None and found not in allowed:
        need = (f"tenant may use {', '.join(allowed)}", tenant.at("allow", "jurisdictions"))
        yield reason(Predicate.JURISDICTION, f"tenant `{tenant.name}` may not use jurisdiction {found}", need, where)
    wanted = case.workload.entity.spec.jurisdictions
    if wanted is not None and found not in wanted:
        need = (f"jurisdictions {', '.join(wanted)}", case.workload.entity.at("jurisdictions"))
        yield reason(Predicate.JURISDICTION, f"`{case.cluster.name}` is in jurisdiction {found}", need, where)


def region(case: ClusterCase) -> Iterator[Reason]:
    """Regions of the tenant and of the intent."""
    found = case.cluster.spec.region
    where = (f"region {found}", case.cluster.entity.at("region"))
    tenant = case.fleet.tenants[case.workload.tenant]
    allowed = tenant.spec.allow.regions
    if allowed is not None and found not in allowed:
        need = (f"tenant may use {', '.join(allowed)}", tenant.at("allow", "regions"))
        yield reason(Predicate.REGION, f"tenant `{tenant.name}` may not use region {found}", need, where)
    inference = case.workload.inference
    wanted = (
        tuple(r.region for r in inference.regions) if inference else getattr(case.workload.entity.spec, "regions", None)
    )
    if wanted is not None and found not in wanted:
        need = (f"regions {', '.join(wanted)}", case.workload.entity.at("regions"))
        yield reason(Predicate.REGION, f"`{case.cluster.name}` is in region {found}", need, where)


def namespace(case: ClusterCase) -> Iterator[Reason]:
    """The namespace is not on its way out, and the secrets the intent mounts exist where they were looked for."""
    facts = case.cluster.observed
    if facts is None or case.cluster.snapshot is None:
        return
    name = case.workload.namespace
    for index, found in enumerate(facts.namespaces):
        if found.name == name and found.phase == "Terminating":
            yield reason(
                Predicate.NAMESPACE,
                f"namespace `{name}` is being deleted on `{case.cluster.name}`",
                (f"namespace {name}", case.workload.entity.name_origin),
                ("phase Terminating", case.cluster.snapshot.at("namespaces", index, "phase")),
            )
    for index, secret in enumerate(case.workload.entity.spec.secrets):
        if facts.secrets is not None and f"{name}/{secret}" not in facts.secrets:
            yield reason(
                Predicate.NAMESPACE,
                f"secret `{name}/{secret}` is not on `{case.cluster.name}`",
                (f"secret {secret}", case.workload.entity.at("secrets", index)),
                ("secrets as found", case.cluster.snapshot.at("secrets")),
            )


def maintenance(case: ClusterCase) -> Iterator[Reason]:
    """No window is open, and what cannot be interrupted ends before the next one begins."""
    now = case.fleet.as_of
    wait = min((pool.wait_hours for pool in case.cluster.pools.values()), default=0.0)
    until = now
    if not case.workload.interruptible and not case.workload.is_service:
        until = now + timedelta(hours=wait + case.workload.run_hours)
    for index, window in enumerate(case.cluster.spec.maintenance):
        start, end = parse_time(window.from_), parse_time(window.until)
        if start <= until and end > now:
            open_now = start <= now
            words = "is in maintenance" if open_now else "goes into maintenance before it would end"
            yield reason(
                Predicate.MAINTENANCE,
                f"`{case.cluster.name}` {words} ({window.from_} to {window.until}: {window.reason})",
                (f"runs from {format_time(now)} to {format_time(until)}", case.workload.entity.name_origin),
                (f"window from {window.from_}", case.cluster.entity.at("maintenance", index)),
            )


def freshness(case: ClusterCase) -> Iterator[Reason]:
    """The snapshot exists and is young enough."""
    limit = case.fleet.spec.snapshot_max_age
    need = (f"facts not older than {limit}", case.fleet.entity.at("snapshotMaxAge"))
    snapshot = case.cluster.snapshot
    if snapshot is None:
        found = ("no snapshot", case.cluster.entity.name_origin)
        yield reason(Predicate.FRESHNESS, f"`{case.cluster.name}` has no inventory snapshot", need, found)
        return
    age = case.fleet.as_of - parse_time(snapshot.spec.observed_at)
    if age > timedelta(hours=hours(limit)):
        old = round(age.total_seconds() / 3600, 1)
        found = (f"observed {snapshot.spec.observed_at}", snapshot.at("observedAt"))
        yield reason(Predicate.FRESHNESS, f"the snapshot of `{case.cluster.name}` is {old} h old", need, found)


def health(case: ClusterCase) -> Iterator[Reason]:
    """The cluster takes work."""
    snapshot = case.cluster.snapshot
    if snapshot is not None and not snapshot.spec.health.ready:
        why = snapshot.spec.health.reason or "no reason given"
        yield reason(
            Predicate.HEALTH,
            f"`{case.cluster.name}` is not ready: {why}",
            ("a ready cluster", None),
            (f"not ready: {why}", snapshot.at("health", "ready")),
        )


def cluster_taint(case: ClusterCase) -> Iterator[Reason]:
    """Taints on the cluster as a whole."""
    for index, found in enumerate(case.cluster.spec.taints):
        if not _tolerated(found, case.workload.entity.spec.tolerations):
            yield _taint_reason(case, found, case.cluster.entity.at("taints", index))


def taint(case: PoolCase) -> Iterator[Reason]:
    """Taints on the nodes, against the tolerations of the flavor and of the intent."""
    tolerations = (*case.fleet.flavors[case.pool.flavor].spec.tolerations, *case.workload.entity.spec.tolerations)
    for group, origin in case.pool.groups:
        for index, found in enumerate(group.taints):
            if not _tolerated(found, tolerations):
                yield _taint_reason(case, found, origin / "taints" / index)


def _taint_reason(case: ClusterCase, found: Taint, origin: Origin) -> Reason:
    shown = f"{found.key}={found.value}" if found.value is not None else found.key
    return reason(
        Predicate.TAINT,
        f"nothing tolerates the taint `{shown}:{found.effect}` of `{case.cluster.name}`",
        ("tolerations", case.workload.entity.name_origin),
        (f"taint {shown}:{found.effect}", origin),
    )


def _tolerated(found: Taint, tolerations: tuple[Toleration, ...]) -> bool:
    if found.effect == "PreferNoSchedule":
        return True
    for toleration in tolerations:
        if toleration.effect not in (None, found.effect):
            continue
        if toleration.key is None and toleration.operator == "Exists":
            return True
        if toleration.key == found.key and (toleration.operator == "Exists" or toleration.value == found.value):
            return True
    return False


CLUSTER_PREDICATES = (
    role,
    environment,
    route,
    tenant_cluster,
    jurisdiction,
    region,
    namespace,
    maintenance,
    cluster_taint,
    freshness,
    health,
)
"""Asked once a cluster, in this order."""
