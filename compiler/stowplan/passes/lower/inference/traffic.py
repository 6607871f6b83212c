"""The way in: one gateway a cluster, one route a service, and what the gateway's implementation needs besides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from stowplan.diagnostics.model import Diagnostic, Label, Outcome, error, warning
from stowplan.model.fleet import Cluster, Fleet
from stowplan.model.manifest import Manifest, Unit
from stowplan.passes.lower.guards import PRUNE_GUARDS
from stowplan.passes.lower.inference.names import GATEWAY, GATEWAY_NAMESPACE, work_labels
from stowplan.passes.lower.inference.service import Service
from stowplan.passes.lower.targets import cluster_target
from stowplan.passes.lower.tenancy import tenancy_unit

__all__ = ["lower_traffic", "traffic_unit"]

_OWNERS = ("gateway-api", "istio")
"""Owners of the plane `traffic` for which gateways and routes are rendered."""
_CERTIFICATE = "inference-gateway-tls"
"""Secret with the gateway's certificate, in its namespace: referred to once the snapshot has it."""
_TIMEOUT = "600s"
"""Longest generation: implementations would cut it after 15 s or 60 s."""
_BAD_PATH = re.compile(r"//|/\.{1,2}(/|\Z)")


def traffic_unit(fleet: Fleet, cluster: str) -> Unit:
    """Gateway and routes of one cluster; after the models, so that nothing is sent where nothing answers."""
    return Unit(cluster_target(fleet, cluster), "traffic", 3, depends_on=("inference",), plane="traffic")


def lower_traffic(fleet: Fleet, services: Iterable[Service]) -> Outcome[tuple[Manifest, ...]]:
    """Gateways and routes of every cluster that serves models."""
    if fleet.spec.planes.traffic not in _OWNERS:
        return Outcome(())
    by_cluster: dict[str, list[Service]] = {}
    for service in services:
        by_cluster.setdefault(service.cluster.name, []).append(service)
    manifests: list[Manifest] = []
    found: list[Diagnostic] = []
    for name in sorted(by_cluster):
        cluster = fleet.clusters[name]
        found.extend(_check_paths(by_cluster[name]))
        found.extend(_check_certificate(cluster))
        manifests.extend(_gateway(fleet, cluster))
        for service in by_cluster[name]:
            manifests.extend(_route(service))
    return Outcome(tuple(manifests), tuple(dict.fromkeys(found)))


def _has_certificate(cluster: Cluster) -> bool:
    secrets = cluster.observed.secrets if cluster.observed is not None else None
    return secrets is not None and f"{GATEWAY_NAMESPACE}/{_CERTIFICATE}" in secrets


def _listener(cluster: Cluster) -> str:
    return "https" if _has_certificate(cluster) else "http"


def _check_certificate(cluster: Cluster) -> Iterator[Diagnostic]:
    """Only where somebody looked for secrets: silence is no finding."""
    secrets = cluster.observed.secrets if cluster.observed is not None else None
    if secrets is not None and not _has_certificate(cluster):
        yield warning(
            "SP0733",
            f"requests to the models of cluster `{cluster.name}` are not encrypted: its gateway has no certificate",
            cluster.entity.at("gateway"),
            "answers on port 80",
            helps=(
                f"create the TLS Secret `{_CERTIFICATE}` in namespace `{GATEWAY_NAMESPACE}`, then take a new snapshot",
            ),
            targets=(cluster.name,),
        )


def _check_paths(services: list[Service]) -> Iterator[Diagnostic]:
    """Paths that are no prefix, and paths of two services on one gateway: the older route would win."""
    taken: dict[str, Service] = {}
    for service in services:
        entity, path = service.workload.entity, service.spec.gateway.path
        if _BAD_PATH.search(path):
            yield error(
                "SP0732",
                f"`{path}` cannot be a path prefix: it has an empty, `.`, or `..` part",
                entity.at("gateway", "path"),
                "not allowed by the Gateway API",
            )
        before = taken.setdefault(path.rstrip("/"), service)
        if before is not service:
            yield error(
                "SP0732",
                f"`{service.workload.name}` and `{before.workload.name}` have one path on the gateway of "
                f"cluster `{service.cluster.name}`",
                entity.at("gateway", "path"),
                "taken already",
                secondary=(Label(before.workload.entity.at("gateway", "path"), "first stated here"),),
                helps=("give each service a path of its own",),
            )


def _gateway(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    gateway = cluster.spec.gateway
    assert gateway is not None
    is_safe = _has_certificate(cluster)
    variables: dict[str, Any] = {
        "name": GATEWAY,
        "namespace": GATEWAY_NAMESPACE,
        "guards": dict(PRUNE_GUARDS),
        "labels": {},
        "class_name": gateway.class_,
        "host": gateway.host,
        "listener": _listener(cluster),
        "port": 443 if is_safe else 80,
        "protocol": "HTTPS" if is_safe else "HTTP",
        "certificate": _CERTIFICATE if is_safe else None,
    }
    entity = cluster.entity
    origins = {
        (): entity.at("gateway"),
        ("class_name",): entity.at("gateway", "class"),
        ("host",): entity.at("gateway", "host"),
    }
    source = f"cluster/{cluster.name}"
    target = cluster_target(fleet, cluster.name)
    yield Manifest(tenancy_unit(target), "components/namespace", variables, origins, source)
    yield Manifest(traffic_unit(fleet, cluster.name), "traffic/gateway", variables, origins, source)


def _route(service: Service) -> Iterator[Manifest]:
    gateway = service.cluster.spec.gateway
    assert gateway is not None
    entity, path = service.workload.entity, service.spec.gateway.path
    namespace = service.workload.namespace
    variables: dict[str, Any] = {
        "name": service.name,
        "namespace": namespace,
        "labels": work_labels(service.workload),
        "gateway_name": GATEWAY,
        "gateway_namespace": GATEWAY_NAMESPACE,
        "listener": _listener(service.cluster),
        "host": gateway.host,
        "rule": service.name,
        "path": path,
        "rewritten": _rewritten(path, service.engine.rewritten),
        "pool": service.name,
        "timeout": _TIMEOUT,
        "service_host": f"{service.picker}.{namespace}.svc.cluster.local",
    }
    origins = {
        (): entity.at("gateway"),
        ("name",): entity.name_origin,
        ("namespace",): entity.at("namespace") if service.spec.namespace else entity.at("tenant"),
        ("host",): service.cluster.entity.at("gateway", "host"),
        ("path",): entity.at("gateway", "path"),
    }
    unit = traffic_unit(service.fleet, service.cluster.name)
    source = f"workload/{service.workload.name}"
    yield Manifest(unit, "traffic/httproute", variables, origins, source)
    if gateway.class_ == "istio":
        companion = {**variables, "name": service.picker}
        yield Manifest(unit, "traffic/destinationrule", companion, origins, source)


def _rewritten(path: str, base: str) -> str | None:
    """What the prefix becomes: the start of the server's own API; None where they are one, or nothing is cut off."""
    stripped = path.rstrip("/")
    return None if stripped in ("", base) else base
