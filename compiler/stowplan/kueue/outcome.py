"""What Kueue would do now with everything rendered: admitted, by preempting whom, waiting and after whom, or never."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from stowplan.kueue.admission import Admission, Resize
from stowplan.kueue.dispatched import (
    Managed,
    dispatcher_of,
    hold_on_manager,
    managed_of,
    on_manager,
    options_of,
    read_ask,
    stop_of,
)
from stowplan.kueue.elastic import ask_that_runs
from stowplan.kueue.residents import Scene, open_scene
from stowplan.kueue.scheduling.assignment import Assignment
from stowplan.kueue.scheduling.dispatching import Hub
from stowplan.kueue.scheduling.future import admitted_after
from stowplan.kueue.scheduling.work import Ask, PodAsk
from stowplan.kueue.scheduling.world import World
from stowplan.kueue.tree import KueueTree, Side
from stowplan.kueue.verdicts import flavor_of, kept_back, main_podset, preempted_by, preempted_of
from stowplan.model.plan import Placement
from stowplan.model.rendered import RenderedObject
from stowplan.model.workload import Workload

__all__ = ["admissions"]


@dataclass(slots=True)
class _Job:
    """One intent's objects on the worker's side where the plan wants it, and its part on the manager, if that sends it."""

    workload: Workload
    placement: Placement
    side: Side
    ask: Ask
    runs: Ask
    """The work as it runs: with another number of pods where elastic work changes its size."""
    stop: str | None
    """The stop policy of its local queue."""
    managed: Managed | None = None

    @property
    def sizes(self) -> list[tuple[PodAsk, PodAsk]]:
        """Pod sets as they run, and as they are asked for."""
        return list(zip(self.runs.podsets, self.ask.podsets, strict=True))

    @property
    def grows(self) -> bool:
        """Whether more pods are asked for than run."""
        return any(new.count > old.count for old, new in self.sizes)

    @property
    def shrinks(self) -> bool:
        """Whether fewer are."""
        return any(new.count < old.count for old, new in self.sizes)


def admissions(tree: KueueTree) -> tuple[Admission, ...]:
    """All rendered jobs, by intent name."""
    jobs: dict[str, list[_Job]] = {}
    sent: list[_Job] = []
    for job in _jobs(tree):
        (jobs.setdefault(job.side.name, []) if job.managed is None else sent).append(job)
    made: list[Admission] = []
    together = _together(tree, sent)
    if sent:
        beside = [job for name in together for job in jobs.pop(name, [])]
        made.extend(_Play(tree, together, [*beside, *sent]).run())
    for name, mine in sorted(jobs.items()):
        made.extend(_Play(tree, (name,), mine).run())
    return tuple(sorted(made, key=lambda a: a.intent))


def _together(tree: KueueTree, sent: Sequence[_Job]) -> tuple[str, ...]:
    """The manager and its workers: what happens on one of them makes a difference on the others."""
    names = {name for job in sent if job.managed is not None for name in (job.side.name, *job.managed.sent.copies)}
    return tuple(sorted({*names, tree.manager.name})) if sent and tree.manager is not None else ()


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
        first = placement.assignments[0]
        worker = tree.sides.get(first.cluster)
        if worker is None:
            continue
        created = 0 if first.is_running else 1
        read = read_ask(worker, name, objects, priority=workload.priority_value, created=created)
        if read is not None:
            runs = ask_that_runs(tree.fleet, worker, objects, read[0]) if first.is_running else read[0]
            managed = managed_of(tree, workload, objects, first.cluster if first.is_running else None)
            yield _Job(workload, placement, worker, read[0], runs, stop_of(read[1]), managed)


class _Play:
    """API servers that work together: what runs is booked, what is new is submitted at once, and all go on until they rest."""

    def __init__(self, tree: KueueTree, sides: Sequence[str], jobs: list[_Job]) -> None:
        self.jobs = {job.ask.name: job for job in jobs}
        asks: dict[str, list[Ask]] = {name: [] for name in sides}
        for job in jobs:
            asks[job.side.name].append(job.runs)
            for name, copied in job.managed.sent.copies.items() if job.managed is not None else ():
                if name != job.side.name:
                    asks[name].append(copied)
        self.scenes: dict[str, Scene] = {name: open_scene(tree.fleet, tree.sides[name], asks[name]) for name in sides}
        sent = [job.managed for job in jobs if job.managed is not None]
        self.manager = tree.manager.name if sent and tree.manager is not None else None
        schedulers = {name: scene.scheduler for name, scene in self.scenes.items()}
        self.hub = Hub(schedulers, self.manager, dispatcher_of(tree))
        if self.manager is not None:
            hold_on_manager(tree, schedulers[self.manager], [one for one in sent if one.sent.home is not None])

    def run(self) -> list[Admission]:
        self._drain()
        for job in self.jobs.values():
            self._start(job)
        self.hub.settle()
        made = [self._outcome(job) for job in self.jobs.values()]
        ends = {name: job.workload.run_hours for name, job in self.jobs.items() if not job.workload.is_service}
        of_others = {name: end for scene in self.scenes.values() for name, end in scene.ends.items()}
        after = admitted_after(self.hub, {**of_others, **ends}, lambda name: ends.get(name, float("inf")))
        return [_with_ends(a, after.get(a.intent, ())) for a in made]

    def _drain(self) -> None:
        """What runs in queues that are drained waits there again."""
        for side, scene in self.scenes.items():
            world = scene.scheduler.world
            for held in [one for one in world.held.values() if world.queues[one.queue].drains]:
                job = self.jobs.get(held.ask.name)
                scene.scheduler.finish((held.ask.name,))
                if job is None or job.managed is None:
                    self.hub.submit(side, held.ask)
                else:
                    job.managed.sent.home = None
                    for other in (job.side.name, job.managed.side.name):
                        self.scenes[other].scheduler.end(held.ask.name)

    def _start(self, job: _Job) -> None:
        """New work is submitted, elastic work gets its size; what a manager sends is its business."""
        managed, side = job.managed, job.side.name
        if job.stop == "HoldAndDrain" or (managed is not None and managed.stop == "HoldAndDrain"):
            for scene in (self.scenes[side], *([self.scenes[managed.side.name]] if managed is not None else ())):
                scene.scheduler.end(job.ask.name)
        if managed is not None:
            if managed.sent.home is not None or managed.stop is None:
                self.hub.dispatch(managed.sent)
                may_grow = managed.stop is None and job.stop is None
                if managed.sent.home is not None and (job.shrinks or (job.grows and may_grow)):
                    self.hub.grow(job.ask.name, replace(job.ask, created=1))
        elif job.stop == "HoldAndDrain":
            return
        elif job.shrinks or (job.grows and job.stop is None):
            self.hub.resize(side, replace(job.ask, created=1))
        elif not job.placement.assignments[0].is_running and job.stop is None:
            self.hub.submit(side, job.ask)

    def _may_grow(self, job: _Job) -> bool:
        assert self.manager is not None, "only what it sends asks it"
        scheduler = self.scenes[self.manager].scheduler
        return (scheduler.slice_of(job.ask.name) or job.ask.name) in scheduler.admitted

    def _outcome(self, job: _Job) -> Admission:
        name, managed = job.ask.name, job.managed
        side, ask = job.side.name, job.ask
        if managed is not None and managed.sent.home is not None:
            side, ask = managed.sent.home, managed.sent.copies[managed.sent.home]
        scheduler = self.scenes[side].scheduler
        base = self._base(job, side, ask)
        grown, first = scheduler.slice_of(name), job.placement.assignments[0]
        has_left = base.preempted is not None or (managed is not None and managed.sent.home is None)
        if job.runs is not job.ask and not has_left and not {name, grown}.isdisjoint(scheduler.world.held):
            return replace(base, flavor=first.flavor, domain=first.domain, resize=self._resize(base, job, grown))
        current = grown or name
        if current in scheduler.admitted and current in scheduler.world.held:
            return self._admitted(base, job, ask, scheduler.admitted[current])
        if base.is_kept_back and base.manager is not None:
            return replace(base, state=base.manager.state)
        drains = scheduler.world.queues[ask.queue].drains or job.stop == "HoldAndDrain"
        if name in scheduler.world.held or (first.is_running and not has_left and not drains):
            return replace(base, flavor=first.flavor, domain=first.domain)
        state, why, made = kept_back(self.scenes[side], ask, stop=job.stop, name=current)
        return replace(base, state=state, why=why, flavor=None if made is None else flavor_of(made, main_podset(ask)))

    def _base(self, job: _Job, side: str, ask: Ask) -> Admission:
        """What stands of it whatever its state: who left for it, for whom it left, and the manager's part."""
        name, managed = ask.name, job.managed
        base = Admission(name, side, ask.queue, "running")
        workers = [
            scene.scheduler for where, scene in self.scenes.items() if managed is None or where != managed.side.name
        ]
        mine = [row for scheduler in workers for row in preempted_by(scheduler, name)]
        left = [row for scheduler in workers if (row := preempted_of(scheduler, name)) is not None]
        base = replace(base, preempts=tuple(dict.fromkeys(mine)), preempted=left[-1] if left else None)
        if managed is None:
            return base
        part = on_manager(self.scenes[managed.side.name], managed)
        return replace(base, manager=part, options=tuple(options_of(self.scenes, managed)))

    def _resize(self, base: Admission, job: _Job, grown: str | None) -> Resize:
        """What becomes of the pods that run and those that are asked for: fewer at once, more by a slice."""
        scene, managed = self.scenes[base.cluster], job.managed
        before, after = next((old.count, new.count) for old, new in job.sizes if old.count != new.count)
        made = scene.scheduler.admitted.get(grown or "")
        if job.shrinks:
            return Resize(before, after, "shrinks")
        if made is not None:
            more = replace(job.ask, podsets=tuple(replace(new, count=new.count - old.count) for old, new in job.sizes))
            done = self._admitted(base, job, more, made)
            return Resize(before, after, done.state, done.why, checks=done.checks, unplaced=done.unplaced)
        ask, stop = job.ask, job.stop
        if managed is not None and stop is None and not self._may_grow(job):
            scene, ask, stop = self.scenes[managed.side.name], managed.sent.ask, managed.stop
            grown = scene.scheduler.slice_of(ask.name)
        state, why, _ = kept_back(scene, ask, stop=stop, name=grown)
        return Resize(before, after, state, why)

    def _admitted(self, base: Admission, job: _Job, ask: Ask, made: Assignment) -> Admission:
        scene = self.scenes[base.cluster]
        flavor = flavor_of(made, main_podset(ask))
        checks = scene.scheduler.world.queues[ask.queue].checks_of(made.flavors)
        others = base.manager.checks if base.manager is not None else ()
        unplaced, why = scene.pods_without_node(ask, flavor, job.workload)
        return replace(
            base, state="reserved" if checks or others else "admitted", flavor=flavor,
            domain=_domain(scene.scheduler.world, made, ask), borrows=made.height > 0, checks=checks, why=why,
            unplaced=unplaced,
        )  # fmt: skip


def _with_ends(made: Admission, ends: tuple[str, ...]) -> Admission:
    """With those who must end before what waits is admitted: the work, or the slice by which it grows."""
    if made.state == "waiting":
        return replace(made, after=ends)
    if made.resize is not None and made.resize.state == "waiting":
        return replace(made, resize=replace(made.resize, after=ends))
    return made


def _domain(world: World, made: Assignment, ask: Ask) -> tuple[str, ...] | None:
    """The innermost domain above the node that holds all of the main pod set."""
    main = main_podset(ask)
    for podset in made.podsets:
        if podset.ask.name == main.name and podset.place is not None and podset.place.counts:
            return _shared_path(world, flavor_of(made, main) or "", [n for n, _ in podset.place.counts])
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
