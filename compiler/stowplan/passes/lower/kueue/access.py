"""What the manager may do on a worker: RBAC derived from the integrations in use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stowplan.model.fleet import Cluster, Fleet
from stowplan.model.manifest import Manifest, Unit
from stowplan.passes.lower.kueue.dispatch import Dispatches
from stowplan.passes.lower.kueue.frameworks import manager_frameworks

__all__ = ["KUEUE_NAMESPACE", "WORKER_ACCOUNT", "worker_access", "worker_rules"]

KUEUE_NAMESPACE = "kueue-system"
WORKER_ACCOUNT = "stowplan-multikueue"
"""Service account on each worker whose kubeconfig the manager's Secret `multikueue-CLUSTER` holds."""

_MIRROR = ["create", "delete", "get", "list", "watch"]


def worker_rules(fleet: Fleet, jobs: Dispatches) -> list[dict[str, Any]]:
    """Rules: mirrored kinds (elastic ones are changed later), Workloads and their status, and queues for reading."""
    rules = []
    elastic = any(d.workload.entity.spec.options.get("elastic") is True for d in jobs.jobs.values())  # type: ignore[union-attr]
    for framework in manager_frameworks(fleet, {d.workload.name for d in jobs.jobs.values()}):
        changes = framework.updates or (elastic and framework.name == "batch/job")
        verbs = sorted([*_MIRROR, "patch", "update"]) if changes else _MIRROR
        rules.append({"apiGroups": [framework.group], "resources": [framework.plural], "verbs": verbs})
        rules.append({"apiGroups": [framework.group], "resources": [f"{framework.plural}/status"], "verbs": ["get"]})
    if not any(rule["apiGroups"] == [""] for rule in rules):
        rules.append({"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]})
    workloads = sorted([*_MIRROR, "patch", "update"])
    rules.append({"apiGroups": ["kueue.x-k8s.io"], "resources": ["workloads"], "verbs": workloads})
    rules.append(
        {"apiGroups": ["kueue.x-k8s.io"], "resources": ["workloads/status"], "verbs": ["get", "patch", "update"]}
    )
    readable = ["clusterqueues", "localqueues"]
    rules.append({"apiGroups": ["kueue.x-k8s.io"], "resources": readable, "verbs": ["get", "list", "watch"]})
    return rules


def worker_access(fleet: Fleet, jobs: Dispatches, unit: Unit, cluster: Cluster) -> Iterator[Manifest]:
    """ServiceAccount, ClusterRole, and binding on a worker; nothing where no set names the cluster."""
    hub = fleet.spec.hubs.kueue
    if hub is None or not any(cluster.name in candidates.clusters for candidates in jobs.sets.values()):
        return
    origin = fleet.entity.at("hubs", "kueue")
    variables = {"name": WORKER_ACCOUNT, "namespace": KUEUE_NAMESPACE, "rules": worker_rules(fleet, jobs)}
    for template in ("kueue/workeraccount", "kueue/workerrole", "kueue/workerbinding"):
        yield Manifest(unit, template, variables, {(): origin}, f"fleet/{fleet.name}")
