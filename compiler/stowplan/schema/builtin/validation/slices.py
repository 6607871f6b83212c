"""Rules of ResourceSlice: the devices a driver announces (their capacities: `capacities`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .capacities import check_capacity
from .devices import check_attribute_name, check_each, check_set
from .meta import check_meta
from .names import dns_label, dns_subdomain, label_value, qualified_name
from .quantities import quantity
from .report import Report, Struct
from .resources import is_native
from .selectors import check_node_selector, shown_terms
from .volume_sources import check_driver_name

__all__ = ["check_slice"]

Manifest = Mapping[str, Any]
_SELECTIONS = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
_DEVICE_SELECTIONS = (
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in "
    "the ResourceSlice spec"
)
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
_MAXIMUM_FACTS = 32
_MAXIMUM_COUNTERS = 32
_BINDING = ("bindingConditions", "bindingFailureConditions")


def check_slice(manifest: Manifest, report: Report) -> None:
    """A ResourceSlice."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, namespaced=False, kube_finalizers=True)
    spec = manifest.get("spec") or {}
    check_driver_name(spec.get("driver") or "", "spec.driver", report)
    _check_pool(spec.get("pool") or {}, report)
    _check_selection(spec, report)
    counters, devices = spec.get("sharedCounters") or (), spec.get("devices") or ()
    if counters and "devices" in spec:
        report.invalid("spec", "", "only one of `sharedCounters` or `devices` is allowed")
    per_device = bool(spec.get("perDeviceNodeSelection"))

    def check_device(device: Manifest, path: str, inner: Report) -> None:
        _check_device(device, per_device, path, inner)

    advanced = any(device.get("taints") or device.get("consumesCounters") for device in devices)
    limit = 64 if advanced else 128
    check_set(devices, "spec.devices", report, check_device, lambda device: device.get("name") or "", limit)
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


def _check_node_name(holder: Manifest, path: str, refusal: str, report: Report) -> bool:
    """Whether a node is named."""
    node = holder.get("nodeName")
    if node == "":
        report.invalid(f"{path}.nodeName", node, refusal)
    elif node is not None:
        report.invalid_all(f"{path}.nodeName", node, dns_subdomain(node))
    return bool(node)


def _check_flag(holder: Manifest, member: str, path: str, report: Report) -> bool:
    """Whether a flag is raised; it may be absent, but not down."""
    flag = holder.get(member)
    if flag is False:
        report.invalid(f"{path}.{member}", False, "must be either unset or set to true")
    return bool(flag)


def _check_choice(chosen: Mapping[str, bool], path: str, wanted: str, extra: str, report: Report) -> None:
    names = [f"`{member}`" for member, given in chosen.items() if given]
    if not names:
        report.required(path, wanted)
    elif len(names) > 1:
        report.invalid(path, "{" + ", ".join(names) + "}", wanted + extra)


def _check_selection(spec: Manifest, report: Report) -> None:
    """Where the devices of a slice are."""
    chosen = {"nodeName": _check_node_name(spec, "spec", "must be either unset or set to a non-empty string", report)}
    selector = spec.get("nodeSelector")
    chosen["nodeSelector"] = selector is not None
    if selector is not None:
        check_node_selector(selector, "spec.nodeSelector", report)
        terms = selector.get("nodeSelectorTerms")
        if len(terms or ()) != 1:
            detail = "must have exactly one node selector term"
            report.invalid("spec.nodeSelector.nodeSelectorTerms", shown_terms(terms), detail)
    for member in ("allNodes", "perDeviceNodeSelection"):
        chosen[member] = _check_flag(spec, member, "spec", report)
    _check_choice(chosen, "spec", _SELECTIONS, ", but multiple fields are set", report)


def _check_device_selection(device: Manifest, path: str, report: Report) -> None:
    """Where one device is, when each says so itself."""
    selector = device.get("nodeSelector")
    chosen = {
        "nodeName": _check_node_name(device, path, "must not be empty", report),
        "nodeSelector": selector is not None,
    }
    if selector is not None:
        check_node_selector(selector, f"{path}.nodeSelector", report)
    chosen["allNodes"] = _check_flag(device, "allNodes", path, report)
    _check_choice(chosen, path, _DEVICE_SELECTIONS, "", report)


