"""Rules of DeviceClass, ResourceClaim, ResourceClaimTemplate and ResourceSlice."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from .empties import go_member
from .expressions import check_device_selector
from .meta import check_annotations, check_labels, check_meta
from .names import dns_label, dns_subdomain, label_value, qualified_name
from .report import Report, Word
from .volume_sources import check_driver_name

__all__ = [
    "check_attribute_name",
    "check_claim",
    "check_claim_spec",
    "check_claim_template",
    "check_device_class",
    "check_each",
    "check_set",
]

Manifest = Mapping[str, Any]
_MAXIMUM = 32
_match_identifier = re.compile("[A-Za-z_][A-Za-z0-9_]*").fullmatch
_IDENTIFIER_TEXT = (
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters "
    "or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')"
)
_CONFIG_BYTES = 10 * 1024
_TOLERATIONS = 16
_NO_REQUEST = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"


def check_device_class(manifest: Manifest, report: Report) -> None:
    """A DeviceClass."""
    check_meta(
        manifest.get("metadata") or {}, report, dns_subdomain, namespaced=False, kube_finalizers=True, prefix=False
    )
    spec = manifest.get("spec") or {}
    _check_selectors(spec.get("selectors") or (), "spec.selectors", report)
    check_each(spec.get("config") or (), "spec.config", report, _check_opaque)
    name = spec.get("extendedResourceName")
    if name is not None:
        from .resources import is_extended

        if not is_extended(name):
            report.invalid("spec.extendedResourceName", name, "must be a valid extended resource name")


def _is_short(items: Sequence[Any], limit: int, path: str, report: Report) -> bool:
    """Whether a list is as short as it must be; one that is not is not looked into."""
    if len(items) > limit:
        report.too_many(path, len(items), limit)
    return len(items) <= limit


def check_each(
    items: Sequence[Any], path: str, report: Report, check: Callable[[Any, str, Report], None], limit: int = _MAXIMUM
) -> None:
    """Check each item of a list and the list's length."""
    if _is_short(items, limit, path, report):
        for position, item in enumerate(items):
            check(item, f"{path}[{position}]", report)


def _check_selectors(selectors: Sequence[Manifest], path: str, report: Report) -> None:
    check_each(selectors, path, report, _check_selector)


def _check_selector(selector: Manifest, path: str, report: Report) -> None:
    if selector.get("cel") is None:
        report.required(f"{path}.cel")
        return
    text = selector["cel"].get("expression") or ""
    if len(text.encode()) > _CONFIG_BYTES:
        report.too_long(f"{path}.cel.expression", _CONFIG_BYTES)
    else:
        check_device_selector(text, f"{path}.cel.expression", report)


def _check_opaque(config: Manifest, path: str, report: Report) -> None:
    opaque = config.get("opaque")
    if opaque is None:
        report.required(f"{path}.opaque")
        return
    check_driver_name(opaque.get("driver") or "", f"{path}.opaque.driver", report)
    parameters = opaque.get("parameters")
    place = f"{path}.opaque.parameters"
    if parameters is None:
        report.required(place)
    elif len(json.dumps(parameters, separators=(",", ":"), ensure_ascii=False).encode()) > _CONFIG_BYTES:
        report.too_long(place, _CONFIG_BYTES)
    elif not isinstance(parameters, dict):
        report.invalid(place, "<value omitted>", "must be a valid JSON object")


def check_claim(manifest: Manifest, report: Report) -> None:
    """A ResourceClaim."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, kube_finalizers=True)
    check_claim_spec(manifest.get("spec") or {}, "spec", report)


def check_claim_template(manifest: Manifest, report: Report) -> None:
    """A ResourceClaimTemplate."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, kube_finalizers=True)
    spec = manifest.get("spec") or {}
    meta = spec.get("metadata") or {}
    check_annotations(meta.get("annotations"), "spec.metadata.annotations", report)
    check_labels(meta.get("labels"), "spec.metadata.labels", report)
    for member in sorted(meta):
        if member not in ("annotations", "labels") and meta[member]:
            report.forbidden(f"spec.metadata.{go_member(member)}", "cannot be set")
    check_claim_spec(spec.get("spec") or {}, "spec.spec", report)


def check_claim_spec(spec: Manifest, path: str, report: Report) -> None:
    """What devices are asked for, and under which constraints."""
    devices = spec.get("devices") or {}
    requests = devices.get("requests") or ()
    names: dict[str, set[str]] = {
        request.get("name") or "": {part.get("name") or "" for part in request.get("firstAvailable") or ()}
        for request in requests
    }
    place = f"{path}.devices.requests"
    check_set(requests, place, report, _check_request, lambda request: request.get("name") or "")

    def check_constraint(constraint: Manifest, where: str, inner: Report) -> None:
        _check_constraint(constraint, names, where, inner)

    def check_config(config: Manifest, where: str, inner: Report) -> None:
        _check_references(config.get("requests") or (), names, f"{where}.requests", inner)
        _check_opaque(config, where, inner)

    check_each(devices.get("constraints") or (), f"{path}.devices.constraints", report, check_constraint)
    check_each(devices.get("config") or (), f"{path}.devices.config", report, check_config)


