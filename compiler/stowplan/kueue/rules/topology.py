"""Rules on places in the topology: annotations, the levels they name, and the nodes that carry them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from stowplan.kueue.annotations import layers, whole_number
from stowplan.kueue.podsets import PodSet, podsets_of
from stowplan.kueue.rules.base import Finding, problem, warn
from stowplan.kueue.tree import KueueTree, Side, spec_of
from stowplan.model.rendered import RenderedObject
from stowplan.passes.lower.kueue.amounts import Amounts
from stowplan.passes.lower.kueue.flavors import level_labels

__all__ = ["CHECKS", "SIDE_CHECKS", "main_level"]

_P = "kueue.x-k8s.io/podset-"
_REQUIRED, _PREFERRED, _ANYWHERE = f"{_P}required-topology", f"{_P}preferred-topology", f"{_P}unconstrained-topology"
_SLICE, _SLICE_SIZE, _LAYERS = (
    f"{_P}slice-required-topology",
    f"{_P}slice-size",
    f"{_P}slice-required-topology-constraints",
)
_GROUP = f"{_P}group-name"


def main_level(annotations: Mapping[str, str]) -> str | None:
    """The level that a pod set asks for, required or preferred."""
    return annotations.get(_REQUIRED) or annotations.get(_PREFERRED)


def grammar(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2060: annotations that Kueue's webhooks take."""
    for job in side.jobs:
        podsets = podsets_of(job)
        for pods in podsets:
            for text in _complaints(pods):
                yield problem(
                    "SP2060",
                    job,
                    (*pods.pointer, "metadata", "annotations"),
                    f"pod set `{pods.name}` of {job.reference}: {text}",
                )
        yield from _groups(job, podsets)


def _complaints(pods: PodSet) -> Iterator[str]:
    given = pods.annotations
    stated = [key for key in (_REQUIRED, _PREFERRED, _ANYWHERE) if key in given]
    if len(stated) > 1:
        yield f"`{stated[0]}` and `{stated[1]}` exclude each other"
    if given.get(_ANYWHERE, "true") != "true":
        yield f"`{_ANYWHERE}` is `true` or absent"
    if (_SLICE in given) != (_SLICE_SIZE in given):
        yield f"`{_SLICE}` and `{_SLICE_SIZE}` need each other"
    size = whole_number(given.get(_SLICE_SIZE, "1"))
    if size is None or not 1 <= size <= max(1, pods.count):
        yield f"`{_SLICE_SIZE}` is a number from 1 to {pods.count}, the pods there are"
    elif pods.count % size:
        yield f"{pods.count} pods are no whole number of slices of {size}"
    if _LAYERS in given:
        yield from _layers(given)
    group = given.get(_GROUP)
    if group is not None and (group.isdigit() or _SLICE in given or main_level(given) is None):
        yield f"`{_GROUP}` is no number, and needs a required or preferred level and no slices"


def _layers(given: Mapping[str, str]) -> Iterator[str]:
    if _SLICE in given or _GROUP in given:
        yield f"`{_LAYERS}` excludes slices and groups"
    rows = layers(given[_LAYERS])
    if rows is None:
        yield f"`{_LAYERS}` is a JSON list of `topology` and `size`"
        return
    if not 1 <= len(rows) <= 3 or len({level for level, _ in rows}) < len(rows):
        yield f"`{_LAYERS}` names one to three levels, each once"
    if any(coarse % fine for (_, coarse), (_, fine) in itertools.pairwise(rows)):
        yield f"each size of `{_LAYERS}` divides the one before"


def _groups(job: RenderedObject, podsets: tuple[PodSet, ...]) -> Iterator[Finding]:
    members: dict[str, list[PodSet]] = {}
    for pods in podsets:
        if _GROUP in pods.annotations:
            members.setdefault(pods.annotations[_GROUP], []).append(pods)
    for name, rows in members.items():
        levels = {(r.annotations.get(_REQUIRED), r.annotations.get(_PREFERRED)) for r in rows}
        if len(rows) != 2 or 1 not in [r.count for r in rows] or len(levels) > 1:
            yield problem(
                "SP2060", job, (*rows[0].pointer, "metadata", "annotations"),
                f"group `{name}` of {job.reference} is not two pod sets of one level, one of them a single pod",
            )  # fmt: skip


