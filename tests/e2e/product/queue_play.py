"""Plays generated worlds of queues on a real Kueue, many at once on one control plane, and reads what became of their jobs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

from harness.client import Client, Object, condition
from queue_worlds import Foretold, QueueWorld, gate, shared

API = "kueue.x-k8s.io/v1beta2"
OLD_API = "kueue.x-k8s.io/v1beta1"
"""Has topology assignments as plain lists."""
SECOND = 1.05
"""Times have whole seconds: what is to be in order is made so far apart."""
QUIET, LONG = 3.5, 20.0
"""Without any change for so long everything is at rest: Kueue tries again what it set aside a second after a change.

Longer where something fails to be admitted without end: the others of its queue get their turn only now and then.
"""

APART = 0.15
"""Worlds are let go one after the other: a cycle over many heads takes long enough for others to come in between."""
OFTEN = 1
"""Evictions of one job, beyond which it is evicted without end: whoever comes to rest leaves once in these worlds."""


def play(client: Client, worlds: Sequence[QueueWorld], quiet: float = QUIET) -> dict[str, tuple[Foretold, Foretold]]:
    """What really became of the worlds, by name: before and after one of their jobs ended."""
    each(client.apply, [*shared(), *(part for world in worlds for part in world.parts)])
    each(lambda node: join(client, node), [node for world in worlds for node in world.nodes])
    queues = [queue for world in worlds for queue in world.of_kind("ClusterQueue").values()]
    wait_active(client, queues, "True")
    for number in range(max(len(world.early) for world in worlds)):
        submit(client, [world.early[number] for world in worlds if number < len(world.early)])
        rest(client)
    each(client.apply, [gated(world, queue) for world in worlds for queue in world.of_kind("ClusterQueue").values()])
    wait_active(client, queues, "False")
    for number in range(max(len(world.late) for world in worlds)):
        submit(client, [world.late[number] for world in worlds if number < len(world.late)])
    time.sleep(SECOND)
    for world in worlds:
        client.apply(gate(f"gate-{world.name}", is_placing=world.is_placing))
        time.sleep(APART)
    wait_active(client, queues, "True")
    rest(client, quiet=quiet)
    before = outcomes(client, worlds)
    for world in worlds:
        if world.ending is not None:
            end_job(client, world.ending)
            time.sleep(APART)
    _wait_finished(client, {world.name for world in worlds if world.ending is not None})
    rest(client, quiet=quiet)
    after = outcomes(client, worlds)
    return {world.name: (before[world.name], after[world.name]) for world in worlds}


def end_job(client: Client, job: Object) -> None:
    """The job is done, as its controller would say."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    conditions = [
        {
            "type": kind,
            "status": "True",
            "reason": "CompletionsReached",
            "lastTransitionTime": now,
            "lastProbeTime": now,
        }
        for kind in ("SuccessCriteriaMet", "Complete")
    ]
    done = {"startTime": now, "completionTime": now, "succeeded": job["spec"]["completions"], "conditions": conditions}
    client.patch_status(job, done)


def each(do: Callable[[Any], object], rows: Iterable[Any]) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(do, rows))


def join(client: Client, node: Object) -> None:
    """A node that is ready, as the controllers of nodes would leave it."""
    client.create({key: value for key, value in node.items() if key != "status"})
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "ready"}
    client.patch_status(node, node["status"] | {"conditions": [ready]})
    client.patch(node, {"spec": {"taints": None}})


def gated(world: QueueWorld, queue: Object) -> Object:
    """The queue with a gate that is not there yet."""
    first, gated = queue["spec"]["resourceGroups"]
    flavors = [flavor | {"name": f"gate-{world.name}"} for flavor in gated["flavors"]]
    return queue | {"spec": queue["spec"] | {"resourceGroups": [first, gated | {"flavors": flavors}]}}


def wait_active(client: Client, queues: Iterable[Object], status: str, timeout: float = 60) -> None:
    names = {queue["metadata"]["name"] for queue in queues}
    deadline = time.monotonic() + timeout
    while late := names - {
        queue["metadata"]["name"]
        for queue in client.list(API, "ClusterQueue")
        if condition(queue, "Active").get("status") == status
    }:
        assert time.monotonic() < deadline, f"{sorted(late)} have not Active={status}"
        time.sleep(0.1)


