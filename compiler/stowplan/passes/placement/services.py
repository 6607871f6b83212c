"""Places services: inference replicas by region with their N-1 reserve, and workspaces. They hold capacity for good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stowplan.model.plan import Assignment, Candidate, ReserveGap
from stowplan.model.rooms import best_per_node
from stowplan.model.workload import Workload
from stowplan.passes.placement.problem import Item, Problem, Running, Solution, Solved

__all__ = ["place_services"]


@dataclass(slots=True)
class _Part:
    """Units of a service on one candidate."""

    candidate: Candidate
    units: int
    reserved: int = 0


def place_services(problem: Problem) -> Solution:
    """Books every service into `problem.held`, in booking order."""
    solution: dict[str, Solved] = {}
    for item in problem.items:
        if item.workload.inference is not None:
            solution[item.workload.name] = _place_inference(problem, item)
        else:
            solution[item.workload.name] = _place_workspace(problem, item)
    return solution


def _room_units(problem: Problem, workload: Workload, candidate: Candidate) -> tuple[int, str]:
    """Units that still fit on a candidate, and what sets the bound."""
    pool = problem.fleet.clusters[candidate.cluster].pools[candidate.flavor]
    unit = workload.unit
    room = problem.held.room(pool).units(unit)
    if not unit.total:
        return room, "capacity"
    node = problem.held.tree(problem.fleet, candidate.cluster, candidate.flavor).tenants.get(workload.tenant)
    quota = node.potential() // unit.total if node is not None else 0
    power = _power_units(problem, workload, candidate)
    return min((room, "capacity"), (quota, "quota"), (power, "power"))


def _power_units(problem: Problem, workload: Workload, candidate: Candidate) -> int:
    cluster = problem.fleet.clusters[candidate.cluster]
    pool = cluster.pools[candidate.flavor]
    if cluster.spec.power is None or not pool.power_kilowatts_per_node:
        return 10**9
    free = cluster.spec.power.cap_kilowatts - problem.held.power.get(cluster.name, 0.0)
    per_node = best_per_node(pool, workload.unit) or 0
    return int(free // pool.power_kilowatts_per_node) * per_node // workload.unit.workers


def _hold(
    problem: Problem, workload: Workload, candidate: Candidate, units: int, running: Sequence[Running] = ()
) -> None:
    """Books units for good: room (where they run already, then anywhere), quota, power."""
    if units == 0:
        return
    pool = problem.fleet.clusters[candidate.cluster].pools[candidate.flavor]
    unit = workload.unit
    room, workers = problem.held.room(pool), units * unit.workers
    for row in running:
        if (row.cluster, row.flavor) == (candidate.cluster, candidate.flavor) and unit.accelerators:
            leaves = tuple(i for i, r in enumerate(room.leaves) if r.leaf.path[: len(row.domain)] == row.domain)
            there = min(
                workers, row.accelerators // unit.accelerators, sum(room.leaves[i].workers(unit) for i in leaves)
            )
            if there:
                room.take(unit, there, leaves)
                workers -= there
    if workers:
        room.take(unit, workers)
    problem.held.hold_quota(candidate.cluster, candidate.flavor, workload.tenant, units * unit.total)
    per_node = best_per_node(pool, unit) or 1
    draw = units * unit.workers / per_node * pool.power_kilowatts_per_node
    problem.held.power[candidate.cluster] = problem.held.power.get(candidate.cluster, 0.0) + draw


def _place_workspace(problem: Problem, item: Item) -> Solved:
    workload = item.workload
    refused: dict[str, str] = {}
    for candidate in _preferred_order(problem, item, item.candidates):
        units, bound = _room_units(problem, workload, candidate)
        if units >= workload.units:
            _hold(problem, workload, candidate, workload.units, item.running)
            running = tuple(r for r in item.running if (r.cluster, r.flavor) == (candidate.cluster, candidate.flavor))
            domain = running[0].domain if len({r.domain for r in running}) == 1 else None
            assignment = Assignment(
                candidate, domain or None, workload.total_accelerators, workload.units, None, 0, 0.0, bool(running)
            )
            return Solved("placed", (assignment,), change=_change(item, (candidate,)))
        refused[f"{candidate.cluster}/{candidate.flavor}"] = _short(workload, units, bound, workload.units)
    return Solved("unplaced", (), refused=refused)


def _short(workload: Workload, units: int, bound: str, wanted: int) -> str:
    return f"{bound}: {units * workload.unit.total} of {wanted * workload.unit.total} accelerators left beside other services"


def _preferred_order(problem: Problem, item: Item, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Where it runs, then where the lock had it (unless another is clearly better), then by score."""
    running = {(r.cluster, r.flavor) for r in item.running}
    previous = {(p.cluster, p.flavor) for p in item.previous} if problem.keep_previous else set()
    least = min((c.score for c in candidates), default=0.0)

    def rank(candidate: Candidate) -> tuple[int, float, str, str]:
        place = (candidate.cluster, candidate.flavor)
        stays = place in previous and candidate.score * (1 - problem.move_threshold) <= least
        group = 0 if place in running else 1 if stays else 2
        return group, candidate.score, candidate.cluster, candidate.flavor

    return sorted(candidates, key=rank)


def _change(item: Item, chosen: Sequence[Candidate]) -> str:
    places = {(c.cluster, c.flavor) for c in chosen}
    before = {(p.cluster, p.flavor) for p in item.previous}
    if not before:
        return "new"
    if places == before:
        return "kept"
    gone = [p for p in before if item.candidate(*p) is None]
    return "forced" if gone else "moved"


