"""Turns the server's name of a field into a path through the object it is about."""

from __future__ import annotations

from typing import Any, Final

from stowplan.schema.verdict import FieldError
from stowplan.source.span import Pointer

__all__ = ["locate", "with_pointers"]


_SHARED: Final = {
    "validation": "schema", "subresources": "subresources", "additionalPrinterColumns": "additionalPrinterColumns",
    "selectableFields": "selectableFields",
}  # fmt: skip
"""What all versions of a CustomResourceDefinition say alike has a name of its own; the first version's is shown."""


def _steps(field: str) -> list[str]:
    """The steps of `a.b[0].c[key.with/dots]`; what stands in brackets is one step."""
    steps: list[str] = []
    place = 0
    while place < len(field):
        if field[place] == "[":
            end = field.find("]", place)
            end = len(field) if end < 0 else end
            steps.append(field[place : end + 1])
            place = end + 1
        elif field[place] == ".":
            place += 1
        else:
            ends = [found for found in (field.find(".", place), field.find("[", place)) if found >= 0]
            end = min(ends, default=len(field))
            steps.append(field[place:end])
            place = end
    return steps


def locate(value: Any, field: str) -> Pointer:
    """The longest path of the field that leads anywhere in the object, and one step more when that is missing.

    The server leaves `metadata` out of the path of a template's labels, writes some members in other letters, and has
    names of its own for what all versions of a definition share; they are found all the same.
    """
    pointer: list[str | int] = []
    for step in _steps(field):
        if step.startswith("["):
            inner = step[1:].removesuffix("]")
            if isinstance(value, list) and inner.isascii() and inner.isdigit() and int(inner) < len(value):
                pointer.append(int(inner))
                value = value[int(inner)]
                continue
            if isinstance(value, dict) and inner in value:
                pointer.append(inner)
                value = value[inner]
                continue
            return tuple(pointer)
        if not isinstance(value, dict):
            return tuple(pointer)
        key = _member(value, step)
        if key is None and step in ("labels", "annotations") and isinstance(value.get("metadata"), dict):
            pointer.append("metadata")
            value, key = value["metadata"], step
        elif key is None and pointer == ["spec"] and step in _SHARED and _first(value.get("versions")):
            pointer += ["versions", 0]
            value, key = value["versions"][0], _SHARED[step]
        pointer.append(step if key is None else key)
        if key is None or key not in value:
            return tuple(pointer)
        value = value[key]
    return tuple(pointer)


def _first(versions: Any) -> bool:
    return isinstance(versions, list) and bool(versions) and isinstance(versions[0], dict)


def _member(value: dict[str, Any], step: str) -> str | None:
    if step in value:
        return step
    lowered = step.lower()
    return next((key for key in value if key.lower() == lowered), None)


def with_pointers(value: Any, errors: list[FieldError]) -> list[FieldError]:
    """The same errors, each with the place in the object it is about."""
    return [FieldError(error.field, error.reason, error.message, locate(value, error.field)) for error in errors]
