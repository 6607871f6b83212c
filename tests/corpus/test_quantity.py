"""Spellings of quantities, int-or-strings, addresses and times: what a live server stored of each."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from corpus_files import rows, told

from stowplan.schema.builtin import judge_builtin

FILE = "quantity-canonical.jsonl.xz"
MINOR = 36
SHARE = 1

METADATA = {"name": "a", "namespace": "team-a"}
CONTAINER: dict[str, Any] = {"name": "a", "image": "a:1"}
LABELS = {"matchLabels": {"app": "a"}}


def pod(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": METADATA, "spec": {"containers": [CONTAINER], **spec}}


def of(api_version: str, kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": METADATA, "spec": spec}


def slice_of(device: dict[str, Any]) -> dict[str, Any]:
    pool = {"name": "n", "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": "gpu.example.com", "pool": pool, "nodeName": "n", "devices": [{"name": "d", **device}]}
    return of("resource.k8s.io/v1", "ResourceSlice", spec)


def service(**spec: Any) -> dict[str, Any]:
    return of("v1", "Service", {"selector": {"app": "a"}, "ports": [{"port": 80}], **spec})


def slice_endpoints(family: str, value: Any) -> dict[str, Any]:
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": METADATA,
        "addressType": family,
        "endpoints": [{"addresses": [value]}],
        "ports": [],
    }


def deployment(surge: Any) -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [CONTAINER]}}
    strategy = {"rollingUpdate": {"maxSurge": surge, "maxUnavailable": 1}}
    return of("apps/v1", "Deployment", {"selector": LABELS, "template": template, "strategy": strategy})


def autoscaler(value: Any) -> dict[str, Any]:
    target = {"type": "AverageValue", "averageValue": value}
    metric = {"type": "External", "external": {"metric": {"name": "m"}, "target": target}}
    scaled = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}
    return of(
        "autoscaling/v2", "HorizontalPodAutoscaler", {"scaleTargetRef": scaled, "maxReplicas": 3, "metrics": [metric]}
    )


def resources(**values: Any) -> dict[str, Any]:
    return pod(containers=[{**CONTAINER, "resources": values}])


def policy(rule: dict[str, Any]) -> dict[str, Any]:
    return of("networking.k8s.io/v1", "NetworkPolicy", {"podSelector": {}, "ingress": [rule]})


def divisor(value: Any) -> dict[str, Any]:
    reference = {"containerName": "a", "resource": "limits.memory", "divisor": value}
    items = [{"path": "m", "resourceFieldRef": reference}]
    return pod(volumes=[{"name": "v", "downwardAPI": {"items": items}}])


def claim(value: Any) -> dict[str, Any]:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": value}}}
    return of("v1", "PersistentVolumeClaim", spec)


def probe(value: Any) -> dict[str, Any]:
    return pod(containers=[{**CONTAINER, "livenessProbe": {"httpGet": {"port": value}}}])


# The field as the corpus names it, and an object with the spelling in that field.
OBJECTS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "Pod spec.containers[0].resources.requests.cpu": lambda v: resources(requests={"cpu": v}),
    "Pod spec.containers[0].resources.requests.memory": lambda v: resources(requests={"memory": v}),
    "Pod spec.containers[0].resources.limits['nvidia.com/gpu']": lambda v: resources(limits={"nvidia.com/gpu": v}),
    "Pod spec.volumes[0].emptyDir.sizeLimit": lambda v: pod(volumes=[{"name": "v", "emptyDir": {"sizeLimit": v}}]),
    "Pod spec.volumes[0].downwardAPI.items[0].resourceFieldRef.divisor": divisor,
    "ResourceQuota spec.hard['requests.memory']": lambda v: of("v1", "ResourceQuota", {"hard": {"requests.memory": v}}),
    "ResourceQuota spec.hard.pods": lambda v: of("v1", "ResourceQuota", {"hard": {"pods": v}}),
    "HorizontalPodAutoscaler spec.metrics[0].external.target.averageValue": autoscaler,
    "PersistentVolumeClaim spec.resources.requests.storage": claim,
    "LimitRange spec.limits[0].max.memory": lambda v: of(
        "v1", "LimitRange", {"limits": [{"type": "Pod", "max": {"memory": v}}]}
    ),
    "ResourceSlice spec.devices[0].capacity.memory.value": lambda v: slice_of({"capacity": {"memory": {"value": v}}}),
    "PodDisruptionBudget spec.maxUnavailable": lambda v: of(
        "policy/v1", "PodDisruptionBudget", {"selector": LABELS, "maxUnavailable": v}
    ),
    "Deployment spec.strategy.rollingUpdate.maxSurge": deployment,
    "Service spec.ports[0].targetPort": lambda v: service(ports=[{"port": 80, "targetPort": v}]),
    "Pod spec.containers[0].livenessProbe.httpGet.port": probe,
    "NetworkPolicy spec.ingress[0].ports[0].port": lambda v: policy({"ports": [{"port": v}]}),
    "Service spec.externalIPs[0]": lambda v: service(externalIPs=[v]),
    "Pod spec.hostAliases[0].ip": lambda v: pod(hostAliases=[{"ip": v, "hostnames": ["a"]}]),
    "Pod spec.dnsConfig.nameservers[0]": lambda v: pod(dnsConfig={"nameservers": [v]}),
    "EndpointSlice endpoints[0].addresses[0] (IPv4)": lambda v: slice_endpoints("IPv4", v),
    "EndpointSlice endpoints[0].addresses[0] (IPv6)": lambda v: slice_endpoints("IPv6", v),
    "NetworkPolicy spec.ingress[0].from[0].ipBlock.cidr": lambda v: policy({"from": [{"ipBlock": {"cidr": v}}]}),
    "Service spec.loadBalancerSourceRanges[0]": lambda v: service(type="LoadBalancer", loadBalancerSourceRanges=[v]),
    "ServiceCIDR spec.cidrs[0]": lambda v: of("networking.k8s.io/v1", "ServiceCIDR", {"cidrs": [v]}),
    "Lease spec.renewTime (MicroTime)": lambda v: of("coordination.k8s.io/v1", "Lease", {"renewTime": v}),
    "ResourceSlice spec.devices[0].taints[0].timeAdded (Time)": lambda v: slice_of(
        {"taints": [{"key": "a", "effect": "NoSchedule", "timeAdded": v}]}
    ),
    "ConfigMap metadata.creationTimestamp (Time, overwritten)": lambda v: {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {**METADATA, "creationTimestamp": v},
    },
}
STEP = re.compile(r"\['([^']*)'\]|\[(\d+)\]|\.?([^.\[]+)")


def place(field: str) -> list[str | int]:
    """The path in a field's name: what follows the kind, without remarks."""
    path = field.split(" ")[1]
    return [quoted or (int(index) if index else name) for quoted, index, name in STEP.findall(path)]


