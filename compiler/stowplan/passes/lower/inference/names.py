"""Names and labels of a service's objects: derived from the intent alone, so that they are equal on every cluster."""

from __future__ import annotations

from hashlib import sha256

from stowplan.model.workload import Workload

__all__ = ["GATEWAY", "GATEWAY_NAMESPACE", "MONITORING_NAMESPACE", "object_name", "selector", "work_labels"]

GATEWAY = "inference"
"""Name of a cluster's one gateway for models."""
GATEWAY_NAMESPACE = "inference-gateway"
"""Namespace of the gateway and its pods; tenants' routes attach from their own."""
MONITORING_NAMESPACE = "monitoring"
"""Namespace that metrics are scraped from."""
_LONGEST = 63


def object_name(intent: str, suffix: str = "") -> str:
    """`INTENT-SUFFIX`, shortened with a digest where it would be longer than a label may be."""
    name = f"{intent}-{suffix}" if suffix else intent
    if len(name) <= _LONGEST:
        return name
    digest = sha256(name.encode()).hexdigest()[:8]
    tail = f"-{digest}-{suffix}" if suffix else f"-{digest}"
    return intent[: _LONGEST - len(tail)].rstrip("-") + tail


def work_labels(workload: Workload) -> dict[str, str]:
    """Labels of every object of a service."""
    return {"stowplan.io/intent": workload.name, "stowplan.io/tenant": workload.tenant}


def selector(workload: Workload, component: str) -> dict[str, str]:
    """Labels that tell one kind of the service's pods (server, picker, prewarm) from all others; never changed."""
    return {"app.kubernetes.io/component": component, "app.kubernetes.io/name": workload.name}
