"""Rules of the schema inside a CustomResourceDefinition: structural form, list and map keywords, CEL rules."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .report import Report, Struct

__all__ = ["check_schema", "field_at"]

Schema = Mapping[str, Any]
_TYPES = ("array", "boolean", "integer", "number", "object", "string")
_REASONS = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")
_ALTERNATIVES = ("allOf", "anyOf", "oneOf")
_MAXIMUM_DEPTH = 100
_META = "must not specify anything other than name and generateName, but metadata is implicitly specified"
_EMBEDDED = "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"
_UNIQUE = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
_VALUE_KEYWORDS = ("type", "default", "title", "description", "nullable")


def check_schema(schema: Schema, path: str, report: Report, *, status: bool) -> None:
    """A version's schema; `status` tells whether the version has the status subresource."""
    kind = schema.get("type") or ""
    if status and kind and kind != "object":
        detail = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
        report.invalid(f"{path}.type", kind, detail)
    draft = Report()
    _check_node(schema, path, draft, "at the root", 0, compiled=None)
    _check_node(schema, path, report, "at the root", 0, compiled=not draft.errors)


def _check_node(schema: Schema, path: str, report: Report, place: str, depth: int, *, compiled: bool | None) -> None:
    """A schema and those inside; its rules are left out with None, and `compiled` only where the form is sound."""
    if depth > _MAXIMUM_DEPTH:
        report.forbidden(path, "the schema is nested too deeply")
        return
    _check_keywords(schema, path, report)
    for keyword in _ALTERNATIVES:
        for position, part in enumerate(schema.get(keyword) or ()):
            if isinstance(part, Mapping) and not (keyword == "anyOf" and _is_int_or_string(schema)):
                _check_value(part, f"{path}.{keyword}[{position}]", report)
    if isinstance(schema.get("not"), Mapping):
        _check_value(schema["not"], f"{path}.not", report)
    _check_type(schema, path, report, place)
    _check_list(schema, path, report)
    _check_map(schema, path, report)
    if compiled is not None:
        _check_rules(schema, path, report, root=place == "at the root", compiled=compiled)
    _check_default(schema, path, report)
    _check_children(schema, path, report, place, depth, compiled)


def _check_keywords(schema: Schema, path: str, report: Report) -> None:
    if schema.get("$ref") is not None:
        report.forbidden(f"{path}.$ref", "$ref is not supported")
    for keyword in ("definitions", "dependencies", "patternProperties", "additionalItems"):
        if schema.get(keyword) is not None:
            report.forbidden(f"{path}.{keyword}", f"{keyword} is not supported")
    if isinstance(schema.get("items"), list):
        report.forbidden(f"{path}.items", "items must be a schema object and not an array")
    if schema.get("uniqueItems"):
        report.forbidden(f"{path}.uniqueItems", _UNIQUE)
    if schema.get("additionalProperties") is not None and schema.get("properties"):
        detail = "additionalProperties and properties are mutual exclusive"
        report.forbidden(f"{path}.additionalProperties", detail)
    if schema.get("x-kubernetes-preserve-unknown-fields") is False:
        report.invalid(f"{path}.x-kubernetes-preserve-unknown-fields", False, "must be true or undefined")
    pattern = schema.get("pattern")
    if pattern:
        try:
            re.compile(pattern)
        except (re.error, RecursionError, OverflowError) as problem:
            report.invalid(f"{path}.pattern", pattern, f"must be a valid regular expression, but isn't: {problem}")


def _check_type(schema: Schema, path: str, report: Report, place: str) -> None:
    kind = schema.get("type") or ""
    loose = schema.get("x-kubernetes-int-or-string") or schema.get("x-kubernetes-preserve-unknown-fields")
    if schema.get("x-kubernetes-embedded-resource"):
        if not kind:
            report.required(f"{path}.type", "must be object if x-kubernetes-embedded-resource is true")
        elif kind != "object":
            detail = "must be object if x-kubernetes-embedded-resource is true"
            report.invalid(f"{path}.type", kind, detail)
        if not schema.get("x-kubernetes-preserve-unknown-fields") and not schema.get("properties"):
            report.required(f"{path}.properties", _EMBEDDED)
    if place == "at the root":
        if not kind:
            report.required(f"{path}.type", "must not be empty at the root")
        elif kind != "object":
            report.invalid(f"{path}.type", kind, "must be object at the root")
    elif not kind and not loose and schema.get("$ref") is None:
        report.required(f"{path}.type", f"must not be empty {place}")
    if kind and kind not in _TYPES:
        report.unsupported(f"{path}.type", kind, _TYPES)
    if kind and schema.get("x-kubernetes-int-or-string"):
        detail = "must be empty if x-kubernetes-int-or-string is true"
        report.invalid(f"{path}.type", kind, detail)
    if kind == "array" and schema.get("items") is None:
        report.required(f"{path}.items", "must be specified")


