"""Kueue runs what the compiler rendered: queues turn active, jobs go where the plan says, and stay there."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from harness.bed import Bed
from harness.client import Client, Object, reference
from harness.kueue import API, wait_active, workload_of
from harness.patience import PATIENCE
from harness.samples import QUEUE_LABEL, job, multikueue
from product.live import LiveFleet, live_fleet, wait_queues_active
from product.releases import keeps_order

from stowplan.model.rendered import RenderedObject

JOB_KINDS = ("Job", "JobSet", "TrainJob", "RayJob", "PyTorchJob", "MPIJob")
TENANT = "vision"
ROUND = 300.0
"""Seconds that a manager waits for the first cluster of an ordered set before it asks the next."""
WORKERS = ("eu-west-l40s", "us-east-spot")


@pytest.fixture(scope="module")
def fleet(session_bed: Bed) -> LiveFleet:
    return live_fleet(session_bed)


@pytest.fixture(scope="module")
def either(fleet: LiveFleet) -> Iterator[str]:
    """A queue that may send work to either of two workers, which before Kueue 0.19 the compiler renders no sets for."""
    made = add_set(fleet, "either", WORKERS)
    yield "either"
    for client, documents in made:
        for document in reversed(documents):
            client.delete(document, missing_ok=True)


def add_set(fleet: LiveFleet, name: str, clusters: tuple[str, ...]) -> list[tuple[Client, list[Object]]]:
    """A candidate set beside the rendered ones: its queue on the manager and on each worker."""
    amounts = {"cpu": "1k", "memory": "1Ti", "nvidia.com/gpu": "1k", "pods": "1k"}
    resources = [{"name": key, "nominalQuota": amount} for key, amount in amounts.items()]
    groups = [
        {"coveredResources": [one["name"] for one in resources], "flavors": [{"name": "e2e", "resources": resources}]}
    ]
    check = [one for one in multikueue(name, clusters) if one["kind"] != "MultiKueueCluster"]
    strategy = {"admissionChecks": [{"name": name}]}
    spec = {"namespaceSelector": {}, "resourceGroups": groups, "admissionChecksStrategy": strategy}
    on_manager = [
        reference(API, "ResourceFlavor", "e2e"),
        *check,
        reference(API, "ClusterQueue", name) | {"spec": spec},
        reference(API, "LocalQueue", name, TENANT) | {"spec": {"clusterQueue": name}},
    ]
    made = [(fleet.client("hub"), on_manager)]
    for cluster in clusters:
        queue = reference(API, "LocalQueue", name, TENANT) | {"spec": {"clusterQueue": TENANT}}
        made.append((fleet.client(cluster), [queue]))
    for client, documents in made:
        for document in documents:
            client.apply(document)
    wait_active(fleet.client("hub"), "ClusterQueue", name)
    return made


def accelerator_job(name: str, queue: str, *, pods: int, accelerators: int) -> Object:
    """A Job of so many pods with so many accelerators each."""
    document = job(name, TENANT, queue=queue)
    document["spec"] |= {"parallelism": pods, "completions": pods}
    container = document["spec"]["template"]["spec"]["containers"][0]
    amounts = {"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": str(accelerators)}
    container["resources"] = {"requests": amounts, "limits": {"nvidia.com/gpu": str(accelerators)}}
    return document


def jobs(fleet: LiveFleet) -> list[tuple[RenderedObject, dict[str, Any]]]:
    """The rendered jobs of the manager with their intents in the plan."""
    intents = {entry["name"]: entry for entry in fleet.workspace.plan["workloads"]}
    made = [one for one in fleet.workspace.of_target("hub") if one.kind in JOB_KINDS]
    return [(one, intents[one.object["metadata"]["labels"]["stowplan.io/intent"]]) for one in made]


def admitted(client: Client, work: Object, timeout: float = PATIENCE) -> Object:
    """The Workload of a job once it is admitted."""
    found = workload_of(client, work, timeout)
    return client.wait_until(
        reference(API, "Workload", found["metadata"]["name"], work["metadata"]["namespace"]),
        lambda one: any(
            condition["type"] == "Admitted" and condition["status"] == "True"
            for condition in (one or {}).get("status", {}).get("conditions", [])
        ),
        timeout=timeout,
        what="admission",
    )


@pytest.mark.parametrize("target", ["hub", "eu-west-h200", "eu-west-l40s", "us-east-spot"])
def test_every_queue_turns_active(fleet: LiveFleet, target: str) -> None:
    assert wait_queues_active(fleet, target) == {}


def test_each_intent_runs_on_the_planned_cluster_and_flavor(fleet: LiveFleet) -> None:
    hub = fleet.client("hub")
    assert jobs(fleet)
    for made, intent in jobs(fleet):
        planned = intent["assignments"][0]
        workload = admitted(hub, made.object)
        assert workload["status"]["clusterName"] == planned["cluster"], made.reference
        copies = [name for name in fleet.members if fleet.client(name).find(made.object) is not None]
        assert copies == [planned["cluster"]], made.reference
        remote = admitted(fleet.client(planned["cluster"]), made.object)
        for assignment in remote["status"]["admission"]["podSetAssignments"]:
            assert set(assignment["flavors"].values()) == {planned["flavor"]}, made.reference


def test_gangs_lie_in_one_domain_of_the_planned_level(fleet: LiveFleet) -> None:
    """Kueue's topology assignment of a gang stays within one block, as the plan promised."""
    checked = 0
    for made, intent in jobs(fleet):
        planned = intent["assignments"][0]
        if not planned["domain"]:
            continue
        checked += 1
        workload = admitted(fleet.client(planned["cluster"]), made.object)
        for assignment in workload["status"]["admission"]["podSetAssignments"]:
            nodes = list(_nodes(assignment["topologyAssignment"]))
            assert nodes, made.reference
            blocks = {_block(fleet, planned["cluster"], node) for node in nodes}
            assert len(blocks) == 1, f"{made.reference}: {blocks}"
    assert checked >= 2


