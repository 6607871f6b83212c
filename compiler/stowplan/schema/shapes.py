"""Judging per shape: the static part once, and for each object only its holes and the rules that read them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from stowplan.schema.engine import UNWELL, Check, Engine, ObjectParts, Unwell, all_different, copy_plain
from stowplan.schema.holes import Fill, filler, holes_in, holes_read
from stowplan.schema.kind import ShapeLike
from stowplan.schema.metadata import key_is_good, label_value_is_good, labels_are_plain, name_is_good, namespace_is_good
from stowplan.schema.node import Node
from stowplan.schema.rules import CompiledRule
from stowplan.schema.verdict import FieldError
from stowplan.templates.fill import FillError
from stowplan.templates.skeleton import Hole, Joined

if TYPE_CHECKING:
    from stowplan.schema.custom import CustomKind

__all__ = ["CompiledShape", "specialise"]

Test = Callable[[Sequence[Any]], bool]
"""Takes the values of a filling; False sends the object to the full walk."""

_WELL: tuple[FieldError, ...] = ()
_REMEMBERED = 8192
_ANNOTATION_ROOM = 65536


class CompiledShape:
    """What differs between objects of one shape (see `ShapeCheck`).

    `unsettled` are the holes whose values may gain defaults of their own; `settle` fills them in.
    """

    __slots__ = ("_is_settled", "_kind", "_shape", "_tests", "folded", "sound", "tree", "unsettled")

    def __init__(
        self,
        kind: CustomKind,
        shape: ShapeLike,
        tree: Any,
        tests: tuple[Test, ...] | None,
        settle: dict[int, Check],
        folded: int,
    ) -> None:
        self._kind, self._shape = kind, shape
        self._is_settled: bool | None = None
        self.tree = tree
        self.sound = tests is not None
        self._tests: tuple[Test, ...] = tests if tests is not None else (lambda _values: False,)
        self.unsettled = settle
        self.folded = folded

    def check(self, values: Sequence[Any]) -> tuple[FieldError, ...]:
        """The causes against the object of these values; the same empty tuple when there are none."""
        try:
            for test in self._tests:
                if not test(values):
                    break
            else:
                return _WELL
        except (Unwell, FillError):
            pass
        return self._kind.judge(self._shape.build(values)).errors or _WELL

    def is_fixed_point(self, values: Sequence[Any]) -> bool:
        """Whether the object of these values is stored as it is.

        What nulls and floats become depends on where they stand: they take the full walk.
        """
        if not self.sound or not all(map(_is_steady, values)):
            made = self._shape.build(values)
            return bool(self._kind.normalise(made) == made)
        if self._is_settled is None:
            self._is_settled = self.tree == self._shape.tree
        return self._is_settled and (not self.unsettled or list(self.settle(values)) == list(values))

    def settle(self, values: Sequence[Any]) -> Sequence[Any]:
        """The values with the defaults filled in that stand below holes; faulty values stay as they are."""
        if not self.unsettled:
            return values
        out = list(values)
        for index, check in self.unsettled.items():
            try:
                out[index] = check(filler(Hole(index))(values))
            except Unwell:
                continue
        return out


def _is_steady(value: Any) -> bool:
    """Whether there is no null and no float in it."""
    if isinstance(value, dict):
        return all(map(_is_steady, value.values()))
    if isinstance(value, list):
        return all(map(_is_steady, value))
    return value is not None and type(value) is not float


def specialise(kind: CustomKind, shape: ShapeLike) -> CompiledShape:
    """Compile `shape` against the schema of `kind`."""
    work = _Specialiser(kind)
    try:
        tree = work.root(shape.tree)
    except Unwell:
        return CompiledShape(kind, shape, shape.tree, None, {}, 0)
    return CompiledShape(kind, shape, tree, work.all_tests(), work.settle, work.folded)


def _checked_once(check: Check) -> Check:
    """A check that has its last result ready when it is asked for the same value again."""
    last: list[Any] = [UNWELL, None]

    def once(value: Any) -> Any:
        if value is not last[0]:
            last[:] = [UNWELL, None]
            last[:] = [value, check(value)]
        return last[1]

    return once


def _value_is(index: int, wanted: str) -> Test:
    return lambda values: values[index] == wanted


class _Specialiser:
    """Walks a shape's tree along the schema and collects the tests; raises `Unwell` where the static part is not well."""

    def __init__(self, kind: CustomKind) -> None:
        self._kind = kind
        self._engine: Engine = kind.engine
        self.tests: list[Test] = []
        self.settle: dict[int, Check] = {}
        self.folded = 0
        self._rules: dict[tuple[int, ...], list[tuple[CompiledRule, Fill]]] = {}

    def all_tests(self) -> tuple[Test, ...]:
        """The tests of single values, then those of rules, one for all rules that read the same holes."""
        return (*self.tests, *(_rules_test(read, tuple(rules)) for read, rules in self._rules.items()))

    def root(self, tree: Any) -> Any:
        """The tree of a whole object, normalised."""
        kind = self._kind
        if type(tree) is not dict or not all(type(key) is str for key in tree):
            raise Unwell
        version = tree.get("apiVersion")
        if type(version) is Hole:
            self.tests.append(_value_is(version.index, kind.api_version))
        elif version != kind.api_version:
            raise Unwell
        if tree.get("kind") != kind.kind or "metadata" not in tree:
            raise Unwell
        parts = kind.root_parts()
        if parts is None or (kind.facts.status and "status" in tree):
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
            self._test_value(self._engine.check(node), filler(tree))
            return tree
        plain = not (node.embedded or node.has_alternatives or node.multiple_of is not None or node.enum)
        if plain and type(tree) is dict and node.type == "object" and all(type(key) is str for key in tree):
            parts = self._engine.object_parts(node)
            out = self._members(node, tree, parts.other is copy_plain)
            return self._finish(out, parts)
        if plain and type(tree) is list and node.type == "array" and node.items is not None:
            return self._list(node, tree)
        self._test_value(self._engine.function(node), filler(tree))
        return tree

    def _hole(self, node: Node, hole: Hole) -> Hole:
        check, index = self._engine.check(node), hole.index
        if node.has_default_below and node.type in ("object", "array"):
            check = self.settle[index] = _checked_once(self._engine.function(node))
        if node.type in ("object", "array", ""):
            self.tests.append(lambda values: values[index] is not None)
            self._test_value(check, filler(hole))
        elif isinstance(check, type):
            self.tests.append(lambda values: type(values[index]) is check)
        else:
            self.tests.append(_value_test(check, index))
        return hole

    def _test_value(self, check: Check | type, fill: Fill) -> None:
        """Test what `fill` makes against a node's check; checks raise `Unwell` for the caller to catch."""
        if isinstance(check, type):
            self.tests.append(lambda values: type(fill(values)) is check)
        else:
            self.tests.append(lambda values: check(fill(values)) is not UNWELL)

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
                self._test_value(copy_plain, filler(item))
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
        fill = filler(narrow)
        self.tests.append(lambda values: distinct(fill(values)))

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
        self._rules.setdefault(read, []).append((rule, filler(tree)))

    def _metadata(self, tree: Any) -> Any:
        if not holes_in(tree):
            return self._kind.metadata_check(tree)
        if type(tree) is not dict or not tree.keys() <= {"name", "namespace", "labels", "annotations"}:
            self._test_value(self._kind.metadata_check, filler(tree))
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
        if holes_in(tree):
            fill = filler(tree)
            self.tests.append(lambda values: good(fill(values)))
        elif not good(tree):
            raise Unwell

    def _texts(self, key: str, tree: Any) -> None:
        """Labels or annotations: fixed keys are checked now, values with holes later, anything else as a whole."""
        whole = labels_are_plain if key == "labels" else _annotations_are_plain
        if type(tree) is not dict or not tree or not all(type(k) is str for k in tree):
            fill = filler(tree)
            if not holes_in(tree):
                raise Unwell
            self.tests.append(lambda values: whole(fill(values)))
            return
        fixed = {k: v for k, v in tree.items() if not holes_in(v)}
        if not all(map(key_is_good, tree)) or (fixed and not whole(fixed)):
            raise Unwell
        room = (_ANNOTATION_ROOM - sum(map(len, fixed.values())) - 256 * len(tree)) // max(1, len(tree) - len(fixed))
        good = label_value_is_good if key == "labels" else _fits(room)
        for name, item in tree.items():
            if name not in fixed:
                self._name(item, good)


def _annotations_are_plain(value: Any) -> bool:
    from stowplan.schema.metadata import annotations_are_plain

    return annotations_are_plain(value)


def _fits(room: int) -> Callable[[Any], bool]:
    return lambda value: type(value) is str and len(value) <= room


def _value_test(check: Check, index: int) -> Test:
    return lambda values: check(values[index]) is not UNWELL


def _keys_only(item: Any, keys: tuple[str, ...]) -> Any:
    if type(item) is dict and all(type(key) is str for key in item):
        return {key: item[key] for key in keys if key in item}
    return item


def _rules_test(read: tuple[int, ...], rules: tuple[tuple[CompiledRule, Fill], ...]) -> Test:
    """A test of rules that read the same holes.

    Its memory of values that passed is bounded, and skipped for values that cannot be keys.
    """
    passed: set[Any] = set()

    def hold(values: Sequence[Any]) -> bool:
        return all(rule.holds(fill(values)) for rule, fill in rules)

    def test(values: Sequence[Any]) -> bool:
        key = tuple([values[index] for index in read])
        try:
            if key in passed:
                return True
        except TypeError:
            return hold(values)
        if not hold(values):
            return False
        if len(passed) < _REMEMBERED:
            passed.add(key)
        return True

    return test
