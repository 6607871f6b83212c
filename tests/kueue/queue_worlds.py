"""Small worlds of queues made from a seed: documents for an API server, and what the model says Kueue does with them.

A world has its own namespace, flavors, cohorts, and nodes, so that many of them live on one server side by side. Work
comes in two parts: `early` jobs one after the other, each when everything is at rest, and `late` jobs all at once: they
are made while the queues are inactive, because one of their flavors, the gate, is not there yet.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stowplan.kueue.podsets import read_podsets
from stowplan.kueue.scheduling.documents import Counting, Documents, ask_of, read_world
from stowplan.kueue.scheduling.release import release_of
from stowplan.kueue.scheduling.scheduler import Scheduler
from stowplan.kueue.scheduling.slices import work_of
from stowplan.kueue.scheduling.topology import NodeFacts
from stowplan.kueue.scheduling.units import units_of
from stowplan.kueue.scheduling.work import Ask

Document = dict[str, Any]

API = "kueue.x-k8s.io/v1beta2"
GPU = "example.com/gpu"
GATED = "example.com/gate"
BLOCK, RACK, HOST = "example.com/block", "example.com/rack", "kubernetes.io/hostname"
WORLD = "example.com/world-flavor"
PRIORITIES = {"low": 100, "mid": 500, "high": 1000}
OPEN = "gate-open"
"""The gate while early jobs are admitted; another one, of each world, is missing until all late jobs are there."""
_P = "kueue.x-k8s.io/podset-"


@dataclass(frozen=True)
class QueueWorld:
    """One world; `parts` are its objects in the order in which they are made, without the gates."""

    seed: int
    name: str
    fair: bool
    parts: tuple[Document, ...]
    nodes: tuple[Document, ...]
    early: tuple[Document, ...]
    late: tuple[Document, ...]
    is_placing: bool
    """Whether all flavors have a topology."""

    @property
    def ending(self) -> Document | None:
        """The job that ends once the late ones have been tried."""
        return next((job for job in self.early if job["kind"] == "Job"), None)

    def of_kind(self, kind: str) -> dict[str, Document]:
        """Objects by name."""
        return {d["metadata"]["name"]: d for d in self.parts if d["kind"] == kind}


@dataclass
class Foretold:
    """What the model says of those with quota: flavors by job, pod set, and resource; pods by job and pod set, and by node.

    `checks` are admission checks by job, `admitted` those for whom all of them are ready; `preempted` is who was ever preempted.
    """

    flavors: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)
    places: dict[str, dict[str, dict[str, int]]] = field(default_factory=dict)
    pods: dict[str, dict[str, int]] = field(default_factory=dict)
    checks: dict[str, set[str]] = field(default_factory=dict)
    admitted: set[str] = field(default_factory=set)
    preempted: set[str] = field(default_factory=set)
    restless: bool = False


def gate(name: str, *, is_placing: bool) -> Document:
    """A gate flavor; with a topology for queues all of whose flavors have one."""
    return _object("ResourceFlavor", name, {"nodeLabels": {WORLD: name}, "topologyName": "gate"} if is_placing else {})


def shared() -> list[Document]:
    """Objects that all worlds share."""
    classes = [
        {"apiVersion": API, "kind": "WorkloadPriorityClass", "metadata": {"name": name}, "value": value}
        for name, value in PRIORITIES.items()
    ]
    open_gates = [gate(OPEN, is_placing=False), gate(f"{OPEN}-placing", is_placing=True)]
    return [*classes, _object("Topology", "gate", {"levels": [{"nodeLabel": HOST}]}), *open_gates]


def _object(kind: str, name: str, spec: Mapping[str, Any], namespace: str = "", api: str = API) -> Document:
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": api, "kind": kind, "metadata": metadata, "spec": dict(spec)}


def make_world(seed: int, *, fair: bool, again: bool = False) -> QueueWorld:
    """The world of a seed; `again` has other names."""
    return Maker(seed, fair, "again-" if again else "").make()


class Maker:
    def __init__(self, seed: int, fair: bool, prefix: str) -> None:
        self.chance = random.Random(f"{seed}-{fair}")
        self.seed, self.fair = seed, fair
        self.name = f"{prefix}{'f' if fair else 'c'}{seed}"
        self.has_places = self.chance.random() < 0.4
        self.levels = self.chance.choice([[BLOCK, HOST], [BLOCK, RACK, HOST]])
        count = self.chance.choice([1, 1, 2, 3])
        self.flavors = [f"{self.name}-{letter}" for letter in "xyz"[:count]]
        all_placing = self.has_places and self.chance.random() < 0.4
        self.placing = self.flavors[: count if all_placing else 1] if self.has_places else []
        self.is_placing = bool(self.placing) and len(self.placing) == len(self.flavors)
        self.nodes: list[Document] = []

    def make(self) -> QueueWorld:
        parts = [_object("Namespace", self.name, {}, api="v1")]
        del parts[0]["spec"]
        if self.placing:
            parts.append(_object("Topology", self.name, {"levels": [{"nodeLabel": level} for level in self.levels]}))
        for flavor in self.flavors:
            spec: Document = {"nodeLabels": {WORLD: flavor}}
            if flavor in self.placing:
                spec["topologyName"] = self.name
                self._make_nodes(flavor)
            parts.append(_object("ResourceFlavor", flavor, spec))
        queues, cohorts = self._queues()
        parts += [*cohorts, *queues]
        names = [queue["metadata"]["name"] for queue in queues]
        parts += [_object("LocalQueue", name, {"clusterQueue": name}, self.name) for name in names]
        early = [self._job(f"e{number}", names, "llm") for number in range(self.chance.choice([2, 3, 4, 4]))]
        late = [self._job(f"l{number}", names, "lmhh") for number in range(self.chance.choice([1, 2, 3, 4]))]
        return QueueWorld(
            self.seed, self.name, self.fair, tuple(parts), tuple(self.nodes), tuple(early), tuple(late), self.is_placing
        )

    def _make_nodes(self, flavor: str) -> None:
        for block in range(self.chance.choice([1, 2, 3])):
            for rack in range(self.chance.choice([1, 2]) if RACK in self.levels else 1):
                for number in range(self.chance.choice([1, 2, 3])):
                    name = f"{flavor}-b{block}-r{rack}-n{number}"
                    labels = {WORLD: flavor, BLOCK: f"b{block}", RACK: f"r{rack}", HOST: name}
                    kept = {key: value for key, value in labels.items() if key in (WORLD, *self.levels)}
                    amounts = {
                        "cpu": self.chance.choice(["2", "4", "6"]),
                        GPU: self.chance.choice(["1", "2"]),
                        "pods": "8",
                    }
                    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": kept}}
                    self.nodes.append(node | {"spec": {}, "status": {"allocatable": amounts, "capacity": amounts}})

    def _queues(self) -> tuple[list[Document], list[Document]]:
        count = self.chance.choice([1, 2, 2, 3])
        shape = self.chance.choice(["flat", "flat", "nested"]) if count > 1 else self.chance.choice(["alone", "flat"])
        root = f"{self.name}-root"
        cohorts: list[Document] = []
        above: list[str | None] = [None] * count
        if shape == "flat":
            above = [root] * count
            if self.chance.random() < 0.4:
                cohorts.append(_object("Cohort", root, self._cohort(None)))
        elif shape == "nested":
            halves = [f"{self.name}-left", f"{self.name}-right"]
            above = [self.chance.choice(halves) for _ in range(count)]
            cohorts = [_object("Cohort", half, self._cohort(root)) for half in halves]
        return [self._queue(f"{self.name}-q{i}", above[i]) for i in range(count)], cohorts

    def _cohort(self, parent: str | None) -> Document:
        spec: Document = {"parentName": parent} if parent else {}
        if self.chance.random() < 0.4:
            spec["resourceGroups"] = [self._group(limits=parent is not None)]
        return spec | self._weight()

    def _weight(self) -> Document:
        if not self.fair or self.chance.random() < 0.4:
            return {}
        return {"fairSharing": {"weight": self.chance.choice(["500m", "2", "3"])}}

    def _group(self, *, limits: bool) -> Document:
        flavors = []
        for flavor in self.flavors:
            rows = []
            for resource, amounts in (("cpu", (0, 2, 3, 4, 6)), (GPU, (0, 2, 2, 4))):
                nominal = self.chance.choice(amounts)
                row: Document = {"name": resource, "nominalQuota": str(nominal)}
                if limits and self.chance.random() < 0.2:
                    row["borrowingLimit"] = str(self.chance.choice([0, 1, 2, 4]))
                if limits and self.chance.random() < 0.2:
                    row["lendingLimit"] = str(self.chance.randint(0, nominal))
                rows.append(row)
            flavors.append({"name": flavor, "resources": rows})
        return {"coveredResources": ["cpu", GPU], "flavors": flavors}

    def _queue(self, name: str, cohort: str | None) -> Document:
        gate = f"{OPEN}-placing" if self.is_placing else OPEN
        gated = {"name": gate, "resources": [{"name": GATED, "nominalQuota": "0"}]}
        groups = [self._group(limits=cohort is not None), {"coveredResources": [GATED], "flavors": [gated]}]
        spec: Document = {
            "namespaceSelector": {}, "resourceGroups": groups, "preemption": self._preemption(cohort is not None),
            "queueingStrategy": self.chance.choice(["BestEffortFIFO"] * 4 + ["StrictFIFO"]),
        }  # fmt: skip
        if cohort is not None:
            spec["cohortName"] = cohort
        borrow, preempt = (self.chance.choice(["MayStopSearch", "TryNextFlavor"]) for _ in range(2))
        spec["flavorFungibility"] = {"whenCanBorrow": borrow, "whenCanPreempt": preempt}
        if borrow == preempt == "TryNextFlavor" and self.chance.random() < 0.5:
            spec["flavorFungibility"]["preference"] = self.chance.choice(
                ["BorrowingOverPreemption", "PreemptionOverBorrowing"]
            )
        return _object("ClusterQueue", name, spec | self._weight())

    def _preemption(self, in_cohort: bool) -> Document:
        within = self.chance.choice(["Never", "LowerPriority", "LowerPriority", "LowerOrNewerEqualPriority"])
        reclaim = self.chance.choice(["Never", "LowerPriority", "Any", "Any"]) if in_cohort else "Never"
        made: Document = {"withinClusterQueue": within, "reclaimWithinCohort": reclaim}
        if reclaim != "Never" and self.chance.random() < 0.4:
            made["borrowWithinCohort"] = {"policy": "LowerPriority"}
            if self.chance.random() < 0.5:
                made["borrowWithinCohort"]["maxPriorityThreshold"] = self.chance.choice([100, 500])
        return made

    def _job(self, name: str, queues: list[str], priorities: str) -> Document:
        pods = self.chance.choice([1, 1, 2, 2, 3, 4])
        annotations = self._annotations(pods)
        if self.placing and annotations and self.chance.random() < 0.3:
            return self._pair(name, queues, pods, priorities)
        made = _object("Job", name, {}, self.name, "batch/v1")
        made["metadata"]["labels"] = self._labels(queues, priorities)
        made["spec"] = self._job_spec(pods, annotations)
        return made

    def _labels(self, queues: list[str], priorities: str) -> Document:
        letter = self.chance.choice(priorities)
        priority = next(name for name in PRIORITIES if name.startswith(letter))
        return {"kueue.x-k8s.io/queue-name": self.chance.choice(queues), "kueue.x-k8s.io/priority-class": priority}

    def _job_spec(self, pods: int, annotations: Document) -> Document:
        requests = {"cpu": self.chance.choice(["500m", "1", "1", "2", "3"])}
        if self.chance.random() < 0.5:
            requests[GPU] = "1"
        container = {"name": "main", "image": "registry.example.com/work:1", "resources": {"requests": requests}}
        if GPU in requests:
            container["resources"]["limits"] = {GPU: "1"}
        pod: Document = {"restartPolicy": "Never", "containers": [container]}
        if self.chance.random() < 0.15:
            pod["nodeSelector"] = {WORLD: self.chance.choice(self.flavors)}
        template: Document = {"spec": pod}
        if annotations:
            template["metadata"] = {"annotations": annotations}
        return {"parallelism": pods, "completions": pods, "template": template}

    def _annotations(self, pods: int) -> Document:
        if not self.placing or self.chance.random() < (0.5 if self.is_placing else 0.2):
            return {}
        level = self.chance.choice(self.levels)
        made = self.chance.choice(
            [
                {f"{_P}required-topology": level},
                {f"{_P}preferred-topology": level},
                {f"{_P}unconstrained-topology": "true"},
            ]
        )
        if pods in (2, 4) and f"{_P}unconstrained-topology" not in made and self.chance.random() < 0.3:
            below = self.levels[self.levels.index(level) :]
            made |= {f"{_P}slice-required-topology": self.chance.choice(below), f"{_P}slice-size": "2"}
        return made

    def _pair(self, name: str, queues: list[str], pods: int, priorities: str) -> Document:
        """A leader and workers that share a flavor and a place."""
        level = self.chance.choice(["required", "preferred"])
        place = {f"{_P}{level}-topology": self.chance.choice(self.levels), f"{_P}group-name": "all"}
        jobs = []
        for role, count in (("leader", 1), ("workers", pods)):
            jobs.append({"name": role, "replicas": 1, "template": {"spec": self._job_spec(count, place)}})
        made = _object("JobSet", name, {"replicatedJobs": jobs}, self.name, "jobset.x-k8s.io/v1alpha2")
        made["metadata"]["labels"] = self._labels(queues, priorities)
        return made


def scheduler_of(world: QueueWorld, version: tuple[int, int, int] = (0, 17, 0)) -> Scheduler:
    """A scheduler over the world's documents."""
    named: dict[str, dict[str, Document]] = {
        kind: world.of_kind(kind) for kind in ("ClusterQueue", "ResourceFlavor", "Cohort", "Topology")
    }
    for document in shared():
        named.setdefault(document["kind"], {})[document["metadata"]["name"]] = document
    documents = Documents(named["ClusterQueue"], named["ResourceFlavor"], named["Cohort"], named["Topology"])
    nodes = [
        NodeFacts(
            node["metadata"]["name"], node["metadata"]["labels"],
            {name: units_of(name, amount) for name, amount in node["status"]["allocatable"].items()},
        )
        for node in world.nodes
    ]  # fmt: skip
    return Scheduler(read_world(documents, nodes), release_of(version, {}, fair_sharing=world.fair))


