"""Judge one object of a built-in kind: decode, default, validate, store, in the server's order and with its codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from stowplan.schema.builtin.admission import admission_refusal, later_refusal, security_warnings, unauthorised
from stowplan.schema.builtin.assigned import Surroundings
from stowplan.schema.builtin.decode import explain_undecodable
from stowplan.schema.builtin.limits import apply_defaults
from stowplan.schema.builtin.objects import KindPlan, Undecodable, kind_plan
from stowplan.schema.builtin.pack import builtin_kinds, kind_type, supported_minor
from stowplan.schema.builtin.update import prepare_update
from stowplan.schema.verdict import FieldError, Verdict
from stowplan.source.api_json import JsonError, decode_json
from stowplan.source.span import Pointer

__all__ = ["ELSEWHERE", "judge_builtin", "judge_builtin_text", "normalise_builtin"]


ELSEWHERE: Final = "the namespace of the provided object does not match the namespace sent on the request"


def _refuse(code: int, reason: str, message: str, field: str = "", pointer: Pointer = ()) -> Verdict:
    return Verdict(code, (FieldError(field, reason, message, pointer),))


def _plan(value: object, minor: int, *, gates: bool, strict: bool, switched_on: bool) -> KindPlan | Verdict:
    """The plan of the object's kind, or why there is none."""
    if not isinstance(value, dict):
        return _refuse(400, "BadRequest", "the object provided is unrecognized: it is no JSON object")
    api_version, kind = value.get("apiVersion"), value.get("kind")
    if not isinstance(api_version, str) or not isinstance(kind, str) or not api_version or not kind:
        return _refuse(400, "BadRequest", "the object has no apiVersion or kind")
    if not gates and not switched_on and f"{api_version}/{kind}" not in builtin_kinds(minor):
        known = kind_type(api_version, kind, minor) is not None
        note = "is not served by default" if known else "is not known"
        return _refuse(404, "NotFound", f"{kind} in version {api_version} {note} in Kubernetes 1.{minor}")
    plan = kind_plan(api_version, kind, minor, gates=gates, lenient=not strict)
    if plan is None:
        return _refuse(404, "NotFound", f"{kind} in version {api_version} is not known in Kubernetes 1.{minor}")
    return plan


def _undecodable(
    value: Mapping[str, Any], minor: int, duplicates: Sequence[Pointer], *, strict: bool
) -> tuple[FieldError, ...]:
    errors = explain_undecodable(value, minor, duplicates, strict=strict)
    return errors or (FieldError("", "DecodeError", "the object cannot be decoded"),)


def _strict_warnings(value: Mapping[str, Any], minor: int, duplicates: Sequence[Pointer]) -> tuple[str, ...]:
    """What a lenient server says of unknown and repeated members."""
    marker = "strict decoding error: "
    return tuple(e.message.partition(marker)[2] for e in explain_undecodable(value, minor, duplicates))


def judge_builtin(
    value: dict[str, Any],
    minor: int,
    old: dict[str, Any] | None = None,
    strict: bool = True,
    *,
    namespace: str | None = None,
    all_gates: bool = False,
    surroundings: Surroundings | None = None,
    duplicates: Sequence[Pointer] = (),
    switched_on: bool = False,
) -> Verdict:
    """The server's answer to a create, or with `old` (as stored) to an update.

    `namespace` is that of the request: an object that names another is refused; without one the request is taken to be
    made where the object says, else in `default`. `duplicates` are places of repeated keys, as `decode_json` finds them. `all_gates` judges as if every feature were switched on; `switched_on`, as if the kind's API were, though not
    by default. `surroundings`,
    where known, lets admission look up the classes of a Pod. The object is not changed.
    """
    minor = supported_minor(minor)
    plan = _plan(value, minor, gates=all_gates, strict=strict, switched_on=switched_on)
    if isinstance(plan, Verdict):
        return plan
    try:
        if duplicates and strict:
            return Verdict(400, _undecodable(value, minor, duplicates, strict=True))
        stored = plan.store(value, created=old is None)
    except Undecodable:
        return Verdict(400, _undecodable(value, minor, duplicates, strict=strict))
    except RecursionError:
        return _refuse(400, "BadRequest", "exceeded max depth")
    if not _place(stored["metadata"], namespace, namespaced=plan.namespaced):
        return _refuse(400, "BadRequest", ELSEWHERE, "metadata.namespace", ("metadata", "namespace"))
    if old is not None:
        prepare_update(stored, old, value)
    elif refusal := admission_refusal(stored, surroundings):
        return _refuse(403, "Forbidden", refusal)
    elif surroundings is not None and (stored["apiVersion"], stored["kind"]) == ("v1", "Pod"):
        apply_defaults(stored, surroundings.around(stored).limits)
    errors = _validate(stored, value, minor, old)
    if old is None:
        errors = (*unauthorised(stored, surroundings), *errors)
    if errors:
        return Verdict(422, errors)
    if old is None and (refusal := later_refusal(stored, surroundings, minor, value)):
        return _refuse(403, "Forbidden", refusal)
    warnings = () if strict else _strict_warnings(value, minor, duplicates)
    warnings += security_warnings(stored, surroundings, minor)
    return Verdict(200 if old is not None else 201, (), warnings, stored)


def _place(meta: dict[str, Any], namespace: str | None, *, namespaced: bool) -> bool:
    """Put an object into the namespace of the request; whether it may be there."""
    own = meta.get("namespace") or ""
    if not namespaced:
        meta.pop("namespace", None)
        return True
    if not own:
        meta["namespace"] = namespace or "default"
    return not own or namespace is None or own == namespace


def _validate(
    stored: dict[str, Any], sent: dict[str, Any], minor: int, old: dict[str, Any] | None
) -> tuple[FieldError, ...]:
    from stowplan.schema.builtin import validation

    if old is None:
        return tuple(validation.validate_create(stored, minor, sent))
    return tuple(validation.validate_update(stored, old, minor, sent))


def judge_builtin_text(
    body: bytes, minor: int, old: dict[str, Any] | None = None, strict: bool = True, *, namespace: str | None = None
) -> Verdict:
    """As `judge_builtin`, from the text of the request: repeated keys and the spelling of numbers count."""
    try:
        decoded = decode_json(body)
    except JsonError as problem:
        return _refuse(400, "BadRequest", f"couldn't get version/kind; json parse error: {problem}")
    return judge_builtin(decoded.value, minor, old, strict, namespace=namespace, duplicates=decoded.duplicates)


def normalise_builtin(value: Mapping[str, Any], minor: int) -> dict[str, Any]:
    """The stored form of an object that can be decoded: defaults filled in, scalars canonical; a fixed point.

    Members that only the server assigns are left out; a namespace is not added. Raises ValueError when the object is
    of no built-in kind or cannot be decoded (`judge_builtin` says why).
    """
    minor = supported_minor(minor)
    plan = kind_plan(value.get("apiVersion", ""), value.get("kind", ""), minor)
    if plan is None:
        raise ValueError(f"{value.get('apiVersion')}/{value.get('kind')} is no built-in kind of Kubernetes 1.{minor}")
    try:
        return plan.store(value)
    except Undecodable:
        errors = explain_undecodable(value, minor)
        raise ValueError(errors[0].message if errors else "the object cannot be decoded") from None
