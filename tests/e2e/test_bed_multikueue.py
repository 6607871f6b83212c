"""A manager and two workers: a job runs on exactly one worker, the named one where one is named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from harness.bed import Bed
from harness.client import Client, reference
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


def _apply(client: Client, documents: list[dict[str, Any]]) -> None:
    for document in documents:
        client.apply(document)


def _running(found: dict[str, Any] | None) -> bool:
    return bool((found or {}).get("status", {}).get("active") == 1)


@pytest.mark.parametrize(("queue", "allowed"), [("named", {"west"}), ("either", {"east", "west"})])
def test_a_job_runs_on_exactly_one_worker_and_the_other_copy_goes(fleet: Fleet, queue: str, allowed: set[str]) -> None:
    work = job(f"work-{queue}", "default", queue=queue)
    fleet.manager.apply(work)
    stored = fleet.manager.wait_until(work, _running, timeout=60, what="the status of the worker's job")
    assert stored["spec"]["managedBy"] == "kueue.x-k8s.io/multikueue"
    assert fleet.manager.list("v1", "Pod", "default", labels=f"job-name=work-{queue}") == []
    copies = {name for name, client in fleet.workers.items() if client.find(work) is not None}
    assert len(copies) == 1
    assert copies <= allowed
    (winner,) = copies
    assert _running(fleet.workers[winner].get(work))
    loser = fleet.workers[next(name for name in WORKERS if name != winner)]
    workload = _workload_name(fleet.manager, work)
    loser.wait_until(workload, lambda found: found is None, what="the losing copy to go")
    status = fleet.manager.get(workload)["status"]
    assert status["clusterName"] == winner


def test_a_second_apply_of_a_dispatched_job_changes_nothing(fleet: Fleet) -> None:
    work = job("work-again", "default", queue="named")
    fleet.manager.apply(work)
    fleet.manager.wait_until(work, _running, timeout=60)
    remote = fleet.workers["west"].get(work)
    again = fleet.manager.apply(work).object
    assert again["metadata"]["generation"] == fleet.manager.get(work)["metadata"]["generation"]
    assert fleet.workers["west"].get(work)["metadata"]["uid"] == remote["metadata"]["uid"]


def _workload_name(client: Client, work: dict[str, Any]) -> dict[str, Any]:
    found = workload_of(client, work)
    return reference(API, "Workload", found["metadata"]["name"], "default")