def check_set(
    items: Sequence[Any],
    path: str,
    report: Report,
    check: Callable[[Any, str, Report], None],
    key: Callable[[Any], str],
    limit: int = _MAXIMUM,
) -> None:
    """Check each item of a list, that no key occurs twice, and the list's length."""
    check_each(items, path, report, check, limit)
    seen: set[str] = set()
    for position, item in enumerate(items if len(items) <= limit else ()):
        if key(item) in seen:
            report.duplicate(f"{path}[{position}]", key(item))
        seen.add(key(item))


def _check_request(request: Manifest, path: str, report: Report) -> None:
    name = request.get("name") or ""
    report.invalid_all(f"{path}.name", name, dns_label(name))
    exactly, available = request.get("exactly"), request.get("firstAvailable") or ()
    if (exactly is None) == (not available):
        both = "exactly one of `exactly` or `firstAvailable` is required"
        if exactly is None:
            report.required(path, both)
        else:
            report.invalid(path, None, f"{both}, but multiple fields are set")
    elif exactly is not None:
        _check_exact(exactly, f"{path}.exactly", report)
    else:
        place = f"{path}.firstAvailable"
        check_set(available, place, report, _check_alternative, lambda part: part.get("name") or "", 8)


def _check_alternative(request: Manifest, path: str, report: Report) -> None:
    name = request.get("name") or ""
    report.invalid_all(f"{path}.name", name, dns_label(name))
    _check_exact(request, path, report)


def _check_exact(request: Manifest, path: str, report: Report) -> None:
    name, mode = request.get("deviceClassName") or "", request.get("allocationMode") or ""
    count = request.get("count") or 0
    if not name:
        report.required(f"{path}.deviceClassName")
    else:
        report.invalid_all(f"{path}.deviceClassName", name, dns_subdomain(name))
    _check_selectors(request.get("selectors") or (), f"{path}.selectors", report)
    if mode == "All":
        if count:
            report.invalid(f"{path}.count", count, "must not be specified when allocationMode is 'All'")
    elif mode == "ExactCount":
        if count <= 0:
            report.invalid(f"{path}.count", count, "must be greater than zero")
    else:
        report.unsupported(f"{path}.allocationMode", mode, ("All", "ExactCount"))
    check_each(request.get("tolerations") or (), f"{path}.tolerations", report, _check_toleration, _TOLERATIONS)


def _check_toleration(toleration: Manifest, path: str, report: Report) -> None:
    key, operator = toleration.get("key") or "", toleration.get("operator") or ""
    value, effect = toleration.get("value") or "", toleration.get("effect") or ""
    if key:
        report.invalid_all(f"{path}.key", key, qualified_name(key))
    if operator == "Exists":
        if value:
            report.invalid(f"{path}.value", value, "must be empty for operator `Exists`")
    elif operator == "Equal":
        report.invalid_all(f"{path}.value", value, label_value(value))
    else:
        report.required_choice(f"{path}.operator", operator, ("Equal", "Exists"))
    if effect:
        report.choice(f"{path}.effect", effect, ("NoExecute", "NoSchedule", "None"))


def _check_constraint(constraint: Manifest, names: Mapping[str, set[str]], path: str, report: Report) -> None:
    _check_references(constraint.get("requests") or (), names, f"{path}.requests", report)
    for member in ("matchAttribute", "distinctAttribute"):
        if (name := constraint.get(member)) is not None:
            _check_full_name(name, f"{path}.{member}", report)
            return
    detail = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'
    report.required(path, detail)


def _check_full_name(name: str, path: str, report: Report) -> None:
    check_attribute_name(name, path, report)
    if "/" not in name:
        report.invalid(path, Word(name), "a fully qualified name must be a domain and a name separated by a slash")


def check_attribute_name(name: str, path: str, report: Report) -> None:
    """The name of an attribute or capacity of a device, with or without the driver in front."""
    parts = name.split("/")
    if len(parts) == 2:
        if not parts[0]:
            report.invalid(path, "", "the domain must not be empty")
        else:
            check_driver_name(parts[0], path, report)
        if not parts[1]:
            report.invalid(path, "", "the name must not be empty")
            return
    if len(parts) > 2:
        return
    identifier = parts[-1]
    if len(identifier.encode()) > 32:
        report.too_long(path, 32)
    if not _match_identifier(identifier):
        report.invalid(path, identifier, _IDENTIFIER_TEXT)


def _check_references(
    references: Sequence[str], names: Mapping[str, Collection[str]], path: str, report: Report
) -> None:
    def check_reference(reference: str, place: str, inner: Report) -> None:
        parts = reference.split("/")
        if len(parts) <= 2:
            for part in parts:
                inner.invalid_all(place, part, dns_label(part))
            if parts[0] in names and (len(parts) == 1 or parts[1] in names[parts[0]]):
                return
        inner.invalid(place, reference, _NO_REQUEST)

    check_set(references, path, report, check_reference, lambda reference: reference)
