"""Sizes of values, from smallest to largest, and arithmetic that stops at the largest number of 64 bits."""

from __future__ import annotations

import math
from typing import Final, NamedTuple, Protocol

__all__ = ["MOST", "UNKNOWN", "Declared", "Size", "fixed", "plus", "scaled", "times"]

MOST: Final = 2**64 - 1


class Size(NamedTuple):
    """How large a value is at least and at most: characters, bytes, elements, or entries."""

    least: int
    most: int

    def plus(self, other: Size) -> Size:
        """Of both put together."""
        return Size(plus(self.least, other.least), plus(self.most, other.most))

    def times(self, other: Size) -> Size:
        """Of as many as one says, each as large as the other."""
        return Size(times(self.least, other.least), times(self.most, other.most))

    def union(self, other: Size) -> Size:
        """Of either."""
        return Size(min(self.least, other.least), max(self.most, other.most))


class Declared(Protocol):
    """What a schema says of the sizes of values: a node of a tree that is walked by name."""

    @property
    def most(self) -> int:
        """The largest size of a value here; 0 of what has none."""

    def field(self, name: str) -> Declared | None:
        """What is said of a field, by its name in expressions."""

    @property
    def keys(self) -> Declared | None:
        """What is said of a map's keys."""

    @property
    def values(self) -> Declared | None:
        """What is said of a map's values, or a list's elements."""


UNKNOWN: Final = Size(0, MOST)


def fixed(size: int) -> Size:
    """A size that is known."""
    return Size(size, size)


def plus(one: int, other: int) -> int:
    """The sum, or the largest number."""
    return min(one + other, MOST)


def times(one: int, other: int) -> int:
    """The product, or the largest number."""
    return min(one * other, MOST)


def scaled(number: int, factor: float) -> int:
    """The product rounded up, or the largest number; reckoned in floating point, as servers do."""
    exact = float(number)
    if exact > 0 and factor > 0 and exact > float(MOST) / factor:
        return MOST
    return min(math.ceil(exact * factor), MOST)
