"""MultiKueue brings every runtime that Kueue can dispatch to the worker that the plan names, and to no other.

Kueue's adapters are real, and so are the controllers of Job, JobSet and TrainJob. What the operators of PyTorchJob,
MPIJob, RayJob and RayCluster write to status is played on the worker. A LeaderWorkerSet has no status that MultiKueue
brings back.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from harness.bed import Bed
from harness.client import Client, Object, condition, reference
from harness.kubelet import set_pods
from harness.kueue import API
from harness.patience import PATIENCE
from product import dispatching
from product.comparing import Predictor, changes, owner_differences, unforeseen_owners
from product.definitions import served_pack
from product.dispatching import ELASTIC, LOOSE, MANAGER, PIECES, WORKERS, Dispatching, copies, copy_of, submit, workload
from product.foresight import atlas_rows
from product.releases import keeps_order
from product.workspaces import stowplan

from stowplan.model.rendered import RenderedObject
from stowplan.model.runtimes import RUNTIMES
from stowplan.ownership.rendered import ENGINE_MANAGERS
from stowplan.schema.sets import SchemaSet
from stowplan.schemas import shipped_packs

GANGS = ("job", "jobset", "trainjob", "pytorchjob", "mpijob", "rayjob", "raycluster", "leaderworkerset", "pods")
INTENTS = (*(f"gang-{runtime}" for runtime in GANGS), ELASTIC, PIECES, LOOSE)
WITH_PODS = ("gang-job", "gang-jobset", "gang-trainjob", "gang-pods", ELASTIC, PIECES, LOOSE)
"""Intents whose pods are made here: their controllers run, or they are pods."""

MULTIKUEUE = "kueue.x-k8s.io/multikueue"
ORIGIN = "kueue.x-k8s.io/multikueue-origin"
GATE = {"name": "kueue.x-k8s.io/admission"}
GPU = "nvidia.com/gpu"
RUN_POLICY, SPEC = ("spec", "runPolicy"), ("spec",)
HOLDERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Job": SPEC, "JobSet": SPEC, "TrainJob": SPEC, "RayJob": SPEC, "RayCluster": SPEC,
        "PyTorchJob": RUN_POLICY, "MPIJob": RUN_POLICY,
    }
)  # fmt: skip
"""Where a kind keeps `managedBy` and `suspend`; the others have neither."""
NOW = "2026-01-01T00:00:00Z"


@pytest.fixture(scope="module")
def run(module_bed: Bed) -> Dispatching:
    """Manager and workers, with all planned intents submitted."""
    started = dispatching.start(module_bed)
    for intent in INTENTS:
        submit(started, intent)
    return started


def held(found: Object, kind: str) -> Mapping[str, Any]:
    """The part of an object that has `managedBy` and `suspend`."""
    part: Any = found
    for step in HOLDERS[kind]:
        part = part.get(step, {})
    return part  # type: ignore[no-any-return]


def candidates(run: Dispatching, made: RenderedObject) -> list[str]:
    """The clusters of the rendered set behind an object's queue, read from what the manager stores."""
    hub = run.client(MANAGER)
    queue = made.object["metadata"]["labels"]["kueue.x-k8s.io/queue-name"]
    local = hub.get(reference(API, "LocalQueue", queue, made.namespace or ""))
    cluster_queue = hub.get(reference(API, "ClusterQueue", local["spec"]["clusterQueue"]))
    (check,) = cluster_queue["spec"]["admissionChecksStrategy"]["admissionChecks"]
    parameters = hub.get(reference(API, "AdmissionCheck", check["name"]))["spec"]["parameters"]
    found: list[str] = hub.get(reference(API, "MultiKueueConfig", parameters["name"]))["spec"]["clusters"]
    return found


def admitted_on(client: Client, one: Object) -> Object:
    """A Workload, which has the same name everywhere, once it is admitted on another cluster."""
    return client.wait_until(
        dispatching.named(one), lambda one: condition(one, "Admitted").get("status") == "True", what="to be admitted"
    )


def running(run: Dispatching, target: str, made: RenderedObject) -> Object:
    """An object that Kueue does not suspend any more."""
    return run.client(target).wait_until(
        made.object,
        lambda one: one is not None and not held(one, made.kind).get("suspend"),
        what="to be started",
    )


