"""What can be wrong with an expression: problems found at compile time, errors met during evaluation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["CelBudgetError", "CelCompileError", "CelError", "CelEvaluationError", "CelFault", "Problem", "closest"]


class Problem(NamedTuple):
    """One finding about an expression's text. Lines and columns count from 1, columns in code points.

    The end is exclusive. `kind` is one of `syntax`, `limit`, `undeclared-variable`, `unknown-function`, `unknown-field`,
    `no-overload`, `type`, `version`, `profile`, `literal`.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    message: str
    helps: tuple[str, ...] = ()
    kind: str = "syntax"


class CelError(Exception):
    """Base of the two errors this package raises for user mistakes."""


class CelCompileError(CelError):
    """The expression cannot be used; `problems` says where and why, in order of position."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{p.line}:{p.column}: {p.message}" for p in self.problems))


class CelEvaluationError(CelError):
    """Evaluation failed. `line` and `column` count from 1; 0 means the place is not known yet."""

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        self.message = message
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.message}" if self.line else self.message


class CelFault(CelEvaluationError):
    """An evaluation error before its place is known; it never leaves this package."""


class CelBudgetError(CelEvaluationError):
    """Evaluation used up its budget of steps; never absorbed by `||`, `&&`, `all` or `exists`."""


def closest(name: str, candidates: Iterable[str], limit: int = 1) -> tuple[str, ...]:
    """Up to `limit` candidates that look like `name`, best first; exact matches but for case come first."""
    from difflib import get_close_matches

    pool = sorted(set(candidates))[:5000]
    folded = [c for c in pool if c.lower() == name.lower() and c != name]
    near = [c for c in get_close_matches(name[:100], pool, n=limit, cutoff=0.7) if c not in folded]
    return tuple((folded + near)[:limit])
