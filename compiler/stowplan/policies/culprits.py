"""Which field of an object made an expression false: from the explanation to a pointer, and to words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from stowplan.cel import Explanation, Program
from stowplan.source.span import Pointer

__all__ = ["culprit_notes", "culprit_pointer", "shown_value"]

_MOST: Final = 3
_LONGEST: Final = 160
_DEEPEST: Final = 30


def culprit_notes(explanation: Explanation) -> tuple[str, ...]:
    """The smallest false parts of an expression in words; nothing where that is the whole expression."""
    notes = []
    for part in explanation.culprits()[:_MOST]:
        if part is explanation:
            continue
        word = f"cannot be evaluated: {part.error}" if part.error is not None else "is false"
        notes.append(f"`{_short(' '.join(part.text.split()))}` {word}")
    return tuple(dict.fromkeys(notes))


def shown_value(value: Any) -> str:
    """A value in words, cut short."""
    return _short(repr(value))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def culprit_pointer(
    program: Program, explanation: Explanation, value: Mapping[str, Any], variables: Mapping[str, Program]
) -> Pointer:
    """The deepest field of the object that the false part of the expression reads; `()` where none can be told."""
    texts = [part.text for part in explanation.culprits()] or [explanation.text]
    reads = list(_object_reads(program, variables))
    named = [path for path in reads if any(".".join(("object", *path)) in text for text in texts)]
    items = [item for _, part in explanation.walk() for _, item in part.bindings if isinstance(item, dict | list)]
    best: Pointer = ()
    for path in named or reads:
        pointer = _existing(value, path)
        pointer = (*pointer, *_position(_at(value, pointer), items))
        if len(pointer) > len(best):
            best = pointer
    return best or _in_loops(explanation, value)


def _object_reads(program: Program, variables: Mapping[str, Program], depth: int = 0) -> Iterator[tuple[str, ...]]:
    for path in sorted(program.reads):
        if path[0] == "object":
            yield path[1:]
        elif path[0] == "variables" and len(path) > 1 and path[1] in variables and depth < 8:
            yield from _object_reads(variables[path[1]], variables, depth + 1)


def _existing(value: Any, path: tuple[str, ...]) -> Pointer:
    """As much of the path as is there, and the first step that is not: absence has a place too."""
    pointer: Pointer = ()
    for step in path:
        pointer = (*pointer, step)
        if not isinstance(value, dict) or step not in value:
            return pointer
        value = value[step]
    return pointer


def _at(value: Any, pointer: Pointer) -> Any:
    for step in pointer:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _position(value: Any, items: list[Any]) -> Pointer:
    """Where in a list the first of the items stands that loops had at hand."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            if any(item is other for other in items):
                return (index,)
        for index, item in enumerate(value):
            if any(item == other for other in items):
                return (index,)
    return ()


def _in_loops(explanation: Explanation, value: Mapping[str, Any]) -> Pointer:
    """What the false part reads of the item that a loop had at hand, wherever in the object that stands (for `pods`)."""
    bindings, part = next(explanation.bound_culprits(), ((), explanation))
    places: dict[str, Pointer] = {}
    pointer: Pointer = ()
    for name, item in bindings:
        pointer = places[name] = (*pointer, *(_search(_at(value, pointer), item) or ()))
    for name, place in reversed(places.items()):
        read = re.search(rf"\b{re.escape(name)}((?:\.\??[A-Za-z_]\w*\b(?!\())+)", part.text)
        if read is not None:
            steps = tuple(read[1].replace("?", "").lstrip(".").split("."))
            return (*place, *_existing(_at(value, place), steps))
    return pointer


def _search(value: Any, item: Any) -> Pointer | None:
    """Where in a value the item stands: the very one, else the first that is equal; pods have a `path` besides."""
    if not isinstance(item, dict | list):
        return None
    bare = {key: below for key, below in item.items() if key != "path"} if isinstance(item, dict) else item
    equal: Pointer | None = None
    for pointer, below in _nodes(value, ()):
        if below is item:
            return pointer
        if equal is None and below in (item, bare):
            equal = pointer
    return equal


def _nodes(value: Any, pointer: Pointer) -> Iterator[tuple[Pointer, Any]]:
    if len(pointer) > _DEEPEST:
        return
    yield pointer, value
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, below in steps:
        if isinstance(below, dict | list):
            yield from _nodes(below, (*pointer, step))