def settle(run: Dispatching) -> None:
    """Wait until every planned intent has been started on the manager and on its worker: Kueue has written what it does."""
    for intent in INTENTS:
        for made in run.jobs[intent]:
            admitted_on(run.client(run.planned(intent)["cluster"]), workload(run.client(MANAGER), made))
            copy_of(run, run.planned(intent)["cluster"], made)
            if made.kind in HOLDERS:
                running(run, MANAGER, made)
                running(run, run.planned(intent)["cluster"], made)
        if intent in WITH_PODS:
            _pods(run, intent)


def test_both_workers_are_in_the_plan(run: Dispatching) -> None:
    """The tests below would prove little if all went to one."""
    assert {run.planned(intent)["cluster"] for intent in INTENTS} == set(WORKERS)
    kinds = {made.kind for intent in INTENTS for made in run.jobs[intent]}
    assert kinds == {*HOLDERS, "LeaderWorkerSet", "Pod"}


def test_what_is_not_tried_here_is_refused_by_name(tmp_path: Path) -> None:
    """Every runtime that the compiler knows is either dispatched below, or MultiKueue cannot dispatch it."""
    given = dispatching.planned_documents()
    tried = {one["spec"]["runtime"] for one in given.values() if "runtime" in one["spec"]}
    assert tried <= set(RUNTIMES)
    assert set(RUNTIMES) - tried == {"VolcanoJob"}
    for runtime in sorted(set(RUNTIMES) - tried):
        refused = copy.deepcopy(given["TrainingIntent/gang-job"])
        refused["metadata"]["name"], refused["spec"]["runtime"] = "refused", runtime
        root = dispatching.written(given | {"TrainingIntent/refused": refused}, tmp_path / runtime)
        told = stowplan(root, "compile", "--quiet", code=1).stderr
        assert "SP2104" in told
        assert runtime in told


@pytest.mark.parametrize("intent", INTENTS)
def test_an_intent_runs_where_its_set_says_and_nowhere_else(run: Dispatching, intent: str) -> None:
    planned = run.planned(intent)
    cluster, (other,) = planned["cluster"], set(WORKERS) - {planned["cluster"]}
    origin = dispatching.configuration(run.live.workspace, MANAGER)["multiKueue"]["origin"]
    for made in run.jobs[intent]:
        assert candidates(run, made) == [cluster]
        mine = workload(run.client(MANAGER), made)
        assert mine["status"]["clusterName"] == cluster
        copied = copy_of(run, cluster, made)
        assert copies(run, made) == [cluster]
        assert copied["metadata"]["labels"][ORIGIN] == origin
        remote = admitted_on(run.client(cluster), mine)
        assert condition(mine, "QuotaReserved")["status"] == condition(remote, "QuotaReserved")["status"] == "True"
        for assignment in remote["status"]["admission"]["podSetAssignments"]:
            assert set(assignment["flavors"].values()) == {planned["flavor"]}
        assert (
            run.client(other).find(reference(API, "Workload", mine["metadata"]["name"], made.namespace or "")) is None
        )
        if made.kind in HOLDERS:
            assert held(running(run, MANAGER, made), made.kind)["managedBy"] == MULTIKUEUE
            assert held(running(run, cluster, made), made.kind).get("managedBy") != MULTIKUEUE
        if made.kind == "Pod":
            assert GATE in run.client(MANAGER).get(made.object)["spec"]["schedulingGates"], (
                "it would run on the manager"
            )
            run.client(cluster).wait_until(
                made.object,
                lambda one: not (one or {}).get("spec", {}).get("schedulingGates"),
                what="to lose its gates",
            )


@pytest.mark.parametrize("intent", [one for one in WITH_PODS if one not in ("gang-pods", LOOSE)])
def test_pods_are_made_on_the_worker_only(run: Dispatching, intent: str) -> None:
    """Of the kinds whose controllers run on manager and workers."""
    (made,) = run.jobs[intent]
    assert all("nodeSelector" in pod["spec"] for pod in _pods(run, intent))
    for target in {MANAGER, *WORKERS} - {run.planned(intent)["cluster"]}:
        labels = f"stowplan.io/intent={intent}"
        assert run.client(target).list("v1", "Pod", made.namespace or "", labels=labels) == []


