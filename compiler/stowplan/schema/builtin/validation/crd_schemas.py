"""Rules of the schema inside a CustomResourceDefinition: its keywords, then its structure, its defaults, and its rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .crd_costs import Spending, times_inside
from .crd_defaults import check_defaults
from .crd_rules import check_rule_texts, compile_rules, field_at
from .crd_structure import check_structure, unreadable
from .report import Report

__all__ = ["check_schema", "field_at"]

Schema = Mapping[str, Any]
_TYPES = ("array", "boolean", "integer", "number", "object", "string")
_MAXIMUM_DEPTH = 100
_UNIQUE = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
_ROOT = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
_AT_ROOT = (
    *("Description", "Type", "Format", "Title", "Maximum", "ExclusiveMaximum", "Minimum", "ExclusiveMinimum"),
    *("MaxLength", "MinLength", "Pattern", "MaxItems", "MinItems", "UniqueItems", "MultipleOf", "Required", "Items"),
    *("Properties", "ExternalDocs", "Example", "XPreserveUnknownFields", "XValidations"),
)
_NAMES_AT_ROOT = frozenset(
    (
        "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-validations",
        *(name[0].lower() + name[1:] for name in _AT_ROOT),
    )
)
_KEY = "this property is in x-kubernetes-list-map-keys, so it "
_MADE_NOT_GIVEN = "must have a default or be a required property"


def check_schema(schema: Schema, path: str, report: Report, *, status: bool) -> None:
    """A version's schema; `status` tells whether the version has the status subresource."""
    start = len(report.errors)
    if status:
        _check_root(schema, path, report)
    if schema.get("nullable"):
        report.forbidden(f"{path}.nullable", "nullable cannot be true at the root")
    before, reason = len(report.errors), unreadable(schema)
    if not reason:
        check_structure(schema, path, report)
        if len(report.errors) == before:
            check_defaults(schema, path, report, resource=True)
    walk = _Walk(report, compiled=not reason and len(report.errors) == before)
    walk.visit(schema, path, root=True)
    report.errors += walk.late
    walk.spending.close(path, report)
    if reason and len(report.errors) == start:
        report.invalid(path, "", reason)


def _check_root(schema: Schema, path: str, report: Report) -> None:
    """With the status subresource the root may say little, for the status is judged without it."""
    for keyword, value in schema.items():
        if keyword == "type":
            if value and value != "object":
                report.invalid(f"{path}.type", value, _ROOT)
                return
        elif keyword not in _NAMES_AT_ROOT and value not in (None, False, ""):
            detail = f"only [{' '.join(_AT_ROOT)}] fields are allowed at the root of the schema if the status subresource is enabled"
            report.invalid(path, dict(schema), detail)
            return


