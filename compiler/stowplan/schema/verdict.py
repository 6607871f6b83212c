"""What the offline API server says of one object: refused with causes, or accepted with the object as stored."""

from __future__ import annotations

from typing import Any, NamedTuple

from stowplan.source.span import Pointer

__all__ = ["FieldError", "Verdict"]


class FieldError(NamedTuple):
    """One cause of a refusal, in the server's own terms.

    `field` is the server's path (`spec.template.spec.containers[0].name`, `spec.labels[app]`), `reason` its cause
    (`FieldValueRequired`, `FieldValueInvalid`, `FieldValueDuplicate`, `FieldValueNotSupported`,
    `FieldValueForbidden`, `FieldValueTooLong`, `FieldValueTooMany`, `FieldValueTypeInvalid`, or `UnknownField` and
    `DecodeError` for what strict decoding refuses); `message` is the server's text. `pointer` is the same place as a
    path into the object, for finding the line it came from.
    """

    field: str
    reason: str
    message: str
    pointer: Pointer = ()


class Verdict(NamedTuple):
    """The server's answer to a create or an update.

    `code` is the HTTP status (201/200 accepted; 400 could not be decoded strictly; 404 kind not served; 409 conflict;
    422 invalid; 500 internal). `stored` is the object after pruning, defaulting and canonical forms, without
    server-assigned members; None when refused. It is not compared.
    """

    code: int
    errors: tuple[FieldError, ...] = ()
    warnings: tuple[str, ...] = ()
    stored: dict[str, Any] | None = None

    @property
    def accepted(self) -> bool:
        """Whether the server would take the object."""
        return self.code < 300

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Verdict) and self[:3] == other[:3]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self[:3])
