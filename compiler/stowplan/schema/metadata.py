"""Object metadata as the API server decodes and checks it: known fields, name and label syntax, owner references."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from stowplan.schema.verdict import FieldError
from stowplan.schema.wording import child_path, forbidden, index_path, invalid, required
from stowplan.source.span import Pointer

__all__ = [
    "METADATA_FIELDS",
    "SERVER_ASSIGNED",
    "Malformed",
    "check_labels",
    "check_metadata",
    "check_metadata_update",
    "clean_metadata",
    "finalizer_warnings",
    "label_value_complaint",
    "metadata_is_plain",
    "qualified_name_complaints",
    "subdomain_complaints",
    "well_metadata",
]

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_subdomain = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\Z").match
_dns_label = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?\Z").match
_qualified = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?\Z").match

_SUBDOMAIN_TEXT = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
    f"and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '{_SUBDOMAIN}')"
)
_LABEL_TEXT = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end "
    f"with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '{_LABEL}')"
)
_QUALIFIED_TEXT = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    f"(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{_QUALIFIED}')"
)
_VALUE_TEXT = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    f"'({_QUALIFIED})?')"
)
_OPTIONAL_PREFIX = " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
_ANNOTATIONS_LIMIT = 256 * 1024
_STANDARD_FINALIZERS = frozenset({"orphan", "foregroundDeletion", "kubernetes"})

_OWNER = {
    "apiVersion": "string", "kind": "string", "name": "string", "uid": "string", "controller": "bool",
    "blockOwnerDeletion": "bool",
}  # fmt: skip
_ENTRY = {
    "manager": "string", "operation": "string", "apiVersion": "string", "time": "time", "fieldsType": "string",
    "fieldsV1": "any", "subresource": "string",
}  # fmt: skip
METADATA_FIELDS: Mapping[str, Any] = {
    "name": "string", "generateName": "string", "namespace": "string", "selfLink": "string", "uid": "string",
    "resourceVersion": "string", "generation": "int", "creationTimestamp": "time", "deletionTimestamp": "time",
    "deletionGracePeriodSeconds": "int", "labels": "strings", "annotations": "strings", "ownerReferences": [_OWNER],
    "finalizers": ["string"], "managedFields": [_ENTRY],
}  # fmt: skip
"""The fields of ObjectMeta with the kind of value each takes."""

SERVER_ASSIGNED = ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink")
"""Metadata that the server fills in; never part of what is compared."""

_GO_TYPES = {
    "string": (str, "string"), "bool": (bool, "bool"), "int": (int, "int64"), "time": (str, "Time"),
}  # fmt: skip
_JSON_NAMES: dict[type, str] = {
    str: "string",
    bool: "bool",
    int: "number",
    float: "number",
    dict: "object",
    list: "array",
}
_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)\Z", re.ASCII).match


class Malformed(Exception):
    """Metadata that cannot be decoded at all; the text is the server's reason."""


def clean_metadata(raw: Any, path: str, pointer: Pointer) -> tuple[dict[str, Any], list[tuple[str, Pointer]]]:
    """Metadata as the server keeps it, and the unknown fields found in it; raises `Malformed`."""
    if type(raw) is not dict:
        raise Malformed(f"cannot unmarshal {_JSON_NAMES.get(type(raw), 'null')} into Go value of type v1.ObjectMeta")
    unknown: list[tuple[str, Pointer]] = []
    kept = _clean_fields(raw, METADATA_FIELDS, path, pointer, unknown)
    return {name: value for name, value in kept.items() if value not in ("", 0, {}, []) or value is False}, unknown


def _clean_fields(
    raw: Mapping[str, Any], fields: Mapping[str, Any], path: str, pointer: Pointer, unknown: list[tuple[str, Pointer]]
) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, value in raw.items():
        kind = fields.get(name)
        where, at = f"{path}.{name}", (*pointer, name)
        if kind is None:
            unknown.append((where, at))
        elif value is not None:
            out[name] = _clean_value(value, kind, where, at, unknown)
    return out