def submit(scheduler: Scheduler, job: Document, created: int) -> None:
    """Submits a job as Kueue would see it."""
    scheduler.submit(ask_in(job, created))


def ask_in(job: Document, created: int) -> Ask:
    """A job as Kueue would see it."""
    labels = job["metadata"]["labels"]
    podsets = read_podsets(job["kind"], job)
    priority = PRIORITIES[labels["kueue.x-k8s.io/priority-class"]]
    queue = labels["kueue.x-k8s.io/queue-name"]
    return ask_of(job["metadata"]["name"], queue, podsets, Counting(), priority=priority, created=created)


def foretell(world: QueueWorld, version: tuple[int, int, int] = (0, 17, 0)) -> tuple[Foretold, Foretold]:
    """Plays a world: early jobs one by one, late jobs all at once, and then one of the early ones ends; before and after that."""
    scheduler = scheduler_of(world, version)
    for created, job in enumerate(world.early):
        submit(scheduler, job, created)
        scheduler.settle()
    for created, job in enumerate(world.late, len(world.early)):
        submit(scheduler, job, created)
    scheduler.retry()
    scheduler.settle()
    before = told(scheduler)
    ending = world.ending
    if ending is not None:
        scheduler.end(ending["metadata"]["name"])
        scheduler.settle()
    return before, told(scheduler)


def told(scheduler: Scheduler) -> Foretold:
    """Who is in, where, and who was made to leave."""
    found = Foretold(preempted={work_of(row.name) for row in scheduler.evictions}, restless=bool(scheduler.restless))
    for one, made in scheduler.admitted.items():
        held, name = scheduler.world.held[one], work_of(one)
        found.flavors[name] = {
            podset.ask.name: {resource: chosen.flavor for resource, chosen in podset.flavors.items()}
            for podset in made.podsets
        }
        found.pods[name] = {podset.name: podset.count for podset in held.ask.podsets}
        used = {flavor for row in found.flavors[name].values() for flavor in row.values()}
        found.checks[name] = {
            check for check, only in scheduler.world.queues[held.queue].checks if not only or only & used
        }
        found.admitted |= {name} if not found.checks[name] else set()
        for placed in held.places:
            leaves = scheduler.world.nodes[placed.flavor].leaves
            counts = {leaves[number].domain.path[-1]: count for number, count in placed.counts}
            found.places.setdefault(name, {})[placed.podset] = counts
    return found
