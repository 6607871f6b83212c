"""Verdicts as diagnostics: one finding a cause, at the rendered field, with what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any

from stowplan.diagnostics.model import Diagnostic, Severity, error, warning
from stowplan.schema.kind import KindSchema
from stowplan.schema.verdict import FieldError, Verdict
from stowplan.source.span import Origin, Pointer, Span

__all__ = ["CODES", "Locate", "code_of", "suggestion", "verdict_findings"]

Locate = Callable[[Pointer], "Origin | Span | None"]
"""Where a field of the object was written."""

CODES = {
    "UnknownField": "SP0803",
    "FieldValueRequired": "SP0804",
    "FieldValueTypeInvalid": "SP0805",
    "FieldValueNotSupported": "SP0806",
    "FieldValueInvalid": "SP0807",
    "FieldValueDuplicate": "SP0808",
    "FieldValueForbidden": "SP0809",
    "FieldValueTooLong": "SP0807",
    "FieldValueTooMany": "SP0807",
    "DecodeError": "SP0802",
}
"""Codes by the server's reason; SP0807 also stands for whatever else it may say."""


def code_of(cause: FieldError) -> str:
    """The code of a cause."""
    return CODES.get(cause.reason, "SP0807")


def suggestion(kind: KindSchema, pointer: Pointer) -> str:
    """The known field that an unknown one was probably meant to be; empty if none looks like it."""
    if not pointer or not isinstance(pointer[-1], str):
        return ""
    parent = kind.field(pointer[:-1])
    if parent is None:
        return ""
    name, known = pointer[-1], [field for field in parent.fields if field]
    same = [field for field in known if field.lower() == name.lower()]
    return (same or get_close_matches(name[:100], known, n=1, cutoff=0.7) or [""])[0]


def verdict_findings(
    verdict: Verdict,
    kind: KindSchema,
    locate: Locate,
    *,
    subject: str | None = None,
    targets: Iterable[str] = (),
    warn: bool = True,
) -> tuple[Diagnostic, ...]:
    """The findings of a verdict: its causes as errors, and its warnings unless `warn` is False.

    Causes without a field (which only repeat others in other words) are told only where there is nothing else.
    """
    clusters = tuple(targets)
    told = [cause for cause in verdict.errors if cause.pointer or cause.reason == "DecodeError"] or verdict.errors
    found = [_finding(cause, kind, locate, subject, clusters) for cause in told]
    if warn:
        at = locate(())
        found += [warning("SP0813", text, at, subject=subject, targets=clusters) for text in verdict.warnings]
    return tuple(found)


def _finding(
    cause: FieldError, kind: KindSchema, locate: Locate, subject: str | None, targets: tuple[str, ...]
) -> Diagnostic:
    helps: tuple[str, ...] = ()
    if cause.reason == "UnknownField":
        meant = suggestion(kind, cause.pointer)
        helps = (f"did you mean `{meant}`?",) if meant else ()
        text = f"`{kind.kind}` of `{kind.api_version}` has no field `{cause.field}`"
    else:
        text = f"`{cause.field}`: {_lowered(cause.message)}"
    found = error(code_of(cause), text, _place(cause.pointer, locate), helps=helps, subject=subject, targets=targets)
    assert found.severity is Severity.ERROR
    return found


def _lowered(message: str) -> str:
    return message[:1].lower() + message[1:]


def _place(pointer: Pointer, locate: Locate) -> Any:
    """The place of the field, or of the nearest one above it that was written down."""
    for length in range(len(pointer), -1, -1):
        at = locate(pointer[:length])
        if at is not None:
            return at
    return None
