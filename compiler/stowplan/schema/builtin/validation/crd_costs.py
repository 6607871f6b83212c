"""What the CEL rules of a CustomResourceDefinition may cost: each of them, and all together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from stowplan.cel.cost.sizes import plus, times
from stowplan.schema.declared_sizes import DeclaredSize, repetitions

from .report import Report

if TYPE_CHECKING:
    from stowplan.cel.program import Program

__all__ = ["Budget", "Spending", "times_inside"]

_RULE_LIMIT: Final = 10_000_000
_SCHEMA_LIMIT: Final = 100_000_000
_NAMED: Final = 4
"""Rules that are named where all together cost too much; each of them more than a hundredth of what is allowed."""
_HELP: Final = "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"


def times_inside(schema: Mapping[str, Any], count: int | None) -> int | None:
    """How often what is inside a schema can be there, where that is there `count` times."""
    each = repetitions(schema)
    return None if count is None or each is None else times(count, each)


class Spending:
    """What the rules of one schema cost together."""

    def __init__(self) -> None:
        self._total = 0
        self._dearest: list[tuple[int, str]] = []

    def of(self, schema: Mapping[str, Any], *, root: bool, count: int | None) -> Budget | None:
        """For the rules of a schema that is there `count` times; None where rules cannot look."""
        try:
            declared = DeclaredSize.of(schema, root=root)
        except (TypeError, ValueError, AttributeError):
            return None  # the schema itself is refused
        return None if declared is None else Budget(self, declared, declared.in_a_request if count is None else count)

    def add(self, cost: int, place: str) -> None:
        """Another rule."""
        self._total = plus(self._total, cost)
        if cost >= _SCHEMA_LIMIT // 100:
            self._dearest = sorted([*self._dearest, (cost, place)], key=lambda row: -row[0])[:_NAMED]

    def close(self, path: str, report: Report) -> None:
        """Report what is too much for the whole schema."""
        if self._total <= _SCHEMA_LIMIT:
            return
        for _, place in self._dearest:
            said = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
            report.forbidden(place, said)
        what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
        report.forbidden(path, _exceeded(what, self._total, _SCHEMA_LIMIT))


class Budget:
    """For the rules of one place in a schema: how large values are there, and how many."""

    def __init__(self, spending: Spending, declared: DeclaredSize, count: int) -> None:
        self._spending, self._declared, self._count = spending, declared, count

    def spend(self, program: Program, place: str, report: Report) -> None:
        """A rule, which every value is judged by."""
        self._book("estimated rule cost", times(program.cost(self._declared), self._count), place, report)

    def spend_on_message(self, program: Program, place: str, report: Report) -> None:
        """What makes a rule's message; servers count it once."""
        self._book("estimated messageExpression cost", program.cost(self._declared), place, report)

    def _book(self, what: str, cost: int, place: str, report: Report) -> None:
        if cost > _RULE_LIMIT:
            report.forbidden(place, _exceeded(what, cost, _RULE_LIMIT))
        self._spending.add(cost, place)


def _exceeded(what: str, cost: int, limit: int) -> str:
    factor = cost / limit
    said = "more than 100x" if factor > 100 else f"{factor:.6f}x" if factor < 1.5 else f"{factor:.1f}x"
    return f"{what} exceeds budget by factor of {said} {_HELP}"
