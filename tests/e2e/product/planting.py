"""Plants faults into objects that are right: types, unknown and missing fields, enums, names, repeated items, updates."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Planted:
    """One changed object: what was done, where, and the result; `update` says that it is sent as an update."""

    how: str
    where: Path
    document: dict[str, Any]
    update: bool = False

    def __str__(self) -> str:
        named = self.document.get("kind")
        return f"{self.how} at {'.'.join(map(str, self.where))} of {named}{' (update)' if self.update else ''}"


def plant(documents: Sequence[dict[str, Any]], count: int, seed: int = 1) -> list[Planted]:
    """So many faults, spread evenly over the objects and the ways of planting them; the same for the same seed."""
    chance = random.Random(seed)
    pools: list[list[Planted]] = []
    for document in documents:
        by_way: dict[str, list[Planted]] = {}
        for fault in _all(document):
            by_way.setdefault(fault.how, []).append(fault)
        for found in by_way.values():
            chance.shuffle(found)
            pools.append(found)
    chance.shuffle(pools)
    chosen: list[Planted] = []
    while len(chosen) < count and any(pools):
        for pool in pools:
            if pool and len(chosen) < count:
                chosen.append(pool.pop())
    return chosen


def _all(document: dict[str, Any]) -> Iterator[Planted]:
    for path, value in list(_walk(document, ())):
        if path[:1] in (("apiVersion",), ("kind",)) or path in (("metadata",), ("metadata", "namespace")):
            continue
        for how, put in _changes(value):
            yield Planted(how, path, _with(document, path, put))
        if path[:1] != ("metadata",):
            yield Planted("missing field", path, _without(document, path))
        if isinstance(value, dict):
            yield Planted("unknown field", (*path, "planted"), _with(document, (*path, "planted"), 1))
    for name in ("Not_A_Name", "a" * 254, "-x", ""):
        yield Planted("bad name", ("metadata", "name"), _with(document, ("metadata", "name"), name))
    for key, value in (("bad key!", "x"), ("ok", "not a value!"), ("ok", "v" * 64), ("a/b/c", "x")):
        labels = {**document["metadata"].get("labels", {}), key: value}
        yield Planted("bad label", ("metadata", "labels"), _with(document, ("metadata", "labels"), labels))


def _changes(value: Any) -> Iterator[tuple[str, Any]]:
    """Ways to spoil one value."""
    if isinstance(value, bool):
        yield "wrong type", "yes"
    elif isinstance(value, int):
        yield "wrong type", "many"
        yield "bad number", -1
    elif isinstance(value, str):
        yield "wrong type", {"of": 1}
        yield "wrong type", 7
        yield "bad text", "No such value!"
        yield "empty text", ""
    elif isinstance(value, list):
        yield "wrong type", "text"
        if value:
            yield "repeated item", [*value, copy.deepcopy(value[0])]
        yield "null item", [*value, None]
    elif isinstance(value, dict):
        yield "wrong type", 5
        yield "wrong type", ["text"]


def updates(stored: dict[str, Any]) -> Iterator[Planted]:
    """Changes of single texts and numbers of a stored object, sent as updates: some fields may not change."""
    for path, value in list(_walk(stored, ())):
        if path[0] in ("apiVersion", "kind", "metadata", "status"):
            continue
        if isinstance(value, str):
            yield Planted("changed text", path, _with(stored, path, f"{value}x" if value else "x"), update=True)
        elif isinstance(value, int) and not isinstance(value, bool):
            yield Planted("changed number", path, _with(stored, path, value + 1), update=True)


def _walk(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    if path:
        yield path, value
    if isinstance(value, dict):
        for key, child in value.items():
            yield from _walk(child, (*path, key))
    elif isinstance(value, list):
        for index, child in enumerate(value[:2]):
            yield from _walk(child, (*path, index))


def _with(document: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(document)
    holder = _at(changed, path[:-1])
    holder[path[-1]] = value
    return changed


def _without(document: dict[str, Any], path: Path) -> dict[str, Any]:
    changed = copy.deepcopy(document)
    del _at(changed, path[:-1])[path[-1]]
    return changed


def _at(document: Any, path: Path) -> Any:
    for step in path:
        document = document[step]
    return document
