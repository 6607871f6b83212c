"""Rules of Endpoints and EndpointSlice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .addresses import check_canonical_ip, check_ip, check_not_special
from .meta import check_labels, check_meta
from .names import dns_label, dns_subdomain, is_ip, label_value, port_number, qualified_name
from .report import Report

__all__ = ["check_endpoint_slice", "check_endpoints"]

Manifest = Mapping[str, Any]
_PROTOCOLS = ("SCTP", "TCP", "UDP")


def check_endpoints(manifest: Manifest, report: Report) -> None:
    """An Endpoints object."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, kube_finalizers=True)
    for index, subset in enumerate(manifest.get("subsets") or ()):
        path = f"subsets[{index}]"
        if not subset.get("addresses") and not subset.get("notReadyAddresses"):
            report.required(path, "must specify `addresses` or `notReadyAddresses`")
        for member in ("addresses", "notReadyAddresses"):
            for position, address in enumerate(subset.get(member) or ()):
                _check_address(address, f"{path}.{member}[{position}]", report)
        ports = subset.get("ports") or ()
        for position, port in enumerate(ports):
            _check_port(port, len(ports) > 1, f"{path}.ports[{position}]", report)


def _check_address(address: Manifest, path: str, report: Report) -> None:
    text = address.get("ip") or ""
    check_ip(text, f"{path}.ip", report)
    if name := address.get("hostname"):
        report.invalid_all(f"{path}.hostname", name, dns_label(name))
    if (node := address.get("nodeName")) is not None:
        report.invalid_all(f"{path}.nodeName", node, dns_subdomain(node))
    check_not_special(text, f"{path}.ip", report)


def _check_port(port: Manifest, named: bool, path: str, report: Report) -> None:
    name = port.get("name") or ""
    if name:
        report.invalid_all(f"{path}.name", name, dns_label(name))
    elif named:
        report.required(f"{path}.name")
    report.invalid_all(f"{path}.port", port.get("port") or 0, port_number(port.get("port") or 0))
    report.required_choice(f"{path}.protocol", port.get("protocol"), _PROTOCOLS)
    if (protocol := port.get("appProtocol")) is not None:
        report.invalid_all(f"{path}.appProtocol", protocol, qualified_name(protocol))


def check_endpoint_slice(manifest: Manifest, report: Report) -> None:
    """An EndpointSlice to be created."""
    check_endpoint_slice_changed(manifest, {}, report)


def check_endpoint_slice_changed(manifest: Manifest, old: Manifest, report: Report) -> None:
    """An EndpointSlice in the place of another; addresses that were there are not looked at again."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, kube_finalizers=True)
    kind = manifest.get("addressType") or ""
    report.required_choice("addressType", kind, ("FQDN", "IPv4", "IPv6"))
    endpoints = manifest.get("endpoints") or ()
    if len(endpoints) > 1000:
        report.too_many("endpoints", len(endpoints), 1000)
    known = [endpoint.get("addresses") for endpoint in old.get("endpoints") or ()]
    for position, endpoint in enumerate(endpoints):
        _check_endpoint(endpoint, kind, known, f"endpoints[{position}]", report)
    _check_slice_ports(manifest, report)


def _check_endpoint(endpoint: Manifest, kind: str, known: Sequence[Any], path: str, report: Report) -> None:
    addresses = endpoint.get("addresses") or ()
    if not addresses:
        report.required(f"{path}.addresses", "must contain at least 1 address")
    elif len(addresses) > 100:
        report.too_many(f"{path}.addresses", len(addresses), 100)
    for position, text in enumerate(() if addresses in known else addresses):
        _check_slice_address(text, kind, f"{path}.addresses[{position}]", report)
    if (node := endpoint.get("nodeName")) is not None:
        report.invalid_all(f"{path}.nodeName", node, dns_subdomain(node))
    check_labels(endpoint.get("deprecatedTopology"), f"{path}.deprecatedTopology", report)
    if (name := endpoint.get("hostname")) is not None:
        report.invalid_all(f"{path}.hostname", name, dns_label(name))
    hints = endpoint.get("hints")
    if hints is None:
        return
    for member, check in (("forZones", label_value), ("forNodes", dns_subdomain)):
        entries = hints.get(member) or ()
        if len(entries) > 8:
            report.too_many(f"{path}.hints.{member}", len(entries), 8)
            return
        seen: set[str] = set()
        for position, entry in enumerate(entries):
            name = entry.get("name") or ""
            if name in seen:
                report.duplicate(f"{path}.hints.{member}[{position}].name", name)
            seen.add(name)
            report.invalid_all(f"{path}.hints.{member}[{position}].name", name, check(name))


def _check_slice_address(text: str, kind: str, path: str, report: Report) -> None:
    if kind == "FQDN":
        _check_domain(text, path, report)
        return
    if kind not in ("IPv4", "IPv6") or not (check_ip if kind == "IPv4" else check_canonical_ip)(text, path, report):
        return
    address = is_ip(text)
    if address is None or f"IPv{address.version}" != kind:
        report.invalid(path.rpartition("[")[0], text, f"must be an {kind} address")
    check_not_special(text, path, report)


def _check_domain(text: str, path: str, report: Report) -> None:
    """A full name of a machine: at least two labels."""
    name = text.removesuffix(".")
    if not text:
        report.required(path)
    elif complaints := dns_subdomain(name):
        report.invalid(path, name, ",".join(complaints))
    elif "." not in name:
        report.invalid(path, name, "should be a domain with at least two segments separated by dots")
    else:
        wrong = next((label for label in name.split(".") if dns_label(label)), None)
        if wrong is not None:
            report.invalid(path, wrong, ",".join(dns_label(wrong)))


def _check_slice_ports(manifest: Manifest, report: Report) -> None:
    ports = manifest.get("ports") or ()
    if len(ports) > 100:
        report.too_many("ports", len(ports), 100)
        return
    names: set[str] = set()
    for position, port in enumerate(ports):
        path = f"ports[{position}]"
        name = port.get("name") or ""
        if name:
            report.invalid_all(f"{path}.name", name, dns_label(name))
        if name in names:
            report.duplicate(f"{path}.name", name)
        names.add(name)
        if port.get("protocol") is None:
            report.required(f"{path}.protocol")
        else:
            report.choice(f"{path}.protocol", port["protocol"], _PROTOCOLS)
        if (protocol := port.get("appProtocol")) is not None:
            report.invalid_all(f"{path}.appProtocol", protocol, qualified_name(protocol))
