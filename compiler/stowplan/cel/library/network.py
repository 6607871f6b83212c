"""IP addresses and CIDR blocks, read as strictly as the server reads them: no zones, no IPv4 mapped into IPv6."""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache

from stowplan.cel.library import Signatures
from stowplan.cel.operators import fault
from stowplan.cel.problem import CelEvaluationError

__all__ = ["FUNCTIONS", "Cidr", "IpAddress", "parse_cidr", "parse_ip"]

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_PREFIX = re.compile(r"(?:0|[1-9][0-9]{0,2})\Z")


class IpAddress:
    """One address."""

    __slots__ = ("address",)
    cel_type = "net.IP"

    def __init__(self, address: _Address) -> None:
        self.address = address

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IpAddress) and other.address == self.address

    def __hash__(self) -> int:
        return hash(self.address)

    def __str__(self) -> str:
        return str(self.address)

    def __repr__(self) -> str:
        return f"ip({str(self)!r})"


class Cidr:
    """An address with a prefix length; host bits are kept."""

    __slots__ = ("address", "prefix")
    cel_type = "net.CIDR"

    def __init__(self, address: _Address, prefix: int) -> None:
        self.address = address
        self.prefix = prefix

    def network_bits(self, address: _Address) -> int:
        """The leading `prefix` bits of an address of the same family."""
        return int(address) >> (address.max_prefixlen - self.prefix)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cidr) and other.address == self.address and other.prefix == self.prefix

    def __hash__(self) -> int:
        return hash((self.address, self.prefix))

    def __str__(self) -> str:
        return f"{self.address}/{self.prefix}"

    def __repr__(self) -> str:
        return f"cidr({str(self)!r})"


def _address(text: str) -> _Address:
    try:
        if len(text) > 64 or "%" in text or "/" in text:
            raise ValueError(text)
        address = ipaddress.ip_address(text)
    except ValueError:
        raise fault(f"invalid IP address {text[:50]!r}") from None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        raise fault(f"{text!r} is an IPv4 address mapped into IPv6, which is not allowed")
    return address


@lru_cache(maxsize=2048)
def parse_ip(text: str) -> IpAddress:
    """Read an address. Raises `CelEvaluationError`."""
    return IpAddress(_address(text))


@lru_cache(maxsize=2048)
def parse_cidr(text: str) -> Cidr:
    """Read an address with a prefix length. Raises `CelEvaluationError`."""
    head, slash, tail = text.rpartition("/")
    if not slash or not _PREFIX.match(tail):
        raise fault(f"invalid CIDR {text[:60]!r}")
    address = _address(head)
    if int(tail) > address.max_prefixlen:
        raise fault(f"invalid CIDR {text[:60]!r}: the prefix is too long")
    return Cidr(address, int(tail))


@lru_cache(maxsize=2048)
def _is_ip(text: str) -> bool:
    try:
        parse_ip(text)
    except CelEvaluationError:
        return False
    return True


@lru_cache(maxsize=2048)
def _is_cidr(text: str) -> bool:
    try:
        parse_cidr(text)
    except CelEvaluationError:
        return False
    return True


def _is_global_unicast(ip: IpAddress) -> bool:
    address = ip.address
    if isinstance(address, ipaddress.IPv4Address) and int(address) == 0xFFFFFFFF:
        return False
    return not (address.is_unspecified or address.is_loopback or address.is_multicast or address.is_link_local)


def _is_link_local_multicast(ip: IpAddress) -> bool:
    address = ip.address
    if isinstance(address, ipaddress.IPv4Address):
        return int(address) >> 8 == 0xE00000
    return int(address) >> 112 & 0xFF0F == 0xFF02


def _contains_ip(cidr: Cidr, ip: IpAddress) -> bool:
    return cidr.address.version == ip.address.version and cidr.network_bits(cidr.address) == cidr.network_bits(
        ip.address
    )


def _contains_cidr(cidr: Cidr, other: Cidr) -> bool:
    return cidr.prefix <= other.prefix and _contains_ip(cidr, IpAddress(other.address))


def _masked(cidr: Cidr) -> Cidr:
    width = cidr.address.max_prefixlen
    return Cidr(type(cidr.address)(cidr.network_bits(cidr.address) << (width - cidr.prefix)), cidr.prefix)


def _contains_ip_text(cidr: Cidr, text: str) -> bool:
    try:
        return _contains_ip(cidr, parse_ip(text))
    except CelEvaluationError as error:  # the server has no words of its own for it
        raise fault(f"no such overload: _.containsIP for no address: {error.message}") from None


FUNCTIONS: Signatures = (
    ("ip(string) -> net.IP", parse_ip),
    ("isIP(string) -> bool", _is_ip),
    ("ip.isCanonical(string) -> bool", lambda text: str(parse_ip(text)) == text),
    ("string(net.IP) -> string", str),
    ("(net.IP).family() -> int", lambda ip: ip.address.version),
    ("(net.IP).isUnspecified() -> bool", lambda ip: ip.address.is_unspecified),
    ("(net.IP).isLoopback() -> bool", lambda ip: ip.address.is_loopback),
    ("(net.IP).isLinkLocalMulticast() -> bool", _is_link_local_multicast),
    ("(net.IP).isLinkLocalUnicast() -> bool", lambda ip: ip.address.is_link_local),
    ("(net.IP).isGlobalUnicast() -> bool", _is_global_unicast),
    ("cidr(string) -> net.CIDR", parse_cidr),
    ("isCIDR(string) -> bool", _is_cidr),
    ("string(net.CIDR) -> string", str),
    ("(net.CIDR).containsIP(net.IP) -> bool", _contains_ip),
    ("(net.CIDR).containsIP(string) -> bool", _contains_ip_text),
    ("(net.CIDR).containsCIDR(net.CIDR) -> bool", _contains_cidr),
    ("(net.CIDR).containsCIDR(string) -> bool", lambda cidr, text: _contains_cidr(cidr, parse_cidr(text))),
    ("(net.CIDR).ip() -> net.IP", lambda cidr: IpAddress(cidr.address)),
    ("(net.CIDR).masked() -> net.CIDR", _masked),
    ("(net.CIDR).prefixLength() -> int", lambda cidr: cidr.prefix),
)
