"""Sieves places for classes of workloads: every question is asked once for equal readings, the answers kept as bits."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from types import MappingProxyType

from stowplan.model.eligibility import ClassVerdict, Reason
from stowplan.model.fleet import Cluster, Fleet, Pool
from stowplan.model.workload import Workload
from stowplan.passes.eligibility.context import ClusterCase, Held, PoolCase
from stowplan.passes.eligibility.questions import Question

__all__ = ["Sieve"]

_Masked = tuple[Question, int]


class Sieve:
    """All member clusters and their pools, and which of them fail which question.

    Bit `i` of a mask is set where the question has a reason against the i-th cluster, or the i-th pool. Reasons
    themselves are made when somebody reads them, from the workload that is asked about.
    """

    def __init__(self, fleet: Fleet, held: Held, on_cluster: Sequence[Question], on_pool: Sequence[Question]) -> None:
        """`held` must stay as it is from now on."""
        self._fleet = fleet
        self._held = held
        self._on_cluster = on_cluster
        self._on_pool = on_pool
        self._clusters = fleet.members
        self._pools = [(cluster, pool) for cluster in self._clusters for pool in cluster.pools.values()]
        self._pools_of = _pool_masks(self._clusters)
        self._clean = [ClassVerdict(c.name, (), MappingProxyType(dict.fromkeys(c.pools, ()))) for c in self._clusters]
        self._masks: dict[tuple[Question, Hashable], int] = {}
        self._widened: dict[int, int] = {}

    def places(self, workload: Workload) -> list[tuple[Cluster, Pool]]:
        """The places with nothing against them, by cluster and flavor."""
        refused = self._widen(self._refusing(workload))
        for question in self._on_pool:
            if not question.late:
                refused |= self._mask(question, workload, on_cluster=False)
        late = [q for q in self._on_pool if q.late and q.reads(self._fleet, workload) is not None]
        return [
            (cluster, pool)
            for cluster, pool in map(self._pools.__getitem__, _bits(~refused & ((1 << len(self._pools)) - 1)))
            if not any(_says_no(question, self._pool_case(workload, cluster, pool)) for question in late)
        ]

    def least_reasons(self, workload: Workload) -> int:
        """A number of reasons that there certainly are, without making any of them."""
        masks = [self._mask(question, workload, on_cluster=True) for question in self._on_cluster]
        masks += [self._mask(question, workload, on_cluster=False) for question in self._on_pool if not question.late]
        return sum(mask.bit_count() for mask in masks)

    def verdicts(self, workload: Workload) -> tuple[ClassVerdict, ...]:
        """Every reason, a verdict a cluster, by name."""
        on_cluster = [(q, self._mask(q, workload, on_cluster=True)) for q in self._on_cluster]
        on_pool = [(q, -1 if q.late else self._mask(q, workload, on_cluster=False)) for q in self._on_pool]
        on_cluster = [(q, mask) for q, mask in on_cluster if mask]
        on_pool = [(q, mask) for q, mask in on_pool if mask and not (q.late and q.reads(self._fleet, workload) is None)]
        anything = 0
        for _, mask in on_cluster:
            anything |= self._widen(mask)
        for _, mask in on_pool:
            anything |= mask
        made = []
        for index, cluster in enumerate(self._clusters):
            if anything & self._pools_of[index] or not cluster.pools:
                made.append(self._verdict(workload, index, on_cluster, on_pool))
            else:
                made.append(self._clean[index])
        return tuple(made)

    def _verdict(
        self, workload: Workload, index: int, on_cluster: Sequence[_Masked], on_pool: Sequence[_Masked]
    ) -> ClassVerdict:
        cluster = self._clusters[index]
        case = ClusterCase(self._fleet, workload, cluster, self._held)
        reasons = tuple([r for q, mask in on_cluster if mask >> index & 1 for r in q.ask(case)])
        by_flavor: dict[str, tuple[Reason, ...]] = {}
        place = (self._pools_of[index] & -self._pools_of[index]).bit_length() - 1
        for flavor, pool in cluster.pools.items():
            asking = [q for q, mask in on_pool if mask >> place & 1]
            place += 1
            pool_case = self._pool_case(workload, cluster, pool) if asking else None
            by_flavor[flavor] = tuple([r for q in asking for r in q.ask(pool_case)])
        return ClassVerdict(cluster.name, reasons, MappingProxyType(by_flavor))

    def _refusing(self, workload: Workload) -> int:
        """The clusters that refuse as a whole."""
        refused = 0
        for question in self._on_cluster:
            refused |= self._mask(question, workload, on_cluster=True)
        return refused

    def _mask(self, question: Question, workload: Workload, *, on_cluster: bool) -> int:
        key = (question, question.reads(self._fleet, workload))
        found = self._masks.get(key)
        if found is None:
            ask = self._ask_clusters if on_cluster else self._ask_pools
            found = self._masks[key] = ask(question, workload)
        return found

    def _ask_clusters(self, question: Question, workload: Workload) -> int:
        mask = 0
        for index, cluster in enumerate(self._clusters):
            if question.where is not None and not question.where(cluster):
                continue
            if _says_no(question, ClusterCase(self._fleet, workload, cluster, self._held)):
                mask |= 1 << index
        return mask

    def _ask_pools(self, question: Question, workload: Workload) -> int:
        mask = 0
        for index, (cluster, pool) in enumerate(self._pools):
            if _says_no(question, self._pool_case(workload, cluster, pool)):
                mask |= 1 << index
        return mask

    def _pool_case(self, workload: Workload, cluster: Cluster, pool: Pool) -> PoolCase:
        return PoolCase(self._fleet, workload, cluster, self._held, pool)

    def _widen(self, clusters: int) -> int:
        """The pools of some clusters."""
        found = self._widened.get(clusters)
        if found is None:
            found = 0
            for index in _bits(clusters):
                found |= self._pools_of[index]
            self._widened[clusters] = found
        return found


def _says_no(question: Question, case: ClusterCase) -> bool:
    return next(iter(question.ask(case)), None) is not None


def _bits(mask: int) -> Iterator[int]:
    """The numbers of the bits that are set, from the lowest."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _pool_masks(clusters: Sequence[Cluster]) -> list[int]:
    masks = []
    place = 0
    for cluster in clusters:
        masks.append(((1 << len(cluster.pools)) - 1) << place)
        place += len(cluster.pools)
    return masks
