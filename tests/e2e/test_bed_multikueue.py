"""A manager and two workers: a job runs on exactly one worker, the named one where one is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from harness.bed import Bed
from harness.client import Client, Object, reference
from harness.kubelet import set_pods
from harness.kueue import API, connect_worker, wait_active, workload_of
from harness.samples import job, multikueue, queues

WORKERS = ("east", "west")


@dataclass(frozen=True)
class Fleet:
    manager: Client
    workers: dict[str, Client]


@pytest.fixture(scope="module")
def fleet(module_bed: Bed) -> Fleet:
    planes = module_bed.planes("manager", *WORKERS, controller_manager=True)
    module_bed.kueues(list(planes.values()))
    manager = planes["manager"].client()
    workers = {name: planes[name].client() for name in WORKERS}
    for name in WORKERS:
        connect_worker(planes["manager"], planes[name], name)
    for client in workers.values():
        for queue in ("named", "either"):
            _apply(client, queues("h200", name=queue))
    checks = {"named": ("west",), "either": WORKERS}
    for name, clusters in checks.items():
        _apply(manager, multikueue(name, clusters) + queues("h200", name=name, checks=[name]))
    for name in WORKERS:
        wait_active(manager, "MultiKueueCluster", name)
    for name in checks:
        wait_active(manager, "AdmissionCheck", name)
        wait_active(manager, "ClusterQueue", name)
    return Fleet(manager, workers)


def _apply(client: Client, documents: list[Object]) -> None:
    for document in documents:
        client.apply(document)


def _count(name: str) -> Callable[[Object | None], bool]:
    return lambda found: (found or {}).get("status", {}).get(name) == 1


@pytest.mark.parametrize(("queue", "allowed"), [("named", {"west"}), ("either", {"east", "west"})])
def test_a_job_runs_on_exactly_one_worker_and_the_other_copy_goes(fleet: Fleet, queue: str, allowed: set[str]) -> None:
    work = job(f"work-{queue}", "default", queue=queue)
    fleet.manager.apply(work)
    winner, workload = _dispatched(fleet, work)
    assert winner in allowed
    fleet.workers[winner].wait_until(work, _count("active"), what="the worker's job to run")
    loser = fleet.workers[next(name for name in WORKERS if name != winner)]
    loser.wait_until(workload, lambda found: found is None, what="the losing copy to go")
    assert loser.find(work) is None
    assert fleet.manager.list("v1", "Pod", "default", labels=f"job-name=work-{queue}") == []
    # The manager copies a status only when the worker's changes while its own job is no longer suspended: the first
    # change may come too early, so let there be another one.
    stored = fleet.manager.wait_until(work, lambda found: (found or {})["spec"]["suspend"] is False)
    assert stored["spec"]["managedBy"] == "kueue.x-k8s.io/multikueue"
    set_pods(fleet.workers[winner], "default", f"job-name=work-{queue}", "Running")
    fleet.manager.wait_until(work, _count("ready"), what="the worker's status")


def test_a_second_apply_of_a_dispatched_job_changes_nothing(fleet: Fleet) -> None:
    work = job("work-again", "default", queue="named")
    fleet.manager.apply(work)
    assert _dispatched(fleet, work)[0] == "west"
    remote = fleet.workers["west"].wait_until(work, _count("active"))
    stored = fleet.manager.wait_until(work, lambda found: (found or {})["spec"]["suspend"] is False)
    again = fleet.manager.apply(work).object
    assert again["metadata"]["generation"] == stored["metadata"]["generation"]
    assert fleet.workers["west"].get(work)["metadata"]["uid"] == remote["metadata"]["uid"]


def _dispatched(fleet: Fleet, work: Object) -> tuple[str, Object]:
    """The worker that the manager settled on, and what names the Workload on every cluster."""
    found = workload_of(fleet.manager, work)
    workload = reference(API, "Workload", found["metadata"]["name"], "default")
    settled = fleet.manager.wait_until(
        workload, lambda now: bool((now or {}).get("status", {}).get("clusterName")), what="a worker"
    )
    return settled["status"]["clusterName"], workload
