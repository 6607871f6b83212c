"""Rules of PersistentVolume, PersistentVolumeClaim, StorageClass, CSIDriver and VolumeAttributesClass."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any

from .claims import VOLUME_MODES, check_access_modes, check_claim_spec
from .meta import check_meta
from .names import dns_subdomain, qualified_name
from .quantities import quantity, whole
from .report import Report
from .selectors import check_node_selector
from .volume_sources import PERSISTENT_CHECKS

__all__ = [
    "check_attributes_class",
    "check_claim",
    "check_csi_driver",
    "check_storage_class",
    "check_volume",
]

Manifest = Mapping[str, Any]
_ONE = "may not specify more than 1 volume type"
_SHOWN = {"gcePersistentDisk": "persistentDisk"}
_SHOWN_TWICE = {"cephfs": "cephFS"}
_RECLAIM = ("Delete", "Recycle", "Retain")
_PARAMETER_BYTES = 256 * 1024


def check_claim(manifest: Manifest, report: Report) -> None:
    """A PersistentVolumeClaim."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, kube_finalizers=True)
    check_claim_spec(manifest.get("spec") or {}, "spec", report)


def check_volume(manifest: Manifest, report: Report) -> None:
    """A PersistentVolume."""
    meta, spec = manifest.get("metadata") or {}, manifest.get("spec") or {}
    check_meta(meta, report, dns_subdomain, namespaced=False, kube_finalizers=True)
    modes = spec.get("accessModes") or ()
    if not modes:
        report.required("spec.accessModes")
    check_access_modes(modes, "spec.accessModes", report)
    _check_capacity(spec, report)
    if policy := spec.get("persistentVolumeReclaimPolicy"):
        report.choice("spec.persistentVolumeReclaimPolicy", policy, _RECLAIM)
    if (affinity := spec.get("nodeAffinity")) is not None:
        if affinity.get("required") is None:
            report.required("spec.nodeAffinity.required", "must specify required node constraints")
        else:
            check_node_selector(affinity["required"], "spec.nodeAffinity.required", report)
    _check_sources(spec, meta.get("name") or "", report)
    _check_classes(spec, report)


def _check_capacity(spec: Manifest, report: Report) -> None:
    capacity: Mapping[str, str] = spec.get("capacity") or {}
    if not capacity:
        report.required("spec.capacity")
    if "storage" not in capacity or len(capacity) > 1:
        report.unsupported("spec.capacity", dict(capacity) if spec.get("capacity") else None, ("storage",))
    for name, amount in capacity.items():
        if whole(amount) < 0:
            report.invalid(f"spec.capacity[{name}]", whole(amount), "must be a valid resource quantity")
        if quantity(amount) <= 0:
            report.invalid(f"spec.capacity[{name}]", amount, "must be greater than zero")


def _check_sources(spec: Manifest, name: str, report: Report) -> None:
    found = False
    for member, check in PERSISTENT_CHECKS.items():
        source = spec.get(member)
        if source is None:
            continue
        if found and member != "flexVolume":
            report.forbidden(f"spec.{_SHOWN_TWICE.get(member, member)}", _ONE)
            continue
        found = True
        place = f"spec.{_SHOWN.get(member, member)}"
        if member == "iscsi":
            _check_portal(source, name, place, report)
        check(source, place, report)
        if member == "local" and spec.get("nodeAffinity") is None:
            report.required("spec.nodeAffinity", "Local volume requires node affinity")
    if not found:
        report.required("spec", "must specify a volume type")


def _check_portal(source: Manifest, name: str, path: str, report: Report) -> None:
    portal = source.get("targetPortal") or ""
    if source.get("initiatorName") is not None and len(f"{name}:{portal}") > 64:
        detail = (
            "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters "
            "if iscsi.initiatorName is specified."
        )
        report.invalid(f"{path}.targetportal", portal, detail)


def _check_classes(spec: Manifest, report: Report) -> None:
    host = spec.get("hostPath")
    recycled = spec.get("persistentVolumeReclaimPolicy") == "Recycle"
    if host is not None and recycled and posixpath.normpath(host.get("path") or ".") in ("/", "//"):
        detail = "may not be 'recycle' for a hostPath mount of '/'"
        report.forbidden("spec.persistentVolumeReclaimPolicy", detail)
    if name := spec.get("storageClassName"):
        report.invalid_all("spec.storageClassName", name, dns_subdomain(name))
    if spec.get("volumeMode") is not None:
        report.choice("spec.volumeMode", spec["volumeMode"], VOLUME_MODES)
    attributes = spec.get("volumeAttributesClassName")
    if attributes is None:
        return
    if not attributes:
        report.required("spec.volumeAttributesClassName", "an empty string is disallowed")
    else:
        report.invalid_all("spec.volumeAttributesClassName", attributes, dns_subdomain(attributes))
    if spec.get("csi") is None:
        report.required("spec.csi", "has to be specified when using volumeAttributesClassName")


