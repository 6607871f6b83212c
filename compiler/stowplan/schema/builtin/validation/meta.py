"""Rules of metadata: names, labels, annotations, owners, finalizers, and what of them may change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .names import Names, dns_label, label_value, path_segment, qualified_name
from .report import Report

__all__ = ["check_annotations", "check_finalizer", "check_labels", "check_meta", "check_meta_update", "masked"]

_ANNOTATION_BYTES = 256 * 1024
_GENERATED_LENGTH = 63 - 5
STANDARD_FINALIZERS = ("kubernetes", "orphan", "foregroundDeletion")


def masked(name: str) -> str:
    """The prefix of a generated name, with its trailing dash replaced, as the server checks it."""
    return name[:-2] + "a" if len(name) > 1 and name.endswith("-") else name


def check_meta(
    meta: Mapping[str, Any],
    report: Report,
    check_name: Names,
    *,
    namespaced: bool = True,
    kube_finalizers: bool = False,
    path: str = "metadata",
    nameless: bool = False,
    prefix: bool = True,
) -> None:
    """The metadata of an object; `check_name` is the kind's own rule for names, `nameless` if the server makes one.

    `prefix` is false for kinds of which only the name that comes out of `generateName` is looked at.
    """
    generate = meta.get("generateName") or ""
    if generate and prefix:
        report.invalid_all(f"{path}.generateName", generate, check_name(masked(generate)))
    name = meta.get("name") or (generate[:_GENERATED_LENGTH] + "xxxxx" if generate else "")
    if not name:
        if not nameless:
            report.required(f"{path}.name", "name or generateName is required")
    else:
        complaints = check_name(name)
        if complaints:
            report.invalid_all(f"{path}.name", name, complaints)
    namespace = meta.get("namespace") or ""
    if namespaced:
        if not namespace:
            report.required(f"{path}.namespace")
        else:
            report.invalid_all(f"{path}.namespace", namespace, dns_label(namespace))
    elif namespace:
        report.forbidden(f"{path}.namespace", "not allowed on this type")
    _check_rest(meta, report, kube_finalizers, path)


def _check_rest(meta: Mapping[str, Any], report: Report, kube_finalizers: bool, path: str) -> None:
    report.non_negative(f"{path}.generation", meta.get("generation"))
    check_labels(meta.get("labels"), f"{path}.labels", report)
    check_annotations(meta.get("annotations"), f"{path}.annotations", report)
    if meta.get("ownerReferences"):
        _check_owners(meta["ownerReferences"], f"{path}.ownerReferences", report)
    finalizers = meta.get("finalizers")
    if finalizers:
        for finalizer in finalizers:
            report.invalid_all(f"{path}.finalizers", finalizer, qualified_name(finalizer))
        if kube_finalizers:
            for position, finalizer in enumerate(finalizers):
                _check_standard_finalizer(finalizer, f"{path}.finalizers[{position}]", report)


def check_finalizer(finalizer: str, path: str, report: Report) -> None:
    """One finalizer: qualified, and standard when it has no domain."""
    report.invalid_all(path, finalizer, qualified_name(finalizer))
    _check_standard_finalizer(finalizer, path, report)


def _check_standard_finalizer(finalizer: str, path: str, report: Report) -> None:
    if "/" not in finalizer and finalizer not in STANDARD_FINALIZERS:
        report.invalid(path, finalizer, "name is neither a standard finalizer name nor is it fully qualified")


def check_labels(labels: Mapping[str, str] | None, path: str, report: Report) -> None:
    """Keys and values of labels (also of a map used as selector)."""
    if not labels:
        return
    for key, value in sorted(labels.items()):
        complaints = qualified_name(key)
        if complaints:
            report.invalid_all(path, key, complaints)
        complaints = label_value(value or "")
        if complaints:
            report.invalid_all(path, value or "", complaints)


def check_annotations(annotations: Mapping[str, str] | None, path: str, report: Report) -> None:
    """Keys of annotations and their total size."""
    if not annotations:
        return
    size = 0
    for key, value in sorted(annotations.items()):
        complaints = qualified_name(key.lower())
        if complaints:
            report.invalid_all(path, key, complaints)
        size += len(key) + len(value or "")
    if size > _ANNOTATION_BYTES // 4:
        size = sum(len(key.encode()) + len((value or "").encode()) for key, value in annotations.items())
        if size > _ANNOTATION_BYTES:
            report.too_long(path, _ANNOTATION_BYTES)


def _check_owners(owners: Sequence[Mapping[str, Any]], path: str, report: Report) -> None:
    controllers: list[str] = []
    for owner in owners:
        version = owner.get("apiVersion") or ""
        if version.count("/") > 1:
            report.invalid(f"{path}.apiVersion", version, f"unexpected GroupVersion string: {version}")
        elif not version.rpartition("/")[2]:
            report.invalid(f"{path}.apiVersion", version, "version must not be empty")
        for member in ("kind", "name", "uid"):
            if not owner.get(member):
                report.invalid(f"{path}.{member}", owner.get(member) or "", "must not be empty")
        if version == "v1" and owner.get("kind") == "Event":
            report.invalid(path, "v1, Kind=Event", "v1, Kind=Event is disallowed from being an owner")
        if owner.get("controller"):
            controllers.append(f"{owner.get('name') or ''}")
    if len(controllers) > 1:
        names = f'"true" is set for {controllers[0]} and {controllers[1]}'
        report.invalid(path, list(owners), f"Only one reference can have Controller set to true. Found {names}")


def check_meta_update(
    new: Mapping[str, Any], old: Mapping[str, Any], report: Report, *, kube_finalizers: bool = False
) -> None:
    """What of the metadata may not change, and its rules."""
    for member in ("name", "namespace"):
        if (new.get(member) or "") != (old.get(member) or ""):
            report.invalid(f"metadata.{member}", new.get(member) or "", "field is immutable")
    if new.get("uid") and old.get("uid") and new["uid"] != old["uid"]:
        report.invalid("metadata.uid", new["uid"], "field is immutable")
    _check_rest(new, report, kube_finalizers, "metadata")


def check_path_segment(meta: Mapping[str, Any], report: Report) -> None:
    """The check every name gets, whatever its kind."""
    report.invalid_all("metadata.name", meta.get("name") or "", path_segment(meta.get("name") or ""))