def _clean_value(value: Any, kind: Any, path: str, pointer: Pointer, unknown: list[tuple[str, Pointer]]) -> Any:
    if type(kind) is list:
        if type(value) is not list:
            raise Malformed(
                f"cannot unmarshal {_JSON_NAMES[type(value)]} into Go struct field {_go_path(path)} of type []"
            )
        return [
            _clean_value("" if item is None else item, kind[0], index_path(path, i), (*pointer, i), unknown)
            for i, item in enumerate(value)
        ]
    if type(kind) is dict:
        if type(value) is not dict:
            raise Malformed(f"cannot unmarshal {_JSON_NAMES[type(value)]} into Go struct field {_go_path(path)}")
        return _clean_fields(value, kind, path, pointer, unknown)
    if kind == "strings":
        return _clean_strings(value, path)
    return _clean_scalar(value, kind, path)


def _go_path(path: str) -> str:
    """The place as the server's decoder names it: after the structure that holds it."""
    steps = [step.partition("[")[0] for step in path.split(".")]
    if steps[0] != "metadata":
        return path
    steps[0] = "OwnerReference" if len(steps) > 2 and steps[1] == "ownerReferences" else "ObjectMeta"
    return ".".join(steps)


def _clean_scalar(value: Any, kind: str, path: str) -> Any:
    if kind == "any":
        return value
    wanted, go_name = _GO_TYPES[kind]
    whole = kind == "int" and type(value) is float and value.is_integer()
    if type(value) is not wanted and not whole:
        raise Malformed(
            f"cannot unmarshal {_JSON_NAMES[type(value)]} into Go struct field {_go_path(path)} of type {go_name}"
        )
    if kind == "time" and not _TIME(value):
        raise Malformed(f'parsing time "{value}" as "2006-01-02T15:04:05Z07:00": cannot parse "{value}"')
    return int(value) if whole else value


def _clean_strings(value: Any, path: str) -> dict[str, str]:
    if type(value) is not dict:
        kind = _JSON_NAMES[type(value)]
        raise Malformed(f"cannot unmarshal {kind} into Go struct field {_go_path(path)} of type map[string]string")
    for item in value.values():
        if type(item) is not str and item is not None:
            raise Malformed(
                f"cannot unmarshal {_JSON_NAMES[type(item)]} into Go struct field {_go_path(path)} of type string"
            )
    return {key: item or "" for key, item in value.items()}


def subdomain_complaints(name: str) -> list[str]:
    """What the server finds wrong with `name` as a DNS-1123 subdomain."""
    found = [] if len(name.encode()) <= 253 else ["must be no more than 253 characters"]
    return found if _subdomain(name) else [*found, _SUBDOMAIN_TEXT]


def _label_complaints(name: str) -> list[str]:
    found = [] if len(name.encode()) <= 63 else ["must be no more than 63 characters"]
    return found if _dns_label(name) else [*found, _LABEL_TEXT]


def path_segment_complaints(name: str) -> list[str]:
    """What the server finds wrong with `name` as a segment of a path (names of embedded objects)."""
    if name in (".", ".."):
        return [f"may not be '{name}'"]
    return [f"may not contain '{part}'" for part in "/%" if part in name]


def qualified_name_complaints(key: str, noun: str = "label key") -> list[str]:
    """What the server finds wrong with a label or annotation key."""
    parts = key.split("/")
    if len(parts) > 2:
        return [f"a valid {noun} {_QUALIFIED_TEXT}{_OPTIONAL_PREFIX}"]
    found: list[str] = []
    if len(parts) == 2:
        if not parts[0]:
            found.append("prefix part must be non-empty")
        else:
            found += [f"prefix part {text.replace('characters', 'bytes') if text.startswith('must') else text}"
                      for text in subdomain_complaints(parts[0])]  # fmt: skip
    name = parts[-1]
    if not name:
        found.append("name part must be non-empty")
    elif len(name.encode()) > 63:
        found.append("name part must be no more than 63 bytes")
    return found if _qualified(name) else [*found, f"name part {_QUALIFIED_TEXT}"]


def label_value_complaint(value: str) -> list[str]:
    """What the server finds wrong with a label's value."""
    found = [] if len(value.encode()) <= 63 else ["must be no more than 63 bytes"]
    return found if not value or _qualified(value) else [*found, _VALUE_TEXT]


def check_labels(labels: Mapping[str, str], path: str, pointer: Pointer) -> list[FieldError]:
    """The server's causes for a map of labels, in its order."""
    found: list[FieldError] = []
    for key, value in labels.items():
        found += [invalid(path, key, text, (*pointer, key)) for text in qualified_name_complaints(key)]
        found += [invalid(path, value, text, (*pointer, key)) for text in label_value_complaint(value)]
    return found


