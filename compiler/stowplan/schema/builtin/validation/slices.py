"""Rules of ResourceSlice: the devices a driver announces."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .devices import check_attribute_name, check_set, check_size
from .meta import check_meta
from .names import dns_label, dns_subdomain, label_value, qualified_name
from .quantities import quantity
from .report import Report, Struct
from .selectors import check_node_selector
from .volume_sources import check_driver_name

__all__ = ["check_slice"]

Manifest = Mapping[str, Any]
_SELECTIONS = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
_DEVICE_SELECTIONS = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required"
_NOT_PER_DEVICE = (
    "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the "
    "ResourceSlice spec"
)
_ONE_VALUE = "exactly one value must be specified"
_VALUES = ("int", "bool", "string", "version")
_NUMBER = r"(0|[1-9]\d*)"
_PRE = r"(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)"
_match_semver = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(-{_PRE}(\.{_PRE})*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?", re.ASCII
).fullmatch
_MAXIMUM_VALUE_BYTES = 64


def check_slice(manifest: Manifest, report: Report) -> None:
    """A ResourceSlice."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, namespaced=False, kube_finalizers=True)
    spec = manifest.get("spec") or {}
    check_driver_name(spec.get("driver") or "", "spec.driver", report)
    _check_pool(spec.get("pool") or {}, report)
    _check_selection(spec, "spec", _SELECTIONS, report)
    counters, devices = spec.get("sharedCounters") or (), spec.get("devices") or ()
    if counters and "devices" in spec:
        report.invalid("spec", "", "only one of `sharedCounters` or `devices` is allowed")
    per_device = bool(spec.get("perDeviceNodeSelection"))

    def check_device(device: Manifest, path: str, inner: Report) -> None:
        _check_device(device, per_device, path, inner)

    check_set(devices, "spec.devices", report, check_device, lambda device: device.get("name") or "", 128)
    check_set(counters, "spec.sharedCounters", report, _check_counters, lambda entry: entry.get("name") or "", 8)


def _check_pool(pool: Manifest, report: Report) -> None:
    name = pool.get("name") or ""
    if not name:
        report.required("spec.pool.name")
    else:
        if len(name.encode()) > 253:
            report.too_long("spec.pool.name", 253)
        for part in name.split("/"):
            report.invalid_all("spec.pool.name", part, dns_subdomain(part))
    count, generation = pool.get("resourceSliceCount") or 0, pool.get("generation") or 0
    if count <= 0:
        report.invalid("spec.pool.resourceSliceCount", count, "must be greater than zero")
    if generation < 0:
        report.invalid("spec.pool.generation", generation, "must be greater than or equal to zero")


def _check_selection(holder: Manifest, path: str, wanted: str, report: Report) -> None:
    chosen: list[str] = []
    node, selector = holder.get("nodeName"), holder.get("nodeSelector")
    if node is not None:
        if node == "":
            report.invalid(f"{path}.nodeName", node, "must be either unset or set to a non-empty string")
        else:
            chosen.append("nodeName")
            report.invalid_all(f"{path}.nodeName", node, dns_subdomain(node))
    if selector is not None:
        chosen.append("nodeSelector")
        place = f"{path}.nodeSelector"
        check_node_selector(selector, place, report)
        terms = selector.get("nodeSelectorTerms")
        if len(terms or ()) != 1:
            report.invalid(f"{place}.nodeSelectorTerms", terms, "must have exactly one node selector term")
    for member in ("allNodes", "perDeviceNodeSelection"):
        flag = holder.get(member)
        if flag is False:
            report.invalid(f"{path}.{member}", False, "must be either unset or set to true")
        elif flag:
            chosen.append(member)
    if not chosen:
        report.required(path, wanted)
    elif len(chosen) > 1:
        shown = "{" + ", ".join(f"`{member}`" for member in chosen) + "}"
        report.invalid(path, shown, f"{wanted}, but multiple fields are set")


def _check_device(device: Manifest, per_device: bool, path: str, report: Report) -> None:
    name = device.get("name") or ""
    report.invalid_all(f"{path}.name", name, dns_label(name))
    for key, attribute in (device.get("attributes") or {}).items():
        check_attribute_name(key, f"{path}.attributes", report)
        _check_attribute(attribute or {}, f"{path}.attributes[{key}]", report)
    many = bool(device.get("allowMultipleAllocations"))
    for key, capacity in (device.get("capacity") or {}).items():
        check_attribute_name(key, f"{path}.capacity", report)
        _check_capacity(capacity or {}, many, f"{path}.capacity[{key}]", report)
    taints = device.get("taints") or ()
    check_size(taints, 16, f"{path}.taints", report)
    for position, taint in enumerate(taints):
        _check_taint(taint, f"{path}.taints[{position}]", report)
    consumed = device.get("consumesCounters") or ()
    place = f"{path}.consumesCounters"
    check_set(consumed, place, report, _check_consumed, lambda entry: entry.get("counterSet") or "", 2)
    selected = any(device.get(member) is not None for member in ("nodeName", "nodeSelector", "allNodes"))
    if per_device:
        _check_selection(device, path, _DEVICE_SELECTIONS, report)
    elif selected:
        report.invalid(path, None, _NOT_PER_DEVICE)


