"""Plays generated worlds of a manager and two workers on real Kueues, many at once, and reads what became of their jobs."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence

from harness.client import Client, Object, condition
from manager_worlds import MANAGER, SIDES, WORKERS, ManagerWorld, Told, documents_of, ending_job, shared
from queue_worlds import OPEN, gate

from product.queue_play import APART, API, SECOND, each, end_job, evictions_of, rest, wait_active

Clients = Mapping[str, Client]
_OFTEN = 4
"""Evictions of one Workload, beyond which it goes round without end."""


def share(clients: Clients) -> None:
    """What all worlds share, on every side; returns when the manager's checks are active."""
    for side, client in clients.items():
        each(client.apply, shared(side))
    manager = clients[MANAGER]
    for kind in ("MultiKueueCluster", "AdmissionCheck"):
        for one in shared(MANAGER):
            if one["kind"] == kind:
                manager.wait_until(one, lambda found: condition(found, "Active").get("status") == "True", what="Active")


def play(clients: Clients, worlds: Sequence[ManagerWorld]) -> dict[str, tuple[Told, ...]]:
    """What really became of the worlds, by name: after the early jobs, after the late ones, and after one has ended."""
    last = WORKERS[-1]
    for side, client in clients.items():
        _apply(client, documents_of(worlds, side))
    _close(clients, worlds, (last,), "early")
    for side in SIDES[:-1]:
        wait_active(clients[side], _queues(worlds, side), "True")
    for number in range(max(len(world.early) for world in worlds)):
        _submit(clients, [(w, *w.early[number]) for w in worlds if number < len(w.early)])
        rest(*clients.values(), often=_OFTEN)
    _open(clients, worlds, last, "early")
    told = [_read(clients, worlds)]
    _close(clients, worlds, SIDES, "late")
    for number in range(max(len(world.late) for world in worlds)):
        _submit(clients, [(w, *w.late[number]) for w in worlds if number < len(w.late)])
    time.sleep(SECOND)
    for side in SIDES:
        _open(clients, worlds, side, "late")
    told.append(_read(clients, worlds))
    for world in worlds:
        _end(clients, world, told[-1][world.name])
        time.sleep(APART)
    _wait_ended(clients, worlds)
    rest(*clients.values(), often=_OFTEN)
    told.append(_read(clients, worlds))
    return {world.name: tuple(rows[world.name] for rows in told) for world in worlds}


def race(clients: Clients, world: ManagerWorld) -> Told:
    """All jobs at once, with every side open."""
    _make(clients, world)
    _submit_late(clients, world)
    return _read(clients, [world])[world.name]


def nominations(clients: Clients, world: ManagerWorld) -> tuple[dict[str, list[str]], Told]:
    """The clusters that are asked while the workers are closed, by job; and what becomes of them when the last one opens."""
    last = WORKERS[-1]
    _make(clients, world)
    _close(clients, [world], WORKERS, "round")
    _submit_late(clients, world)
    asked = {
        job: workload["status"].get("nominatedClusterNames", [])
        for (namespace, job), workload in _owned(clients[MANAGER]).items()
        if namespace == world.name
    }
    _open(clients, [world], last, "round")
    return asked, _read(clients, [world])[world.name]


def _apply(client: Client, documents: Iterable[Object]) -> None:
    """Namespaces first: several objects are on their way at the same time."""
    rows = list(documents)
    for is_first in (True, False):
        each(client.apply, [row for row in rows if (row["kind"] == "Namespace") is is_first])


def _make(clients: Clients, world: ManagerWorld) -> None:
    for side, client in clients.items():
        _apply(client, world.parts[side])
        wait_active(client, _queues([world], side), "True")


def _submit_late(clients: Clients, world: ManagerWorld) -> None:
    for side, job in world.late:
        clients[side].create(job)
    rest(*clients.values(), often=_OFTEN)


def _queues(worlds: Sequence[ManagerWorld], side: str) -> list[Object]:
    """Queues that are not stopped."""
    found = [queue for world in worlds for queue in world.of_kind(side, "ClusterQueue").values()]
    return [queue for queue in found if "stopPolicy" not in queue["spec"]]


def _close(clients: Clients, worlds: Sequence[ManagerWorld], sides: Iterable[str], when: str) -> None:
    """Queues with a gate that is not there yet."""
    for side in sides:
        rows = [
            _gated(queue, f"gate-{world.name}-{when}")
            for world in worlds
            for queue in world.of_kind(side, "ClusterQueue").values()
        ]
        each(clients[side].apply, rows)
        wait_active(clients[side], _queues(worlds, side), "False")


