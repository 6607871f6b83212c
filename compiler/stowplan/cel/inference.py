"""What the types that an expression leaves open stand for: of `[]`, of `{}`, of `optional.none()`.

As the server does it: overloads are tried in their order, and the first that fits decides what an open type is. So
`[].sort()` is a list of the first type that can be sorted, and cannot be joined to a string.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from stowplan.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    NULL,
    STRING,
    TIMESTAMP,
    UINT,
    Free,
    ListType,
    MapType,
    OptionalType,
    Parameter,
    Type,
    can_be_null,
)  # fmt: skip

__all__ = ["BINARY", "CONDITIONAL", "INDEX", "UNARY", "Inference", "Rows"]

Rows = Sequence[tuple[tuple[Type, ...], Type]]
"""Overloads: what they take, and what they give."""

_Bound = dict[int, Type]
_A, _B = Parameter("A"), Parameter("B")
_LISTS: Final[Rows] = (((ListType(_A), ListType(_A)), ListType(_A)),)


def _same(*kinds: Type) -> Rows:
    return tuple(((kind, kind), kind) for kind in kinds)


def _compared(numbers_mix: Iterable[tuple[Type, Type]]) -> Rows:
    rows = [(BOOL, BOOL), *numbers_mix, (STRING, STRING), (BYTES, BYTES), (TIMESTAMP, TIMESTAMP), (DURATION, DURATION)]
    return tuple((pair, BOOL) for pair in rows)


_ORDER: Final = _compared(
    (left, right) for left in (INT, UINT, DOUBLE) for right in (left, *(n for n in (DOUBLE, UINT, INT) if n != left))
)
_EQUAL: Final[Rows] = (((_A, _A), BOOL),)
BINARY: Final[Mapping[str, Rows]] = {
    "==": _EQUAL, "!=": _EQUAL, "<": _ORDER, "<=": _ORDER, ">": _ORDER, ">=": _ORDER,
    "in": (((_A, ListType(_A)), BOOL), ((_A, MapType(_A, _B)), BOOL)),
    "+": (
        *_same(BYTES, DOUBLE, DURATION), ((DURATION, TIMESTAMP), TIMESTAMP), ((TIMESTAMP, DURATION), TIMESTAMP), *_same(INT),
        *_LISTS, *_same(STRING, UINT),
    ),
    "-": (
        *_same(DOUBLE, DURATION, INT), ((TIMESTAMP, DURATION), TIMESTAMP), ((TIMESTAMP, TIMESTAMP), DURATION), *_same(UINT),
    ),
    "*": _same(DOUBLE, INT, UINT), "/": _same(DOUBLE, INT, UINT), "%": _same(INT, UINT),
}  # fmt: skip
"""Operators in the order in which the server tries what they take."""
UNARY: Final[Mapping[str, Rows]] = {"!": (((BOOL,), BOOL),), "-": (((DOUBLE,), DOUBLE), ((INT,), INT))}
CONDITIONAL: Final[Rows] = (((BOOL, _A, _A), _A),)
INDEX: Final[Rows] = (
    ((ListType(_A), INT), _A), ((MapType(_A, _B), _A), _B), ((OptionalType(ListType(_A)), INT), OptionalType(_A)),
    ((OptionalType(MapType(_A, _B)), _A), OptionalType(_B)),
)  # fmt: skip


class Inference:
    """The open types of one expression, and what is known of them so far."""

    def __init__(self) -> None:
        self._bound: _Bound = {}
        self._count = 0

    @property
    def is_used(self) -> bool:
        """Whether any type was ever open."""
        return self._count > 0

    def fresh(self) -> Free:
        """A new open type."""
        self._count += 1
        return Free(self._count)

    def instantiate(self, pattern: Type, names: dict[str, Type]) -> Type:
        """A type of a signature, with an open type for each parameter that `names` does not hold."""
        if isinstance(pattern, Parameter):
            if pattern.name not in names:
                names[pattern.name] = self.fresh()
            return names[pattern.name]
        return _rebuilt(pattern, lambda part: self.instantiate(part, names)) if _has_parts(pattern) else pattern

    def resolve(self, kind: Type) -> Type:
        """The type as far as it is known."""
        return kind if not self._count else self._replaced(kind, None)

    def closed(self, kind: Type) -> Type:
        """The type with `dyn` for what stays open."""
        return self._replaced(kind, DYN)

    def _replaced(self, kind: Type, rest: Type | None) -> Type:
        if isinstance(kind, Free):
            known = self._bound.get(kind.number)
            return self._replaced(known, rest) if known is not None else rest or kind
        if not _has_parts(kind):
            return kind
        made = _rebuilt(kind, lambda part: self._replaced(part, rest))
        return kind if made == kind else made

    def is_open(self, kind: Type) -> bool:
        """Whether something of a (resolved) type is not known."""
        return self._count > 0 and _is_open(kind)

    def fits(self, given: Type, wanted: Type) -> bool:
        """Whether one type may stand for the other; what is open in them is decided by that."""
        bound = dict(self._bound)
        if not _assign(bound, given, wanted):
            return False
        self._bound = bound
        return True

    def joined(self, before: Type, here: Type) -> Type | None:
        """The more general of two types that go together, as elements of a literal do; None where they do not."""
        return self.resolve(_most_general(before, here)) if self.fits(before, here) else None

    def choose(self, rows: Rows, given: Sequence[Type]) -> Type | None:
        """What the overloads give that take these; `dyn` where they differ, None where none does."""
        result: Type | None = None
        for wanted, gives in rows:
            found = self.match(wanted, gives, given)
            if found is not None:
                result = found if result is None or result == found else DYN
        return result

    def match(self, wanted: Sequence[Type], gives: Type, given: Sequence[Type]) -> Type | None:
        """What one overload gives for these arguments; None where it does not take them."""
        if len(wanted) != len(given):
            return None
        bound, names = dict(self._bound), dict[str, Type]()
        for pattern, kind in zip(wanted, given, strict=True):
            if not _assign(bound, kind, self.instantiate(pattern, names)):
                return None
        self._bound = bound
        return self.resolve(self.instantiate(gives, names))


def _has_parts(kind: Type) -> bool:
    return isinstance(kind, ListType | MapType | OptionalType)


def _rebuilt(kind: Type, change: Callable[[Type], Type]) -> Type:
    if isinstance(kind, ListType):
        return ListType(change(kind.element), kind.ordering, kind.keys)
    if isinstance(kind, MapType):
        return MapType(change(kind.key), change(kind.value))
    assert isinstance(kind, OptionalType)
    return OptionalType(change(kind.item))


def _parts(kind: Type) -> tuple[Type, ...]:
    if isinstance(kind, ListType):
        return (kind.element,)
    if isinstance(kind, MapType):
        return (kind.key, kind.value)
    return (kind.item,) if isinstance(kind, OptionalType) else ()


def _is_open(kind: Type) -> bool:
    return isinstance(kind, Free) or any(map(_is_open, _parts(kind)))


def _assign(bound: _Bound, left: Type, right: Type) -> bool:
    if isinstance(right, Free):
        fits, is_known = _stands_for(bound, left, right)
        if fits or is_known:
            return fits
    if isinstance(left, Free):
        return _stands_for(bound, right, left)[0]
    if left == DYN or right == DYN:
        return True
    if left == NULL or right == NULL:
        return can_be_null(right if left == NULL else left)
    if _has_parts(left):
        return type(left) is type(right) and all(map(lambda a, b: _assign(bound, a, b), _parts(left), _parts(right)))
    return left == right or left.name == right.name == "type"


def _stands_for(bound: _Bound, kind: Type, free: Free) -> tuple[bool, bool]:
    """Whether the open type may be this one, and whether it was known before."""
    if kind == free:
        return True, True
    known = bound.get(free.number)
    if known is None:
        if _refers(bound, kind, free):
            return False, False
        bound[free.number] = kind
        return True, False
    if kind == known:
        return True, True
    if not _assign(bound, kind, known):
        return False, True
    general = _most_general(kind, known)
    if not _refers(bound, general, free):
        bound[free.number] = general
    return True, True


def _refers(bound: _Bound, kind: Type, free: Free) -> bool:
    if isinstance(kind, Free):
        known = bound.get(kind.number)
        return kind == free or (known is not None and _refers(bound, known, free))
    return any(_refers(bound, part, free) for part in _parts(kind))


def _most_general(one: Type, other: Type) -> Type:
    return one if _is_less_specific(one, other) else other


def _is_less_specific(one: Type, other: Type) -> bool:
    if one == DYN or isinstance(one, Free):
        return True
    if other == DYN or isinstance(other, Free) or type(one) is not type(other):
        return False
    if _has_parts(one):
        return all(map(_is_less_specific, _parts(one), _parts(other)))
    return one == other
