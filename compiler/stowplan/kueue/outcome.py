"""What Kueue would do now with everything rendered: admitted, by preempting whom, waiting and after whom, or never."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from stowplan.kueue.admission import Admission, Preempted
from stowplan.kueue.podsets import podsets_of
from stowplan.kueue.residents import Scene, open_scene
from stowplan.kueue.scheduling.assignment import Assignment, Mode
from stowplan.kueue.scheduling.documents import ask_of
from stowplan.kueue.scheduling.flavors import assign
from stowplan.kueue.scheduling.future import admitted_after
from stowplan.kueue.scheduling.preemption import Preemptor
from stowplan.kueue.scheduling.work import Ask, PodAsk
from stowplan.kueue.scheduling.world import World
from stowplan.kueue.tree import KueueTree, Side, labels_of, spec_of
from stowplan.kueue.worlds import counting_of
from stowplan.model.handedover import QUEUE_LABEL
from stowplan.model.plan import Placement
from stowplan.model.rendered import RenderedObject
from stowplan.model.workload import Workload

__all__ = ["admissions"]


@dataclass(slots=True)
class _Job:
    """One intent's objects on the worker's side."""

    workload: Workload
    placement: Placement
    side: Side
    ask: Ask
    is_held: bool
    """Whether its local queue is stopped."""


def admissions(tree: KueueTree) -> tuple[Admission, ...]:
    """All rendered jobs, by intent name."""
    jobs: dict[str, list[_Job]] = {}
    for job in _jobs(tree):
        jobs.setdefault(job.side.name, []).append(job)
    made: list[Admission] = []
    for name, mine in sorted(jobs.items()):
        made.extend(_Play(tree, tree.sides[name], mine).run())
    return tuple(sorted(made, key=lambda a: a.intent))


def _jobs(tree: KueueTree) -> Iterable[_Job]:
    """Jobs by intent where the plan wants them: the worker's side for what MultiKueue dispatches."""
    grouped: dict[str, list[RenderedObject]] = {}
    for side in tree.sides.values():
        for made in side.jobs:
            kind, _, name = made.manifest.source.partition("/")
            if kind == "workload":
                grouped.setdefault(name, []).append(made)
    for name, objects in sorted(grouped.items()):
        workload, placement = tree.fleet.workload(name), tree.plan.placements.get(name)
        if workload is None or placement is None or not placement.assignments:
            continue
        worker = tree.sides.get(placement.assignments[0].cluster)
        if worker is None:
            continue
        local = worker.local_queues.get((objects[0].namespace or "", labels_of(objects[0])[QUEUE_LABEL]))
        queue = str(spec_of(local).get("clusterQueue")) if local is not None else ""
        podsets = tuple(p for made in objects for p in podsets_of(made, worker))
        if local is None or queue not in worker.queues or not podsets:
            continue
        is_running = placement.assignments[0].is_running
        priority, counting = workload.priority_value, counting_of(worker)
        ask = ask_of(name, queue, podsets, counting, priority=priority, created=0 if is_running else 1)
        yield _Job(workload, placement, worker, ask, spec_of(local).get("stopPolicy") not in (None, "None"))