def _place_inference(problem: Problem, item: Item) -> Solved:
    workload = item.workload
    spec = workload.inference
    assert spec is not None
    regions = [row for row in spec.regions if row.replicas]
    parts: list[_Part] = []
    refused: dict[str, str] = {}
    for index, row in enumerate(regions):
        here = [c for c in item.candidates if problem.fleet.clusters[c.cluster].spec.region == row.region]
        least = _clusters_wanted(spec.spread.min_clusters, len(regions), index)
        chosen = _fill_region(problem, item, here, row.replicas, least, refused)
        if chosen is None:
            _undo(problem, workload, parts)
            return Solved(
                "unplaced", (), refused={**refused, f"region {row.region}": f"{row.replicas} replicas do not fit"}
            )
        parts.extend(chosen)
    gaps = _reserve(problem, workload, parts)
    assignments = tuple(
        _assignment(item, part) for part in sorted(parts, key=lambda p: (-p.units, p.candidate.cluster))
    )
    return Solved("placed", assignments, gaps, _change(item, [p.candidate for p in parts]))


def _clusters_wanted(least: int, regions: int, index: int) -> int:
    """How many clusters a region contributes so that the service reaches its spread."""
    share, rest = divmod(least, regions)
    return max(1, share + (1 if index < rest else 0))


def _fill_region(
    problem: Problem,
    item: Item,
    candidates: Sequence[Candidate],
    replicas: int,
    least: int,
    refused: dict[str, str],
) -> list[_Part] | None:
    """Replicas on the region's candidates, best first; evenly over `least` clusters where the spread asks for it."""
    workload = item.workload
    order = _preferred_order(problem, item, candidates)
    parts: list[_Part] = []
    left = replicas
    spread_over: set[str] = set()
    for candidate in order:
        if left == 0:
            break
        units, bound = _room_units(problem, workload, candidate)
        missing = max(0, least - len(spread_over) - (candidate.cluster not in spread_over))
        wanted = max(1, left - missing) if least <= 1 else -(-left // max(1, least - len(spread_over)))
        take = min(units, wanted, left)
        if take <= 0:
            refused[f"{candidate.cluster}/{candidate.flavor}"] = _short(workload, units, bound, left)
            continue
        _hold(problem, workload, candidate, take, item.running)
        parts.append(_Part(candidate, take))
        spread_over.add(candidate.cluster)
        left -= take
    for part in parts:
        if left:
            units, _ = _room_units(problem, workload, part.candidate)
            more = min(units, left)
            _hold(problem, workload, part.candidate, more)
            part.units += more
            left -= more
    if left or len(spread_over) < min(least, replicas):
        _undo(problem, workload, parts)
        return None
    return parts


def _undo(problem: Problem, workload: Workload, parts: Sequence[_Part]) -> None:
    """Gives back what was booked for a service that does not fit as a whole."""
    for part in parts:
        pool = problem.fleet.clusters[part.candidate.cluster].pools[part.candidate.flavor]
        accelerators = part.units * workload.unit.total
        room = problem.held.room(pool)
        for leaf in room.leaves:
            spent = leaf.leaf.nodes * leaf.leaf.accelerators_per_node - leaf.free_accelerators
            back = min(spent, accelerators)
            leaf.free_accelerators += back
            leaf.free_nodes = max(leaf.free_nodes, leaf.free_accelerators // max(1, leaf.leaf.accelerators_per_node))
            accelerators -= back
        problem.held.hold_quota(
            part.candidate.cluster, part.candidate.flavor, workload.tenant, -part.units * workload.unit.total
        )


def _reserve(problem: Problem, workload: Workload, parts: list[_Part]) -> tuple[ReserveGap, ...]:
    """Books the N-1 reserve: for each loss, the lost units must fit on what remains.

    A place's reserve is the most that any one loss asks of it.
    """
    spec = workload.inference
    assert spec is not None
    if spec.survive == "none":
        return ()
    clusters = problem.fleet.clusters

    def fails_with(part: _Part) -> str:
        if spec.survive == "one-region":
            return f"region {clusters[part.candidate.cluster].spec.region}"
        return part.candidate.cluster

    gaps = []
    for lost in sorted({fails_with(p) for p in parts}):
        load = sum(p.units for p in parts if fails_with(p) == lost)
        survivors = [p for p in parts if fails_with(p) != lost]
        have = sum(p.reserved for p in survivors)
        missing = load - have
        for part in sorted(survivors, key=lambda p: (p.candidate.score, p.candidate.cluster)):
            if missing <= 0:
                break
            units, _ = _room_units(problem, workload, part.candidate)
            more = min(units, missing)
            _hold(problem, workload, part.candidate, more)
            part.reserved += more
            missing -= more
        if missing > 0:
            gaps.append(ReserveGap(lost, missing * workload.unit.total, _gap_words(problem, workload, survivors)))
    return tuple(gaps)


def _gap_words(problem: Problem, workload: Workload, survivors: Sequence[_Part]) -> str:
    words = []
    for part in survivors:
        units, bound = _room_units(problem, workload, part.candidate)
        words.append(f"{part.candidate.cluster} has {units * workload.unit.total} left ({bound})")
    return "; ".join(words) or "no other cluster serves it"


def _assignment(item: Item, part: _Part) -> Assignment:
    unit = item.workload.unit
    running = any((r.cluster, r.flavor) == (part.candidate.cluster, part.candidate.flavor) for r in item.running)
    return Assignment(
        candidate=part.candidate,
        domain=None,
        accelerators=part.units * unit.total,
        units=part.units,
        replicas=part.units,
        reserved=part.reserved * unit.total,
        extra_wait_hours=0.0,
        is_running=running,
    )