def _check_list(schema: Schema, path: str, report: Report) -> None:
    kind, list_type, keys = (
        schema.get("type") or "",
        schema.get("x-kubernetes-list-type"),
        schema.get("x-kubernetes-list-map-keys") or (),
    )
    place = f"{path}.x-kubernetes-list-type"
    if list_type is not None:
        if not kind:
            report.required(f"{path}.type", "must be array if x-kubernetes-list-type is specified")
        elif kind != "array":
            report.invalid(f"{path}.type", kind, "must be array if x-kubernetes-list-type is specified")
        report.choice(place, list_type, ("atomic", "set", "map"))
    if keys and list_type != "map":
        detail = "must be map if x-kubernetes-list-map-keys is non-empty"
        if list_type is None:
            report.required(place, detail)
        else:
            report.invalid(place, list_type, detail)
    if list_type != "map":
        return
    if not keys:
        report.required(f"{path}.x-kubernetes-list-map-keys", "must not be empty if x-kubernetes-list-type is map")
    items = schema.get("items")
    if not isinstance(items, Mapping):
        report.required(f"{path}.items", "must have a schema if x-kubernetes-list-type is map")
        return
    if items.get("type") != "object":
        detail = "must be object if parent array's x-kubernetes-list-type is map"
        report.invalid(f"{path}.items.type", items.get("type") or "", detail)
    properties = items.get("properties") or {}
    if any(key not in properties for key in keys):
        detail = "entries must all be names of item properties"
        report.invalid(f"{path}.x-kubernetes-list-map-keys", list(keys), detail)
    _check_map_keys(items, keys, path, report)


def _check_map_keys(items: Schema, keys: Sequence[str], path: str, report: Report) -> None:
    required = items.get("required") or ()
    for key in keys:
        member = (items.get("properties") or {}).get(key)
        if member is None:
            continue
        place = f"{path}.items.properties[{key}]"
        if member.get("default") is None and key not in required:
            detail = (
                "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"
            )
            report.required(f"{place}.default", detail)


def _check_map(schema: Schema, path: str, report: Report) -> None:
    map_type = schema.get("x-kubernetes-map-type")
    if map_type is None:
        return
    kind = schema.get("type") or ""
    if not kind:
        report.required(f"{path}.type", "must be object if x-kubernetes-map-type is specified")
    elif kind != "object":
        report.invalid(f"{path}.type", kind, "must be object if x-kubernetes-map-type is specified")
    report.choice(f"{path}.x-kubernetes-map-type", map_type, ("atomic", "granular"))


def _is_int_or_string(schema: Schema) -> bool:
    """The one form in which `anyOf` may say what a value is."""
    alternatives = [part.get("type") for part in schema["anyOf"] if isinstance(part, Mapping)]
    return bool(schema.get("x-kubernetes-int-or-string")) and alternatives == ["integer", "string"]


def _check_value(schema: Schema, path: str, report: Report) -> None:
    """A part of `anyOf` and the like may only restrict values, not say what they are."""
    for keyword in _VALUE_KEYWORDS:
        if schema.get(keyword):
            report.forbidden(f"{path}.{keyword}", "must be empty to be structural")
    for name in sorted(schema.get("properties") or {}):
        _check_value(schema["properties"][name], f"{path}.properties[{name}]", report)
    if isinstance(schema.get("items"), Mapping):
        _check_value(schema["items"], f"{path}.items", report)


def _check_children(schema: Schema, path: str, report: Report, place: str, depth: int, compiled: bool | None) -> None:
    properties = schema.get("properties") or {}
    for name in sorted(properties):
        child = properties[name]
        where = f"{path}.properties[{name}]"
        if name == "metadata" and (place == "at the root" or schema.get("x-kubernetes-embedded-resource")):
            _check_metadata(child, where, report)
            continue
        if isinstance(child, Mapping):
            _check_node(child, where, report, "for specified object fields", depth + 1, compiled=compiled)
    if isinstance(schema.get("items"), Mapping):
        _check_node(schema["items"], f"{path}.items", report, "for specified array items", depth + 1, compiled=compiled)
    additional = schema.get("additionalProperties")
    if isinstance(additional, Mapping):
        where = f"{path}.additionalProperties"
        _check_node(additional, where, report, "for specified object fields", depth + 1, compiled=compiled)


def _check_metadata(schema: Schema, path: str, report: Report) -> None:
    allowed = {"name", "generateName"}
    others = [key for key in schema if schema[key] and key not in ("type", "properties", "description")]
    if others or set(schema.get("properties") or ()) - allowed:
        report.forbidden(path, _META)


