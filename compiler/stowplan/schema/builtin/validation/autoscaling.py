"""Rules of HorizontalPodAutoscaler (both versions) and PodDisruptionBudget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .meta import check_meta
from .names import dns_label, dns_subdomain, path_segment
from .percentages import check_at_most_all, check_number_or_percent
from .quantities import quantity
from .report import Report, Struct
from .resources import container_name_complaints
from .selectors import check_label_selector, shown_selector

__all__ = ["check_autoscaler", "check_disruption_budget"]

Manifest = Mapping[str, Any]
_SOURCES = ("object", "external", "pods", "resource", "containerResource")
_TYPES = ("ContainerResource", "External", "Object", "Pods", "Resource")
_FIELDS = {name: name[0].lower() + name[1:] for name in _TYPES}
_UTILISATION = "must set either a target raw value or a target utilization"


def check_autoscaler(manifest: Manifest, report: Report) -> None:
    """A HorizontalPodAutoscaler."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, kube_finalizers=True)
    spec = manifest.get("spec") or {}
    low, high = spec.get("minReplicas"), spec.get("maxReplicas") or 0
    if low is not None and low < 1:
        report.invalid("spec.minReplicas", low, "must be greater than or equal to 1")
    if high == 0:
        report.required("spec.maxReplicas", "must be set and greater than 0")
    elif high < 0:
        report.invalid("spec.maxReplicas", high, "must be greater than or equal to 1")
    if low is not None and high < low:
        report.invalid("spec.maxReplicas", high, "must be greater than or equal to `minReplicas`")
    _check_reference(spec.get("scaleTargetRef") or {}, "spec.scaleTargetRef", report, grouped=True)
    if manifest.get("apiVersion") == "autoscaling/v1":
        _check_old_target(spec, report)
    elif spec.get("metrics"):
        for position, metric in enumerate(spec["metrics"]):
            _check_metric(metric, f"spec.metrics[{position}]", report)
    if low == 0 and not any(metric.get("type") in ("Object", "External") for metric in spec.get("metrics") or ()):
        detail = "must specify at least one Object or External metric to support scaling to zero replicas"
        report.forbidden("spec.metrics", detail)
    behavior = spec.get("behavior")
    if behavior is not None:
        for member in ("scaleUp", "scaleDown"):
            if behavior.get(member) is not None:
                _check_rules(behavior[member], f"spec.behavior.{member}", report)


def _check_old_target(spec: Manifest, report: Report) -> None:
    percent = spec.get("targetCPUUtilizationPercentage")
    if percent is not None and percent < 1:
        place = "spec.metrics[0].resource.target.averageUtilization"
        report.invalid(place, percent, "must be greater than 0")


def _check_reference(reference: Manifest, path: str, report: Report, *, grouped: bool) -> None:
    for member in ("kind", "name"):
        value = reference.get(member) or ""
        if not value:
            report.required(f"{path}.{member}")
        else:
            report.invalid_all(f"{path}.{member}", value, path_segment(value))
    if not grouped:
        return
    version = reference.get("apiVersion") or ""
    place = f"{path}.apiVersion"
    if version.count("/") > 1:
        report.invalid(place, version, f"unexpected GroupVersion string: {version}")
    elif "/" not in version and not (version == "v1" and reference.get("kind") == "ReplicationController"):
        report.invalid(place, version, "apiVersion must specify API group")


def _check_metric(metric: Manifest, path: str, report: Report) -> None:
    kind = metric.get("type") or ""
    if not kind:
        report.required(f"{path}.type", "must specify a metric source type")
    if kind not in _TYPES:
        report.unsupported(f"{path}.type", kind, _TYPES)
        report.unsupported(f"{path}.type", kind, _TYPES)
    present: list[str] = []
    for member in _SOURCES:
        source = metric.get(member)
        if source is None:
            continue
        present.append(member)
        if len(present) == 1:
            _check_source(member, source, f"{path}.{member}", report)
    expected = _FIELDS.get(kind, "")
    if expected and expected not in present:
        report.required(f"{path}.{expected}", "must populate information for the given metric source")
    if len(present) != 1:
        for member in present:
            if member != expected:
                report.forbidden(f"{path}.{member}", "must populate the given metric source only")


def _check_source(member: str, source: Manifest, path: str, report: Report) -> None:
    if member == "object":
        _check_reference(source.get("describedObject") or {}, f"{path}.describedObject", report, grouped=False)
    if member in ("object", "external", "pods"):
        name = (source.get("metric") or {}).get("name") or ""
        if not name:
            report.required(f"{path}.metric.name", "must specify a metric name")
        else:
            report.invalid_all(f"{path}.metric.name", name, path_segment(name))
    else:
        name = source.get("name") or ""
        if not name:
            report.required(f"{path}.name", "must specify a resource name")
        elif member == "containerResource":
            report.invalid_all(f"{path}.name", name, container_name_complaints(name))
    if member == "containerResource":
        container = source.get("container") or ""
        if not container:
            report.required(f"{path}.container", "must specify a container")
        else:
            report.invalid_all(f"{path}.container", container, dns_label(container))
    target = source.get("target") or {}
    _check_target(target, f"{path}.target", report)
    _check_target_choice(member, target, f"{path}.target", report)


