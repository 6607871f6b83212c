"""Where objects that should be alike differ, and the override operations that give each member its own values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

__all__ = ["ABSENT", "Overriders", "differing", "overriders"]

ABSENT: Final = object()
"""Stands for a field that a member's object does not have."""

Path = tuple[str | int, ...]
Overriders = dict[str, list[dict[str, Any]]]
_METADATA_MAPS: Final = {"labels": "labelsOverrider", "annotations": "annotationsOverrider"}


def differing(values: Sequence[Any], path: Path = ()) -> Iterator[Path]:
    """The shortest paths at which the values are not all equal; lists of different length differ as a whole."""
    first = values[0]
    if all(_same(first, value) for value in values[1:]):
        return
    if all(isinstance(value, dict) for value in values):
        for key in sorted({key for value in values for key in value}):
            yield from differing([value.get(key, ABSENT) for value in values], (*path, key))
    elif isinstance(first, list) and all(isinstance(v, list) and len(v) == len(first) for v in values):
        for index in range(len(first)):
            yield from differing([value[index] for value in values], (*path, index))
    else:
        yield path


def _same(one: Any, other: Any) -> bool:
    if one is ABSENT or other is ABSENT:
        return one is other
    return bool(one == other) and isinstance(one, bool) is isinstance(other, bool)


def overriders(
    base: Mapping[str, Any], mine: Mapping[str, Any], paths: Sequence[Path]
) -> tuple[Overriders, dict[Path, Path]]:
    """What turns `base` into `mine`, and the path of the field that each operation is about, by the operation's place.

    Each differing path is stated also where the two agree: so a member's values stand together in one place, and no member depends on which other one the template was made
    from. Labels and annotations are changed key by key: Karmada keeps marks of its own beside them.
    """
    operations: list[dict[str, Any]] = []
    about: dict[Path, Path] = {}
    maps: dict[str, dict[str, dict[str, str]]] = {}
    for path in paths:
        if len(path) >= 2 and path[0] == "metadata" and path[1] in _METADATA_MAPS:
            _add_keys(maps.setdefault(str(path[1]), {}), base, mine, path)
            about.setdefault((_METADATA_MAPS[path[1]],), path[:2])
            continue
        operation = _operation(_at(base, path), _at(mine, path))
        if operation is not None:
            about["plaintext", len(operations)] = path
            operations.append({"path": _pointer(path), **operation})
    made: Overriders = {}
    for name, changes in sorted(maps.items()):
        made[_METADATA_MAPS[name]] = [
            {"operator": operator, "value": dict(sorted(changes[operator].items()))} for operator in sorted(changes)
        ]
    if operations:
        made["plaintext"] = operations
    return made, about


def _operation(base: Any, mine: Any) -> dict[str, Any] | None:
    if mine is ABSENT:
        return None if base is ABSENT else {"operator": "remove"}
    return {"operator": "add" if base is ABSENT else "replace", "value": mine}


def _add_keys(changes: dict[str, dict[str, str]], base: Mapping[str, Any], mine: Mapping[str, Any], path: Path) -> None:
    """Changes of one map of the metadata; `path` is the map or one of its keys."""
    before, after = (_at(value, path[:2]) for value in (base, mine))
    before = {} if before is ABSENT else before
    after = {} if after is ABSENT else after
    for key in [str(path[2])] if len(path) > 2 else sorted({*before, *after}):
        if key in after:
            changes.setdefault("add", {})[key] = after[key]
        elif key in before:
            changes.setdefault("remove", {})[key] = before[key]


def _at(value: Any, path: Path) -> Any:
    for step in path:
        if isinstance(value, dict):
            value = value.get(step, ABSENT)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return ABSENT
    return value


def _pointer(path: Path) -> str:
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)