def _check_device(device: Manifest, per_device: bool, path: str, report: Report) -> None:
    name = device.get("name") or ""
    report.invalid_all(f"{path}.name", name, dns_label(name))
    attributes, capacities = device.get("attributes") or {}, device.get("capacity") or {}
    if len(attributes) + len(capacities) > _MAXIMUM_FACTS:
        detail = f"the total number of attributes and capacities must not exceed {_MAXIMUM_FACTS}"
        report.invalid(path, len(attributes) + len(capacities), detail)
    for key, attribute in attributes.items():
        check_attribute_name(key, f"{path}.attributes", report)
        _check_attribute(attribute or {}, f"{path}.attributes[{key}]", report)
    many = bool(device.get("allowMultipleAllocations"))
    for key, capacity in capacities.items():
        check_attribute_name(key, f"{path}.capacity", report)
        check_capacity(capacity or {}, many, f"{path}.capacity[{key}]", report)
    check_each(device.get("taints") or (), f"{path}.taints", report, _check_taint, 16)
    consumed = device.get("consumesCounters") or ()
    place = f"{path}.consumesCounters"
    check_set(consumed, place, report, _check_consumed, lambda entry: entry.get("counterSet") or "", 2)
    selected = any(device.get(member) is not None for member in ("nodeName", "nodeSelector", "allNodes"))
    if per_device:
        _check_device_selection(device, path, report)
    elif selected:
        report.invalid(path, None, _NOT_PER_DEVICE)
    _check_binding(device, path, report)
    for resource, mapping in (device.get("nodeAllocatableResourceMappings") or {}).items():
        place = f"{path}.nodeAllocatableResourceMappings[{resource}]"
        _check_mapping(resource, mapping or {}, capacities, place, report)


def _check_binding(device: Manifest, path: str, report: Report) -> None:
    """The conditions that a device waits for: both kinds or none, none twice."""

    def check_name(name: str, place: str, inner: Report) -> None:
        inner.invalid_all(place, name, qualified_name(name))

    given = {member: device.get(member) or () for member in _BINDING}
    for member, names in given.items():
        check_each(names, f"{path}.{member}", report, check_name, 4)
    good, bad = given.values()
    for member, names in given.items():
        for position, name in enumerate(names):
            place = f"{path}.{member}[{position}]"
            if name in names[:position]:
                report.duplicate(place, name)
            if names is bad and name in good:
                report.invalid(place, name, "bindingFailureConditions must not overlap with bindingConditions")
    for member, other in (_BINDING, _BINDING[::-1]):
        if given[other] and not given[member]:
            report.invalid(f"{path}.{member}", device.get(member), f"{member} are required to use {other}")


def _check_mapping(resource: str, mapping: Manifest, capacities: Mapping[str, Any], path: str, report: Report) -> None:
    """How a device's capacity counts for a resource of its node."""
    if not is_native(resource):
        report.invalid(path, resource, "must be a node allocatable resource name")
    multiplier, key = mapping.get("allocationMultiplier"), mapping.get("capacityKey")
    if multiplier is None and key is None:
        report.invalid(path, "", "at least one of allocationMultiplier or capacityKey must be set")
    if multiplier is not None and quantity(multiplier) <= 0:
        report.invalid(f"{path}.allocationMultiplier", multiplier, "must be positive")
    if key == "":
        report.invalid(f"{path}.capacityKey", "", "capacityKey must not be an empty string")
    elif key is not None and key not in capacities:
        report.not_found(f"{path}.capacityKey", key)


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
    elif len(counters) > _MAXIMUM_COUNTERS:
        report.too_many(f"{path}.counters", len(counters), _MAXIMUM_COUNTERS)
        return
    for name in counters:
        report.invalid_all(f"{path}.counters", name, dns_label(name))
