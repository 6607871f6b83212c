"""A model's refusals to diagnostics: code, wording, place, and what was probably meant."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ValidationError

from stowplan.diagnostics.model import Diagnostic, Label, error
from stowplan.diagnostics.suggest import did_you_mean
from stowplan.model.inputs.base import InputModel
from stowplan.source.span import Origin, format_pointer

__all__ = ["explain_errors"]

_TYPE_WORDS = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}
_BOUNDS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
_NAME_BY_TYPE = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a mapping",
}


def explain_errors(problem: ValidationError, model: type[InputModel], origin: Origin) -> Iterator[Diagnostic]:
    """One diagnostic for each refusal, in the model's order; `origin` is the place of the spec."""
    for entry in problem.errors(include_url=False):
        location = tuple(step for step in entry["loc"] if step != "[key]")
        at_key = "[key]" in entry["loc"]
        yield _explain(dict(entry), location, at_key, model, origin)


def _explain(
    entry: dict[str, Any],
    location: tuple[int | str, ...],
    at_key: bool,
    model: type[InputModel],
    origin: Origin,
) -> Diagnostic:
    kind, context = entry["type"], entry.get("ctx", {})
    shown = format_pointer(location)
    place = origin.below(location)
    if kind == "extra_forbidden":
        names = _field_names(model, location[:-1])
        helps = did_you_mean(str(location[-1]), names) or (f"known fields here: {', '.join(f'`{n}`' for n in names)}",)
        return error("SP0201", f"unknown field `{shown}`", place.key(), helps=helps)
    if kind == "missing":
        parent = format_pointer(location[:-1]) or "spec"
        return error(
            "SP0202", f"`{parent}` lacks `{location[-1]}`", origin.below(location[:-1]).key(),
            helps=_describe(model, location),
        )  # fmt: skip
    if kind in _TYPE_WORDS or kind == "wrong_type":
        found = _NAME_BY_TYPE.get(type(entry.get("input")), "nothing")
        message = entry["msg"] if kind == "wrong_type" else f"expected {_TYPE_WORDS[kind]}, found {found}"
        helps = (context["help"],) if "help" in context else _describe(model, location)
        return error("SP0203", f"`{shown}`: {message}", place, helps=helps)
    if kind in ("order", "exclusive"):
        return _contradiction(entry, context, location, origin)
    if kind == "literal_error":
        allowed = [part.strip("' ") for part in context["expected"].replace(" or ", ",").split(",")]
        helps = did_you_mean(str(entry["input"]), allowed) or (f"one of {', '.join(f'`{a}`' for a in allowed)}",)
        return error("SP0204", f"`{shown}` cannot be `{entry['input']}`", place, helps=helps)
    reason = _refusal(entry, context)
    return error(
        "SP0204", f"`{shown}`: {reason[0].lower()}{reason[1:]}", place.key() if at_key else place, helps=_describe(model, location)
    )  # fmt: skip


def _refusal(entry: dict[str, Any], context: dict[str, Any]) -> str:
    """Why the value is refused, in our words where pydantic's speak of Python."""
    kind = entry["type"]
    if kind == "too_short":
        return f"has {context['actual_length']} entries, needs at least {context['min_length']}"
    if kind == "string_pattern_mismatch":
        return f"must match the pattern `{context['pattern']}`"
    bound = next((f"{words} {_plain(context[name])}" for name, words in _BOUNDS.items() if name in context), None)
    if bound is not None and isinstance(entry.get("input"), int | float):
        return f"must be {bound}, is {entry['input']}"
    return str(entry["msg"]).removeprefix("Value error, ")


def _plain(bound: Any) -> Any:
    return int(bound) if isinstance(bound, float) and bound.is_integer() else bound


def _contradiction(
    entry: dict[str, Any], context: dict[str, Any], location: tuple[int | str, ...], origin: Origin
) -> Diagnostic:
    pointer = (*location, context["field"]) if "field" in context else location
    shown = format_pointer(location)
    other = (Label(origin.below((*location, context["other"])), "this"),) if "other" in context else ()
    message = f"`{shown}`: {entry['msg']}" if shown else entry["msg"]
    return error("SP0207", message, origin.below(pointer), secondary=other)


def _model_at(model: Any, location: tuple[int | str, ...]) -> type[BaseModel] | None:
    current: Any = model
    for step in location:
        current = _unwrap(current)
        if isinstance(current, type) and issubclass(current, BaseModel):
            field = next((f for n, f in current.model_fields.items() if step in (n, f.alias)), None)
            if field is None:
                return None
            current = field.annotation
        else:
            arguments = typing.get_args(current)
            if not arguments:
                return None
            current = arguments[1] if typing.get_origin(current) is dict else arguments[0]
    current = _unwrap(current)
    return current if isinstance(current, type) and issubclass(current, BaseModel) else None


def _unwrap(annotation: Any) -> Any:
    while True:
        arguments = typing.get_args(annotation)
        if typing.get_origin(annotation) is typing.Annotated:
            annotation = arguments[0]
        elif arguments and type(None) in arguments:
            annotation = next(a for a in arguments if a is not type(None))
        else:
            return annotation


def _field_names(model: type[InputModel], location: tuple[int | str, ...]) -> tuple[str, ...]:
    found = _model_at(model, location)
    return () if found is None else tuple(f.alias or n for n, f in found.model_fields.items())


def _describe(model: type[InputModel], location: tuple[int | str, ...]) -> tuple[str, ...]:
    """What the field is for, as its model says."""
    names = [s for s in location if isinstance(s, str)]
    if not names:
        return ()
    index = max(i for i, s in enumerate(location) if isinstance(s, str))
    parent = _model_at(model, location[:index])
    if parent is None:
        return ()
    field = next((f for n, f in parent.model_fields.items() if names[-1] in (n, f.alias)), None)
    return (f"`{names[-1]}`: {field.description}",) if field is not None and field.description else ()
