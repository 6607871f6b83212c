"""What compiled shapes call while they are filled: values into strings, keys in order, collections copied."""

from __future__ import annotations

from types import MappingProxyType

from stowplan.source.yaml_writer import MAX_DEPTH, WriteError, key_text, scalar_text

__all__ = ["FillError", "keyed_object", "keyed_text", "part_text", "plain_copy"]


class FillError(ValueError):
    """A value cannot stand where the template puts it."""


def part_text(value: object) -> str:
    """How a value reads within a longer string or as a key: strings as they are, numbers and booleans as YAML has them.

    Raises:
        FillError: for null and for collections, which have no place within a string.
    """
    if type(value) is str:
        return value
    if type(value) in (bool, int, float):
        return scalar_text(value)
    what = "null" if value is None else f"a {_NAMES.get(type(value), type(value).__name__)}"
    raise FillError(f"{what} cannot be part of a string or a key")


_NAMES: dict[type, str] = {dict: "mapping", MappingProxyType: "mapping", list: "list", tuple: "list"}


def plain_copy(value: object, depth: int = 0) -> object:
    """A whole value as plain data of its own: dicts with sorted keys, lists, scalars."""
    kind = type(value)
    if kind is str:
        return value
    if depth > MAX_DEPTH:
        raise WriteError(f"collections are nested more than {MAX_DEPTH} deep")
    if kind is dict or kind is MappingProxyType:
        mapping: dict[object, object] = value  # type: ignore[assignment]
        if not all(type(key) is str for key in mapping):
            raise WriteError("all keys of a mapping must be strings")
        return {key: plain_copy(mapping[key], depth + 1) for key in sorted(mapping)}  # type: ignore[type-var]
    if kind is list or kind is tuple:
        items: list[object] = value  # type: ignore[assignment]
        return [plain_copy(item, depth + 1) for item in items]
    scalar_text(value)
    return value


def keyed_object(entries: tuple[tuple[str, object], ...]) -> dict[str, object]:
    """A mapping some of whose keys came from holes."""
    result = dict(entries)
    if len(result) != len(entries):
        _complain(entries)
    return {key: result[key] for key in sorted(result)}


def keyed_text(entries: tuple[tuple[str, str], ...], head: str, pad: str) -> str:
    """The lines of a mapping some of whose keys came from holes; `head` is what stands before the first key."""
    ordered = sorted(entries)
    if len(dict(entries)) != len(entries):
        _complain(entries)
    lines = [f"{pad}{key_text(key)}:{text}" for key, text in ordered]
    return head + "".join(lines)[len(pad) :]


def _complain(entries: tuple[tuple[str, object], ...]) -> None:
    seen: set[str] = set()
    for key, _ in entries:
        if key in seen:
            raise FillError(f"the key `{key}` stands twice in one mapping once the values are filled in")
        seen.add(key)
