"""The server's pods: resources, command line, environment, volumes, probes, and how long they may take to come and go."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from stowplan.model.inputs.intents import InferenceIntentSpec
from stowplan.model.quantity import QuantityForm, canonical_quantity, format_quantity, parse_duration
from stowplan.passes.lower.inference.names import selector, work_labels
from stowplan.passes.lower.inference.service import Service
from stowplan.passes.lower.kueue.flavors import tolerations
from stowplan.source.span import Origin

__all__ = [
    "CONTAINER_SECURITY",
    "POD_SECURITY",
    "WORKER_INDEX",
    "argument_origins",
    "placement_variables",
    "server_variables",
    "start_seconds",
]

WORKER_INDEX = "leaderworkerset.sigs.k8s.io/worker-index"
"""Label that LeaderWorkerSet puts on a replica's pods: `0` is the one that answers requests."""
DRAIN_SECONDS = 15
"""Time between the decision to stop a pod and its stop signal: gateways and pickers forget it meanwhile."""
_GRACE_SECONDS = 75
"""Drain, then up to 45 s for requests in flight, then a margin."""
_START_PERIOD_SECONDS = 10
_START_LIMIT = "30m"
"""Longest start where the intent says nothing."""
_HOME = "/home/server"
_SHARED_MEMORY_LIMIT = 16 * 2**30

POD_SECURITY: dict[str, Any] = {
    "fsGroup": 65532,
    "runAsGroup": 65532,
    "runAsNonRoot": True,
    "runAsUser": 65532,
    "seccompProfile": {"type": "RuntimeDefault"},
}
"""Nobody's user and group, so that the namespace may be held to the restricted standard."""
CONTAINER_SECURITY: dict[str, Any] = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


