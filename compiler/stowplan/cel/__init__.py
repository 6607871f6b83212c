"""CEL in the Kubernetes dialect: parse, check against a schema, compile to Python, evaluate in place.

Names are loaded when asked for, so that importing the package costs nothing where no expression is compiled.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stowplan.cel.declarations import Declarations
    from stowplan.cel.explanation import Explanation
    from stowplan.cel.problem import CelBudgetError, CelCompileError, CelError, CelEvaluationError, Problem
    from stowplan.cel.program import FunctionUse, Program, compile_expression
    from stowplan.cel.types import Type
    from stowplan.cel.values import Duration, OptionalValue, Timestamp, TypeValue, UInt

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

_MODULES = {
    "declarations": ("Declarations",),
    "explanation": ("Explanation",),
    "problem": ("CelBudgetError", "CelCompileError", "CelError", "CelEvaluationError", "Problem"),
    "program": ("FunctionUse", "Program", "compile_expression"),
    "types": ("Type",),
    "values": ("Duration", "OptionalValue", "Timestamp", "TypeValue", "UInt"),
}


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            value = getattr(import_module(f"stowplan.cel.{module}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
