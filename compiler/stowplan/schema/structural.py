"""Whether a CRD's schema is structural and within bounds: complaints with pointers, in bounded time and memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from stowplan.schema.formats import compile_pattern
from stowplan.source.span import Pointer

__all__ = ["MAX_DEPTH", "MAX_NODES", "Complaint", "complaints"]

MAX_DEPTH = 96
"""Levels of a schema; the deepest schema in wide use has about thirty."""
MAX_NODES = 150_000
"""Nodes of one version's schema, repeats through YAML aliases included."""
_MAX_PATTERN = 10_000
_MAX_COMPLAINTS = 20

_TYPES = frozenset({"object", "array", "string", "integer", "number", "boolean"})
_TEXTS = ("format", "pattern", "title", "type", "x-kubernetes-list-type", "x-kubernetes-map-type")
_COUNTS = ("maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties")
_NUMBERS = ("maximum", "minimum", "multipleOf")
_FLAGS = (
    "nullable", "uniqueItems", "exclusiveMaximum", "exclusiveMinimum", "x-kubernetes-int-or-string",
    "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource",
)  # fmt: skip
_NOT_HERE = (
    "$ref",
    "definitions",
    "dependencies",
    "patternProperties",
    "additionalItems",
    "discriminator",
)
_KNOWN = frozenset(
    {*_TEXTS, *_COUNTS, *_NUMBERS, *_FLAGS, "description", "example", "externalDocs", "$schema", "id", "default", "enum",
     "required", "properties", "additionalProperties", "items", "allOf", "anyOf", "oneOf", "not",
     "x-kubernetes-list-map-keys", "x-kubernetes-validations"}
)  # fmt: skip
_RULE_KEYS = frozenset({"rule", "message", "messageExpression", "reason", "fieldPath", "optionalOldSelf"})
_REASONS = ("FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate")


@dataclass(frozen=True, slots=True)
class Complaint:
    """One thing wrong with a schema: where, what, and what to do."""

    pointer: Pointer
    message: str
    help: str = ""


class _Budget(Exception):
    """Too much was found, or too much would have to be looked at."""