class _Play:
    """One cluster: what runs is booked, what is new is submitted at once, and the scheduler runs until it rests."""

    def __init__(self, tree: KueueTree, side: Side, jobs: list[_Job]) -> None:
        self.jobs = {job.ask.name: job for job in jobs}
        self.scene: Scene = open_scene(tree.fleet, side, [job.ask for job in jobs])
        self.side = side

    def run(self) -> list[Admission]:
        scene, scheduler = self.scene, self.scene.scheduler
        drained = [h.ask.name for h in scheduler.world.held.values() if scheduler.world.queues[h.queue].drains]
        for name in drained:
            ask = scheduler.world.held[name].ask
            scheduler.finish((name,))
            scheduler.submit(ask)
        for job in self.jobs.values():
            if not job.placement.assignments[0].is_running and not job.is_held:
                scheduler.submit(job.ask)
        scheduler.settle()
        made = [self._outcome(job) for job in self.jobs.values()]
        ends = {name: job.workload.run_hours for name, job in self.jobs.items() if not job.workload.is_service}
        after = admitted_after(scheduler, {**scene.ends, **ends}, lambda name: ends.get(name, float("inf")))
        return [replace(a, after=after.get(a.intent, ())) if a.state == "waiting" else a for a in made]

    def _outcome(self, job: _Job) -> Admission:
        scheduler, name = self.scene.scheduler, job.ask.name
        base = Admission(name, self.side.name, job.ask.queue, "running")
        left = [row for row in scheduler.evictions if row.name == name]
        preempted = Preempted(left[-1].by, left[-1].reason) if left else None
        mine = tuple(dict.fromkeys(row.name for row in scheduler.evictions if row.by == name))
        base = replace(base, preempts=mine, preempted=preempted)
        if name in scheduler.admitted:
            return self._admitted(base, job, scheduler.admitted[name])
        first = job.placement.assignments[0]
        queue = scheduler.world.queues[job.ask.queue]
        if name in scheduler.world.held or (first.is_running and preempted is None and not queue.drains):
            return replace(base, flavor=first.flavor, domain=first.domain)
        if queue.stopped is not None or job.is_held:
            return replace(base, state="waiting", why=(queue.stopped or "its local queue is stopped",))
        return self._waiting(base, job, scheduler.refused.get(name))

    def _admitted(self, base: Admission, job: _Job, made: Assignment) -> Admission:
        queue = self.scene.scheduler.world.queues[job.ask.queue]
        flavor = _flavor_of(made, _main(job.ask))
        used = {chosen.flavor for podset in made.podsets for chosen in podset.flavors.values()}
        checks = tuple(name for name, only in queue.checks if not only or only & used)
        unplaced, why = self.scene.pods_without_node(job.ask, flavor, job.workload)
        return replace(
            base, state="reserved" if checks else "admitted", flavor=flavor, domain=self._domain(made, job.ask),
            borrows=made.height > 0, checks=checks, why=why, unplaced=unplaced,
        )  # fmt: skip

    def _waiting(self, base: Admission, job: _Job, made: Assignment | None) -> Admission:
        alone = self._alone(job.ask)
        if alone.mode is not Mode.FIT:  # even if nothing else was there
            return replace(base, state="never", why=alone.why)
        if made is None:
            head = self.scene.scheduler.head_of(job.ask.queue)
            why: tuple[str, ...] = (f"the queue is strict, and `{head}` at its head waits",)
            return replace(base, state="waiting", why=why)
        if made.is_broken:
            why = (
                "this release of Kueue chooses a domain that has no room for leader and workers, and fails to admit them",
            )
            return replace(base, state="waiting", flavor=_flavor_of(made, _main(job.ask)), why=why)
        why = made.why or ("what it would take is kept for work that goes before it",)
        if job.ask.name in self.scene.scheduler.restless:
            why = (*why, "Kueue would preempt it over and over")
        return replace(base, state="waiting", flavor=_flavor_of(made, _main(job.ask)), why=why)

    def _alone(self, ask: Ask) -> Assignment:
        world, release = self.scene.empty, self.scene.scheduler.release
        return assign(world, release, ask, Preemptor(world, release))

    def _domain(self, made: Assignment, ask: Ask) -> tuple[str, ...] | None:
        """The innermost domain above the node that holds all of the main pod set."""
        main = _main(ask)
        for podset in made.podsets:
            if podset.ask.name == main.name and podset.place is not None and podset.place.counts:
                flavor = _flavor_of(made, main)
                return _shared_path(self.scene.scheduler.world, flavor or "", [n for n, _ in podset.place.counts])
        return None


def _main(ask: Ask) -> PodAsk:
    """The workers, where there is a leader too."""
    return max(ask.podsets, key=lambda p: (p.count, p.name != "head"))


_COMMON = ("cpu", "memory", "pods", "ephemeral-storage")


def _flavor_of(made: Assignment, main: PodAsk) -> str | None:
    """The flavor of what the main pod set asks for beyond cores and memory, if any."""
    for podset in made.podsets:
        if podset.ask.name == main.name and podset.flavors:
            name = min(podset.flavors, key=lambda resource: (resource in _COMMON, resource))
            return podset.flavors[name].flavor
    return None


def _shared_path(world: World, flavor: str, numbers: list[int]) -> tuple[str, ...] | None:
    nodes = world.nodes.get(flavor)
    if nodes is None:
        return None
    paths = [nodes.leaves[number].domain.path[:-1] for number in numbers]
    shared = paths[0]
    for path in paths[1:]:
        while path[: len(shared)] != shared:
            shared = shared[:-1]
    return shared or None