def _pods(
    run: Dispatching, intent: str, accelerators: int = 0, *, gated: bool = False, timeout: float = PATIENCE
) -> list[Object]:
    """An intent's pods on its worker, once they ask for the plan's accelerators (or so many) and none is gated."""
    planned, namespace = run.planned(intent), run.jobs[intent][0].namespace or ""
    wanted, found = accelerators or planned["accelerators"], 0
    client, labels = run.client(planned["cluster"]), f"stowplan.io/intent={intent}"
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        pods = client.list("v1", "Pod", namespace, labels=labels)
        found = sum(int(c["resources"]["requests"].get(GPU, "0")) for pod in pods for c in pod["spec"]["containers"])
        if found == wanted and (gated or not any(pod["spec"].get("schedulingGates") for pod in pods)):
            return pods
        time.sleep(0.2)
    raise AssertionError(f"{intent}: pods with {found} accelerators after {timeout:g} s, not {wanted}, or gated")


def test_quota_is_reserved_on_both_sides(run: Dispatching) -> None:
    """The manager's queue of a set, and the tenant's queue on its worker, hold what the plan says of both."""
    wanted: dict[tuple[str, str], int] = {}
    for intent in INTENTS:
        planned, tenant = run.planned(intent), run.jobs[intent][0].object["metadata"]["labels"]["stowplan.io/tenant"]
        key = tenant, planned["cluster"]
        wanted[key] = wanted.get(key, 0) + planned["accelerators"]
    assert len(wanted) >= 3
    for (tenant, cluster), amount in wanted.items():
        for target, name in ((MANAGER, f"{tenant}-{cluster}"), (cluster, tenant)):
            queue = reference(API, "ClusterQueue", name)
            run.client(target).wait_until(
                queue,
                lambda one, amount=amount: _reserved(one) == amount,
                what=f"to hold {amount} of {GPU}",
            )


def _reserved(queue: Object | None) -> int:
    rows = (queue or {}).get("status", {}).get("flavorsReservation") or ()
    return sum(int(r["total"]) for flavor in rows for r in flavor["resources"] if r["name"] == GPU)


def test_every_owner_was_foreseen_by_the_atlas(run: Dispatching) -> None:
    settle(run)
    found = []
    rows = atlas_rows(run.live.workspace)
    for made in _stored(run):
        stored = run.client(made.unit.target.name).get(made.object)
        texts = unforeseen_owners(stored, made.unit.target.engine, rows[made.path])
        found += [f"{made.unit.target.name}: {made.reference}: {text}" for text in texts]
    assert not found, "\n".join(found[:60])


def _stored(run: Dispatching) -> Iterator[RenderedObject]:
    for made in run.live.workspace.objects:
        if dispatching.is_delivered(made) or dispatching.is_job(made):
            yield made


def test_live_values_are_the_rendered_ones_but_for_foreseen_writers(run: Dispatching) -> None:
    """Ray's worker groups are one list, in which Kueue changes what the engines are told to ignore."""
    settle(run)
    rows = atlas_rows(run.live.workspace)
    predictors = {target: _predictor(run, target) for target in (MANAGER, *WORKERS)}
    rules = dispatching.ignored(run.live.workspace)
    found = []
    for made in _stored(run):
        stored = run.client(made.unit.target.name).get(made.object)
        wanted = dispatching.with_live_values(rules, run.live.workspace.plain(made), stored)
        found += [
            f"{made.unit.target.name}: {made.reference}: {change}"
            for change in changes(wanted, stored)
            if not (change.added and predictors[made.unit.target.name].foreseen(stored, change, rows[made.path]))
        ]
    assert not found, "\n".join(found[:60])


def _predictor(run: Dispatching, target: str) -> Predictor:
    return Predictor(SchemaSet((served_pack(run.client(target)), *shipped_packs()), 36))


def test_the_engine_owns_of_jobs_what_was_predicted(run: Dispatching) -> None:
    """All but Ray's lists of worker groups: Kueue puts the flavor into them, and owns them from then on."""
    settle(run)
    predictor = _predictor(run, MANAGER)
    found, lost = [], set()
    for intent in INTENTS:
        for made in run.jobs[intent]:
            stored = run.client(MANAGER).get(made.object)
            manager = ENGINE_MANAGERS[made.unit.target.engine][0]
            for text in owner_differences(made.object, stored, manager, predictor):
                if "workerGroupSpecs" in text and text.startswith("-"):
                    lost.add(made.kind)
                else:
                    found.append(f"{made.reference}: {text}")
    assert not found, "\n".join(found[:40])
    assert lost == {"RayJob", "RayCluster"}


