"""The endpoint picker of a pool: its configuration, arguments, and the objects it runs as."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from stowplan.passes.lower.images import image_reference, mirrored
from stowplan.passes.lower.inference.names import selector, work_labels
from stowplan.passes.lower.inference.service import Service
from stowplan.source.yaml_writer import dumps

__all__ = ["GRPC_PORT", "METRICS_PORT", "picker_variables"]

GRPC_PORT, HEALTH_PORT, METRICS_PORT = 9002, 9003, 9090
OWN_PICKER = "endpoint-picker"
"""Artifact of type image that replaces the known picker, where the fleet has one of that name."""
_LONGEST_GENERATION_SECONDS = 130
"""How long the picker stays when it is stopped: as long as the longest of the pods that it picks."""


def picker_variables(service: Service, security: dict[str, Any], pod_security: dict[str, Any]) -> dict[str, Any]:
    """Variables of all the picker's templates."""
    config = picker_config(service)
    return {
        "name": service.picker,
        "namespace": service.workload.namespace,
        "labels": work_labels(service.workload),
        "selector": selector(service.workload, "picker"),
        "pod_labels": selector(service.workload, "picker") | work_labels(service.workload),
        "config": config,
        "config_digest": sha256(config.encode()).hexdigest()[:16],
        "image": _image(service),
        "arguments": [
            f"--pool-name={service.name}",
            f"--pool-namespace={service.workload.namespace}",
            "--pool-group=inference.networking.k8s.io",
            "--config-file=/config/picker.yaml",
            f"--grpc-port={GRPC_PORT}",
            f"--grpc-health-port={HEALTH_PORT}",
            f"--metrics-port={METRICS_PORT}",
            "--secure-serving=true",
            "--metrics-endpoint-auth=false",
            "--tracing=false",
            "--zap-encoder=json",
        ],
        "grpc_port": GRPC_PORT,
        "health_port": HEALTH_PORT,
        "metrics_port": METRICS_PORT,
        "grace_seconds": _LONGEST_GENERATION_SECONDS,
        "resources": {"limits": {"memory": "2Gi"}, "requests": {"cpu": "1", "memory": "2Gi"}},
        "pod_security": pod_security,
        "container_security": security,
    }


def picker_config(service: Service) -> str:
    """The picker's file: scorers by what the server's metrics tell; by requests in flight where they tell nothing."""
    engine = service.engine.picker_engine
    if engine is None:
        scorers: list[tuple[str, int]] = [("active-request-scorer", 1)]
    else:
        scorers = [("queue-scorer", 2), ("kv-cache-utilization-scorer", 2), ("prefix-cache-scorer", 3)]
    plugins: list[dict[str, Any]] = [{"type": name} for name, _ in scorers]
    if engine is not None and engine != "vllm":
        plugins.append({"type": "core-metrics-extractor", "parameters": {"defaultEngine": engine}})
    config: dict[str, Any] = {"apiVersion": "llm-d.ai/v1alpha1", "kind": "EndpointPickerConfig"}
    if engine is None and service.engine.rewritten != "/v1":
        plugins.append({"type": "passthrough-parser"})
        config["requestHandler"] = {"parsers": [{"pluginRef": "passthrough-parser"}]}
    plugins += [{"type": "max-score-picker"}, {"type": "single-profile-handler"}]
    config["plugins"] = plugins
    chosen = [{"pluginRef": name, "weight": weight} for name, weight in scorers]
    config["schedulingProfiles"] = [{"name": "default", "plugins": [*chosen, {"pluginRef": "max-score-picker"}]}]
    return dumps(config)


def _image(service: Service) -> str:
    own = service.fleet.artifacts.get(OWN_PICKER)
    if own is not None and own.spec.type == "image":
        return image_reference(service.fleet, own, service.cluster)[0]
    return f"{mirrored(service.stack.picker, service.cluster)}@{service.stack.picker_digest}"
