"""Syntax of names, labels, ports, addresses and paths; every function gives the server's complaints, none when well."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from functools import lru_cache

__all__ = [
    "Names",
    "config_key",
    "dns_label",
    "dns_label_1035",
    "dns_subdomain",
    "is_cidr",
    "is_ip",
    "label_value",
    "path_segment",
    "port_name",
    "port_number",
    "qualified_name",
    "range_error",
    "relaxed_environment_name",
    "wildcard_subdomain",
]

Names = Callable[[str], tuple[str, ...]]
"""A check of one string: the complaints, or an empty tuple."""

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = _LABEL + r"(\." + _LABEL + ")*"
_QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"

_match_label = re.compile(_LABEL).fullmatch
_match_subdomain = re.compile(_SUBDOMAIN).fullmatch
_UNDERSCORED = r"_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*"
_match_underscored = re.compile(_UNDERSCORED).fullmatch
_match_1035 = re.compile("[a-z]([-a-z0-9]*[a-z0-9])?").fullmatch
_match_qualified = re.compile(_QUALIFIED).fullmatch
_match_wildcard = re.compile(r"\*\." + _SUBDOMAIN).fullmatch
_match_key = re.compile("[-._a-zA-Z0-9]+").fullmatch
_match_header = re.compile("[-A-Za-z0-9]+").fullmatch
_match_port = re.compile("[-a-z0-9]+").fullmatch

_LABEL_TEXT = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    f"an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '{_LABEL}')"
)
_SUBDOMAIN_TEXT = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    f"end with an alphanumeric character (e.g. 'example.com', regex used for validation is '{_SUBDOMAIN}')"
)
_UNDERSCORED_TEXT = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start "
    "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    f"'{_UNDERSCORED}')"
)
_1035_TEXT = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')"
)
_WILDCARD_TEXT = (
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower "
    "case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used "
    rf"for validation is '\*\.{_SUBDOMAIN}')"
)
_QUALIFIED_TEXT = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    f"(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{_QUALIFIED}')"
)
_VALUE_TEXT = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    f"'({_QUALIFIED})?')"
)
_KEY_TEXT = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or "
    "'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)
_HEADER_TEXT = (
    "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for "
    "validation is '[-A-Za-z0-9]+')"
)


def _too_long(limit: int, unit: str = "characters") -> str:
    return f"must be no more than {limit} {unit}"


def range_error(low: int, high: int) -> str:
    """The complaint about a number outside `low`..`high`."""
    return f"must be between {low} and {high}, inclusive"


@lru_cache(maxsize=4096)
def dns_label(text: str) -> tuple[str, ...]:
    """A label of a domain name (RFC 1123), at most 63 characters."""
    if len(text) < 64 and _match_label(text):
        return ()
    found = [_too_long(63)] if len(text.encode()) > 63 else []
    if not _match_label(text):
        found.append("must not contain dots" if _match_subdomain(text) else _LABEL_TEXT)
    return tuple(found)


def _by_pattern(text: str, limit: int, matched: bool, complaint: str) -> tuple[str, ...]:
    found = [_too_long(limit)] if len(text.encode()) > limit else []
    if not matched:
        found.append(complaint)
    return tuple(found)


@lru_cache(maxsize=4096)
def dns_subdomain(text: str) -> tuple[str, ...]:
    """A domain name in lower case, at most 253 characters."""
    if len(text) < 254 and _match_subdomain(text):
        return ()
    return _by_pattern(text, 253, _match_subdomain(text) is not None, _SUBDOMAIN_TEXT)


def dns_subdomain_underscored(text: str) -> tuple[str, ...]:
    """A domain name that may hold underscores."""
    return _by_pattern(text, 253, _match_underscored(text) is not None, _UNDERSCORED_TEXT)


@lru_cache(maxsize=4096)
def dns_label_1035(text: str) -> tuple[str, ...]:
    """A label that starts with a letter."""
    return _by_pattern(text, 63, _match_1035(text) is not None, _1035_TEXT)


def wildcard_subdomain(text: str) -> tuple[str, ...]:
    """A domain name behind `*.`."""
    return _by_pattern(text, 253, _match_wildcard(text) is not None, _WILDCARD_TEXT)


@lru_cache(maxsize=4096)
def qualified_name(text: str) -> tuple[str, ...]:
    """A name with an optional domain in front: label keys, resource names, conditions."""
    prefix, slash, name = text.rpartition("/")
    found: list[str] = []
    if slash and "/" in prefix:
        return (
            f"a valid label key {_QUALIFIED_TEXT} with an optional DNS subdomain prefix and '/' "
            "(e.g. 'example.com/MyName')",
        )
    if slash and not prefix:
        found.append("prefix part must be non-empty")
    elif slash:
        found.extend("prefix part " + complaint for complaint in dns_subdomain(prefix))
    if not name:
        found.append("name part must be non-empty")
    elif len(name.encode()) > 63:
        found.append("name part " + _too_long(63, "bytes"))
    if not _match_qualified(name):
        found.append("name part " + _QUALIFIED_TEXT)
    return tuple(found)


@lru_cache(maxsize=4096)
def label_value(text: str) -> tuple[str, ...]:
    """The value of a label; empty is fine."""
    found = [_too_long(63, "bytes")] if len(text.encode()) > 63 else []
    if text and not _match_qualified(text):
        found.append(_VALUE_TEXT)
    return tuple(found)


@lru_cache(maxsize=4096)
def config_key(text: str) -> tuple[str, ...]:
    """A key of a ConfigMap or Secret."""
    found = list(_by_pattern(text, 253, _match_key(text) is not None, _KEY_TEXT))
    if text == ".":
        found.append("must not be '.'")
    elif text == "..":
        found.append("must not be '..'")
    elif text.startswith(".."):
        found.append("must not start with '..'")
    return tuple(found)


def http_header(text: str) -> tuple[str, ...]:
    """The name of a header."""
    return () if _match_header(text) else (_HEADER_TEXT,)


def relaxed_environment_name(text: str) -> tuple[str, ...]:
    """The name of an environment variable: printable ASCII without `=`."""
    if text and all(" " <= rune <= "~" and rune != "=" for rune in text):
        return ()
    return ("a valid environment variable name must consist only of printable ASCII characters other than '='",)


@lru_cache(maxsize=4096)
def path_segment(text: str) -> tuple[str, ...]:
    """A name that is safe as one segment of an address (RBAC objects)."""
    if text in (".", ".."):
        return (f"may not be '{text}'",)
    return tuple(f"may not contain '{rune}'" for rune in "/%" if rune in text)


def port_number(number: int) -> tuple[str, ...]:
    """A port from 1 to 65535."""
    return () if 1 <= number <= 65535 else (range_error(1, 65535),)


@lru_cache(maxsize=4096)
def port_name(text: str) -> tuple[str, ...]:
    """The name of a port: at most 15 of a-z, 0-9 and hyphens, with a letter."""
    found = [_too_long(15)] if len(text.encode()) > 15 else []
    if not _match_port(text):
        found.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not re.search("[a-z]", text):
        found.append("must contain at least one letter (a-z)")
    if "--" in text:
        found.append("must not contain consecutive hyphens")
    if text and (text[0] == "-" or text[-1] == "-"):
        found.append("must not begin or end with a hyphen")
    return tuple(found)


_match_v4 = re.compile(r"[0-9]{1,10}(\.[0-9]{1,10}){3}").fullmatch


def is_ip(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address, read as leniently as the server does (leading zeros are decimal), or None."""
    if _match_v4(text):
        text = ".".join(str(int(part)) for part in text.split("."))
    if "%" in text:
        return None
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def is_cidr(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    """The network an address with a prefix length lies in, or None."""
    address, slash, length = text.rpartition("/")
    base = is_ip(address)
    if not slash or base is None or not length.isascii() or not length.isdigit() or len(length) > 3:
        return None
    if int(length) > base.max_prefixlen:
        return None
    return ipaddress.ip_network((base, int(length)), strict=False)
