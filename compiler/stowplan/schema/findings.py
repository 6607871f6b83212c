"""Causes of a refusal as rules know them: the code of each, and the field that was probably meant."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches

from stowplan.schema.kind import KindSchema
from stowplan.schema.verdict import FieldError
from stowplan.source.span import Origin, Pointer, Span

__all__ = ["CODES", "Locate", "code_of", "suggestion"]

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
