"""Runs the CEL rules of one object from the root down, with old values correlated as the server does for updates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stowplan.cel.problem import CelEvaluationError
from stowplan.schema.checking import related_items
from stowplan.schema.comparing import UNRELATED, same_value
from stowplan.schema.engine import Engine
from stowplan.schema.node import Node
from stowplan.schema.rules import CompiledRule, OutOfBudget
from stowplan.schema.unsettled import HOLDERS, is_list, is_map, open_items, open_keys
from stowplan.schema.verdict import FieldError
from stowplan.schema.wording import index_path, key_path
from stowplan.source.span import Pointer

__all__ = ["floats_for_integers", "run_rules", "transitions_hold"]

Place = tuple[str, Pointer]
Parent = tuple[Any, Any]


def run_rules(
    engine: Engine, root: Node, value: Any, old: Any, *, floats: bool = True
) -> tuple[list[FieldError], list[str]]:
    """The causes of all rules, and as warnings those of rules that an update did not touch.

    `floats` is False where no float can stand in an integer field.
    """
    walk = _RuleWalk(engine, tuple(floats_for_integers(value, root, ())) if floats else ())
    try:
        walk.visit(value, root, ("", ()), old, (value, old), root=True)
    except OutOfBudget as stop:
        walk.errors.append(stop.cause)
    return walk.errors, walk.warnings


class _RuleWalk:
    def __init__(self, engine: Engine, floats: tuple[Pointer, ...]) -> None:
        self.errors: list[FieldError] = []
        self.warnings: list[str] = []
        self._engine, self._floats = engine, floats

    def visit(self, value: Any, node: Node, place: Place, old: Any, parent: Parent, *, root: bool = False) -> None:
        """Run the rules at `node`, then those below. `parent`: the nearest pair of values known to belong together."""
        if value is None or not node.has_rules_below:
            return
        pair = parent if old is UNRELATED else (value, old)
        for rule in self._engine.rules(node, root=root):
            self._run(rule, node, value, old, place, pair)
        path, pointer = place
        if is_map(value):
            before = old if type(old) is dict else {}
            additional = node.additional
            for key in open_keys(value):
                item = value[key]
                past = before.get(key, UNRELATED)
                past = UNRELATED if past is None else past
                child = node.child(key)
                if child is not None:
                    self.visit(item, child, (f"{path}.{key}" if path else key, (*pointer, key)), past, pair)
                elif additional is not None:
                    self.visit(item, additional, (key_path(path, key), (*pointer, key)), past, pair)
        elif is_list(value) and node.items is not None:
            related = related_items(value, node, old)
            for index, item in open_items(value):
                past = related[index] if related else UNRELATED
                self.visit(item, node.items, (index_path(path, index), (*pointer, index)), past, pair)

    def _run(self, rule: CompiledRule, node: Node, value: Any, old: Any, place: Place, pair: Parent) -> None:
        path, pointer = place
        seen = (
            spoil(value, node)
            if self._floats and any(place[: len(pointer)] == pointer for place in self._floats)
            else value
        )
        cause = rule.judge(seen, old, path, pointer)
        if cause is None:
            return
        if not rule.transition and pair[1] is not UNRELATED and same_value(*pair):
            self.warnings.append(f"{cause.field}: {cause.message}")
        else:
            self.errors.append(cause)


class _Spoilt(dict[str, Any]):
    """A map of which some members hold floats where the schema wants integers: whoever looks at one fails."""

    __slots__ = ("members",)

    def __getitem__(self, key: str) -> Any:
        self._look(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The member, or `default`."""
        self._look(key)
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        self._look(key)
        return super().__contains__(key)

    def _look(self, key: object) -> None:
        if key in self.members:
            raise CelEvaluationError("invalid data, expected int, got float64")

    members: frozenset[str]


def spoil(value: Any, node: Node) -> Any:
    """`value` as rules see it: where a float stands for an integer, looking at it is an error."""
    if is_map(value):
        out = _Spoilt()
        bad = set()
        for key, item in value.items():
            child = node.child(key) or node.additional
            dict.__setitem__(out, key, item if child is None else spoil(item, child))
            if child is not None and child.type == "integer" and type(item) is float:
                bad.add(key)
        out.members = frozenset(bad)
        return out if bad else dict(out.items())
    if is_list(value) and node.items is not None:
        return [spoil(item, node.items) for item in value]
    return value


def floats_for_integers(value: Any, node: Node, pointer: Pointer) -> Iterator[Pointer]:
    """Where floats stand in integer fields: they pass the type check, but no rule can read them."""
    if type(value) is float and node.type == "integer":
        yield pointer
    elif is_map(value):
        for key in open_keys(value):
            child = node.child(key) or node.additional
            if child is not None and (type(value[key]) is float or type(value[key]) in HOLDERS):
                yield from floats_for_integers(value[key], child, (*pointer, key))
    elif is_list(value) and node.items is not None:
        for index, item in open_items(value):
            yield from floats_for_integers(item, node.items, (*pointer, index))


def transitions_hold(engine: Engine, root: Node, value: Any, old: Any) -> bool:
    """Whether an update of an object that is well in itself also passes the rules that look at the old one."""
    return not run_rules(engine, root, value, old)[0]
