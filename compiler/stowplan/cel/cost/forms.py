"""Expressions as servers reckon with them: operators are calls, and macros are the loops that they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from stowplan.cel.inference import BINARY
from stowplan.cel.tree import (
    Binary,
    Bind,
    Call,
    Comprehension,
    Conditional,
    Identifier,
    ListLiteral,
    Literal,
    LiteralValue,
    Logic,
    MapLiteral,
    Node,
    Presence,
    Select,
    Subscript,
    Unary,
)  # fmt: skip
from stowplan.cel.types import (
    ANY_LIST,
    ANY_MAP,
    BOOL,
    BYTES,
    DYN,
    INT,
    STRING,
    ListType,
    MapType,
    OptionalType,
    Type,
    assignable,
)

if TYPE_CHECKING:
    from stowplan.cel.checker import Checked

__all__ = ["ACCUMULATOR", "Form", "TooManyForms", "Unfolder"]

ACCUMULATOR: Final = "@result"
_SORTED: Final = "@sorted"
_MOST_FORMS: Final = 100_000
"""`optMap` stands for its subject twice, so that a chain of them doubles with each; no server gets far with such a rule."""
_PLAIN: Final = ("",)


class Form:
    """A node. `kind` is literal, name, select, has, call, list, map, loop, or bind.

    `name` is what is named, `parts` what is inside in the order in which servers look at it: a call's receiver is
    `target`. `ways` are the overloads that may be meant, as far as they differ in cost.
    """

    __slots__ = ("kind", "name", "parts", "second", "target", "type", "value", "ways")

    def __init__(
        self,
        kind: str,
        type: Type,
        parts: Sequence[Form] = (),
        *,
        name: str = "",
        value: LiteralValue = None,
        target: Form | None = None,
        ways: Sequence[str] = _PLAIN,
        second: str | None = None,
    ) -> None:
        self.kind, self.type, self.parts, self.name = kind, type, tuple(parts), name
        self.value, self.target, self.ways, self.second = value, target, tuple(ways), second


def _name(name: str, type: Type) -> Form:
    return Form("name", type, name=name)


def _constant(value: LiteralValue, type: Type) -> Form:
    return Form("literal", type, value=value)


def _call(name: str, type: Type, *parts: Form, ways: Sequence[str] = _PLAIN, target: Form | None = None) -> Form:
    return Form("call", type, parts, name=name, ways=ways, target=target)


class TooManyForms(Exception):
    """An expression stands for more than can be reckoned with."""


class Unfolder:
    """Makes forms of a checked tree."""

    def __init__(self, checked: Checked) -> None:
        self._checked = checked
        self._count = 0

    def unfold(self, node: Node) -> Form:
        """The form of a node and all below.

        Raises:
            TooManyForms: macros within macros stand for too much.
        """
        self._count += 1
        if self._count > _MOST_FORMS:
            raise TooManyForms
        kind = self._checked.types.get(node.key, DYN)
        if isinstance(node, Literal):
            return _constant(node.value, kind)
        if isinstance(node, Identifier) or node.key in self._checked.constants or node.key in self._checked.variables:
            return _name(self._named(node), kind)
        if isinstance(node, Select | Presence):
            return self._select(node, kind)
        if isinstance(node, Call):
            return self._function(node, kind)
        if isinstance(node, Comprehension):
            return self._macro(node, kind)
        if isinstance(node, Logic):
            return _call(node.operator, BOOL, *map(self.unfold, node.operands))
        if isinstance(node, Binary):
            left, right = self.unfold(node.left), self.unfold(node.right)
            return _call(node.operator, kind, left, right, ways=_ways(node.operator, left.type, right.type))
        return self._rest(node, kind)

    def _named(self, node: Node) -> str:
        if isinstance(node, Identifier):
            return node.name
        found = self._checked.variables.get(node.key)
        return found if found is not None else self._checked.constants[node.key].name

    def _rest(self, node: Node, kind: Type) -> Form:
        if isinstance(node, Subscript):
            return self._subscript(node, kind)
        if isinstance(node, Conditional):
            return _call("?:", kind, *map(self.unfold, (node.condition, node.positive, node.negative)))
        if isinstance(node, Unary):
            return _call(node.operator, kind, self.unfold(node.operand))
        if isinstance(node, ListLiteral):
            return Form("list", kind, [self.unfold(element.value) for element in node.elements])
        if isinstance(node, MapLiteral):
            return Form(
                "map", kind, [self.unfold(part) for entry in node.entries for part in (entry.name, entry.value)]
            )
        assert isinstance(node, Bind)
        return Form("bind", kind, (self.unfold(node.value), self.unfold(node.body)), name=node.name)

    def _select(self, node: Select | Presence, kind: Type) -> Form:
        operand = self.unfold(node.operand)
        if isinstance(node, Presence):
            return Form("has", kind, (operand,), name=node.field)
        if node.optional:
            return _call(".?", kind, operand, _constant(node.field, STRING))
        return Form("select", kind, (operand,), name=node.field)

    def _subscript(self, node: Subscript, kind: Type) -> Form:
        operand, index = self.unfold(node.operand), self.unfold(node.subscript)
        if node.optional or isinstance(operand.type, OptionalType):
            return _call("[?]", kind, operand, index)
        ways = []
        if assignable(ANY_LIST, operand.type):
            ways.append("list")
        if assignable(ANY_MAP, operand.type):
            ways.append("map")
        return _call("[]", kind, operand, index, ways=ways or _PLAIN)

    def _function(self, node: Call, kind: Type) -> Form:
        function = self._checked.functions.get(node.key)
        parts = [self.unfold(argument) for argument in node.arguments]
        if function is None:
            return _call(node.function, kind, *parts, ways=())
        target = self.unfold(node.target) if function.member and node.target is not None else None
        ways = []
        for overload in function.overloads:
            taken = overload.parameters[overload.member :]
            ways.append(_way(function.name, overload.parameters[0] if overload.parameters else DYN, taken))
        return _call(function.name, kind, *parts, ways=list(dict.fromkeys(ways)), target=target)

    def _macro(self, node: Comprehension, kind: Type) -> Form:
        if node.macro in ("optMap", "optFlatMap"):
            return self._optional_macro(node, kind)
        if node.macro == "sortBy":
            return self._sort_by(node, kind)
        return self._loop(node, self.unfold(node.subject), kind)

    def _loop(self, node: Comprehension, subject: Form, kind: Type) -> Form:
        body = self.unfold(node.body)
        condition = None if node.condition is None else self.unfold(node.condition)
        if node.macro in ("all", "exists"):
            return _quantifier(node, subject, body)
        if node.macro in ("exists_one", "existsOne"):
            one = _call("+", INT, _name(ACCUMULATOR, INT), _constant(1, INT))
            step = _call("?:", INT, body, one, _name(ACCUMULATOR, INT))
            result = _call("==", BOOL, _name(ACCUMULATOR, INT), _constant(1, INT))
            return _fold(node, subject, _constant(0, INT), _constant(True, BOOL), step, result)
        so_far = _name(ACCUMULATOR, kind)
        if node.macro in ("transformMap", "transformMapEntry"):
            added = (_name(node.first, _key_of(subject.type)), body) if node.macro == "transformMap" else (body,)
            step = _call("@insert", kind, so_far, *added)
            start = Form("map", kind)
        else:
            condition = body if node.macro == "filter" else condition
            item = _name(node.first, _element_of(subject.type)) if node.macro == "filter" else body
            step = _call("+", kind, so_far, Form("list", ListType(item.type), (item,)), ways=("list",))
            start = Form("list", kind)
        if condition is not None:
            step = _call("?:", kind, condition, step, _name(ACCUMULATOR, kind))
        return _fold(node, subject, start, _constant(True, BOOL), step, _name(ACCUMULATOR, kind))

    def _optional_macro(self, node: Comprehension, kind: Type) -> Form:
        subject, again = self.unfold(node.subject), self.unfold(node.subject)
        item = subject.type.item if isinstance(subject.type, OptionalType) else DYN
        body = self.unfold(node.body)
        bound = Form("bind", body.type, (_call("value", item, target=again), body), name=node.first)
        made = _call("optional.of", kind, bound) if node.macro == "optMap" else bound
        return _call("?:", kind, _call("hasValue", BOOL, target=subject), made, _call("optional.none", kind))

    def _sort_by(self, node: Comprehension, kind: Type) -> Form:
        body = self.unfold(node.body)
        keys = ListType(body.type)
        step = _call("+", keys, _name(ACCUMULATOR, keys), Form("list", keys, (body,)), ways=("list",))
        loop = _fold(
            node, _name(_SORTED, kind), Form("list", keys), _constant(True, BOOL), step, _name(ACCUMULATOR, keys)
        )  # fmt: skip
        ways = ("text", "") if body.type == DYN else ("text",) if body.type in (STRING, BYTES) else _PLAIN
        result = _call("@sortBy", kind, loop, ways=ways, target=_name(_SORTED, kind))
        return Form("bind", kind, (self.unfold(node.subject), result), name=_SORTED)


def _key_of(kind: Type) -> Type:
    return kind.key if isinstance(kind, MapType) else INT if isinstance(kind, ListType) else DYN


def _element_of(kind: Type) -> Type:
    return kind.element if isinstance(kind, ListType) else kind.key if isinstance(kind, MapType) else DYN


def _fold(node: Comprehension, subject: Form, start: Form, going: Form, step: Form, result: Form) -> Form:
    return Form("loop", result.type, (subject, start, going, step, result), name=node.first, second=node.second)


def _quantifier(node: Comprehension, subject: Form, body: Form) -> Form:
    is_all = node.macro == "all"
    so_far = _name(ACCUMULATOR, BOOL)
    going = _call("@going", BOOL, so_far if is_all else _call("!", BOOL, so_far))
    step = _call("&&" if is_all else "||", BOOL, _name(ACCUMULATOR, BOOL), body)
    return _fold(node, subject, _constant(is_all, BOOL), going, step, _name(ACCUMULATOR, BOOL))


def _ways(operator: str, left: Type, right: Type) -> tuple[str, ...]:
    """The overloads of an operator that may be meant, as far as they differ in cost."""
    found = dict[str, None]()
    for (one, other), _ in BINARY[operator]:
        if operator in ("==", "!="):
            found["equal"] = None
        elif operator == "in":
            if assignable(ANY_LIST if isinstance(other, ListType) else ANY_MAP, right):
                found["list" if isinstance(other, ListType) else ""] = None
        elif isinstance(one, ListType):
            if assignable(ANY_LIST, left) and assignable(ANY_LIST, right):
                found["list"] = None
        elif assignable(one, left) and assignable(other, right):
            found["text" if one in (STRING, BYTES) else ""] = None
    return tuple(found) or _PLAIN


def _way(name: str, first: Type, taken: Sequence[Type]) -> str:
    """What tells an overload of a function from the others in cost."""
    if name in ("string", "bytes"):
        other = BYTES if name == "string" else STRING
        return "convert" if first == other else ""
    if name in ("containsIP", "containsCIDR"):
        return "text" if taken[0] == STRING else ""
    if name == "sort" and isinstance(first, ListType):
        return "text" if first.element in (STRING, BYTES) else ""
    return ""
