"""Rules that look at whether something was written at all: an empty list or map that the stored form no longer shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from stowplan.schema.verdict import FieldError

from .pointers import locate
from .report import Report

__all__ = ["as_sent", "check_empties"]

_POD_SPECS = {
    "Pod": ("spec",),
    "PodTemplate": ("template", "spec"),
    "CronJob": ("spec", "jobTemplate", "spec", "template", "spec"),
} | dict.fromkeys(
    ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController", "Job"),
    ("spec", "template", "spec"),
)
_TEMPLATE_META = ("annotations", "labels")
_UNWRITTEN = ("creationTimestamp", "generation")
"""Members of metadata that a server tells from absent ones only by their value."""
_NO_CLAIMS = "claims may not be set for Resources at pod-level"
_IN_SCHEMAS = ("properties", "definitions", "patternProperties")
_BESIDE_SCHEMAS = ("items", "additionalProperties", "not")
_LISTS_OF_SCHEMAS = ("allOf", "anyOf", "oneOf")


def check_empties(sent: Mapping[str, Any], report: Report) -> None:
    """What `sent`, an object that can be decoded, says with empty values."""
    kind = sent.get("kind")
    steps = _POD_SPECS.get(kind if isinstance(kind, str) else "")
    if steps is not None:
        _check_pod_spec(_at(sent, steps), ".".join(steps), report)
    elif kind == "ResourceClaimTemplate":
        _check_meta(_at(sent, ("spec", "metadata")), "spec.metadata", report)
    elif kind == "ResourceSlice":
        spec = _at(sent, ("spec",))
        given = [spec.get(member) for member in ("devices", "sharedCounters")]
        if [] in given and None not in given and not all(given):
            report.invalid("spec", "", "only one of `sharedCounters` or `devices` is allowed")
    elif kind == "CustomResourceDefinition":
        for schema, path in _schemas(_at(sent, ("spec",))):
            _check_schema(schema, path, report)


def as_sent(error: FieldError, sent: Mapping[str, Any]) -> FieldError:
    """The cause with an empty list or map shown as it was written, where the stored form has nothing."""
    before, null, after = error.message.partition(" value: null:")
    if not null or before not in ("Invalid", "Unsupported") or error.field == "spec":  # which is no list
        return error
    value: Any = sent
    for step in locate(sent, error.field):
        if isinstance(value, dict) and step not in value:
            return error
        value = value[step]
    shown = "[]" if value == [] else "{}" if value == {} else ""
    return error._replace(message=f"{before} value: {shown}:{after}") if shown else error


def _at(value: Any, steps: tuple[str, ...]) -> Mapping[str, Any]:
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _check_pod_spec(spec: Mapping[str, Any], path: str, report: Report) -> None:
    resources = spec.get("resources")
    if isinstance(resources, dict) and resources.get("claims") == []:
        report.forbidden(f"{path}.resources.claims", _NO_CLAIMS)
    of_windows = _at(spec, ("os",)).get("name") == "windows"
    if of_windows and _at(spec, ("securityContext",)).get("supplementalGroups") == []:
        report.forbidden(f"{path}.securityContext.supplementalGroups", "cannot be set for a windows pod")
    for position, volume in enumerate(spec.get("volumes") or ()):
        if not isinstance(volume, dict) or "ephemeral" not in volume:
            continue
        meta = _at(volume, ("ephemeral", "volumeClaimTemplate", "metadata"))
        _check_meta(meta, f"{path}.volumes[{position}].ephemeral.volumeClaimTemplate.metadata", report)


def _check_meta(meta: Mapping[str, Any], path: str, report: Report) -> None:
    """Nothing but labels and annotations may be said, not even that there is nothing."""
    for member, value in sorted(meta.items()):
        if member in _TEMPLATE_META or member in _UNWRITTEN:
            continue
        if value == [] or (member == "deletionGracePeriodSeconds" and value == 0):
            report.forbidden(f"{path}.{go_member(member)}", "cannot be set")


def go_member(member: str) -> str:
    """A member of metadata under the name that Go has for it, in lower case at the start."""
    return "uID" if member == "uid" else member


def _schemas(spec: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Each schema of a definition with its place; what all versions say alike is looked at once, at a place of its own."""
    versions = [version for version in spec.get("versions") or () if isinstance(version, dict)]
    alike = all(version.get("schema") == versions[0].get("schema") for version in versions)
    for position, version in enumerate(versions[:1] if alike else versions):
        path = "spec.validation" if alike else f"spec.versions[{position}].schema"
        yield _at(version, ("schema", "openAPIV3Schema")), f"{path}.openAPIV3Schema"


def _check_schema(schema: Mapping[str, Any], path: str, report: Report) -> None:
    if schema.get("dependencies") == {}:
        report.forbidden(f"{path}.dependencies", "dependencies is not supported")
    for member in _IN_SCHEMAS:
        for name, inner in (_at(schema, (member,))).items():
            if isinstance(inner, dict):
                _check_schema(inner, f"{path}.{member}[{name}]", report)
    for member in _BESIDE_SCHEMAS:
        if isinstance(schema.get(member), dict):
            _check_schema(schema[member], f"{path}.{member}", report)
    for member in _LISTS_OF_SCHEMAS:
        for position, inner in enumerate(schema.get(member) or ()):
            if isinstance(inner, dict):
                _check_schema(inner, f"{path}.{member}[{position}]", report)
