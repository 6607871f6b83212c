"""String formats that the API server checks in custom resources, by minor version."""

from __future__ import annotations

import base64
import binascii
import datetime
import ipaddress
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Protocol

__all__ = ["Matcher", "checker", "compile_pattern", "effective_format"]


class Matcher(Protocol):
    """A compiled pattern."""

    def search(self, text: str, /) -> Any:
        """Something true where the pattern occurs in `text`."""
        ...


@lru_cache(maxsize=4096)
def compile_pattern(pattern: str) -> Matcher | None:
    """`pattern` compiled by RE2 (linear time, bounded memory), or None if RE2 refuses it, as the server would."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = 8 << 20
    try:
        compiled: Matcher = re2.compile(pattern, options)
    except re2.error:
        return None
    return compiled


def _compiled(pattern: str) -> Callable[[str], bool]:
    """A check that compiles its pattern when it is first used."""

    def check(text: str) -> bool:
        matcher = compile_pattern(pattern)
        assert matcher is not None, pattern
        return matcher.search(text) is not None

    return check


_CLOCK = re.compile(r"(\d\d):(\d\d):(\d\d)(?:.\d+)?(?:z|[+-]\d\d:\d\d)\Z", re.ASCII)
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)\Z", re.ASCII)
_GO_DURATION = re.compile(r"[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+\Z")
_WORD_DURATION = re.compile(r"\d+\s*([A-Za-zµ]+)")
_UNITS = ("ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk")
_UNIT_WORDS = ("nano", "micro", "milli", "sec", "min", "hour", "day", "week")
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})\Z", re.ASCII)


def _is_day(year: str, month: str, day: str) -> bool:
    try:
        datetime.date(int(year) or 4, int(month), int(day))
    except ValueError:
        return False
    return True


def _date_time(text: str) -> bool:
    """As the server reads it: any character before the fraction, and nothing of what follows a second `t`."""
    date, found, rest = text.lower().partition("t")
    clock = _CLOCK.match(rest.partition("t")[0]) if found and _date(date) else None
    return clock is not None and clock[1] <= "23" and clock[2] <= "59" and clock[3] <= "59"


def _date(text: str) -> bool:
    match = _DATE.match(text)
    return match is not None and _is_day(*match.groups())


def _duration(text: str) -> bool:
    if text == "0" or _GO_DURATION.match(text):
        return True
    for word in _WORD_DURATION.findall(text):
        unit = word.lower()
        if unit in _UNITS or unit.startswith(_UNIT_WORDS):
            return True
    return False


def _byte(text: str) -> bool:
    if not text or not _BASE64.match(text):
        return False
    try:
        base64.b64decode(text, validate=True)
    except binascii.Error:
        return False
    return True


def _address(text: str, dotted: bool) -> bool:
    plain = ".".join(part.lstrip("0") or "0" if part else part for part in text.split(".")) if dotted else text
    try:
        found = ipaddress.ip_address(plain)
    except ValueError:
        return False
    return "." in text if dotted else found.version == 6 and ":" in text and "%" not in text


def _cidr(text: str) -> bool:
    address, slash, bits = text.partition("/")
    if not slash or not bits.isascii() or not bits.isdigit() or len(bits) > 3:
        return False
    return (_address(address, True) and ":" not in address and int(bits) <= 32) or (
        ":" in address and _address(address, False) and int(bits) <= 128
    )


def _uri(text: str) -> bool:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return bool(text) and (text.startswith("/") or bool(parts.scheme)) and not re.search(r"[\x00-\x20\x7f]", text)


def _email(text: str) -> bool:
    from email.utils import parseaddr

    address = parseaddr(text)[1]
    return "@" in address and all(address.rsplit("@", 1))


def _digits(text: str) -> str:
    return re.sub(r"[^0-9]", "", text)


def _luhn(text: str) -> bool:
    digits = _digits(text)
    if not _CARD(digits):
        return False
    total = 0
    for place, digit in enumerate(map(int, reversed(digits))):
        doubled = digit * 2 if place % 2 else digit
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def _isbn10(text: str) -> bool:
    digits = re.sub(r"[\s-]", "", text)
    if not re.fullmatch(r"[0-9]{9}[0-9X]", digits):
        return False
    return sum((10 - i) * (10 if c == "X" else int(c)) for i, c in enumerate(digits)) % 11 == 0


def _isbn13(text: str) -> bool:
    digits = re.sub(r"[\s-]", "", text)
    return (
        bool(re.fullmatch(r"[0-9]{13}", digits))
        and sum(int(c) * (3 if i % 2 else 1) for i, c in enumerate(digits)) % 10 == 0
    )


def _hostname(text: str) -> bool:
    return len(text.encode()) <= 255 and _HOST(text) and all(len(part.encode()) <= 63 for part in text.split("."))


_CARD = _compiled(
    r"^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}"
    r"|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$"
)
_LETTER = r"a-zA-Z\p{L}"
_SIGN = r"a-zA-Z0-9\p{S}\p{L}"
_HOST = _compiled(
    rf"^([{_SIGN}]((-?[{_SIGN}]{{0,62}})?)|([{_SIGN}](([-{_SIGN}]{{0,61}}[{_SIGN}])?)(\.))+([{_LETTER}]){{2,63}})$"
)
_HEX, _SHORT = "[0-9a-f]", "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SHORT_NAME, _LONG_NAME = _compiled(f"^{_SHORT}$"), _compiled(rf"^{_SHORT}(\.{_SHORT})*$")
_CHANNEL = r"\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*"


def _uuid(third: str, fourth: str) -> Callable[[str], bool]:
    return _compiled(f"(?i)^{_HEX}{{8}}-?{_HEX}{{4}}-?{third}-?{fourth}-?{_HEX}{{12}}$")


_ANY, _VARIANT = f"{_HEX}{{4}}", f"[89ab]{_HEX}{{3}}"
_CHECKS: dict[str, Callable[[str], bool]] = {
    "bsonobjectid": _compiled("^[0-9a-fA-F]{24}$"),
    "byte": _byte,
    "cidr": _cidr,
    "creditcard": _luhn,
    "date": _date,
    "datetime": _date_time,
    "duration": _duration,
    "email": _email,
    "hexcolor": _compiled("^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"),
    "hostname": _hostname,
    "ipv4": lambda text: _address(text, True),
    "ipv6": lambda text: _address(text, False),
    "isbn": lambda text: _isbn10(text) or _isbn13(text),
    "isbn10": _isbn10,
    "isbn13": _isbn13,
    "k8slongname": lambda text: len(text) <= 253 and _LONG_NAME(text),
    "k8sshortname": lambda text: len(text) <= 63 and _SHORT_NAME(text),
    "mac": _compiled(
        "^([0-9a-fA-F]{2}([:-])([0-9a-fA-F]{2}[:-]){4}[0-9a-fA-F]{2}|([0-9a-fA-F]{4}[.]){2}[0-9a-fA-F]{4}"
        "|([0-9a-fA-F]{2}[:-]){7}[0-9a-fA-F]{2}|([0-9a-fA-F]{4}[.]){3}[0-9a-fA-F]{4})$"
    ),
    "password": lambda _text: True,
    "rgbcolor": _compiled(rf"^rgb\({_CHANNEL},{_CHANNEL},{_CHANNEL}\)$"),
    "ssn": _compiled(r"^\d{3}[- ]?\d{2}[- ]?\d{4}$"),
    "uri": _uri,
    "uuid": _uuid(_ANY, _ANY),
    "uuid3": _uuid(f"3{_HEX}{{3}}", _ANY),
    "uuid4": _uuid(f"4{_HEX}{{3}}", _VARIANT),
    "uuid5": _uuid(f"5{_HEX}{{3}}", _VARIANT),
}
_SINCE = {"k8sshortname": 34, "k8slongname": 34}


def effective_format(kind: str, written: str, minor: int) -> str:
    """The format that a server of Kubernetes 1.`minor` enforces for a schema of type `kind`; empty if it ignores it."""
    if kind == "integer":
        return written if written in ("int32", "int64") else ""
    if kind == "number":
        return written if written in ("float", "double") else ""
    plain = written.replace("-", "")
    if kind not in ("", "string") or plain not in _CHECKS or _SINCE.get(plain, 0) > minor:
        return ""
    return written


def checker(written: str) -> Callable[[str], bool] | None:
    """The check of a string format that `effective_format` left standing."""
    return _CHECKS.get(written.replace("-", ""))
