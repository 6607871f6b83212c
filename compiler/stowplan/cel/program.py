"""Compile an expression and run it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from stowplan.cel.checker import Checked, Checker, Profile
from stowplan.cel.declarations import Declarations
from stowplan.cel.limits import STEP_LIMIT, fill
from stowplan.cel.parser import parse
from stowplan.cel.problem import CelBudgetError, CelCompileError, CelEvaluationError, CelFault
from stowplan.cel.signatures import POLICY_ONLY
from stowplan.cel.text import ExpressionText
from stowplan.cel.tree import Node
from stowplan.cel.types import Type
from stowplan.cel.values import kind, plain

if TYPE_CHECKING:
    from stowplan.cel.cost import Declared
    from stowplan.cel.explanation import Explanation
    from stowplan.cel.loops import Step
    from stowplan.cel.reads import Path

__all__ = ["FunctionUse", "Program", "compile_expression"]

_NEWEST_BASE = 25


class FunctionUse(NamedTuple):
    """A function, macro or syntax an expression uses.

    `since` is the first Kubernetes minor that accepts it in new expressions, None when no server does.
    """

    name: str
    since: int | None


def compile_expression(
    text: str,
    declarations: Declarations,
    *,
    minor: int = 36,
    profile: Profile = "kubernetes",
    expect: Type | None = None,
) -> Program:
    """Parse and check an expression for a Kubernetes minor; code is generated when it is first evaluated.

    Raises `CelCompileError` with every problem found, in order of position.
    """
    source = ExpressionText(text)
    root = parse(source)
    try:
        checked = Checker(source, declarations, minor, profile).check(root, expect)
    except RecursionError:
        raise CelCompileError([source.problem(0, 1, "the expression is nested too deeply", "limit")]) from None
    if checked.problems:
        raise CelCompileError(sorted(checked.problems, key=lambda p: (p.line, p.column)))
    return Program(source, root, checked)


class Program:
    """A compiled expression; it has no state that evaluation changes, so threads may share it."""

    __slots__ = ("_checked", "_exact_step", "_reads", "_root", "_run", "_source", "result_type")

    def __init__(self, source: ExpressionText, root: Node, checked: Checked) -> None:
        self._source = source
        self._root = root
        self._checked = checked
        self._exact_step: Step | None = None
        self._reads: frozenset[Path] | None = None
        self._run: Callable[[Mapping[str, Any]], Any] = self._first_run
        self.result_type: Type = checked.types[root.key]

    @property
    def text(self) -> str:
        """The expression as it was written."""
        return self._source.text

    @property
    def reads(self) -> frozenset[Path]:
        """Paths into the variables that the expression can read, by property names in the data.

        A path ends at the first dynamic step; everything below its end may be read.
        """
        if self._reads is None:
            from stowplan.cel.reads import static_reads

            self._reads = static_reads(self._root, self._checked)
        return self._reads

    @property
    def uses(self) -> tuple[FunctionUse, ...]:
        """What the expression uses of the language and its libraries, by name."""
        return tuple(
            FunctionUse(name.strip("`"), None if since >= POLICY_ONLY else since)
            for name, since in sorted(self._checked.uses.items())
        )

    @property
    def since(self) -> int | None:
        """The first Kubernetes minor whose servers accept the expression, None when none does."""
        newest = max(self._checked.uses.values(), default=_NEWEST_BASE)
        return None if newest >= POLICY_ONLY else max(newest, _NEWEST_BASE)

    def cost(self, declared: Declared) -> int:
        """What one evaluation costs at most, in units of API servers, where values are as large as `declared` lets them be."""
        from stowplan.cel.cost import cost_of

        return cost_of(self._root, self._checked, declared)

    @property
    def run(self) -> Callable[[Mapping[str, Any]], Any]:
        """The compiled form: gives what `evaluate` gives, but for values of this package's own kinds as they are."""
        return self._run if self._run != self._first_run else self._generated()

    def evaluate(self, variables: Mapping[str, Any]) -> Any:
        """The value: bool, int, `UInt`, float, str, bytes, None, list, dict or one of this package's value classes.

        Raises `CelEvaluationError` with line and column.
        """
        value = self._run(variables)
        return value if value is True or value is False else plain(value)

    def evaluate_bool(self, variables: Mapping[str, Any]) -> bool:
        """The value, which must be a bool."""
        value = self._run(variables)
        if value is True or value is False:
            return value
        line, column = self._source.position(self._root.start)
        raise CelEvaluationError(f"the expression gave {kind(value)}, not a bool", line, column)

    def evaluate_exactly(self, variables: Mapping[str, Any], limit: int = STEP_LIMIT) -> Any:
        """The value by the exact back end alone, with a budget of `limit` steps."""
        return plain(self._exactly(variables, limit))

    def explain(self, variables: Mapping[str, Any]) -> Explanation:
        """The value of every sub-expression that took part."""
        from stowplan.cel.explanation import Explainer

        return Explainer(self._source, self._checked).explain(self._root, variables)

    def _placed(self, error: CelBudgetError) -> CelBudgetError:
        error.line, error.column = self._source.position(self._root.start)
        return error

    def _first_run(self, variables: Mapping[str, Any]) -> Any:
        return self._generated()(variables)

    def _generated(self) -> Callable[[Mapping[str, Any]], Any]:
        from stowplan.cel.generator import NotGeneratable, generate

        try:
            run = generate(self._root, self._checked, self._exactly, self._placed)
        except (NotGeneratable, RecursionError):
            run = self._exactly
        self._run = run
        return run

    def _exactly(self, variables: Mapping[str, Any], limit: int = STEP_LIMIT) -> Any:
        from stowplan.cel.interpreter import Interpreter
        from stowplan.cel.loops import new_frame

        try:
            if self._exact_step is None:
                self._exact_step = Interpreter(self._source, self._checked).build(self._root)
            return self._exact_step(new_frame(variables, fill(limit)))
        except CelBudgetError as error:
            raise self._placed(error) from None
        except CelFault as error:
            raise CelEvaluationError(error.message, *self._source.position(self._root.start)) from None
        except RecursionError:
            line, column = self._source.position(self._root.start)
            raise CelEvaluationError("the values are nested too deeply", line, column) from None
