"""Rules of ResourceQuota and LimitRange."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from .meta import check_meta
from .names import dns_subdomain, qualified_name
from .quantities import quantity
from .report import Report, Word
from .resources import (
    INTEGER_RESOURCES,
    check_amount,
    container_name_complaints,
    is_hugepages,
    is_native,
    resource_name_complaints,
)

__all__ = ["check_limit_range", "check_resource_quota", "check_resource_quota_update"]

Manifest = Mapping[str, Any]
_SCOPED_COMPUTE = frozenset(("cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"))
_COMPUTE_QUOTA = _SCOPED_COMPUTE | {"ephemeral-storage", "requests.ephemeral-storage", "limits.ephemeral-storage"}
_QUOTA = _COMPUTE_QUOTA | INTEGER_RESOURCES | {"requests.storage"}
_SCOPES = (
    "Terminating",
    "NotTerminating",
    "BestEffort",
    "NotBestEffort",
    "PriorityClass",
    "CrossNamespacePodAffinity",
    "VolumeAttributesClass",
)
_POD_SCOPES = ("Terminating", "NotTerminating", "NotBestEffort", "PriorityClass", "CrossNamespacePodAffinity")
_VOLUME_QUOTA = frozenset(("persistentvolumeclaims", "requests.storage"))
_PAIRS = (("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating"))
_ONLY_EXISTS = (
    "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "
    "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
)


def _quota_complaints(name: str) -> tuple[str, ...]:
    complaints = resource_name_complaints(name)
    if "/" not in name and name not in _QUOTA and not name.startswith(("hugepages-", "requests.hugepages-")):
        complaints += ("must be a standard resource for quota",)
    return complaints


def check_resource_quota(manifest: Manifest, report: Report) -> None:
    """A ResourceQuota."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, kube_finalizers=True)
    check_resource_quota_spec(manifest.get("spec") or {}, report)


def check_resource_quota_spec(spec: Manifest, report: Report) -> None:
    """What a quota limits, and for which objects."""
    hard: Mapping[str, str] = spec.get("hard") or {}
    for name, amount in hard.items():
        report.invalid_all(f"spec.hard[{name}]", name, _quota_complaints(name))
        check_amount(name, amount, f"spec.hard[{name}]", report)
    if scopes := spec.get("scopes"):
        for scope in scopes:
            if scope not in _SCOPES:
                report.invalid("spec.scopes", list(scopes), "unsupported scope")
            for name in sorted(hard):
                if _is_standard(name) and not _goes_with(scope, name):
                    report.invalid("spec.scopes", list(scopes), "unsupported scope applied to resource")
        _check_pairs(scopes, spec, report)
    if (selector := spec.get("scopeSelector")) is not None:
        _check_selector(selector, spec, report)


def _is_standard(name: str) -> bool:
    return name in _QUOTA or name.startswith(("hugepages-", "requests.hugepages-"))


def _goes_with(scope: str, name: str) -> bool:
    if scope in _POD_SCOPES:
        return name in _SCOPED_COMPUTE or name == "pods"
    if scope == "BestEffort":
        return name == "pods"
    if scope == "VolumeAttributesClass":
        return name in _VOLUME_QUOTA
    return True


def _check_pairs(scopes: Any, spec: Manifest, report: Report) -> None:
    for first, second in _PAIRS:
        if first in scopes and second in scopes:
            report.invalid("spec.scopes", spec.get("scopes"), "conflicting scopes")


def _check_selector(selector: Manifest, spec: Manifest, report: Report) -> None:
    path = "spec.scopeSelector.matchExpressions"
    used: list[str] = []
    for requirement in selector.get("matchExpressions") or ():
        scope, operator = requirement.get("scopeName") or "", requirement.get("operator") or ""
        values = requirement.get("values") or ()
        if scope not in _SCOPES:
            report.invalid(f"{path}.scopeName", scope, "unsupported scope")
        for name in sorted(spec.get("hard") or {}):
            if _is_standard(name) and not _goes_with(scope, name):
                report.invalid(path, dict(selector), "unsupported scope applied to resource")
        if scope in _SCOPES and scope not in ("PriorityClass", "VolumeAttributesClass") and operator != "Exists":
            report.invalid(f"{path}.operator", operator, _ONLY_EXISTS)
        if operator in ("In", "NotIn"):
            if not values:
                detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
                report.required(f"{path}.values", detail)
        elif operator in ("Exists", "DoesNotExist"):
            if values:
                detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
                report.invalid(f"{path}.values", list(values), detail)
        else:
            report.invalid(f"{path}.operator", Word(operator), "not a valid selector operator")
        used.append(scope)
    _check_pairs(used, spec, report)


