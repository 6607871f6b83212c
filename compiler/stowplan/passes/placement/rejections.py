"""The rejections of a workload as a sequence that is made when it is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from stowplan.model.plan import Rejection
from stowplan.passes.eligibility.matrix import EligibilityMatrix

__all__ = ["Rejections"]


class Rejections(Sequence[Rejection]):
    """Every reason against every place, by cluster, then what the placement itself found to have no room.

    Most are never read: a plan of ten thousand workloads on two hundred clusters has millions.
    """

    __slots__ = ("_extra", "_matrix", "_workload")

    def __init__(self, matrix: EligibilityMatrix, workload: str, extra: tuple[Rejection, ...] = ()) -> None:
        self._matrix = matrix
        self._workload = workload
        self._extra = extra

    @property
    def at_least(self) -> int:
        """A number that the length is not below, without making any of them."""
        return self._matrix.least_reasons(self._workload) + len(self._extra)

    @property
    def extra(self) -> tuple[Rejection, ...]:
        """What the placement itself found to have no room."""
        return self._extra

    def __iter__(self) -> Iterator[Rejection]:
        for verdict in self._matrix.of(self._workload):
            for reason in verdict.reasons:
                yield Rejection(verdict.cluster, None, reason)
            for flavor, reasons in verdict.by_flavor.items():
                for reason in reasons:
                    yield Rejection(verdict.cluster, flavor, reason)
        yield from self._extra

    def __len__(self) -> int:
        of_all = self._matrix.of(self._workload)
        found = sum(len(v.reasons) + sum(map(len, v.by_flavor.values())) for v in of_all)
        return found + len(self._extra)

    @overload
    def __getitem__(self, index: int) -> Rejection: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Rejection]: ...

    def __getitem__(self, index: int | slice) -> Rejection | Sequence[Rejection]:
        return tuple(self)[index]
