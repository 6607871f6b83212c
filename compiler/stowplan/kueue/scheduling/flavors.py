"""Which flavor takes each resource of each pod set: by labels, taints, topology, and quota, in Kueue's order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from stowplan.kueue.scheduling.assignment import (
    Assignment,
    Chosen,
    Mode,
    PodSetAssignment,
    find_places,
    misplaced,
    requests_of,
    take_places,
    topology_requests,
)
from stowplan.kueue.scheduling.matching import matches_flavor, untolerated
from stowplan.kueue.scheduling.placing import Request, has_levels
from stowplan.kueue.scheduling.quota import Cell
from stowplan.kueue.scheduling.release import Release
from stowplan.kueue.scheduling.slices import replaced, taken_before
from stowplan.kueue.scheduling.units import show
from stowplan.kueue.scheduling.work import Ask, PodAsk
from stowplan.kueue.scheduling.world import NEVER, Flavor, Group, Held, Queue, World

__all__ = ["Oracle", "assign", "complaint_of"]


class Oracle(Protocol):
    """Says whether an amount of one cell could be had by preemption, and how far it would then have to be borrowed."""

    def simulate(self, ask: Ask, cell: Cell, amount: int) -> tuple[Mode, int]:
        """(NO_CANDIDATES, PREEMPT or RECLAIM; height of the subtree that lends)."""


def assign(
    world: World,
    release: Release,
    ask: Ask,
    oracle: Oracle,
    tried: Sequence[Mapping[str, int]] = (),
    only: Mapping[tuple[str, str], str] | None = None,
) -> Assignment:
    """Flavors for all pod sets, and places for those that get one.

    `tried` is where the last search stopped; `only` pins (pod set, resource) to a flavor.
    """  # fmt: skip
    queue, old = world.queues[ask.queue], replaced(world, ask)
    made = Assignment()
    groups: dict[str, list[int]] = {}
    for number, podset in enumerate(ask.podsets):
        groups.setdefault(str(number) if podset.group is None else f"group {podset.group}", []).append(number)
    for numbers in groups.values():
        rows = [ask.podsets[number] for number in numbers]
        last = tried[numbers[0]] if tried and numbers[0] < len(tried) else {}
        search = _Search(world, release, queue, ask, rows, oracle, made.quota, last, only, old)
        flavors, why = search.run()
        for podset in rows:
            mine = {name: chosen for name, chosen in flavors.items() if name in requests_of(queue, podset)}
            made.podsets.append(PodSetAssignment(podset, mine, list(why)))
            for name, chosen in mine.items():
                cell = (chosen.flavor, name)
                amount = requests_of(queue, podset)[name] - taken_before(queue, old, podset.name, name)
                made.quota[cell] = made.quota.get(cell, 0) + amount
                made.height = max(made.height, chosen.height)
        if any(requests_of(queue, podset) for podset in rows) and not flavors:
            return made
    made.mode = min((podset.mode for podset in made.podsets), default=Mode.NO_FIT)
    if made.mode is not Mode.NO_FIT:
        _place(world, release, queue, made)
    return made


class _Search:
    """The search for the flavors of pod sets that share them."""

    def __init__(
        self, world: World, release: Release, queue: Queue, ask: Ask, podsets: list[PodAsk], oracle: Oracle,
        assumed: Mapping[Cell, int], last: Mapping[str, int], only: Mapping[tuple[str, str], str] | None, old: Held | None,
    ) -> None:  # fmt: skip
        self.world, self.release, self.queue, self.ask, self.podsets = world, release, queue, ask, podsets
        self.oracle, self.assumed, self.last, self.only, self.old = oracle, assumed, last, only, old
        self.wanted: dict[str, int] = {}
        for podset in podsets:
            for name, amount in requests_of(queue, podset).items():
                self.wanted[name] = self.wanted.get(name, 0) + amount

    def run(self) -> tuple[dict[str, Chosen], list[str]]:
        """Flavors by resource, none where some resource gets none; reasons."""
        missing = sorted(name for name in self.wanted if self.queue.group_of(name) is None)
        if missing:
            return {}, [f"the queue does not cover {', '.join(missing)}"]
        found: dict[str, Chosen] = {}
        why: list[str] = []
        for group in self.queue.groups:
            mine = {name: amount for name, amount in self.wanted.items() if name in group.resources}
            if not mine:
                continue
            chosen, reasons = self._group(group, mine)
            if not chosen:
                return {}, reasons
            found.update(chosen)
            why += reasons
        return found, why

    def _group(self, group: Group, wanted: Mapping[str, int]) -> tuple[dict[str, Chosen], list[str]]:
        best: dict[str, Chosen] = {}
        best_mode = (Mode.NO_FIT, 0)
        why: list[str] = []
        start = min((self.last[name] + 1 for name in wanted if name in self.last), default=0)
        attempted = -1
        for number in range(start if self.release.fungible else 0, len(group.flavors)):
            name = group.flavors[number]
            attempted = number
            if self.only is not None and name not in {self.only.get((p.name, r)) for p in self.podsets for r in wanted}:
                continue
            complaint = next((c for p in self.podsets if (c := complaint_of(self.world, self.release, self.queue, group, name, p))), None)  # fmt: skip
            if complaint is not None:
                why.append(f"{name}: {complaint}")
                continue
            chosen, mode, reasons = self._flavor(name, wanted)
            why += reasons
            if self.release.fungible:
                if self._may_stop(mode):
                    best, best_mode = chosen, mode
                    break
                if self._better(mode, best_mode):
                    best, best_mode = chosen, mode
            elif mode[0] > best_mode[0]:
                best, best_mode = chosen, mode
                if mode[0] is Mode.FIT:
                    break
        for row in best.values():
            row.tried = -1 if attempted == len(group.flavors) - 1 else attempted
        return best, [] if best_mode[0] is Mode.FIT else why

    def _flavor(self, flavor: str, wanted: Mapping[str, int]) -> tuple[dict[str, Chosen], tuple[Mode, int], list[str]]:
        """Flavors by resource if this one takes all, the worst mode with the height, and reasons."""
        worst: tuple[Mode, int] = (Mode.FIT, 0)
        chosen: dict[str, Chosen] = {}
        reasons: list[str] = []
        for name, amount in wanted.items():
            runs_on = self._elsewhere(flavor, name)
            if runs_on is not None:
                return {}, (Mode.NO_FIT, 0), [f"{flavor}: what grows stays on its flavor, {runs_on}"]
            mode, height, text = self._quota(flavor, name, amount - self._before(name))
            if text:
                reasons.append(f"{flavor}: {text}")
            if self._better(worst, (mode, height)):
                worst = (mode, height)
            if worst[0] is Mode.NO_FIT:
                return {}, worst, reasons
            chosen[name] = Chosen(flavor, mode.step, height)
        return chosen, worst, reasons

    def _elsewhere(self, flavor: str, name: str) -> str | None:
        """Another flavor that the replaced slice has for the resource."""
        if self.old is None or not self.old.flavors:
            return None
        known = (self.old.flavors.get((podset.name, name), "none") for podset in self.podsets)
        return next((other for other in known if other != flavor), None)

    def _before(self, name: str) -> int:
        return sum(taken_before(self.queue, self.old, podset.name, name) for podset in self.podsets)

    def _quota(self, flavor: str, name: str, amount: int) -> tuple[Mode, int, str]:
        node, cell = self.queue.node, (flavor, name)
        asked = amount + self.assumed.get(cell, 0)
        most = node.potential(cell)
        if asked > most:
            return Mode.NO_FIT, 0, f"{show(name, asked)} {name} is more than can ever be had, {show(name, most)}"
        height, is_inside = node.lowest_fit(cell, asked)
        free = node.available(cell)
        if asked <= free:
            return Mode.FIT, height, ""
        text = f"{show(name, asked)} {name} asked, {show(name, free)} free now"
        rules = self.queue.rules
        while_borrowing = rules.borrow != NEVER or (self.release.fair_sharing and rules.reclaim != NEVER)
        if asked <= node.nominal(cell) or is_inside or while_borrowing:
            return *self.oracle.simulate(self.ask, cell, asked), text
        return Mode.NO_FIT, height, text

    def _better(self, one: tuple[Mode, int], other: tuple[Mode, int]) -> bool:
        """Whether one mode with its height is preferred to another."""
        if one[0] is Mode.NO_FIT or other[0] is Mode.NO_FIT:
            return one[0] is not Mode.NO_FIT
        if self.release.ranks_candidates and (one[0] is Mode.NO_CANDIDATES) != (other[0] is Mode.NO_CANDIDATES):
            return other[0] is Mode.NO_CANDIDATES
        if self.queue.rules.preference == "PreemptionOverBorrowing":
            return (-one[1], one[0]) > (-other[1], other[0])
        return (one[0], -one[1]) > (other[0], -other[1])

    def _may_stop(self, mode: tuple[Mode, int]) -> bool:
        """Whether the search ends here, as `flavorFungibility` says."""
        rules = self.queue.rules
        if mode[0] in (Mode.NO_FIT, Mode.NO_CANDIDATES):
            return False
        if mode[0] is not Mode.FIT and rules.when_can_preempt == "TryNextFlavor":
            return False
        return not (mode[1] > 0 and rules.when_can_borrow == "TryNextFlavor")


def complaint_of(world: World, release: Release, queue: Queue, group: Group, name: str, podset: PodAsk) -> str | None:
    """Why a flavor cannot take a pod set whatever its quota: it is not there, topology, taints, labels."""
    flavor = world.flavors.get(name)
    if flavor is None:
        return "no such ResourceFlavor"
    if flavor.topology is not None and podset.pod.get("resourceClaims") and not release.counts_all_usage:
        return "its topology takes no pods that claim devices, which it looks for among the resources of nodes"
    found = _topology_complaint(world, queue, group, flavor, podset)
    if found is not None:
        return found
    tolerated = [*(podset.pod.get("tolerations") or []), *flavor.tolerations]
    taint = untolerated(flavor.taints, tolerated)
    if taint is not None:
        return f"taint {taint.get('key')} is not tolerated"
    if release.selects_by_flavor:
        keys = frozenset(flavor.labels)
    else:
        keys = frozenset(k for other in group.flavors if other in world.flavors for k in world.flavors[other].labels)
    return matches_flavor(podset.pod, flavor.labels, keys)


def _topology_complaint(world: World, queue: Queue, group: Group, flavor: Flavor, podset: PodAsk) -> str | None:
    if not podset.asks_for_place:
        if queue.is_placing or flavor.topology is None:
            return None
        return "it takes only pods that ask for a place in its topology"
    if flavor.topology is None:
        if not group.resources.intersection(podset.each):
            return None
        return "it has no topology, and the pods ask for a place in one"
    nodes = world.nodes.get(flavor.name)
    if nodes is None:
        return f"its Topology `{flavor.topology}` is not there"
    request = Request(podset)
    if has_levels(request, nodes):
        return None
    named = [request.required or request.preferred, *(name for name, _ in request.layers)]
    unknown = next((name for name in named if name is not None and name not in nodes.levels), None)
    return f"its topology has no level {unknown}"


def _place(world: World, release: Release, queue: Queue, made: Assignment) -> None:
    """Looks for places. Where there are none now, others must go; where there never are, nothing helps."""
    requests = topology_requests(world, queue, made)
    by_name = {podset.ask.name: podset for podset in made.podsets}
    if made.mode is Mode.FIT:
        places = find_places(world, release, requests)
        failure = misplaced(places)
        if failure is None:
            take_places(made, places)
            return
        by_name[failure[0]].why.append(f"{_flavor_of(requests, failure[0])}: {failure[1]}")
        made.mode = Mode.PREEMPT
        for chosen in by_name[failure[0]].flavors.values():
            chosen.mode = Mode.PREEMPT
    failure = misplaced(find_places(world, release, requests, as_empty=True))
    if failure is not None:
        by_name[failure[0]].why.append(
            f"{_flavor_of(requests, failure[0])}: even with all other work preempted, {failure[1]}"
        )
        made.mode = Mode.NO_FIT
        for chosen in by_name[failure[0]].flavors.values():
            chosen.mode = Mode.NO_FIT
        return
    for rows in requests.values():
        for request in rows:
            for chosen in by_name[request.podset].flavors.values():
                chosen.mode = Mode.PREEMPT
    made.mode = Mode.PREEMPT


def _flavor_of(requests: Mapping[str, list[Request]], podset: str) -> str:
    return next(flavor for flavor, rows in requests.items() if any(row.podset == podset for row in rows))
