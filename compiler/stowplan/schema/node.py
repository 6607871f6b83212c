"""Structural-schema nodes: immutable, shared by content, read from a pack one at a time when first asked for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

__all__ = ["ABSENT", "BrokenPool", "Node", "NodePool", "Rule", "intern_schema"]


class _Absent:
    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final[Any] = _Absent()
"""Stands for a default that is not there (null is a possible default)."""

_DROPPED = frozenset({"description", "title", "example", "externalDocs", "$schema", "id"})
_ONE = ("items", "additionalProperties", "not")
_MANY = ("allOf", "anyOf", "oneOf")


class Rule:
    """One CEL rule as the schema states it."""

    __slots__ = ("field_path", "message", "message_expression", "optional_old_self", "reason", "text")

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.text: Final[str] = raw["rule"]
        self.message: Final[str] = raw.get("message") or ""
        self.message_expression: Final[str] = raw.get("messageExpression") or ""
        self.reason: Final[str] = raw.get("reason") or ""
        self.field_path: Final[str] = raw.get("fieldPath") or ""
        self.optional_old_self: Final[bool] = bool(raw.get("optionalOldSelf"))

    @property
    def says(self) -> str:
        """What stands for the rule in a message: its message, else its text."""
        return (self.message or self.text).strip()


class Node:
    """One node of a structural schema.

    Children are resolved through the pool when asked for, so a pack of thousands of nodes costs what is used.
    `type` is empty where the schema gives none; `additional` is a node, True (anything), or None.
    """

    __slots__ = (
        "_additional",
        "_below",
        "_children",
        "_defaulted",
        "_items",
        "_properties",
        "_raw",
        "additional_any",
        "default",
        "embedded",
        "enum",
        "exclusive_maximum",
        "exclusive_minimum",
        "format",
        "has_alternatives",
        "index",
        "int_or_string",
        "leaf",
        "list_type",
        "map_keys",
        "map_type",
        "max_items",
        "max_length",
        "max_properties",
        "maximum",
        "min_items",
        "min_length",
        "min_properties",
        "minimum",
        "multiple_of",
        "nullable",
        "pattern",
        "pool",
        "preserve",
        "required",
        "rules",
        "type",
        "unique_items",
    )

    def __init__(self, pool: NodePool, index: int, raw: Mapping[str, Any]) -> None:
        get = raw.get
        self.pool, self.index, self._raw = pool, index, raw
        self._properties: Mapping[str, int] = get("properties") or {}
        self._children: dict[str, Node] = {}
        self._items: int | Node | None = get("items")
        self._below: Below | None = None
        self.leaf: Any = ABSENT
        """Room for whoever checks values here to remember how."""
        self._defaulted: tuple[tuple[str, Node], ...] | None = None
        additional = get("additionalProperties")
        self._additional: int | Node | None = None if isinstance(additional, bool) else additional
        self.has_alternatives = any(raw.get(key) is not None for key in (*_MANY, "not"))
        self.type: str = get("type") or ""
        self.format: str = get("format") or ""
        self.int_or_string = bool(get("x-kubernetes-int-or-string"))
        self.nullable = bool(get("nullable"))
        self.preserve = bool(get("x-kubernetes-preserve-unknown-fields"))
        self.embedded = bool(get("x-kubernetes-embedded-resource"))
        self.additional_any = additional is True
        self.required: tuple[str, ...] = tuple(get("required") or ())
        self.default: Any = ABSENT if get("default") is None else raw["default"]
        self.enum: tuple[Any, ...] = tuple(get("enum") or ())
        self.pattern: str = get("pattern") or ""
        self.min_length: int | None = get("minLength")
        self.max_length: int | None = get("maxLength")
        self.minimum: float | None = get("minimum")
        self.maximum: float | None = get("maximum")
        self.exclusive_minimum = bool(get("exclusiveMinimum"))
        self.exclusive_maximum = bool(get("exclusiveMaximum"))
        self.multiple_of: float | None = get("multipleOf")
        self.min_items: int | None = get("minItems")
        self.max_items: int | None = get("maxItems")
        self.min_properties: int | None = get("minProperties")
        self.max_properties: int | None = get("maxProperties")
        self.unique_items = bool(get("uniqueItems"))
        self.list_type: str = get("x-kubernetes-list-type") or ""
        self.map_type: str = get("x-kubernetes-map-type") or ""
        self.map_keys: tuple[str, ...] = tuple(get("x-kubernetes-list-map-keys") or ())
        self.rules: tuple[Rule, ...] = tuple(map(Rule, get("x-kubernetes-validations") or ()))

    def child(self, name: str) -> Node | None:
        """The node of a declared property, or None."""
        found = self._children.get(name)
        if found is None and (index := self._properties.get(name)) is not None:
            found = self._children[name] = self.pool[index]
        return found

    @property
    def property_names(self) -> tuple[str, ...]:
        """The declared properties, in the schema's order."""
        return tuple(self._properties)

    def properties(self) -> Iterator[tuple[str, Node]]:
        """The declared properties with their nodes."""
        for name, index in self._properties.items():
            yield name, self.pool[index]

    @property
    def defaulted(self) -> tuple[tuple[str, Node], ...]:
        """The declared properties that have a default, with their nodes."""
        if self._defaulted is None:
            self._defaulted = tuple((name, child) for name, child in self.properties() if child.default is not ABSENT)
        return self._defaulted

    @property
    def additional(self) -> Node | None:
        """The node of undeclared keys, if they have one."""
        found = self._additional
        if type(found) is int:
            found = self._additional = self.pool[found]
        return found  # type: ignore[return-value]

    @property
    def items(self) -> Node | None:
        """The node of a list's items, if given."""
        found = self._items
        if type(found) is int:
            found = self._items = self.pool[found]
        return found  # type: ignore[return-value]

    def alternatives(self, keyword: str) -> tuple[Node, ...]:
        """The sub-schemas of `allOf`, `anyOf` or `oneOf`; of `not` as a tuple of one."""
        found = self._raw.get(keyword)
        if found is None:
            return ()
        return tuple(self.pool[i] for i in (found if keyword != "not" else (found,)))

    @property
    def has_default_below(self) -> bool:
        """Whether this node or any below it has a default."""
        return (self._below or self._all_below()).defaults

    @property
    def has_embedded_below(self) -> bool:
        """Whether this node or any below it is an embedded resource."""
        return (self._below or self._all_below()).embedded

    @property
    def has_topology_below(self) -> bool:
        """Whether this node or any below it is a set or a keyed list."""
        return (self._below or self._all_below()).topology

    @property
    def has_rules_below(self) -> bool:
        """Whether this node or any below it has CEL rules."""
        return (self._below or self._all_below()).rules

    def _all_below(self) -> Below:
        self._below = self.pool.below(self.index)
        return self._below

    @property
    def raw(self) -> Mapping[str, Any]:
        """The facts as stored: the schema's keywords, with child nodes as numbers of the pool."""
        return self._raw