@pytest.mark.parametrize("engine", ["argocd", "flux"])
def test_a_second_sync_restarts_nothing(run: Dispatching, engine: str, tmp_path: Path) -> None:
    """By either engine: it gives what its rendered rules ignore the live value, as both do, and forces the rest."""
    hub, manager = run.client(MANAGER), ENGINE_MANAGERS[engine][0]
    given = dispatching.planned_documents()
    given[f"Cluster/{MANAGER}"]["spec"]["delivery"] = {"engine": engine}
    rules = dispatching.ignored(dispatching.compiled(engine, given, tmp_path / engine))
    assert {kind for kind, _, _ in rules} == {"RayJob", "RayCluster"}
    settle(run)
    before = {intent: _state(run, intent) for intent in INTENTS}
    for intent in INTENTS:
        for made in run.jobs[intent]:
            wanted = dispatching.with_live_values(rules, made.object, hub.get(made.object))
            hub.apply(wanted, manager=manager, force=True)
    time.sleep(5)  # what was going to restart would by now
    assert {intent: _state(run, intent) for intent in INTENTS} == before
    if engine != run.jobs["gang-job"][0].unit.target.engine:
        for intent in INTENTS:
            for named in dispatching.names(run.jobs[intent]):
                hub.apply(named, manager=manager)  # it lets go


def _state(run: Dispatching, intent: str) -> list[tuple[str, str, str, int]]:
    """Identity and generation of an intent's objects, Workloads and pods, on the manager and on its worker."""
    found = []
    for target in (MANAGER, run.planned(intent)["cluster"]):
        client = run.client(target)
        namespace = run.jobs[intent][0].namespace or ""
        live = [client.get(made.object) for made in run.jobs[intent]]
        live += client.list("v1", "Pod", namespace, labels=f"stowplan.io/intent={intent}")
        live.append(admitted_on(client, workload(run.client(MANAGER), run.jobs[intent][0])))
        found += [
            (
                target,
                f"{one['kind']}/{one['metadata']['name']}",
                one["metadata"]["uid"],
                one["metadata"].get("generation", 0),
            )
            for one in live
        ]
    return sorted(found)


def test_without_its_ignore_rule_a_second_sync_takes_the_flavor_from_rays_workers(run: Dispatching) -> None:
    """The test of the test above: Kueue writes into the list once, and does not mend it while the job runs."""
    (made,) = submit(run, "either-raycluster")
    hub = run.client(MANAGER)
    mine = workload(hub, made)
    assert _selects_nodes(running(run, MANAGER, made))
    synced = hub.apply(made.object, manager=ENGINE_MANAGERS["argocd"][0], force=True).object
    assert not _selects_nodes(synced)
    _delete(run, (made,), [mine])


def _selects_nodes(cluster: Object) -> bool:
    (workers,) = cluster["spec"]["workerGroupSpecs"]
    return "nodeSelector" in workers["template"]["spec"]


PLAYED: Mapping[str, tuple[str, Object, Object]] = MappingProxyType(
    {
        "PyTorchJob": (
            "training-operator",
            {"conditions": [], "replicaStatuses": {"Master": {"active": 1}, "Worker": {"active": 1}}, "startTime": NOW},
            {"replicaStatuses": {"Master": {"active": 0, "succeeded": 1}, "Worker": {"active": 0, "succeeded": 1}}},
        ),
        "MPIJob": (
            "mpi-operator",
            {"conditions": [], "replicaStatuses": {"Launcher": {"active": 1}, "Worker": {"active": 2}}, "startTime": NOW},
            {"replicaStatuses": {"Launcher": {"active": 0, "succeeded": 1}, "Worker": {"active": 0}}},
        ),
        "RayJob": (
            "kuberay-operator",
            {"jobDeploymentStatus": "Running", "jobStatus": "RUNNING", "jobId": "one", "rayClusterName": "made"},
            {"jobDeploymentStatus": "Complete", "jobStatus": "SUCCEEDED", "endTime": NOW},
        ),
        "RayCluster": ("kuberay-operator", {"state": "ready", "desiredWorkerReplicas": 2, "readyWorkerReplicas": 2}, {}),
    }
)  # fmt: skip
"""Who writes the status of a kind that nobody reconciles here, what while it runs, and what is merged when it ends."""


