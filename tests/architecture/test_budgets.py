"""Sizes: a hard stop far above the aim, and the list of what is above the aim for whoever tidies up.

`python tests/architecture/test_budgets.py` prints the list.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from sources import modules

MODULE_STOP, MODULE_CEILING = 400, 480
FUNCTION_WARN, FUNCTION_CEILING = 60, 90


def module_sizes() -> Iterator[tuple[int, str]]:
    for module in modules():
        yield len(module.path.read_text(encoding="utf-8").splitlines()), module.where


def function_sizes() -> Iterator[tuple[int, str]]:
    for module in modules():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef):
                yield (node.end_lineno or 0) - node.lineno + 1, f"{module.where}:{node.lineno} {node.name}"


def above(sizes: Iterator[tuple[int, str]], limit: int) -> list[tuple[int, str]]:
    return sorted((pair for pair in sizes if pair[0] > limit), reverse=True)


def test_modules() -> None:
    assert above(module_sizes(), MODULE_CEILING) == []


def test_functions() -> None:
    assert above(function_sizes(), FUNCTION_CEILING) == []


def test_the_tail_is_thin() -> None:
    """At most one module in fifty above the stop, at most one function in a hundred above the warning."""
    assert len(above(module_sizes(), MODULE_STOP)) * 50 <= len(modules())
    assert len(above(function_sizes(), FUNCTION_WARN)) * 100 <= len(list(function_sizes()))


if __name__ == "__main__":
    for size, where in above(module_sizes(), MODULE_STOP) + above(function_sizes(), FUNCTION_WARN):
        print(f"{size:4}  {where}")
