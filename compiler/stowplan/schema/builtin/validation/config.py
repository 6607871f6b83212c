"""Rules of ConfigMap, Secret, Namespace and ServiceAccount."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

from .meta import check_finalizer, check_meta
from .names import config_key, dns_label, dns_subdomain
from .report import Report, Word, go_quote

__all__ = ["check_config_map", "check_namespace", "check_secret", "check_service_account"]

Manifest = Mapping[str, Any]
_MAXIMUM_BYTES = 1024 * 1024
_IMMUTABLE = "field is immutable when `immutable` is set"
_POD_SECURITY = "pod-security.kubernetes.io/"
_LEVELS = ("privileged", "baseline", "restricted")


def check_config_map(manifest: Manifest, report: Report) -> None:
    """A ConfigMap: keys, and size of it all."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, kube_finalizers=True)
    data: Mapping[str, str] = manifest.get("data") or {}
    binary: Mapping[str, str] = manifest.get("binaryData") or {}
    size = 0
    for key, value in data.items():
        report.invalid_all(f"data[{key}]", key, config_key(key))
        if key in binary:
            report.invalid(f"data[{key}]", key, "duplicate of key present in binaryData")
        size += len((value or "").encode("utf-8", "surrogatepass"))
    for key, value in binary.items():
        report.invalid_all(f"binaryData[{key}]", key, config_key(key))
        size += decoded_length(value or "")
    if size > _MAXIMUM_BYTES:
        report.too_long("[]", _MAXIMUM_BYTES)


def decoded_length(text: str) -> int:
    """How many bytes base64 text stands for, without decoding it."""
    return len(text) * 3 // 4 - (len(text) - len(text.rstrip("=")))


def check_config_map_update(new: Manifest, old: Manifest, report: Report) -> None:
    """An immutable ConfigMap stays as it is."""
    _check_frozen(new, old, ("data", "binaryData"), report)


def check_frozen_empties(sent: Manifest, old: Manifest, report: Report) -> None:
    """To write an empty map where there was none is a change too."""
    for member in ("data", "binaryData") if old.get("immutable") and old.get("kind") == "ConfigMap" else ():
        if sent.get(member) == {} and old.get(member) is None:
            report.forbidden(member, _IMMUTABLE)


def _check_frozen(new: Manifest, old: Manifest, members: tuple[str, ...], report: Report) -> None:
    if not old.get("immutable"):
        return
    if not new.get("immutable"):
        report.forbidden("immutable", _IMMUTABLE)
    for member in members:
        if (new.get(member) or {}) != (old.get(member) or {}):
            report.forbidden(member, _IMMUTABLE)


def check_secret(manifest: Manifest, report: Report) -> None:
    """A Secret: keys, size, and what its type requires."""
    meta = manifest.get("metadata") or {}
    check_meta(meta, report, dns_subdomain, kube_finalizers=True)
    data: Mapping[str, str] = manifest.get("data") or {}
    size = 0
    for key, value in data.items():
        report.invalid_all(f"data[{key}]", key, config_key(key))
        size += decoded_length(value or "")
    if size > _MAXIMUM_BYTES:
        report.too_long("data", _MAXIMUM_BYTES)
    _check_secret_type(manifest.get("type") or "", data, meta, report)


def _check_secret_type(kind: str, data: Mapping[str, str], meta: Manifest, report: Report) -> None:
    if kind == "kubernetes.io/service-account-token":
        if not (meta.get("annotations") or {}).get("kubernetes.io/service-account.name"):
            report.required("metadata.annotations[kubernetes.io/service-account.name]")
    elif kind == "kubernetes.io/dockercfg":
        _check_json(data, ".dockercfg", report)
    elif kind == "kubernetes.io/dockerconfigjson":
        _check_json(data, ".dockerconfigjson", report)
    elif kind == "kubernetes.io/basic-auth":
        if "username" not in data and "password" not in data:
            report.required("data[username]")
            report.required("data[password]")
    elif kind == "kubernetes.io/ssh-auth":
        if not data.get("ssh-privatekey"):
            report.required("data[ssh-privatekey]")
    elif kind == "kubernetes.io/tls":
        for key in ("tls.crt", "tls.key"):
            if key not in data:
                report.required(f"data[{key}]")