def _condition(kind: str) -> Object:
    times = {"lastTransitionTime": NOW, "lastUpdateTime": NOW}
    return {"type": kind, "status": "True", "reason": f"Job{kind}", "message": "played", **times}


def _play(client: Client, made: RenderedObject, *, ends: bool) -> None:
    """Write what the operator would: that the job runs, or that it ended well."""
    manager, runs, over = PLAYED[made.kind]
    status = copy.deepcopy(over if ends else runs)
    if made.kind in ("PyTorchJob", "MPIJob"):
        status["conditions"] = [_condition("Running"), *([_condition("Succeeded")] if ends else [])]
    client.patch_status(made.object, status, manager=manager)


def _status_arrives(run: Dispatching, made: RenderedObject, cluster: str, timeout: float = PATIENCE) -> Object:
    """Wait until the manager's status is the worker's, and says something."""
    deadline = time.monotonic() + timeout
    here: Object = {}
    there: Object = {}
    while time.monotonic() < deadline:
        there = _said(run.client(cluster).get(made.object), made.kind)
        here = _said(run.client(MANAGER).get(made.object), made.kind)
        if here == there and here:
            return here
        time.sleep(0.2)
    raise AssertionError(f"{made.reference}: the worker says {there}, the manager {here}")


def _said(found: Object, kind: str) -> Any:
    """An object's status without zeros and empty values, which Kueue's types leave out.

    The trainer 2.2 does not look at `managedBy`: on the manager it writes the counts of a JobSet that nobody runs.
    """
    status = {key: value for key, value in found.get("status", {}).items() if (kind, key) != ("TrainJob", "jobsStatus")}
    if kind == "Pod":  # that the manager's own pod is gated stays there, from some release on
        rows = status.get("conditions", ())
        status["conditions"] = [one for one in rows if one["type"] != "PodScheduled"]
    return _filled(status)


