"""Walks a shape's tree along a schema: what is static is judged, what holes must fulfil is collected as tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from stowplan.schema.containers import ObjectParts
from stowplan.schema.engine import UNWELL, Check, Engine, Unwell, copy_plain
from stowplan.schema.holes import Fill, filler, holes_in, holes_read
from stowplan.schema.leaves import all_different, refuse
from stowplan.schema.metadata import (
    annotations_are_plain,
    key_is_good,
    label_value_is_good,
    labels_are_plain,
    name_is_good,
    namespace_is_good,
)
from stowplan.schema.node import Node
from stowplan.schema.rules import CompiledRule
from stowplan.templates.skeleton import Hole, Joined

if TYPE_CHECKING:
    from stowplan.schema.custom import CustomKind

__all__ = ["Specialiser", "Test", "Tests"]

Test = Callable[[Sequence[Any]], bool]
"""Takes the values of a filling; False, or `Unwell`, sends the object to the full walk."""

_REMEMBERED = 8192
_ANNOTATION_ROOM = 65536


class Tests(NamedTuple):
    """What the values of a shape must fulfil, in this order.

    `types`: holes that need only be of a type; `leaves`: holes whose scalar a check must let pass; `wholes`: holes whose
    value a check must let pass unchanged; `tests`: whatever else, last the rules.
    """

    types: tuple[tuple[int, type], ...]
    leaves: tuple[tuple[int, Check], ...]
    wholes: tuple[tuple[int, Check], ...]
    tests: tuple[Test, ...]


class Specialiser:
    """Walks a shape's tree along the schema and collects the tests; raises `Unwell` where the static part is not well."""

    def __init__(self, kind: CustomKind) -> None:
        self._kind = kind
        self._engine: Engine = kind.engine
        self.fills: dict[int, Check] = {}
        """Checks that fill in what has a default below a hole."""
        self.folded = 0
        self._types: list[tuple[int, type]] = []
        self._leaves: list[tuple[int, Check]] = []
        self._wholes: list[tuple[int, Check]] = []
        self._tests: list[Test] = []
        self._passing: dict[Callable[[Any], bool], Check] = {}
        self._rules: dict[tuple[tuple[int, ...], int], tuple[Fill, list[CompiledRule]]] = {}

    def all_tests(self) -> Tests:
        """What was collected, each once."""
        scalars = {index for index, _ in (*self._types, *self._leaves)}
        rules = [
            _rules_test(read if scalars.issuperset(read) else (), fill, tuple(rules))
            for (read, _), (fill, rules) in self._rules.items()
        ]
        return Tests(
            tuple(dict.fromkeys(self._types)),
            tuple(dict.fromkeys(self._leaves)),
            tuple(dict.fromkeys(self._wholes)),
            (*self._tests, *rules),
        )

    def root(self, tree: Any) -> Any:
        """The tree of a whole object, normalised."""
        kind = self._kind
        if type(tree) is not dict or not all(type(key) is str for key in tree):
            raise Unwell
        version = tree.get("apiVersion")
        if type(version) is Hole:
            self._leaves.append((version.index, _passing(lambda value: value == kind.api_version)))
        elif version != kind.api_version:
            raise Unwell
        if tree.get("kind") != kind.kind or "metadata" not in tree:
            raise Unwell
        parts = kind.root_parts()
        if parts is None or kind.grounds.storage is not None or (kind.facts.status and "status" in tree):
            raise Unwell
        body = {key: value for key, value in tree.items() if key not in ("apiVersion", "kind", "metadata")}
        out = {"apiVersion": version, "kind": kind.kind, "metadata": self._metadata(tree["metadata"])}
        out.update(self._members(kind.root, body, parts.other is copy_plain))
        return self._finish(out, parts)

    def visit(self, node: Node, tree: Any) -> Any:
        """The normalised tree of a value at `node`."""
        if not holes_in(tree):
            return self._engine.function(node)(tree)
        if type(tree) is Hole:
            return self._hole(node, tree)
        if type(tree) is Joined:
            self._test_value(self._engine.check(node), tree)
            return tree
        plain = not (node.embedded or node.has_alternatives or node.multiple_of is not None or node.enum)
        if plain and type(tree) is dict and node.type == "object" and all(type(key) is str for key in tree):
            parts = self._engine.object_parts(node)
            out = self._members(node, tree, parts.other is copy_plain)
            return self._finish(out, parts)
        if plain and type(tree) is list and node.type == "array" and node.items is not None:
            return self._list(node, tree)
        self._test_value(self._engine.function(node), tree)
        return tree

    def _hole(self, node: Node, hole: Hole) -> Hole:
        check, index = self._engine.check(node), hole.index
        if isinstance(check, type):
            self._types.append((index, check))
        elif node.type in ("string", "integer", "boolean"):
            self._leaves.append((index, check))
        else:
            self._wholes.append((index, check))
            if node.has_default_below and node.type in ("object", "array"):
                self.fills[index] = check
        return hole

    def _test_value(self, check: Check | type, tree: Any) -> None:
        """Test what `tree` gives once filled against a node's check."""
        fill = filler(tree, raw=True)
        if isinstance(check, type):
            self._tests.append(lambda values: type(fill(values)) is check)
        else:
            self._tests.append(lambda values: _is_kept(check, fill(values)))

    def _members(self, node: Node, tree: dict[str, Any], anything: bool) -> dict[str, Any]:
        out: dict[str, Any] = {}
        additional = node.additional
        for key, item in tree.items():
            declared = node.child(key)
            child = declared if declared is not None else additional
            if child is None:
                if not anything:
                    raise Unwell
                out[key] = item
                self._test_value(copy_plain, item)
            elif item is None:
                if declared is None or declared.nullable:
                    raise Unwell
            else:
                out[key] = self.visit(child, item)
        return out

    def _finish(self, out: dict[str, Any], parts: ObjectParts) -> dict[str, Any]:
        """Defaults, required members, their number and the rules of an object node whose members are done."""
        for key, default, _ in parts.defaults:
            if key not in out:
                if default is UNWELL:
                    raise Unwell
                out[key] = copy_plain(default)
        low, high = parts.members
        if not out.keys() >= parts.required or not low <= len(out) <= high:
            raise Unwell
        ordered = {key: out[key] for key in sorted(out)}
        for rule in parts.rules:
            self._rule(rule, ordered)
        return ordered

    def _list(self, node: Node, tree: list[Any]) -> list[Any]:
        low = node.min_items or 0
        if len(tree) < low or (node.max_items is not None and len(tree) > node.max_items):
            raise Unwell
        if node.preserve or node.unique_items or node.items is None:
            raise Unwell
        out = [self.visit(node.items, item) for item in tree]
        distinct = all_different(node.list_type, node.map_keys)
        if distinct is not None and len(out) > 1:
            self._distinct(node, out, distinct)
        for rule in self._engine.rules(node):
            self._rule(rule, out)
        return out

    def _distinct(self, node: Node, out: list[Any], distinct: Callable[[list[Any]], bool]) -> None:
        """Keys (or items) must differ: settled now if they are static, else a test of the keys alone."""
        narrow = [_keys_only(item, node.map_keys) for item in out] if node.list_type == "map" else out
        if not holes_in(narrow):
            if not distinct(narrow):
                raise Unwell
            return
        fill = filler(narrow, raw=True)
        self._tests.append(lambda values: distinct(fill(values)))

    def _rule(self, rule: CompiledRule, tree: Any) -> None:
        """Fold a rule that reads no hole; else test it on what it reads, remembering the values it let pass."""
        if rule.transition and not rule.optional:
            return
        read = holes_read(tree, rule.reads)
        if not read:
            if not rule.holds(tree):
                raise Unwell
            self.folded += 1
            return
        known = self._rules.setdefault((read, id(tree)), (filler(tree, raw=True), []))
        known[1].append(rule)

    def _metadata(self, tree: Any) -> Any:
        if not holes_in(tree):
            return self._kind.metadata_check(tree)
        if type(tree) is not dict or not tree.keys() <= {"name", "namespace", "labels", "annotations"}:
            self._test_value(self._kind.metadata_check, tree)
            return tree
        for key, item in tree.items():
            if key in ("labels", "annotations"):
                self._texts(key, item)
            elif key == "namespace" and not self._kind.namespaced:
                raise Unwell
            else:
                self._name(item, name_is_good if key == "name" else namespace_is_good)
        if "name" not in tree:
            raise Unwell
        return tree

    def _name(self, tree: Any, good: Callable[[Any], bool]) -> None:
        if type(tree) is Hole:
            self._leaves.append((tree.index, self._passing.setdefault(good, _passing(good))))
        elif holes_in(tree):
            fill = filler(tree, raw=True)
            self._tests.append(lambda values: good(fill(values)))
        elif not good(tree):
            raise Unwell

    def _texts(self, key: str, tree: Any) -> None:
        """Labels or annotations: fixed keys are checked now, values with holes later, anything else as a whole."""
        whole = labels_are_plain if key == "labels" else annotations_are_plain
        if type(tree) is not dict or not tree or not all(type(k) is str for k in tree):
            fill = filler(tree, raw=True)
            if not holes_in(tree):
                raise Unwell
            self._tests.append(lambda values: whole(fill(values)))
            return
        fixed = {k: v for k, v in tree.items() if not holes_in(v)}
        if not all(map(key_is_good, tree)) or (fixed and not whole(fixed)):
            raise Unwell
        room = (_ANNOTATION_ROOM - sum(map(len, fixed.values())) - 256 * len(tree)) // max(1, len(tree) - len(fixed))
        good = label_value_is_good if key == "labels" else _fits(room)
        for name, item in tree.items():
            if name not in fixed:
                self._name(item, good)


def _fits(room: int) -> Callable[[Any], bool]:
    return lambda value: type(value) is str and len(value) <= room


def _passing(good: Callable[[Any], bool]) -> Check:
    return lambda value: value if good(value) else refuse(value)


def _is_kept(check: Check, value: Any) -> bool:
    return value is not None and bool(check(value) == value)


def _keys_only(item: Any, keys: tuple[str, ...]) -> Any:
    if type(item) is dict and all(type(key) is str for key in item):
        return {key: item[key] for key in keys if key in item}
    return item


def _rules_test(read: tuple[int, ...], fill: Fill, rules: tuple[CompiledRule, ...]) -> Test:
    """A test of rules over one part of the tree; the values that it let pass it remembers, where all it reads are scalars."""

    def hold(values: Sequence[Any]) -> bool:
        filled = fill(values)
        return all(rule.holds(filled) for rule in rules)

    if not read:
        return hold
    passed: set[Any] = set()
    key_of = itemgetter(*read)

    def test(values: Sequence[Any]) -> bool:
        key = key_of(values)
        if key in passed:
            return True
        if not hold(values):
            return False
        if len(passed) < _REMEMBERED:
            passed.add(key)
        return True

    return test
