"""The syntax tree: immutable nodes, each knowing its stretch of the source.

Every node has `key` (its number within the expression), `start` and `end` (half-open offsets) and, where a complaint
is best put somewhere else than at the start, `at` (the operator or the name).
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

__all__ = [
    "Binary", "Bind", "Call", "Comprehension", "Conditional", "Element", "Entry", "Identifier", "ListLiteral",
    "Literal", "LiteralValue", "Logic", "MapLiteral", "Node", "Presence", "Select", "Subscript", "Unary", "children",
    "dotted_name",
]  # fmt: skip

LiteralValue: TypeAlias = "str | bytes | int | float | bool | None"


class Literal(NamedTuple):
    """A constant."""

    key: int
    start: int
    end: int
    value: LiteralValue


class Identifier(NamedTuple):
    """A name; `absolute` when written with a leading dot."""

    key: int
    start: int
    end: int
    name: str
    absolute: bool


class Select(NamedTuple):
    """`operand.field`, or `operand.?field` when `optional`; `quoted` for a field in backticks."""

    key: int
    start: int
    end: int
    at: int
    operand: Node
    field: str
    optional: bool
    quoted: bool


class Presence(NamedTuple):
    """`has(operand.field)`."""

    key: int
    start: int
    end: int
    at: int
    operand: Node
    field: str
    optional: bool
    quoted: bool


class Subscript(NamedTuple):
    """`operand[index]`, or `operand[?index]` when `optional`."""

    key: int
    start: int
    end: int
    at: int
    operand: Node
    subscript: Node
    optional: bool


class Call(NamedTuple):
    """A function or a method call; macros have become other nodes."""

    key: int
    start: int
    end: int
    at: int
    function: str
    target: Node | None
    arguments: tuple[Node, ...]


class Unary(NamedTuple):
    """`!operand` or `-operand`."""

    key: int
    start: int
    end: int
    operator: str
    operand: Node


class Binary(NamedTuple):
    """Arithmetic, comparison or `in`."""

    key: int
    start: int
    end: int
    at: int
    operator: str
    left: Node
    right: Node


class Logic(NamedTuple):
    """A chain of `&&` or of `||`."""

    key: int
    start: int
    end: int
    operator: str
    operands: tuple[Node, ...]


class Conditional(NamedTuple):
    """`condition ? positive : negative`."""

    key: int
    start: int
    end: int
    at: int
    condition: Node
    positive: Node
    negative: Node


class Element(NamedTuple):
    """One element of a list literal; an optional one (`?x`) is left out when absent."""

    optional: bool
    value: Node


class Entry(NamedTuple):
    """One entry of a map literal; an optional one (`?k: v`) is left out when absent."""

    optional: bool
    name: Node
    value: Node


class ListLiteral(NamedTuple):
    """`[a, b]`."""

    key: int
    start: int
    end: int
    elements: tuple[Element, ...]


class MapLiteral(NamedTuple):
    """`{a: b}`."""

    key: int
    start: int
    end: int
    entries: tuple[Entry, ...]


class Comprehension(NamedTuple):
    """A macro over a range: `all`, `exists`, `existsOne`, `filter`, `map`, `sortBy`, the `transform` family, `optMap`.

    `second` is the value variable of the two-variable forms, `condition` the filter of the three-argument forms.
    """

    key: int
    start: int
    end: int
    at: int
    macro: str
    subject: Node
    first: str
    second: str | None
    condition: Node | None
    body: Node


class Bind(NamedTuple):
    """`cel.bind(name, value, body)`."""

    key: int
    start: int
    end: int
    at: int
    name: str
    value: Node
    body: Node


Node: TypeAlias = (
    "Literal | Identifier | Select | Presence | Subscript | Call | Unary | Binary | Logic | Conditional | ListLiteral"
    " | MapLiteral | Comprehension | Bind"
)


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below, in source order."""
    if isinstance(node, Select | Presence | Unary):
        return (node.operand,)
    if isinstance(node, Binary):
        return node.left, node.right
    if isinstance(node, Logic):
        return node.operands
    if isinstance(node, Subscript):
        return node.operand, node.subscript
    if isinstance(node, Call):
        return node.arguments if node.target is None else (node.target, *node.arguments)
    if isinstance(node, Conditional):
        return node.condition, node.positive, node.negative
    if isinstance(node, ListLiteral):
        return tuple(e.value for e in node.elements)
    if isinstance(node, MapLiteral):
        return tuple(part for e in node.entries for part in (e.name, e.value))
    if isinstance(node, Comprehension):
        inner = (node.body,) if node.condition is None else (node.condition, node.body)
        return (node.subject, *inner)
    if isinstance(node, Bind):
        return node.value, node.body
    return ()


def dotted_name(node: Node) -> str | None:
    """`a.b.c` when the node is nothing but names and plain dots."""
    parts: list[str] = []
    while isinstance(node, Select):
        if node.optional or node.quoted:
            return None
        parts.append(node.field)
        node = node.operand
    if not isinstance(node, Identifier):
        return None
    parts.append(node.name)
    return ".".join(reversed(parts))