def _nodes(assignment: Object) -> Iterator[str]:
    """Names of the nodes of a topology assignment, whose values may share a prefix and a suffix."""
    for part in assignment["slices"]:
        values = part["valuesPerLevel"][-1]
        if "universal" in values:
            yield values["universal"]
        else:
            given = values["individual"]
            yield from (given.get("prefix", "") + root + given.get("suffix", "") for root in given["roots"])


def _block(fleet: LiveFleet, cluster: str, node: str) -> str:
    labels = fleet.client(cluster).get(reference("v1", "Node", node))["metadata"]["labels"]
    assert fleet.workspace.done.fleet is not None
    observed = fleet.workspace.done.fleet.clusters[cluster].observed
    assert observed is not None
    assert observed.topology is not None
    found: str = labels[observed.topology.levels[0].label]
    return found


def test_pods_run_under_what_kueue_put_into_their_template(fleet: LiveFleet) -> None:
    """The flavor's node labels and the plan's accelerators arrive in the pods of every job."""
    for made, intent in jobs(fleet):
        planned = intent["assignments"][0]
        client = fleet.client(planned["cluster"])
        assert fleet.workspace.done.fleet is not None
        wanted = dict(fleet.workspace.done.fleet.flavors[planned["flavor"]].spec.node_labels)
        pods = _pods(client, made, intent)
        assert all(wanted.items() <= pod["spec"].get("nodeSelector", {}).items() for pod in pods), made.reference


def _pods(client: Client, made: RenderedObject, intent: dict[str, Any], timeout: float = PATIENCE) -> list[Object]:
    """The pods of an intent, once they have the accelerators of the plan together."""
    wanted, found = intent["assignments"][0]["accelerators"], 0
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        pods = client.list("v1", "Pod", made.namespace or "", labels=f"stowplan.io/intent={intent['name']}")
        found = sum(_accelerators(pod) for pod in pods)
        if found == wanted:
            return pods
        time.sleep(0.1)
    raise AssertionError(f"{made.reference}: pods with {found} accelerators after {timeout:g} s, not {wanted}")


def _running(client: Client, made: RenderedObject) -> Object:
    """A job once Kueue suspends it no more: what it writes then is no restart."""
    return client.wait_until(
        made.object, lambda one: (one or {}).get("spec", {}).get("suspend") is False, what="to be started"
    )


