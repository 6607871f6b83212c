"""Rules of the form that the schema inside a CustomResourceDefinition must have: one structure, which the rest restricts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .report import Report

__all__ = ["check_structure", "unreadable"]

Schema = Mapping[str, Any]
ROOT, ITEM, FIELD = "at the root", "for specified array items", "for specified object fields"
_ALTERNATIVES = ("anyOf", "allOf", "oneOf")
_MAXIMUM_DEPTH = 100
_META = "must not specify anything other than name and generateName, but metadata is implicitly specified"
_EMBEDDED = "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"
_OBJECT = "must be object if x-kubernetes-embedded-resource is true"
_LOOSE = ("x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields")
_UNSUPPORTED = ("id", "$schema", "$ref", "patternProperties", "dependencies", "additionalItems", "definitions")
_EMPTY = ("type", "title", "description", "x-kubernetes-list-map-keys", "x-kubernetes-validations")
_UNDEFINED = ("default", "x-kubernetes-list-type", "x-kubernetes-map-type")
_FALSE = ("nullable", *_LOOSE, "x-kubernetes-embedded-resource")


def unreadable(schema: Schema, depth: int = 0) -> str:
    """Why the server cannot read the schema as a structure, or nothing."""
    if depth > _MAXIMUM_DEPTH:
        return "the schema is nested too deeply"
    for keyword in _UNSUPPORTED:
        if schema.get(keyword) or (keyword == "additionalItems" and schema.get(keyword) is not None):
            return (
                f"OpenAPIV3Schema '{keyword.removeprefix('$') if keyword == '$schema' else keyword}' is not supported"
            )
    if schema.get("x-kubernetes-preserve-unknown-fields") is False:
        return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
    if isinstance(schema.get("items"), list) and schema["items"]:
        return "OpenAPIV3Schema 'items' must be a schema, but is an array"
    return next((why for part in _parts(schema) if (why := unreadable(part, depth + 1))), "")


def _parts(schema: Schema) -> Iterator[Schema]:
    """Every schema inside."""
    beside = [schema.get(keyword) for keyword in ("not", "items", "additionalProperties")]
    beside += [part for keyword in _ALTERNATIVES for part in schema.get(keyword) or ()]
    for part in (*beside, *(schema.get("properties") or {}).values()):
        if isinstance(part, Mapping):
            yield part


def check_structure(schema: Schema, path: str, report: Report) -> None:
    """A schema that can be read, from its root."""
    _check_node(schema, path, report, ROOT)
    _check_complete(schema, schema, path, path, report)


def _check_node(schema: Schema, path: str, report: Report, place: str) -> None:
    kind, items, additional = (schema.get(keyword) for keyword in ("type", "items", "additionalProperties"))
    if kind == "array" and items is None:
        report.required(f"{path}.items", "must be specified")
    if isinstance(items, Mapping):
        _check_node(items, f"{path}.items", report, ITEM)
    for name, part in (schema.get("properties") or {}).items():
        _check_node(part or {}, f"{path}.properties[{name}]", report, FIELD)
    if additional is not None and place == ROOT:
        report.forbidden(f"{path}.additionalProperties", "must not be used at the root")
    if isinstance(additional, Mapping):
        _check_node(additional, f"{path}.additionalProperties", report, FIELD)
    if schema.get(_LOOSE[0]):
        for keyword in (_LOOSE[1], "x-kubernetes-embedded-resource"):
            if schema.get(keyword):
                report.invalid(f"{path}.{keyword}", True, "must be false if x-kubernetes-int-or-string is true")
    first: Schema = (schema.get("allOf") or ({},))[0] or {}
    _check_restrictions(schema, path, report, _is_either(schema), _is_either(first))
    _check_type(schema, path, report, place)
    _check_named(schema, path, report, place)


def _check_type(schema: Schema, path: str, report: Report, place: str) -> None:
    kind, embedded = schema.get("type") or "", schema.get("x-kubernetes-embedded-resource")
    if embedded and kind != "object":
        if kind:
            report.invalid(f"{path}.type", kind, _OBJECT)
        else:
            report.required(f"{path}.type", _OBJECT)
    elif not kind and not any(schema.get(keyword) for keyword in _LOOSE):
        report.required(f"{path}.type", f"must not be empty {place}")
    if embedded and schema.get("additionalProperties") is not None:
        detail = "must not be used if x-kubernetes-embedded-resource is set"
        report.forbidden(f"{path}.additionalProperties", detail)
    if place == ROOT and kind and kind != "object":
        report.invalid(f"{path}.type", kind, "must be object at the root")
    if embedded and not schema.get("x-kubernetes-preserve-unknown-fields") and not schema.get("properties"):
        report.required(f"{path}.properties", _EMBEDDED)


def _check_named(schema: Schema, path: str, report: Report, place: str) -> None:
    """What a resource may say of the members that every resource has."""
    properties = schema.get("properties") or {}
    is_resource = place == ROOT or bool(schema.get("x-kubernetes-embedded-resource"))
    for name in ("kind", "apiVersion"):
        if is_resource and name in properties and (properties[name] or {}).get("type") != "string":
            kind = (properties[name] or {}).get("type") or ""
            report.invalid(f"{path}.properties[{name}].type", kind, "must be string")
    if "metadata" not in properties:
        return
    meta, where = properties["metadata"] or {}, f"{path}.properties[metadata]"
    if is_resource and meta.get("type") != "object":
        report.invalid(f"{where}.type", meta.get("type") or "", "must be object")
    if place == ROOT:
        allowed = set(meta.get("properties") or ()) <= {"name", "generateName"}
        if not allowed or any(value for key, value in meta.items() if key not in ("type", "properties", "default")):
            report.forbidden(where, _META)


def _is_either(schema: Schema) -> bool:
    """Whether the alternatives are an integer and a string, and nothing more is said of them."""
    return [dict(part) for part in schema.get("anyOf") or ()] == [{"type": "integer"}, {"type": "string"}]


def _check_restrictions(
    schema: Schema, path: str, report: Report, free: bool = False, free_first: bool = False
) -> None:
    """Alternatives and a pattern; `free` ones may say that a value is an integer or a string."""
    for keyword in _ALTERNATIVES:
        for position, part in enumerate(schema.get(keyword) or ()):
            if not (keyword == "anyOf" and free):
                first = keyword == "allOf" and position == 0 and free_first
                _check_restriction(part or {}, f"{path}.{keyword}[{position}]", report, free=first)
    if isinstance(schema.get("not"), Mapping):
        _check_restriction(schema["not"], f"{path}.not", report)
    pattern = schema.get("pattern")
    if pattern:
        try:
            re.compile(pattern)
        except (re.error, RecursionError, OverflowError) as problem:
            report.invalid(f"{path}.pattern", pattern, f"must be a valid regular expression, but isn't: {problem}")


def _check_restriction(schema: Schema, path: str, report: Report, *, free: bool = False) -> None:
    """What only restricts values may not say what they are."""
    _check_restrictions(schema, path, report, free)
    if isinstance(schema.get("items"), Mapping):
        _check_restriction(schema["items"], f"{path}.items", report)
    for name, part in (schema.get("properties") or {}).items():
        _check_restriction(part or {}, f"{path}.properties[{name}]", report)
    additional = schema.get("additionalProperties")
    if additional is not None and additional is not False:
        report.forbidden(f"{path}.additionalProperties", "must be undefined to be structural")
    for keywords, wanted in ((_EMPTY, "empty"), (_UNDEFINED, "undefined"), (_FALSE, "false")):
        for keyword in keywords:
            if schema.get(keyword) or (keywords is _UNDEFINED and schema.get(keyword) is not None):
                report.forbidden(f"{path}.{keyword}", f"must be {wanted} to be structural")
    if "metadata" in (schema.get("properties") or ()):
        report.forbidden(f"{path}.properties[metadata]", "must not be specified in a nested context")


def _check_complete(part: Schema, schema: Schema | None, path: str, place: str, report: Report) -> None:
    """What alternatives speak of, the structure must have; `part` restricts `schema`, which stands at `path`."""
    inner = [(part.get("not"), f"{place}.not")]
    for keyword in ("allOf", "anyOf", "oneOf"):
        inner += [(one, f"{place}.{keyword}[{position}]") for position, one in enumerate(part.get(keyword) or ())]
    for one, where in inner:
        if isinstance(one, Mapping):
            _check_covered(one, schema, path, where, report)


def _check_covered(part: Schema, schema: Schema | None, path: str, place: str, report: Report) -> None:
    if schema is None:
        report.required(path, f"because it is defined in {place}")
        return
    _check_complete(part, schema, path, place, report)
    items, known = part.get("items"), schema.get("items")
    if isinstance(items, Mapping):
        own = known if isinstance(known, Mapping) else None
        _check_covered(items, own, f"{path}.items", f"{place}.items", report)
    properties = schema.get("properties") or {}
    for name, one in (part.get("properties") or {}).items():
        step = f"properties[{name}]"
        if name not in properties:
            report.required(f"{path}.{step}", f"because it is defined in {place}.{step}")
        else:
            _check_covered(one or {}, properties[name] or {}, f"{path}.{step}", f"{place}.{step}", report)
