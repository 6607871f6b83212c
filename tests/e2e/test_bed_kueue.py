"""Kueue of the bed admits jobs, with its webhooks and conversion at work."""

from __future__ import annotations

import pytest
from harness.bed import Bed
from harness.client import ApiError, Client, managed_fields, reference
from harness.kueue import API, wait_active, workload_of
from harness.samples import job, queues


@pytest.fixture(scope="module")
def client(module_bed: Bed) -> Client:
    plane = module_bed.plane("kueue", controller_manager=True)
    client = plane.client()
    module_bed.kueue(plane)
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
    assert again["metadata"]["generation"] == running["metadata"]["generation"]  # its version moves with its status
    assert managed_fields(again)["stowplan-e2e", "Apply", ""] == managed_fields(running)["stowplan-e2e", "Apply", ""]
    assert again["spec"] == running["spec"]
    client.delete(work)


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
