"""The one face of a kind's schema, whichever family it is of: what callers may ask, and facts of single fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from stowplan.schema.node import ABSENT, Node
from stowplan.schema.verdict import FieldError, Verdict
from stowplan.source.span import Pointer

__all__ = ["FieldFacts", "KindSchema", "ShapeCheck", "ShapeLike", "node_facts"]


@dataclass(frozen=True, slots=True)
class FieldFacts:
    """What the schema says of one field, for ownership and drift.

    `type` is a JSON type, `int-or-string`, or empty (anything). `list_type` is `atomic`, `set` or `map` for lists
    (atomic where the schema is silent) and empty otherwise; `map_type` is `atomic` or `granular` for objects and empty
    otherwise. `default` is `ABSENT` where there is none. `known` is False below fields that keep whatever is given.
    """

    type: str = ""
    list_type: str = ""
    map_keys: tuple[str, ...] = ()
    map_type: str = ""
    default: Any = ABSENT
    nullable: bool = False
    enum: tuple[Any, ...] = ()
    known: bool = True
    fields: tuple[str, ...] = ()


class ShapeLike(Protocol):
    """A static tree with holes, and the function that fills them."""

    @property
    def tree(self) -> Any:
        """Plain data with `Hole` and `Joined` leaves."""

    def build(self, values: Sequence[Any], /) -> Any:
        """The object for these values."""


class ShapeCheck(Protocol):
    """The part of judging that differs between objects of one shape."""

    @property
    def sound(self) -> bool:
        """Whether the static part is well; if not, every check is a full walk."""

    @property
    def tree(self) -> Any:
        """The shape's tree with the schema's defaults filled in where the static part settles them."""

    def check(self, values: Sequence[Any], /) -> tuple[FieldError, ...]:
        """The causes against the object of these values, as the full walk gives them; the same empty tuple if none."""

    def is_fixed_point(self, values: Sequence[Any], /) -> bool:
        """Whether the object of these values is stored as it is, the server's own members apart."""


class KindSchema(Protocol):
    """One served version of one kind."""

    @property
    def api_version(self) -> str:
        """Group and version."""

    @property
    def kind(self) -> str:
        """The kind's name."""

    @property
    def namespaced(self) -> bool:
        """Whether objects live in namespaces."""

    @property
    def plural(self) -> str:
        """The name of its resource in paths and in roles, such as `deployments`."""

    @property
    def has_transitions(self) -> bool:
        """Whether an update can be refused for what the object was before, names aside."""

    def judge(self, value: dict[str, Any], old: dict[str, Any] | None = None, strict: bool = True) -> Verdict:
        """The server's verdict on creating `value`, or on updating `old` to it; `stored` is filled in if accepted."""

    def normalise(self, value: dict[str, Any]) -> dict[str, Any]:
        """`value` pruned, defaulted and in canonical form; an object is a fixed point if this changes nothing."""

    def field(self, pointer: Pointer) -> FieldFacts | None:
        """The facts of a field; None if the schema does not know it."""

    def list_topology(self, pointer: Pointer) -> tuple[str, tuple[str, ...]]:
        """List type and map keys at `pointer`; (`atomic`, ()) where the schema is silent."""

    def specialise(self, shape: ShapeLike) -> ShapeCheck:
        """The check of objects of one shape."""


_META = {"labels": "", "annotations": ""}


def node_facts(node: Node) -> FieldFacts:
    """The facts of a node."""
    is_list = node.type == "array"
    is_map = node.type == "object"
    return FieldFacts(
        "int-or-string" if node.int_or_string else node.type,
        (node.list_type or "atomic") if is_list else "",
        node.map_keys,
        (node.map_type or "granular") if is_map else "",
        node.default,
        node.nullable,
        node.enum,
        fields=node.property_names,
    )


_ANYTHING = FieldFacts(known=False)
_METADATA: Mapping[str, FieldFacts] = {
    "name": FieldFacts("string"),
    "generateName": FieldFacts("string"),
    "namespace": FieldFacts("string"),
    "labels": FieldFacts("object", map_type="granular"),
    "annotations": FieldFacts("object", map_type="granular"),
    "finalizers": FieldFacts("array", "set"),
    "ownerReferences": FieldFacts("array", "map", ("uid",)),
}


def metadata_facts(pointer: Pointer) -> FieldFacts | None:
    """The facts of a field below `metadata`; `pointer` starts after it."""
    if not pointer:
        return FieldFacts("object", map_type="granular", fields=tuple(_METADATA))
    found = _METADATA.get(str(pointer[0]))
    if found is None or len(pointer) == 1:
        return found
    if pointer[0] == "ownerReferences":
        return FieldFacts("object", map_type="atomic") if len(pointer) == 2 else FieldFacts("string")
    return FieldFacts("string") if found.type != "string" and len(pointer) == 2 else None


def facts_at(root: Node, pointer: Iterable[str | int]) -> FieldFacts | None:
    """The facts of the field at `pointer` below a kind's root node."""
    steps = tuple(pointer)
    if steps[:1] == ("metadata",):
        return metadata_facts(steps[1:])
    node: Node | None = root
    for step in steps:
        assert node is not None
        child = node.items if isinstance(step, int) else node.child(step) or node.additional
        if child is None and (node.preserve or node.additional_any):
            return _ANYTHING
        if child is None:
            return FieldFacts("string") if steps in (("apiVersion",), ("kind",)) else None
        node = child
    return None if node is None else node_facts(node)
