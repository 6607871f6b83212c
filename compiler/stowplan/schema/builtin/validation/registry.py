"""Which rules belong to which kind, at creation and at update."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import (
    autoscaling,
    cluster,
    config,
    definitions,
    devices,
    endpoints,
    expressions,
    flow,
    gangs,
    jobs,
    networking,
    pod_updates,
    pods,
    policies,
    quotas,
    rbac,
    services,
    slices,
    storage,
    updates,
    webhooks,
    workloads,
)
from .meta import check_meta_update
from .report import Report

__all__ = ["CREATE", "Check", "Compare", "compares", "update"]

Check = Callable[[Mapping[str, Any], Report], None]
Compare = Callable[[Mapping[str, Any], Mapping[str, Any], Report], None]


def _pod(manifest: Mapping[str, Any], report: Report) -> None:
    pods.check_pod(manifest, report)
    pods.check_pod_created(manifest, report)


def _ingress(manifest: Mapping[str, Any], report: Report) -> None:
    networking.check_ingress(manifest, report)
    networking.check_ingress_created(manifest, report)


def _webhooks(manifest: Mapping[str, Any], report: Report) -> None:
    webhooks.check_webhooks(manifest, report, expressions.check_webhook_condition)


_ADMISSION = "admissionregistration.k8s.io/v1"

CREATE: dict[str, Check] = {
    f"{_ADMISSION}/ValidatingWebhookConfiguration": _webhooks,
    f"{_ADMISSION}/MutatingWebhookConfiguration": _webhooks,
    f"{_ADMISSION}/ValidatingAdmissionPolicy": policies.check_validating_policy,
    f"{_ADMISSION}/MutatingAdmissionPolicy": policies.check_mutating_policy,
    f"{_ADMISSION}/ValidatingAdmissionPolicyBinding": policies.check_binding,
    f"{_ADMISSION}/MutatingAdmissionPolicyBinding": policies.check_binding,
    "flowcontrol.apiserver.k8s.io/v1/FlowSchema": flow.check_flow_schema,
    "flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration": flow.check_priority_level,
    "apiextensions.k8s.io/v1/CustomResourceDefinition": definitions.check_definition,
    "scheduling.k8s.io/v1alpha2/PodGroup": gangs.check_pod_group,
    "scheduling.k8s.io/v1alpha2/Workload": gangs.check_workload,
    "resource.k8s.io/v1/ResourceSlice": slices.check_slice,
    "resource.k8s.io/v1/DeviceClass": devices.check_device_class,
    "resource.k8s.io/v1/ResourceClaim": devices.check_claim,
    "resource.k8s.io/v1/ResourceClaimTemplate": devices.check_claim_template,
    "resource.k8s.io/v1beta2/ResourceClaimTemplate": devices.check_claim_template,
    "v1/Pod": _pod,
    "v1/PodTemplate": workloads.check_pod_template,
    "v1/ReplicationController": workloads.check_replication_controller,
    "apps/v1/Deployment": workloads.check_deployment,
    "apps/v1/ReplicaSet": workloads.check_replica_set,
    "apps/v1/StatefulSet": workloads.check_stateful_set,
    "apps/v1/DaemonSet": workloads.check_daemon_set,
    "apps/v1/ControllerRevision": workloads.check_revision,
    "batch/v1/Job": jobs.check_job,
    "batch/v1/CronJob": jobs.check_cron_job,
    "v1/Service": services.check_service_created,
    "v1/ConfigMap": config.check_config_map,
    "v1/Secret": config.check_secret,
    "v1/Namespace": config.check_namespace,
    "v1/ServiceAccount": config.check_service_account,
    "v1/ResourceQuota": quotas.check_resource_quota,
    "v1/LimitRange": quotas.check_limit_range,
    "v1/PersistentVolume": storage.check_volume,
    "v1/PersistentVolumeClaim": storage.check_claim,
    "v1/Endpoints": endpoints.check_endpoints,
    "discovery.k8s.io/v1/EndpointSlice": endpoints.check_endpoint_slice,
    "storage.k8s.io/v1/StorageClass": storage.check_storage_class,
    "storage.k8s.io/v1/CSIDriver": storage.check_csi_driver,
    "storage.k8s.io/v1/VolumeAttributesClass": storage.check_attributes_class,
    "rbac.authorization.k8s.io/v1/Role": rbac.check_role,
    "rbac.authorization.k8s.io/v1/ClusterRole": rbac.check_cluster_role,
    "rbac.authorization.k8s.io/v1/RoleBinding": rbac.check_binding,
    "rbac.authorization.k8s.io/v1/ClusterRoleBinding": rbac.check_binding,
    "autoscaling/v1/HorizontalPodAutoscaler": autoscaling.check_autoscaler,
    "autoscaling/v2/HorizontalPodAutoscaler": autoscaling.check_autoscaler,
    "policy/v1/PodDisruptionBudget": autoscaling.check_disruption_budget,
    "networking.k8s.io/v1/NetworkPolicy": networking.check_network_policy,
    "networking.k8s.io/v1/Ingress": _ingress,
    "networking.k8s.io/v1/IngressClass": networking.check_ingress_class,
    "networking.k8s.io/v1/ServiceCIDR": networking.check_service_cidr,
    "scheduling.k8s.io/v1/PriorityClass": cluster.check_priority_class,
    "node.k8s.io/v1/RuntimeClass": cluster.check_runtime_class,
    "coordination.k8s.io/v1/Lease": cluster.check_lease,
    "apiregistration.k8s.io/v1/APIService": cluster.check_api_service,
}

_UPDATE: dict[str, Check] = {
    "v1/Pod": pods.check_pod,
    "v1/Service": services.check_service,
    "networking.k8s.io/v1/Ingress": networking.check_ingress,
    "batch/v1/CronJob": jobs.check_cron_job_changed,
    "apiextensions.k8s.io/v1/CustomResourceDefinition": definitions.check_definition_changed,
    "apps/v1/StatefulSet": workloads.check_stateful_set_changed,
}
"""Kinds whose rules differ when an object is replaced instead of created."""


_COMPARED_BY_HAND = frozenset(("v1/Pod", "v1/Service", "batch/v1/Job", "discovery.k8s.io/v1/EndpointSlice"))
"""Kinds whose comparisons stand in no table."""
_COMPARED_ONLY = frozenset(
    (
        "scheduling.k8s.io/v1/PriorityClass",
        "networking.k8s.io/v1/ServiceCIDR",
        "resource.k8s.io/v1/ResourceClaim",
    )
)
"""Kinds of which the server looks only at what changed."""
_CHECKED_TWICE = frozenset(("v1/PersistentVolume",))
"""Kinds whose causes the server lists twice."""


def compares(kind: str) -> bool:
    """Whether any rule looks at the object as it was."""
    return kind in _COMPARED_BY_HAND or kind in updates.BEFORE or kind in updates.AFTER


def update(kind: str, new: Mapping[str, Any], old: Mapping[str, Any], report: Report) -> None:
    """All rules for putting `new` in the place of `old`."""
    if kind in _COMPARED_ONLY:
        check_meta_update(new.get("metadata") or {}, old.get("metadata") or {}, report, kube_finalizers=True)
    if kind == "batch/v1/Job":
        pod_updates.check_job_update(new, old, report)
        return
    if kind == "v1/Service":
        new = services.with_addresses(new, old)
        services.check_service_update(new, old, report)
    elif kind in updates.BEFORE:
        updates.BEFORE[kind](new, old, report)
    if kind == "discovery.k8s.io/v1/EndpointSlice":
        endpoints.check_endpoint_slice_changed(new, old, report)
        updates.AFTER[kind](new, old, report)
        return
    check = None if kind in _COMPARED_ONLY else _UPDATE.get(kind) or CREATE.get(kind)
    if check is not None:
        for _ in range(2 if kind in _CHECKED_TWICE else 1):
            check(new, report)
    if kind == "v1/Pod":
        pod_updates.check_pod_update(new, old, report)
    elif kind in updates.AFTER:
        updates.AFTER[kind](new, old, report)
