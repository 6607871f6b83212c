"""Named formats: names, labels, URIs, UUIDs, dates."""

from __future__ import annotations

import base64
import binascii
import datetime
import re
from collections.abc import Callable

from stowplan.cel.library import Signatures
from stowplan.cel.library.urls import parse_url
from stowplan.cel.problem import CelEvaluationError
from stowplan.cel.values import ABSENT, OptionalValue

__all__ = ["FORMATS", "FUNCTIONS", "Format", "named_format"]

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?\Z")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\Z")
_LABEL_1035 = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?\Z")
_NAME = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]\Z")
_UUID = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}\Z", re.IGNORECASE)
_DATE_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[tT ]([0-9]{2}):([0-9]{2}):([0-9]{2})(\.[0-9]+)?([zZ]|[+-][0-9]{2}:?[0-9]{2})?\Z"
)


class Format:
    """A named check on strings; `check` gives complaints, none when the string is good."""

    __slots__ = ("check", "name")
    cel_type = "kubernetes.NamedFormat"

    def __init__(self, name: str, check: Callable[[str], list[str]]) -> None:
        self.name = name
        self.check = check

    def __repr__(self) -> str:
        return f"format.{self.name}()"


def _sized(pattern: re.Pattern[str], limit: int, what: str) -> Callable[[str], list[str]]:
    def check(value: str) -> list[str]:
        found = [f"has {len(value)} characters; the limit is {limit}"] if len(value) > limit else []
        return found if pattern.match(value) else [*found, f"is not {what}"]

    return check


def _prefix(check: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    # A generated name goes on after the prefix, so a final dash stands for any letter.
    return lambda value: check(value[:-2] + "a" if value.endswith("-") and len(value) > 1 else value)


def _qualified(value: str) -> list[str]:
    prefix, slash, name = value.partition("/")
    if not slash:
        return _sized(_NAME, 63, "a qualified name")(value)
    if "/" in name:
        return ["has more than one slash"]
    return [
        *(f"prefix {m}" for m in _sized(_SUBDOMAIN, 253, "a lower-case DNS subdomain")(prefix)),
        *(f"name {m}" for m in _sized(_NAME, 63, "letters, digits, '-', '_' and '.'")(name)),
    ]


def _label_value(value: str) -> list[str]:
    return _sized(_NAME, 63, "a label value: letters, digits, '-', '_' and '.'")(value) if value else []


def _uri(value: str) -> list[str]:
    try:
        parse_url(value)
    except CelEvaluationError as error:
        return [error.message]
    return []


def _uuid(value: str) -> list[str]:
    return [] if _UUID.match(value) else ["is not a UUID"]


def _byte(value: str) -> list[str]:
    if not value:
        return ["is empty"]
    try:
        base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return ["is not base64"]
    return []


def _date(value: str) -> list[str]:
    try:
        if re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z", value):
            datetime.date.fromisoformat(value)
            return []
    except ValueError:
        pass
    return ["is not a date"]


def _date_time(value: str) -> list[str]:
    match = _DATE_TIME.match(value)
    if match and not _date(value[:10]) and int(match[1]) < 24 and int(match[2]) < 60 and int(match[3]) < 60:
        return []
    return ["is not a date and time"]


_DNS_LABEL = _sized(_LABEL, 63, "a lower-case DNS label")
_DNS_SUBDOMAIN = _sized(_SUBDOMAIN, 253, "a lower-case DNS subdomain")
_DNS_1035 = _sized(_LABEL_1035, 63, "a lower-case DNS label that starts with a letter")

FORMATS: dict[str, Format] = {
    name: Format(name, check)
    for name, check in (
        ("dns1123Label", _DNS_LABEL),
        ("dns1123Subdomain", _DNS_SUBDOMAIN),
        ("dns1035Label", _DNS_1035),
        ("qualifiedName", _qualified),
        ("dns1123LabelPrefix", _prefix(_DNS_LABEL)),
        ("dns1123SubdomainPrefix", _prefix(_DNS_SUBDOMAIN)),
        ("dns1035LabelPrefix", _prefix(_DNS_1035)),
        ("labelValue", _label_value),
        ("uri", _uri),
        ("uuid", _uuid),
        ("byte", _byte),
        ("date", _date),
        ("datetime", _date_time),
    )
}


def named_format(name: str) -> OptionalValue:
    """The format of that name, or nothing."""
    found = FORMATS.get(name)
    return ABSENT if found is None else OptionalValue(True, found)


def _validate(checked: Format, value: str) -> OptionalValue:
    complaints = checked.check(value)
    return OptionalValue(True, complaints) if complaints else ABSENT


def _constant(checked: Format) -> Callable[[], Format]:
    return lambda: checked


FUNCTIONS: Signatures = (
    ("format.named(string) -> optional<kubernetes.NamedFormat>", named_format),
    *((f"format.{name}() -> kubernetes.NamedFormat", _constant(found)) for name, found in FORMATS.items()),
    ("(kubernetes.NamedFormat).validate(string) -> optional<list<string>>", _validate),
)
