"""Rules of Pods and of Pod templates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .addresses import check_ip
from .containers import (
    PodContext,
    check_containers,
    check_ephemeral_containers,
    check_image_padding,
    check_init_containers,
)
from .meta import check_annotations, check_labels, check_meta
from .names import dns_label, dns_subdomain, dns_subdomain_underscored, qualified_name, range_error
from .report import Report, Struct
from .resources import check_container_resources, check_pod_resources
from .scheduling import check_affinity, check_gates, check_spread, check_tolerations
from .security import check_host_process, check_host_users, check_os, check_pod_security, check_profile_annotations
from .volumes import check_volumes

__all__ = ["check_pod", "check_pod_created", "check_pod_spec", "check_template"]

_RESTART_POLICIES = ("Always", "OnFailure", "Never")
_DNS_POLICIES = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_MAXIMUM_DEADLINE = 2**31 - 1


def check_pod(pod: Mapping[str, Any], report: Report) -> None:
    """A Pod to be created."""
    meta, spec = pod.get("metadata") or {}, pod.get("spec") or {}
    check_meta(meta, report, dns_subdomain, kube_finalizers=True)
    check_profile_annotations(meta.get("annotations"), spec, "metadata.annotations", report)
    check_pod_spec(spec, "spec", report, pod_name=meta.get("name") or "", is_pod=True)
    if not spec.get("serviceAccountName"):
        for index, volume in enumerate(spec.get("volumes") or ()):
            for position, source in enumerate((volume.get("projected") or {}).get("sources") or ()):
                if source.get("serviceAccountToken") is not None:
                    place = f"spec.volumes[{index}].projected.sources[{position}].serviceAccountToken"
                    report.forbidden(place, "must not be specified when serviceAccountName is not set")
    for member in ("containers", "initContainers"):
        for position, container in enumerate(spec.get(member) or ()):
            check_image_padding(container, f"spec.{member}[{position}]", report)


def check_pod_created(pod: Mapping[str, Any], report: Report) -> None:
    """What holds only at the moment of creation."""
    spec = pod.get("spec") or {}
    if spec.get("ephemeralContainers"):
        report.forbidden("spec.ephemeralContainers", "cannot be set on create")
    if spec.get("nodeName") and spec.get("schedulingGates"):
        report.forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared")


def check_template(template: Mapping[str, Any], path: str, report: Report) -> None:
    """A Pod template inside a workload."""
    meta = template.get("metadata")
    if meta:
        check_labels(meta.get("labels"), f"{path}.labels", report)
        check_annotations(meta.get("annotations"), f"{path}.annotations", report)
        check_profile_annotations(meta.get("annotations"), template.get("spec") or {}, f"{path}.annotations", report)
    spec = template.get("spec") or {}
    check_pod_spec(spec, f"{path}.spec", report)
    if spec.get("ephemeralContainers"):
        report.forbidden(f"{path}.spec.ephemeralContainers", "ephemeral containers not allowed in pod template")


def check_pod_spec(
    spec: Mapping[str, Any], path: str, report: Report, *, pod_name: str = "", is_pod: bool = False
) -> None:
    """The specification of a Pod; templates leave `is_pod` false."""
    get = spec.get
    grace = get("terminationGracePeriodSeconds")
    if grace is None:
        report.required(f"{path}.terminationGracePeriodSeconds")
    volumes = get("volumes") or ()
    known = check_volumes(volumes, pod_name, f"{path}.volumes", report, is_pod=is_pod) if volumes else {}
    claims = get("resourceClaims") or ()
    if claims:
        _check_claims(spec, f"{path}.resourceClaims", report)
    context = PodContext(
        volumes=known,
        named_volumes={volume.get("name") or "": volume for volume in volumes} if volumes else known,
        claims=[claim["name"] for claim in claims if claim.get("name")] if claims else (),
        grace=grace,
        restart_policy=get("restartPolicy") or "",
        host_users=get("hostUsers") is not False,
    )
    containers = get("containers") or ()
    check_containers(containers, context, f"{path}.containers", report)
    if starting := get("initContainers"):
        check_init_containers(starting, containers, context, f"{path}.initContainers", report)
    if get("ephemeralContainers"):
        check_ephemeral_containers(spec, context, f"{path}.ephemeralContainers", report)
    if get("hostNetwork"):
        _check_host_network(spec, path, report, is_pod)
    if get("resources"):
        check_pod_resources(spec, f"{path}.resources", report)
    _check_policies(spec, path, report)
    _check_placement(spec, path, report)
    check_host_process(spec, path, report)
    if not context.host_users:
        check_host_users(spec, path, report)
    _check_identity(spec, path, report)
    if get("os") is not None:
        check_os(spec, path, report)


def _check_policies(spec: Mapping[str, Any], path: str, report: Report) -> None:
    get = spec.get
    if (policy := get("restartPolicy")) not in _RESTART_POLICIES:
        report.required_choice(f"{path}.restartPolicy", policy, _RESTART_POLICIES)
    if (policy := get("dnsPolicy")) not in _DNS_POLICIES:
        report.required_choice(f"{path}.dnsPolicy", policy, _DNS_POLICIES)
    if labels := get("nodeSelector"):
        check_labels(labels, f"{path}.nodeSelector", report)
    if get("securityContext") or get("shareProcessNamespace"):
        check_pod_security(spec, f"{path}.securityContext", report)


def _check_placement(spec: Mapping[str, Any], path: str, report: Report) -> None:
    get = spec.get
    if affinity := get("affinity"):
        check_affinity(affinity, f"{path}.affinity", report)
    if get("dnsConfig") is not None or get("dnsPolicy") == "None":
        _check_dns(spec, f"{path}.dnsConfig", report)
    for position, gate in enumerate(get("readinessGates") or ()):
        kind = gate.get("conditionType") or ""
        report.invalid_all(f"{path}.readinessGates[{position}].conditionType", kind, qualified_name(kind))
    if gates := get("schedulingGates"):
        check_gates(gates, f"{path}.schedulingGates", report)
    if constraints := get("topologySpreadConstraints"):
        check_spread(constraints, f"{path}.topologySpreadConstraints", report)


def _check_identity(spec: Mapping[str, Any], path: str, report: Report) -> None:
    get = spec.get
    for member in ("serviceAccountName", "nodeName"):
        if name := get(member):
            report.invalid_all(f"{path}.{member}", name, dns_subdomain(name))
    deadline = get("activeDeadlineSeconds")
    if deadline is not None and not 1 <= deadline <= _MAXIMUM_DEADLINE:
        report.invalid(f"{path}.activeDeadlineSeconds", deadline, range_error(1, _MAXIMUM_DEADLINE))
    _check_host_names(spec, path, report)
    if tolerations := get("tolerations"):
        check_tolerations(tolerations, f"{path}.tolerations", report)
    for position, alias in enumerate(get("hostAliases") or ()):
        place = f"{path}.hostAliases[{position}]"
        check_ip(alias.get("ip") or "", f"{place}.ip", report)
        for index, name in enumerate(alias.get("hostnames") or ()):
            report.invalid_all(f"{place}.hostnames[{index}]", name, dns_subdomain(name))
    for member in ("priorityClassName", "runtimeClassName"):
        name = get(member)
        if name or (name is not None and member == "runtimeClassName"):
            report.invalid_all(f"{path}.{member}", name, dns_subdomain(name))
    if get("preemptionPolicy") is not None:
        report.required_choice(f"{path}.preemptionPolicy", get("preemptionPolicy"), ("PreemptLowerPriority", "Never"))
    if overhead := get("overhead"):
        check_container_resources({"limits": overhead}, (), f"{path}.overhead", report)


def _check_host_names(spec: Mapping[str, Any], path: str, report: Report) -> None:
    for member in ("hostname", "subdomain"):
        if name := spec.get(member):
            report.invalid_all(f"{path}.{member}", name, dns_label(name))
    override = spec.get("hostnameOverride")
    if override is None:
        return
    place = f"{path}.hostnameOverride"
    if len(override.encode()) > 64:
        report.too_long(place, 64)
    report.invalid_all(place, override, dns_subdomain(override))
    if spec.get("hostNetwork"):
        report.forbidden(place, "may not be specified when hostNetwork is true")
    if spec.get("setHostnameAsFQDN"):
        report.forbidden(place, "may not be specified when setHostnameAsFQDN is true")


def _check_host_network(spec: Mapping[str, Any], path: str, report: Report, is_pod: bool) -> None:
    detail = "must match `containerPort` when `hostNetwork` is true"
    for index, container in enumerate(spec.get("containers") or ()):
        for position, port in enumerate(container.get("ports") or ()):
            host = port.get("hostPort") or 0
            if (is_pod or host) and host != (port.get("containerPort") or 0):
                report.invalid(f"{path}.containers[{index}].ports[{position}].hostPort", host, detail)


def _check_claims(spec: Mapping[str, Any], path: str, report: Report) -> None:
    names: set[str] = set()
    for position, claim in enumerate(spec["resourceClaims"]):
        place = f"{path}[{position}]"
        name, direct, template = (claim.get(key) for key in ("name", "resourceClaimName", "resourceClaimTemplateName"))
        if not name:
            report.required(f"{place}.name")
        elif name in names:
            report.duplicate(f"{place}.name", name)
        else:
            report.invalid_all(f"{place}.name", name, dns_label(name))
            names.add(name)
        value = Struct(Name=name or "", ResourceClaimName=direct, ResourceClaimTemplateName=template)
        if direct is not None and template is not None:
            detail = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
            report.invalid(place, value, detail)
        if direct is None and template is None:
            report.invalid(place, value, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`")
        if direct is not None:
            report.invalid_all(f"{place}.resourceClaimName", direct, dns_subdomain(direct))
        if template is not None:
            report.invalid_all(f"{place}.resourceClaimTemplateName", template, dns_subdomain(template))


def _check_dns(spec: Mapping[str, Any], path: str, report: Report) -> None:
    config = spec.get("dnsConfig")
    if spec.get("dnsPolicy") == "None":
        if config is None:
            report.required(path, "must provide `dnsConfig` when `dnsPolicy` is None")
            return
        if not config.get("nameservers"):
            detail = "must provide at least one DNS nameserver when `dnsPolicy` is None"
            report.required(f"{path}.nameservers", detail)
            return
    config = config or {}
    servers, searches = config.get("nameservers") or (), config.get("searches") or ()
    if len(servers) > 3:
        report.invalid(f"{path}.nameservers", list(servers), "must not have more than 3 nameservers")
    for position, server in enumerate(servers):
        check_ip(server, f"{path}.nameservers[{position}]", report)
    if len(searches) > 32:
        report.invalid(f"{path}.searches", list(searches), "must not have more than 32 search paths")
    if len(" ".join(searches)) > 2048:
        detail = "must not have more than 2048 characters (including spaces) in the search list"
        report.invalid(f"{path}.searches", list(searches), detail)
    for position, search in enumerate(searches):
        if search != ".":
            name = search.removesuffix(".")
            report.invalid_all(f"{path}.searches[{position}]", name, dns_subdomain_underscored(name))
    for position, option in enumerate(config.get("options") or ()):
        if not option.get("name"):
            report.required(f"{path}.options[{position}]", "must not be empty")
