"""Flavor assignment: which flavor of a queue takes a pod set, by labels, taints, topology, and quota, in Kueue's order."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from stowplan.kueue.book import Node
from stowplan.kueue.claims import claimed_amounts
from stowplan.kueue.podsets import PodSet
from stowplan.kueue.rules.topology import main_level
from stowplan.kueue.tree import Side, spec_of
from stowplan.model.quantity import QuantityForm, format_quantity, parse_quantity
from stowplan.model.rendered import RenderedObject
from stowplan.passes.lower.kueue.amounts import Amounts

__all__ = ["Assignment", "Mode", "assign", "counted_requests", "flavor_complaints"]

_P = "kueue.x-k8s.io/podset-"


class Mode(enum.IntEnum):
    """How a flavor takes a pod set, the better the higher."""

    NEVER = 0
    WAIT = 1
    PREEMPT = 2
    FIT = 3


@dataclass(frozen=True, slots=True)
class Assignment:
    """The flavor chosen for a pod set; `why` says for each flavor that was not why not."""

    podset: PodSet
    flavor: str | None
    mode: Mode
    borrows: bool
    requests: Mapping[str, Fraction]
    why: tuple[str, ...] = ()


def counted_requests(side: Side, podset: PodSet) -> Amounts:
    """What all pods of the set ask for, as the cluster's Kueue counts it: claims last, transformed by nothing."""
    settings = side.cluster.spec.kueue
    asked = {name: amount * podset.count for name, amount in podset.requests().items()}
    for row in settings.transformations:
        amount = asked.get(row.input)
        if amount is None:
            continue
        if row.strategy == "Replace":
            asked.pop(row.input)
        for name, each in row.outputs.items():
            asked[name] = asked.get(name, Fraction(0)) + amount * Fraction(parse_quantity(each))
    made = {n: a for n, a in asked.items() if not any(n.startswith(p) for p in settings.exclude_prefixes) and a}
    for name, amount in claimed_amounts(side, podset).items():
        made[name] = made.get(name, Fraction(0)) + amount * podset.count
    return made


def assign(side: Side, queue: RenderedObject, node: Node, podsets: Sequence[PodSet]) -> list[Assignment]:
    """One assignment a pod set; what earlier sets of the job take is not there for later ones."""
    taken: dict[tuple[str, str], Fraction] = {}
    made = []
    for group in _together(podsets):
        found = _assign_group(side, queue, node, group, taken)
        made.extend(found)
        for row in found:
            if row.flavor is not None:
                for name, amount in row.requests.items():
                    taken[row.flavor, name] = taken.get((row.flavor, name), Fraction(0)) + amount
    return made


def _together(podsets: Sequence[PodSet]) -> Iterator[list[PodSet]]:
    """Pod sets of one group get one flavor."""
    groups: dict[str, list[PodSet]] = {}
    for podset in podsets:
        name = podset.annotations.get(f"{_P}group-name")
        groups.setdefault(f"group:{name}" if name is not None else f"alone:{podset.name}", []).append(podset)
    yield from groups.values()


def _assign_group(
    side: Side, queue: RenderedObject, node: Node, podsets: list[PodSet], taken: Mapping[tuple[str, str], Fraction]
) -> list[Assignment]:
    spec = spec_of(queue)
    requests = [counted_requests(side, podset) for podset in podsets]
    wanted: Amounts = {}
    for row in requests:
        for name, amount in row.items():
            wanted[name] = wanted.get(name, Fraction(0)) + amount
    best: tuple[Mode, bool, str] | None = None
    why: list[str] = []
    flavors = [str(f.get("name")) for g in spec.get("resourceGroups") or [] for f in g.get("flavors") or []]
    covered = {r for g in spec.get("resourceGroups") or [] for r in g.get("coveredResources") or []}
    missing = sorted(set(wanted) - covered - {"pods"})
    if missing:
        why.append(f"the queue does not cover {', '.join(missing)}")
        flavors = []
    counted = {name: amount for name, amount in wanted.items() if name in covered}
    fungibility = spec.get("flavorFungibility") or {}
    for name in flavors:
        complaint = next((c for p in podsets for c in flavor_complaints(side, queue, name, p)), None)
        if complaint is not None:
            why.append(f"{name}: {complaint}")
            continue
        mode, borrows, text = _quota_mode(spec, node, name, counted, taken)
        if text:
            why.append(f"{name}: {text}")
        if best is None or (mode, not borrows) > (best[0], not best[1]):
            best = (mode, borrows, name)
        if _may_stop(mode, fungibility, borrows=borrows):
            break
    mode, borrows, flavor = best if best is not None else (Mode.NEVER, False, None)
    chosen = flavor if mode is not Mode.NEVER else None
    return [
        Assignment(p, chosen, mode, borrows, {n: a for n, a in r.items() if n in covered}, tuple(why))
        for p, r in zip(podsets, requests, strict=True)
    ]


def _may_stop(mode: Mode, fungibility: Mapping[str, str], *, borrows: bool) -> bool:
    """Whether the search ends at a flavor, as `flavorFungibility` says."""
    may_borrow = fungibility.get("whenCanBorrow", "MayStopSearch") in ("MayStopSearch", "Borrow")
    may_preempt = fungibility.get("whenCanPreempt", "TryNextFlavor") in ("MayStopSearch", "Preempt")
    if mode is Mode.FIT:
        return not borrows or may_borrow
    return mode is Mode.PREEMPT and may_preempt and (not borrows or may_borrow)