def _check_json(data: Mapping[str, str], key: str, report: Report) -> None:
    if key not in data:
        report.required(f"data[{key}]")
        return
    try:
        text = base64.b64decode(data[key] or "", validate=False).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        text = ""
    if complaint := json_complaint(text):
        report.invalid(f"data[{key}]", "<secret contents redacted>", complaint)


def json_complaint(text: str) -> str:
    """What Go says of text that is not a JSON object, or an empty string."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as problem:
        place = problem.pos
        while place < len(text) and text[place] in " \t\r\n":
            place += 1
        if place >= len(text):
            return "unexpected end of JSON input"
        return f"invalid character {_shown(text[place])} {_where(problem, text)}"
    except RecursionError:
        return "exceeded max depth"
    if value is None or isinstance(value, dict):
        return ""
    kind = {str: "string", bool: "bool", list: "array"}.get(type(value), "number")
    return f"json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}"


def _shown(rune: str) -> str:
    return "'\\''" if rune == "'" else "'\"'" if rune == '"' else f"'{go_quote(rune)[1:-1]}'"


def _where(problem: json.JSONDecodeError, text: str) -> str:
    if problem.msg.startswith("Extra data"):
        return "after top-level value"
    if problem.msg.startswith("Expecting property name"):
        return "looking for beginning of object key string"
    if problem.msg.startswith("Expecting ':'"):
        return "after object key"
    if problem.msg.startswith("Expecting ','"):
        return "after object key:value pair" if "{" in text[: problem.pos] else "after array element"
    return "looking for beginning of value"


def check_secret_update(new: Manifest, old: Manifest, report: Report) -> None:
    """The type of a Secret stays, and an immutable one as a whole."""
    if (new.get("type") or "") != (old.get("type") or ""):
        report.invalid("type", Word(new.get("type") or ""), "field is immutable")
    _check_frozen(new, old, ("data",), report)


def check_namespace(manifest: Manifest, report: Report) -> None:
    """A Namespace."""
    meta = manifest.get("metadata") or {}
    if name := meta.get("name"):
        meta = {**meta, "labels": {**(meta.get("labels") or {}), "kubernetes.io/metadata.name": name}}
    check_meta(meta, report, dns_label, namespaced=False, kube_finalizers=True)
    for finalizer in (manifest.get("spec") or {}).get("finalizers") or ():
        check_finalizer(finalizer, "spec.finalizers", report)
    if not report.errors:
        check_pod_security_labels(manifest, report)


def check_pod_security_labels(manifest: Manifest, report: Report) -> None:
    """The labels that set the Pod security level of a Namespace (checked by admission)."""
    labels = (manifest.get("metadata") or {}).get("labels") or {}
    for mode in ("enforce", "audit", "warn"):
        level, version = labels.get(_POD_SECURITY + mode), labels.get(f"{_POD_SECURITY}{mode}-version")
        if level is not None and level not in _LEVELS:
            place = f"metadata.labels[{_POD_SECURITY}{mode}]"
            report.invalid(place, level, "must be one of privileged, baseline, restricted")
        if version is not None and version != "latest" and not _is_minor(version):
            place = f"metadata.labels[{_POD_SECURITY}{mode}-version]"
            report.invalid(place, version, 'must be "latest" or "v1.x"')


def _is_minor(version: str) -> bool:
    digits = version.removeprefix("v1.")
    return version.startswith("v1.") and digits.isascii() and digits.isdigit() and str(int(digits[:9])) == digits


def check_service_account(manifest: Manifest, report: Report) -> None:
    """A ServiceAccount: only its metadata has rules."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, kube_finalizers=True)
