"""Rules of Service and of what may change in one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .addresses import check_cidr, check_ip, check_not_special
from .meta import check_labels, check_meta
from .names import dns_label, dns_subdomain, is_ip, port_number, qualified_name
from .probes import check_port
from .report import Report, Struct

__all__ = ["check_service", "check_service_created", "check_service_update"]

Manifest = Mapping[str, Any]
_TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_PROTOCOLS = ("SCTP", "TCP", "UDP")
_FAMILIES = ("IPv4", "IPv6")
_CONFIGURED_FAMILIES = ("IPv4",)
"""A cluster has one family of addresses, this one, unless it was set up otherwise."""
_FAMILY_POLICIES = ("PreferDualStack", "RequireDualStack", "SingleStack")
_DISTRIBUTIONS = ("PreferClose", "PreferSameZone", "PreferSameNode")
_ONLY_BALANCED = "may only be used when `type` is 'LoadBalancer'"
_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges"
_MAXIMUM_AFFINITY = 86400


def _headless(spec: Manifest) -> bool:
    return list(spec.get("clusterIPs") or ()) == ["None"] or spec.get("clusterIP") == "None"


def _addresses(spec: Manifest) -> list[str]:
    """`clusterIPs`, filled from `clusterIP` as the server does."""
    found = list(spec.get("clusterIPs") or ())
    if not found and spec.get("clusterIP"):
        return [spec["clusterIP"]]
    return found


def check_service_created(manifest: Manifest, report: Report) -> None:
    """A Service to be created: its addresses are allotted before anything else is looked at."""
    spec = manifest.get("spec") or {}
    if spec.get("type") != "ExternalName":
        _check_cluster_addresses(spec, report)
        if not report.errors:
            for position, family in enumerate(spec.get("ipFamilies") or ()):
                if family not in _CONFIGURED_FAMILIES:
                    detail = "not configured on this cluster"
                    report.invalid(f"spec.ipFamilies[{position}]", family, detail)
                    break
    if not report.errors:
        check_service(manifest, report)


def check_service(manifest: Manifest, report: Report) -> None:
    """A Service."""
    check_meta(manifest.get("metadata") or {}, report, dns_label, kube_finalizers=True)
    _check_topology_annotations(manifest, report)
    spec = manifest.get("spec") or {}
    get = spec.get
    kind, ports = get("type") or "", get("ports") or ()
    if not ports and not _headless(spec) and kind != "ExternalName":
        report.required("spec.ports")
    _check_type(spec, kind, report)
    names: set[str] = set()
    for position, port in enumerate(ports):
        _check_port(port, len(ports) > 1, names, f"spec.ports[{position}]", report)
    check_labels(get("selector"), "spec.selector", report)
    _check_affinity(spec, report)
    if kind != "ExternalName":
        _check_cluster_addresses(spec, report)
    for position, address in enumerate(get("externalIPs") or ()):
        place = f"spec.externalIPs[{position}]"
        if check_ip(address, place, report):
            check_not_special(address, place, report)
    report.required_choice("spec.type", kind, _TYPES)
    _check_node_ports(spec, kind, report)
    _check_repeated_ports(spec, report)
    _check_balancer(manifest, spec, kind, report)
    _check_traffic(spec, kind, report)


def _check_topology_annotations(manifest: Manifest, report: Report) -> None:
    annotations = (manifest.get("metadata") or {}).get("annotations") or {}
    hints, mode = (annotations.get(f"service.kubernetes.io/topology-{name}") for name in ("aware-hints", "mode"))
    if hints is not None and mode is not None and hints != mode:
        detail = "must match annotations[service.kubernetes.io/topology-aware-hints] when both are specified"
        report.invalid("metadata.annotations[service.kubernetes.io/topology-mode]", mode, detail)


def _check_type(spec: Manifest, kind: str, report: Report) -> None:
    if kind in ("LoadBalancer", "NodePort") and _headless(spec):
        report.invalid("spec.clusterIPs[0]", "None", f"may not be set to 'None' for {kind} services")
    if kind != "ExternalName":
        return
    for member in ("clusterIPs", "ipFamilies", "ipFamilyPolicy"):
        value = _addresses(spec) if member == "clusterIPs" else spec.get(member)
        if value:
            report.forbidden(f"spec.{member}", "may not be set for ExternalName services")
    name = (spec.get("externalName") or "").removesuffix(".")
    if not name:
        report.required("spec.externalName")
    else:
        report.invalid_all("spec.externalName", name, dns_subdomain(name))


def _check_port(port: Manifest, named: bool, names: set[str], path: str, report: Report) -> None:
    name = port.get("name") or ""
    if name:
        report.invalid_all(f"{path}.name", name, dns_label(name))
        if name in names:
            report.duplicate(f"{path}.name", name)
        names.add(name)
    elif named:
        report.required(f"{path}.name")
    number = port.get("port") or 0
    report.invalid_all(f"{path}.port", number, port_number(number))
    report.required_choice(f"{path}.protocol", port.get("protocol"), _PROTOCOLS)
    target = port.get("targetPort")
    check_port(number if target is None or target in (0, "") else target, f"{path}.targetPort", report)
    if (protocol := port.get("appProtocol")) is not None:
        report.invalid_all(f"{path}.appProtocol", protocol, qualified_name(protocol))


def _check_affinity(spec: Manifest, report: Report) -> None:
    affinity, config = spec.get("sessionAffinity") or "", spec.get("sessionAffinityConfig")
    report.required_choice("spec.sessionAffinity", affinity, ("ClientIP", "None"))
    path = "spec.sessionAffinityConfig"
    if affinity == "None" and config is not None:
        report.forbidden(path, "must not be set when session affinity is None")
    if affinity != "ClientIP":
        return
    detail = "when session affinity type is ClientIP"
    if config is None:
        report.required(path, detail)
    elif config.get("clientIP") is None:
        report.required(f"{path}.clientIP", detail)
    elif (seconds := config["clientIP"].get("timeoutSeconds")) is None:
        report.required(f"{path}.clientIP.timeoutSeconds", detail)
    elif not 0 < seconds <= _MAXIMUM_AFFINITY:
        detail = f"must be greater than 0 and less than {_MAXIMUM_AFFINITY}"
        report.invalid(f"{path}.clientIP.timeoutSeconds", seconds, detail)


def _check_cluster_addresses(spec: Manifest, report: Report) -> None:
    addresses, families = _addresses(spec), spec.get("ipFamilies") or ()
    first = spec.get("clusterIP") or ""
    if first and addresses and addresses[0] != first:
        report.invalid("spec.clusterIPs", addresses, "first value must match `clusterIP`")
    elif not first and addresses:
        report.invalid("spec.clusterIPs", addresses, "must be empty when `clusterIP` is not specified")
    seen: set[str] = set()
    for position, family in enumerate(families):
        place = f"spec.ipFamilies[{position}]"
        report.choice(place, family, _FAMILIES)
        if family in seen:
            report.duplicate(place, family)
        seen.add(family)
    if spec.get("ipFamilyPolicy") is not None:
        report.choice("spec.ipFamilyPolicy", spec["ipFamilyPolicy"], _FAMILY_POLICIES)
    if _check_addresses(addresses, report):
        _check_address_families(spec, addresses, families, report)


def _check_addresses(addresses: list[str], report: Report) -> bool:
    """Whether the addresses can be looked at any further."""
    usable = True
    for position, address in enumerate(addresses):
        if position == 0 and address == "None":
            if len(addresses) > 1:
                usable = False
                report.invalid("spec.clusterIPs", addresses, "'None' must be the first and only value")
            continue
        place = f"spec.clusterIPs[{position}]"
        usable = check_ip(address, place, report) and usable
    if len(addresses) > 2:
        report.invalid("spec.clusterIPs", addresses, "may only hold up to 2 values")
    return usable


def _version(address: str) -> int:
    found = is_ip(address)
    return found.version if found is not None else 0


def _check_address_families(spec: Manifest, addresses: list[str], families: Any, report: Report) -> None:
    if len(addresses) > 1 and {_version(address) for address in addresses} != {4, 6}:
        detail = "may specify no more than one IP for each IP family"
        report.invalid("spec.clusterIPs", addresses, detail)
    if _headless(spec):
        return
    for position, (address, family) in enumerate(zip(addresses, families, strict=False)):
        if family in _FAMILIES and f"IPv{_version(address)}" != family:
            detail = f"expected an {family} value as indicated by `ipFamilies[{position}]`"
            report.invalid(f"spec.clusterIPs[{position}]", address, detail)


def _check_node_ports(spec: Manifest, kind: str, report: Report) -> None:
    ports = spec.get("ports") or ()
    seen: set[tuple[str, int]] = set()
    if kind == "ClusterIP":
        for position, port in enumerate(ports):
            if port.get("nodePort"):
                detail = "may not be used when `type` is 'ClusterIP'"
                report.forbidden(f"spec.ports[{position}].nodePort", detail)
    allotted: set[tuple[str, int]] = set()
    for position, port in enumerate(ports):
        number, protocol = port.get("nodePort") or 0, port.get("protocol") or ""
        if number:
            if (protocol, number) in seen:
                report.duplicate(f"spec.ports[{position}].nodePort", number)
            seen.add((protocol, number))
        elif kind in ("NodePort", "LoadBalancer") and spec.get("allocateLoadBalancerNodePorts") is not False:
            key = (protocol, port.get("port") or 0)  # equal ports are allotted equal node ports
            if key in allotted:
                report.duplicate(f"spec.ports[{position}].nodePort", number)
            allotted.add(key)


def _check_repeated_ports(spec: Manifest, report: Report) -> None:
    seen: set[tuple[str, int]] = set()
    for position, port in enumerate(spec.get("ports") or ()):
        key = (port.get("protocol") or "", port.get("port") or 0)
        if key in seen:
            value = Struct(Name="", Protocol=key[0], AppProtocol=None, Port=key[1], TargetPort=0, NodePort=0)
            report.duplicate(f"spec.ports[{position}]", value)
        seen.add(key)


def _check_balancer(manifest: Manifest, spec: Manifest, kind: str, report: Report) -> None:
    balanced = kind == "LoadBalancer"
    ranges = spec.get("loadBalancerSourceRanges") or ()
    annotations = (manifest.get("metadata") or {}).get("annotations") or {}
    if ranges:
        if not balanced:
            report.forbidden("spec.LoadBalancerSourceRanges", _ONLY_BALANCED)
        for position, value in enumerate(ranges):
            check_cidr(value.strip(), f"spec.LoadBalancerSourceRanges[{position}]", report)
    elif _RANGES in annotations:
        place = f"metadata.annotations[{_RANGES}]"
        if not balanced:
            report.forbidden(place, _ONLY_BALANCED)
        for value in annotations[_RANGES].split(",") if annotations[_RANGES].strip() else ():
            check_cidr(value.strip(), place, report)
    allocate = spec.get("allocateLoadBalancerNodePorts")
    if allocate is not None and not balanced:
        report.forbidden("spec.allocateLoadBalancerNodePorts", _ONLY_BALANCED)
    if allocate is None and balanced:
        report.required("allocateLoadBalancerNodePorts")
    _check_balancer_class(spec, balanced, report)


def _check_balancer_class(spec: Manifest, balanced: bool, report: Report) -> None:
    name = spec.get("loadBalancerClass")
    if name is not None:
        if balanced:
            report.invalid_all("spec.loadBalancerClass", name, qualified_name(name))
        else:
            report.forbidden("spec.loadBalancerClass", _ONLY_BALANCED)


def _check_traffic(spec: Manifest, kind: str, report: Report) -> None:
    external = spec.get("externalTrafficPolicy") or ""
    accessible = kind in ("LoadBalancer", "NodePort") or (kind == "ClusterIP" and bool(spec.get("externalIPs")))
    if accessible:
        report.required_choice("spec.externalTrafficPolicy", external, ("Cluster", "Local"))
    elif external:
        detail = "may only be set for externally-accessible services"
        report.invalid("spec.externalTrafficPolicy", external, detail)
    health = spec.get("healthCheckNodePort") or 0
    if health and not (kind == "LoadBalancer" and external == "Local"):
        detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
        report.invalid("spec.healthCheckNodePort", health, detail)
    elif health:
        report.invalid_all("spec.healthCheckNodePort", health, port_number(health))
    internal = spec.get("internalTrafficPolicy")
    if internal is not None:
        report.choice("spec.internalTrafficPolicy", internal, ("Cluster", "Local"))
    elif kind in ("ClusterIP", "LoadBalancer", "NodePort"):
        report.required("spec.internalTrafficPolicy")
    distribution = spec.get("trafficDistribution")
    if distribution is not None:
        report.choice("spec.trafficDistribution", distribution, _DISTRIBUTIONS)


def with_addresses(new: Manifest, old: Manifest) -> Manifest:
    """The Service with the addresses of the live one where it gives none, as the server completes a replacement."""
    after, before = new.get("spec") or {}, old.get("spec") or {}
    if "ExternalName" in (before.get("type"), after.get("type")) or after.get("clusterIP"):
        return new
    kept = {key: before[key] for key in ("clusterIP", "clusterIPs") if before.get(key) and not after.get(key)}
    return {**new, "spec": {**after, **kept}} if kept else new


def check_service_update(new: Manifest, old: Manifest, report: Report) -> None:
    """What may not change in a Service."""
    after, before = new.get("spec") or {}, old.get("spec") or {}
    kinds = (before.get("type"), after.get("type"))
    if "ExternalName" not in kinds:
        _check_address_change(after, before, report)
    if kinds == ("LoadBalancer", "LoadBalancer"):
        if before.get("loadBalancerClass") != after.get("loadBalancerClass"):
            value = after.get("loadBalancerClass")
            report.invalid("spec.loadBalancerClass", value, "may not change once set")
        _check_balancer_class(after, True, report)
        local = [spec.get("externalTrafficPolicy") == "Local" for spec in (before, after)]
        ports = [spec.get("healthCheckNodePort") or 0 for spec in (before, after)]
        if all(local) and all(ports) and ports[0] != ports[1]:
            report.forbidden("spec.healthCheckNodePort", "field is immutable")
    else:
        _check_balancer_class(after, kinds[1] == "LoadBalancer", report)


def _check_address_change(after: Manifest, before: Manifest, report: Report) -> None:
    if _headless(before) and _headless(after):
        return
    old, new = _addresses(before), _addresses(after)
    if not new:
        return
    if not _check_addresses(new, Report()):
        return
    if not old or old[0] != new[0]:  # a live Service always has an address
        report.invalid("spec.clusterIPs[0]", new, "may not change once set")
    if _headless(before) != _headless(after):
        return
    families = (before.get("ipFamilies") or (), after.get("ipFamilies") or ())
    if families[0] and families[1] and families[0][0] != families[1][0]:
        report.invalid("spec.ipFamilies[0]", list(families[1]), "may not change once set")
