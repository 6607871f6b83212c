"""Which field of an object made an expression false: from the explanation to a pointer, and to words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from stowplan.cel import Explanation, Program
from stowplan.source.span import Pointer

__all__ = ["culprit_notes", "culprit_pointer", "shown_value"]

_MOST: Final = 3
_LONGEST: Final = 160


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
    return best or _anywhere(value, items)


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


def _anywhere(value: Any, items: list[Any]) -> Pointer:
    """The place of the innermost item at hand, wherever in the object it stands (for `pods`)."""
    for item in reversed(items):
        found = _search(value, item, (), 0)
        if found is not None:
            return found
    return ()


def _search(value: Any, item: Any, pointer: Pointer, depth: int) -> Pointer | None:
    if value is item:
        return pointer
    if depth > 30:
        return None
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, below in steps:
        found = _search(below, item, (*pointer, step), depth + 1) if isinstance(below, dict | list) else None
        if found is not None:
            return found
    return None
