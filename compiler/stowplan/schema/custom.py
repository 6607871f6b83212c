"""Kinds that a CustomResourceDefinition declares: the compiled check first, the full walk where it does not pass."""

from __future__ import annotations

from typing import Any

from stowplan.schema.containers import ObjectParts, object_check
from stowplan.schema.engine import Check, Engine, Trail, Unwell
from stowplan.schema.kind import FieldFacts, ShapeCheck, ShapeLike, facts_at
from stowplan.schema.metadata import Malformed, metadata_is_plain, well_metadata
from stowplan.schema.node import ABSENT, Node
from stowplan.schema.pack import KindFacts, Pack
from stowplan.schema.shaping import TYPE_META
from stowplan.schema.verdict import Verdict
from stowplan.schema.walk import Grounds, check_scale, decode, judge_fully, stored_form, through_storage
from stowplan.source.span import Pointer

__all__ = ["CustomKind"]

_NOTHING = frozenset[str]()


class CustomKind:
    """One version of a custom kind (see `KindSchema`)."""

    __slots__ = ("_check", "_transitions", "engine", "facts", "grounds", "pack", "root")

    def __init__(self, facts: KindFacts, pack: Pack, engine: Engine) -> None:
        self.facts, self.pack, self.engine = facts, pack, engine
        self.root: Node = pack.pool[facts.root]
        warnings = (facts.deprecation,) if facts.deprecation else ()
        self.grounds = Grounds(
            self.root, engine, facts.namespaced, facts.status, facts.scale, warnings, _storage_root(facts, pack)
        )
        self._check: Check | None = None
        self._transitions: bool | None = None

    @property
    def api_version(self) -> str:
        """Group and version."""
        return self.facts.api_version

    @property
    def kind(self) -> str:
        """The kind's name."""
        return self.facts.kind

    @property
    def namespaced(self) -> bool:
        """Whether objects live in namespaces."""
        return self.facts.namespaced

    @property
    def plural(self) -> str:
        """The name of its resource in paths and in roles."""
        return self.facts.plural

    def judge(self, value: dict[str, Any], old: dict[str, Any] | None = None, strict: bool = True) -> Verdict:
        """The server's verdict on creating `value`, or on updating `old` to it."""
        trail: Trail = {}
        if old is None or not self.has_transitions:
            try:
                stored = self._quickly_without_status(value) if old is None else self._quickly(value)
            except Unwell as stop:
                trail = stop.trail or trail
            except RecursionError:
                pass
            else:
                if old is None or (_same_identity(value, old) and not self._keeps_status(old)):
                    return Verdict(201 if old is None else 200, (), self.grounds.warnings, stored)
        return judge_fully(value, self.grounds, old, strict=strict, trail=trail)

    def _keeps_status(self, old: dict[str, Any]) -> bool:
        """Whether an update takes a status over from the old object."""
        node = self.root.child("status") if self.facts.status else None
        return node is not None and ("status" in old or node.default is not ABSENT)

    def quick(self, value: Any) -> dict[str, Any] | None:
        """The object as it would be stored if it is plainly right; None if the full walk has to tell."""
        try:
            return self._quickly(value)
        except (Unwell, RecursionError):
            return None

    def _quickly(self, value: Any) -> dict[str, Any]:
        check = self._check
        if check is None:
            check = self._check = self.root_check()
        stored: dict[str, Any] = check(value)
        if self.facts.scale is not None and check_scale(stored, self.facts.scale):
            raise Unwell
        return stored if self.grounds.storage is None else through_storage(stored, self.grounds)

    def _quickly_without_status(self, value: Any) -> dict[str, Any]:
        """The same for a creation that cannot set a status: it is left out where nothing in it is unknown."""
        node = self.root.child("status")
        if not self.facts.status or node is None or type(value) is not dict or value.get("status") is None:
            return self._quickly(value)
        try:
            self.engine.function(node)(value["status"])
        except Unwell:
            return self._quickly(value)
        rest = {key: item for key, item in value.items() if key != "status"}
        try:
            return self._quickly(rest)
        except Unwell as stop:
            if stop.trail is not None and id(rest) in stop.trail:
                stop.trail[id(value)] = stop.trail.pop(id(rest))
            raise

    @property
    def has_transitions(self) -> bool:
        """Whether any rule looks at the old object."""
        if self._transitions is None:
            nodes = (node for node, _ in self.nodes_with_rules())
            self._transitions = any("oldSelf" in rule.text for node in nodes for rule in node.rules)
        return self._transitions

    def nodes_with_rules(self) -> tuple[tuple[Node, bool], ...]:
        """The nodes that state CEL rules, and whether each is the root; nothing is compiled for it."""
        found: list[tuple[Node, bool]] = []
        seen: set[int] = set()
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            if node.index in seen or not node.has_rules_below:
                continue
            seen.add(node.index)
            if node.rules:
                found.append((node, node is self.root))
            waiting += [child for _, child in node.properties()]
            waiting += [child for child in (node.items, node.additional) if child is not None]
            waiting += node.alternatives("allOf")
        return tuple(found)

    def normalise(self, value: dict[str, Any]) -> dict[str, Any]:
        """`value` pruned and with defaults; unknown fields are dropped silently."""
        stored = self.quick(value)
        if stored is not None:
            return stored
        try:
            return stored_form(decode(value, self.grounds).value, self.grounds)
        except (Malformed, RecursionError):
            return value

    def field(self, pointer: Pointer) -> FieldFacts | None:
        """The facts of a field; None if the schema does not know it."""
        return facts_at(self.root, pointer)

    def list_topology(self, pointer: Pointer) -> tuple[str, tuple[str, ...]]:
        """List type and map keys at `pointer`."""
        found = self.field(pointer)
        return ("atomic", ()) if found is None or not found.list_type else (found.list_type, found.map_keys)

    def specialise(self, shape: ShapeLike) -> ShapeCheck:
        """The check of objects of one shape."""
        from stowplan.schema.shapes import specialise

        return specialise(self, shape)

    def metadata_check(self, value: Any) -> Any:
        """Metadata as it is stored; raises `Unwell` for what the full walk has to look at."""
        if metadata_is_plain(value, self.facts.namespaced):
            return {key: dict(item) if type(item) is dict else item for key, item in value.items()}
        stored = well_metadata(value, self.facts.namespaced)
        if stored is None:
            raise Unwell
        return stored

    def root_parts(self) -> ObjectParts | None:
        """The root taken apart for quick checks; None for the rare roots that only the full walk can judge."""
        root = self.root
        meta = root.child("metadata")
        if root.type not in ("object", "") or root.has_alternatives or (meta is not None and not _says_nothing(meta)):
            return None
        parts = self.engine.object_parts(root, root=True)
        parts.nulls.update(dict.fromkeys(TYPE_META))
        if not self.facts.status:
            return parts
        parts.nulls["status"] = False
        return parts._replace(defaults=tuple(default for default in parts.defaults if default[0] != "status"))

    def root_check(self) -> Check:
        """The check of whole objects."""
        parts = self.root_parts()
        if parts is None:
            return _always_unwell
        parts.table["metadata"] = self.metadata_check
        parts.table.setdefault("apiVersion", str)
        parts.table.setdefault("kind", str)
        if self.facts.status:
            parts.table["status"] = _always_unwell
        return object_check(parts._replace(required=parts.required | {"metadata"}))


def _always_unwell(_value: Any) -> Any:
    raise Unwell


def _says_nothing(meta: Node) -> bool:
    return meta.raw.keys() <= {"type", "x-kubernetes-preserve-unknown-fields"}


def _storage_root(facts: KindFacts, pack: Pack) -> Node | None:
    """The root of the stored version, where conversion only renames and the two schemas differ."""
    if facts.conversion != "None" or facts.storage in ("", facts.version):
        return None
    for other in pack.by_kind[facts.group, facts.kind]:
        if other.version == facts.storage and other.root != facts.root:
            return pack.pool[other.root]
    return None


def _same_identity(value: dict[str, Any], old: dict[str, Any]) -> bool:
    """Whether nothing is to be said of the new metadata, which is well in itself, beside the old."""
    new, before = value["metadata"], old.get("metadata") or {}
    return type(before) is dict and all(new.get(key) == before.get(key) for key in ("name", "namespace", "uid"))