def _check_attribute(attribute: Manifest, path: str, report: Report) -> None:
    given = [member for member in _VALUES if attribute.get(member) is not None]
    text, version = attribute.get("string"), attribute.get("version")
    if text is not None and len(text.encode()) > _MAXIMUM_VALUE_BYTES:
        report.too_long(f"{path}.string", _MAXIMUM_VALUE_BYTES)
    if version is not None:
        if not _match_semver(version):
            detail = "must be a string compatible with semver.org spec 2.0.0"
            report.invalid(f"{path}.version", version, detail)
        if len(version.encode()) > _MAXIMUM_VALUE_BYTES:
            report.too_long(f"{path}.version", _MAXIMUM_VALUE_BYTES)
    if not given:
        report.invalid(path, "", _ONE_VALUE)
    elif len(given) > 1:
        value = Struct({f"{member.capitalize()}Value": attribute.get(member) for member in _VALUES})
        value.update({f"{member.capitalize()}Values": None for member in _VALUES})
        report.invalid(path, value, _ONE_VALUE)


def _check_capacity(capacity: Manifest, many: bool, path: str, report: Report) -> None:
    policy = capacity.get("requestPolicy")
    if policy is None:
        return
    place = f"{path}.requestPolicy"
    if not many:
        report.forbidden(place, "allowMultipleAllocations must be true")
        return
    default, values, between = policy.get("default"), policy.get("validValues") or (), policy.get("validRange")
    if values and between is not None:
        report.forbidden(place, "exactly one policy can be specified, cannot specify `validValues` and `validRange`")
    if default is None and (values or between is not None):
        member = "validValues" if values else "validRange"
        report.required(f"{place}.default", f"required when {member} is defined")
        return
    if values and quantity(default) not in [quantity(value) for value in values]:
        report.invalid(f"{place}.validValues", default, "default must be one of the valid values")
    if between is not None:
        _check_range(between, default, capacity.get("value"), f"{place}.validRange", report)


def _check_range(between: Manifest, default: str | None, value: str | None, path: str, report: Report) -> None:
    low, high = between.get("min"), between.get("max")
    if low is None:
        report.required(f"{path}.min", "required when validRange is defined")
        return
    if quantity(default) < quantity(low):
        report.invalid(f"{path}.min", default, f"default is less than min: {low}")
    if high is not None:
        if quantity(low) > quantity(high):
            report.invalid(f"{path}.max", high, f"min is larger than max: {low}")
        if quantity(default) > quantity(high):
            report.invalid(f"{path}.max", default, f"default is larger than max: {high}")
    if quantity(low) > quantity(value):
        report.invalid(f"{path}.min", low, f"min is larger than capacity value: {value}")
    step = between.get("step")
    if step is not None:
        if quantity(step) == 0:
            report.invalid(f"{path}.step", step, "must not be zero")
        elif (quantity(default) - quantity(low)) % quantity(step):
            report.invalid(f"{path}.step", default, f"default is not a multiple of a given step: {step}")


def _check_taint(taint: Manifest, path: str, report: Report) -> None:
    key, value = taint.get("key") or "", taint.get("value") or ""
    report.invalid_all(f"{path}.key", key, qualified_name(key))
    if value:
        report.invalid_all(f"{path}.value", value, label_value(value))
    effects = ("NoExecute", "NoSchedule", "None")
    report.required_choice(f"{path}.effect", taint.get("effect"), effects)


def _check_consumed(entry: Manifest, path: str, report: Report) -> None:
    name = entry.get("counterSet") or ""
    if not name:
        report.required(f"{path}.counterSet")
    else:
        report.invalid_all(f"{path}.counterSet", name, dns_label(name))
    _check_counter_names(entry.get("counters") or {}, path, report)


def _check_counters(entry: Manifest, path: str, report: Report) -> None:
    name = entry.get("name") or ""
    if not name:
        report.required(f"{path}.name")
    else:
        report.invalid_all(f"{path}.name", name, dns_label(name))
    _check_counter_names(entry.get("counters") or {}, path, report)


def _check_counter_names(counters: Mapping[str, Any], path: str, report: Report) -> None:
    if not counters:
        report.required(f"{path}.counters")
    for name in counters:
        report.invalid_all(f"{path}.counters", name, dns_label(name))
