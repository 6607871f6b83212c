"""The full walk: the server's steps in its order, with every cause. Runs where the compiled check does not let pass.

Create: prune, decode metadata, drop nulls, default, drop a status that has its own endpoint; then metadata, schema,
scale paths, embedded resources, list topology, and rules unless a cause was found that stops them.

Update: the same on the new object, with the old one brought into the same form. Ratcheting as in servers since 1.33:
causes at a value that the old object has unchanged are dropped (items of lists that are not keyed count as changed
unless the whole list is equal); list topology is not judged if the old object broke it; rules without `oldSelf` that
an unchanged value breaks become warnings; transition rules always count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from stowplan.schema.checking import check_value
from stowplan.schema.comparing import UNRELATED
from stowplan.schema.engine import Engine, Trail
from stowplan.schema.listing import check_lists
from stowplan.schema.metadata import (
    SERVER_ASSIGNED,
    Malformed,
    check_metadata,
    check_metadata_update,
    clean_metadata,
    finalizer_warnings,
    path_segment_complaints,
)
from stowplan.schema.node import Node
from stowplan.schema.numbers import whole_number
from stowplan.schema.opened import Opener
from stowplan.schema.rulewalk import run_rules
from stowplan.schema.scalars import Findings
from stowplan.schema.shaping import Unknown, apply_defaults, copy_json, drop_nulls, normalise_metadata, prune
from stowplan.schema.unsettled import HOLDERS, Open, OpenList, is_list, is_map, open_items, open_keys
from stowplan.schema.verdict import FieldError, Verdict
from stowplan.schema.wording import NOTHING, go_number, index_path, invalid, json_text, key_path, required
from stowplan.source.span import Pointer

__all__ = ["Grounds", "check_scale", "decode", "judge_fully", "stored_form", "through_storage"]

_STOPS = frozenset(
    {"FieldValueNotSupported", "FieldValueRequired", "FieldValueTooLong", "FieldValueTooMany", "FieldValueTypeInvalid"}
)
_UNCHECKED = (
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete "
    "validation"
)


class Grounds(NamedTuple):
    """What of a kind the walk needs: its root node and checkers, scope, subresources, deprecation."""

    root: Node
    engine: Engine
    namespaced: bool
    status: bool
    scale: tuple[str, str, str] | None
    warnings: tuple[str, ...]
    storage: Node | None = None


class Decoded(NamedTuple):
    """A copy of an object, pruned, freed of nulls and filled with defaults; and its unknown fields.

    `floats` and `lists` tell whether floats may stand in integer fields, and whether items of lists may repeat; `found`
    is what validation says, where it was done on the way.
    """

    value: Any
    unknown: Sequence[Unknown]
    floats: bool = True
    lists: bool = True
    found: Findings | None = None


def decode(
    value: Any, grounds: Grounds, *, trail: Trail | None = None, strict: bool = False, keep_status: bool = True
) -> Decoded:
    """The object as it is judged; may raise `Malformed`.

    Given a `trail` of faults, only these are looked at. If `strict`, an object with unknown fields is not brought further.
    """
    if trail is not None:
        opener = Opener(grounds.engine, trail, without_status=grounds.status and not keep_status)
        out = opener.object(value, grounds.root)
        unknown = [*sorted(opener.unknown, key=_by_path), *sorted(opener.of_metadata, key=_by_path)]
        return Decoded(out, unknown, opener.floats, opener.lists, opener.found)
    out = copy_json(value)
    unknown = []
    prune(out, grounds.root, "", (), unknown, root=True)
    unknown.sort(key=_by_path)
    extra: list[Unknown] = []
    normalise_metadata(out, grounds.root, "", (), extra, root=True)
    unknown += sorted(extra, key=_by_path)
    if not (unknown and strict):
        drop_nulls(out, grounds.root)
        apply_defaults(out, grounds.root)
    return Decoded(out, unknown)


def _by_path(found: Unknown) -> str:
    return found[0]


def judge_fully(
    value: dict[str, Any],
    grounds: Grounds,
    old: dict[str, Any] | None = None,
    *,
    strict: bool = True,
    keep_status: bool = False,
    trail: Trail | None = None,
) -> Verdict:
    """The server's verdict with every cause; `keep_status` judges a given status too, as a library call would."""
    try:
        return _judge(value, grounds, old, strict, keep_status, trail)
    except RecursionError:
        return _undecodable("the object is nested too deeply", ())