def _gated(queue: Object, name: str) -> Object:
    first, gated = queue["spec"]["resourceGroups"]
    flavors = [{**flavor, "name": name} for flavor in gated["flavors"] if flavor["name"] == OPEN]
    return queue | {"spec": queue["spec"] | {"resourceGroups": [first, gated | {"flavors": flavors}]}}


def _open(clients: Clients, worlds: Sequence[ManagerWorld], side: str, when: str) -> None:
    """One world after the other; returns when all is at rest."""
    for world in worlds:
        clients[side].apply(gate(f"gate-{world.name}-{when}", is_placing=False))
        time.sleep(APART)
    wait_active(clients[side], _queues(worlds, side), "True")
    rest(*clients.values(), often=_OFTEN)


def _submit(clients: Clients, rows: Sequence[tuple[ManagerWorld, str, Object]], timeout: float = 60) -> None:
    """One job of each world, a second after those before; returns when Kueue has made their Workloads."""
    time.sleep(SECOND)
    each(lambda row: clients[row[1]].create(row[2]), rows)
    wanted = {(side, world.name, job["metadata"]["name"]) for world, side, job in rows}
    deadline = time.monotonic() + timeout
    sides = sorted({side for side, _, _ in wanted})
    while missing := wanted - {(side, *key) for side in sides for key in _owned(clients[side])}:
        assert time.monotonic() < deadline, f"no Workloads for {sorted(missing)}"
        time.sleep(0.25)


def _owned(client: Client) -> dict[tuple[str, str], Object]:
    """Workloads by namespace and the name of the job that they were made for."""
    found = {}
    for workload in client.list(API, "Workload"):
        for owner in workload["metadata"].get("ownerReferences", ()):
            found[workload["metadata"]["namespace"], owner["name"]] = workload
    return found


def _end(clients: Clients, world: ManagerWorld, told: Told) -> None:
    """The job is done, where it runs."""
    side, job = ending_job(world)
    end_job(clients[told.homes.get(world.ending, side)], job)


def _wait_ended(clients: Clients, worlds: Sequence[ManagerWorld], timeout: float = 60) -> None:
    deadline = time.monotonic() + timeout
    wanted = {(ending_job(world)[0], world.name, world.ending) for world in worlds}
    while True:
        owned = {side: _owned(clients[side]) for side in sorted({side for side, _, _ in wanted})}
        missing = {row for row in wanted if not condition(owned[row[0]].get(row[1:]), "Finished")}
        if not missing:
            return
        assert time.monotonic() < deadline, f"Kueue does not see the end of {sorted(missing)}"
        time.sleep(0.25)


def _read(clients: Clients, worlds: Sequence[ManagerWorld]) -> dict[str, Told]:
    found = {world.name: Told() for world in worlds}
    sent: dict[tuple[str, str], str] = {}
    for (namespace, job), workload in _owned(clients[MANAGER]).items():
        told = found.get(namespace)
        if told is None:
            continue
        sent[namespace, workload["metadata"]["name"]] = job
        reasons = {row["reason"] for row in evictions_of(workload)}
        if "Preempted" in reasons:
            told.preempted.add(job)
        if "AdmissionCheck" in reasons:
            told.returned.add(job)
        told.restless |= sum(row["count"] for row in evictions_of(workload)) > _OFTEN
        if _book(told, MANAGER, job, workload) and workload["status"].get("clusterName"):
            told.homes[job] = workload["status"]["clusterName"]
    for worker in WORKERS:
        for workload in clients[worker].list(API, "Workload"):
            namespace, name = workload["metadata"]["namespace"], workload["metadata"]["name"]
            told, copied = found.get(namespace), sent.get((namespace, name))
            if told is None:
                continue
            if copied is not None:
                told.copies[copied] = (*told.copies.get(copied, ()), worker)
            for owner in workload["metadata"].get("ownerReferences", ()) if copied is None else ():
                copied = owner["name"]
                if any(row["reason"] == "Preempted" for row in evictions_of(workload)):
                    told.preempted.add(copied)
            if copied is not None:
                _book(told, worker, copied, workload)
    return found


def _book(told: Told, side: str, job: str, workload: Object) -> bool:
    """Notes the flavors of what has quota."""
    if condition(workload, "QuotaReserved").get("status") != "True" or condition(workload, "Finished"):
        return False
    rows = workload["status"]["admission"]["podSetAssignments"]
    told.flavors[side][job] = {row["name"]: dict(row.get("flavors", {})) for row in rows}
    return True
