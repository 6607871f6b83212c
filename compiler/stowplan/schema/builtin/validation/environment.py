"""Rules of environment variables and of references to fields, keys and resources."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .names import config_key, dns_label, dns_subdomain, qualified_name, relaxed_environment_name
from .quantities import quantity
from .report import Report

__all__ = ["check_environment", "check_environment_from", "check_field_reference", "check_resource_reference"]

ENVIRONMENT_FIELDS = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
VOLUME_FIELDS = ("metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid")
_KNOWN_FIELDS = frozenset(
    (*ENVIRONMENT_FIELDS, *VOLUME_FIELDS, "spec.restartPolicy", "spec.schedulerName", "spec.hostNetwork", "spec.host")
) | {"status.phase"}
_RESOURCES = (
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
)
_HUGEPAGES = ("requests.hugepages-", "limits.hugepages-")
_SIZES = ("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei")
_SOURCES = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
_match_subscript = re.compile(r"(.+)\['(.*)'\]", re.DOTALL).fullmatch


def check_environment(
    variables: Sequence[Mapping[str, Any]], volumes: Mapping[str, Mapping[str, Any]], path: str, report: Report
) -> None:
    """Environment variables of a container; `volumes` are the Pod's, by name."""
    for position, variable in enumerate(variables):
        name = variable.get("name") or ""
        place = f"{path}[{position}]"
        if not name:
            report.required(f"{place}.name")
        else:
            report.invalid_all(f"{place}.name", name, relaxed_environment_name(name))
        source = variable.get("valueFrom")
        if source is not None:
            _check_source(variable, source, volumes, f"{place}.valueFrom", report)


def _check_source(
    variable: Mapping[str, Any],
    source: Mapping[str, Any],
    volumes: Mapping[str, Mapping[str, Any]],
    path: str,
    report: Report,
) -> None:
    count = 0
    if (reference := source.get("fieldRef")) is not None:
        count += 1
        check_field_reference(reference, ENVIRONMENT_FIELDS, f"{path}.fieldRef", report)
    if (reference := source.get("resourceFieldRef")) is not None:
        count += 1
        check_resource_reference(reference, f"{path}.resourceFieldRef", report, volume=False)
    for member in ("configMapKeyRef", "secretKeyRef"):
        if (reference := source.get(member)) is not None:
            count += 1
            _check_key_reference(reference, f"{path}.{member}", report)
    if (reference := source.get("fileKeyRef")) is not None:
        count += 1
        _check_file_reference(reference, f"{path}.fileKeyRef", report)
    if count == 0:
        report.invalid(path, "", f"must specify one of: {_SOURCES}")
    elif variable.get("value"):
        report.invalid(path, "", "may not be specified when `value` is not empty")
    elif count > 1:
        report.invalid(path, "", "may not have more than one field specified at a time")
    if reference is not None:
        name = reference.get("volumeName") or ""
        if name not in volumes:
            report.not_found(f"{path}.fileKeyRef.volumeName", name)
        elif volumes[name].get("emptyDir") is None:
            detail = "referenced volume must be of type emptyDir"
            report.invalid(f"{path}.fileKeyRef.volumeName", name, detail)


def _check_key_reference(reference: Mapping[str, Any], path: str, report: Report) -> None:
    name, key = reference.get("name") or "", reference.get("key") or ""
    report.invalid_all(f"{path}.name", name, dns_subdomain(name))
    if not key:
        report.required(f"{path}.key")
    else:
        report.invalid_all(f"{path}.key", key, config_key(key))


def _check_file_reference(reference: Mapping[str, Any], path: str, report: Report) -> None:
    key = reference.get("key") or ""
    if not key:
        report.required(f"{path}.key")
    else:
        report.invalid_all(f"{path}.key", key, relaxed_environment_name(key))
    name = reference.get("volumeName") or ""
    if not name:
        report.required(f"{path}.volumeName")
    else:
        report.invalid_all(f"{path}.volumeName", name, dns_label(name))
    if not reference.get("path"):
        report.required(f"{path}.path")
    else:
        check_no_backsteps(reference["path"], f"{path}.path", report)