def _wait_finished(client: Client, namespaces: set[str], timeout: float = 60) -> None:
    """Wait for the ended job of each namespace."""
    deadline = time.monotonic() + timeout
    while missing := namespaces - {
        w["metadata"]["namespace"] for w in client.list(API, "Workload") if condition(w, "Finished")
    }:
        assert time.monotonic() < deadline, f"Kueue does not see the end of the jobs in {sorted(missing)}"
        time.sleep(0.1)


def submit(client: Client, jobs: list[Object], timeout: float = 60) -> None:
    """One job of each world, a second after those before; returns when Kueue has made their Workloads."""
    before = len(client.list(API, "Workload"))
    time.sleep(SECOND)
    each(client.create, jobs)
    deadline = time.monotonic() + timeout
    while len(client.list(API, "Workload")) < before + len(jobs):
        assert time.monotonic() < deadline, f"not all of {len(jobs)} jobs have Workloads"
        time.sleep(0.05)


def rest(*clients: Client, often: int = OFTEN, quiet: float = QUIET, timeout: float = 180) -> None:
    """Wait until no Workload changes any more, but for those of worlds that preempt without end."""
    deadline = time.monotonic() + timeout
    last: dict[str, object] = {}
    since: dict[str, float] = {}
    noisy: set[str] = {""}
    while noisy:
        states: dict[str, list[tuple[str, ...]]] = {}
        restless = set()
        for workload in (found for client in clients for found in client.list(API, "Workload")):
            namespace = workload["metadata"]["namespace"]
            states.setdefault(namespace, []).append((workload["metadata"]["uid"], *_standing(workload)))
            if _evictions(workload) > often:
                restless.add(namespace)
        now = time.monotonic()
        for namespace, rows in states.items():
            if last.get(namespace) != sorted(rows):
                last[namespace], since[namespace] = sorted(rows), now
        noisy = {namespace for namespace in states if now - since[namespace] < quiet} - restless
        assert now < deadline, f"{sorted(noisy)} do not come to rest"
        time.sleep(0.25 * len(clients))


def evictions_of(workload: Object) -> list[Object]:
    """Why and how often a Workload was evicted."""
    rows: list[Object] = workload.get("status", {}).get("schedulingStats", {}).get("evictions", [])
    return rows


def _evictions(workload: Object) -> int:
    return sum(row["count"] for row in evictions_of(workload))


def _standing(workload: Object) -> tuple[str, str, str]:
    admission = workload.get("status", {}).get("admission")
    return str(admission), *(str(condition(workload, kind).get("status")) for kind in ("Evicted", "Preempted"))


def outcomes(client: Client, worlds: Sequence[QueueWorld], often: int = OFTEN) -> dict[str, Foretold]:
    found = {world.name: Foretold() for world in worlds}
    for workload in client.list(OLD_API, "Workload"):
        real = found.get(workload["metadata"]["namespace"])
        if real is None:
            continue
        (owner,) = workload["metadata"]["ownerReferences"]
        name, status = owner["name"], workload.get("status", {})
        if condition(workload, "Preempted"):
            real.preempted.add(name)
        real.restless |= _evictions(workload) > often
        if condition(workload, "QuotaReserved").get("status") != "True" or condition(workload, "Finished"):
            continue
        real.pods[name] = {podset["name"]: podset["count"] for podset in workload["spec"]["podSets"]}
        real.checks[name] = {row["name"] for row in status.get("admissionChecks", [])}
        if condition(workload, "Admitted").get("status") == "True":
            real.admitted.add(name)
        for row in status["admission"]["podSetAssignments"]:
            real.flavors.setdefault(name, {})[row["name"]] = dict(row.get("flavors", {}))
            domains = (row.get("topologyAssignment") or {}).get("domains", [])
            if domains:
                counts = {domain["values"][-1]: domain["count"] for domain in domains}
                real.places.setdefault(name, {})[row["name"]] = counts
    return found
