"""Worlds of queues in which something happens after the late jobs: elastic jobs change their size, queues are stopped and started,
admission checks are answered."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from queue_worlds import Document, Foretold, Maker, QueueWorld, ask_in, scheduler_of, submit, told

from stowplan.kueue.scheduling.scheduler import Scheduler
from stowplan.kueue.scheduling.slices import work_of

Family = Literal["sizes", "stops", "checks"]
FAMILIES: tuple[Family, ...] = ("sizes", "stops", "checks")
SEEDS: dict[Family, tuple[int, ...]] = {
    "sizes": (510, 546, 548, 564, 566, 572, 576, 587),
    "stops": (525, 541, 559, 570, 580, 586, 593, 595),
    "checks": (529, 564, 616, 620, 637),
}
"""Stories in which much happens, and that have one end. Left out are those

- in which the order makes a difference in which drained work comes back when its queue starts: Kueue has none;
- in which others take the room before a Workload is back that a check sent away: on a busy machine, now and then;
- in which a job that has grown is preempted: Kueue 0.17.0 cannot start it again, and fails it over and over;
- in which a queue shares fairly that has no cohort: Kueue 0.17.0 dies where all that such a queue may preempt is not enough.
"""
API = "kueue.x-k8s.io/v1beta2"
CONTROLLER = "example.com/tests"
ELASTIC = "kueue.x-k8s.io/elastic-job"
_TOPOLOGY = "kueue.x-k8s.io/podset-"
_MOST_PODS = 6


@dataclass(frozen=True)
class Act:
    """One thing that happens: `name` is a job, or a queue as `KIND/NAME`; `value` is its pods, its stop policy, or an answer."""

    kind: Literal["resize", "stop", "answer"]
    name: str
    value: int | str


@dataclass(frozen=True)
class Story:
    """A world, what happens before its late jobs are there, and what happens then, one after the other."""

    family: Family
    world: QueueWorld
    before: tuple[Act, ...]
    acts: tuple[Act, ...]

    @property
    def stages(self) -> tuple[str, ...]:
        """What the outcomes are told after."""
        told = [f"{act.kind} {act.name} {act.value}" for act in (*self.before, *self.acts)]
        return (*told[: len(self.before)], "late jobs", *told[len(self.before) :], "the end of a job")

    def job(self, name: str) -> Document:
        """A job by its name."""
        return next(job for job in (*self.world.early, *self.world.late) if job["metadata"]["name"] == name)


def make_story(family: Family, seed: int, *, fair: bool, again: bool = False) -> Story:
    """The story of a seed; `again` has other names."""
    maker = {"sizes": _Sizes, "stops": _Stops, "checks": _Checks}[family]
    return maker(seed, fair, f"{'again-' if again else ''}{family}-").story()


class _StoryMaker(Maker, ABC):
    family: Family

    def __init__(self, seed: int, fair: bool, prefix: str) -> None:
        super().__init__(seed, fair, prefix)
        self.plot = random.Random(f"{self.family}-{seed}-{fair}")

    def story(self) -> Story:
        world = self.make()
        return Story(self.family, world, *self.acts(world))

    @abstractmethod
    def acts(self, world: QueueWorld) -> tuple[tuple[Act, ...], tuple[Act, ...]]:
        """What happens before the late jobs are there, and what happens then."""


class _Sizes(_StoryMaker):
    """Most jobs are elastic; some grow, some shrink."""

    family = "sizes"

    def make(self) -> QueueWorld:
        world = super().make()
        early, late = (tuple(self._elastic(job) for job in jobs) for jobs in (world.early, world.late))
        return replace(world, early=early, late=late)

    def _elastic(self, job: Document) -> Document:
        if job["kind"] != "Job" or self.plot.random() < 0.15:
            return job
        annotations = job["spec"]["template"].get("metadata", {}).get("annotations", {})
        if set(annotations) - {f"{_TOPOLOGY}unconstrained-topology"}:
            return job
        metadata = job["metadata"] | {"annotations": {ELASTIC: "true"}}
        few = min(2, job["spec"]["parallelism"])
        return job | {"metadata": metadata, "spec": job["spec"] | {"parallelism": few, "completions": 2 * _MOST_PODS}}

    def acts(self, world: QueueWorld) -> tuple[tuple[Act, ...], tuple[Act, ...]]:
        jobs = {j["metadata"]["name"]: j for j in (*world.early, *world.late) if j["metadata"].get("annotations")}
        pods = {name: int(job["spec"]["parallelism"]) for name, job in jobs.items()}
        first = [name for name in pods if name.startswith("e")]
        made = []
        for _ in range(4) if pods else ():
            name = self.plot.choice(first if first and self.plot.random() < 0.75 else list(pods))
            step = self.plot.choice([1, 1, 2, 3, -1, -2])
            size = min(_MOST_PODS, pods[name] + step) if step > 0 else max(1, pods[name] + step)
            if size != pods[name]:
                made.append(Act("resize", name, size))
                pods[name] = size
        return (), tuple(made)


class _Stops(_StoryMaker):
    """Queues are stopped before the late jobs or after them, and started again."""

    family = "stops"

    def acts(self, world: QueueWorld) -> tuple[tuple[Act, ...], tuple[Act, ...]]:
        queues = [f"{kind}/{name}" for kind in ("ClusterQueue", "LocalQueue") for name in world.of_kind(kind)]
        first, second = (self.plot.choice(queues) for _ in range(2))
        stops = [
            Act("stop", name, self.plot.choice(["Hold", "HoldAndDrain", "HoldAndDrain"])) for name in (first, second)
        ]
        starts = [Act("stop", name, "None") for name in (first, second)]
        if self.plot.random() < 0.5:
            return (stops[0],), (starts[0], stops[1], starts[1])
        return (), (stops[0], starts[0], stops[1], starts[1])


class _Checks(_StoryMaker):
    """Queues have admission checks, for all flavors or for some; the checks are answered."""

    family = "checks"

    def make(self) -> QueueWorld:
        world = super().make()
        names = [f"{self.name}-{letter}" for letter in "ab"]
        made: list[Document] = [
            {"apiVersion": API, "kind": "AdmissionCheck", "metadata": {"name": name}, "spec": {"controllerName": CONTROLLER}}
            for name in names
        ]  # fmt: skip
        parts = [self._checked(part, names) if part["kind"] == "ClusterQueue" else part for part in world.parts]
        return replace(world, parts=(parts[0], *made, *parts[1:]))

    def _checked(self, queue: Document, names: list[str]) -> Document:
        rows = []
        for name in names:
            shape = self.plot.choice(["all", "all", "some", "none"])
            flavors = self.plot.sample(self.flavors, self.plot.randint(1, len(self.flavors)))
            if shape != "none":
                rows.append({"name": name} | ({"onFlavors": sorted(flavors)} if shape == "some" else {}))
        return queue | {
            "spec": queue["spec"] | ({"admissionChecksStrategy": {"admissionChecks": rows}} if rows else {})
        }

    def acts(self, world: QueueWorld) -> tuple[tuple[Act, ...], tuple[Act, ...]]:
        early, late = ([job["metadata"]["name"] for job in jobs] for jobs in (world.early, world.late))
        before = tuple(Act("answer", name, "Ready") for name in self.plot.sample(early, 1))
        states = ["Ready", "Retry", "Retry", "Rejected"]
        return before, tuple(
            Act("answer", self.plot.choice([*early, *late]), self.plot.choice(states)) for _ in range(4)
        )


class _Stage:
    """The scheduler on which a story is played."""

    def __init__(self, story: Story, version: tuple[int, int, int]) -> None:
        self.story = story
        self.scheduler: Scheduler = scheduler_of(story.world, version)
        self.clock = 0
        self.ready: dict[str, int] = {}
        """Admissions whose checks are all ready, by job."""
        self.closed: dict[str, list[str]] = {}
        """Stopped local queues, with the jobs that wait in them."""

    def play(self) -> Iterator[Foretold]:
        world = self.story.world
        for job in world.early:
            self._submit(job)
            self.scheduler.settle()
        for act in self.story.before:
            yield self._after(act)
        for job in world.late:
            self._submit(job)
        self.scheduler.retry()
        self.scheduler.settle()
        yield self._told()
        for act in self.story.acts:
            yield self._after(act)
        if world.ending is not None:
            self.scheduler.end(world.ending["metadata"]["name"])
            self.scheduler.settle()
        yield self._told()

    def _submit(self, job: Document) -> None:
        queue = job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"]
        if queue in self.closed:
            self.closed[queue].append(job["metadata"]["name"])
        else:
            submit(self.scheduler, job, self.clock)
        self.clock += 1

    def _after(self, act: Act) -> Foretold:
        {"resize": self._resize, "stop": self._stop, "answer": self._answer}[act.kind](act)
        self.scheduler.settle()
        return self._told()

    def _resize(self, act: Act) -> None:
        job = self.story.job(act.name)
        sized = job | {"spec": job["spec"] | {"parallelism": act.value}}
        self.scheduler.resize(ask_in(sized, self.clock))
        self.clock += 1

    def _stop(self, act: Act) -> None:
        kind, _, queue = act.name.partition("/")
        scheduler = self.scheduler
        mine = sorted(name for name, held in scheduler.world.held.items() if held.queue == queue)
        leaving = mine if act.value == "HoldAndDrain" else ()
        if kind == "ClusterQueue" and act.value == "None":
            scheduler.start(queue)
        elif kind == "ClusterQueue":
            scheduler.stop(queue, str(act.value), leaving)
        elif act.value != "None":
            self.closed[queue] = [*leaving, *(ask.name for ask in scheduler.waiting() if ask.queue == queue)]
            scheduler.pull(self.closed[queue])
        else:
            for name in self.closed.pop(queue):
                jobs = (*self.story.world.early, *self.story.world.late)
                number = next(n for n, job in enumerate(jobs) if job["metadata"]["name"] == name)
                submit(scheduler, jobs[number], number)

    def _answer(self, act: Act) -> None:
        held = self.scheduler.world.held.get(act.name)
        if held is None or not told(self.scheduler).checks[act.name]:
            return
        if act.value == "Ready":
            self.ready[act.name] = held.since
        elif act.value == "Retry":
            self.scheduler.put_back((act.name,), created=self.clock)
            self.clock += 1
        else:
            self.scheduler.end(act.name)

    def _told(self) -> Foretold:
        found, held = told(self.scheduler), self.scheduler.world.held
        since = {work_of(name): one.since for name, one in held.items()}
        found.admitted |= {name for name, at in self.ready.items() if since.get(name) == at}
        return found


def foretell_story(story: Story, version: tuple[int, int, int] = (0, 17, 0)) -> list[Foretold]:
    """Plays a story: what there is at rest after each of its stages."""
    return list(_Stage(story, version).play())