class _Review:
    """Walks one schema; keeps the count that bounds it."""

    def __init__(self) -> None:
        self.found: list[Complaint] = []
        self.nodes = 0

    def say(self, pointer: Pointer, message: str, help: str = "") -> None:
        self.found.append(Complaint(pointer, message, help))
        if len(self.found) >= _MAX_COMPLAINTS:
            raise _Budget

    def visit(self, schema: Any, pointer: Pointer, *, nested: bool = False) -> None:
        """Look at one node; `nested` inside allOf, anyOf, oneOf, not, where structure may not be stated."""
        self.nodes += 1
        if self.nodes > MAX_NODES:
            self.say(pointer, f"the schema has more than {MAX_NODES} nodes")
            raise _Budget
        if len(pointer) > 2 * MAX_DEPTH:
            self.say(pointer, f"the schema is nested more than {MAX_DEPTH} levels deep")
            raise _Budget
        if not isinstance(schema, Mapping):
            self.say(pointer, f"a schema must be a mapping, not {_noun(schema)}")
            return
        self._keywords(schema, pointer)
        self._values(schema, pointer)
        self._structure(schema, pointer, nested)
        self._lists(schema, pointer)
        self._rules(schema, pointer)
        self._below(schema, pointer, nested)

    def _keywords(self, schema: Mapping[Any, Any], pointer: Pointer) -> None:
        for key in schema:
            if key in _NOT_HERE:
                self.say((*pointer, key), f"`{key}` is not allowed in the schema of a custom resource")
            elif key not in _KNOWN:
                self.say((*pointer, str(key)), f"unknown keyword `{str(key)[:60]}`")

    def _values(self, schema: Mapping[str, Any], pointer: Pointer) -> None:
        for keys, wanted, noun in (
            (_TEXTS, (str,), "a string"), (_COUNTS, (int, float), "an integer"), (_NUMBERS, (int, float), "a number"),
            (_FLAGS, (bool,), "true or false"), (("enum", "required", "x-kubernetes-list-map-keys"), (list,), "a list"),
        ):  # fmt: skip
            for key in keys:
                value = schema.get(key)
                if value is not None and (type(value) not in wanted or (keys is _COUNTS and value != int(value))):
                    self.say((*pointer, key), f"`{key}` must be {noun}, not {_noun(value)}")
        for key in ("required", "x-kubernetes-list-map-keys"):
            if isinstance(schema.get(key), list) and not all(type(item) is str for item in schema[key]):
                self.say((*pointer, key), f"`{key}` must be a list of strings")
        pattern = schema.get("pattern")
        if type(pattern) is str and pattern and (len(pattern) > _MAX_PATTERN or compile_pattern(pattern) is None):
            self.say((*pointer, "pattern"), "the pattern is not a regular expression that RE2 takes")

    def _structure(self, schema: Mapping[str, Any], pointer: Pointer, nested: bool) -> None:
        kind = schema.get("type")
        if type(kind) is str and kind and kind not in _TYPES:
            self.say((*pointer, "type"), f"unknown type `{kind[:60]}`", f"types are {', '.join(sorted(_TYPES))}")
        if nested:
            for key in ("default", "additionalProperties", "nullable", "x-kubernetes-preserve-unknown-fields"):
                if schema.get(key):
                    self.say((*pointer, key), f"`{key}` may not stand inside allOf, anyOf, oneOf or not")
            return
        free = schema.get("x-kubernetes-int-or-string") or schema.get("x-kubernetes-preserve-unknown-fields")
        if not kind and not free:
            self.say(pointer, "the schema is not structural: `type` is missing", "state the type of every field")
        if schema.get("x-kubernetes-int-or-string") and kind:
            self.say((*pointer, "type"), "`type` must be empty where x-kubernetes-int-or-string is set")
        if schema.get("properties") and schema.get("additionalProperties") is not None:
            self.say((*pointer, "additionalProperties"), "`properties` and `additionalProperties` exclude each other")
        if schema.get("x-kubernetes-preserve-unknown-fields") is False:
            self.say((*pointer, "x-kubernetes-preserve-unknown-fields"), "must be true or absent")

    def _lists(self, schema: Mapping[str, Any], pointer: Pointer) -> None:
        list_type, keys = schema.get("x-kubernetes-list-type"), schema.get("x-kubernetes-list-map-keys")
        if list_type is not None and list_type not in ("atomic", "set", "map"):
            self.say((*pointer, "x-kubernetes-list-type"), "the list type must be atomic, set or map")
        if schema.get("x-kubernetes-map-type") not in (None, "atomic", "granular"):
            self.say((*pointer, "x-kubernetes-map-type"), "the map type must be atomic or granular")
        if list_type == "map" and not keys:
            self.say(pointer, "a list of type map needs x-kubernetes-list-map-keys")
        if list_type != "map" and keys:
            self.say((*pointer, "x-kubernetes-list-map-keys"), "map keys need x-kubernetes-list-type: map")
        items = schema.get("items")
        if list_type == "map" and isinstance(keys, list) and isinstance(items, Mapping):
            known = items["properties"] if isinstance(items.get("properties"), Mapping) else {}
            for key in keys:
                if key not in known:
                    self.say((*pointer, "x-kubernetes-list-map-keys"), f"the items have no property `{str(key)[:60]}`")

    def _rules(self, schema: Mapping[str, Any], pointer: Pointer) -> None:
        rules = schema.get("x-kubernetes-validations")
        if rules is None:
            return
        if not isinstance(rules, list):
            self.say((*pointer, "x-kubernetes-validations"), "the rules must be a list")
            return
        for index, rule in enumerate(rules):
            at = (*pointer, "x-kubernetes-validations", index)
            if not isinstance(rule, Mapping) or type(rule.get("rule")) is not str or not rule["rule"].strip():
                self.say(at, "a rule needs `rule`, a CEL expression")
            elif not rule.keys() <= _RULE_KEYS:
                self.say(at, f"unknown members of a rule: {', '.join(sorted(map(str, rule.keys() - _RULE_KEYS)))}")
            elif rule.get("reason") not in (None, *_REASONS):
                self.say((*at, "reason"), f"the reason must be one of {', '.join(_REASONS)}")
            elif any(type(rule.get(k, "")) is not str for k in ("message", "messageExpression", "fieldPath")):
                self.say(at, "message, messageExpression and fieldPath must be strings")

    def _below(self, schema: Mapping[str, Any], pointer: Pointer, nested: bool) -> None:
        for step, child in _children(schema):
            if child is True and step == ("additionalProperties",):
                continue
            if child is False and step == ("additionalProperties",):
                self.say(
                    (*pointer, *step), "`additionalProperties: false` is not allowed; unknown fields are pruned anyway"
                )
                continue
            inside = nested or step[0] in ("allOf", "anyOf", "oneOf", "not")
            self.visit(child, (*pointer, *step), nested=inside)
        for key in ("properties",):
            if key in schema and schema[key] is not None and not isinstance(schema[key], Mapping):
                self.say((*pointer, key), f"`{key}` must be a mapping, not {_noun(schema[key])}")
        for key in ("allOf", "anyOf", "oneOf"):
            if schema.get(key) is not None and not isinstance(schema[key], list):
                self.say((*pointer, key), f"`{key}` must be a list, not {_noun(schema[key])}")


def _children(schema: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        for name, child in properties.items():
            yield ("properties", str(name)), child
    for key in ("items", "additionalProperties", "not"):
        if schema.get(key) is not None:
            yield (key,), schema[key]
    for key in ("allOf", "anyOf", "oneOf"):
        options = schema.get(key)
        if isinstance(options, list):
            for index, child in enumerate(options):
                yield (key, index), child


def _noun(value: Any) -> str:
    names = {
        dict: "a mapping",
        list: "a list",
        str: "a string",
        bool: "a boolean",
        int: "an integer",
        float: "a number",
    }
    return "null" if value is None else names.get(type(value), f"a {type(value).__name__}")


def complaints(schema: Any) -> tuple[Complaint, ...]:
    """What keeps `schema` (the openAPIV3Schema of a version) from being used; pointers start at the schema."""
    review = _Review()
    try:
        review.visit(schema, ())
        if isinstance(schema, Mapping) and schema.get("type") != "object":
            review.say((), "the root of the schema must have type object")
    except _Budget:
        pass
    return tuple(review.found)