class Below(NamedTuple):
    """What a node or one below it has."""

    rules: bool
    defaults: bool
    embedded: bool
    topology: bool


class NodePool:
    """The nodes of one pack by number; children always come before their parents."""

    __slots__ = ("_below", "_nodes", "_raw", "shared")

    def __init__(self, raw: Sequence[dict[str, Any] | str]) -> None:
        """Facts as mappings, or still as JSON text."""
        self._raw: list[dict[str, Any] | str] = list(raw)
        self._nodes: dict[int, Node] = {}
        self._below: dict[int, Below] = {}
        self.shared: dict[Any, Any] = {}
        """What was compiled from these nodes, for every set of schemas that uses them; keys are the compilers' own."""

    def __len__(self) -> int:
        return len(self._raw)

    def __getitem__(self, index: int) -> Node:
        node = self._nodes.get(index)
        if node is None:
            raw = self.facts(index)
            _ordered_children(raw, index)
            node = self._nodes[index] = Node(self, index, raw)
        return node

    def facts(self, index: int) -> dict[str, Any]:
        """The stored facts of a node; not to be changed."""
        raw = self._raw[index]
        if isinstance(raw, str):
            raw = self._raw[index] = _parsed(raw, index)
        return raw

    def below(self, index: int) -> Below:
        """What node `index` or one below it has."""
        found = self._below.get(index)
        if found is None:
            raw = self.facts(index)
            children = [self.below(i) for i in _ordered_children(raw, index)]
            own = Below(
                bool(raw.get("x-kubernetes-validations")),
                raw.get("default") is not None,
                bool(raw.get("x-kubernetes-embedded-resource")),
                raw.get("x-kubernetes-list-type") in ("set", "map"),
            )
            found = self._below[index] = Below(*map(any, zip(own, *children, strict=True)))
        return found


