"""Nodes of a flavor as a tree of domains, what is free in each, and what pods that have a place take of it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from stowplan.kueue.scheduling.matching import matches_affinity, matches_labels, untolerated

__all__ = ["HOSTNAME", "Domain", "FlavorNodes", "Leaf", "NodeFacts", "Placed", "count_in", "quotient"]

HOSTNAME = "kubernetes.io/hostname"
_UNBOUNDED = 1 << 31


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """A node: what it can give to placed pods. Where `is_sketch`, labels and resources that are not stated are not judged."""

    name: str
    labels: Mapping[str, str]
    capacity: Mapping[str, int]
    taints: tuple[Mapping[str, Any], ...] = ()
    is_sketch: bool = False


@dataclass(frozen=True, slots=True)
class Placed:
    """Pods of a pod set in their leaves: what one pod takes there, and how many pods are in which leaf."""

    podset: str
    flavor: str
    each: Mapping[str, int]
    counts: tuple[tuple[int, int], ...]


@dataclass(slots=True, eq=False)
class Domain:
    """A domain of some level; `pods`, `slices`, and those beside a leader are scratch of one search."""

    path: tuple[str, ...]
    parent: Domain | None = None
    children: list[Domain] = field(default_factory=list)
    leaf: Leaf | None = None
    pods: int = 0
    slices: int = 0
    pods_led: int = 0
    slices_led: int = 0
    leaders: int = 0


@dataclass(slots=True, eq=False)
class Leaf:
    """A domain of the innermost level: the sum of its nodes (one node where that level is the host)."""

    domain: Domain
    number: int
    node: NodeFacts
    capacity: dict[str, int]
    used: dict[str, int] = field(default_factory=dict)
    counted: dict[tuple[str, bool], int] = field(default_factory=dict)
    """How many pods of some shape fit now, remembered until the usage changes."""

    def free(self, *, as_empty: bool) -> dict[str, int]:
        """What is left, or would be without the pods placed there."""
        if as_empty:
            return dict(self.capacity)
        return {name: amount - self.used.get(name, 0) for name, amount in self.capacity.items()} | {
            name: -amount for name, amount in self.used.items() if name not in self.capacity
        }


def count_in(each: Mapping[str, int], free: Mapping[str, int], *, is_sketch: bool = False) -> int:
    """How many pods fit; a resource that the node does not have fits none."""
    fitting = _UNBOUNDED
    for name, amount in each.items():
        if name not in free:
            if amount and not is_sketch:
                return 0
            continue
        if amount:
            fitting = min(fitting, quotient(free[name], amount))
    return fitting if each else 0


def quotient(amount: int, each: int) -> int:
    """A quotient rounded towards nothing, as Kueue divides: a node that is overbooked counts below nothing."""
    return amount // each if amount >= 0 else -(-amount // each)


class FlavorNodes:
    """All nodes of a flavor with a topology, by the levels of it."""

    def __init__(
        self, levels: Iterable[str], nodes: Iterable[NodeFacts], tolerations: Iterable[Mapping[str, Any]]
    ) -> None:
        """Takes the nodes that carry every level's label."""
        self.levels = tuple(levels)
        self.tolerations = tuple(tolerations)
        self.is_by_host = bool(self.levels) and self.levels[-1] == HOSTNAME
        self.leaves: list[Leaf] = []
        self.when_empty: dict[Hashable, object] = {}
        """Places as if nothing was placed, by what asks for them."""
        self.by_level: list[dict[tuple[str, ...], Domain]] = [{} for _ in self.levels]
        by_path: dict[tuple[str, ...], Leaf] = {}
        for node in nodes:
            path = tuple(node.labels.get(level, "") for level in self.levels)
            if not path or any(level not in node.labels for level in self.levels):
                continue
            key = path[-1:] if self.is_by_host else path
            leaf = by_path.get(key)
            if leaf is None:
                leaf = by_path[key] = Leaf(self._domain(path), len(self.leaves), node, {})
                leaf.domain.leaf = leaf
                self.leaves.append(leaf)
            for name, amount in node.capacity.items():
                leaf.capacity[name] = leaf.capacity.get(name, 0) + amount

    def _domain(self, path: tuple[str, ...]) -> Domain:
        level = self.by_level[len(path) - 1]
        if path not in level:
            parent = self._domain(path[:-1]) if len(path) > 1 else None
            level[path] = Domain(path, parent)
            if parent is not None:
                parent.children.append(level[path])
        return level[path]

    def use(self, placed: Placed) -> None:
        """Takes room for pods."""
        self._change(placed, 1)

    def release(self, placed: Placed) -> None:
        """Gives the room back."""
        self._change(placed, -1)

    def _change(self, placed: Placed, sign: int) -> None:
        for number, count in placed.counts:
            leaf = self.leaves[number]
            leaf.counted = {key: n for key, n in leaf.counted.items() if key[1]}
            for name, amount in (*placed.each.items(), ("pods", 1)):
                leaf.used[name] = leaf.used.get(name, 0) + sign * amount * count

    def has_room(self, placed: Placed) -> bool:
        """Whether the pods still fit where they were to go."""
        for number, count in placed.counts:
            leaf = self.leaves[number]
            if count_in(placed.each, leaf.free(as_empty=False), is_sketch=leaf.node.is_sketch) < count:
                return False
        return True

    def takes(self, leaf: Leaf, pod: Mapping[str, Any]) -> bool:
        """Whether the node may take the pod at all: taints, selector, and affinity; of interest where leaves are nodes."""
        if not self.is_by_host:
            return True
        node = leaf.node
        if untolerated(node.taints, [*(pod.get("tolerations") or []), *self.tolerations]) is not None:
            return False
        known = frozenset(node.labels) if node.is_sketch else None
        return matches_labels(pod, node.labels, known) and matches_affinity(pod, node.labels, known)
