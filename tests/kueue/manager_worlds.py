"""Small worlds of a MultiKueue manager and two workers, made from a seed, and what the model says becomes of their jobs.

A world has its own namespace, flavors, cohorts, and queues; manager, workers, and the checks of the candidate sets are shared.
Every queue of the manager stands on each worker of its set too, with a quota of its own there. All jobs have different
priorities. What clusters do at the same time is a race: so the gates of a world, without which its queues are inactive, are
opened one side after the other, and the model is asked side by side, too.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from queue_worlds import API, GATED, GPU, OPEN, WORLD, Document, _object, gate

from stowplan.kueue.podsets import read_podsets
from stowplan.kueue.scheduling.dispatching import Dispatcher, Hub, Sent
from stowplan.kueue.scheduling.documents import Counting, Documents, ask_of, read_world
from stowplan.kueue.scheduling.release import release_of
from stowplan.kueue.scheduling.scheduler import Scheduler
from stowplan.kueue.scheduling.work import Ask

MANAGER = "manager"
WORKERS = ("east", "west")
SIDES = (MANAGER, *WORKERS)
SETS: Mapping[str, tuple[str, ...]] = {"east": ("east",), "west": ("west",), "either": WORKERS}
MULTIKUEUE = "kueue.x-k8s.io/multikueue"
_MOST = 12
"""Priorities: more than a world has jobs."""


@dataclass(frozen=True)
class ManagerWorld:
    """One world: `parts` by side, in the order in which they are made; jobs by the side that they are submitted to."""

    seed: int
    name: str
    parts: Mapping[str, tuple[Document, ...]]
    early: tuple[tuple[str, Document], ...]
    late: tuple[tuple[str, Document], ...]
    ending: str
    """The job that ends at last, wherever it is."""

    def of_kind(self, side: str, kind: str) -> dict[str, Document]:
        """Objects of one side by name."""
        return {d["metadata"]["name"]: d for d in self.parts[side] if d["kind"] == kind}

    def sets(self) -> dict[str, tuple[str, ...]]:
        """The clusters of each of the manager's queues."""
        found = {}
        for name, queue in self.of_kind(MANAGER, "ClusterQueue").items():
            (row,) = queue["spec"]["admissionChecksStrategy"]["admissionChecks"]
            found[name] = SETS[row["name"]]
        return found


@dataclass
class Told:
    """Where everything is: flavors of what has quota, by side and job; homes and copies of what the manager sends.

    `preempted` are jobs that ever had to leave where they were submitted, `returned` those that a worker sent back.
    """

    flavors: dict[str, dict[str, dict[str, dict[str, str]]]] = field(default_factory=lambda: {s: {} for s in SIDES})
    homes: dict[str, str] = field(default_factory=dict)
    copies: dict[str, tuple[str, ...]] = field(default_factory=dict)
    preempted: set[str] = field(default_factory=set)
    returned: set[str] = field(default_factory=set)
    restless: bool = False


def shared(side: str) -> list[Document]:
    """Objects that all worlds share on one side; Secrets of the workers are not among them."""
    made = [
        {"apiVersion": API, "kind": "WorkloadPriorityClass", "metadata": {"name": f"p{number}"}, "value": number * 100}
        for number in range(1, _MOST + 1)
    ]
    made.append(gate(OPEN, is_placing=False))
    if side == MANAGER:
        for worker in WORKERS:
            source = {"kubeConfig": {"location": f"multikueue-{worker}", "locationType": "Secret"}}
            made.append(_object("MultiKueueCluster", worker, {"clusterSource": source}))
        for name, clusters in SETS.items():
            made.append(_object("MultiKueueConfig", name, {"clusters": list(clusters)}))
            parameters = {"apiGroup": "kueue.x-k8s.io", "kind": "MultiKueueConfig", "name": name}
            made.append(_object("AdmissionCheck", name, {"controllerName": MULTIKUEUE, "parameters": parameters}))
    return made


