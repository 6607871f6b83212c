"""Rules of PodGroup and Workload, which are served only where their feature is switched on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .meta import check_meta
from .names import dns_label, dns_subdomain
from .report import Report, Struct

__all__ = ["check_pod_group", "check_workload"]

Manifest = Mapping[str, Any]


def _check_union(holder: Manifest, members: tuple[str, ...], path: str, report: Report) -> None:
    given = [member for member in members if holder.get(member) is not None]
    names = ", ".join(f"`{member}`" for member in members)
    if not given:
        report.invalid(path, "", f"must specify one of: {names}")
    elif len(given) > 1:
        report.invalid(path, "{" + ", ".join(given) + "}", f"must specify exactly one of: {names}")


def check_pod_group(manifest: Manifest, report: Report) -> None:
    """A PodGroup."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, kube_finalizers=True)
    spec = manifest.get("spec") or {}
    reference = spec.get("podGroupTemplateRef")
    if reference is not None:
        path = "spec.podGroupTemplateRef"
        _check_union(reference, ("workload",), path, report)
        if (workload := reference.get("workload")) is not None:
            for member, check in (("workloadName", dns_subdomain), ("podGroupTemplateName", dns_label)):
                value = workload.get(member) or ""
                if not value:
                    report.required(f"{path}.workload.{member}")
                else:
                    report.invalid_all(f"{path}.workload.{member}", value, check(value))
    _check_group(spec, "spec", report)


def check_workload(manifest: Manifest, report: Report) -> None:
    """A Workload."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, kube_finalizers=True)
    spec = manifest.get("spec") or {}
    controller = spec.get("controllerRef")
    if controller is not None:
        for member in ("kind", "name"):
            if not controller.get(member):
                report.required(f"spec.controllerRef.{member}")
    path = "spec.podGroupTemplates"
    templates = spec.get("podGroupTemplates") or ()
    if not templates:
        report.required(path)
    if len(templates) > 8:
        report.too_many(path, len(templates), 8)
        return
    _check_repeats(templates, path, report)
    for position, template in enumerate(templates):
        name, place = template.get("name") or "", f"{path}[{position}]"
        if not name:
            report.required(f"{place}.name")
        else:
            report.invalid_all(f"{place}.name", name, dns_label(name))
        _check_group(template, place, report)


def _check_repeats(items: Sequence[Manifest], path: str, report: Report) -> None:
    names = [item.get("name") or "" for item in items]
    for position, name in enumerate(names):
        if name in names[:position]:
            report.duplicate(f"{path}[{position}]", Struct(items[position]))


def _check_group(group: Manifest, path: str, report: Report) -> None:
    policy = group.get("schedulingPolicy") or {}
    _check_union(policy, ("basic", "gang"), f"{path}.schedulingPolicy", report)
    gang = policy.get("gang")
    if gang is not None:
        count = gang.get("minCount") or 0
        if not count:
            report.required(f"{path}.schedulingPolicy.gang.minCount")
        elif count < 1:
            place = f"{path}.schedulingPolicy.gang.minCount"
            report.invalid(place, count, "must be greater than or equal to 1")
    topology = (group.get("schedulingConstraints") or {}).get("topology") or ()
    place = f"{path}.schedulingConstraints.topology"
    if len(topology) > 1:
        report.too_many(place, len(topology), 1)
    else:
        for position, level in enumerate(topology):
            if not level.get("key"):
                report.required(f"{place}[{position}].key")
    claims = group.get("resourceClaims") or ()
    _check_repeats(claims, f"{path}.resourceClaims", report)
    for position, claim in enumerate(claims):
        _check_claim(claim, f"{path}.resourceClaims[{position}]", report)
    mode = group.get("disruptionMode")
    if mode is not None:
        report.choice(f"{path}.disruptionMode", mode, ("Pod", "PodGroup"))


def _check_claim(claim: Manifest, path: str, report: Report) -> None:
    _check_union(claim, ("resourceClaimName", "resourceClaimTemplateName"), path, report)
    name = claim.get("name") or ""
    if not name:
        report.required(f"{path}.name")
    else:
        report.invalid_all(f"{path}.name", name, dns_label(name))
    for member in ("resourceClaimName", "resourceClaimTemplateName"):
        if (value := claim.get(member)) is not None:
            report.invalid_all(f"{path}.{member}", value, dns_subdomain(value))
