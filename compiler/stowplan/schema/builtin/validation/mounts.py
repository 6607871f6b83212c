"""Rules of volume mounts and block devices of a container."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .environment import check_descending_path
from .report import Report

__all__ = ["check_devices", "check_mounts"]

_PROPAGATIONS = ("Bidirectional", "HostToContainer", "None")
_RECURSIVE = ("Disabled", "Enabled", "IfPossible")

Volumes = Mapping[str, Mapping[str, Any]]


def check_mounts(container: Mapping[str, Any], volumes: Volumes, path: str, report: Report) -> None:
    """The volume mounts of a container."""
    points: set[str] = set()
    devices = {
        device.get("name") or "": device.get("devicePath") or "" for device in container.get("volumeDevices") or ()
    }
    for position, mount in enumerate(container["volumeMounts"]):
        place = f"{path}[{position}]"
        name, point = mount.get("name") or "", mount.get("mountPath") or ""
        if not name:
            report.required(f"{place}.name")
        if name not in volumes:
            report.not_found(f"{place}.name", name)
        if not point:
            report.required(f"{place}.mountPath")
        if point in points:
            report.invalid(f"{place}.mountPath", point, "must be unique")
        points.add(point)
        if devices:
            if name in devices:
                report.invalid(f"{place}.name", name, "must not already exist in volumeDevices")
            if point in devices.values():
                detail = "must not already exist as a path in volumeDevices"
                report.invalid(f"{place}.mountPath", point, detail)
        _check_options(mount, container, path, place, report)


def _check_options(
    mount: Mapping[str, Any], container: Mapping[str, Any], path: str, place: str, report: Report
) -> None:
    get = mount.get
    if sub := get("subPath"):
        check_descending_path(sub, f"{path}.subPath", report)
    if expression := get("subPathExpr"):
        if sub:
            detail = "subPathExpr and subPath are mutually exclusive"
            report.invalid(f"{place}.subPathExpr", expression, detail)
        check_descending_path(expression, f"{path}.subPathExpr", report)
    propagation = get("mountPropagation")
    if propagation is not None:
        report.choice(f"{path}.mountPropagation", propagation, _PROPAGATIONS)
        privileged = (container.get("securityContext") or {}).get("privileged")
        if propagation == "Bidirectional" and not privileged:
            detail = "Bidirectional mount propagation is available only to privileged containers"
            report.forbidden(f"{path}.mountPropagation", detail)
    recursive = get("recursiveReadOnly")
    if recursive is None or recursive == "Disabled":
        return
    if report.choice(f"{path}.recursiveReadOnly", recursive, _RECURSIVE):
        if not get("readOnly"):
            report.forbidden(f"{path}.recursiveReadOnly", "may only be specified when readOnly is true")
        if propagation not in (None, "None"):
            detail = "may only be specified when mountPropagation is None or not specified"
            report.forbidden(f"{path}.recursiveReadOnly", detail)


def check_devices(
    devices: Sequence[Mapping[str, Any]],
    mounts: Sequence[Mapping[str, Any]],
    volumes: Volumes,
    path: str,
    report: Report,
) -> None:
    """The block devices of a container."""
    names: set[str] = set()
    paths: set[str] = set()
    mounted = {mount.get("name") or "": mount.get("mountPath") or "" for mount in mounts}
    for position, device in enumerate(devices):
        place = f"{path}[{position}]"
        name, target = device.get("name") or "", device.get("devicePath") or ""
        if not name:
            report.required(f"{place}.name")
        if name in names:
            report.invalid(f"{place}.name", name, "must be unique")
        if name not in volumes:
            report.not_found(f"{place}.name", name)
        elif not ("persistentVolumeClaim" in volumes[name] or "ephemeral" in volumes[name]):
            detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
            report.invalid(f"{place}.name", name, detail)
        _check_device_path(target, paths, place, report)
        if name in mounted:
            report.invalid(f"{place}.name", name, "must not already exist in volumeMounts")
        if target in mounted.values():
            report.invalid(f"{place}.devicePath", target, "must not already exist as a path in volumeMounts")
        if name:
            names.add(name)


def _check_device_path(target: str, paths: set[str], place: str, report: Report) -> None:
    if not target:
        report.required(f"{place}.devicePath")
    if target in paths:
        report.invalid(f"{place}.devicePath", target, "must be unique")
    if ".." in target.split("/"):
        report.invalid(f"{place}.devicePath", target, "can not contain backsteps ('..')")
    else:
        paths.add(target)
