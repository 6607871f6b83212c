"""Rules of addresses of machines."""

from __future__ import annotations

from .names import is_ip
from .report import Report

__all__ = ["CIDR_TEXT", "IP_TEXT", "check_not_special"]

IP_TEXT = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
CIDR_TEXT = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"


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
