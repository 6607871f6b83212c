"""Rules of NetworkPolicy, Ingress, IngressClass and ServiceCIDR."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .addresses import check_canonical_cidr, check_cidr
from .jobs import check_domain_path
from .meta import check_meta
from .names import (
    dns_label,
    dns_subdomain,
    is_cidr,
    is_ip,
    path_segment,
    port_name,
    port_number,
    wildcard_subdomain,
)
from .report import Report
from .selectors import check_label_selector

__all__ = ["check_ingress", "check_ingress_class", "check_network_policy", "check_service_cidr"]

Manifest = Mapping[str, Any]
_CLASS_ANNOTATION = "kubernetes.io/ingress.class"
_SEQUENCES = ("//", "/./", "/../", "%2f", "%2F")
_SUFFIXES = ("/..", "/.")


def check_network_policy(manifest: Manifest, report: Report) -> None:
    """A NetworkPolicy."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, kube_finalizers=True)
    check_network_policy_spec(manifest.get("spec") or {}, report)


def check_network_policy_spec(spec: Manifest, report: Report) -> None:
    """Which traffic a policy lets through."""
    check_label_selector(spec.get("podSelector"), "spec.podSelector", report)
    for direction, peers in (("ingress", "from"), ("egress", "to")):
        for index, rule in enumerate(spec.get(direction) or ()):
            path = f"spec.{direction}[{index}]"
            for position, port in enumerate(rule.get("ports") or ()):
                _check_policy_port(port, f"{path}.ports[{position}]", report)
            for position, peer in enumerate(rule.get(peers) or ()):
                _check_peer(peer, f"{path}.{peers}[{position}]", report)
    kinds = spec.get("policyTypes") or ()
    if len(kinds) > 2:
        report.invalid("spec.policyTypes", list(kinds), "may not specify more than two policyTypes")
        return
    for position, kind in enumerate(kinds):
        report.choice(f"spec.policyTypes[{position}]", kind, ("Ingress", "Egress"))


def _check_policy_port(port: Manifest, path: str, report: Report) -> None:
    if port.get("protocol") is not None:
        report.choice(f"{path}.protocol", port["protocol"], ("TCP", "UDP", "SCTP"))
    number, end = port.get("port"), port.get("endPort")
    if number is None:
        if end is not None:
            report.invalid(f"{path}.endPort", end, "may not be specified when `port` is not specified")
    elif isinstance(number, str):
        if end is not None:
            report.invalid(f"{path}.endPort", end, "may not be specified when `port` is non-numeric")
        report.invalid_all(f"{path}.port", number, port_name(number))
    else:
        report.invalid_all(f"{path}.port", number, port_number(number))
        if end is not None:
            if end < number:
                report.invalid(f"{path}.endPort", number, "must be greater than or equal to `port`")
            report.invalid_all(f"{path}.endPort", end, port_number(end))


def _check_peer(peer: Manifest, path: str, report: Report) -> None:
    present = [member for member in ("podSelector", "namespaceSelector", "ipBlock") if peer.get(member) is not None]
    for member in present:
        if member == "ipBlock":
            _check_block(peer[member], f"{path}.ipBlock", report)
        else:
            check_label_selector(peer[member], f"{path}.{member}", report)
    if not present:
        report.required(path, "must specify a peer")
    elif len(present) > 1 and "ipBlock" in present:
        report.forbidden(path, "may not specify both ipBlock and another peer")


def _check_block(block: Manifest, path: str, report: Report) -> None:
    text = block.get("cidr") or ""
    if not text:
        report.required(f"{path}.cidr")
        return
    check_cidr(text, f"{path}.cidr", report)
    network = is_cidr(text)
    for position, excluded in enumerate(block.get("except") or () if network is not None else ()):
        place = f"{path}.except[{position}]"
        check_cidr(excluded, place, report)
        inner = is_cidr(excluded)
        if network is None or inner is None:
            continue
        inside = inner.version == network.version and inner.network_address in network
        if not inside or network.prefixlen >= inner.prefixlen:
            report.invalid(place, excluded, "must be a strict subset of `cidr`")


def check_ingress(manifest: Manifest, report: Report) -> None:
    """An Ingress."""
    meta, spec = manifest.get("metadata") or {}, manifest.get("spec") or {}
    check_meta(meta, report, dns_subdomain, kube_finalizers=True)
    backend, rules = spec.get("defaultBackend"), spec.get("rules")
    if not rules and backend is None:
        report.invalid("spec", rules, "either `defaultBackend` or `rules` must be specified")
    if backend is not None:
        _check_backend(backend, "spec.defaultBackend", report)
    for position, rule in enumerate(rules or ()):
        _check_rule(rule, f"spec.rules[{position}]", report)
    for index, tls in enumerate(spec.get("tls") or ()):
        for position, host in enumerate(tls.get("hosts") or ()):
            check = wildcard_subdomain if "*" in host else dns_subdomain
            report.invalid_all(f"spec.tls[{index}].hosts[{position}]", host, check(host))
        if secret := tls.get("secretName"):
            report.invalid_all(f"spec.tls[{index}].secretName", secret, dns_subdomain(secret))
    name = spec.get("ingressClassName")
    if name is not None:
        report.invalid_all("spec.ingressClassName", name, dns_subdomain(name))


