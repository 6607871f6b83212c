"""What all input models share: strictness, camelCase names, and the scalar forms of the language."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from stowplan.model.quantity import DurationError, QuantityError, parse_duration, parse_quantity

__all__ = [
    "Accelerators",
    "ClusterName",
    "Digest",
    "Duration",
    "InputModel",
    "Name",
    "Percent",
    "Quantity",
    "Text",
    "Timestamp",
    "Version",
    "seq",
]

API_VERSION = "stowplan.io/v1alpha1"

_NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\Z")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}\Z")
_VERSION = re.compile(r"v?[0-9]+(\.[0-9]+){0,3}([-+.][0-9A-Za-z.-]+)?\Z")
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)\Z")
_MOST = 2**60
_LONGEST = 65_536
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
_YEARS = range(1970, 9001)
_PERCENT = re.compile(r"(\d{1,3}(\.\d{1,3})?)%\Z")


class InputModel(BaseModel):
    """Frozen, strict, and closed: what is not declared is an error."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        alias_generator=to_camel,
        validate_by_name=False,
        validate_by_alias=True,
        hide_input_in_errors=True,
        defer_build=True,
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        is_scalar = isinstance(value, bool | int | float)
        shown = f"`{str(value).lower()}`" if isinstance(value, bool) else f"the number {value}"
        if not is_scalar:
            shown = "a list" if isinstance(value, list) else "a mapping" if isinstance(value, dict) else "nothing"
        helps = {"help": "put it in quotes"} if is_scalar else {}
        raise PydanticCustomError("wrong_type", "expected text, found {shown}", {"shown": shown, **helps})
    if len(value) > _LONGEST:
        raise ValueError(f"text has at most {_LONGEST:,} characters here")
    if not value.isprintable() and _CONTROL.search(value):
        raise ValueError("text holds no control characters besides tabs and line breaks")
    return value


def _name(value: Any) -> str:
    text = _text(value)
    if not _NAME.match(text):
        raise ValueError(
            "a name has 1 to 63 lower-case letters, digits, or `-`, and starts and ends with a letter or digit"
        )
    return text


def _digest(value: Any) -> str:
    text = _text(value)
    if not _DIGEST.match(text):
        raise ValueError("a digest is `sha256:` and 64 lower-case hexadecimal digits")
    return text


def _version(value: Any) -> str:
    text = _text(value)
    if not _VERSION.match(text):
        raise ValueError("a version is numbers with dots, such as `0.17.0`")
    return text


def _quantity(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    text = _text(value)
    try:
        amount = parse_quantity(text)
    except QuantityError:
        raise ValueError(f"`{text}` is no Kubernetes quantity, such as `8`, `500m`, or `1200Gi`") from None
    if amount < 0:
        raise ValueError("a quantity cannot be negative here")
    if amount > _MOST:
        raise ValueError("a quantity cannot be above 1Ei (2^60) here")
    return text


def _duration(value: Any) -> str:
    text = _text(value)
    try:
        seconds = parse_duration(text)
    except DurationError:
        raise ValueError(f"`{text}` is no duration, such as `30s`, `90m`, or `1h30m`") from None
    if seconds < 0:
        raise ValueError("a duration cannot be negative here")
    return text


def _timestamp(value: Any) -> str:
    text = _text(value)
    if not _TIMESTAMP.match(text):
        raise ValueError("a time is written as RFC 3339, such as `2027-01-10T20:00:00Z`")
    try:
        instant = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        raise ValueError("no such day or time") from None
    if instant.year not in _YEARS:
        raise ValueError("a year is between 1970 and 9000")
    return text


def _percent(value: Any) -> str:
    text = _text(value)
    if not _PERCENT.match(text):
        raise ValueError("a share is written as a percentage, such as `10%`")
    return text


Text = Annotated[str, BeforeValidator(_text), WithJsonSchema({"type": "string"})]
"""Text; numbers and booleans must be quoted."""

Name = Annotated[
    str, BeforeValidator(_name), WithJsonSchema({"type": "string", "pattern": _NAME.pattern.replace(r"\Z", "$")})
]
"""A name in the manner of a DNS label."""

ClusterName = Name
"""The name of a Cluster."""

Digest = Annotated[
    str, BeforeValidator(_digest), WithJsonSchema({"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"})
]
"""A content digest."""

Version = Annotated[str, BeforeValidator(_version), WithJsonSchema({"type": "string"})]
"""A version with dots."""

Quantity = Annotated[str, BeforeValidator(_quantity), WithJsonSchema({"type": ["string", "number"]})]
"""A Kubernetes quantity, kept as written."""

Duration = Annotated[str, BeforeValidator(_duration), WithJsonSchema({"type": "string"})]
"""A duration in Go's form, kept as written."""

Timestamp = Annotated[str, BeforeValidator(_timestamp), WithJsonSchema({"type": "string", "format": "date-time"})]
"""A time in RFC 3339, kept as written."""

Percent = Annotated[
    str, BeforeValidator(_percent), WithJsonSchema({"type": "string", "pattern": r"^\d{1,3}(\.\d{1,3})?%$"})
]
"""A share in per cent."""

Accelerators = Annotated[int, Field(ge=0, le=1_000_000)]
"""A count of accelerators."""


def seq(description: str, **extra: Any) -> Any:
    """An optional sequence field (a tuple in Python, a list in YAML), empty when absent."""
    return Field(default=(), description=description, strict=False, **extra)
