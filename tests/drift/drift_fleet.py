"""A rendered Deployment, queue and Service, and what they look like in a cluster that is as Git wants it."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from stowplan.drift.model import DesiredObject, Difference, DriftReport, LiveCluster
from stowplan.drift.report import DriftFacts, compare
from stowplan.ownership.extract import owned_set
from stowplan.ownership.fieldset import EMPTY
from stowplan.ownership.rendered import ClusterFacts, SharedField
from stowplan.ownership.typefacts import StructuralTypes, TypeFacts, untyped

TYPES = StructuralTypes(
    {
        "text": {"scalar": "untyped"},
        "any": {
            "scalar": "untyped",
            "list": {"rel": "atomic", "elem": "any"},
            "map": {"rel": "separable", "elem": "any"},
        },
        "map": {"map": {"rel": "separable", "elem": "text"}},
        "meta": {
            "map": {
                "rel": "separable",
                "fields": {
                    "labels": "map",
                    "annotations": "map",
                    "finalizers": {"list": {"rel": "associative", "elem": "text"}},
                },
                "elem": "any",
            }
        },
        "env": {"map": {"rel": "separable", "elem": "text"}},
        "container": {
            "map": {
                "rel": "separable",
                "fields": {
                    "name": "text",
                    "image": "text",
                    "env": {"list": {"rel": "associative", "keys": ["name"], "elem": "env"}},
                    "resources": {"map": {"rel": "separable", "elem": "map"}},
                },
                "elem": "any",
            }
        },
        "pod": {
            "map": {
                "rel": "separable",
                "fields": {
                    "containers": {"list": {"rel": "associative", "keys": ["name"], "elem": "container"}},
                    "tolerations": {"list": {"rel": "atomic", "elem": "any"}},
                },
                "elem": "any",
            }
        },
        "template": {"map": {"rel": "separable", "fields": {"metadata": "meta", "spec": "pod"}}},
        "spec": {"map": {"rel": "separable", "fields": {"template": "template"}, "elem": "any"}},
        "root": {
            "map": {
                "rel": "separable",
                "fields": {"apiVersion": "text", "kind": "text", "metadata": "meta", "spec": "spec"},
                "elem": "any",
            }
        },
    }
)


def types(target: str, api_version: str, kind: str) -> TypeFacts:
    return TYPES.root("root") if kind == "Deployment" else untyped()


DEPLOYMENT: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "team", "labels": {"app": "web"}},
    "spec": {
        "replicas": 2,
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {
                "containers": [
                    {
                        "name": "app",
                        "image": "registry.example.com/app:1",
                        "env": [{"name": "MODE", "value": "prod"}],
                        "resources": {"requests": {"cpu": "2", "memory": "1Gi"}},
                    }
                ],
                "tolerations": [{"key": "gpu", "operator": "Exists"}],
            },
        },
    },
}
QUEUE: dict[str, Any] = {
    "apiVersion": "kueue.x-k8s.io/v1beta2",
    "kind": "ClusterQueue",
    "metadata": {"name": "gpu"},
    "spec": {"resourceGroups": [{"flavors": [{"name": "h100", "resources": [{"name": "cpu", "nominalQuota": "12"}]}]}]},
}
SERVICE: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web", "namespace": "team"},
    "spec": {"selector": {"app": "web"}, "ports": [{"port": 80, "protocol": "TCP"}]},
}
RENDERED = (DEPLOYMENT, QUEUE, SERVICE)
FACTS = DriftFacts({"east": ClusterFacts("east", "1.36", {"kueue": "0.19.2", "keda": "2.20.2"}, "argocd")}, types)


def entry(
    manager: str, operation: str, fields: Mapping[str, Any], time: str = "2026-11-01T00:00:00Z", **more: str
) -> Any:
    return {
        "manager": manager,
        "operation": operation,
        "time": time,
        "fieldsType": "FieldsV1",
        "fieldsV1": dict(fields),
        **more,
    }


def live_form(rendered: Mapping[str, Any]) -> dict[str, Any]:
    """What the API server holds after Argo CD applied the object and controllers have seen it."""
    live = copy.deepcopy(dict(rendered))
    facts = types("", rendered["apiVersion"], rendered["kind"])
    owned = owned_set(rendered, facts, EMPTY).to_wire()
    group, _, _ = rendered["apiVersion"].rpartition("/")
    namespace = live["metadata"].get("namespace", "")
    live["metadata"].update(
        uid="11111111-0000-4000-8000-000000000001", resourceVersion="7", generation=1,
        creationTimestamp="2026-11-01T00:00:00Z",
        annotations={"argocd.argoproj.io/tracking-id": f"app:{group}/{live['kind']}:{namespace}/{live['metadata']['name']}"},
        managedFields=[
            entry("argocd-controller", "Apply", owned),
            entry("kube-controller-manager", "Update", {"f:status": {"f:x": {}}}, subresource="status"),
        ],
    )  # fmt: skip
    live["status"] = {"observedGeneration": 1}
    if live["kind"] == "Service":
        live["spec"].update(clusterIP="10.0.0.9", clusterIPs=["10.0.0.9"], type="ClusterIP", sessionAffinity="None")
    return live


def clean_cluster() -> dict[str, dict[str, Any]]:
    """The live objects by kind, to be edited by a test."""
    return {data["kind"]: live_form(data) for data in RENDERED}


def disown(live: dict[str, Any], manager: str, fields: dict[str, Any], operation: str = "Update") -> None:
    """Another manager has written these fields: they leave Argo CD's entry and stand in one of its own."""
    entries = live["metadata"]["managedFields"]
    _subtract(entries[0]["fieldsV1"], fields)
    entries.append(entry(manager, operation, fields, "2026-11-02T00:00:00Z"))


def _subtract(owned: dict[str, Any], fields: dict[str, Any]) -> None:
    for key, inner in fields.items():
        if not inner:
            owned.pop(key, None)
        elif key in owned:
            _subtract(owned[key], inner)


def report_of(objects: list[dict[str, Any]], facts: DriftFacts = FACTS, **more: Any) -> DriftReport:
    desired = {
        "east": [DesiredObject(data, "argocd", "core", f"clusters/east/{data['kind']}.yaml") for data in RENDERED]
    }
    return compare(desired, {"east": LiveCluster("east", tuple(objects), **more)}, facts)


def differences(report: DriftReport) -> list[tuple[str, str, str, str]]:
    return [(d.drift.value, o.title, d.path, d.owner) for o, d in report.differences()]


def only(report: DriftReport) -> Difference:
    ((_, difference),) = report.differences()
    return difference


__all__ = [
    "DEPLOYMENT", "FACTS", "QUEUE", "RENDERED", "SERVICE", "SharedField", "clean_cluster", "differences", "disown",
    "entry", "live_form", "only", "report_of", "types",
]  # fmt: skip