def check_ingress_created(manifest: Manifest, report: Report) -> None:
    """The old annotation and the class must agree when both are given at creation."""
    annotation = ((manifest.get("metadata") or {}).get("annotations") or {}).get(_CLASS_ANNOTATION)
    name = (manifest.get("spec") or {}).get("ingressClassName")
    if annotation is not None and name is not None and annotation != name:
        detail = "must match `ingressClassName` when both are specified"
        report.invalid(f"annotations.{_CLASS_ANNOTATION}", annotation, detail)


def _check_rule(rule: Manifest, path: str, report: Report) -> None:
    host = rule.get("host") or ""
    if host:
        if is_ip(host) is not None:
            report.invalid(f"{path}.host", host, "must be a DNS name, not an IP address")
        check = wildcard_subdomain if "*" in host else dns_subdomain
        report.invalid_all(f"{path}.host", host, check(host))
    http = rule.get("http")
    if http is None:
        return
    paths = http.get("paths") or ()
    if not paths:
        report.required(f"{path}.http.paths")
    for position, entry in enumerate(paths):
        _check_path(entry, f"{path}.http.paths[{position}]", report)


def _check_path(entry: Manifest, path: str, report: Report) -> None:
    kind, target = entry.get("pathType"), entry.get("path") or ""
    if kind is None:
        report.required(f"{path}.pathType", "pathType must be specified")
        return
    if kind in ("Exact", "Prefix"):
        if not target.startswith("/"):
            report.invalid(f"{path}.path", target, "must be an absolute path")
        for sequence in _SEQUENCES:
            if sequence in target:
                report.invalid(f"{path}.path", target, f"must not contain '{sequence}'")
        for suffix in _SUFFIXES:
            if target.endswith(suffix):
                report.invalid(f"{path}.path", target, f"cannot end with '{suffix}'")
    elif kind == "ImplementationSpecific":
        if target and not target.startswith("/"):
            report.invalid(f"{path}.path", target, "must be an absolute path")
    else:
        report.unsupported(f"{path}.pathType", kind, ("Exact", "ImplementationSpecific", "Prefix"))
    _check_backend(entry.get("backend") or {}, f"{path}.backend", report)


def _check_backend(backend: Manifest, path: str, report: Report) -> None:
    resource, service = backend.get("resource"), backend.get("service")
    if resource is not None and service is not None:
        report.invalid(path, "", "cannot set both resource and service backends")
    elif resource is not None:
        _check_typed_reference(resource, f"{path}.resource", report)
    elif service is not None:
        _check_service_backend(service, path, report)
    else:
        report.invalid(path, "", "resource or service backend is required")


def _check_service_backend(service: Manifest, path: str, report: Report) -> None:
    name, port = service.get("name") or "", service.get("port") or {}
    if not name:
        report.required(f"{path}.service.name")
    else:
        report.invalid_all(f"{path}.service.name", name, dns_label(name))
    if port.get("name") and port.get("number"):
        report.invalid(path, "", "cannot set both port name & port number")
    elif port.get("name"):
        report.invalid_all(f"{path}.service.port.name", port["name"], port_name(port["name"]))
    elif port.get("number"):
        report.invalid_all(f"{path}.service.port.number", port["number"], port_number(port["number"]))
    else:
        report.required(path, "port name or number is required")


def _check_typed_reference(reference: Manifest, path: str, report: Report) -> None:
    group = reference.get("apiGroup")
    if group is not None:
        report.invalid_all(f"{path}.apiGroup", group, dns_subdomain(group))
    for member in ("kind", "name"):
        value = reference.get(member) or ""
        if not value:
            report.required(f"{path}.{member}")
        else:
            report.invalid_all(f"{path}.{member}", value, path_segment(value))


def check_ingress_class(manifest: Manifest, report: Report) -> None:
    """An IngressClass."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, namespaced=False, kube_finalizers=True)
    spec = manifest.get("spec") or {}
    controller = spec.get("controller") or ""
    if len(controller.encode()) > 250:
        report.too_long("spec.controller", 250)
    check_domain_path(controller, "spec.controller", report)
    parameters = spec.get("parameters")
    if parameters is None:
        return
    path = "spec.parameters"
    _check_typed_reference(parameters, path, report)
    scope, namespace = parameters.get("scope"), parameters.get("namespace")
    if scope is None:
        report.required(f"{path}.scope")
    elif not report.choice(f"{path}.scope", scope, ("Cluster", "Namespace")):
        return
    elif scope == "Namespace":
        if namespace is None:
            report.required(f"{path}.namespace", "`parameters.scope` is set to 'Namespace'")
        else:
            report.invalid_all(f"{path}.namespace", namespace, dns_label(namespace))
    elif namespace is not None:
        report.forbidden(f"{path}.namespace", "`parameters.scope` is set to 'Cluster'")


def check_service_cidr(manifest: Manifest, report: Report) -> None:
    """A ServiceCIDR."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, namespaced=False, kube_finalizers=True)
    ranges = (manifest.get("spec") or {}).get("cidrs") or ()
    path = "spec.cidrs"
    if not ranges:
        report.required(path, "at least one CIDR required")
    elif len(ranges) > 2:
        report.invalid(path, list(ranges), "may only hold up to 2 values")
    else:
        for position, text in enumerate(ranges):
            check_canonical_cidr(text, f"{path}[{position}]", report)
        versions = [found.version for text in ranges if (found := is_cidr(text)) is not None]
        if len(versions) == 2 and versions[0] == versions[1]:
            detail = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"
            report.invalid(path, list(ranges), detail)
