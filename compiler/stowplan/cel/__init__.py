"""CEL in the Kubernetes dialect: parse, check against a schema, compile to Python, evaluate in place."""

from typing import TYPE_CHECKING, Any

from stowplan.cel.declarations import Declarations
from stowplan.cel.problem import CelBudgetError, CelCompileError, CelError, CelEvaluationError, Problem
from stowplan.cel.program import FunctionUse, Program, compile_expression
from stowplan.cel.types import Type
from stowplan.cel.values import Duration, OptionalValue, Timestamp, TypeValue, UInt

if TYPE_CHECKING:
    from stowplan.cel.explanation import Explanation

__all__ = [
    "CelBudgetError",
    "CelCompileError",
    "CelError",
    "CelEvaluationError",
    "Declarations",
    "Duration",
    "Explanation",
    "FunctionUse",
    "OptionalValue",
    "Problem",
    "Program",
    "Timestamp",
    "Type",
    "TypeValue",
    "UInt",
    "compile_expression",
]


def __getattr__(name: str) -> Any:
    # What is needed only to explain a result is loaded when it is asked for.
    if name == "Explanation":
        from stowplan.cel.explanation import Explanation

        return Explanation
    raise AttributeError(name)
