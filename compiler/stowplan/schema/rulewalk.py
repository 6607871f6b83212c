"""Runs the CEL rules of one object from the root down, with old values correlated as the server does for updates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stowplan.schema.checking import UNRELATED, related_items, same_value
from stowplan.schema.engine import Engine
from stowplan.schema.node import Node
from stowplan.schema.rules import CompiledRule, OutOfBudget
from stowplan.schema.verdict import FieldError
from stowplan.schema.wording import index_path, key_path
from stowplan.source.span import Pointer

__all__ = ["floats_for_integers", "run_rules", "transitions_hold"]

Place = tuple[str, Pointer]
Parent = tuple[Any, Any]


def run_rules(engine: Engine, root: Node, value: Any, old: Any) -> tuple[list[FieldError], list[str]]:
    """The causes of all rules, and as warnings those of rules that an update did not touch."""
    walk = _RuleWalk(engine, tuple(floats_for_integers(value, root, ())))
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
            self._run(rule, value, old, place, pair)
        path, pointer = place
        if type(value) is dict:
            before = old if type(old) is dict else {}
            additional = node.additional
            for key, item in value.items():
                past = before.get(key, UNRELATED)
                past = UNRELATED if past is None else past
                child = node.child(key)
                if child is not None:
                    self.visit(item, child, (f"{path}.{key}" if path else key, (*pointer, key)), past, pair)
                elif additional is not None:
                    self.visit(item, additional, (key_path(path, key), (*pointer, key)), past, pair)
        elif type(value) is list and node.items is not None:
            related = related_items(value, node, old)
            for index, item in enumerate(value):
                past = related[index] if related else UNRELATED
                self.visit(item, node.items, (index_path(path, index), (*pointer, index)), past, pair)

    def _run(self, rule: CompiledRule, value: Any, old: Any, place: Place, pair: Parent) -> None:
        path, pointer = place
        spoilt = bool(self._floats) and self._reads_a_float(rule, pointer)
        cause = rule.judge(value, old, path, pointer, spoilt)
        if cause is None:
            return
        if not rule.transition and pair[1] is not UNRELATED and same_value(*pair):
            self.warnings.append(f"{cause.field}: {cause.message}")
        else:
            self.errors.append(cause)

    def _reads_a_float(self, rule: CompiledRule, pointer: Pointer) -> bool:
        depth = len(pointer)
        for place in self._floats:
            if place[:depth] == pointer:
                steps = tuple(step for step in place[depth:] if type(step) is str)
                if any(steps[: len(read)] == read[: len(steps)] for read in rule.reads):
                    return True
        return False


def floats_for_integers(value: Any, node: Node, pointer: Pointer) -> Iterator[Pointer]:
    """Where floats stand in integer fields: they pass the type check, but no rule can read them."""
    if type(value) is float and node.type == "integer":
        yield pointer
    elif type(value) is dict:
        for key, item in value.items():
            child = node.child(key) or node.additional
            if child is not None and type(item) in (float, dict, list):
                yield from floats_for_integers(item, child, (*pointer, key))
    elif type(value) is list and node.items is not None:
        for index, item in enumerate(value):
            yield from floats_for_integers(item, node.items, (*pointer, index))


def transitions_hold(engine: Engine, root: Node, value: Any, old: Any) -> bool:
    """Whether an update of an object that is well in itself also passes the rules that look at the old one."""
    return not run_rules(engine, root, value, old)[0]
