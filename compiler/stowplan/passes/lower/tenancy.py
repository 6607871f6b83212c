"""Tenancy on every API server that a tenant uses: namespaces, their users' RBAC, service accounts, network, limits."""

from __future__ import annotations

from collections.abc import Iterator

from stowplan.diagnostics.model import Outcome
from stowplan.model.entity import Entity
from stowplan.model.fleet import Cluster, Fleet
from stowplan.model.inputs.tenant import TenantSpec
from stowplan.model.manifest import Manifest, Target, Unit
from stowplan.model.plan import PlacementPlan
from stowplan.passes.lower.targets import cluster_target, karmada_target, manager_target

__all__ = ["WAVE_TENANCY", "lower_tenancy", "tenancy_unit", "tenant_clusters"]

WAVE_TENANCY = 0
RUNNER_ACCOUNT = "stowplan-runner"
"""Service account that tenants' jobs run under."""


def tenancy_unit(target: Target) -> Unit:
    """The unit of namespaces and what lives and dies with them; never pruned."""
    return Unit(target, "tenancy", WAVE_TENANCY, plane="policy", protected=True)


def tenant_clusters(fleet: Fleet, plan: PlacementPlan, tenant: Entity[TenantSpec]) -> tuple[str, ...]:
    """Member clusters where a tenant has quota or work, by name."""
    with_quota = {cluster for (name, cluster, _) in fleet.quotas if name == tenant.name}
    with_work = {a.cluster for p in plan.placements.values() if p.tenant == tenant.name for a in p.assignments}
    return tuple(c.name for c in fleet.members if c.name in with_quota | with_work)


def lower_tenancy(fleet: Fleet, plan: PlacementPlan) -> Outcome[tuple[Manifest, ...]]:
    """Namespaces and their contents, member by member, then on the manager, then on Karmada's API server."""
    manifests: list[Manifest] = []
    for tenant in fleet.tenants.values():
        clusters = tenant_clusters(fleet, plan, tenant)
        for name in clusters:
            target = cluster_target(fleet, name)
            manifests.extend(_namespaces(tenant, target))
            manifests.extend(_access(tenant, target, fleet.clusters[name]))
        manager = manager_target(fleet)
        dispatched = {w.dispatch for w in fleet.workloads if w.tenant == tenant.name}
        if manager is not None and "multikueue" in dispatched and manager.cluster not in clusters:
            manifests.extend(_namespaces(tenant, manager))
            manifests.extend(_access(tenant, manager, fleet.clusters[manager.cluster]))
        karmada = karmada_target(fleet)
        if karmada is not None and "karmada" in dispatched:
            manifests.extend(_namespaces(tenant, karmada))
    return Outcome(tuple(manifests))


def _namespaces(tenant: Entity[TenantSpec], target: Target) -> Iterator[Manifest]:
    unit = tenancy_unit(target)
    for index, namespace in enumerate(tenant.spec.namespaces):
        labels = {"stowplan.io/tenant": tenant.name}
        if target.is_karmada:
            labels["namespace.karmada.io/skip-auto-propagation"] = "true"
        else:
            labels["pod-security.kubernetes.io/enforce"] = "baseline"
            labels["pod-security.kubernetes.io/audit"] = "restricted"
        yield Manifest(
            unit,
            "tenancy/namespace",
            {"namespace": namespace, "labels": labels, "tenant": tenant.name},
            {
                (): tenant.name_origin,
                ("namespace",): tenant.at("namespaces", index),
                ("tenant",): tenant.name_origin,
                ("labels", "stowplan.io/tenant"): tenant.name_origin,
            },
            f"tenant/{tenant.name}",
        )


def _access(tenant: Entity[TenantSpec], target: Target, cluster: Cluster) -> Iterator[Manifest]:
    unit = tenancy_unit(target)
    for index, namespace in enumerate(tenant.spec.namespaces):
        variables = {
            "namespace": namespace,
            "tenant": tenant.name,
            "account": RUNNER_ACCOUNT,
            "identity": cluster.spec.identity,
            "groups": list(tenant.spec.groups),
        }
        origins = {
            (): tenant.name_origin,
            ("namespace",): tenant.at("namespaces", index),
            ("tenant",): tenant.name_origin,
            ("groups",): tenant.at("groups"),
            ("identity",): cluster.entity.at("identity"),
        }
        names = ["tenancy/serviceaccount", "tenancy/networkpolicy"]
        if tenant.spec.groups:
            names += ["tenancy/role", "tenancy/rolebinding"]
        for template in names:
            yield Manifest(unit, template, variables, origins, f"tenant/{tenant.name}")
