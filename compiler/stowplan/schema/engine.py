"""Compiled checkers of one pool's nodes for one Kubernetes minor: lazily built, shared by all kinds of a pack."""

from __future__ import annotations

from typing import Any

from stowplan.schema.containers import UNBOUNDED, ObjectParts, array_check, object_check
from stowplan.schema.formats import checker, effective_format
from stowplan.schema.leaves import (
    INT32,
    INT64,
    UNWELL,
    Check,
    Trail,
    Unwell,
    bare,
    copy_plain,
    one_of,
    only_repeats,
    refuse,
    remembering,
    scalar_only,
    string_tests,
    typed,
    within,
)
from stowplan.schema.node import ABSENT, Node, NodePool
from stowplan.schema.rules import CompiledRule, compile_rules
from stowplan.schema.shaping import copy_json

__all__ = ["UNWELL", "Check", "Engine", "ObjectParts", "Trail", "Unwell", "copy_plain"]


class Engine:
    """Checkers by node. A check is the quick half of the walk: what it lets pass the full walk would accept too."""

    __slots__ = ("_checks", "_rules", "minor", "pool")

    def __init__(self, pool: NodePool, minor: int) -> None:
        self.pool, self.minor = pool, minor
        self._checks: dict[int, Check | type] = {}
        self._rules: dict[tuple[int, bool], tuple[CompiledRule, ...]] = {}

    def rules(self, node: Node, *, root: bool = False) -> tuple[CompiledRule, ...]:
        """The compiled rules at `node`."""
        key = (node.index, root)
        found = self._rules.get(key)
        if found is None:
            found = self._rules[key] = compile_rules(node, self.minor, root=root)
        return found

    def check(self, node: Node) -> Check | type:
        """The check of values at `node`; a bare type where nothing but the type counts."""
        found = self._checks.get(node.index)
        if found is None:
            found = self._checks[node.index] = self._build(node)
        return found

    def function(self, node: Node) -> Check:
        """The check of `node`, always as a function."""
        check = self.check(node)
        return check if not isinstance(check, type) else typed(check)

    def _build(self, node: Node) -> Check | type:
        if node.embedded or node.multiple_of is not None or (node.has_alternatives and not only_repeats(node)):
            return refuse
        if node.int_or_string:
            return self._int_or_string(node)
        builder = {
            "object": self._object,
            "array": self._array,
            "string": self._string,
            "integer": self._integer,
            "number": self._number,
        }.get(node.type)
        if builder is not None:
            return builder(node)
        if node.type == "boolean":
            return bool if not node.enum and not node.rules else self._with_extras(node, typed(bool))
        return copy_plain if not node.type and node.preserve and bare(node) else refuse

    def _with_extras(self, node: Node, check: Check) -> Check:
        """`check`, followed by the enum and the rules of the node."""
        rules = self.rules(node)
        if not node.enum and not rules:
            return check
        allowed = frozenset((type(v), v) for v in node.enum if type(v) in (str, int, bool))
        enum = bool(node.enum)

        def checked(value: Any) -> Any:
            value = check(value)
            if enum and (type(value), value) not in allowed:
                raise Unwell
            for rule in rules:
                if not rule.holds(value):
                    raise Unwell
            return value

        return checked

    def _int_or_string(self, node: Node) -> Check:
        if node.minimum is not None or node.maximum is not None:
            return refuse
        tests = string_tests(node, None)
        text = remembering(tests) if tests else typed(str)

        def check(value: Any) -> Any:
            if type(value) is int and INT64[0] <= value <= INT64[1]:
                return value
            return text(value)

        return self._with_extras(node, check)

    def _string(self, node: Node) -> Check | type:
        written = effective_format("string", node.format, self.minor)
        tests = string_tests(node, checker(written) if written else None)
        plain_enum = node.enum and all(type(v) is str for v in node.enum)
        if node.rules or (node.enum and not plain_enum):
            return self._with_extras(node, remembering(tests) if tests else typed(str))
        if plain_enum:
            return one_of(frozenset(node.enum), tests)
        return remembering(tests) if tests else str

    def _integer(self, node: Node) -> Check:
        low, high = INT32 if effective_format("integer", node.format, self.minor) == "int32" else INT64
        bounds = within(node)
        if bounds is None:
            return refuse
        low, high = max(low, bounds[0]), min(high, bounds[1])

        def check(value: Any) -> Any:
            if type(value) is int and low <= value <= high:
                return value
            raise Unwell

        return self._with_extras(node, check)

    def _number(self, node: Node) -> Check:
        if node.minimum is not None or node.maximum is not None or node.enum or node.format == "float":
            return refuse

        def check(value: Any) -> Any:
            return copy_plain(value) if type(value) in (int, float) else refuse(value)

        return self._with_extras(node, check)

    def _array(self, node: Node) -> Check:
        items = node.items
        if items is None or node.preserve or node.unique_items or node.enum:
            return refuse
        return array_check(node, self.check(items), self.rules(node))

    def _object(self, node: Node) -> Check:
        return object_check(self.object_parts(node)) if not node.enum else refuse

    def object_parts(self, node: Node, *, root: bool = False) -> ObjectParts:
        """What `object_check` needs for `node`."""
        most = node.max_properties if node.max_properties is not None else UNBOUNDED
        return ObjectParts(
            self._table(node),
            self._other(node),
            {name: _null(child) for name, child in node.properties()},
            _stray_null(node),
            tuple(self._defaults(node)),
            frozenset(node.required),
            (node.min_properties or 0, most),
            self.rules(node, root=root),
            node.index,
        )

    def _table(self, node: Node) -> dict[str, Check | type]:
        table: dict[str, Check | type] = {}
        for name, child in node.properties():
            ready = self._checks.get(child.index)
            table[name] = ready if ready is not None else self._later(table, name, child)
        return table

    def _later(self, table: dict[str, Check | type], name: str, child: Node) -> Check:
        """A stand-in that builds the check of `child` when first called and takes its own place."""

        def first(value: Any) -> Any:
            table[name] = self.check(child)
            return self.function(child)(value)

        return first

    def _other(self, node: Node) -> Check | type | None:
        """The check of keys that are not declared; None if there may be none."""
        additional = node.additional
        if additional is not None:
            return self.check(additional)
        if node.preserve:
            return copy_plain
        return scalar_only if node.additional_any else None

    def _defaults(self, node: Node) -> list[tuple[str, Any, bool]]:
        """The defaults of members: name, ready value, and whether each use needs a copy of its own."""
        found = []
        for name, child in node.defaulted:
            value = self._ready(child)
            found.append((name, value, type(value) in (dict, list)))
        return found

    def _ready(self, child: Node) -> Any:
        try:
            return self.function(child)(copy_json(child.default))
        except Unwell:
            return UNWELL


def _null(node: Node) -> bool | None:
    """Whether a null for a member is kept; None for the full walk."""
    if node.nullable:
        return None if node.enum else True
    return False


def _stray_null(node: Node) -> bool | None:
    """The same for members that are not declared."""
    additional = node.additional
    if additional is None:
        return True if node.preserve or node.additional_any else None
    return _null(additional) if additional.nullable or additional.default is ABSENT else None
