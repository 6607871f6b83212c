"""What Kueue would do now with everything rendered: admitted, waiting and after whom, or never; on which flavor and where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from stowplan.kueue.assignment import Assignment, Mode, assign
from stowplan.kueue.book import Cell, QueueBook
from stowplan.kueue.podsets import PodSet, podsets_of
from stowplan.kueue.rules.topology import main_level
from stowplan.kueue.tree import KueueTree, Side, labels_of, spec_of
from stowplan.model.fleet import Fleet
from stowplan.model.handedover import QUEUE_LABEL
from stowplan.model.plan import Placement
from stowplan.model.rendered import RenderedObject
from stowplan.model.rooms import PoolRoom
from stowplan.model.workload import Unit, Workload
from stowplan.passes.lower.kueue.amounts import shape_of
from stowplan.passes.lower.kueue.flavors import level_labels

__all__ = ["Admission", "admissions"]


@dataclass(frozen=True, slots=True)
class Admission:
    """The outcome for one intent.

    `state` is running, admitted, waiting, or never. `after` names who must end before it is admitted, in the order of
    their ends; `domain` is the path of the topology domain that Kueue would choose; `why` are Kueue's reasons.
    """

    intent: str
    cluster: str
    queue: str
    state: str
    flavor: str | None = None
    domain: tuple[str, ...] | None = None
    borrows: bool = False
    after: tuple[str, ...] = ()
    why: tuple[str, ...] = ()


@dataclass(slots=True)
class _Job:
    """One intent's objects on the worker's side."""

    workload: Workload
    placement: Placement
    side: Side
    queue: RenderedObject
    podsets: tuple[PodSet, ...]
    ends: float


@dataclass(slots=True)
class _Held:
    """What somebody holds: cells of a queue, and leaves of a pool."""

    intent: str
    queue: str
    cells: dict[Cell, Fraction]
    ends: float
    flavor: str | None = None
    unit: Unit | None = None
    workers: int = 0
    leaves: tuple[int, ...] | None = None


@dataclass(slots=True)
class _State:
    """One cluster: quota, rooms by flavor, and who holds what."""

    fleet: Fleet
    side: Side
    book: QueueBook
    rooms: dict[str, PoolRoom]
    held: list[_Held] = field(default_factory=list)


def admissions(tree: KueueTree) -> tuple[Admission, ...]:
    """All rendered jobs, by intent name."""
    jobs: dict[str, list[_Job]] = {}
    for job in _jobs(tree):
        jobs.setdefault(job.side.name, []).append(job)
    made: list[Admission] = []
    for name, mine in sorted(jobs.items()):
        made.extend(_on_cluster(tree, tree.sides[name], mine))
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
        local = (
            worker.local_queues.get((objects[0].namespace or "", labels_of(objects[0])[QUEUE_LABEL]))
            if worker
            else None
        )
        queue = worker.queues.get(str(spec_of(local).get("clusterQueue"))) if worker and local is not None else None
        if worker is None or queue is None:
            continue
        podsets = tuple(p for made in objects for p in podsets_of(made, worker))
        yield _Job(workload, placement, worker, queue, podsets, workload.run_hours)


def _on_cluster(tree: KueueTree, side: Side, jobs: list[_Job]) -> list[Admission]:
    state = _start(tree, side)
    made = [_running(job) for job in jobs if job.placement.assignments[0].is_running]
    waiting = sorted(
        (job for job in jobs if not job.placement.assignments[0].is_running),
        key=lambda job: (-job.workload.priority_value, job.workload.name),
    )
    later: list[tuple[_Job, list[Assignment]]] = []
    blocked: set[str] = set()
    while waiting:
        heads: dict[str, _Job] = {}
        for job in waiting:
            heads.setdefault(job.queue.name, job)
        cycle = [
            (job, assign(side, job.queue, state.book.queues[job.queue.name], job.podsets)) for job in heads.values()
        ]
        cycle.sort(
            key=lambda row: (any(a.borrows for a in row[1]), -row[0].workload.priority_value, row[0].workload.name)
        )
        for job, _ in cycle:
            waiting.remove(job)
            again = assign(side, job.queue, state.book.queues[job.queue.name], job.podsets)
            outcome = None if job.queue.name in blocked else _try(state, job, again)
            if outcome is not None:
                made.append(outcome)
            else:
                later.append((job, again))
                if spec_of(job.queue).get("queueingStrategy") == "StrictFIFO":
                    blocked.add(job.queue.name)
    made.extend(_explain(state, job, found) for job, found in later)
    return made


def _start(tree: KueueTree, side: Side) -> _State:
    """Quota less what runs, and what nodes have free."""
    book = QueueBook(side)
    rooms = {flavor: PoolRoom.free_of(pool) for flavor, pool in side.cluster.pools.items()}
    state = _State(tree.fleet, side, book, rooms)
    observed = side.cluster.observed
    counted: dict[tuple[str, str], int] = {}
    for row in observed.running if observed is not None else ():
        workload = tree.fleet.workload(row.intent)
        if workload is None or workload.kind == "InferenceIntent":
            continue
        counted[workload.tenant, row.flavor] = counted.get((workload.tenant, row.flavor), 0) + row.accelerators
        _hold(state, workload.name, workload.tenant, row.flavor, row.accelerators, _end_of(workload))
    for usage in observed.kueue.usage if observed is not None and observed.kueue is not None else ():
        beyond = usage.accelerators - counted.get((usage.queue, usage.flavor), 0)
        if beyond > 0:
            _hold(state, f"others in {usage.queue}", usage.queue, usage.flavor, beyond, float("inf"))
    return state


def _end_of(workload: Workload) -> float:
    return float("inf") if workload.is_service else workload.run_hours


def _hold(state: _State, intent: str, queue: str, flavor: str, accelerators: int, ends: float) -> None:
    """Books accelerators with the share of everything else that comes with them."""
    node = state.book.queues.get(queue)
    pool = state.side.cluster.pools.get(flavor)
    if node is None or pool is None:
        return
    shares = shape_of(state.fleet, pool).per_unit
    cells = {(flavor, name): share * accelerators for name, share in shares.items()}
    for cell, amount in cells.items():
        node.use(cell, amount)
    state.held.append(_Held(intent, queue, cells, ends, flavor))


def _running(job: _Job) -> Admission:
    first = job.placement.assignments[0]
    return Admission(job.workload.name, job.side.name, job.queue.name, "running", first.flavor, first.domain)


def _try(state: _State, job: _Job, found: list[Assignment]) -> Admission | None:
    """Admits the job if every pod set fits now, in quota and on nodes."""
    if any(a.mode is not Mode.FIT for a in found):
        return None
    domain, taken = _place(state, job, found)
    if taken is None:
        return None
    node = state.book.queues[job.queue.name]
    cells: dict[Cell, Fraction] = {}
    for row in found:
        for name, amount in row.requests.items():
            cells[str(row.flavor), name] = cells.get((str(row.flavor), name), Fraction(0)) + amount
    for cell, amount in cells.items():
        node.use(cell, amount)
    flavor = found[0].flavor
    main = max(found, key=lambda a: a.podset.count)
    held = _Held(job.workload.name, job.queue.name, cells, job.ends, main.flavor, *taken)
    state.held.append(held)
    borrows = any(a.borrows for a in found)
    return Admission(
        job.workload.name, job.side.name, job.queue.name, "admitted", main.flavor or flavor, domain, borrows
    )


def _place(
    state: _State, job: _Job, found: list[Assignment]
) -> tuple[tuple[str, ...] | None, tuple[Unit | None, int, tuple[int, ...] | None] | None]:
    """Nodes for the workers: the fullest domain of the level that has room for all. (domain, what is taken)."""
    main = max(found, key=lambda a: (a.podset.count, a.podset.name != "head"))
    if main.flavor is None or main.flavor not in state.rooms:
        return None, (None, 0, None)
    room = state.rooms[main.flavor]
    unit = Unit(1, job.workload.unit.accelerators, job.workload.unit.cpu, job.workload.unit.memory)
    workers = _alike(found, main, unit)
    if not spec_of(state.side.flavors[main.flavor]).get("topologyName"):
        if room.workers(unit) < workers:
            return None, None
        room.take(unit, workers)
        return None, (unit, workers, None)
    level = _level_name(state.side, main.flavor, main_level(main.podset.annotations))
    required = "kueue.x-k8s.io/podset-required-topology" in main.podset.annotations
    fits = [d for d in room.domains(level, unit) if d.workers >= workers] if level is not None else []
    if fits:
        best = min(fits, key=lambda d: (d.workers, d.path))
        room.take(unit, workers, best.leaves)
        return best.path or None, (unit, workers, best.leaves)
    if required or room.workers(unit) < workers:
        return None, None
    room.take(unit, workers)
    return None, (unit, workers, None)


def _alike(found: list[Assignment], main: Assignment, unit: Unit) -> int:
    """Pods as large as the workers, in the sets that share their place: a master that works is one of them."""
    group = main.podset.annotations.get("kueue.x-k8s.io/podset-group-name")
    mates = [
        a
        for a in found
        if a is main or (group and a.podset.annotations.get("kueue.x-k8s.io/podset-group-name") == group)
    ]
    cpu = Fraction(unit.cpu, 1000)
    return sum(a.podset.count for a in mates if a is main or a.podset.requests().get("cpu", Fraction(0)) >= cpu)


def _level_name(side: Side, flavor: str, label: str | None) -> str | None:
    labels = level_labels(side.cluster)
    names = side.cluster.pools[flavor].levels
    return names[labels.index(label)] if label in labels and len(names) == len(labels) else None


def _explain(state: _State, job: _Job, found: list[Assignment]) -> Admission:
    """Why a job is not admitted, and who must end first."""
    base = (job.workload.name, job.side.name, job.queue.name)
    why = tuple(dict.fromkeys(text for a in found for text in a.why))
    if any(a.mode is Mode.NEVER for a in found):
        return Admission(*base, "never", why=why)
    flavor = max(found, key=lambda a: a.podset.count).flavor
    if not why:
        why = (f"{flavor}: no domain has room for {max(a.podset.count for a in found)} pods now",)
    trial = _State(state.fleet, state.side, state.book, {name: room.copy() for name, room in state.rooms.items()})
    released: list[_Held] = []
    fits = False
    for held in sorted((h for h in state.held if h.ends != float("inf")), key=lambda h: (h.ends, h.intent)):
        for cell, amount in held.cells.items():
            state.book.queues[held.queue].release(cell, amount)
        _free(trial, held)
        released.append(held)
        again = assign(state.side, job.queue, state.book.queues[job.queue.name], job.podsets)
        rooms = {name: room.copy() for name, room in trial.rooms.items()}
        fits = all(a.mode is Mode.FIT for a in again) and (
            _place(_State(state.fleet, state.side, state.book, rooms), job, again)[1] is not None
        )
        if fits:
            break
    for held in reversed(released):
        for cell, amount in held.cells.items():
            state.book.queues[held.queue].use(cell, amount)
    after = tuple(held.intent for held in released) if fits else ()
    return Admission(*base, "waiting", flavor, after=after, why=why)


def _free(state: _State, held: _Held) -> None:
    if held.flavor in state.rooms and held.unit is not None and held.workers:
        for index in held.leaves or range(len(state.rooms[held.flavor].leaves)):
            leaf = state.rooms[held.flavor].leaves[index]
            per_node = max(1, leaf.leaf.accelerators_per_node)
            back = min(leaf.leaf.nodes * per_node - leaf.free_accelerators, held.workers * held.unit.accelerators)
            leaf.free_accelerators += back
            leaf.free_nodes = min(leaf.leaf.nodes, leaf.free_nodes + back // per_node)
