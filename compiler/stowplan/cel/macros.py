"""Macros: calls that bind a variable or test presence become nodes of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stowplan.cel.problem import CelCompileError
from stowplan.cel.tree import Bind, Call, Comprehension, Identifier, Node, Presence, Select

if TYPE_CHECKING:
    from stowplan.cel.parser import Parser

__all__ = ["MACRO_SINCE", "expand", "since"]

_FORMS: dict[str, dict[int, str]] = {
    "all": {2: "vb", 3: "vwb"},
    "exists": {2: "vb", 3: "vwb"},
    "exists_one": {2: "vb", 3: "vwb"},
    "existsOne": {2: "vb", 3: "vwb"},
    "filter": {2: "vb"},
    "map": {2: "vb", 3: "vcb"},
    "transformList": {3: "vwb", 4: "vwcb"},
    "transformMap": {3: "vwb", 4: "vwcb"},
    "transformMapEntry": {3: "vwb", 4: "vwcb"},
    "optMap": {2: "vb"},
    "optFlatMap": {2: "vb"},
    "sortBy": {2: "vb"},
}
"""Arguments by macro and count: v first variable, w second variable, c condition, b body."""

MACRO_SINCE = {
    "optMap": 29, "optFlatMap": 29, "existsOne": 33, "transformList": 33, "transformMap": 33, "transformMapEntry": 33,
    "sortBy": 35,
}  # fmt: skip
"""The first Kubernetes minor whose servers accept new rules with the macro; 25 for the others."""


def since(node: Comprehension) -> int:
    """The first minor that accepts this use: two-variable forms of old macros are younger than the macros."""
    return max(MACRO_SINCE.get(node.macro, 25), 33 if node.second is not None else 25)


def expand(parser: Parser, call: Call) -> Node:
    """The node a macro call stands for; any other call is returned as it is."""
    if call.target is None:
        return _presence(parser, call) if call.function == "has" else call
    if call.function == "bind" and isinstance(call.target, Identifier) and call.target.name == "cel":
        return _bind(parser, call)
    forms = _FORMS.get(call.function)
    if forms is None:
        return call
    form = forms.get(len(call.arguments))
    if form is None:
        counts = " or ".join(str(n) for n in sorted(forms))
        raise _wrong(parser, call, f"`{call.function}` takes {counts} arguments, found {len(call.arguments)}")
    parts = dict(zip(form, call.arguments, strict=True))
    first = _variable(parser, parts["v"])
    second = _variable(parser, parts["w"]) if "w" in parts else None
    if second == first:
        raise _wrong(parser, call, f"the two variables of `{call.function}` have the same name")
    macro = "exists_one" if call.function == "existsOne" and second is None else call.function
    return Comprehension(
        call.key, call.start, call.end, call.at, macro, call.target, first, second, parts.get("c"), parts["b"]
    )


def _wrong(parser: Parser, call: Call, message: str) -> CelCompileError:
    return parser.error(call.at, call.end, message)


def _variable(parser: Parser, node: Node) -> str:
    if not isinstance(node, Identifier) or node.absolute:
        raise parser.error(node.start, node.end, "the variable of a macro must be a simple name")
    return node.name


def _presence(parser: Parser, call: Call) -> Node:
    argument = call.arguments[0] if len(call.arguments) == 1 else None
    if not isinstance(argument, Select):
        raise parser.error(
            call.start, call.end, "`has` takes one field selection such as has(self.field)",
            "ask for a map key with `'key' in map`",
        )  # fmt: skip
    return Presence(
        call.key,
        call.start,
        call.end,
        argument.at,
        argument.operand,
        argument.field,
        argument.optional,
        argument.quoted,
    )


def _bind(parser: Parser, call: Call) -> Node:
    if len(call.arguments) != 3:
        raise _wrong(parser, call, f"`cel.bind` takes a name, a value and an expression, found {len(call.arguments)}")
    name, value, body = call.arguments
    return Bind(call.key, call.start, call.end, call.at, _variable(parser, name), value, body)