def check_storage_class(manifest: Manifest, report: Report) -> None:
    """A StorageClass."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, namespaced=False, kube_finalizers=True)
    provisioner = manifest.get("provisioner") or ""
    if not provisioner:
        report.required("provisioner")
    else:
        report.invalid_all("provisioner", provisioner.lower(), qualified_name(provisioner.lower()))
    _check_parameters(manifest, report, required=False)
    if policy := manifest.get("reclaimPolicy"):
        report.choice("reclaimPolicy", policy, ("Delete", "Retain"))
    mode = manifest.get("volumeBindingMode")
    if mode is None:
        report.required("volumeBindingMode")
    else:
        report.choice("volumeBindingMode", mode, ("Immediate", "WaitForFirstConsumer"))
    _check_topologies(manifest, report)


def _check_parameters(manifest: Manifest, report: Report, *, required: bool) -> None:
    parameters: Mapping[str, str] = manifest.get("parameters") or {}
    if len(parameters) > 512:
        report.too_long("Provisioner Parameters", 512)
    size = 0
    for key, value in parameters.items():
        if not key:
            report.invalid("parameters", key, "field can not be empty.")
        size += len(key.encode()) + len((value or "").encode())
    if size > _PARAMETER_BYTES:
        report.too_long("parameters", _PARAMETER_BYTES)
    if required and not parameters:
        report.required("parameters", "must contain at least one key/value pair")


def _check_topologies(manifest: Manifest, report: Report) -> None:
    topologies = manifest.get("allowedTopologies") or ()
    raw: list[dict[str, frozenset[str]]] = [{} for _ in topologies]
    for position, term in enumerate(topologies):
        path = f"allowedTopologies[{position}].matchLabelExpressions"
        keys: dict[str, frozenset[str]] = {}
        for index, requirement in enumerate(term.get("matchLabelExpressions") or ()):
            place = f"{path}[{index}]"
            key, values = requirement.get("key") or "", requirement.get("values") or ()
            if not values:
                report.required(f"{place}.values")
            for order, value in enumerate(values):
                if value in values[:order]:
                    report.duplicate(f"{place}.values[{order}]", value)
            report.invalid_all(f"{place}.key", key, qualified_name(key))
            if key in keys:
                report.duplicate(f"{place}.key", key)
            keys[key] = frozenset(values)
        for _ in range(raw.count(keys)):
            report.duplicate(path, "")
        raw.append(keys)


def check_csi_driver(manifest: Manifest, report: Report) -> None:
    """A CSIDriver."""
    meta, spec = manifest.get("metadata") or {}, manifest.get("spec") or {}
    check_meta(meta, report, dns_subdomain, namespaced=False, kube_finalizers=True)
    check_csi_driver_spec(spec, report)


def check_csi_driver_spec(spec: Manifest, report: Report) -> None:
    """What a CSI driver can do and wants."""
    for member in ("attachRequired", "podInfoOnMount", "storageCapacity"):
        if spec.get(member) is None:
            report.required(f"spec.{'attachedRequired' if member == 'attachRequired' else member}")
    if (policy := spec.get("fsGroupPolicy")) is not None:
        supported = ("File", "None", "ReadWriteOnceWithFSType")
        report.choice("spec.fsGroupPolicy", policy, supported)
    audiences: set[str] = set()
    for position, request in enumerate(spec.get("tokenRequests") or ()):
        place = f"spec.tokenRequests[{position}]"
        audience, seconds = request.get("audience") or "", request.get("expirationSeconds")
        if audience in audiences:
            report.duplicate(f"{place}.audience", audience)
        audiences.add(audience)
        if seconds is not None and seconds < 600:
            report.invalid(f"{place}.expirationSeconds", seconds, "may not specify a duration less than 10 minutes")
        if seconds is not None and seconds > 1 << 32:
            detail = "may not specify a duration larger than 2^32 seconds"
            report.invalid(f"{place}.expirationSeconds", seconds, detail)
    for mode in spec.get("volumeLifecycleModes") or ():
        report.choice("spec.volumeLifecycleModes", mode, ("Persistent", "Ephemeral"))
    _check_driver_rest(spec, report)


def _check_driver_rest(spec: Manifest, report: Report) -> None:
    if spec.get("seLinuxMount") is None:
        report.required("spec.seLinuxMount")
    period = spec.get("nodeAllocatableUpdatePeriodSeconds")
    if period is not None and period < 10:
        detail = "must be greater than or equal to 10 seconds"
        report.invalid("spec.nodeAllocatableUpdatePeriodSeconds", period, detail)
    in_secrets = spec.get("serviceAccountTokenInSecrets")
    if in_secrets is not None and not spec.get("tokenRequests"):
        detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified"
        report.invalid("spec.serviceAccountTokenInSecrets", in_secrets, detail)


def check_attributes_class(manifest: Manifest, report: Report) -> None:
    """A VolumeAttributesClass."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, namespaced=False, kube_finalizers=True)
    driver = manifest.get("driverName") or ""
    if not driver:
        report.required("driverName")
    else:
        report.invalid_all("driverName", driver.lower(), qualified_name(driver.lower()))
    _check_parameters(manifest, report, required=True)