def look_up(value: Any, path: list[str | int]) -> Any:
    for step in path:
        if isinstance(value, list):
            value = value[int(step)] if int(step) < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


SCHEMA = re.compile(r"custom resource, schema (\{.*\})")


@lru_cache(maxsize=64)
def custom_kind(schema: str) -> Any:
    """A custom kind whose `spec.f` has a schema."""
    from stowplan.schema.crd import PackBuilder
    from stowplan.schema.custom import CustomKind
    from stowplan.schema.engine import Engine

    properties = {"spec": {"type": "object", "properties": {"f": json.loads(schema)}}}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
    }
    names = {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"}
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.org"},
        "spec": {"group": "example.org", "scope": "Namespaced", "names": names, "versions": [version]},
    }
    builder = PackBuilder()
    assert not builder.add(crd)
    pack = builder.pack()
    return CustomKind(pack.kinds[0], pack, Engine(pack.pool, MINOR))


def answer(row: dict[str, Any]) -> tuple[int, Any]:
    """Our code for a row, and what we store in the field."""
    if row["field"] in OBJECTS:
        verdict = judge_builtin(OBJECTS[row["field"]](row["value"]), MINOR, namespace="team-a")
        path = place(row["field"])
    else:
        schema = SCHEMA.fullmatch(row["field"])
        assert schema is not None, row["field"]
        value = {"apiVersion": "example.org/v1", "kind": "Thing", "metadata": METADATA, "spec": {"f": row["value"]}}
        verdict = custom_kind(schema[1]).judge(value)
        path = ["spec", "f"]
    return verdict.code, None if verdict.stored is None else look_up(verdict.stored, path)


def agrees(row: dict[str, Any]) -> str:
    """What is wrong with our answer to a row; nothing when it is the server's."""
    code, mine = answer(row)
    if code != row["code"]:
        return f"code {code} for {row['code']}"
    if code >= 300:
        return ""
    theirs = row.get("stored")
    if "creationTimestamp" in row["field"] or ("timeAdded" in row["field"] and row["value"] is None):
        theirs = None  # the server's own clock
    return "" if mine == theirs and type(mine) is type(theirs) else f"{mine!r} for {theirs!r}"


def test_every_row() -> None:
    total = agreed = 0
    misses, own = [], []
    for row in rows(FILE):
        total += 1
        wrong = agrees(row)
        agreed += not wrong
        if wrong:
            misses.append(f"{row['field']} {row['value']!r}: {wrong}")
        if wrong and row["field"] in OBJECTS and row["code"] != 422:
            own.append(misses[-1])
    told(FILE, agreed, total, SHARE, misses)
    assert not own, "decoding and canonical forms of built-in kinds agree everywhere"