def server_variables(service: Service) -> dict[str, Any]:
    """Variables of the server's Deployment or LeaderWorkerSet."""
    spec, workload, engine = service.spec, service.workload, service.engine
    start = start_seconds(spec)
    labels = work_labels(workload)
    mine = selector(workload, "server")
    if service.is_karmada and service.scale.is_automatic:
        labels["resourcetemplate.karmada.io/retain-replicas"] = "true"
    return {
        "name": service.name,
        "namespace": workload.namespace,
        "labels": labels,
        "selector": mine,
        "pod_labels": mine | work_labels(workload),
        "worker_labels": selector(workload, "worker") | work_labels(workload),
        "replicas": None if service.scale.is_automatic else service.scale.replicas,
        "nodes": service.nodes,
        "account": service.account,
        "image": service.image[0],
        "command": list(engine.command),
        "arguments": [a for a, _ in _arguments(service, engine.head if service.nodes > 1 else ())],
        "worker_arguments": [a for a, _ in _arguments(service, engine.member)],
        "environment": _environment(service),
        "port": spec.engine.port,
        "resources": _resources(service),
        "claims": service.claim.of_pod if service.claim is not None else [],
        "alive_path": engine.alive_path,
        "ready_path": engine.ready_path,
        "start_attempts": max(3, -(-start // _START_PERIOD_SECONDS)),
        "progress_seconds": max(600, start + 300),
        "drain_seconds": DRAIN_SECONDS,
        "grace_seconds": _GRACE_SECONDS,
        "mounts": _mounts(service),
        "volumes": _volumes(service),
        "container_security": CONTAINER_SECURITY,
        **placement_variables(service),
    }


def start_seconds(spec: InferenceIntentSpec) -> int:
    """How long a replica may take to be ready."""
    limit = spec.cold_start.limit if spec.cold_start is not None else _START_LIMIT
    return math.ceil(parse_duration(limit))


def placement_variables(service: Service) -> dict[str, Any]:
    """Which nodes: those of the flavor that was chosen."""
    flavor = service.fleet.flavors[service.assignment.flavor].spec
    return {
        "node_selector": dict(sorted(flavor.node_labels.items())),
        "tolerations": [*tolerations(flavor.tolerations), *tolerations(service.spec.tolerations)],
        "pod_security": POD_SECURITY,
    }


def _arguments(service: Service, spread: tuple[str, ...]) -> list[tuple[str, Origin]]:
    """The command line, each argument with the input it follows from; the user's own come last."""
    engine, spec, at = service.engine, service.spec, service.workload.entity.at
    accelerators = service.workload.unit.accelerators * (service.nodes if engine.counts_all_nodes else 1)
    kind = at("engine", "type")
    model = service.model.argument if engine.model is None else f"{engine.model}={service.model.argument}"
    made = [(model, service.model.origin), *((argument, kind) for argument in (*engine.fixed, *service.model.extra))]
    made.append((f"{engine.port}={spec.engine.port}", at("engine", "port")))
    if engine.served_name is not None:
        named = at("servedName") if spec.served_name is not None else at("model")
        made.append((f"{engine.served_name}={spec.served_name or spec.model}", named))
    if engine.parallel is not None:
        made.append((f"{engine.parallel}={accelerators}", at("replica", "accelerators")))
    made += [(argument, at("replica", "nodes")) for argument in spread]
    return [*made, *((argument, at("engine", "args", index)) for index, argument in enumerate(spec.engine.args))]


def argument_origins(service: Service) -> dict[Any, Origin]:
    """Where each argument of the server and of a replica's other nodes came from."""
    head = _arguments(service, service.engine.head if service.nodes > 1 else ())
    found: dict[Any, Origin] = {("arguments", index): origin for index, (_, origin) in enumerate(head)}
    member = _arguments(service, service.engine.member)
    found.update({("worker_arguments", index): origin for index, (_, origin) in enumerate(member)})
    return found


def _environment(service: Service) -> list[dict[str, str]]:
    """A home that can be written and a user's name, for caches; then the intent's own variables, by name."""
    made = {"HOME": _HOME, "USER": "server", **service.spec.env}
    return [{"name": name, "value": value} for name, value in sorted(made.items())]


def _resources(service: Service) -> dict[str, Any]:
    """Devices and memory as requests and limits alike; cores as a request, so that loading may use what is idle."""
    unit, replica = service.workload.unit, service.spec.replica
    if service.nodes == 1:
        cpu = canonical_quantity(replica.cpu, resource_list=True)
        memory = canonical_quantity(replica.memory, resource_list=True)
    else:
        cpu = format_quantity(Fraction(unit.cpu, 1000))
        memory = format_quantity(unit.memory, QuantityForm.BINARY)
    limits = {"memory": memory}
    kind = service.fleet.flavors[service.assignment.flavor].spec.accelerator
    if service.claim is not None:
        return {**service.claim.of_container, "limits": limits, "requests": {"cpu": cpu, **limits}}
    if kind is not None:
        limits[kind.resource] = str(unit.accelerators)
    return {"limits": limits, "requests": {"cpu": cpu, **limits}}


def _mounts(service: Service) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = [
        {"name": "home", "mountPath": _HOME},
        {"name": "shared-memory", "mountPath": "/dev/shm"},
    ]
    if service.model.mount is not None:
        made.append(service.model.mount)
    for secret in service.spec.secrets:
        made.append({"name": f"secret-{secret}", "mountPath": f"/stowplan/secrets/{secret}", "readOnly": True})
    return made


def _volumes(service: Service) -> list[dict[str, Any]]:
    shared = min(_SHARED_MEMORY_LIMIT, max(2**30, service.workload.unit.memory // 8))
    size = format_quantity(shared // 2**20 * 2**20, QuantityForm.BINARY)
    made: list[dict[str, Any]] = [
        {"name": "home", "emptyDir": {}},
        {"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": size}},
    ]
    if service.model.volume is not None:
        made.append(service.model.volume)
    for secret in service.spec.secrets:
        made.append({"name": f"secret-{secret}", "secret": {"secretName": secret, "defaultMode": 420}})
    return made