def _accelerators(pod: Object) -> int:
    return sum(
        int(container.get("resources", {}).get("requests", {}).get("nvidia.com/gpu", "0"))
        for container in pod["spec"]["containers"]
    )


@pytest.mark.parametrize("manager", ["argocd-controller", "kustomize-controller"])
def test_a_second_sync_of_running_jobs_restarts_nothing(fleet: LiveFleet, manager: str) -> None:
    hub = fleet.client("hub")
    for made, intent in jobs(fleet):
        worker = fleet.client(intent["assignments"][0]["cluster"])
        before = (_running(hub, made), _running(worker, made), _pods(worker, made, intent))
        hub.apply(made.object, manager=manager, force=True)
        time.sleep(1)
        after = (hub.get(made.object), worker.get(made.object), _pods(worker, made, intent))
        for one, other in zip(before[:2], after[:2], strict=True):
            assert one["metadata"]["uid"] == other["metadata"]["uid"], made.reference
            assert one["metadata"]["generation"] == other["metadata"]["generation"], made.reference
            assert one["spec"] == other["spec"], made.reference
        assert {pod["metadata"]["uid"] for pod in before[2]} == {pod["metadata"]["uid"] for pod in after[2]}
        if manager != "argocd-controller":
            metadata = {key: made.object["metadata"][key] for key in ("name", "namespace")}
            released = {"apiVersion": made.api_version, "kind": made.kind, "metadata": metadata}
            hub.apply(released, manager=manager)


def test_with_a_set_of_two_exactly_one_worker_runs_the_job(fleet: LiveFleet, either: str) -> None:
    work = accelerator_job("either-runs", either, pods=1, accelerators=1)
    hub = fleet.client("hub")
    hub.apply(work)
    winner = admitted(hub, work)["status"]["clusterName"]
    assert winner in (WORKERS[:1] if keeps_order() else WORKERS)
    (loser,) = set(WORKERS) - {winner}
    fleet.client(winner).wait_until(work, lambda one: (one or {}).get("status", {}).get("active") == 1)
    copy = workload_of(hub, work)
    gone = reference(API, "Workload", copy["metadata"]["name"], TENANT)
    fleet.client(loser).wait_until(gone, lambda one: one is None, what="the losing copy to go")
    assert fleet.client(loser).find(work) is None
    hub.delete(work)
    fleet.client(winner).wait_until(work, lambda one: one is None, what="the copy to go with its job")


def test_a_full_worker_leaves_it_to_the_other(fleet: LiveFleet, either: str) -> None:
    """24 accelerators are more than eu-west-l40s has left for the tenant, and less than us-east-spot has."""
    work = accelerator_job("too-large-for-one", either, pods=4, accelerators=6)
    hub = fleet.client("hub")
    hub.apply(work)
    asked = PATIENCE + (ROUND if keeps_order() else 0)
    assert admitted(hub, work, asked)["status"]["clusterName"] == "us-east-spot"
    hub.delete(work)
    fleet.client("us-east-spot").wait_until(work, lambda one: one is None, what="the copy to go")


def test_a_job_for_a_queue_of_another_tenant_is_not_admitted(fleet: LiveFleet) -> None:
    """The rendered queues take jobs of their tenant's namespaces only."""
    queue = next(
        made
        for made in fleet.workspace.of_target("us-east-spot")
        if made.kind == "ClusterQueue" and made.name != TENANT
    )
    client = fleet.client("us-east-spot")
    stray = reference(API, "LocalQueue", "stray", TENANT) | {"spec": {"clusterQueue": queue.name}}
    client.apply(stray)
    work = accelerator_job("stray", "stray", pods=1, accelerators=1)
    client.apply(work)
    found = client.wait_until(
        workload_of(client, work),
        lambda one: any(c["type"] == "QuotaReserved" for c in (one or {}).get("status", {}).get("conditions", [])),
    )
    told = next(c for c in found["status"]["conditions"] if c["type"] == "QuotaReserved")
    assert (told["status"], "namespace" in told["message"].lower()) == ("False", True), told
    assert work["metadata"]["labels"] == {QUEUE_LABEL: "stray"}
    client.delete(work)
    client.delete(stray)
