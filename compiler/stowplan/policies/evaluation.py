"""Evaluates one guardrail on one object: pass, fail, or not applicable; what cannot be evaluated is a failure."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from stowplan.cel import CelBudgetError, CelEvaluationError, Program
from stowplan.policies.guardrails import Check, Guardrail

__all__ = ["CheckOutcome", "GuardrailOutcome", "LazyValues", "Outcome3", "evaluate_guardrail", "with_variables"]


class Outcome3(enum.Enum):
    """The three outcomes of a policy."""

    PASS = "pass"
    FAIL = "fail"
    NOT_APPLICABLE = "not-applicable"


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """What became of one validation; `problem` says why it could not be evaluated, where it could not.

    `exhausted` says that the expression used up its budget of steps.
    """

    outcome: Outcome3
    message: str = ""
    problem: str = ""
    exhausted: bool = False


@dataclass(frozen=True, slots=True)
class GuardrailOutcome:
    """What became of a guardrail on one object; `because` names the condition that settled it."""

    outcome: Outcome3
    checks: tuple[CheckOutcome, ...]
    because: str = ""

    @property
    def exhausted(self) -> bool:
        """Whether an expression used up its budget: evaluating it again would only take as long again."""
        return any(check.exhausted for check in self.checks)


class LazyValues(dict[str, Any]):
    """Named values that are worked out when an expression asks for them, each once."""

    __slots__ = ("_makers",)

    def __init__(self, makers: Mapping[str, Callable[[], Any]]) -> None:
        super().__init__()
        self._makers = dict(makers)

    def __missing__(self, key: str) -> Any:
        if key not in self._makers:
            raise KeyError(key)
        value = self[key] = self._makers[key]()
        return value

    def __contains__(self, key: object) -> bool:
        return key in self._makers

    def get(self, key: str, default: Any = None) -> Any:
        """The value, or `default` where there is none of that name."""
        return self[key] if key in self._makers else default

    def keys(self) -> Any:
        """All names, worked out or not."""
        return self._makers.keys()

    def __iter__(self) -> Any:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def with_variables(values: Mapping[str, Any], variables: Mapping[str, Program]) -> Mapping[str, Any]:
    """The values with the policy's own variables beside them; each is evaluated when it is first read.

    One that fails raises in the expression that reads it, as on a server.
    """
    if not variables:
        return values
    scope: dict[str, Any] = dict(values)

    def maker(program: Program) -> Callable[[], Any]:
        return lambda: program.evaluate(scope)

    scope["variables"] = LazyValues({name: maker(program) for name, program in variables.items()})
    return scope


def evaluate_guardrail(guardrail: Guardrail, values: Mapping[str, Any]) -> GuardrailOutcome:
    """The outcome on one object; `values` are those that the expressions read, by name."""
    scope = with_variables(values, guardrail.variables)
    failed, exhausted = "", False
    for condition in guardrail.conditions:
        try:
            if not condition.program.evaluate_bool(scope):
                skipped = CheckOutcome(Outcome3.NOT_APPLICABLE)
                return GuardrailOutcome(
                    Outcome3.NOT_APPLICABLE, (skipped,) * len(guardrail.checks), f"condition `{condition.name}`"
                )
        except CelEvaluationError as problem:
            exhausted = exhausted or isinstance(problem, CelBudgetError)
            failed = failed or f"condition `{condition.name}` cannot be evaluated: {problem.message}"
    if failed:
        broken = CheckOutcome(Outcome3.FAIL, failed, failed, exhausted)
        return GuardrailOutcome(Outcome3.FAIL, (broken,) * len(guardrail.checks), failed)
    checks = tuple(_check(check, scope) for check in guardrail.checks)
    worst = Outcome3.FAIL if any(c.outcome is Outcome3.FAIL for c in checks) else Outcome3.PASS
    return GuardrailOutcome(worst, checks)


def _check(check: Check, scope: Mapping[str, Any]) -> CheckOutcome:
    try:
        if check.program.evaluate_bool(scope):
            return CheckOutcome(Outcome3.PASS)
        problem = ""
    except CelBudgetError as error:
        return CheckOutcome(Outcome3.FAIL, check.message, f"cannot be evaluated: {error.message}", exhausted=True)
    except CelEvaluationError as error:
        problem = f"cannot be evaluated: {error.message}"
    return CheckOutcome(Outcome3.FAIL, _message(check, scope), problem)


def _message(check: Check, scope: Mapping[str, Any]) -> str:
    """The message of the expression, or the fixed one where that fails or is empty."""
    if check.message_program is not None:
        try:
            told = check.message_program.evaluate(scope)
        except CelEvaluationError:
            return check.message
        if isinstance(told, str) and told.strip():
            return " ".join(told.split())[:1000]
    return check.message