def check_resource_quota_update(new: Manifest, old: Manifest, report: Report) -> None:
    """The scopes of a quota stay."""
    after, before = ((manifest.get("spec") or {}).get("scopes") or [] for manifest in (new, old))
    if set(after) != set(before):
        report.invalid("spec.scopes", after or None, "field is immutable")


def check_limit_range(manifest: Manifest, report: Report) -> None:
    """A LimitRange."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, kube_finalizers=True, nameless=True)
    kinds: set[str] = set()
    for position, limit in enumerate((manifest.get("spec") or {}).get("limits") or ()):
        path = f"spec.limits[{position}]"
        kind = limit.get("type") or ""
        complaints = qualified_name(kind)
        report.invalid_all(f"{path}.type", kind, complaints)
        if not complaints and "/" not in kind and kind not in ("Pod", "Container", "PersistentVolumeClaim"):
            report.invalid(f"{path}.type", kind, "must be a standard limit type or fully qualified")
        if kind in kinds:
            report.duplicate(f"{path}.type", kind)
        kinds.add(kind)
        _check_limit(limit, kind, path, report)


def _check_limit(limit: Manifest, kind: str, path: str, report: Report) -> None:
    pod = kind == "Pod"
    members = ("max", "min") if pod else ("max", "min", "default", "defaultRequest")
    names: set[str] = set()
    for member in members:
        _check_limit_names(limit, member, kind, path, names, report)
    if pod:
        for member in ("default", "defaultRequest"):
            if limit.get(member):
                report.forbidden(f"{path}.{member}", "may not be specified when `type` is 'Pod'")
    if kind == "PersistentVolumeClaim" and not any("storage" in (limit.get(key) or {}) for key in ("min", "max")):
        detail = "either minimum or maximum storage value is required, but neither was provided"
        report.required(f"{path}.limits", detail)
    _check_limit_names(limit, "maxLimitRequestRatio", kind, path, names, report)
    for name in sorted(names):
        values = {key: (limit.get(key) or {}).get(name) for key in (*members, "maxLimitRequestRatio")}
        _check_limit_order(name, values, path, report)


def _check_limit_names(limit: Manifest, member: str, kind: str, path: str, names: set[str], report: Report) -> None:
    for name in limit.get(member) or {}:
        known = container_name_complaints(name) if kind in ("Pod", "Container") else resource_name_complaints(name)
        report.invalid_all(f"{path}.{member}[{name}]", name, known)
        names.add(name)


def _check_limit_order(name: str, values: dict[str, str | None], path: str, report: Report) -> None:
    low, high, asked, given = (values.get(key) for key in ("min", "max", "defaultRequest", "default"))
    orders = (
        ("min", low, high, low, "min value {} is greater than max value {}"),
        ("defaultRequest", low, asked, asked, "min value {} is greater than default request value {}"),
        ("defaultRequest", asked, high, asked, "default request value {} is greater than max value {}"),
        ("defaultRequest", asked, given, asked, "default request value {} is greater than default limit value {}"),
        ("default", low, given, low, "min value {} is greater than default value {}"),
        ("default", given, high, high, "default value {} is greater than max value {}"),
    )
    for member, smaller, larger, shown, text in orders:
        if smaller is not None and larger is not None and quantity(smaller) > quantity(larger):
            report.invalid(f"{path}.{member}[{name}]", shown, text.format(smaller, larger))
    _check_ratio(name, values, path, report)
    fixed = not is_native(name) or is_hugepages(name)
    if fixed and given is not None and asked is not None and quantity(given) != quantity(asked):
        detail = f"default value {given} must equal to defaultRequest value {asked} in {name}"
        report.invalid(f"{path}.defaultRequest[{name}]", asked, detail)


def _check_ratio(name: str, values: dict[str, str | None], path: str, report: Report) -> None:
    ratio, low, high = values.get("maxLimitRequestRatio"), values.get("min"), values.get("max")
    if ratio is None:
        return
    place = f"{path}.maxLimitRequestRatio[{name}]"
    if quantity(ratio) < 1:
        report.invalid(place, ratio, f"ratio {ratio} is less than 1")
    if low is None or high is None:
        return
    if quantity(low) == 0:
        return  # an endless ratio
    limit = Fraction(quantity(high) / quantity(low))
    if quantity(ratio) > limit:
        report.invalid(place, ratio, f"ratio {ratio} is greater than max/min = {float(limit):f}")
