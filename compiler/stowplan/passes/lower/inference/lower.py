"""Inference services to manifests, cluster by cluster; what Karmada carries is folded into its templates afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from stowplan.diagnostics.model import Diagnostic, Outcome
from stowplan.model.fleet import Fleet
from stowplan.model.manifest import Manifest, Target, Unit
from stowplan.model.plan import PlacementPlan
from stowplan.passes.lower.claims import claim_template
from stowplan.passes.lower.guards import PRUNE_GUARDS
from stowplan.passes.lower.inference.names import (
    GATEWAY,
    GATEWAY_NAMESPACE,
    MONITORING_NAMESPACE,
    selector,
    work_labels,
)
from stowplan.passes.lower.inference.picker import GRPC_PORT, METRICS_PORT, picker_variables
from stowplan.passes.lower.inference.pods import (
    CONTAINER_SECURITY,
    POD_SECURITY,
    WORKER_INDEX,
    argument_origins,
    server_variables,
    start_seconds,
)
from stowplan.passes.lower.inference.prewarm import prewarm
from stowplan.passes.lower.inference.service import Service, service_of
from stowplan.passes.lower.inference.traffic import lower_traffic
from stowplan.passes.lower.targets import cluster_target, karmada_target
from stowplan.source.span import Origin

__all__ = ["lower_inference"]

_PATIENCE_MARGIN_MINUTES = 5

_IDENTITY_BY_PROVIDER = {
    "aws": "eks.amazonaws.com/role-arn",
    "azure": "azure.workload.identity/client-id",
    "gcp": "iam.gke.io/gcp-service-account",
}
_ANY_IDENTITY = "stowplan.io/identity"
_API_PORTS = (443, 6443)
"""Ports that API servers answer on: pods reach them behind a Service, but policies see the real port."""


def lower_inference(fleet: Fleet, plan: PlacementPlan) -> Outcome[tuple[Manifest, ...]]:
    """Servers and what belongs to them, then the clusters' gateways and routes."""
    manifests: list[Manifest] = []
    found: list[Diagnostic] = []
    services: list[Service] = []
    for workload in fleet.workloads:
        placement = plan.placements.get(workload.name)
        if workload.inference is None or placement is None or workload.entity.spec.state != "active":
            continue
        if workload.dispatch == "none":
            continue
        for assignment in placement.assignments:
            service, findings = service_of(fleet, workload, assignment)
            found.extend(findings)
            if service is not None:
                services.append(service)
    patience = _patience(services)
    for service in services:
        objects = _Objects(service, patience)
        manifests.extend(objects.all())
        found.extend(objects.findings)
    traffic = lower_traffic(fleet, services)
    return Outcome((*manifests, *traffic.value), _unique((*found, *traffic.diagnostics)))


