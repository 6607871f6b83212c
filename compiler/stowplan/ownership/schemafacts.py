"""Structural facts taken from the schema packs: built-in kinds, custom kinds, and what no pack knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from stowplan.ownership.typefacts import DEDUCED, METADATA, ListFacts, MapFacts, TypeFacts, TypeNode, once, untyped
from stowplan.schema.builtin import field_facts
from stowplan.schema.kind import KindSchema
from stowplan.schema.node import ABSENT as NO_DEFAULT
from stowplan.source.span import Pointer

__all__ = ["SchemaTypes", "builtin_facts", "custom_facts"]

KindLookup = Callable[[str, str, str], KindSchema | None]
"""The schema of a custom kind by target, apiVersion and kind; None where the target does not serve it."""

_SCALARS: Final[Mapping[str, str]] = {
    "string": "string", "bytes": "string", "time": "string", "boolean": "boolean", "integer": "numeric",
    "number": "numeric",
}  # fmt: skip
_STRING: Final = TypeNode("string")
_SCALAR_NODES: Final[Mapping[str, TypeFacts]] = {name: TypeNode(name) for name in ("string", "boolean", "numeric")}
_ENVELOPE: Final[Mapping[str, TypeFacts]] = {"apiVersion": _STRING, "kind": _STRING, "metadata": METADATA}
_NO_DEFAULT_KEYS: Final = frozenset({"mountPath", "devicePath", "topologyKey", "whenUnsatisfiable"})
_UNTYPED_SCALAR: Final = TypeNode("untyped")


class SchemaTypes:
    """Looks up the facts of any kind on any target; equal schemas give the same facts object."""

    __slots__ = ("_built_in", "_custom", "_known", "_minor")

    def __init__(self, custom: KindLookup, minor: Callable[[str], int]) -> None:
        """`minor` is the Kubernetes minor of a target."""
        self._custom = custom
        self._minor = minor
        self._built_in: dict[tuple[str, str, int], TypeFacts | None] = {}
        self._known: dict[int, tuple[KindSchema, TypeFacts]] = {}

    def __call__(self, target: str, api_version: str, kind: str) -> TypeFacts:
        """The facts of a kind as the target serves it; deduced ones where nothing is known."""
        key = (api_version, kind, self._minor(target))
        if key not in self._built_in:
            self._built_in[key] = builtin_facts(*key)
        found = self._built_in[key]
        if found is not None:
            return found
        schema = self._custom(target, api_version, kind)
        if schema is None:
            return untyped()
        known = self._known.get(id(schema))
        if known is None:
            # The schema is kept beside its facts, so that its id stays its own.
            known = self._known[id(schema)] = (schema, custom_facts(schema))
        return known[1]


def builtin_facts(api_version: str, kind: str, minor: int) -> TypeFacts | None:
    """The facts of a built-in kind of Kubernetes 1.`minor`; None if there is no such kind."""
    if field_facts(api_version, kind, (), minor) is None:
        return None

    def at(pointer: Pointer) -> TypeFacts | None:
        place = field_facts(api_version, kind, pointer, minor)
        if place is None:
            return None
        if place.type == "list":
            keys = place.map_keys if place.list_type == "map" else ()
            element = once(lambda: at((*pointer, 0)) or DEDUCED)
            return TypeNode(list_=ListFacts(place.list_type != "atomic", keys, element, key_defaults(pointer, keys)))
        if place.type == "map":
            return TypeNode(map_=MapFacts(place.atomic, lambda _: None, once(lambda: at((*pointer, "")) or DEDUCED)))
        if place.type == "object":
            # Metadata of templates is the same type as the object's own.
            if place.type_name == "meta.v1.ObjectMeta":
                return METADATA
            return TypeNode(map_=MapFacts(place.atomic, lambda name: at((*pointer, name)), lambda: None))
        if place.type in _SCALARS:
            return _SCALAR_NODES[_SCALARS[place.type]]
        return _UNTYPED_SCALAR if place.type in ("quantity", "int-or-string") else DEDUCED

    def key_defaults(pointer: Pointer, keys: tuple[str, ...]) -> dict[str, Any]:
        defaults: dict[str, Any] = {}
        for key in keys:
            place = field_facts(api_version, kind, (*pointer, 0, key), minor)
            if key == "protocol":
                defaults[key] = "TCP"
            elif place is not None and place.required:
                defaults[key] = "" if place.type == "string" else 0
        return defaults

    return _with_envelope(at(()))


def custom_facts(schema: KindSchema) -> TypeFacts:
    """The facts of a custom kind."""

    def at(pointer: Pointer) -> TypeFacts | None:
        place = schema.field(pointer)
        if place is None:
            return None
        if not place.known or place.type == "int-or-string" or not place.type:
            return DEDUCED
        if place.type == "array":
            keys = place.map_keys if place.list_type == "map" else ()
            defaults = {}
            for key in keys:
                found = schema.field((*pointer, 0, key))
                if found is not None and found.default is not NO_DEFAULT:
                    defaults[key] = found.default
            element = once(lambda: at((*pointer, 0)) or DEDUCED)
            return TypeNode(list_=ListFacts(place.list_type in ("map", "set"), keys, element, defaults))
        if place.type == "object":
            names = frozenset(place.fields)
            return TypeNode(
                map_=MapFacts(
                    place.map_type == "atomic",
                    lambda name: at((*pointer, name)) if name in names else None,
                    once(lambda: at((*pointer, _OTHER_NAME)) or (None if names else DEDUCED)),
                )
            )
        return _SCALAR_NODES[_SCALARS[place.type]]

    return _with_envelope(at(()))


_OTHER_NAME: Final = "\x00"
"""A field name that no schema declares, to ask for the type of all others."""


def _with_envelope(root: TypeFacts | None) -> TypeFacts:
    below = root.map if root is not None else None
    if below is None:
        return untyped()
    return TypeNode(
        map_=MapFacts(False, lambda name: _ENVELOPE.get(name) or below.declared(name), lambda: below.element)
    )
