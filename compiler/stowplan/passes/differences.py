"""The fields in which two revisions of an object differ, and how a value is shown in a few characters."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from stowplan.source.span import Pointer

__all__ = ["Difference", "differences", "put", "shown", "value_at"]

_ABSENT: Final = object()
_SHORT: Final = 60


@dataclass(frozen=True, slots=True)
class Difference:
    """One field, with its value before and after; `is_new` where there was none, `is_gone` where there is none any more."""

    pointer: Pointer
    old: Any
    new: Any

    @property
    def is_new(self) -> bool:
        """Whether the field was not there before."""
        return self.old is _ABSENT

    @property
    def is_gone(self) -> bool:
        """Whether the field is not there any more."""
        return self.new is _ABSENT


def differences(old: Any, new: Any, below: Pointer = ()) -> Iterator[Difference]:
    """The differences at and below a field, in order of their pointers; lists of another length differ as a whole."""
    yield from _walk(value_at(old, below), value_at(new, below), below)


def _walk(old: Any, new: Any, pointer: Pointer) -> Iterator[Difference]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted({*old, *new}, key=str):
            yield from _walk(old.get(key, _ABSENT), new.get(key, _ABSENT), (*pointer, key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _walk(one, other, (*pointer, index))
    elif old != new or type(old) is not type(new):
        yield Difference(pointer, old, new)


def value_at(value: Any, pointer: Pointer) -> Any:
    """The value at a pointer; a mark that is equal to nothing else where there is none."""
    for step in pointer:
        is_there = step in value if isinstance(value, Mapping) else isinstance(value, list) and _has(value, step)
        if not is_there:
            return _ABSENT
        value = value[step]
    return value


def _has(items: list[Any], step: str | int) -> bool:
    return isinstance(step, int) and step < len(items)


def put(target: dict[str, Any], difference: Difference) -> None:
    """Makes one change in a copy of the old object."""
    if not difference.pointer:
        return
    parent: Any = value_at(target, difference.pointer[:-1])
    last: Any = difference.pointer[-1]
    if difference.is_gone and isinstance(parent, dict):
        parent.pop(last, None)
    elif isinstance(parent, dict | list):
        parent[last] = difference.new


def shown(value: Any) -> str:
    """A value as people read it, cut where it is long."""
    if value is _ABSENT:
        return "nothing"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True, default=dict)
    text = " ".join(text.split()) if isinstance(value, str) and value.strip() else text
    return f"`{text}`" if len(text) <= _SHORT else f"`{text[: _SHORT - 3]}...`"