def _check_target(target: Manifest, path: str, report: Report) -> None:
    kind = target.get("type") or ""
    if not kind:
        report.required(f"{path}.type", "must specify a metric target type")
    if kind not in ("Utilization", "Value", "AverageValue"):
        report.invalid(f"{path}.type", kind, "must be either Utilization, Value, or AverageValue")
    for member in ("value", "averageValue"):
        if target.get(member) is not None and quantity(target[member]) <= 0:
            report.invalid(f"{path}.{member}", target[member], "must be positive")
    percent = target.get("averageUtilization")
    if percent is not None and percent < 1:
        report.invalid(f"{path}.averageUtilization", percent, "must be greater than 0")


def _check_target_choice(member: str, target: Manifest, path: str, report: Report) -> None:
    value, average, percent = (target.get(key) for key in ("value", "averageValue", "averageUtilization"))
    if member == "object":
        if value is None and average is None:
            report.required(f"{path}.averageValue", "must set either a target value or averageValue")
    elif member == "external":
        if value is None and average is None:
            detail = "must set either a target value for metric or a per-pod target"
            report.required(f"{path}.averageValue", detail)
        if value is not None and average is not None:
            detail = "may not set both a target value for metric and a per-pod target"
            report.forbidden(f"{path}.value", detail)
    elif member == "pods":
        if average is None:
            report.required(f"{path}.averageValue", "must specify a positive target averageValue")
    else:
        if percent is None and average is None:
            report.required(f"{path}.averageUtilization", _UTILISATION)
        if percent is not None and average is not None:
            detail = "may not set both a target raw value and a target utilization"
            report.forbidden(f"{path}.averageValue", detail)


def _check_rules(rules: Manifest, path: str, report: Report) -> None:
    window, tolerance = rules.get("stabilizationWindowSeconds"), rules.get("tolerance")
    if window is not None and window < 0:
        report.invalid(f"{path}.stabilizationWindowSeconds", window, "must be greater than or equal to zero")
    if window is not None and window > 3600:
        report.invalid(f"{path}.stabilizationWindowSeconds", window, "must be less than or equal to 3600")
    if rules.get("selectPolicy") is not None:
        report.choice(f"{path}.selectPolicy", rules["selectPolicy"], ("Disabled", "Max", "Min"))
    policies = rules.get("policies") or ()
    if not policies:
        report.required(f"{path}.policies", "must specify at least one Policy")
    for position, policy in enumerate(policies):
        place = f"{path}.policies[{position}]"
        report.choice(f"{place}.type", policy.get("type") or "", ("Percent", "Pods"))
        for member in ("value", "periodSeconds"):
            number = policy.get(member) or 0
            if number <= 0:
                report.invalid(f"{place}.{member}", number, "must be greater than zero")
        if (policy.get("periodSeconds") or 0) > 1800:
            period = policy["periodSeconds"]
            report.invalid(f"{place}.periodSeconds", period, "must be less than or equal to 1800")
    if tolerance is not None and quantity(tolerance) < 0:
        report.invalid(f"{path}.tolerance", tolerance, "must be greater than or equal to 0")


def check_disruption_budget(manifest: Manifest, report: Report) -> None:
    """A PodDisruptionBudget."""
    spec = manifest.get("spec") or {}
    low, high = spec.get("minAvailable"), spec.get("maxUnavailable")
    if low is not None and high is not None:
        order = ("minAvailable", "selector", "maxUnavailable", "unhealthyPodEvictionPolicy")
        value = Struct({member[0].upper() + member[1:]: spec.get(member) for member in order})
        value["Selector"] = shown_selector(spec.get("selector"))
        report.invalid("spec", value, "minAvailable and maxUnavailable cannot be both set")
    for member, number in (("minAvailable", low), ("maxUnavailable", high)):
        if number is not None:
            check_number_or_percent(number, f"spec.{member}", report)
            check_at_most_all(number, f"spec.{member}", report)
    check_label_selector(spec.get("selector"), "spec.selector", report)
    policy = spec.get("unhealthyPodEvictionPolicy")
    if policy is not None:
        report.choice("spec.unhealthyPodEvictionPolicy", policy, ("AlwaysAllow", "IfHealthyBudget"))
    if not report.errors:
        check_meta(manifest.get("metadata") or {}, report, path_segment)
