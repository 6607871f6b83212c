"""Compile a tree with holes to two Python functions.

The functions are made as syntax trees, never as source text: a string of the template is a constant node, so nothing in
a template or a value can become code.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from typing import Any, cast

from stowplan.source.yaml_writer import (
    MAX_DEPTH,
    dumps,
    fragment,
    indent_text,
    item_fragment,
    key_text,
    string_fragments,
)
from stowplan.templates.fill import keyed_object, keyed_text, part_text, plain_copy
from stowplan.templates.skeleton import Hole, Joined, Key, Node

__all__ = ["compile_build", "compile_text"]

Values = Sequence[object]
_HOLE_NAME = re.compile(r"v[0-9]+\Z").match


def compile_build(tree: Node, n_holes: int) -> Callable[[Values], Any]:
    """The function from values to a fresh object."""
    return cast("Callable[[Values], Any]", _function("build", _Build().value(tree), n_holes))


def compile_text(tree: Node, n_holes: int) -> Callable[[Values], str]:
    """The function from values to canonical text."""
    return cast("Callable[[Values], str]", _function("text", _Text().document(tree), n_holes))


def _function(name: str, body: ast.expr, n_holes: int) -> Callable[[Values], object]:
    """`def NAME(values): v0, v1, ... = values; return BODY`."""
    module = ast.parse(f"def {name}(values): ...")
    function = module.body[0]
    assert isinstance(function, ast.FunctionDef)
    function.body = [*_unpacking(body, n_holes), ast.Return(body)]
    made: dict[str, Callable[[Values], object]] = {}
    exec(compile(ast.fix_missing_locations(module), f"<shape {name}>", "exec"), _HELPERS, made)
    return made[name]


def _unpacking(body: ast.expr, n_holes: int) -> list[ast.stmt]:
    """All values at once, or, for one of several documents, those that stand in it."""
    used = sorted({int(node.id[1:]) for node in ast.walk(body) if isinstance(node, ast.Name) and _HOLE_NAME(node.id)})
    if len(used) == n_holes:
        targets: list[ast.expr] = [ast.Name(f"v{index}", ast.Store()) for index in used]
        return [ast.Assign([ast.Tuple(targets, ast.Store())], _load("values"))]
    return [
        ast.Assign(
            [ast.Name(f"v{index}", ast.Store())], ast.Subscript(_load("values"), ast.Constant(index), ast.Load())
        )
        for index in used
    ]


_HELPERS: dict[str, object] = {
    "__builtins__": {"type": type, "str": str},
    "part_text": part_text,
    "plain_copy": plain_copy,
    "keyed_object": keyed_object,
    "keyed_text": keyed_text,
    "fragment": fragment,
    "item_fragment": item_fragment,
    "key_text": key_text,
    "dumps": dumps,
    **{f"strings{depth}": string_fragments(depth) for depth in range(MAX_DEPTH + 2)},
}


def _load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _call(name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(_load(name), list(arguments), [])


def _if_string(value: ast.expr, then: ast.expr, otherwise: ast.expr) -> ast.expr:
    """`THEN if type(VALUE) is str else OTHERWISE`: the short way for what most values are."""
    return ast.IfExp(ast.Compare(_call("type", value), [ast.Is()], [_load("str")]), then, otherwise)


def _hole(hole: Hole) -> ast.expr:
    return _load(f"v{hole.index}")


def _part(hole: Hole) -> ast.expr:
    return _if_string(_hole(hole), _hole(hole), _call("part_text", _hole(hole)))


def _string(parts: Sequence[str | ast.expr]) -> ast.expr:
    """An f-string of the parts, neighbouring constants melted together."""
    pieces: list[ast.expr] = []
    constant: list[str] = []
    for part in [*parts, None]:
        if isinstance(part, str):
            constant.append(part)
            continue
        if constant:
            pieces.append(ast.Constant("".join(constant)))
            constant = []
        if part is not None:
            pieces.append(ast.FormattedValue(part, -1))
    return ast.JoinedStr(pieces)


def _key(key: Key) -> ast.expr:
    """A key as a string, not yet as YAML."""
    if isinstance(key, Hole):
        return _part(key)
    return _joined(key) if isinstance(key, Joined) else ast.Constant(key)


def _joined(joined: Joined) -> ast.expr:
    return _string([_part(part) if isinstance(part, Hole) else part for part in joined.parts])


def _tuple(items: Sequence[ast.expr]) -> ast.expr:
    return ast.Tuple(list(items), ast.Load())


def _has_dynamic_key(mapping: dict[Key, Node]) -> bool:
    return any(not isinstance(key, str) for key in mapping)


class _Build:
    """Expressions for the object."""

    def value(self, node: Node) -> ast.expr:
        if isinstance(node, Hole):
            return _if_string(_hole(node), _hole(node), _call("plain_copy", _hole(node)))
        if isinstance(node, Joined):
            return _joined(node)
        if isinstance(node, dict):
            return self._mapping(node)
        if isinstance(node, list):
            return ast.List([self.value(item) for item in node], ast.Load())
        return ast.Constant(node)

    def _mapping(self, mapping: dict[Key, Node]) -> ast.expr:
        values = [self.value(value) for value in mapping.values()]
        keys = [_key(key) for key in mapping]
        if _has_dynamic_key(mapping):
            return _call("keyed_object", _tuple([_tuple(pair) for pair in zip(keys, values, strict=True)]))
        return ast.Dict(list(keys), values)


class _Text:
    """Expressions for the canonical text; the layout is that of `source.yaml_writer`."""

    def document(self, tree: Node) -> ast.expr:
        if isinstance(tree, Hole | Joined) or not isinstance(tree, dict | list):
            return _call("dumps", _Build().value(tree))
        if not tree:
            return ast.Constant(dumps(tree))
        return _string(self._mapping(tree, 0, "") if isinstance(tree, dict) else self._sequence(tree, 0))

    def _mapping(self, mapping: dict[Key, Node], depth: int, head: str) -> list[str | ast.expr]:
        pad = indent_text(depth)
        if _has_dynamic_key(mapping):
            entries = [_tuple([_key(key), _string(self._value(value, depth))]) for key, value in mapping.items()]
            return [_call("keyed_text", _tuple(entries), ast.Constant(head), ast.Constant(pad))]
        parts: list[str | ast.expr] = []
        for key, value in mapping.items():
            parts += [f"{head}{key_text(cast('str', key))}:", *self._value(value, depth)]
            head = pad
        return parts

    def _value(self, node: Node, depth: int) -> list[str | ast.expr]:
        """What follows a key's colon."""
        if isinstance(node, Hole):
            return [self._strings_or(_hole(node), depth, "fragment")]
        if isinstance(node, dict) and node:
            return ["\n", *self._mapping(node, depth + 1, indent_text(depth + 1))]
        if isinstance(node, list) and node:
            return ["\n", *self._sequence(node, depth)]
        return [self._leaf(node, depth)]

    def _sequence(self, items: list[Node], depth: int) -> list[str | ast.expr]:
        parts: list[str | ast.expr] = []
        pad = indent_text(depth)
        for item in items:
            if isinstance(item, dict) and item:
                parts += self._mapping(item, depth + 1, f"{pad}- ")
            elif isinstance(item, list) and item:
                parts += [f"{pad}-\n", *self._sequence(item, depth + 1)]
            elif isinstance(item, Hole):
                parts += [f"{pad}-", self._strings_or(_hole(item), depth, "item_fragment")]
            else:
                parts += [f"{pad}-", self._leaf(item, depth)]
        return parts

    def _leaf(self, node: Node, depth: int) -> str | ast.expr:
        """The rest of the line for a scalar that is no whole hole, or an empty collection."""
        if isinstance(node, Joined):
            return _string_fragment(_joined(node), depth)
        return fragment(node, depth)

    def _strings_or(self, value: ast.expr, depth: int, otherwise: str) -> ast.expr:
        return _if_string(value, _string_fragment(value, depth), _call(otherwise, value, ast.Constant(depth)))


def _string_fragment(text: ast.expr, depth: int) -> ast.expr:
    return ast.Subscript(_load(f"strings{depth}"), text, ast.Load())
