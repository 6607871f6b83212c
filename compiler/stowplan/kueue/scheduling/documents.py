"""Kueue's objects as documents, read into the model's world: queues in their tree, flavors with their nodes, jobs as asks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from stowplan.kueue.podsets import PodSet
from stowplan.kueue.scheduling.quota import Cell, Node, Quota, sum_subtrees
from stowplan.kueue.scheduling.topology import FlavorNodes, NodeFacts
from stowplan.kueue.scheduling.units import units_of
from stowplan.kueue.scheduling.work import Ask, PodAsk
from stowplan.kueue.scheduling.world import NEVER, Flavor, Group, Queue, Rules, World
from stowplan.model.quantity import parse_quantity

__all__ = ["Counting", "Documents", "ask_of", "read_world"]

Document = Mapping[str, Any]
_BETA1 = {"Borrow": "MayStopSearch", "Preempt": "MayStopSearch"}
_MULTIKUEUE, _PROVISIONING = "kueue.x-k8s.io/multikueue", "kueue.x-k8s.io/provisioning-request"


@dataclass(frozen=True, slots=True)
class Documents:
    """Objects of one API server by name."""

    queues: Mapping[str, Document]
    flavors: Mapping[str, Document]
    cohorts: Mapping[str, Document] = field(default_factory=dict)
    topologies: Mapping[str, Document] = field(default_factory=dict)
    checks: Mapping[str, Document] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Counting:
    """How resources count in quota: rows of (input, whether it counts too, outputs), and prefixes that do not count.

    `claims` are what the claims of one pod count as beside that.
    """

    transformations: tuple[tuple[str, bool, Mapping[str, str]], ...] = ()
    exclude_prefixes: tuple[str, ...] = ()
    claims: Callable[[PodSet], Mapping[str, Fraction]] | None = None

    def counted(self, each: Mapping[str, Fraction]) -> dict[str, int]:
        """What one pod counts for."""
        asked = {n: a for n, a in each.items() if not any(n.startswith(prefix) for prefix in self.exclude_prefixes)}
        made = dict(asked)
        for name, keeps, outputs in self.transformations:
            if name not in asked:
                continue
            if not keeps:
                made.pop(name, None)
            whole = units_of("", asked[name])
            for output, amount in outputs.items():
                made[output] = made.get(output, Fraction(0)) + whole * Fraction(parse_quantity(amount))
        return {name: units_of(name, amount) for name, amount in made.items()}


def read_world(documents: Documents, nodes: Iterable[NodeFacts]) -> World:
    """The world with nothing held. A cohort that is only named has no quota; one above itself has no parent."""
    rows = tuple(nodes)
    flavors = {name: _flavor(name, _spec(made)) for name, made in documents.flavors.items()}
    cohorts: dict[str, Node] = {}
    for name in documents.cohorts:
        _cohort(documents, cohorts, name, ())
    queues = {name: _queue(documents, cohorts, flavors, name) for name in documents.queues}
    for node in (*cohorts.values(), *(queue.node for queue in queues.values())):
        if node.parent is None:
            sum_subtrees(node)
    places = {}
    for flavor in flavors.values():
        levels = _levels(documents, flavor)
        if levels:
            mine = [n for n in rows if all(n.labels.get(key) == value for key, value in flavor.labels.items())]
            places[flavor.name] = FlavorNodes(levels, mine, flavor.tolerations)
    return World(queues, flavors, places)


def _spec(made: Document | None) -> Mapping[str, Any]:
    found = made.get("spec") if made is not None else None
    return found if isinstance(found, Mapping) else {}


def _flavor(name: str, spec: Mapping[str, Any]) -> Flavor:
    return Flavor(
        name,
        {str(key): str(value) for key, value in (spec.get("nodeLabels") or {}).items()},
        tuple(spec.get("nodeTaints") or ()),
        tuple(spec.get("tolerations") or ()),
        spec.get("topologyName"),
    )


def _levels(documents: Documents, flavor: Flavor) -> list[str]:
    made = documents.topologies.get(flavor.topology) if flavor.topology is not None else None
    return [str(level.get("nodeLabel")) for level in _spec(made).get("levels") or []]


def _weight(spec: Mapping[str, Any]) -> float:
    weight = (spec.get("fairSharing") or {}).get("weight")
    return 1.0 if weight is None else float(parse_quantity(str(weight)))


def _cohort(documents: Documents, known: dict[str, Node], name: str, path: tuple[str, ...]) -> Node:
    if name not in known:
        spec = _spec(documents.cohorts.get(name))
        above = spec.get("parentName")
        parent = _cohort(documents, known, str(above), (*path, name)) if above and above not in (*path, name) else None
        known[name] = Node(name, parent, _quotas(spec), _weight(spec), is_queue=False)
        if parent is not None:
            parent.children.append(known[name])
    return known[name]


def _quotas(spec: Mapping[str, Any]) -> dict[Cell, Quota]:
    found = {}
    for group in spec.get("resourceGroups") or []:
        for flavor in group.get("flavors") or []:
            for row in flavor.get("resources") or []:
                name = str(row.get("name"))
                nominal, borrowing, lending = (
                    None if row.get(key) is None else units_of(name, str(row[key]))
                    for key in ("nominalQuota", "borrowingLimit", "lendingLimit")
                )
                found[str(flavor.get("name")), name] = Quota(nominal or 0, borrowing, lending)
    return found


def _queue(documents: Documents, cohorts: dict[str, Node], flavors: Mapping[str, Flavor], name: str) -> Queue:
    spec = _spec(documents.queues[name])
    above = spec.get("cohortName") or spec.get("cohort")
    parent = _cohort(documents, cohorts, str(above), ()) if above else None
    stop = spec.get("stopPolicy")
    is_stopped = stop not in (None, "None")
    node = Node(name, parent, _quotas(spec), _weight(spec), is_active=not is_stopped)
    if parent is not None:
        parent.children.append(node)
    groups = tuple(
        Group(frozenset(group.get("coveredResources") or ()), tuple(str(f.get("name")) for f in group.get("flavors") or ()))
        for group in spec.get("resourceGroups") or []
    )  # fmt: skip
    mine = [flavor for group in groups for flavor in group.flavors]
    checks = _checks(spec)
    return Queue(
        name, node, _rules(spec), groups, _late(documents, checks, mine), checks,
        f"the queue is stopped ({stop})" if is_stopped else None,
        stop == "HoldAndDrain",
        all(flavor in flavors and _levels(documents, flavors[flavor]) for flavor in mine),
    )  # fmt: skip


def _rules(spec: Mapping[str, Any]) -> Rules:
    fungibility, preemption = spec.get("flavorFungibility") or {}, spec.get("preemption") or {}
    borrow = preemption.get("borrowWithinCohort") or {}
    can_borrow = fungibility.get("whenCanBorrow") or "MayStopSearch"
    can_preempt = fungibility.get("whenCanPreempt") or "TryNextFlavor"
    return Rules(
        spec.get("queueingStrategy") or "BestEffortFIFO",
        _BETA1.get(can_borrow, can_borrow),
        _BETA1.get(can_preempt, can_preempt),
        fungibility.get("preference") or "BorrowingOverPreemption",
        preemption.get("withinClusterQueue") or NEVER,
        preemption.get("reclaimWithinCohort") or NEVER,
        borrow.get("policy") or NEVER,
        borrow.get("maxPriorityThreshold"),
    )


def _checks(spec: Mapping[str, Any]) -> tuple[tuple[str, frozenset[str]], ...]:
    rows = (spec.get("admissionChecksStrategy") or {}).get("admissionChecks") or []
    stated = tuple((str(row.get("name")), frozenset(row.get("onFlavors") or ())) for row in rows)
    return (*stated, *((str(name), frozenset()) for name in spec.get("admissionChecks") or []))


def _late(
    documents: Documents, checks: Iterable[tuple[str, frozenset[str]]], flavors: Iterable[str]
) -> frozenset[str] | None:
    """Flavors whose nodes come only with a provisioning request; None (all) where another cluster places the pods."""
    late: set[str] = set()
    for name, only in checks:
        controller = _spec(documents.checks.get(name)).get("controllerName")
        if controller == _MULTIKUEUE:
            return None
        if controller == _PROVISIONING:
            late.update(only or flavors)
    return frozenset(late)


def ask_of(
    name: str, queue: str, podsets: Iterable[PodSet], counting: Counting, *, priority: int = 0, created: int = 0
) -> Ask:
    """Work with its pod sets, as Kueue counts them; the pods of a group that are alike are one set."""
    merged: dict[tuple[str, str, tuple[tuple[str, str], ...]], PodAsk] = {}
    for podset in podsets:
        one = _pod_ask(podset, counting)
        key = (one.name, one.shape, tuple(sorted(one.annotations.items())))
        before = merged.get(key)
        merged[key] = one if before is None else replace(before, count=before.count + one.count)
    names: dict[str, int] = {}
    rows = []
    for one in merged.values():
        names[one.name] = names.get(one.name, 0) + 1
        rows.append(one if names[one.name] == 1 else replace(one, name=f"{one.name}-{names[one.name]}"))
    return Ask(name, queue, tuple(rows), priority, created)


def _pod_ask(podset: PodSet, counting: Counting) -> PodAsk:
    requests = {key: amount for key, amount in podset.requests().items() if key != "pods"}
    each = {key: units_of(key, amount) for key, amount in requests.items()}
    pod = podset.pod
    counted = counting.counted(requests)
    for key, amount in (counting.claims(podset) if counting.claims is not None else {}).items():
        counted[key] = counted.get(key, 0) + units_of(key, amount)
    judged = [
        sorted(each.items()),
        sorted(counted.items()),
        pod.get("tolerations"),
        pod.get("nodeSelector"),
        pod.get("affinity"),
    ]
    shape = json.dumps(judged, sort_keys=True, default=str)
    return PodAsk(podset.name, podset.count, each, counted, pod, podset.annotations, shape)
