"""Rules of the volumes of a Pod."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .claims import check_claim_spec
from .environment import (
    VOLUME_FIELDS,
    check_field_reference,
    check_local_path,
    check_resource_reference,
)
from .meta import check_annotations, check_labels
from .names import dns_label, dns_subdomain
from .quantities import quantity
from .report import Report, go_quote
from .volume_sources import SOURCE_CHECKS, Source

__all__ = ["check_volumes"]

_ONE = "may not specify more than 1 volume type"
_ORDER = (
    "emptyDir",
    "hostPath",
    "gitRepo",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "secret",
    "nfs",
    "iscsi",
    "glusterfs",
    "flocker",
    "persistentVolumeClaim",
    "rbd",
    "cinder",
    "cephfs",
    "quobyte",
    "downwardAPI",
    "fc",
    "flexVolume",
    "configMap",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "storageos",
    "projected",
    "scaleIO",
    "csi",
    "ephemeral",
    "image",
)
_SHOWN = {"gcePersistentDisk": "persistentDisk"}
"""Members that the server names differently in its complaints about their contents."""
_SHOWN_TWICE = {"cephfs": "cephFS", "downwardAPI": "downwarAPI"}
"""Members that the server names differently when they come second."""
_MODE = "must be a number between 0 and 0777 (octal), both inclusive"
_TEMPLATE_META = ("annotations", "labels")
_PULL_POLICIES = ("Always", "IfNotPresent", "Never")


def check_volumes(
    volumes: Sequence[Mapping[str, Any]], pod_name: str, path: str, report: Report, *, is_pod: bool = True
) -> dict[str, Mapping[str, Any]]:
    """All volumes of a Pod, and those that are well by name; `pod_name` is empty in templates."""
    found: dict[str, Mapping[str, Any]] = {}
    for position, volume in enumerate(volumes):
        place = f"{path}[{position}]"
        name = volume.get("name") or ""
        before = len(report.errors)
        _check_sources(volume, name, pod_name, place, report, is_pod)
        if not name:
            report.required(f"{place}.name")
        else:
            complaints = dns_label(name)
            if complaints:
                report.invalid_all(f"{place}.name", name, complaints)
            if name in found:
                report.duplicate(f"{place}.name", name)
        if len(report.errors) == before:
            found[name] = volume
    return found


def _check_sources(
    volume: Mapping[str, Any], name: str, pod_name: str, path: str, report: Report, is_pod: bool
) -> None:
    found = False
    for member in _ORDER if len(volume) > 2 else volume:
        source = volume.get(member)
        if source is None or member == "name":
            continue
        if found:
            report.forbidden(f"{path}.{_SHOWN_TWICE.get(member, member)}", _ONE)
            continue
        found = True
        if member == "image" and is_pod and not source.get("reference"):
            report.required(f"{path}.image.reference")
        _check_source(member, source, f"{path}.{_SHOWN.get(member, member)}", report)
        if member == "iscsi":
            _check_portal(source, name, path, report)
        elif member == "ephemeral" and pod_name and name:
            claim = f"{pod_name}-{name}"
            for complaint in dns_subdomain(claim):
                report.invalid(f"{path}.name", name, f"PVC name {go_quote(claim)}: {complaint}")
    if not found:
        report.required(path, "must specify a volume type")


def _check_portal(source: Source, name: str, path: str, report: Report) -> None:
    if source.get("initiatorName") is not None and len(f"{name}:{source.get('targetPortal') or ''}") > 64:
        detail = (
            "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters "
            "if iscsi.initiatorName is specified."
        )
        report.invalid(f"{path}.name", name, detail)


def _check_source(member: str, source: Source, path: str, report: Report) -> None:
    check = SOURCE_CHECKS.get(member) or _OWN_CHECKS[member]
    check(source, path, report)


def _check_empty(source: Source, path: str, report: Report) -> None:
    if source.get("sizeLimit") is not None and quantity(source["sizeLimit"]) < 0:
        report.forbidden(f"{path}.sizeLimit", "SizeLimit field must be a valid resource quantity")


def _check_mode(source: Source, member: str, path: str, report: Report) -> None:
    mode = source.get(member)
    if mode is not None and not 0 <= mode <= 0o777:
        report.invalid(f"{path}.{member}", mode, _MODE)


def _check_secret(source: Source, path: str, report: Report) -> None:
    if not source.get("secretName"):
        report.required(f"{path}.secretName")
    _check_mode(source, "defaultMode", path, report)
    _check_items(source, path, report)


def _check_config_map(source: Source, path: str, report: Report) -> None:
    if not source.get("name"):
        report.required(f"{path}.name")
    _check_mode(source, "defaultMode", path, report)
    _check_items(source, path, report)


def _check_items(source: Source, path: str, report: Report) -> None:
    for position, item in enumerate(source.get("items") or ()):
        place = f"{path}.items[{position}]"
        if not item.get("key"):
            report.required(f"{place}.key")
        if not item.get("path"):
            report.required(f"{place}.path")
        check_local_path(item.get("path") or "", f"{place}.path", report)
        _check_mode(item, "mode", place, report)


def _check_downward(source: Source, path: str, report: Report) -> None:
    _check_mode(source, "defaultMode", path, report)
    for file in source.get("items") or ():
        _check_downward_file(file, path, report)


def _check_downward_file(file: Source, path: str, report: Report) -> None:
    if not file.get("path"):
        report.required(f"{path}.path")
    check_local_path(file.get("path") or "", f"{path}.path", report)
    field, resource = file.get("fieldRef"), file.get("resourceFieldRef")
    if field is not None:
        check_field_reference(field, VOLUME_FIELDS, f"{path}.fieldRef", report)
        if resource is not None:
            report.invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously")
    elif resource is not None:
        check_resource_reference(resource, f"{path}.resourceFieldRef", report, volume=True)
    else:
        report.required(path, "one of fieldRef and resourceFieldRef is required")
    _check_mode(file, "mode", path, report)


def _check_projected(source: Source, path: str, report: Report) -> None:
    _check_mode(source, "defaultMode", path, report)
    taken: set[str] = set()
    for position, part in enumerate(source.get("sources") or ()):
        place = f"{path}.sources[{position}]"
        count = 0
        for member in ("secret", "configMap"):
            if (projection := part.get(member)) is not None:
                count += 1
                if not projection.get("name"):
                    report.required(f"{place}.{member}.name")
                _check_items(projection, f"{place}.{member}", report)
                _check_taken(projection, taken, projection.get("name") or "", path, report)
        if (projection := part.get("downwardAPI")) is not None:
            count += 1
            for file in projection.get("items") or ():
                _check_downward_file(file, f"{place}.downwardAPI", report)
                _check_taken({"items": [file]}, taken, file.get("path") or "", path, report)
        if (projection := part.get("serviceAccountToken")) is not None:
            count += 1
            _check_token(projection, f"{place}.serviceAccountToken", path, report)
        if count > 1:
            report.forbidden(place, "may not specify more than 1 volume type per source")


def _check_taken(projection: Source, taken: set[str], shown: str, path: str, report: Report) -> None:
    for item in projection.get("items") or ():
        target = item.get("path") or ""
        if target and target in taken:
            report.invalid(path, shown, "conflicting duplicate paths")
        taken.add(target)


def _check_token(projection: Source, path: str, volume_path: str, report: Report) -> None:
    seconds = projection.get("expirationSeconds") or 0
    if seconds < 600:
        report.invalid(f"{path}.expirationSeconds", seconds, "may not specify a duration less than 10 minutes")
    if seconds > 1 << 32:
        detail = "may not specify a duration larger than 2^32 seconds"
        report.invalid(f"{path}.expirationSeconds", seconds, detail)
    if not projection.get("path"):
        report.required(f"{volume_path}.path")
    else:
        check_local_path(projection["path"], f"{volume_path}.path", report)


def _check_ephemeral(source: Source, path: str, report: Report) -> None:
    template = source.get("volumeClaimTemplate")
    place = f"{path}.volumeClaimTemplate"
    if template is None:
        report.required(place)
        return
    meta = template.get("metadata") or {}
    check_annotations(meta.get("annotations"), f"{place}.metadata.annotations", report)
    check_labels(meta.get("labels"), f"{place}.metadata.labels", report)
    for member in sorted(meta):
        if member not in _TEMPLATE_META and meta[member]:
            report.forbidden(f"{place}.metadata.{member}", "cannot be set")
    check_claim_spec(template.get("spec") or {}, f"{place}.spec", report)


def _check_image(source: Source, path: str, report: Report) -> None:
    report.required_choice(f"{path}.pullPolicy", source.get("pullPolicy"), _PULL_POLICIES)


_OWN_CHECKS = {
    "emptyDir": _check_empty,
    "secret": _check_secret,
    "configMap": _check_config_map,
    "downwardAPI": _check_downward,
    "projected": _check_projected,
    "ephemeral": _check_ephemeral,
    "image": _check_image,
}