def _check_annotations(annotations: Mapping[str, str], path: str, pointer: Pointer) -> list[FieldError]:
    found: list[FieldError] = []
    for key in annotations:
        found += [invalid(path, key, text, (*pointer, key)) for text in qualified_name_complaints(key.lower())]
    total = sum(len(k.encode()) + len(v.encode()) for k, v in annotations.items())
    if total > _ANNOTATIONS_LIMIT:
        detail = f"Too long: may not be more than {_ANNOTATIONS_LIMIT} bytes"
        found.append(FieldError(path, "FieldValueTooLong", detail, pointer))
    return found


def check_metadata(
    meta: Mapping[str, Any],
    path: str,
    pointer: Pointer,
    *,
    namespaced: bool | None,
    name_check: Callable[[str], list[str]] = subdomain_complaints,
) -> list[FieldError]:
    """The server's causes for cleaned metadata. `namespaced` None takes either; a missing namespace is the request's."""
    found: list[FieldError] = []
    prefix, name, namespace = meta.get("generateName"), meta.get("name"), meta.get("namespace")
    if prefix:
        text = prefix[:-1] + "a" if prefix.endswith("-") else prefix
        where = child_path(path, "generateName")
        found += [invalid(where, prefix, complaint, (*pointer, "generateName")) for complaint in name_check(text)]
    where = child_path(path, "name")
    if name:
        found += [invalid(where, name, complaint, (*pointer, "name")) for complaint in name_check(name)]
    elif not prefix:
        found.append(required(where, "name or generateName is required", (*pointer, "name")))
    where = child_path(path, "namespace")
    if namespace and namespaced is False:
        found.append(forbidden(where, "not allowed on this type", (*pointer, "namespace")))
    elif namespace:
        found += [invalid(where, namespace, text, (*pointer, "namespace")) for text in _label_complaints(namespace)]
    found += check_labels(meta.get("labels") or {}, child_path(path, "labels"), (*pointer, "labels"))
    found += _check_annotations(
        meta.get("annotations") or {}, child_path(path, "annotations"), (*pointer, "annotations")
    )
    found += _check_owners(meta.get("ownerReferences") or [], path, pointer)
    return found + _check_finalizers(meta.get("finalizers") or [], path, pointer)


def _check_owners(owners: list[Mapping[str, Any]], path: str, pointer: Pointer) -> list[FieldError]:
    found: list[FieldError] = []
    controllers = []
    base = child_path(path, "ownerReferences")
    for index, owner in enumerate(owners):
        at = (*pointer, "ownerReferences", index)
        version = owner.get("apiVersion") or ""
        if not version:
            found.append(invalid(f"{base}.apiVersion", version, "version must not be empty", at))
        for key in ("kind", "name", "uid"):
            if not owner.get(key):
                found.append(invalid(f"{base}.{key}", "", "must not be empty", at))
        if owner.get("controller"):
            controllers.append(owner)
    if len(controllers) > 1:
        both = " and ".join(_owner_name(owner) for owner in controllers[:2])
        detail = f'Only one reference can have Controller set to true. Found "true" in references for {both}'
        found.append(invalid(base, owners, detail, (*pointer, "ownerReferences")))
    return found


def _owner_name(owner: Mapping[str, Any]) -> str:
    return f"{owner.get('kind', '')}/{owner.get('name', '')}"


def _check_finalizers(finalizers: list[str], path: str, pointer: Pointer) -> list[FieldError]:
    base = child_path(path, "finalizers")
    found: list[FieldError] = []
    for index, name in enumerate(finalizers):
        for text in qualified_name_complaints(name, "label key"):
            found.append(invalid(base, name, text, (*pointer, "finalizers", index)))
    if "orphan" in finalizers and "foregroundDeletion" in finalizers:
        detail = "finalizer orphan and foregroundDeletion cannot be both set"
        found.append(invalid(base, finalizers, detail, (*pointer, "finalizers")))
    return found