def _judge(
    value: dict[str, Any],
    grounds: Grounds,
    old: dict[str, Any] | None,
    strict: bool,
    keep_status: bool,
    trail: Trail | None,
) -> Verdict:
    try:
        given = (trail or {}) if old is None else None
        decoded = decode(value, grounds, trail=given, strict=strict, keep_status=keep_status)
        before = None if old is None else decode(old, grounds).value
    except Malformed as problem:
        return _undecodable(str(problem), ("metadata",))
    if decoded.unknown and strict:
        return Verdict(400, tuple([_unknown_field(path, at) for path, at in decoded.unknown]))
    new, warnings = decoded.value, grounds.warnings
    _set_status(new, before, grounds, keep_status)
    errors, more = _validate(decoded, before, grounds)
    warnings += tuple(more)
    if errors:
        return Verdict(422, tuple(errors), warnings)
    past = () if before is None else (before.get("metadata") or {}).get("finalizers") or ()
    warnings += finalizer_warnings((new.get("metadata") or {}).get("finalizers") or [], tuple(past))
    return Verdict(201 if old is None else 200, (), warnings, stored_form(new, grounds))


def _undecodable(text: str, pointer: Pointer) -> Verdict:
    return Verdict(400, (FieldError(NOTHING if not pointer else "metadata", "DecodeError", text, pointer),))


def _unknown_field(path: str, pointer: Pointer) -> FieldError:
    return FieldError(path, "UnknownField", f'unknown field "{path}"', pointer)


def _set_status(new: dict[str, Any], before: dict[str, Any] | None, grounds: Grounds, keep: bool) -> None:
    """A create or update of the object itself cannot set a status that has its own endpoint."""
    if not grounds.status or keep:
        return
    new.pop("status", None)
    if before is not None and "status" in before:
        new["status"] = copy_json(before["status"])


def _validate(decoded: Decoded, before: dict[str, Any] | None, grounds: Grounds) -> tuple[list[FieldError], list[str]]:
    root, engine, new = grounds.root, grounds.engine, decoded.value
    errors = _check_object_meta(new, before, grounds)
    old = UNRELATED if before is None else before
    errors += (decoded.found or check_value(new, root, "", (), engine.minor, old, root=True)).errors
    errors += check_scale(new, grounds.scale)
    errors += _check_embedded(new, root, "", ())
    if decoded.lists and (before is None or not check_lists(before, root, "", ())):
        errors += check_lists(new, root, "", ())
    if not root.has_rules_below:
        return errors, []
    if any(error.reason in _STOPS for error in errors):
        return [*errors, invalid(NOTHING, None, _UNCHECKED, ())], []
    found, warnings = run_rules(engine, root, new, old, floats=decoded.floats)
    return errors + found, warnings


def _check_object_meta(new: dict[str, Any], before: dict[str, Any] | None, grounds: Grounds) -> list[FieldError]:
    if type(new) is Open and "metadata" in new and "metadata" not in new.open:
        return []
    meta = new.get("metadata") or {}
    if not grounds.namespaced and meta.pop("namespace", None) and not meta:
        new["metadata"] = meta
    found = check_metadata(meta, "metadata", ("metadata",), namespaced=grounds.namespaced)
    if before is not None:
        found += check_metadata_update(meta, before.get("metadata") or {}, "metadata")
    return found


def check_scale(value: dict[str, Any], scale: tuple[str, str, str] | None) -> list[FieldError]:
    """What the scale subresource could not make of the object."""
    if scale is None:
        return []
    found = []
    for path in scale[:2]:
        if path:
            found += _check_replicas(value, path)
    if scale[2]:
        problem, _ = _nested(value, scale[2], str, "string")
        if problem:
            found.append(invalid(scale[2], "", problem, _steps(scale[2])))
    return found


def _check_replicas(value: dict[str, Any], path: str) -> list[FieldError]:
    problem, count = _nested(value, path, int, "int64")
    if problem:
        return [invalid(path, 0, problem, _steps(path))]
    if count is not None and count < 0:
        return [invalid(path, count, "should be a non-negative integer", _steps(path))]
    if count is not None and count > 2**31 - 1:
        return [invalid(path, count, f"should be less than or equal to {2**31 - 1}", _steps(path))]
    return []


def _steps(path: str) -> tuple[str, ...]:
    return tuple(path.removeprefix(".").split("."))