def _quota_mode(
    spec: Mapping[str, Any],
    node: Node,
    flavor: str,
    wanted: Mapping[str, Fraction],
    taken: Mapping[tuple[str, str], Fraction],
) -> tuple[Mode, bool, str]:
    """The worst of all resources, whether any borrows, and the reason if it does not fit now."""
    worst, borrows, text = Mode.FIT, False, ""
    given = spec.get("preemption") or {}
    for name, amount in wanted.items():
        cell = (flavor, name)
        asked = amount + taken.get(cell, Fraction(0))
        borrows = borrows or node.borrows(cell, asked)
        if asked > node.potential(cell):
            return (
                Mode.NEVER,
                borrows,
                f"{_amount(name, asked)} {name} is more than can ever be had, {_amount(name, node.potential(cell))}",
            )
        if asked > node.available(cell):
            within = given.get("withinClusterQueue", "Never") != "Never"
            reclaims = given.get("reclaimWithinCohort", "Never") != "Never" and asked <= node.nominal(cell)
            mode = Mode.PREEMPT if within or reclaims else Mode.WAIT
            if mode < worst:
                worst, text = (
                    mode,
                    f"{_amount(name, asked)} {name} asked, {_amount(name, max(Fraction(0), node.available(cell)))} free now",
                )
    return worst, borrows, text


def _amount(name: str, amount: Fraction) -> str:
    """An amount as people write it: memory and storage in binary units, everything else plain."""
    if "memory" in name or "storage" in name:
        return format_quantity(amount, QuantityForm.BINARY)
    return str(amount.numerator) if amount.denominator == 1 else f"{float(amount):g}"


def flavor_complaints(side: Side, queue: RenderedObject, name: str, podset: PodSet) -> Iterator[str]:
    """Why a flavor cannot take a pod set whatever its quota: it is not there, taints, labels, topology."""
    flavor = side.flavors.get(name)
    if flavor is None:
        yield "no such ResourceFlavor"
        return
    spec = spec_of(flavor)
    yield from _topology(side, queue, flavor, podset)
    if spec.get("topologyName") and podset.pod.get("resourceClaims"):
        yield "its topology takes no pods that claim devices, which it looks for among the resources of nodes"
    tolerated = [*(podset.pod.get("tolerations") or []), *(spec.get("tolerations") or [])]
    for taint in spec.get("nodeTaints") or []:
        hard = taint.get("effect") in ("NoSchedule", "NoExecute")
        if hard and not any(_tolerates(row, taint) for row in tolerated):
            yield f"taint {taint.get('key')} is not tolerated"
    labels = {str(k): str(v) for k, v in (spec.get("nodeLabels") or {}).items()}
    known = _label_keys(side, queue)
    for key, value in (podset.pod.get("nodeSelector") or {}).items():
        if key in known and labels.get(key) != value:
            yield f"node selector {key}={value} does not match"
    affinity = ((podset.pod.get("affinity") or {}).get("nodeAffinity") or {}).get(
        "requiredDuringSchedulingIgnoredDuringExecution"
    ) or {}
    terms = affinity.get("nodeSelectorTerms") or []
    if terms and not any(_term(term, labels, known) for term in terms):
        yield "its labels do not match the pods' node affinity"


def _label_keys(side: Side, queue: RenderedObject) -> set[str]:
    """Keys that the flavors of the queue define: others are left to the scheduler."""
    names = [str(f.get("name")) for g in spec_of(queue).get("resourceGroups") or [] for f in g.get("flavors") or []]
    return {
        key for name in names if name in side.flavors for key in spec_of(side.flavors[name]).get("nodeLabels") or {}
    }


def _term(term: Mapping[str, Any], labels: Mapping[str, str], known: set[str]) -> bool:
    for row in term.get("matchExpressions") or []:
        key, operator, values = row.get("key"), row.get("operator"), row.get("values") or []
        if key not in known:
            continue
        found = labels.get(str(key))
        holds = {
            "In": found in values, "NotIn": found not in values, "Exists": found is not None, "DoesNotExist": found is None,
        }.get(str(operator), True)  # fmt: skip
        if not holds:
            return False
    return True


def _tolerates(row: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    if row.get("effect") not in (None, "", taint.get("effect")):
        return False
    if row.get("key") in (None, ""):
        return row.get("operator") == "Exists"
    if row.get("key") != taint.get("key"):
        return False
    return row.get("operator") == "Exists" or (row.get("value") or "") == (taint.get("value") or "")


def _topology(side: Side, queue: RenderedObject, flavor: RenderedObject, podset: PodSet) -> Iterator[str]:
    topology = spec_of(flavor).get("topologyName")
    asks = [key for key in ("required", "preferred", "unconstrained") if f"{_P}{key}-topology" in podset.annotations]
    if asks and not topology:
        yield "it has no topology, and the pods ask for a place in one"
    elif topology and not asks and not _all_have_topology(side, queue):
        yield "it takes only pods that ask for a place in its topology"
    level = main_level(podset.annotations)
    found = side.topologies.get(str(topology)) if topology else None
    if topology and level is not None:
        rows = spec_of(found).get("levels") or [] if found is not None else []
        if level not in [row.get("nodeLabel") for row in rows]:
            yield f"its topology has no level {level}"


def _all_have_topology(side: Side, queue: RenderedObject) -> bool:
    names = [str(f.get("name")) for g in spec_of(queue).get("resourceGroups") or [] for f in g.get("flavors") or []]
    return all(name in side.flavors and spec_of(side.flavors[name]).get("topologyName") for name in names)
