"""Eligibility of all workloads: where each could ever run, and, when asked, every reason why not elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from stowplan.model.eligibility import ClassVerdict
from stowplan.model.fleet import Cluster, Pool
from stowplan.model.workload import Workload
from stowplan.passes.eligibility.sieve import Sieve

__all__ = ["EligibilityMatrix"]

_VERDICTS_KEPT = 256
"""Classes whose reasons are kept once they were read."""


class EligibilityMatrix:
    """Verdicts by class; `class_of` names each workload's class by the first workload of it."""

    __slots__ = ("_firsts", "_of_class", "_sieve", "class_of")

    def __init__(self, class_of: Mapping[str, str], firsts: Mapping[str, Workload], sieve: Sieve) -> None:
        """`firsts` are the workloads that stand for their classes, by name."""
        self.class_of = class_of
        self._firsts = firsts
        self._sieve = sieve
        self._of_class = lru_cache(_VERDICTS_KEPT)(lambda name: sieve.verdicts(firsts[name]))

    def of(self, workload: str) -> tuple[ClassVerdict, ...]:
        """The verdicts of a workload, one a member cluster, by cluster name."""
        return self._of_class(self.class_of[workload])

    def places(self, workload: str) -> list[tuple[Cluster, Pool]]:
        """The places with nothing against them, by cluster and flavor."""
        return self._sieve.places(self._firsts[self.class_of[workload]])

    def least_reasons(self, workload: str) -> int:
        """A number of reasons that there certainly are against the other places, without making any of them."""
        return self._sieve.least_reasons(self._firsts[self.class_of[workload]])