def make_manager_world(seed: int, *, again: bool = False) -> ManagerWorld:
    """The world of a seed; `again` has other names."""
    return _Maker(seed, "again-" if again else "").make()


def roomy_world(name: str, jobs: int) -> ManagerWorld:
    """One queue whose work may go to either worker, and room for all of it on each."""
    made = _Maker(0, "")
    made.name, made.flavors = name, [f"{name}-x"]
    queue = f"{name}-q"
    parts = {}
    for side in SIDES:
        rows = [{"name": resource, "nominalQuota": str(3 * jobs)} for resource in ("cpu", GPU)]
        groups = [
            {"coveredResources": ["cpu", GPU], "flavors": [{"name": made.flavors[0], "resources": rows}]},
            {
                "coveredResources": [GATED],
                "flavors": [{"name": OPEN, "resources": [{"name": GATED, "nominalQuota": "0"}]}],
            },
        ]
        spec: Document = {"namespaceSelector": {}, "resourceGroups": groups}
        if side == MANAGER:
            spec["admissionChecksStrategy"] = {"admissionChecks": [{"name": "either"}]}
        parts[side] = (
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}},
            _object("ResourceFlavor", made.flavors[0], {"nodeLabels": {WORLD: made.flavors[0]}}),
            _object("ClusterQueue", queue, spec),
            _object("LocalQueue", queue, {"clusterQueue": queue}, name),
        )  # fmt: skip
    late = tuple(made._job(f"l{number}", [queue], {queue: "either"}, direct=0, urgent=0) for number in range(jobs))
    return ManagerWorld(0, name, parts, (), late, "")