def _filled(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: kept for key, one in value.items() if (kept := _filled(one)) not in (0, "", None, {}, [])}
    return [_filled(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("intent", [one for one in INTENTS if one != "gang-leaderworkerset"])
def test_the_workers_status_comes_back(run: Dispatching, intent: str) -> None:
    cluster = run.planned(intent)["cluster"]
    client = run.client(cluster)
    for made in run.jobs[intent]:
        copy_of(run, cluster, made)
        if made.kind in PLAYED:
            _play(client, made, ends=False)
    if run.jobs[intent][0].kind not in PLAYED:
        set_pods(client, run.jobs[intent][0].namespace or "", f"stowplan.io/intent={intent}", "Running")
    for made in run.jobs[intent]:
        _status_arrives(run, made, cluster)


def test_an_elastic_job_is_resized_where_it_runs(run: Dispatching, tmp_path: Path) -> None:
    """A parallelism changed in the workspace reaches the worker's Job; what runs goes on running.

    The pods that come are not awaited to lose their gates: on a flavor with a topology Kueue 0.17 leaves them gated.
    """
    made = dispatching.planned_documents()
    shards = made[f"BatchIntent/{ELASTIC}"]["spec"]["shards"]
    shards["parallelism"] += 2
    changed = dispatching.compiled("resized", made, tmp_path / "resized")
    cluster, client = run.planned(ELASTIC)["cluster"], run.client(run.planned(ELASTIC)["cluster"])
    (before,) = run.jobs[ELASTIC]
    pods = {pod["metadata"]["uid"] for pod in _pods(run, ELASTIC)}
    uid = client.get(before.object)["metadata"]["uid"]
    (after,) = (one for one in changed.of_target(MANAGER) if one.reference == before.reference)
    assert after.object["spec"]["parallelism"] == shards["parallelism"]
    run.client(MANAGER).apply(after.object, manager="argocd-controller")
    client.wait_until(
        before.object,
        lambda one: (one or {})["spec"]["parallelism"] == shards["parallelism"],
        what="to be resized",
    )
    now = _pods(run, ELASTIC, shards["parallelism"], gated=True)
    assert pods <= {pod["metadata"]["uid"] for pod in now}
    assert client.get(before.object)["metadata"]["uid"] == uid
    assert copies(run, before) == [cluster]


@pytest.mark.parametrize(
    "intent", [one for one in INTENTS if one not in ("gang-leaderworkerset", "gang-raycluster", ELASTIC)]
)
def test_what_ends_on_the_worker_ends_on_the_manager(run: Dispatching, intent: str) -> None:
    """The Workload is finished, the last status stands on the manager, and the worker is rid of the copy."""
    cluster = run.planned(intent)["cluster"]
    client, objects = run.client(cluster), run.jobs[intent]
    workloads = [workload(run.client(MANAGER), made) for made in objects]
    for made in objects:
        if made.kind in PLAYED:
            _play(client, made, ends=True)
    if objects[0].kind not in PLAYED:
        _finish_pods(client, objects[0].namespace or "", intent, objects[0], run)
    for one in workloads:
        run.client(MANAGER).wait_until(
            dispatching.named(one),
            lambda found: condition(found, "Finished").get("status") == "True",
            what="to be finished",
        )
    for named in dispatching.names(objects):
        dispatching.wait_gone(run, cluster, named)
        assert run.client(MANAGER).find(named) is not None


def _finish_pods(client: Client, namespace: str, intent: str, made: RenderedObject, run: Dispatching) -> None:
    """End every pod of an intent well, those that come later too, until its Workload on the manager is finished."""
    named = dispatching.named(workload(run.client(MANAGER), made))
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if condition(run.client(MANAGER).find(named), "Finished").get("status") == "True":
            return
        if client.list("v1", "Pod", namespace, labels=f"stowplan.io/intent={intent}"):
            set_pods(client, namespace, f"stowplan.io/intent={intent}", "Succeeded", count=0)
        time.sleep(0.5)


@pytest.mark.parametrize("runtime", GANGS)
def test_with_a_set_of_two_exactly_one_worker_runs_it_until_it_is_deleted(run: Dispatching, runtime: str) -> None:
    objects = submit(run, f"either-{runtime}")
    hub = run.client(MANAGER)
    mine = [workload(hub, made) for made in objects]
    (winner,) = {one["status"]["clusterName"] for one in mine}
    (loser,) = set(WORKERS) - {winner}
    if keeps_order():
        assert winner == WORKERS[0], "the first of the set has room"
        assert {tuple(one["status"].get("nominatedClusterNames", ())) for one in mine} <= {(), (winner,)}
    for made, one in zip(objects, mine, strict=True):
        assert candidates(run, made) == list(WORKERS)
        copy_of(run, winner, made)
        admitted_on(run.client(winner), one)
        dispatching.wait_gone(run, loser, dispatching.named(one))
        assert copies(run, made) == [winner]
    _delete(run, objects, mine)


ROUND = 300.0
"""Seconds that the manager waits for the cluster it asked before it asks the next."""


@pytest.mark.kueue_only(keeps_order(), reason="before Kueue 0.19 a set of clusters is no order")
def test_the_second_of_a_set_takes_it_once_the_first_is_full(run: Dispatching) -> None:
    """The first's quota holds one gang: the next waits there for a round, and then goes to the second."""
    first, second = WORKERS
    queue = run.client(first).get(reference(API, "ClusterQueue", "either"))
    small = copy.deepcopy(queue["spec"]["resourceGroups"])
    (row,) = (one for one in small[0]["flavors"][0]["resources"] if one["name"] == GPU)
    row["nominalQuota"] = "16"
    named, hub = dispatching.named(queue), run.client(MANAGER)
    run.client(first).patch(named, {"spec": {"resourceGroups": small}})
    fills = submit(run, "either-job")
    filling = workload(hub, fills[0])
    assert filling["status"]["clusterName"] == first
    began = time.monotonic()
    comes = submit(run, "either-jobset")
    late = workload(hub, comes[0], PATIENCE + ROUND)
    assert late["status"]["clusterName"] == second
    assert time.monotonic() - began > ROUND - 10, "it asked the second before the first had its time"
    assert copies(run, comes[0]) == [second]
    _delete(run, comes, [late])
    _delete(run, fills, [filling])
    run.client(first).patch(named, {"spec": {"resourceGroups": queue["spec"]["resourceGroups"]}})


def _delete(run: Dispatching, objects: tuple[RenderedObject, ...], workloads: list[Object]) -> None:
    """Delete an intent's objects on the manager: they go from all clusters, and their Workloads too."""
    for named in dispatching.names(objects):
        run.client(MANAGER).delete(named)
    for named in (*dispatching.names(objects), *map(dispatching.named, workloads)):
        for target in (MANAGER, *WORKERS):
            dispatching.wait_gone(run, target, named)
