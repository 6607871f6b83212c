"""Judging per shape: the static part once, and for each object only its holes and the rules that read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stowplan.schema.engine import Check, Unwell
from stowplan.schema.holes import plain_value
from stowplan.schema.kind import ShapeLike
from stowplan.schema.specialising import Specialiser, Tests
from stowplan.schema.verdict import FieldError
from stowplan.templates.fill import FillError

if TYPE_CHECKING:
    from stowplan.schema.custom import CustomKind

__all__ = ["CompiledShape", "specialise"]

_WELL: tuple[FieldError, ...] = ()
_NO_TESTS = Tests((), (), (), ())


class CompiledShape:
    """What differs between objects of one shape (see `ShapeCheck`).

    The quick way is for objects that are well and stored as they are; whatever else there is takes the full walk.
    """

    __slots__ = ("_fills", "_is_settled", "_kind", "_passed", "_shape", "_tests", "folded", "sound", "tree")

    def __init__(self, kind: CustomKind, shape: ShapeLike, work: Specialiser | None, tree: Any) -> None:
        """From a specialiser that has walked the shape; None if its static part is not well."""
        self._kind, self._shape = kind, shape
        self.tree = tree
        self.sound = work is not None
        self._tests = _NO_TESTS if work is None else work.all_tests()
        self._fills: dict[int, Check] = {} if work is None else work.fills
        self.folded = 0 if work is None else work.folded
        self._is_settled = self.sound and tree == shape.tree
        self._passed: Sequence[Any] | None = None

    def check(self, values: Sequence[Any]) -> tuple[FieldError, ...]:
        """The causes against the object of these values; the same empty tuple when there are none."""
        if self._passes(values):
            return _WELL
        return self._kind.judge(self._shape.build(values)).errors or _WELL

    def is_fixed_point(self, values: Sequence[Any]) -> bool:
        """Whether the object of these values is stored as it is."""
        if values is self._passed or self._passes(values):
            return self._is_settled
        made = self._shape.build(values)
        return bool(self._kind.normalise(made) == made)

    def settle(self, values: Sequence[Any]) -> Sequence[Any]:
        """The values with the defaults filled in that stand below holes; faulty values stay as they are."""
        out = list(values)
        for index, check in self._fills.items():
            try:
                out[index] = check(plain_value(values[index]))
            except Unwell:
                continue
        return out

    def _passes(self, values: Sequence[Any]) -> bool:
        """Whether the object of these values is plainly well, and the values are stored as they are."""
        if not self.sound:
            return False
        types, leaves, wholes, tests = self._tests
        try:
            for index, wanted in types:
                if type(values[index]) is not wanted:
                    return False
            for index, check in leaves:
                check(values[index])
            for index, check in wholes:
                value = values[index]
                if value is None or check(value) != value:
                    return False
            for test in tests:
                if not test(values):
                    return False
        except (Unwell, FillError):
            return False
        self._passed = values
        return True


def specialise(kind: CustomKind, shape: ShapeLike) -> CompiledShape:
    """Compile `shape` against the schema of `kind`."""
    work = Specialiser(kind)
    try:
        tree = work.root(shape.tree)
    except Unwell:
        return CompiledShape(kind, shape, None, shape.tree)
    return CompiledShape(kind, shape, work, tree)