class _Walk:
    """One pass over a schema and those inside; rules are compiled where nothing at or below them is wrong."""

    def __init__(self, report: Report, *, compiled: bool) -> None:
        self._report, self._compiled = report, compiled
        self._late = Report(report.minor)
        self.spending = Spending()

    @property
    def late(self) -> list[Any]:
        """What rules were found to be wrong with; it comes after the rest."""
        return self._late.errors

    def visit(
        self,
        schema: Schema,
        path: str,
        depth: int = 0,
        *,
        root: bool = False,
        meta: bool = False,
        no_default: str | None = None,
        loose: str = "",
        compiled: bool = True,
        count: int | None = 1,
    ) -> None:
        """A schema; `meta` below metadata, `no_default` why it may have none, `loose` where values are not followed.

        In one object it is there `count` times at most; None where nothing limits that.
        """
        report = self._report
        if depth > _MAXIMUM_DEPTH:
            report.forbidden(path, "the schema is nested too deeply")
            return
        before = len(report.errors)
        _check_keywords(schema, path, report, meta=meta)
        if schema.get("default") is not None and no_default is not None:
            report.forbidden(f"{path}.default", f"must not be set {no_default}")
        inside: dict[str, Any] = {"meta": meta, "no_default": no_default, "loose": loose, "compiled": compiled}
        inside["count"] = times_inside(schema, count)
        self._visit_inner(schema, path, depth + 1, root, inside)
        if schema.get("x-kubernetes-preserve-unknown-fields") is False:
            report.invalid(f"{path}.x-kubernetes-preserve-unknown-fields", False, "must be true or undefined")
        _check_map(schema, path, report)
        _check_list(schema, path, report)
        check_rule_texts(schema, path, report)
        if self._compiled and compiled and len(report.errors) == before:
            compile_rules(schema, path, self._late, self.spending, root=root, loose=loose, count=count)

    def _visit_inner(self, schema: Schema, path: str, depth: int, root: bool, inside: dict[str, Any]) -> None:
        additional, items = schema.get("additionalProperties"), schema.get("items")
        if isinstance(additional, Mapping):
            reason = "inside additionalProperties applying to object metadata" if inside["meta"] else None
            own = inside | {"no_default": reason or inside["no_default"]}
            self.visit(additional, f"{path}.additionalProperties", depth, **own)
        is_resource = root or bool(schema.get("x-kubernetes-embedded-resource"))
        for name, part in sorted((schema.get("properties") or {}).items()):
            own = dict(inside)
            if schema.get("x-kubernetes-map-type") == "atomic":
                own["loose"] = inside["loose"] or path
            if is_resource and name in ("metadata", "kind", "apiVersion"):
                own |= {"meta": True} | ({"no_default": f"in top-level {name}"} if root else {})
            self.visit(part or {}, f"{path}.properties[{name}]", depth, **own)
        uncompiled = inside | {"compiled": False}
        if isinstance(schema.get("not"), Mapping):
            self.visit(schema["not"], f"{path}.not", depth, **uncompiled)
        for keyword in ("allOf", "oneOf", "anyOf"):
            for position, part in enumerate(schema.get(keyword) or ()):
                self.visit(part or {}, f"{path}.{keyword}[{position}]", depth, **uncompiled)
        for keyword in ("definitions", "dependencies"):
            for name, part in sorted((schema.get(keyword) or {}).items()):
                if isinstance(part, Mapping):
                    self.visit(part, f"{path}.{keyword}[{name}]", depth, **uncompiled)
        own = inside if schema.get("x-kubernetes-list-type") == "map" else inside | {"loose": inside["loose"] or path}
        if isinstance(items, Mapping):
            self.visit(items, f"{path}.items", depth, **own)
        for position, part in enumerate(items if isinstance(items, list) else ()):
            self.visit(part, f"{path}.items[{position}]", depth, **own)


def _check_keywords(schema: Schema, path: str, report: Report, *, meta: bool) -> None:
    kind = schema.get("type") or ""
    if kind and kind not in _TYPES:
        report.unsupported(f"{path}.type", kind, _TYPES, plain=True)
    if schema.get("id"):
        report.forbidden(f"{path}.id", "id is not supported")
    for keyword in ("additionalItems", "patternProperties", "definitions", "dependencies", "$ref"):
        if schema.get(keyword) is not None:
            report.forbidden(f"{path}.{keyword}", f"{keyword} is not supported")
    if kind == "null":
        report.forbidden(f"{path}.type", "type cannot be set to null, use nullable as an alternative")
    if isinstance(schema.get("items"), list) and schema["items"]:
        report.forbidden(f"{path}.items", "items must be a schema object and not an array")
    if meta and schema.get("x-kubernetes-embedded-resource"):
        detail = "must not be used inside of resource meta"
        report.forbidden(f"{path}.x-kubernetes-embedded-resource", detail)
    if schema.get("uniqueItems"):
        report.forbidden(f"{path}.uniqueItems", _UNIQUE)
    additional = schema.get("additionalProperties")
    if additional is not None and additional is not True and schema.get("properties"):
        detail = "additionalProperties and properties are mutual exclusive"
        report.forbidden(f"{path}.additionalProperties", detail)


