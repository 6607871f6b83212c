"""Rules of what a claim for storage asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .names import dns_label, dns_subdomain
from .quantities import quantity
from .report import Report
from .selectors import check_label_selector

__all__ = ["ACCESS_MODES", "VOLUME_MODES", "check_access_modes", "check_claim_spec"]

ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
VOLUME_MODES = ("Block", "Filesystem")
_DEFAULT_GROUP = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"


def check_access_modes(modes: Sequence[str], path: str, report: Report) -> None:
    """Access modes: known ones, and the exclusive one alone."""
    exclusive = shared = False
    for mode in modes:
        if mode not in ACCESS_MODES:
            report.unsupported(path, mode, ACCESS_MODES)
        elif mode == "ReadWriteOncePod":
            exclusive = True
        else:
            shared = True
    if exclusive and shared:
        report.forbidden(path, "may not use ReadWriteOncePod with other access modes")


def check_claim_spec(spec: Mapping[str, Any], path: str, report: Report) -> None:
    """The specification of a PersistentVolumeClaim, also inside templates."""
    modes = spec.get("accessModes") or ()
    if not modes:
        report.required(f"{path}.accessModes", "at least 1 access mode is required")
    check_label_selector(spec.get("selector"), f"{path}.selector", report)
    check_access_modes(modes, f"{path}.accessModes", report)
    requests = (spec.get("resources") or {}).get("requests") or {}
    if "storage" not in requests:
        report.required(f"{path}.resources[storage]")
    elif quantity(requests["storage"]) <= 0:
        report.invalid(f"{path}.resources[storage]", requests["storage"], "must be greater than zero")
    if spec.get("storageClassName"):
        report.invalid_all(
            f"{path}.storageClassName", spec["storageClassName"], dns_subdomain(spec["storageClassName"])
        )
    if spec.get("volumeMode") is not None:
        report.choice(f"{path}.volumeMode", spec["volumeMode"], VOLUME_MODES)
    _check_sources(spec, path, report)
    attributes = spec.get("volumeAttributesClassName")
    if attributes:
        report.invalid_all(f"{path}.volumeAttributesClassName", attributes, dns_subdomain(attributes))


def _check_sources(spec: Mapping[str, Any], path: str, report: Report) -> None:
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if source is not None:
        _check_source(source, f"{path}.dataSource", report)
    if reference is not None:
        _check_source(reference, f"{path}.dataSourceRef", report)
        if reference.get("namespace"):
            place = f"{path}.dataSourceRef.namespace"
            report.invalid_all(place, reference["namespace"], dns_label(reference["namespace"]))
    if source is None or reference is None:
        return
    if reference.get("namespace"):
        report.invalid(path, {}, "may not be specified when dataSourceRef.namespace is specified")
    elif any(source.get(member) != reference.get(member) for member in ("apiGroup", "kind", "name")):
        report.invalid(path, {}, "must match dataSourceRef")


def _check_source(source: Mapping[str, Any], path: str, report: Report) -> None:
    for member in ("name", "kind"):
        if not source.get(member):
            report.required(f"{path}.{member}")
    group = source.get("apiGroup") or ""
    if not group and source.get("kind") != "PersistentVolumeClaim":
        report.invalid(path, source.get("kind") or "", _DEFAULT_GROUP)
    if group:
        report.invalid_all(f"{path}.apiGroup", group, dns_subdomain(group))