def _nested(value: Any, path: str, wanted: type, go_name: str) -> tuple[str, Any]:
    """The value at a plain JSON path, or why the server cannot read it there."""
    seen = ""
    for step in _steps(path):
        if value is None or (isinstance(value, dict) and step not in value):
            return "", None
        if not isinstance(value, dict):
            return _accessor_error(value, f"{seen}.{step}", "map[string]interface{}"), None
        value = value[step]
        seen += f".{step}"
    return ("", value) if type(value) is wanted else (_accessor_error(value, path, go_name), None)


_GO_NAMES: dict[type, str] = {
    str: "string", bool: "bool", int: "int64", float: "float64", list: "[]interface {}", OpenList: "[]interface {}",
    dict: "map[string]interface {}", Open: "map[string]interface {}",
    type(None): "<nil>",
}  # fmt: skip


def _accessor_error(value: Any, path: str, wanted: str) -> str:
    kind = type(value)
    shown = value if kind is str else go_number(value) if kind in (int, float) else json_text(value)
    shown = "<nil>" if value is None else shown
    return f"{path} accessor error: {shown} is of the type {_GO_NAMES[kind]}, expected {wanted}"


def _check_embedded(value: Any, node: Node, path: str, pointer: Pointer) -> list[FieldError]:
    found: list[FieldError] = []
    if not node.has_embedded_below:
        return found
    if is_map(value):
        if node.embedded:
            found += _check_resource(value, path, pointer)
        additional = node.additional
        for key in open_keys(value):
            child, item = node.child(key), value[key]
            if type(item) not in HOLDERS or (child is None and additional is None):
                continue
            below = key_path(path, key) if child is None else f"{path}.{key}" if path else key
            found += _check_embedded(item, child or additional or node, below, (*pointer, key))
    elif is_list(value) and node.items is not None:
        for index, item in open_items(value):
            found += _check_embedded(item, node.items, index_path(path, index), (*pointer, index))
    return found


def _check_resource(value: dict[str, Any], path: str, pointer: Pointer) -> list[FieldError]:
    found = [required(f"{path}.{key}", "", (*pointer, key)) for key in ("apiVersion", "kind") if key not in value]
    for key in ("apiVersion", "kind"):
        if key not in value:
            continue
        text = value[key]
        where, at = f"{path}.{key}", (*pointer, key)
        if type(text) is not str:
            found.append(invalid(where, text, "must be a string", at))
        elif not text:
            found.append(invalid(where, text, "must not be empty", at))
        elif key == "apiVersion" and text.count("/") > 1:
            found.append(invalid(where, text, f"unexpected GroupVersion string: {text}", at))
        elif key == "kind" and not _kind_is_good(text):
            found.append(invalid(where, text, _KIND_TEXT, at))
    if type(value.get("metadata")) is dict:
        meta, _ = clean_metadata(value["metadata"], f"{path}.metadata", (*pointer, "metadata"))
        meta.setdefault("name", "fakename")
        at = (*pointer, "metadata")
        found += check_metadata(meta, f"{path}.metadata", at, namespaced=None, name_check=path_segment_complaints)
    return found


_KIND_TEXT = (
    "may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric "
    "characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  "
    "or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
)


def _kind_is_good(kind: str) -> bool:
    return len(kind) <= 63 and re.fullmatch(r"[a-z]([-a-z0-9]*[a-z0-9])?", kind.lower()) is not None


def stored_form(value: dict[str, Any], grounds: Grounds) -> dict[str, Any]:
    """The accepted object as read back: whole floats as integers, server-assigned metadata left out."""
    out: dict[str, Any] = _whole_floats(value)
    if grounds.storage is not None:
        out = through_storage(out, grounds)
    meta = out.get("metadata")
    if meta:
        out["metadata"] = {key: item for key, item in meta.items() if key not in SERVER_ASSIGNED}
    return out


def through_storage(value: dict[str, Any], grounds: Grounds) -> dict[str, Any]:
    """What is left after conversion to the storage version and back, when only the version's name is changed.

    It is read with the defaults of the version that is stored, and only pruned to the one that was asked for.
    """
    assert grounds.storage is not None
    unknown: list[Unknown] = []
    prune(value, grounds.storage, "", (), unknown, root=True)
    drop_nulls(value, grounds.storage)
    apply_defaults(value, grounds.storage)
    prune(value, grounds.root, "", (), unknown, root=True)
    return value


_BEYOND = 1 << 63


def _whole_floats(value: Any) -> Any:
    kind = type(value)
    if kind is float or (kind is int and not -_BEYOND <= value < _BEYOND):
        return whole_number(value)
    if isinstance(value, dict):
        return {key: _whole_floats(item) for key, item in value.items()}
    return [_whole_floats(item) for item in value] if isinstance(value, list) else value
