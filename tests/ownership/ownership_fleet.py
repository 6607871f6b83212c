"""A small rendered fleet for ownership tests: one healthy object of each sort, and a way to add more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stowplan.diagnostics.model import Outcome
from stowplan.ownership.check import OwnershipInput, check_ownership
from stowplan.ownership.ownermap import OwnershipMap
from stowplan.ownership.rendered import ClusterFacts, RenderedObject, SharedField
from stowplan.ownership.typefacts import StructuralTypes, TypeFacts, untyped

TYPES = StructuralTypes(
    {
        "text": {"scalar": "untyped"},
        "map": {"map": {"rel": "separable", "elem": "text"}},
        "container": {"map": {"rel": "separable", "fields": {"name": "text", "image": "text"}, "elem": "text"}},
        "pod": {
            "map": {
                "rel": "separable",
                "fields": {
                    "nodeSelector": {"map": {"rel": "atomic", "elem": "text"}},
                    "containers": {"list": {"rel": "associative", "keys": ["name"], "elem": "container"}},
                },
                "elem": "text",
            }
        },
        "meta": {
            "map": {
                "rel": "separable",
                "fields": {
                    "labels": "map",
                    "annotations": "map",
                    "finalizers": {"list": {"rel": "associative", "elem": "text"}},
                },
                "elem": "text",
            }
        },
        "template": {"map": {"rel": "separable", "fields": {"metadata": "meta", "spec": "pod"}}},
        "spec": {"map": {"rel": "separable", "fields": {"template": "template"}, "elem": "text"}},
        "root": {"map": {"rel": "separable", "fields": {"metadata": "meta", "spec": "spec"}, "elem": "text"}},
    }
)


def types(target: str, api_version: str, kind: str) -> TypeFacts:
    return TYPES.root("root") if api_version in ("apps/v1", "batch/v1") else untyped()


COMPONENTS = {"kueue": "0.19.2", "keda": "2.20.2", "istio": "1.30.1"}
CLUSTERS = {
    "east": ClusterFacts("east", "1.36", COMPONENTS, "argocd", labels={"region": "east"}),
    "west": ClusterFacts("west", "1.36", COMPONENTS, "argocd", labels={"region": "west"}),
    "hub": ClusterFacts("hub", "1.36", {"kueue": "0.19.2"}, "argocd", hub="kueue"),
    "karmada": ClusterFacts("karmada", "1.36", {}, "argocd", hub="karmada"),
}
PLANES = {"traffic": "gateway-api", "network": "cilium", "workloadPlacement.training": "multikueue"}


def rendered(
    target: str,
    api_version: str,
    kind: str,
    name: str,
    body: Mapping[str, Any],
    *,
    namespace: str = "team",
    unit: str = "workloads",
    engine: str = "argocd",
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    workload_class: str = "",
) -> RenderedObject:
    metadata: dict[str, Any] = {"name": name}
    if namespace:
        metadata["namespace"] = namespace
    if labels:
        metadata["labels"] = dict(labels)
    if annotations:
        metadata["annotations"] = dict(annotations)
    data = {"apiVersion": api_version, "kind": kind, "metadata": metadata, **body}
    path = f"rendered/clusters/{target}/{unit}/{kind.lower()}-{namespace}-{name}.yaml"
    return RenderedObject(
        target, unit, path, api_version, kind, namespace, name, data, engine, workload_class=workload_class
    )


def pod(**spec: Any) -> dict[str, Any]:
    return {"template": {"spec": {"containers": [{"name": "app", "image": "registry.example.com/app:1"}], **spec}}}


QUEUE = {"kueue.x-k8s.io/queue-name": "gpu"}


def healthy() -> list[RenderedObject]:
    """A fleet on which the check has nothing to say."""
    return [
        rendered("east", "apps/v1", "Deployment", "web", {"spec": pod()}),
        rendered(
            "east", "autoscaling/v2", "HorizontalPodAutoscaler", "web",
            {"spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}}},
        ),
        rendered("east", "batch/v1", "Job", "train", {"spec": pod()}, labels=QUEUE),
        rendered("west", "apps/v1", "Deployment", "web", {"spec": {"replicas": 2, **pod()}}),
        rendered("west", "gateway.networking.k8s.io/v1", "HTTPRoute", "web", {"spec": {"rules": []}}),
        rendered("hub", "batch/v1", "Job", "gang", {"spec": {"managedBy": "kueue.x-k8s.io/multikueue", **pod()}},
                 labels=QUEUE, workload_class="training"),
        rendered("karmada", "apps/v1", "Deployment", "asr", {"spec": {"replicas": 2, **pod()}},
                 labels={"resourcetemplate.karmada.io/retain-replicas": "true"}),
        rendered("karmada", "autoscaling/v2", "HorizontalPodAutoscaler", "asr",
                 {"spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "asr"}}}),
        policy("asr", "Deployment", "asr", ["east", "west"]),
        policy("asr-scaler", "HorizontalPodAutoscaler", "asr", ["east", "west"], "autoscaling/v2"),
    ]  # fmt: skip


def policy(name: str, kind: str, selected: str, clusters: list[str], api_version: str = "apps/v1") -> RenderedObject:
    return rendered(
        "karmada", "policy.karmada.io/v1alpha1", "PropagationPolicy", name,
        {
            "spec": {
                "resourceSelectors": [{"apiVersion": api_version, "kind": kind, "name": selected}],
                "placement": {"clusterAffinity": {"clusterNames": clusters}},
            }
        },
        unit="policies",
    )  # fmt: skip


def check(
    objects: list[RenderedObject],
    shared: tuple[SharedField, ...] = (),
    planes: Mapping[str, str] = PLANES,
) -> Outcome[OwnershipMap]:
    return check_ownership(OwnershipInput(objects, CLUSTERS, types, shared, planes))