def _check_map(schema: Schema, path: str, report: Report) -> None:
    map_type, kind = schema.get("x-kubernetes-map-type"), schema.get("type") or ""
    if map_type is None:
        return
    _check_holder(kind, "object", "x-kubernetes-map-type", path, report)
    if map_type not in ("atomic", "granular"):
        report.unsupported(f"{path}.x-kubernetes-map-type", map_type, ("atomic", "granular"), plain=True)


def _check_holder(kind: str, wanted: str, keyword: str, path: str, report: Report) -> None:
    detail = f"must be {wanted} if {keyword} is specified"
    if not kind:
        report.required(f"{path}.type", detail)
    elif kind != wanted:
        report.invalid(f"{path}.type", kind, detail)


def _check_list(schema: Schema, path: str, report: Report) -> None:
    list_type, keys = schema.get("x-kubernetes-list-type"), schema.get("x-kubernetes-list-map-keys") or ()
    place, items = f"{path}.x-kubernetes-list-type", schema.get("items")
    if list_type is not None:
        _check_holder(schema.get("type") or "", "array", "x-kubernetes-list-type", path, report)
        if list_type == "set" and schema.get("type") == "array" and isinstance(items, Mapping):
            _check_set_items(items, path, report)
        if list_type not in ("atomic", "set", "map"):
            report.unsupported(place, list_type, ("atomic", "set", "map"), plain=True)
    if keys and list_type != "map":
        detail = "must be map if x-kubernetes-list-map-keys is non-empty"
        if list_type is None:
            report.required(place, detail)
        else:
            report.invalid(place, list_type, detail)
    if list_type == "map":
        _check_keyed(items, keys, path, report)
    if list_type in ("set", "map") and isinstance(items, Mapping):
        _check_identity(items, list_type, keys, path, report)


def _check_set_items(items: Schema, path: str, report: Report) -> None:
    detail = "must be atomic as item of a list with x-kubernetes-list-type=set"
    inner = items.get("x-kubernetes-list-type")
    if items.get("type") == "array" and inner not in (None, "atomic"):
        report.invalid(f"{path}.items.x-kubernetes-list-type", inner, detail)
    if items.get("type") == "object" and items.get("x-kubernetes-map-type") != "atomic":
        report.invalid(f"{path}.items.x-kubernetes-map-type", inner, detail)  # the server shows the other keyword


def _check_keyed(items: Any, keys: Sequence[str], path: str, report: Report) -> None:
    place = f"{path}.x-kubernetes-list-map-keys"
    if not keys:
        report.required(place, "must not be empty if x-kubernetes-list-type is map")
    if items is None:
        report.required(f"{path}.items", "must have a schema if x-kubernetes-list-type is map")
    if not isinstance(items, Mapping):
        return
    kind, properties = items.get("type") or "", items.get("properties") or {}
    if kind != "object":
        detail = "must be object if parent array's x-kubernetes-list-type is map"
        report.invalid(f"{path}.items.type", kind, detail)
        return
    for position, key in enumerate(keys):
        if key not in properties:
            report.invalid(place, list(keys), "entries must all be names of item properties")
        elif (properties[key] or {}).get("type") in ("array", "object"):
            detail = "must be a scalar type if parent array's x-kubernetes-list-type is map"
            report.invalid(f"{path}.items.properties[{key}].type", kind, detail)
        if key in keys[:position]:
            report.invalid(place, list(keys), "must not contain duplicate entries")


def _check_identity(items: Schema, list_type: str, keys: Sequence[str], path: str, report: Report) -> None:
    """What tells items apart must be there."""
    if items.get("nullable"):
        report.forbidden(f"{path}.items.nullable", f"cannot be nullable when x-kubernetes-list-type is {list_type}")
    for key in keys if list_type == "map" else ():
        member = (items.get("properties") or {}).get(key)
        if member is None:
            continue
        place = f"{path}.items.properties[{key}]"
        if key not in (items.get("required") or ()) and member.get("default") is None:
            report.required(f"{place}.default", _KEY + _MADE_NOT_GIVEN)
        if member.get("nullable"):
            report.forbidden(f"{place}.nullable", f"{_KEY}cannot be nullable")