def levels(tree: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2061: levels are those of the flavor's topology, wide ones first, on the manager and on the workers."""
    for job in side.jobs:
        queue = side.queue_of(job)
        if queue is None:
            continue
        for pods in podsets_of(job):
            wanted = _wanted_levels(pods.annotations)
            for name in (side.name, *side.candidates(queue)) if wanted else ():
                place = tree.sides.get(name)
                target = queue if name == side.name else (place.queue_of(job) if place is not None else None)
                if place is None or target is None:
                    continue
                text = _unknown_level(wanted, _topologies_of(place, target), name)
                if text is not None:
                    at = (*pods.pointer, "metadata", "annotations")
                    yield problem("SP2061", job, at, f"pod set `{pods.name}` of {job.reference} {text}")


def _wanted_levels(given: Mapping[str, str]) -> list[str]:
    """The level of all pods, then those of slices, each within the one before."""
    main = main_level(given)
    found = [main] if main is not None else []
    if _SLICE in given:
        found.append(given[_SLICE])
    found += [level for level, _ in layers(given.get(_LAYERS)) or ()]  # SP2060 says what is wrong with it
    return found


def _unknown_level(wanted: list[str], topologies: list[list[str]], where: str) -> str | None:
    """What is wrong with the levels on one API server, None where one of its topologies has them in this order."""
    known = {level for levels in topologies for level in levels}
    for level in wanted:
        if level not in known:
            listed = ", ".join(f"`{k}`" for k in sorted(known)) or "no level"
            return f"asks for level `{level}`; topologies behind its queue on `{where}` have {listed}"
    for levels in topologies:
        if all(level in levels for level in wanted) and _in_order([levels.index(level) for level in wanted]):
            return None
    return f"asks for levels {' > '.join(f'`{k}`' for k in wanted)}, which no topology on `{where}` has in this order"


def _in_order(places: list[int]) -> bool:
    return all(outer <= inner for outer, inner in itertools.pairwise(places))


def _topologies_of(side: Side, queue: RenderedObject) -> list[list[str]]:
    """The levels, widest first, of each topology behind a queue."""
    found: list[list[str]] = []
    for group in spec_of(queue).get("resourceGroups") or []:
        for row in group.get("flavors") or []:
            flavor = side.flavors.get(str(row.get("name")))
            topology = side.topologies.get(str(spec_of(flavor).get("topologyName"))) if flavor is not None else None
            if topology is not None:
                found.append([str(level.get("nodeLabel")) for level in spec_of(topology).get("levels") or []])
    return found


def node_labels(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2062: the nodes carry every level of the topology, or they are no part of it."""
    if side.cluster.observed is None or side.cluster.observed.topology is None or not side.cluster.pools:
        return
    seen = level_labels(side.cluster)
    for flavor in side.flavors.values():
        if flavor.name not in side.cluster.pools:
            continue
        topology = side.topologies.get(str(spec_of(flavor).get("topologyName")))
        for index, level in enumerate(spec_of(topology).get("levels") or [] if topology is not None else []):
            if level.get("nodeLabel") not in seen and topology is not None:
                yield problem(
                    "SP2062", topology, ("spec", "levels", index),
                    f"level `{level.get('nodeLabel')}` of {topology.reference} is no label that the snapshot of `{side.name}` "
                    f"reports ({', '.join(seen)}): nodes without it take no work of flavor `{flavor.name}`",
                )  # fmt: skip


def mixed(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2063: a pod set without a place is refused by flavors with a topology, unless all of the queue's have one."""
    for job in side.jobs:
        queue = side.queue_of(job)
        if queue is None:
            continue
        names = [str(f.get("name")) for g in spec_of(queue).get("resourceGroups") or [] for f in g.get("flavors") or []]
        flavors = [side.flavors[name] for name in names if name in side.flavors]
        with_topology = [f for f in flavors if spec_of(f).get("topologyName")]
        if not flavors:
            continue
        for pods in podsets_of(job):
            asks = any(key in pods.annotations for key in (_REQUIRED, _PREFERRED, _ANYWHERE))
            if asks and not with_topology:
                yield problem(
                    "SP2063", job, (*pods.pointer, "metadata", "annotations"),
                    f"pod set `{pods.name}` of {job.reference} asks for a place in a topology; no flavor of queue `{queue.name}` "
                    "has one",
                )  # fmt: skip


def two_places(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2063, further: a pod set gets its place from one flavor, so that two groups cannot both assign one."""
    for job in side.jobs:
        queue = side.queue_of(job)
        groups = spec_of(queue).get("resourceGroups") or [] if queue is not None else []
        for pods in podsets_of(job) if len(groups) > 1 else ():
            asked = pods.requests()
            placing = [g for g, group in enumerate(groups) if _places(side, group, asked)]
            if len(placing) > 1 and queue is not None:
                yield problem(
                    "SP2063", job, (*pods.pointer, "metadata", "annotations"),
                    f"pod set `{pods.name}` of {job.reference} would get a place from two groups of queue `{queue.name}`, and "
                    "Kueue takes one",
                    "cover its resources by one group",
                )  # fmt: skip


def _places(side: Side, group: Mapping[str, Any], asked: Amounts) -> bool:
    """Whether a group covers something of this, by flavors with topologies alone."""
    names = [str(row.get("name")) for row in group.get("flavors") or []]
    flavors = [side.flavors[name] for name in names if name in side.flavors]
    covers = any(name in asked for name in group.get("coveredResources") or [])
    return covers and bool(flavors) and all(spec_of(flavor).get("topologyName") for flavor in flavors)


def shared_nodes(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2063, further: nodes of one flavor with a topology are not in another such flavor."""
    seen: dict[tuple[tuple[str, str], ...], str] = {}
    for flavor in side.flavors.values():
        spec = spec_of(flavor)
        labels = tuple(sorted((spec.get("nodeLabels") or {}).items()))
        if not spec.get("topologyName") or not labels or flavor.unit.target.folder.startswith("hubs/"):
            continue  # the manager has no nodes
        first = seen.setdefault(labels, flavor.name)
        if first != flavor.name:
            yield warn(
                "SP2063", flavor, ("spec", "nodeLabels"),
                f"flavors `{first}` and `{flavor.name}` on `{side.name}` have one topology's nodes in common: their free room is "
                "counted twice",
            )  # fmt: skip


CHECKS = ()
SIDE_CHECKS = (grammar, levels, node_labels, mixed, two_places, shared_nodes)