def _parsed(text: str, index: int) -> dict[str, Any]:
    try:
        facts = json.loads(text)
    except json.JSONDecodeError:
        facts = None
    if not isinstance(facts, dict):
        raise BrokenPool(f"node {index} is damaged")
    return facts


class BrokenPool(ValueError):
    """A stored node refers to one that does not come before it: the pack was tampered with."""


def _ordered_children(raw: Mapping[str, Any], index: int) -> tuple[int, ...]:
    """The children of a stored node; since they all come before it, no walk can go in circles."""
    children = tuple(child_indices(raw))
    if any(not 0 <= child < index for child in children):
        raise BrokenPool(f"node {index} refers to a node that does not come before it")
    return children


def child_indices(raw: Mapping[str, Any]) -> Iterator[int]:
    """The numbers of a stored node's children."""
    yield from (raw.get("properties") or {}).values()
    for key in _ONE:
        index = raw.get(key)
        if index is not None and index is not True and index is not False:
            yield index
    for key in _MANY:
        yield from raw.get(key) or ()


def intern_schema(schema: Mapping[str, Any], nodes: list[dict[str, Any]], known: dict[str, int]) -> int:
    """Add `schema` (a JSON schema as a CRD states it, already checked) to `nodes`; equal nodes are stored once."""
    node: dict[str, Any] = {}
    for key in sorted(schema):
        value = schema[key]
        if key in _DROPPED or value is None:
            continue
        if key == "properties":
            node[key] = {name: intern_schema(value[name], nodes, known) for name in sorted(value)}
        elif key in _ONE and isinstance(value, Mapping):
            node[key] = intern_schema(value, nodes, known)
        elif key in _MANY:
            node[key] = [intern_schema(item, nodes, known) for item in value]
        elif key == "x-kubernetes-validations":
            node[key] = [{k: rule[k] for k in sorted(rule)} for rule in value]
        else:
            node[key] = value
    text = json.dumps(node, sort_keys=True, separators=(",", ":"))
    index = known.get(text)
    if index is None:
        index = known[text] = len(nodes)
        nodes.append(node)
    return index


def digest_of(nodes: list[dict[str, Any]], root: int) -> str:
    """The content address of a node: a SHA-256 over its facts and those of all below it, not over pool numbers."""
    known: dict[int, str] = {}

    def visit(index: int) -> str:
        if index not in known:
            known[index] = hashlib.sha256(json.dumps(_named(nodes[index], visit), sort_keys=True).encode()).hexdigest()
        return known[index]

    return visit(root)


def _named(raw: Mapping[str, Any], visit: Any) -> dict[str, Any]:
    named = dict(raw)
    if "properties" in raw:
        named["properties"] = {name: visit(i) for name, i in raw["properties"].items()}
    for key in _ONE:
        if key in raw and not isinstance(raw[key], bool):
            named[key] = visit(raw[key])
    for key in _MANY:
        if key in raw:
            named[key] = [visit(i) for i in raw[key]]
    return named
