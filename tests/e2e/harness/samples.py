"""Small objects that tests of the bed share."""

from __future__ import annotations

from collections.abc import Sequence

from harness.client import Object, reference
from harness.kueue import API

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"


def config_map(name: str, namespace: str, **data: str) -> Object:
    """A ConfigMap."""
    return reference("v1", "ConfigMap", name, namespace) | {"data": data}


def job(name: str, namespace: str, *, queue: str = "", cpu: str = "1") -> Object:
    """A Job of one pod; with a queue, one that Kueue manages."""
    container = {"name": "main", "image": "registry.example.com/work:1", "resources": {"requests": {"cpu": cpu}}}
    pod = {"restartPolicy": "Never", "containers": [container]}
    document = reference("batch/v1", "Job", name, namespace) | {"spec": {"template": {"spec": pod}}}
    if queue:
        document["metadata"]["labels"] = {QUEUE_LABEL: queue}
    return document


def job_set(name: str, namespace: str, *, queue: str = "") -> Object:
    """A JobSet of one Job of one pod, `worker`."""
    template = {"spec": job(name, namespace)["spec"]}
    document = reference("jobset.x-k8s.io/v1alpha2", "JobSet", name, namespace)
    document["metadata"] |= {"labels": {QUEUE_LABEL: queue}} if queue else {}
    document["spec"] = {"replicatedJobs": [{"name": "worker", "replicas": 1, "template": template}]}
    return document


def training_runtime(name: str) -> Object:
    """A ClusterTrainingRuntime of one node."""
    labels = {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
    template = {"metadata": {"labels": labels}, "spec": job("node", "default")["spec"]}
    template["spec"]["template"]["spec"]["containers"][0]["name"] = "node"
    document = reference("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime", name)
    job_template = {"spec": {"replicatedJobs": [{"name": "node", "template": template}]}}
    document["spec"] = {"mlPolicy": {"numNodes": 1}, "template": job_template}
    return document


def train_job(name: str, namespace: str, *, runtime: str, queue: str = "") -> Object:
    """A TrainJob of a ClusterTrainingRuntime."""
    document = reference("trainer.kubeflow.org/v1alpha1", "TrainJob", name, namespace)
    document["metadata"] |= {"labels": {QUEUE_LABEL: queue}} if queue else {}
    document["spec"] = {"runtimeRef": {"name": runtime}}
    return document


def deployment(name: str, namespace: str) -> Object:
    """A Deployment with fields that the server defaults."""
    labels = {"app": name}
    container = {"name": "main", "image": "registry.example.com/web:1", "ports": [{"containerPort": 8080}]}
    spec = {
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
    }
    return reference("apps/v1", "Deployment", name, namespace) | {"spec": spec}


def queues(flavor: str, *, cpu: str = "4", checks: Sequence[str] = (), name: str = "team") -> list[Object]:
    """A flavor, a ClusterQueue of CPUs with it and a LocalQueue in `default`, both queues called `name`."""
    resource = {"name": "cpu", "nominalQuota": cpu}
    group = {"coveredResources": ["cpu"], "flavors": [{"name": flavor, "resources": [resource]}]}
    spec: Object = {"namespaceSelector": {}, "resourceGroups": [group]}
    if checks:
        spec["admissionChecksStrategy"] = {"admissionChecks": [{"name": check} for check in checks]}
    return [
        reference(API, "ResourceFlavor", flavor),
        reference(API, "ClusterQueue", name) | {"spec": spec},
        reference(API, "LocalQueue", name, "default") | {"spec": {"clusterQueue": name}},
    ]


def multikueue(check: str, clusters: Sequence[str]) -> list[Object]:
    """An admission check that dispatches to some clusters, whose kubeconfigs lie in Secrets `multikueue-CLUSTER`."""
    objects = [
        reference(API, "MultiKueueCluster", cluster)
        | {"spec": {"clusterSource": {"kubeConfig": {"location": f"multikueue-{cluster}", "locationType": "Secret"}}}}
        for cluster in clusters
    ]
    parameters = {"apiGroup": "kueue.x-k8s.io", "kind": "MultiKueueConfig", "name": check}
    spec = {"controllerName": "kueue.x-k8s.io/multikueue", "parameters": parameters}
    objects.append(reference(API, "MultiKueueConfig", check) | {"spec": {"clusters": list(clusters)}})
    objects.append(reference(API, "AdmissionCheck", check) | {"spec": spec})
    return objects
