"""Rules of the kinds of storage behind a volume, of Pods and of persistent volumes alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from .environment import check_descending_path, check_no_backsteps
from .names import dns_label, dns_subdomain, range_error
from .report import Report

__all__ = ["PERSISTENT_CHECKS", "SOURCE_CHECKS", "Source", "SourceCheck", "check_driver_name", "check_each_required"]

Source = Mapping[str, Any]
SourceCheck = Callable[[Source, str, Report], None]

_HOST_PATH_TYPES = (
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
)
_PARTITION = range_error(0, 255)
_REGISTRY = "must be a host:port pair or multiple pairs separated by commas"
_MANAGED_DISK = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
_BLOB_DISK = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"
_ISCSI_FORMATS = {
    "iqn": re.compile(r"iqn\.\d{4}-\d{2}\.([a-zA-Z0-9-_.]+)(:[^,;*&$|\s]+)").fullmatch,
    "eui": re.compile(r"eui.[a-zA-Z0-9]{16}").fullmatch,
    "naa": re.compile(r"naa.[a-zA-Z0-9]{32}").fullmatch,
}


def check_each_required(*members: str) -> SourceCheck:
    """A check that all of `members` are given and not empty."""

    def check(source: Source, path: str, report: Report) -> None:
        for member in members:
            if not source.get(member):
                report.required(f"{path}.{member}")

    return check


def _secret_reference(*members: str) -> SourceCheck:
    check_members = check_each_required(*members)

    def check(source: Source, path: str, report: Report) -> None:
        if source.get("secretRef") is not None:
            check_members(source["secretRef"], f"{path}.secretRef", report)

    return check


def _all_of(*checks: SourceCheck) -> SourceCheck:
    def check(source: Source, path: str, report: Report) -> None:
        for part in checks:
            part(source, path, report)

    return check


def _partitioned(member: str) -> SourceCheck:
    def check(source: Source, path: str, report: Report) -> None:
        if not source.get(member):
            report.required(f"{path}.{member}")
        partition = source.get("partition") or 0
        if not 0 <= partition <= 255:
            report.invalid(f"{path}.partition", partition, range_error(1, 255))  # as the server words it

    return check


def check_host_path(source: Source, path: str, report: Report) -> None:
    """A path on the node."""
    target = source.get("path") or ""
    if not target:
        report.required(f"{path}.path")
        return
    check_no_backsteps(target, f"{path}.path", report)
    if source.get("type") is not None:
        report.choice(f"{path}.type", source["type"], _HOST_PATH_TYPES)


def _check_git(source: Source, path: str, report: Report) -> None:
    if not source.get("repository"):
        report.required(f"{path}.repository")
    check_descending_path(source.get("directory") or "", f"{path}.directory", report)


def _check_nfs(source: Source, path: str, report: Report) -> None:
    check_each_required("server", "path")(source, path, report)
    target = source.get("path") or ""
    if not target.startswith("/"):
        report.invalid(f"{path}.path", target, "must be an absolute path")


def _check_iscsi(persistent: bool) -> SourceCheck:
    prefixed = "must be valid format" if persistent else "must be valid format starting with iqn, eui, or naa"

    def check(source: Source, path: str, report: Report) -> None:
        if not source.get("targetPortal"):
            report.required(f"{path}.targetPortal")
        _check_iscsi_name(source.get("iqn") or "", prefixed, f"{path}.iqn", report, required=True)
        lun = source.get("lun") or 0
        if not 0 <= lun <= 255:
            report.invalid(f"{path}.lun", lun, _PARTITION)
        if (source.get("chapAuthDiscovery") or source.get("chapAuthSession")) and source.get("secretRef") is None:
            report.required(f"{path}.secretRef")
        if persistent:
            _secret_reference("name")(source, path, report)
        if source.get("initiatorName") is not None:
            _check_iscsi_name(source["initiatorName"], prefixed, f"{path}.initiatorname", report, required=False)

    return check


def _check_iscsi_name(name: str, prefixed: str, path: str, report: Report, *, required: bool) -> None:
    if required and not name:
        report.required(path)
    elif not name.startswith(tuple(_ISCSI_FORMATS)):
        report.invalid(path, name, prefixed)
    elif not _ISCSI_FORMATS[name[:3]](name):
        report.invalid(path, name, "must be valid format")


def _check_fibre_channel(source: Source, path: str, report: Report) -> None:
    targets, ids, lun = source.get("targetWWNs") or (), source.get("wwids") or (), source.get("lun")
    if not targets and not ids:
        report.required(f"{path}.targetWWNs", "must specify either targetWWNs or wwids, but not both")
    if targets and ids:
        detail = "targetWWNs and wwids can not be specified simultaneously"
        report.invalid(f"{path}.targetWWNs", list(targets), detail)
    if targets and lun is None:
        report.required(f"{path}.lun", "lun is required if targetWWNs is specified")
    elif targets and lun is not None and not 0 <= lun <= 255:
        report.invalid(f"{path}.lun", lun, _PARTITION)


def _check_quobyte(source: Source, path: str, report: Report) -> None:
    registry = source.get("registry") or ""
    if not registry:
        report.required(f"{path}.registry", _REGISTRY)
    elif len((source.get("tenant") or "").encode()) >= 65:
        report.required(f"{path}.tenant", "must be a UUID and may not exceed a length of 64 characters")
    else:
        for pair in registry.split(","):
            if not re.fullmatch(r"(\[[^\[\]]*\]|[^:\[\]]*):[^:\[\]]*", pair):
                report.invalid(f"{path}.registry", registry, _REGISTRY)
    if not source.get("volume"):
        report.required(f"{path}.volume")


def _check_glusterfs(source: Source, path: str, report: Report) -> None:
    check_each_required("endpoints", "path")(source, path, report)
    namespace = source.get("endpointsNamespace")
    if namespace == "":
        detail = "if the endpointnamespace is set, it must be a valid namespace name"
        report.invalid(f"{path}.endpointsNamespace", namespace, detail)
    elif namespace is not None:
        report.invalid_all(f"{path}.endpointsNamespace", namespace, dns_label(namespace))


def _check_flocker(source: Source, path: str, report: Report) -> None:
    name, identifier = source.get("datasetName") or "", source.get("datasetUUID") or ""
    if not name and not identifier:
        report.required(path, "one of datasetName and datasetUUID is required")
    if name and identifier:
        report.invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously")
    if "/" in name:
        report.invalid(f"{path}.datasetName", name, "must not contain '/'")


def _check_flex(source: Source, path: str, report: Report) -> None:
    if not source.get("driver"):
        report.required(f"{path}.driver")
    for key in sorted(source.get("options") or {}):
        domain = "." + key.partition("/")[0].lower()
        if domain.endswith((".kubernetes.io", ".k8s.io")):
            report.invalid(f"{path}.options[{key}]", key, "kubernetes.io and k8s.io namespaces are reserved")


def _check_azure_file(source: Source, path: str, report: Report) -> None:
    check_each_required("secretName", "shareName")(source, path, report)
    if source.get("secretNamespace") == "":
        report.required(f"{path}.secretNamespace")


def _check_azure_disk(source: Source, path: str, report: Report) -> None:
    check_each_required("diskName", "diskURI")(source, path, report)
    kind, uri = source.get("kind"), source.get("diskURI") or ""
    if source.get("cachingMode") is not None:
        report.choice(f"{path}.cachingMode", source["cachingMode"], ("None", "ReadOnly", "ReadWrite"))
    if kind is None:
        return
    report.choice(f"{path}.kind", kind, ("Dedicated", "Managed", "Shared"))
    if kind == "Managed" and not uri.startswith("/subscriptions/"):
        report.unsupported(f"{path}.diskURI", uri, (_MANAGED_DISK,))
    if kind != "Managed" and not uri.startswith("https://"):
        report.unsupported(f"{path}.diskURI", uri, (_BLOB_DISK,))


def _check_storageos(source: Source, path: str, report: Report) -> None:
    name, namespace = source.get("volumeName") or "", source.get("volumeNamespace") or ""
    if not name:
        report.required(f"{path}.volumeName")
    else:
        report.invalid_all(f"{path}.volumeName", name, dns_label(name))
    if namespace:
        report.invalid_all(f"{path}.volumeNamespace", namespace, dns_label(namespace))


def _check_local(source: Source, path: str, report: Report) -> None:
    target = source.get("path") or ""
    if not target:
        report.required(f"{path}.path")
    else:
        check_no_backsteps(target, f"{path}.path", report)


def check_driver_name(name: str, path: str, report: Report) -> None:
    """The name of a CSI driver."""
    if not name:
        report.required(path)
        return
    if len(name.encode()) > 63:
        report.too_long(path, 63)
    report.invalid_all(path, name, dns_subdomain(name.lower()))


def _check_csi(source: Source, path: str, report: Report) -> None:
    _check_driver(source, path, report)
    reference = source.get("nodePublishSecretRef")
    if reference is None:
        return
    name = reference.get("name") or ""
    if not name:
        report.required(f"{path}.nodePublishSecretRef.name")
    else:
        report.invalid_all(f"{path}.name", name, dns_subdomain(name))


def _check_driver(source: Source, path: str, report: Report) -> None:
    driver = source.get("driver") or ""
    check_driver_name(driver, f"{path}.driver", report)


def _check_persistent_csi(source: Source, path: str, report: Report) -> None:
    _check_driver(source, path, report)
    if not source.get("volumeHandle"):
        report.required(f"{path}.volumeHandle")
    for member in ("controllerPublish", "controllerExpand", "nodePublish", "nodeExpand"):
        reference = source.get(f"{member}SecretRef")
        if reference is None:
            continue
        for part, check in (("name", dns_subdomain), ("namespace", dns_label)):
            place, value = f"{path}.{member}SecretRef.{part}", reference.get(part) or ""
            if not value:
                report.required(place)
            else:
                report.invalid_all(place, value, check(value))


_NAMED = _secret_reference("name")
_NAMED_AND_PLACED = _secret_reference("name", "namespace")

SOURCE_CHECKS: dict[str, SourceCheck] = {
    "hostPath": check_host_path,
    "gitRepo": _check_git,
    "gcePersistentDisk": _partitioned("pdName"),
    "awsElasticBlockStore": _partitioned("volumeID"),
    "nfs": _check_nfs,
    "iscsi": _check_iscsi(persistent=False),
    "glusterfs": _check_glusterfs,
    "flocker": _check_flocker,
    "persistentVolumeClaim": check_each_required("claimName"),
    "rbd": check_each_required("monitors", "image"),
    "cinder": _all_of(check_each_required("volumeID"), _NAMED),
    "cephfs": check_each_required("monitors"),
    "quobyte": _check_quobyte,
    "fc": _check_fibre_channel,
    "flexVolume": _check_flex,
    "azureFile": check_each_required("secretName", "shareName"),
    "vsphereVolume": check_each_required("volumePath"),
    "photonPersistentDisk": check_each_required("pdID"),
    "portworxVolume": check_each_required("volumeID"),
    "azureDisk": _check_azure_disk,
    "storageos": _all_of(_check_storageos, _NAMED),
    "scaleIO": check_each_required("gateway", "system", "volumeName"),
    "csi": _check_csi,
}
"""What each source of a Pod's volume must satisfy, those apart that need more than themselves."""

PERSISTENT_CHECKS: dict[str, SourceCheck] = {
    **{
        member: SOURCE_CHECKS[member]
        for member in (
            "hostPath",
            "gcePersistentDisk",
            "awsElasticBlockStore",
            "glusterfs",
            "flocker",
            "nfs",
            "rbd",
            "quobyte",
            "cephfs",
        )
    },
    "iscsi": _check_iscsi(persistent=True),
    "cinder": _all_of(check_each_required("volumeID"), _NAMED_AND_PLACED),
    "fc": _check_fibre_channel,
    "flexVolume": _check_flex,
    "azureFile": _check_azure_file,
    "vsphereVolume": SOURCE_CHECKS["vsphereVolume"],
    "photonPersistentDisk": SOURCE_CHECKS["photonPersistentDisk"],
    "portworxVolume": SOURCE_CHECKS["portworxVolume"],
    "azureDisk": _check_azure_disk,
    "scaleIO": SOURCE_CHECKS["scaleIO"],
    "local": _check_local,
    "storageos": _all_of(_check_storageos, _NAMED_AND_PLACED),
    "csi": _check_persistent_csi,
}
"""The same for a PersistentVolume, in the order the server looks at them."""
