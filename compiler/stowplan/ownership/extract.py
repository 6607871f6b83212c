"""The field set of an object, as an API server computes it for the one who applies that object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from stowplan.ownership.fieldpath import FieldPath, PathElement, field, format_path, index, item, value
from stowplan.ownership.fieldset import EMPTY, FieldSet, FieldSetBuilder
from stowplan.ownership.typefacts import ListFacts, MapFacts, TypeFacts

__all__ = ["STRIPPED", "ItemKeyError", "field_set", "item_element", "owned_set", "shape_errors"]

STRIPPED: Final = FieldSet.of(
    [
        (field("apiVersion"),),
        (field("kind"),),
        (field("metadata"),),
        *(
            (field("metadata"), field(name))
            for name in (
                "name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation",
                "managedFields", "resourceVersion",
            )
        ),
    ]
)  # fmt: skip
"""What no manager ever owns: identity, and what only the API server writes."""

_MAX_ERRORS: Final = 50


class ItemKeyError(ValueError):
    """An item of a map-list or set that cannot be told from its neighbours."""


def item_element(facts: ListFacts, child: Any) -> PathElement:
    """The path element of a list item: its keys (absent ones filled from defaults) or, in a set, its value.

    Raises:
        ItemKeyError: the item is null or of the wrong form, or has none of the keys.
    """
    if facts.keys:
        return _keyed_element(facts, child)
    if child is None:
        raise ItemKeyError("associative list without keys has an element that's an explicit null")
    if isinstance(child, dict):
        raise ItemKeyError("associative list without keys has an element that's a map type")
    if isinstance(child, list):
        raise ItemKeyError("not supported: associative list with lists as elements")
    return value(child)


def _keyed_element(facts: ListFacts, child: Any) -> PathElement:
    if child is None:
        raise ItemKeyError("associative list with keys may not have a null element")
    if not isinstance(child, dict):
        raise ItemKeyError("associative list with keys may not have non-map elements")
    keys = {}
    for name in facts.keys:
        if name in child:
            keys[name] = child[name]
        elif name in facts.key_defaults:
            keys[name] = facts.key_defaults[name]
    if not keys:
        names = " ".join(f'"{name}"' for name in facts.keys)
        raise ItemKeyError(
            f"associative list with keys has an element that omits all key fields [{names}] "
            "(and doesn't have default values for any key fields)"
        )
    return item(keys)


def field_set(data: Any, facts: TypeFacts) -> FieldSet:
    """The paths of all units in `data`: scalars, atomic lists and maps, list items, empty and null entries.

    Items that occur twice in an associative list count as one unit, as in live objects. Items without usable keys are
    left out; `shape_errors` names them.
    """
    builder = FieldSetBuilder()
    _collect(data, facts, builder, None)
    return builder.build()


def owned_set(data: Mapping[str, Any], facts: TypeFacts, reset: FieldSet = EMPTY) -> FieldSet:
    """What a sole applier of the object owns: its field set less identity and the `reset` fields (such as status)."""
    return field_set(data, facts).difference(STRIPPED).recursive_difference(reset)


def _collect(data: Any, facts: TypeFacts, node: FieldSetBuilder, step: PathElement | None) -> None:
    """Walk one value; `node` holds the parent and `step` leads from it to the value (None at the root)."""
    if isinstance(data, dict):
        mapping = facts.map
        if mapping is None:
            _collect_other(facts, node, step)
        elif mapping.atomic:
            _mark(node, step)
        else:
            _collect_map(data, mapping, node if step is None else node.child(step))
    elif isinstance(data, list):
        sequence = facts.list
        if sequence is None:
            _collect_other(facts, node, step)
        elif not sequence.associative:
            _mark(node, step)
        elif data:
            _collect_items(data, sequence, node if step is None else node.child(step))
    else:
        _collect_scalar(data, facts, node, step)


def _mark(node: FieldSetBuilder, step: PathElement | None) -> None:
    if step is not None:
        node.add(step)


def _collect_scalar(data: Any, facts: TypeFacts, node: FieldSetBuilder, step: PathElement | None) -> None:
    """A scalar, or null where the type says which form it stands for."""
    if data is not None and facts.scalar is not None:
        _mark(node, step)
    else:
        _collect_other(facts, node, step)


def _collect_other(facts: TypeFacts, node: FieldSetBuilder, step: PathElement | None) -> None:
    """A value that does not have the form of its type: units end here unless the type would merge."""
    if facts.map is not None:
        if facts.map.atomic:
            _mark(node, step)
    elif facts.scalar is not None or (facts.list is not None and not facts.list.associative):
        _mark(node, step)


def _collect_map(data: Mapping[str, Any], facts: MapFacts, node: FieldSetBuilder) -> None:
    for name, child in data.items():
        step = field(name)
        declared = facts.declared(name)
        below = declared if declared is not None else facts.element
        if below is not None:
            _collect(child, below, node, step)
        if declared is None or child is None or child == {}:
            node.add(step)


def _collect_items(data: Sequence[Any], facts: ListFacts, node: FieldSetBuilder) -> None:
    by_element: dict[PathElement, list[Any]] = {}
    for child in data:
        try:
            element = item_element(facts, child)
        except ItemKeyError:
            continue
        by_element.setdefault(element, []).append(child)
    below = facts.element
    for element, children in by_element.items():
        if len(children) == 1:
            _collect(children[0], below, node, element)
        node.add(element)


def shape_errors(data: Any, facts: TypeFacts, *, allow_duplicates: bool = False) -> tuple[str, ...]:
    """What keeps an API server from computing ownership of `data`, worded as it words it; empty if nothing."""
    errors: list[str] = []
    _validate(data, facts, (), errors, allow_duplicates)
    return tuple(errors)


def _complain(errors: list[str], path: FieldPath, text: str) -> None:
    if len(errors) < _MAX_ERRORS:
        place = format_path(path)
        errors.append(f"{place if place.startswith('[') else '.' + place}: {text}" if path else text)


def _validate(data: Any, facts: TypeFacts, path: FieldPath, errors: list[str], duplicates: bool) -> None:
    is_map, is_list = isinstance(data, dict), isinstance(data, list)
    if is_map and facts.map is not None:
        _validate_map(data, facts.map, path, errors, duplicates)
    elif is_list and facts.list is not None:
        _validate_list(data, facts.list, path, errors, duplicates)
    elif data is None or (facts.scalar is not None and not is_map and not is_list and _fits(data, facts.scalar)):
        return
    else:
        _complain(errors, path, f"expected {_expected(data, facts)}, got {type(data).__name__}")


def _expected(data: Any, facts: TypeFacts) -> str:
    if facts.scalar is not None and (facts.map is None or not isinstance(data, dict | list)):
        return {"numeric": "numeric (int or float)", "untyped": "any scalar"}.get(facts.scalar, facts.scalar)
    return "map" if facts.map is not None else "list"


def _fits(data: Any, scalar: str) -> bool:
    if scalar == "string":
        return isinstance(data, str)
    if scalar == "boolean":
        return isinstance(data, bool)
    if scalar == "numeric":
        return isinstance(data, int | float) and not isinstance(data, bool)
    return True


def _validate_map(
    data: Mapping[str, Any], facts: MapFacts, path: FieldPath, errors: list[str], duplicates: bool
) -> None:
    for name, child in data.items():
        declared = facts.declared(name)
        below = declared if declared is not None else facts.element
        if below is None:
            _complain(errors, (*path, field(name)), "field not declared in schema")
            continue
        _validate(child, below, (*path, field(name)), errors, duplicates)


def _validate_list(data: Sequence[Any], facts: ListFacts, path: FieldPath, errors: list[str], duplicates: bool) -> None:
    seen: set[PathElement] = set()
    for position, child in enumerate(data):
        element = index(position)
        if facts.associative:
            try:
                element = item_element(facts, child)
            except ItemKeyError as problem:
                _complain(errors, path, f"element {position}: {problem}")
                return
            if element in seen and not duplicates:
                _complain(errors, path, f"duplicate entries for key {format_path((element,))}")
            seen.add(element)
        _validate(child, facts.element, (*path, element), errors, duplicates)
