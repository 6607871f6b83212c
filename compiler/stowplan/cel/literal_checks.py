"""What can be told of literals once all types are known.

Calls of `format`: clauses, how many arguments, and of which types. Lists and maps: one type of elements, to the letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from stowplan.cel.tree import ListLiteral, Literal, MapLiteral, Node
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
    ListType,
    MapType,
    OptionalType,
    Type,
)  # fmt: skip

__all__ = ["LiteralChecks"]

_CLAUSE: Final = re.compile(r"%(?:%|(\.[0-9]+)?(.)?)", re.DOTALL)
_INTEGERS: Final = frozenset({INT, UINT})
_NUMBERS: Final = frozenset({DOUBLE, STRING})  # `NaN` and `Infinity` are written as strings
_TAKES: Final[Mapping[str, frozenset[Type]]] = {
    "d": _INTEGERS, "o": _INTEGERS, "b": _INTEGERS | {BOOL}, "x": _INTEGERS | {STRING, BYTES}, "X": _INTEGERS | {STRING, BYTES},
    "f": _NUMBERS, "e": _NUMBERS,
    "s": frozenset({INT, UINT, DOUBLE, BOOL, STRING, TIMESTAMP, BYTES, DURATION, NULL}),
}  # fmt: skip


Complaint = tuple[Node, str, str, tuple[str, ...]]
"""A place, what is wrong there, of which kind that is, and helps."""


class LiteralChecks:
    """Literals noted while types are found out."""

    def __init__(self) -> None:
        self._formats: list[tuple[Literal, Sequence[Node]]] = []
        self._alike: list[list[tuple[Node, bool]]] = []

    def note_format(self, text: Literal, arguments: Sequence[Node]) -> None:
        """A text that `format` fills with a literal list."""
        self._formats.append((text, arguments))

    def note_alike(self, parts: Iterable[tuple[Node, bool]]) -> None:
        """Elements that are to be of one type, each with whether it is optional."""
        self._alike.append(list(parts))

    def complaints(self, types: Mapping[int, Type]) -> Iterator[Complaint]:
        """What is wrong."""
        for literal, arguments in self._formats:
            problem = _format_problem(str(literal.value), arguments, types)
            if problem is not None:
                yield problem[0] or literal, problem[1], "literal", ()
        for parts in self._alike:
            yield from _unlike(parts, types)


def _unlike(parts: Iterable[tuple[Node, bool]], types: Mapping[int, Type]) -> Iterator[Complaint]:
    """The first element of another type: beside others a `dyn` is one."""
    first: Type | None = None
    for node, is_optional in parts:
        kind = types[node.key]
        kind = kind.item if is_optional and isinstance(kind, OptionalType) else kind
        first = first or kind
        if kind != first:
            message = f"a literal holds values of one type: {first} before, {kind} here"
            yield node, message, "type", ("wrap each of them in dyn(...), or none",)
            return


def _format_problem(text: str, arguments: Sequence[Node], types: Mapping[int, Type]) -> tuple[Node | None, str] | None:
    """What is wrong with a call, and the argument that it is about (None: the text); None where it is well."""
    used = 0
    for clause in _CLAUSE.finditer(text):
        if clause[0] == "%%":
            continue
        verb = clause[2]
        if clause[0] == "%":
            return None, "the text ends in a lone `%`"
        if used >= len(arguments):
            return None, f"formatting clause {used + 1} has no argument"
        if verb not in _TAKES:
            return None, f"unknown formatting clause `%{verb or ''}`"
        wrong = _misfit(verb, arguments[used], types)
        if wrong is not None:
            return wrong, f"the formatting clause `%{verb}` cannot take a value of type {types[wrong.key]}"
        used += 1
    if used < len(arguments):
        return arguments[used], f"{len(arguments)} arguments for {used} formatting clause{'' if used == 1 else 's'}"
    return None


def _misfit(verb: str, node: Node, types: Mapping[int, Type]) -> Node | None:
    """The argument, or the part of a literal in it, that the clause does not take."""
    kind = types[node.key]
    if kind == DYN or kind in _TAKES[verb]:
        return None
    if verb != "s" or not (isinstance(kind, ListType | MapType) or kind.name == "type"):
        return node
    parts: list[Node] = []
    if isinstance(node, ListLiteral):
        parts = [element.value for element in node.elements]
    elif isinstance(node, MapLiteral):
        parts = [part for entry in node.entries for part in (entry.name, entry.value)]
    return next((found for part in parts if (found := _misfit(verb, part, types)) is not None), None)
