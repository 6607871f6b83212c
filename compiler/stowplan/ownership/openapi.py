"""Structural facts read from the OpenAPI schema of a CustomResourceDefinition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from stowplan.ownership.typefacts import DEDUCED, METADATA, ListFacts, MapFacts, TypeFacts, TypeNode

__all__ = ["facts_of_crd", "facts_of_schema"]

_SCALARS: Final[Mapping[str, str]] = {
    "string": "string",
    "integer": "numeric",
    "number": "numeric",
    "boolean": "boolean",
}
_STRING: Final = TypeNode("string")
_ENVELOPE: Final[Mapping[str, TypeFacts]] = {"apiVersion": _STRING, "kind": _STRING, "metadata": METADATA}
"""What an API server knows of every object, whatever its schema says."""


def facts_of_crd(definition: Mapping[str, Any], version: str) -> tuple[TypeFacts, bool] | None:
    """The facts of one version of a CRD, and whether status is a subresource; None when the version has no schema."""
    for candidate in definition["spec"].get("versions", ()):
        if candidate["name"] == version:
            schema = (candidate.get("schema") or {}).get("openAPIV3Schema")
            if schema is None:
                return None
            return facts_of_schema(schema, root=True), "status" in (candidate.get("subresources") or {})
    return None


def facts_of_schema(schema: Mapping[str, Any], *, root: bool = False, open_fields: bool = False) -> TypeFacts:
    """The facts of one schema node; `open_fields` says that an ancestor keeps fields it does not name."""
    open_fields = open_fields or bool(schema.get("x-kubernetes-preserve-unknown-fields"))
    form: str = schema.get("type") or ""
    if form == "array":
        return TypeNode(list_=_list_facts(schema, open_fields))
    if form == "object" or root:
        return TypeNode(
            map_=_map_facts(schema, open_fields, root or bool(schema.get("x-kubernetes-embedded-resource")))
        )
    if form in _SCALARS and not schema.get("x-kubernetes-int-or-string"):
        return TypeNode(_SCALARS[form])
    return DEDUCED


def _list_facts(schema: Mapping[str, Any], open_fields: bool) -> ListFacts:
    items: Mapping[str, Any] = schema.get("items") or {}
    kind = schema.get("x-kubernetes-list-type")
    keys = tuple(schema.get("x-kubernetes-list-map-keys") or ()) if kind == "map" else ()
    properties: Mapping[str, Any] = items.get("properties") or {}
    defaults = {key: properties[key]["default"] for key in keys if "default" in properties.get(key, {})}
    made: list[TypeFacts] = []

    def element() -> TypeFacts:
        if not made:
            made.append(facts_of_schema(items, open_fields=open_fields))
        return made[0]

    return ListFacts(kind in ("map", "set"), keys, element, defaults)


def _map_facts(schema: Mapping[str, Any], open_fields: bool, envelope: bool) -> MapFacts:
    properties: Mapping[str, Any] = schema.get("properties") or {}
    additional = schema.get("additionalProperties")
    made: list[TypeFacts | None] = []

    def declared(name: str) -> TypeFacts | None:
        if envelope and name in _ENVELOPE:
            return _ENVELOPE[name]
        found = properties.get(name)
        return None if found is None else facts_of_schema(found, open_fields=open_fields)

    def element() -> TypeFacts | None:
        if not made:
            made.append(_entry_facts(additional, open_fields, bool(properties)))
        return made[0]

    return MapFacts(schema.get("x-kubernetes-map-type") == "atomic", declared, element)


def _entry_facts(additional: Any, open_fields: bool, has_properties: bool) -> TypeFacts | None:
    if isinstance(additional, dict):
        return facts_of_schema(additional, open_fields=open_fields)
    if additional is True or open_fields or not has_properties:
        return DEDUCED
    return None