def _patience(services: list[Service]) -> int:
    """Minutes that a sync may take: the longest start of any replica, and a margin; one figure, since units are shared."""
    longest = max((start_seconds(service.spec) for service in services), default=0)
    return -(-longest // 60) + _PATIENCE_MARGIN_MINUTES


def _target(service: Service) -> Target:
    """Servers and pickers go into the member's own unit, or to Karmada's API server."""
    karmada = karmada_target(service.fleet) if service.is_karmada else None
    return karmada or cluster_target(service.fleet, service.cluster.name)


def _unique(found: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    return tuple(dict.fromkeys(found))


class _Objects:
    """The manifests of one service in one cluster."""

    def __init__(self, service: Service, patience: int) -> None:
        self.service = service
        self.unit = self._unit(_target(service), patience)
        self.member_unit = self._unit(cluster_target(service.fleet, service.cluster.name), patience)
        self.common = {
            "name": service.name,
            "namespace": service.workload.namespace,
            "labels": work_labels(service.workload),
        }
        self.server = selector(service.workload, "server")
        self.origins = self._origins()
        self.findings: tuple[Diagnostic, ...] = ()

    @staticmethod
    def _unit(target: Target, patience: int) -> Unit:
        return Unit(target, "inference", 2, depends_on=("tenancy",), patience_minutes=patience)

    def all(self) -> Iterator[Manifest]:
        """Everything, in no particular order: the unit is applied as one. `findings` is complete afterwards."""
        service = self.service
        yield self._made("serviceaccount", {**self.common, "account": service.account, "annotations": self._identity()})
        server = "leaderworkerset" if service.nodes > 1 else "deployment"
        yield self._made(server, server_variables(service), origins=argument_origins(service))
        if service.claim is not None:
            size = service.workload.entity.at("replica", "accelerators")
            yield claim_template(service.workload, service.claim, self.member_unit, service.cluster, size=size)
        yield from self._picker()
        yield self._pool()
        yield self._made("poddisruptionbudget", {**self.common, "selector": self.server})
        if service.scale.is_automatic:
            yield self._scaler()
        yield from self._network()
        if service.spec.prewarm:
            variables, self.findings = prewarm(service)
            yield self._made("prewarm", variables)
        if "monitoring.coreos.com/v1" in service.cluster.apis and self._is_served("monitoring.coreos.com/v1"):
            yield self._monitor()

    def _made(
        self,
        template: str,
        variables: Mapping[str, Any],
        *,
        unit: Unit | None = None,
        origins: Mapping[Any, Origin] | None = None,
    ) -> Manifest:
        service = self.service
        is_carried = service.is_karmada and unit is None
        return Manifest(
            unit or self.unit,
            f"inference/{template}",
            variables,
            {**self.origins, **origins} if origins else self.origins,
            f"workload/{service.workload.name}",
            "karmada" if is_carried else "gitops",
            service.cluster.name if is_carried else "",
        )

    def _is_served(self, api: str) -> bool:
        """Whether what carries the service there knows the API."""
        hub = self.service.fleet.spec.hubs.karmada
        return not self.service.is_karmada or (hub is not None and api in hub.apis)

    def _identity(self) -> dict[str, str]:
        cluster = self.service.cluster
        if cluster.spec.identity is None:
            return {}
        return {_IDENTITY_BY_PROVIDER.get(cluster.spec.provider, _ANY_IDENTITY): cluster.spec.identity}

    def _picker(self) -> Iterator[Manifest]:
        variables = picker_variables(self.service, CONTAINER_SECURITY, POD_SECURITY)
        yield self._made("serviceaccount", {**variables, "account": self.service.picker, "annotations": {}})
        for kind in ("config", "deployment", "service", "role", "rolebinding"):
            yield self._made(f"picker_{kind}", variables)

    def _pool(self) -> Manifest:
        """The pool goes with the picker, which is not ready without it; by GitOps where Karmada does not know pools."""
        service = self.service
        chosen = self.server | ({WORKER_INDEX: "0"} if service.nodes > 1 else {})
        variables = {
            **self.common,
            "guards": dict(PRUNE_GUARDS),
            "selector": chosen,
            "port": service.spec.engine.port,
            "picker": service.picker,
            "picker_port": GRPC_PORT,
            "failure_mode": "FailOpen",
        }
        unit = None
        if not self._is_served("inference.networking.k8s.io/v1"):
            unit = self.member_unit
        return self._made("inferencepool", variables, unit=unit)

    def _scaler(self) -> Manifest:
        service = self.service
        api, kind = ("apps/v1", "Deployment")
        if service.nodes > 1:
            api, kind = ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet")
        variables = {
            **self.common,
            "scaled": {"apiVersion": api, "kind": kind, "name": service.name},
            "least": service.scale.replicas,
            "most": service.scale.most,
            "metric": service.scale.metric,
            "target": service.scale.target,
            "settle_seconds": 300,
        }
        return self._made("horizontalpodautoscaler", variables)

    def _network(self) -> Iterator[Manifest]:
        """What the tenant's default denies: the gateway to servers and picker, scrapes, the picker to the API server."""
        service = self.service
        gateway = {
            "gateway_namespace": GATEWAY_NAMESPACE,
            "gateway_name": GATEWAY,
            "monitoring_namespace": MONITORING_NAMESPACE,
        }
        port = service.spec.engine.port
        servers = {
            **self.common,
            **gateway,
            "selector": self.server,
            "policy_types": ["Ingress"],
            "port": port,
            "metrics_port": service.engine.metrics_port or port,
            "api_ports": [],
        }
        yield self._made("networkpolicy", servers)
        pickers = {
            **servers,
            "name": service.picker,
            "selector": selector(service.workload, "picker"),
            "policy_types": ["Ingress", "Egress"],
            "port": GRPC_PORT,
            "metrics_port": METRICS_PORT,
            "api_ports": [{"protocol": "TCP", "port": port} for port in _API_PORTS],
        }
        yield self._made("networkpolicy", pickers)

    def _monitor(self) -> Manifest:
        variables = {
            **self.common,
            "selector": self.server,
            "metrics_port_name": "http",
            "metrics_path": "/metrics",
        }
        return self._made("podmonitor", variables)

    def _origins(self) -> dict[Any, Origin]:
        service = self.service
        entity, cluster = service.workload.entity, service.cluster.entity
        flavor = service.fleet.flavors[service.assignment.flavor]
        return {
            (): entity.origin,
            ("name",): entity.name_origin,
            ("account",): entity.name_origin,
            ("picker",): entity.name_origin,
            ("namespace",): entity.at("namespace") if service.spec.namespace else entity.at("tenant"),
            ("labels", "stowplan.io/tenant"): entity.at("tenant"),
            ("annotations",): cluster.at("identity"),
            ("replicas",): entity.at("regions"),
            ("least",): entity.at("regions"),
            ("most",): entity.at("scaling", "max"),
            ("metric",): entity.at("scaling", "metric"),
            ("target",): entity.at("scaling", "target"),
            ("nodes",): entity.at("replica", "nodes"),
            ("image",): service.image[1],
            ("environment",): entity.at("env"),
            ("port",): entity.at("engine", "port"),
            ("resources",): entity.at("replica"),
            ("claims",): entity.at("replica", "accelerators"),
            ("start_attempts",): entity.at("coldStart", "limit"),
            ("node_selector",): flavor.at("nodeLabels"),
            ("tolerations",): flavor.at("tolerations"),
            ("volumes",): service.model.origin,
            ("mounts",): service.model.origin,
        }