class _Maker:
    def __init__(self, seed: int, prefix: str) -> None:
        self.chance = random.Random(f"manager-{seed}")
        self.seed, self.name = seed, f"{prefix}m{seed}"
        self.flavors = [f"{self.name}-{letter}" for letter in "xy"[: self.chance.choice([1, 1, 2])]]
        half = _MOST // 2
        self.low, self.high = (
            self.chance.sample(rows, half) for rows in (range(1, half + 1), range(half + 1, _MOST + 1))
        )

    def make(self) -> ManagerWorld:
        count = self.chance.choice([1, 2, 2, 3])
        names = [f"{self.name}-q{number}" for number in range(count)]
        chosen = {name: self.chance.choice(["east", "west", "either", "either", "either"]) for name in names}
        parts = {}
        for side in SIDES:
            mine = [name for name in names if side == MANAGER or side in SETS[chosen[name]]]
            parts[side] = tuple(self._parts(side, mine, chosen))
        early, late = [], []
        for number in range(self.chance.choice([2, 2, 3])):
            early.append(self._job(f"e{number}", names, chosen, direct=0.35, urgent=0.1))
        for number in range(self.chance.choice([2, 3, 3])):
            late.append(self._job(f"l{number}", names, chosen, direct=0.15, urgent=0.8))
        ending = self.chance.choice([job["metadata"]["name"] for _, job in early])
        return ManagerWorld(self.seed, self.name, parts, tuple(early), tuple(late), ending)

    def _parts(self, side: str, names: Sequence[str], chosen: Mapping[str, str]) -> Iterator[Document]:
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.name}}
        for flavor in self.flavors:
            yield _object("ResourceFlavor", flavor, {"nodeLabels": {WORLD: flavor}})
        cohort = f"{self.name}-all" if self.chance.random() < 0.6 else None
        if cohort is not None and self.chance.random() < 0.3:
            yield _object("Cohort", cohort, {"resourceGroups": [self._group(side, limits=False, scale=0.5)]})
        for name in names:
            yield self._queue(side, name, cohort, chosen[name] if side == MANAGER else None)
        for name in names:
            yield _object("LocalQueue", name, {"clusterQueue": name}, self.name)

    def _group(self, side: str, *, limits: bool, scale: float = 1) -> Document:
        flavors = []
        for flavor in self.flavors:
            rows = []
            for resource, amounts in (("cpu", (2, 2, 3, 4)), (GPU, (1, 2, 3))):
                more = self.chance.choice([1, 1.5, 2]) if side == MANAGER else self.chance.choice([0.5, 1, 1])
                row: Document = {"name": resource, "nominalQuota": str(int(self.chance.choice(amounts) * scale * more))}
                if limits and self.chance.random() < 0.2:
                    row["borrowingLimit"] = str(self.chance.choice([0, 1, 2]))
                rows.append(row)
            flavors.append({"name": flavor, "resources": rows})
        return {"coveredResources": ["cpu", GPU], "flavors": flavors}

    def _queue(self, side: str, name: str, cohort: str | None, check: str | None) -> Document:
        gated = {"name": OPEN, "resources": [{"name": GATED, "nominalQuota": "0"}]}
        groups = [self._group(side, limits=cohort is not None), {"coveredResources": [GATED], "flavors": [gated]}]
        within = self.chance.choice(["Never", "LowerPriority", "LowerPriority"])
        reclaim = self.chance.choice(["Never", "LowerPriority", "Any"]) if cohort is not None else "Never"
        spec: Document = {
            "namespaceSelector": {}, "resourceGroups": groups,
            "preemption": {"withinClusterQueue": within, "reclaimWithinCohort": reclaim},
            "queueingStrategy": self.chance.choice(["BestEffortFIFO"] * 5 + ["StrictFIFO"]),
        }  # fmt: skip
        if cohort is not None:
            spec["cohortName"] = cohort
        if check is not None:
            spec["admissionChecksStrategy"] = {"admissionChecks": [{"name": check}]}
        if self.chance.random() < 0.08:
            spec["stopPolicy"] = "Hold"
        return _object("ClusterQueue", name, spec)

    def _job(
        self, name: str, names: Sequence[str], chosen: Mapping[str, str], *, direct: float, urgent: float
    ) -> tuple[str, Document]:
        """A job that the manager sends, or one that is started on a worker."""
        priority = (self.high if self.chance.random() < urgent else self.low).pop()
        queue = self.chance.choice(names)
        side = self.chance.choice(SETS[chosen[queue]]) if self.chance.random() < direct else MANAGER
        pods = self.chance.choice([1, 1, 2, 3])
        requests = {"cpu": self.chance.choice(["500m", "1", "1", "2"])}
        container: Document = {
            "name": "main",
            "image": "registry.example.com/work:1",
            "resources": {"requests": requests},
        }
        if self.chance.random() < 0.6:
            requests[GPU] = "1"
            container["resources"]["limits"] = {GPU: "1"}
        template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
        made = _object(
            "Job", name, {"parallelism": pods, "completions": pods, "template": template}, self.name, "batch/v1"
        )
        made["metadata"]["labels"] = {
            "kueue.x-k8s.io/queue-name": queue, "kueue.x-k8s.io/priority-class": f"p{priority}",
        }  # fmt: skip
        if side == MANAGER:
            made["spec"]["managedBy"] = MULTIKUEUE
        return side, made


