"""Small objects that break no rule, and a way to change one place of them."""

from __future__ import annotations

import copy
from itertools import pairwise
from typing import Any

from stowplan.schema.builtin import normalise_builtin

MINOR = 36
CONTAINER = {"name": "main", "image": "registry.example.com/app:1"}
POD = {"containers": [CONTAINER]}
TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": POD}
SELECTOR = {"matchLabels": {"app": "web"}}
RULE = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}


def _object(kind: str, **members: Any) -> dict[str, Any]:
    version, _, name = kind.rpartition("/")
    meta = {"name": "sample"} if members.pop("cluster", False) else {"name": "sample", "namespace": "team-a"}
    return {"apiVersion": version, "kind": name, "metadata": meta, **members}


def _expressions(*texts: str) -> dict[str, Any]:
    rules = [{"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["deployments"]}]
    return {
        "matchConstraints": {"resourceRules": rules},
        "validations": [{"expression": text} for text in texts],
    }


SAMPLES: dict[str, dict[str, Any]] = {
    "Pod": _object("v1/Pod", spec=POD),
    "Deployment": _object("apps/v1/Deployment", spec={"selector": SELECTOR, "template": TEMPLATE}),
    "StatefulSet": _object(
        "apps/v1/StatefulSet", spec={"selector": SELECTOR, "serviceName": "web", "template": TEMPLATE}
    ),
    "DaemonSet": _object("apps/v1/DaemonSet", spec={"selector": SELECTOR, "template": TEMPLATE}),
    "Job": _object("batch/v1/Job", spec={"template": {"spec": {**POD, "restartPolicy": "Never"}}}),
    "CronJob": _object(
        "batch/v1/CronJob",
        spec={
            "schedule": "*/5 * * * *",
            "jobTemplate": {"spec": {"template": {"spec": {**POD, "restartPolicy": "Never"}}}},
        },
    ),
    "Service": _object("v1/Service", spec={"selector": {"app": "web"}, "ports": [{"port": 80}]}),
    "ConfigMap": _object("v1/ConfigMap", data={"a": "b"}),
    "Secret": _object("v1/Secret", data={"a": "Yg=="}),
    "Namespace": _object("v1/Namespace", cluster=True),
    "ServiceAccount": _object("v1/ServiceAccount"),
    "ResourceQuota": _object("v1/ResourceQuota", spec={"hard": {"pods": "3"}}),
    "LimitRange": _object("v1/LimitRange", spec={"limits": [{"type": "Container", "max": {"cpu": "2"}}]}),
    "Claim": _object(
        "v1/PersistentVolumeClaim",
        spec={"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    ),
    "Role": _object("rbac.authorization.k8s.io/v1/Role", rules=[RULE]),
    "ClusterRole": _object("rbac.authorization.k8s.io/v1/ClusterRole", cluster=True, rules=[RULE]),
    "RoleBinding": _object(
        "rbac.authorization.k8s.io/v1/RoleBinding",
        roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "sample"},
        subjects=[{"kind": "ServiceAccount", "name": "sample", "namespace": "team-a"}],
    ),
    "NetworkPolicy": _object("networking.k8s.io/v1/NetworkPolicy", spec={"podSelector": {}, "ingress": [{}]}),
    "Ingress": _object(
        "networking.k8s.io/v1/Ingress",
        spec={"defaultBackend": {"service": {"name": "web", "port": {"number": 80}}}},
    ),
    "Autoscaler": _object(
        "autoscaling/v2/HorizontalPodAutoscaler",
        spec={
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "maxReplicas": 3,
            "metrics": [
                {
                    "type": "Resource",
                    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}},
                }
            ],
        },
    ),
    "Budget": _object("policy/v1/PodDisruptionBudget", spec={"minAvailable": 1, "selector": SELECTOR}),
    "PriorityClass": _object("scheduling.k8s.io/v1/PriorityClass", cluster=True, value=10),
    "Policy": _object(
        "admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy",
        cluster=True,
        spec=_expressions("object.spec.replicas <= 5"),
    ),
    "Webhook": _object(
        "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration",
        cluster=True,
        webhooks=[
            {
                "name": "a.example.com",
                "admissionReviewVersions": ["v1"],
                "sideEffects": "None",
                "clientConfig": {"url": "https://example.com/check"},
                "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}],
            }
        ],
    ),
    "Definition": {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.org"},
        "spec": {
            "group": "example.org",
            "scope": "Namespaced",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {
                        "openAPIV3Schema": {
                            "type": "object",
                            "properties": {"spec": {"type": "object", "properties": {"n": {"type": "integer"}}}},
                        }
                    },
                }
            ],
        },
    },
}


def changed(sample: str, *edits: tuple[str, Any]) -> dict[str, Any]:
    """The sample with values put at dotted places (numbers are positions); None removes. Defaulted."""
    value = copy.deepcopy(SAMPLES[sample])
    for path, new in edits:
        put(value, path, new)
    return normalise_builtin(value, MINOR)


def put(value: Any, path: str, new: Any) -> None:
    steps: list[Any] = [int(step) if step.isdigit() else step.replace("~", ".") for step in path.split(".")]
    for step, following in pairwise(steps):
        if isinstance(value, list):
            value = value[step]
        else:
            value = value.setdefault(step, [] if isinstance(following, int) else {})
    last = steps[-1]
    if isinstance(value, list) and last == len(value):
        value.append(copy.deepcopy(new))
    elif new is None:
        del value[last]
    else:
        value[last] = copy.deepcopy(new)
