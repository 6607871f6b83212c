"""Kueue of the bed admits jobs, with its webhooks and conversion at work."""

from __future__ import annotations

import pytest
from harness.bed import Bed
from harness.client import ApiError, Client, managed_fields, reference
from harness.crds import install_components
from harness.kueue import API, wait_active, workload_of
from harness.samples import QUEUE_LABEL, job, queues

FRAMEWORKS = ("batch/job", "jobset.x-k8s.io/jobset", "trainer.kubeflow.org/trainjob")


@pytest.fixture(scope="module")
def client(module_bed: Bed) -> Client:
    plane = module_bed.plane("kueue", controller_manager=True)
    client = plane.client()
    install_components(client, "jobset", "trainer")
    module_bed.kueue(plane, frameworks=FRAMEWORKS)
    for document in queues("h200", cpu="8"):
        assert client.apply(document).warnings == ()
    return client


def test_queues_turn_active(client: Client) -> None:
    wait_active(client, "ClusterQueue", "team")
    wait_active(client, "LocalQueue", "team", "default")


def test_a_job_is_admitted_to_the_flavor_and_a_second_apply_changes_nothing(client: Client) -> None:
    work = job("admitted", "default", queue="team")
    assert client.apply(work).object["spec"]["suspend"] is True
    running = client.wait_until(work, lambda found: (found or {}).get("status", {}).get("active") == 1)
    assert running["spec"]["suspend"] is False
    admission = workload_of(client, work)["status"]["admission"]
    assert admission["clusterQueue"] == "team"
    assert [one["flavors"] for one in admission["podSetAssignments"]] == [{"cpu": "h200"}]
    assert ("kueue", "Update", "") in managed_fields(running)
    again = client.apply(work).object
    assert again["metadata"]["resourceVersion"] == client.get(work)["metadata"]["resourceVersion"]
    assert again["spec"] == running["spec"]
    client.delete(work)


def test_a_job_set_and_a_train_job_are_admitted(client: Client) -> None:
    pods = job("set", "default")["spec"]["template"]
    job_set = reference("jobset.x-k8s.io/v1alpha2", "JobSet", "set", "default")
    job_set["metadata"]["labels"] = {QUEUE_LABEL: "team"}
    job_set["spec"] = {"replicatedJobs": [{"name": "worker", "replicas": 1, "template": {"spec": {"template": pods}}}]}
    runtime = reference("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime", "plain")
    runtime["metadata"]["labels"] = {"trainer.kubeflow.org/framework": "torch"}
    template = {
        "spec": {"template": pods},
        "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
    }
    job_template = {"spec": {"replicatedJobs": [{"name": "node", "template": template}]}}
    runtime["spec"] = {"mlPolicy": {"numNodes": 1}, "template": job_template}
    train_job = reference("trainer.kubeflow.org/v1alpha1", "TrainJob", "train", "default")
    train_job["metadata"]["labels"] = {QUEUE_LABEL: "team"}
    train_job["spec"] = {"runtimeRef": {"name": "plain"}}
    client.apply(runtime)
    for document in (job_set, train_job):
        client.apply(document)
        client.wait_until(document, lambda found: (found or {})["spec"].get("suspend") is False, what="admission")
        assert workload_of(client, document)["status"]["admission"]["clusterQueue"] == "team"
        client.delete(document)


def test_a_job_over_the_quota_stays_suspended(client: Client) -> None:
    work = job("too-large", "default", queue="team", cpu="9")
    client.apply(work)
    pending = client.wait_until(
        workload_of(client, work),
        lambda found: any(
            one["type"] == "QuotaReserved" for one in (found or {}).get("status", {}).get("conditions", [])
        ),
    )
    assert "admission" not in pending["status"]
    assert client.get(work)["spec"]["suspend"] is True
    client.delete(work)


def test_its_webhooks_refuse_and_its_conversion_answers(client: Client) -> None:
    broken = queues("h200", name="broken")[1]
    broken["spec"]["cohortName"] = "none"
    broken["spec"]["resourceGroups"][0]["coveredResources"] = ["cpu", "memory"]
    with pytest.raises(ApiError, match=r"(?i)resources"):
        client.apply(broken)
    older = client.get(reference("kueue.x-k8s.io/v1beta1", "ClusterQueue", "team"))
    newer = client.get(reference(API, "ClusterQueue", "team"))
    assert older["metadata"]["uid"] == newer["metadata"]["uid"]
    assert older["apiVersion"] == "kueue.x-k8s.io/v1beta1"