def _check_default(schema: Schema, path: str, report: Report) -> None:
    default = schema.get("default")
    if default is None:
        return
    if schema.get("multipleOf") == 0:
        detail = "factor MultipleOf declared for  must be positive: 0"
        report.invalid(f"{path}.default", default, detail)
        return
    if _has_unknown(schema, default, 0):
        report.invalid(f"{path}.default", default, "must not have unknown fields")


def _has_unknown(schema: Schema, value: Any, depth: int) -> bool:
    if depth > _MAXIMUM_DEPTH or schema.get("x-kubernetes-preserve-unknown-fields"):
        return False
    if isinstance(value, Mapping):
        properties, additional = schema.get("properties") or {}, schema.get("additionalProperties")
        for name, item in value.items():
            if name in properties:
                if _has_unknown(properties[name], item, depth + 1):
                    return True
            elif isinstance(additional, Mapping):
                if _has_unknown(additional, item, depth + 1):
                    return True
            elif not additional:
                return True
    if isinstance(value, list) and isinstance(schema.get("items"), Mapping):
        return any(_has_unknown(schema["items"], item, depth + 1) for item in value)
    return False


def _check_rules(schema: Schema, path: str, report: Report, *, root: bool, compiled: bool) -> None:
    for position, rule in enumerate(schema.get("x-kubernetes-validations") or ()):
        place = f"{path}.x-kubernetes-validations[{position}]"
        text, message = rule.get("rule") or "", rule.get("message") or ""
        if not text.strip():
            report.required(f"{place}.rule", "rule is not specified")
        elif message and not message.strip():
            report.invalid(f"{place}.message", message, "message must be non-empty if specified")
        elif "\n" in message.strip():
            report.invalid(f"{place}.message", message, "message must not contain line breaks")
        elif "\n" in text.strip() and not message:
            report.required(f"{place}.message", "message must be specified if rule contains line breaks")
        if rule.get("reason") is not None and rule["reason"] not in _REASONS:
            report.unsupported(f"{place}.reason", rule["reason"], _REASONS)
        if rule.get("fieldPath") and field_at(schema, rule["fieldPath"]) is None:
            report.invalid(f"{place}.fieldPath", rule["fieldPath"], "must be a valid path")
        sound = not compiled or not text.strip() or _compile_rule(schema, rule, place, report, root)
        if rule.get("optionalOldSelf") is not None and not (sound and re.search(r"\boldSelf\b", text)):
            detail = "may not be set if oldSelf is not used in rule"
            report.invalid(f"{place}.optionalOldSelf", rule["optionalOldSelf"], detail)


def _compile_rule(schema: Schema, rule: Schema, path: str, report: Report, root: bool) -> bool:
    """Compile a rule against the schema it stands in; whether that worked."""
    from stowplan.cel.declarations import Declarations
    from stowplan.cel.problem import CelCompileError
    from stowplan.cel.program import compile_expression
    from stowplan.cel.types import BOOL, OptionalType
    from stowplan.schema.declared import cel_type
    from stowplan.schema.node import NodePool, intern_schema

    from .expressions import worded

    nodes: list[dict[str, Any]] = []
    try:
        index = intern_schema(schema, nodes, {})
        kind = cel_type(NodePool(nodes)[index], root=root)
    except (KeyError, TypeError, ValueError, AttributeError):
        return True  # the schema itself is refused
    if kind is None:
        return True
    old = OptionalType(kind) if rule.get("optionalOldSelf") else kind
    try:
        compile_expression(rule["rule"], Declarations({"self": kind, "oldSelf": old}), minor=36, expect=BOOL)
    except CelCompileError as refusal:
        members = ("rule", "message", "messageExpression", "reason", "fieldPath", "optionalOldSelf")
        empty = {"reason": None, "optionalOldSelf": None}
        value = Struct({name[0].upper() + name[1:]: rule.get(name, empty.get(name, "")) for name in members})
        shown = "\n".join(worded(problem, rule["rule"]) for problem in refusal.problems)
        report.invalid(f"{path}.rule", value, f"compilation failed: {shown}")
        return False
    return True


def field_at(schema: Schema, path: str) -> Schema | None:
    """The schema of the field a simple path like `.spec.n` leads to, or None."""
    current: Any = schema
    for step in re.findall(r"\.([^.\[\]]+)|\['([^']*)'\]", path):
        name = step[0] or step[1]
        properties = current.get("properties") if isinstance(current, Mapping) else None
        additional = current.get("additionalProperties") if isinstance(current, Mapping) else None
        if isinstance(properties, Mapping) and name in properties:
            current = properties[name]
        elif isinstance(additional, Mapping):
            current = additional
        else:
            return None
    return current if isinstance(current, Mapping) and current is not schema else None
