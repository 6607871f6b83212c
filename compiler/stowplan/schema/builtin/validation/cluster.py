"""Rules of PriorityClass, RuntimeClass, Lease, APIService, FlowSchema and PriorityLevelConfiguration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .config import decoded_length
from .meta import check_labels, check_meta
from .names import dns_label, dns_label_1035, dns_subdomain, path_segment, port_number
from .report import Report, Struct, go_quote
from .resources import check_container_resources
from .scheduling import check_tolerations

__all__ = ["check_api_service", "check_lease", "check_priority_class", "check_runtime_class"]

Manifest = Mapping[str, Any]
_SYSTEM_CLASSES = ("system-cluster-critical", "system-node-critical")
_HIGHEST = 1_000_000_000


def check_priority_class(manifest: Manifest, report: Report) -> None:
    """A PriorityClass."""
    meta = manifest.get("metadata") or {}
    check_meta(meta, report, dns_subdomain, namespaced=False, kube_finalizers=True)
    name = meta.get("name") or ""
    if name.startswith("system-"):
        if name not in _SYSTEM_CLASSES:
            detail = "priority class names with 'system-' prefix are reserved for system use only. error: "
            report.forbidden("metadata.name", f"{detail}{name} is not a known system priority class")
    elif (manifest.get("value") or 0) > _HIGHEST:
        report.forbidden("value", f"maximum allowed value of a user defined priority is {_HIGHEST}")
    if manifest.get("preemptionPolicy") is not None:
        policies = ("PreemptLowerPriority", "Never")
        report.required_choice("preemptionPolicy", manifest["preemptionPolicy"], policies)


def check_runtime_class(manifest: Manifest, report: Report) -> None:
    """A RuntimeClass."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, namespaced=False)
    handler = manifest.get("handler") or ""
    if not handler:
        report.required("handler")
    else:
        report.invalid_all("handler", handler, dns_label(handler))
    overhead = manifest.get("overhead")
    if overhead is not None:
        check_container_resources({"limits": overhead.get("podFixed") or {}}, (), "overhead", report)
    scheduling = manifest.get("scheduling")
    if scheduling is not None:
        check_labels(scheduling.get("nodeSelector"), "scheduling.nodeSelector", report)
        tolerations = scheduling.get("tolerations") or ()

        def key(toleration: Manifest) -> Struct:
            members = ("key", "operator", "value", "effect")
            return Struct({one.capitalize(): toleration.get(one) or "" for one in members}, TolerationSeconds=None)

        for position, toleration in enumerate(tolerations):
            if key(toleration) in map(key, tolerations[:position]):
                report.duplicate(f"scheduling.tolerations[{position}]", key(toleration))
        check_tolerations(tolerations, "scheduling.tolerations", report)


def check_lease(manifest: Manifest, report: Report) -> None:
    """A Lease."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain)
    spec = manifest.get("spec") or {}
    duration, transitions = spec.get("leaseDurationSeconds"), spec.get("leaseTransitions")
    if duration is not None and duration <= 0:
        report.invalid("spec.leaseDurationSeconds", duration, "must be greater than 0")
    if transitions is not None and transitions < 0:
        report.invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0")


def check_api_service(manifest: Manifest, report: Report) -> None:
    """An APIService."""
    meta, spec = manifest.get("metadata") or {}, manifest.get("spec") or {}
    group, version = spec.get("group") or "", spec.get("version") or ""
    wanted = f"{version}.{group}"

    def check_name(name: str) -> tuple[str, ...]:
        if complaints := path_segment(name):
            return complaints
        return () if name == wanted else (f'must be `spec.version+"."+spec.group`: {go_quote(wanted)}',)

    check_meta(meta, report, check_name, namespaced=False)
    if not group:
        if version != "v1":
            report.required("spec.group", "only v1 may have an empty group and it better be legacy kube")
    else:
        report.invalid_all("spec.group", group, dns_subdomain(group))
    report.invalid_all("spec.version", version, dns_label_1035(version))
    for member, limit in (("groupPriorityMinimum", 20000), ("versionPriority", 1000)):
        number = spec.get(member) or 0
        if not 0 < number <= limit:
            report.invalid(f"spec.{member}", number, f"must be positive and less than {limit}")
    _check_backend(spec, report)


def _check_backend(spec: Manifest, report: Report) -> None:
    service, bundle, insecure = spec.get("service"), spec.get("caBundle"), spec.get("insecureSkipTLSVerify")
    if service is None:
        if bundle:
            report.invalid(
                "spec.caBundle", f"{decoded_length(bundle)} bytes", "local APIServices may not have a caBundle"
            )
        if insecure:
            detail = "local APIServices may not have insecureSkipTLSVerify"
            report.invalid("spec.insecureSkipTLSVerify", True, detail)
        return
    for member in ("namespace", "name"):
        if not service.get(member):
            report.required(f"spec.service.{member}")
    port = 443 if service.get("port") is None else service["port"]
    for complaint in port_number(port):
        report.invalid("spec.service.port", port, f"port is not valid: {complaint}")
    if insecure and bundle:
        detail = "may not be true if caBundle is present"
        report.invalid("spec.insecureSkipTLSVerify", True, detail)
