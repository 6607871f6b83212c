"""CEL rules of schema nodes: compiled once a node, evaluated in place, refusals worded as the server does."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from stowplan.cel.problem import CelBudgetError, CelCompileError, CelEvaluationError
from stowplan.cel.types import BOOL, STRING, OptionalType, Type
from stowplan.schema.comparing import UNRELATED, same_value
from stowplan.schema.declared import cel_type
from stowplan.schema.fieldpath import parse_field_path
from stowplan.schema.node import Node, Rule
from stowplan.schema.verdict import FieldError
from stowplan.schema.wording import OMITTED, duplicate, forbidden, invalid, required
from stowplan.source.span import Pointer

__all__ = ["CompiledRule", "OutOfBudget", "compile_rules"]

_MESSAGE_LIMIT = 5 * 1024

_OPERATOR: Final = re.compile(r": (?:_|@|-_).*")
"""What says which operator it was; the server names functions only."""


class OutOfBudget(Exception):
    """A rule used up its budget; the cause is reported and no further rule runs."""

    def __init__(self, cause: FieldError) -> None:
        super().__init__(cause.message)
        self.cause = cause


class CompiledRule:
    """One rule ready to run.

    `broken` says why it does not compile: the server would then refuse every object. A `transition` rule runs only
    where an old value exists, or if it is `optional`.
    """

    __slots__ = (
        "_field",
        "_message",
        "_node",
        "_program",
        "_steps",
        "broken",
        "holds",
        "optional",
        "rule",
        "transition",
    )

    def __init__(self, rule: Rule, node: Node, self_type: Type | None, minor: int) -> None:
        self.rule, self._node = rule, node
        self.optional = rule.optional_old_self
        self.broken = ""
        self.holds: Callable[[Any], bool] = self._holds_first
        """Whether the rule lets a new object pass; False also when it cannot be told."""
        self._program: Any = None
        self._message: Any = None
        self._field, self._steps = parse_field_path(rule.field_path)
        if self_type is None:
            self.broken = "the rule stands where values have no type"
            self.transition = False
            return
        old = OptionalType(self_type) if self.optional else self_type
        variables = {"self": self_type, "oldSelf": old}
        try:
            self._program = _compile(rule.text, variables, minor, BOOL)
            if rule.message_expression:
                self._message = _compile(rule.message_expression, variables, minor, STRING)
        except CelCompileError as problem:
            self.broken = str(problem)
        self.transition = bool(self._program) and any(path[:1] == ("oldSelf",) for path in self._program.reads)

    @property
    def reads(self) -> tuple[tuple[str, ...], ...]:
        """The static paths below `self` that the rule reads; an empty path is all of it."""
        if self._program is None:
            return ((),)
        return tuple(tuple(map(str, path[1:])) for path in self._program.reads if path[:1] == ("self",))

    def _holds_first(self, value: Any) -> bool:
        self.holds = self._ready()
        return self.holds(value)

    def _ready(self) -> Callable[[Any], bool]:
        if self.transition and not self.optional:
            return lambda _value: True
        if self._program is None:
            return lambda _value: False
        run, transition = self._program.run, self.transition

        def holds(value: Any) -> bool:
            try:
                return run(self._variables(value, UNRELATED) if transition else {"self": value}) is True
            except CelEvaluationError:
                return False

        return holds

    def _variables(self, value: Any, old: Any) -> dict[str, Any]:
        if not self.transition:
            return {"self": value}
        if self.optional:
            from stowplan.cel.values import OptionalValue

            return {"self": value, "oldSelf": OptionalValue(False) if old is UNRELATED else OptionalValue(True, old)}
        return {"self": value, "oldSelf": old}

    def judge(self, value: Any, old: Any, path: str, pointer: Pointer) -> FieldError | None:
        """The cause if the rule refuses `value`."""
        kind = self._node.type
        if self.broken:
            return invalid(path or "<nil>", kind, f"rule compile error: {self.broken}", pointer)
        if self.transition and old is UNRELATED and not self.optional:
            return None
        variables = self._variables(value, old)
        where = path or "<nil>"
        try:
            if self._program.evaluate(variables) is True:
                return None
        except CelBudgetError:
            detail = (
                "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to "
            )
            raise OutOfBudget(
                invalid(where, kind, f"{detail}call cost exceeds limit for rule: {self.rule.says}", pointer)
            ) from None
        except CelEvaluationError as problem:
            return invalid(where, kind, self._failure(problem.message), pointer)
        return self._refusal(value, variables, path, pointer)

    def _failure(self, message: str) -> str:
        if message.startswith("no such overload"):
            message = _OPERATOR.sub("", message)
            tail = "call arguments did not match a supported operator, function or macro signature for rule:"
            return f"'{message}': {tail} {self.rule.says}"
        return f"{message} evaluating rule: {self.rule.says}"

    def _refusal(self, value: Any, variables: dict[str, Any], path: str, pointer: Pointer) -> FieldError:
        where = f"{path}.{self._field}" if path and self._field else self._field or path or "<nil>"
        at = (*pointer, *self._steps)
        detail = self._said(variables)
        shown = OMITTED if self._node.type in ("object", "array") else value
        reason = self.rule.reason
        if reason == "FieldValueForbidden":
            return forbidden(where, detail, at)
        if reason == "FieldValueRequired":
            return required(where, detail, at)
        return duplicate(where, shown, at) if reason == "FieldValueDuplicate" else invalid(where, shown, detail, at)

    def _said(self, variables: dict[str, Any]) -> str:
        if self._message is not None:
            try:
                text = self._message.evaluate(variables)
            except CelEvaluationError:
                text = None
            if type(text) is str:
                text = text.strip()
                if text and "\n" not in text and len(text.encode()) <= _MESSAGE_LIMIT:
                    return text
        return self.rule.message.strip() or f"failed rule: {self.rule.says}"

    def may_pass(self, value: Any, old: Any) -> bool:
        """Whether an update is let off because nothing below the rule changed."""
        return not self.transition and old is not UNRELATED and same_value(value, old)


def _compile(text: str, variables: dict[str, Type], minor: int, expect: Type) -> Any:
    from stowplan.cel import Declarations, compile_expression

    return compile_expression(text, Declarations(variables), minor=minor, expect=expect)


def compile_rules(node: Node, minor: int, *, root: bool) -> tuple[CompiledRule, ...]:
    """The rules at `node` in the schema's order, then those that its `allOf` parts state of the same value."""
    rules = (*node.rules, *(rule for option in node.alternatives("allOf") for rule in option.rules))
    if not rules:
        return ()
    self_type = cel_type(node, root=root)
    return tuple(CompiledRule(rule, node, self_type, minor) for rule in rules)
