"""Rules of addresses of machines and of networks."""

from __future__ import annotations

from collections.abc import Collection

from .names import is_cidr, is_ip
from .report import Report

__all__ = ["check_canonical_cidr", "check_canonical_ip", "check_cidr", "check_ip", "check_not_special"]

STRICT_SINCE = 36
"""The minor whose servers refuse leading zeros and mapped addresses also in fields that are older than that rule."""
_IP_TEXT = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
_CIDR_TEXT = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"


def _has_leading_zeros(text: str) -> bool:
    """Whether a number of a dotted address is written with zeros in front."""
    return "." in text and any(len(part) > 1 and part[0] == "0" for part in text.rpartition(":")[2].split("."))


def _check_ip(text: str, path: str, report: Report, strict: bool) -> bool:
    address = is_ip(text)
    if address is None:
        report.invalid(path, text, _IP_TEXT)
        return False
    if not strict:
        return True
    if _has_leading_zeros(text):
        report.invalid(path, text, "must not have leading 0s")
        return False
    if address.version == 6 and address.ipv4_mapped is not None:
        report.invalid(path, text, "must not be an IPv4-mapped IPv6 address")
        return False
    return True


def check_ip(text: str, path: str, report: Report, known: Collection[str] = ()) -> bool:
    """An address in a field of long standing; `known` are those the old object had. Whether it is one."""
    return text in known or _check_ip(text, path, report, report.minor >= STRICT_SINCE)


def check_canonical_ip(text: str, path: str, report: Report) -> bool:
    """An address in its canonical spelling; whether it is one."""
    if not _check_ip(text, path, report, True):
        return False
    written = str(is_ip(text))
    if text != written:
        report.invalid(path, text, f'must be in canonical form ("{written}")')
    return text == written


def _check_cidr(text: str, path: str, report: Report, strict: bool) -> bool:
    network = is_cidr(text)
    if network is None:
        report.invalid(path, text, _CIDR_TEXT)
        return False
    if not strict:
        return True
    address, _, length = text.rpartition("/")
    first = is_ip(address)
    if _has_leading_zeros(address) or (len(length) > 1 and length[0] == "0"):
        fault = "must not have leading 0s in IP or prefix length"
    elif first is not None and first.version == 6 and first.ipv4_mapped is not None:
        fault = "must not have an IPv4-mapped IPv6 address"
    elif first != network.network_address:
        fault = "must not have bits set beyond the prefix length"
    else:
        return True
    report.invalid(path, text, fault)
    return False


def check_cidr(text: str, path: str, report: Report, known: Collection[str] = ()) -> bool:
    """A network in a field of long standing; `known` are those the old object had. Whether it is one."""
    return text in known or _check_cidr(text, path, report, report.minor >= STRICT_SINCE)


def check_canonical_cidr(text: str, path: str, report: Report) -> bool:
    """A network in its canonical spelling; whether it is one."""
    if not _check_cidr(text, path, report, True):
        return False
    written = str(is_cidr(text))
    if text != written:
        report.invalid(path, text, f'must be in canonical form ("{written}")')
    return text == written


def check_not_special(text: str, path: str, report: Report) -> None:
    """Addresses that mean this machine or this link are refused for endpoints."""
    address = is_ip(text)
    if address is None:
        report.invalid(path, text, "must be a valid IP address")
        return
    if address.version == 6 and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    if address.is_unspecified:
        report.invalid(path, text, f"may not be unspecified ({text})")
    if address.is_loopback:
        report.invalid(path, text, "may not be in the loopback range (127.0.0.0/8, ::1/128)")
    if address.is_multicast:
        link_local = address.packed[:3] == b"\xe0\x00\x00" if address.version == 4 else address.packed[1] & 15 == 2
        if link_local:
            detail = "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"
            report.invalid(path, text, detail)
    elif address.is_link_local:
        report.invalid(path, text, "may not be in the link-local range (169.254.0.0/16, fe80::/10)")