def check_descending_path(target: str, path: str, report: Report) -> None:
    """A relative path without `..`."""
    if target.startswith("/"):
        report.invalid(path, target, "must be a relative path")
    check_no_backsteps(target, path, report)


def check_no_backsteps(target: str, path: str, report: Report) -> None:
    """No element of the path may be `..`."""
    if ".." in target and ".." in target.split("/"):
        report.invalid(path, target, "must not contain '..'")


def check_local_path(target: str, path: str, report: Report) -> None:
    """A relative path without `..` that also does not start with two dots."""
    check_descending_path(target, path, report)
    if target.startswith("..") and ".." not in target.split("/"):
        report.invalid(path, target, "must not start with '..'")


def check_environment_from(sources: Sequence[Mapping[str, Any]], path: str, report: Report) -> None:
    """Whole ConfigMaps and Secrets as environment."""
    for position, source in enumerate(sources):
        place = f"{path}[{position}]"
        if prefix := source.get("prefix"):
            report.invalid_all(f"{place}.prefix", prefix, relaxed_environment_name(prefix))
        count = 0
        for member in ("configMapRef", "secretRef"):
            if (reference := source.get(member)) is None:
                continue
            count += 1
            name = reference.get("name") or ""
            if not name:
                report.required(f"{place}.{member}.name")
            else:
                report.invalid_all(f"{place}.{member}.name", name, dns_subdomain(name))
        if count == 0:
            report.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`")
        elif count > 1:
            report.invalid(path, "", "may not have more than one field specified at a time")


def check_field_reference(reference: Mapping[str, Any], fields: tuple[str, ...], path: str, report: Report) -> None:
    """A reference to a field of the Pod; `fields` are those that may be named."""
    version, field = reference.get("apiVersion") or "", reference.get("fieldPath") or ""
    if not version:
        report.required(f"{path}.apiVersion")
    elif not field:
        report.required(f"{path}.fieldPath")
    elif version != "v1":
        report.invalid(f"{path}.fieldPath", field, f"error converting fieldPath: unsupported pod version: {version}")
    else:
        _check_field(field, fields, path, report)


def _check_field(field: str, fields: tuple[str, ...], path: str, report: Report) -> None:
    subscripted = _match_subscript(field)
    if subscripted:
        name, key = subscripted.groups()
        if name not in ("metadata.annotations", "metadata.labels"):
            detail = f"error converting fieldPath: field label does not support subscript: {field}"
            report.invalid(f"{path}.fieldPath", field, detail)
        else:
            key = key.lower() if name == "metadata.annotations" else key
            report.invalid_all(path, key, qualified_name(key))
    elif field not in _KNOWN_FIELDS:
        detail = f"error converting fieldPath: field label not supported: {field}"
        report.invalid(f"{path}.fieldPath", field, detail)
    elif field not in fields:
        report.unsupported(f"{path}.fieldPath", field, fields)


def check_resource_reference(reference: Mapping[str, Any], path: str, report: Report, *, volume: bool) -> None:
    """A reference to a request or limit of a container, with its divisor."""
    resource = reference.get("resource") or ""
    if volume and not reference.get("containerName"):
        report.required(f"{path}.containerName")
    elif not resource:
        report.required(f"{path}.resource")
    elif resource not in _RESOURCES and not resource.startswith(_HUGEPAGES):
        report.unsupported(f"{path}.resource", resource, _RESOURCES)
    divisor = str(reference.get("divisor") or "0")
    if quantity(divisor) == 0:
        return
    if resource in ("limits.cpu", "requests.cpu"):
        if divisor not in ("1m", "1"):
            detail = "only divisor's values 1m and 1 are supported with the cpu resource"
            report.invalid(f"{path}.divisor", resource, detail)
        return
    kind = _divided_kind(resource)
    if kind and divisor not in _SIZES:
        detail = f"only divisor's values {', '.join(_SIZES)} are supported with the {kind} resource"
        report.invalid(f"{path}.divisor", resource, detail)


def _divided_kind(resource: str) -> str:
    if resource.startswith(_HUGEPAGES):
        return "hugepages"
    kinds = {"memory": "memory", "ephemeral-storage": "local ephemeral storage"}
    prefix, _, name = resource.partition(".")
    return kinds.get(name, "") if prefix in ("limits", "requests") else ""
