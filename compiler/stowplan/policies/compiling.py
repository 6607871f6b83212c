"""Compiles policy expressions; what is wrong with them is reported at their own line."""

from __future__ import annotations

from stowplan.cel import CelCompileError, Declarations, Program, Type, compile_expression
from stowplan.diagnostics.model import Diagnostic, error
from stowplan.source.span import Origin

__all__ = ["POLICY_MINOR", "compile_policy"]

POLICY_MINOR = 37
"""Policies run here, not in a cluster: they may use whatever the newest dialect has."""


def compile_policy(
    text: str, declarations: Declarations, origin: Origin, expect: Type | None, found: list[Diagnostic]
) -> Program | None:
    """The program; None where it is wrong, with one diagnostic a problem added to `found`."""
    try:
        return compile_expression(text, declarations, minor=POLICY_MINOR, profile="policy", expect=expect)
    except CelCompileError as problem:
        for p in problem.problems:
            length = p.end_column - p.column if p.end_line == p.line else 1
            code = "SP1202" if p.kind in ("unknown-field", "undeclared-variable", "unknown-function") else "SP1201"
            found.append(error(code, p.message, origin.within(p.line, p.column, length), helps=p.helps))
        return None
