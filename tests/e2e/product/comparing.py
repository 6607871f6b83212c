"""Compares what was rendered with what a server stored: values field by field, and owners set by set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from harness.client import Object, managed_fields

from stowplan.ownership.atlas import AtlasRow
from stowplan.ownership.extract import owned_set
from stowplan.ownership.fieldpath import FieldPath, format_path
from stowplan.ownership.fieldset import FieldSet
from stowplan.ownership.rendered import ENGINE_MANAGERS
from stowplan.ownership.schemafacts import SchemaTypes
from stowplan.ownership.units import units_of
from stowplan.schema.sets import SchemaSet

ASSIGNED = frozenset(
    {"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink", "deletionTimestamp"}
)
"""Metadata that only the server writes."""

_ABSENT = "(absent)"


@dataclass(frozen=True)
class Change:
    """One field that is stored otherwise than rendered."""

    path: tuple[str | int, ...]
    rendered: Any
    stored: Any

    def __str__(self) -> str:
        return f"{'.'.join(map(str, self.path))}: rendered {self.rendered!r}, stored {self.stored!r}"

    @property
    def added(self) -> bool:
        """Whether nothing was rendered there."""
        return self.rendered is _ABSENT


def changes(rendered: Any, stored: Any) -> tuple[Change, ...]:
    """Every field that differs, server-assigned metadata and status aside."""
    kept = {key: value for key, value in stored.items() if key != "status"}
    kept["metadata"] = {key: value for key, value in stored["metadata"].items() if key not in ASSIGNED}
    return tuple(_changes(rendered, kept, ()))


def _changes(one: Any, other: Any, path: tuple[str | int, ...]) -> Iterator[Change]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}):
            if key not in one or key not in other:
                yield Change((*path, key), one.get(key, _ABSENT), other.get(key, _ABSENT))
            else:
                yield from _changes(one[key], other[key], (*path, key))
    elif isinstance(one, list) and isinstance(other, list) and one and other:
        for index in range(max(len(one), len(other))):
            if index >= len(one) or index >= len(other):
                yield Change((*path, index), _at(one, index), _at(other, index))
            else:
                yield from _changes(one[index], other[index], (*path, index))
    elif one != other or type(one) is not type(other):
        yield Change(path, one, other)


def _at(items: list[Any], index: int) -> Any:
    return items[index] if index < len(items) else _ABSENT


class Predictor:
    """Predicts what a sole applier of an object owns, by the schemas of one server."""

    def __init__(self, schemas: SchemaSet) -> None:
        self.types = SchemaTypes(lambda _, api_version, kind: schemas.kind(api_version, kind), lambda _: schemas.minor)

    def owned(self, document: Object) -> FieldSet:
        """The predicted field set."""
        return owned_set(document, self.types("", document["apiVersion"], document["kind"]))

    def foreseen(self, stored: Object, change: Change, rows: Iterable[AtlasRow]) -> AtlasRow | None:
        """The atlas row that speaks of a field that was added to (or changed in) the stored object."""
        facts = self.types("", stored["apiVersion"], stored["kind"])
        paths = [unit.path for unit in units_of(stored, facts) if _overlap(unit.pointer, change.path)]
        rows = tuple(rows)
        found = [next((row for row in rows if _covers(row, path)), None) for path in paths]
        return found[0] if found and all(found) else None


def _overlap(one: Sequence[str | int], other: Sequence[str | int]) -> bool:
    """Whether one path is the beginning of the other."""
    return all(left == right for left, right in zip(one, other, strict=False))


def _covers(row: AtlasRow, path: FieldPath) -> bool:
    return any(pattern.whole or pattern.covers(path) for pattern in row.patterns)


def owner_differences(document: Object, stored: Object, manager: str, predictor: Predictor) -> tuple[str, ...]:
    """What the manager owns and was not predicted to (`+`), and the reverse (`-`)."""
    actual = FieldSet.from_wire(managed_fields(stored).get((manager, "Apply", "")))
    wanted = predictor.owned(document)
    more = [f"+{format_path(path)}" for path in actual.difference(wanted)]
    less = [f"-{format_path(path)}" for path in wanted.difference(actual)]
    return (*more, *less)


BED_MANAGERS = frozenset({"flux-cli", "argocd-cli"})
"""Names under which the bed asks an engine to look again, as their command lines do."""


def unforeseen_owners(stored: Object, engine: str, rows: Iterable[AtlasRow]) -> tuple[str, ...]:
    """Fields that somebody else than the engine owns and no atlas row speaks of: `manager (operation): field`.

    What is written through the status subresource is status: what controllers observed.
    """
    rows = tuple(rows)
    found: list[str] = []
    for (manager, operation, subresource), wire in managed_fields(stored).items():
        if (manager in ENGINE_MANAGERS[engine] and operation == "Apply") or manager in BED_MANAGERS:
            continue
        owned = FieldSet.from_wire(wire)
        mine = [row for row in rows if manager in row.managers]
        for path in owned:
            if subresource == "status" and path[0].payload in ("status", "metadata"):
                continue
            if not any(_covers(row, path) or _is_container(row, path, owned) for row in mine):
                where = f" {subresource}" if subresource else ""
                found.append(f"{manager} ({operation}{where}): {format_path(path)}")
    return tuple(found)


def _is_container(row: AtlasRow, path: FieldPath, owned: FieldSet) -> bool:
    """Whether a path is only the container of what the row speaks of and the manager owns.

    A list without keys has one owner: who writes into an item owns all of it.
    """
    node = owned
    for element in path:
        node = node.below(element)
    below = [pattern.steps[len(path)] for pattern in row.patterns if pattern.lies_below(path)]
    return bool(below) if node else any(step.kind == "*" for step in below)
