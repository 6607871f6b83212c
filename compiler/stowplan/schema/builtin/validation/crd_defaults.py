"""Defaults inside the schema of a CustomResourceDefinition: each must be what its own schema allows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stowplan.schema.verdict import FieldError

from .report import Report

__all__ = ["check_defaults"]

Schema = Mapping[str, Any]
_EITHER = "must be of type integer,string"
"""What the server does not ask of defaults."""


def check_defaults(schema: Schema, path: str, report: Report, *, resource: bool = False) -> None:
    """The default at a schema of sound form, and those of its members and items; `resource` at the root."""
    default = schema.get("default")
    if default is not None:
        if _has_unknown(schema, default):
            report.invalid(f"{path}.default", default, "must not have unknown fields")
        nameless = [key for key in ("apiVersion", "kind") if isinstance(default, Mapping) and key not in default]
        if nameless and (resource or schema.get("x-kubernetes-embedded-resource")):
            for key in nameless:
                report.required(f"{path}.default.{key}")
        else:
            report.errors += _complaints(schema, default, f"{path}.default", report.minor)
    if isinstance(schema.get("items"), Mapping):
        check_defaults(schema["items"], f"{path}.items", report)
    for name, part in (schema.get("properties") or {}).items():
        check_defaults(part or {}, f"{path}.properties[{name}]", report)


def _has_unknown(schema: Schema, value: Any) -> bool:
    if schema.get("x-kubernetes-preserve-unknown-fields"):
        return False
    if isinstance(value, Mapping):
        properties, additional = schema.get("properties") or {}, schema.get("additionalProperties")
        for name, item in value.items():
            inner = properties.get(name, additional)
            if not inner or (isinstance(inner, Mapping) and _has_unknown(inner, item)):
                return True
    if isinstance(value, list) and isinstance(schema.get("items"), Mapping):
        return any(_has_unknown(schema["items"], item) for item in value)
    return False


def _complaints(schema: Schema, default: Any, place: str, minor: int) -> list[FieldError]:
    """What the schema says against its own default, and then its rules."""
    from stowplan.schema.checking import check_value
    from stowplan.schema.comparing import UNRELATED
    from stowplan.schema.engine import Engine
    from stowplan.schema.node import NodePool, intern_schema
    from stowplan.schema.rulewalk import run_rules

    nodes: list[dict[str, Any]] = []
    try:
        index = intern_schema(schema, nodes, {})
        pool = NodePool(nodes)
        found = check_value(default, pool[index], "", (), minor).errors
        if not found:
            found = run_rules(Engine(pool, minor), pool[index], default, UNRELATED)[0]
    except (KeyError, TypeError, ValueError, AttributeError):
        return []
    kept = [error for error in found if _EITHER not in error.message]
    return [error._replace(field=_below(place, error.field), pointer=()) for error in kept]


def _below(place: str, field: str) -> str:
    if not field or field == "<nil>":
        return place
    return f"{place}{field}" if field.startswith("[") else f"{place}.{field}"