def check_metadata_update(meta: Mapping[str, Any], old: Mapping[str, Any], path: str) -> list[FieldError]:
    """What an update may not change: name, namespace, and uid where both give one."""
    found: list[FieldError] = []
    for key in ("name", "namespace", "uid"):
        new, before = meta.get(key), old.get(key)
        if before and (new or key == "name") and new != before:
            found.append(invalid(child_path(path, key), new or "", "field is immutable", ("metadata", key)))
    return found


def finalizer_warnings(finalizers: list[str], before: list[str] | tuple[()] = ()) -> tuple[str, ...]:
    """The warnings that the server sends for new finalizers of a custom resource."""
    found: list[str] = []
    for name in sorted(set(finalizers) - set(before)):
        head = f'metadata.finalizers: "{name}": '
        found += [head + text for text in qualified_name_complaints(name)]
        if "/" not in name and name not in _STANDARD_FINALIZERS:
            way = " including a path (/)" if "." in name else ""
            tail = "to avoid accidental conflicts with other finalizer writers"
            found.append(f"{head}prefer a domain-qualified finalizer name{way} {tail}")
    return tuple(found)


_PLAIN = frozenset({"name", "namespace", "labels", "annotations"})
_good_keys: set[str] = set()
_good_values: set[str] = {""}
_MEMORY = 65536


def metadata_is_plain(meta: Any, namespaced: bool) -> bool:
    """Whether metadata is of the common form and faultless: name, namespace, labels, annotations and nothing else.

    False only means that the full check has to look.
    """
    if type(meta) is not dict or not meta.keys() <= _PLAIN or None in meta.values():
        return False
    name, namespace = meta.get("name"), meta.get("namespace")
    if type(name) is not str or len(name) > 253 or not _subdomain(name):
        return False
    if namespace is not None and (
        not namespaced or type(namespace) is not str or len(namespace) > 63 or not _dns_label(namespace)
    ):
        return False
    labels, annotations = meta.get("labels"), meta.get("annotations")
    if labels is not None and not labels_are_plain(labels):
        return False
    return annotations is None or annotations_are_plain(annotations)


def well_metadata(raw: Any, namespaced: bool) -> dict[str, Any] | None:
    """Metadata of any form as it is stored; None if there is anything to say of it."""
    try:
        meta, unknown = clean_metadata(raw, "metadata", ("metadata",))
    except Malformed:
        return None
    if unknown or (meta.get("namespace") and not namespaced) or finalizer_warnings(meta.get("finalizers") or []):
        return None
    if check_metadata(meta, "metadata", ("metadata",), namespaced=namespaced):
        return None
    return {key: item for key, item in meta.items() if key not in SERVER_ASSIGNED}


def name_is_good(name: Any) -> bool:
    """Whether an object's name is one that custom resources take."""
    return type(name) is str and len(name) <= 253 and _subdomain(name) is not None


def namespace_is_good(name: Any) -> bool:
    """Whether a namespace's name is well-formed."""
    return type(name) is str and len(name) <= 63 and _dns_label(name) is not None


def labels_are_plain(labels: Any) -> bool:
    """Whether labels are a non-empty map of well-formed keys and values."""
    if type(labels) is not dict or not labels:
        return False
    for key, value in labels.items():
        if key not in _good_keys and not key_is_good(key):
            return False
        if (type(value) is not str or value not in _good_values) and not label_value_is_good(value):
            return False
    return True


def annotations_are_plain(annotations: Any) -> bool:
    """Whether annotations are a non-empty map of well-formed keys to texts of moderate size."""
    if type(annotations) is not dict or not annotations:
        return False
    size = 0
    for key, value in annotations.items():
        if key not in _good_keys and not key_is_good(key):
            return False
        if type(value) is not str:
            return False
        size += len(value)
    return size + 256 * len(annotations) < _ANNOTATIONS_LIMIT // 4


def key_is_good(key: Any) -> bool:
    """Whether a label key is well-formed; remembers those that are."""
    if type(key) is not str or qualified_name_complaints(key):
        return False
    if len(_good_keys) < _MEMORY:
        _good_keys.add(key)
    return True


def label_value_is_good(value: Any) -> bool:
    """Whether a label's value is well-formed; remembers those that are."""
    if type(value) is not str:
        return False
    if value in _good_values:
        return True
    if len(value) > 63 or _qualified(value) is None:
        return False
    if len(_good_values) < _MEMORY:
        _good_values.add(value)
    return True
