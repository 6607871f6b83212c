"""JobSet's operator and the trainer's make what stands below a job, and Kueue starts and stops it."""

from __future__ import annotations

import pytest
from harness.bed import Bed
from harness.client import Client, managed_fields, reference
from harness.kueue import API, workload_of
from harness.samples import QUEUE_LABEL, job_set, queues, train_job, training_runtime

FRAMEWORKS = ("batch/job", "jobset.x-k8s.io/jobset", "trainer.kubeflow.org/trainjob")


@pytest.fixture(scope="module")
def client(module_bed: Bed) -> Client:
    plane = module_bed.plane("operators", controller_manager=True)
    module_bed.operators(plane, "jobset", "trainer")
    module_bed.kueue(plane, frameworks=FRAMEWORKS)
    client = plane.client()
    for document in [*queues("h200", cpu="8"), training_runtime("plain")]:
        client.apply(document)
    return client


def test_a_job_set_is_admitted_and_its_job_runs(client: Client) -> None:
    work = job_set("set", "default", queue="team")
    assert client.apply(work).object["spec"]["suspend"] is True
    child = reference("batch/v1", "Job", "set-worker-0", "default")
    running = client.wait_until(child, lambda found: (found or {}).get("status", {}).get("active") == 1)
    assert running["metadata"]["labels"]["jobset.sigs.k8s.io/jobset-name"] == "set"
    assert workload_of(client, work)["status"]["admission"]["clusterQueue"] == "team"
    stored = client.get(work)
    assert {("kueue", "Update", ""), ("jobset", "Update", "status")} <= set(managed_fields(stored))
    assert client.apply(work).object["metadata"]["generation"] == stored["metadata"]["generation"]


def test_a_train_job_becomes_a_job_set_and_runs(client: Client) -> None:
    work = train_job("train", "default", runtime="plain", queue="team")
    client.apply(work)
    inner = reference("jobset.x-k8s.io/v1alpha2", "JobSet", "train", "default")
    made = client.wait_until(inner, lambda found: (found or {}).get("spec", {}).get("suspend") is False)
    assert made["metadata"]["labels"] == {QUEUE_LABEL: "team"}
    assert ("trainer", "Apply", "") in managed_fields(made)
    child = reference("batch/v1", "Job", "train-node-0", "default")
    client.wait_until(child, lambda found: (found or {}).get("status", {}).get("active") == 1)
    assert workload_of(client, work)["status"]["admission"]["clusterQueue"] == "team"
    owners = [one["metadata"]["ownerReferences"][0] for one in client.list(API, "Workload", "default")]
    assert [(one["kind"], one["name"]) for one in owners if one["name"] == "train"] == [("TrainJob", "train")]