@dataclass
class _Stage:
    """The model of a world's three API servers."""

    world: ManagerWorld
    hub: Hub
    direct: set[str] = field(default_factory=set)

    def close(self, *sides: str) -> None:
        for side in sides:
            for queue in self.hub.sides[side].world.queues.values():
                if queue.stopped is None:
                    queue.stopped = "gate"

    def open(self, *sides: str) -> None:
        for side in sides:
            scheduler = self.hub.sides[side]
            for queue in scheduler.world.queues.values():
                if queue.stopped == "gate":
                    queue.stopped = None
            scheduler.retry()
            self.hub.wake(side)
        self.hub.settle()

    def submit(self, side: str, job: Document, created: int) -> None:
        ask = _ask(job, created)
        if side != MANAGER:
            self.direct.add(ask.name)
            self.hub.submit(side, ask)
            return
        clusters = self.world.sets()[ask.queue]
        self.hub.dispatch(Sent(ask, {name: _ask(job, created) for name in clusters}))

    def told(self) -> Told:
        hub = self.hub
        found = Told(restless=any(scheduler.restless for scheduler in hub.sides.values()))
        for side, scheduler in hub.sides.items():
            for name, made in scheduler.admitted.items():
                if name in scheduler.world.held:
                    found.flavors[side][name] = {
                        podset.ask.name: {resource: chosen.flavor for resource, chosen in podset.flavors.items()}
                        for podset in made.podsets
                    }
        found.homes = {name: sent.home for name, sent in hub.sent.items() if sent.home is not None}
        for name, sent in hub.sent.items():
            clusters = (sent.home,) if sent.home is not None else sent.asked
            if clusters:
                found.copies[name] = tuple(sorted(clusters))
        found.preempted = {
            row.name
            for side, scheduler in hub.sides.items()
            for row in scheduler.evictions
            if side == MANAGER or row.name in self.direct
        }
        found.returned = {row.name for row in hub.returns}
        return found


def _ask(job: Document, created: int) -> Ask:
    labels = job["metadata"]["labels"]
    priority = 100 * int(labels["kueue.x-k8s.io/priority-class"].removeprefix("p"))
    podsets = read_podsets(job["kind"], job)
    queue = labels["kueue.x-k8s.io/queue-name"]
    return ask_of(job["metadata"]["name"], queue, podsets, Counting(), priority=priority, created=created)


def stage_of(
    world: ManagerWorld,
    dispatcher: Dispatcher,
    choose: Callable[[str, Sequence[str]], str] | None = None,
    version: tuple[int, int, int] = (0, 17, 0),
) -> _Stage:
    """The model of a world, with nothing submitted."""
    sides = {}
    for side in SIDES:
        named: dict[str, dict[str, Document]] = {
            kind: world.of_kind(side, kind) for kind in ("ClusterQueue", "ResourceFlavor", "Cohort")
        }
        checks = {d["metadata"]["name"]: d for d in shared(side) if d["kind"] == "AdmissionCheck"}
        named["ResourceFlavor"][OPEN] = gate(OPEN, is_placing=False)
        documents = Documents(named["ClusterQueue"], named["ResourceFlavor"], named["Cohort"], {}, checks)
        sides[side] = Scheduler(read_world(documents, ()), release_of(version, {}, fair_sharing=False))
    hub = Hub(sides, MANAGER, dispatcher)
    if choose is not None:
        hub.choose = choose
    return _Stage(world, hub)


def foretell(
    world: ManagerWorld, dispatcher: Dispatcher | None = None, version: tuple[int, int, int] = (0, 17, 0)
) -> tuple[Told, ...]:
    """Early jobs one by one while the last worker is closed, which then opens; late ones all at once, side by side; an end."""
    stage = stage_of(world, dispatcher or Dispatcher(), version=version)
    stage.close(WORKERS[-1])
    created = 0
    for side, job in world.early:
        created += 1
        stage.submit(side, job, created)
        stage.hub.settle()
    stage.open(WORKERS[-1])
    first = stage.told()
    stage.close(*SIDES)
    for side, job in world.late:
        created += 1
        stage.submit(side, job, created)
    for side in SIDES:
        stage.open(side)
    second = stage.told()
    stage.hub.end([world.ending])
    stage.hub.settle()
    return first, second, stage.told()


def ending_job(world: ManagerWorld) -> tuple[str, Document]:
    """The job that ends, with the side that it was submitted to."""
    return next((side, job) for side, job in world.early if job["metadata"]["name"] == world.ending)


def documents_of(worlds: Sequence[ManagerWorld], side: str) -> Iterator[Any]:
    """Everything of some worlds on one side."""
    for world in worlds:
        yield from world.parts[side]
