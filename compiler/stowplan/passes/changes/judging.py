"""Which updates an API server would refuse: what is immutable in built-in kinds, and transition rules of custom ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from typing import Any, Final

from stowplan.model.handedover import QUEUE_LABEL
from stowplan.model.manifest import Target
from stowplan.model.previous import RefusedChange, Update
from stowplan.passes.changes.cures import cure_of
from stowplan.passes.differences import differences, put
from stowplan.schema.kind import KindSchema
from stowplan.schema.sets import SchemaSet
from stowplan.schema.verdict import FieldError, Verdict
from stowplan.source.span import Pointer

__all__ = ["refused_changes"]

_MOST_TRIED: Final = 40
"""Changed fields of one object that are tried one by one."""
_MOST_NARROWED: Final = 400
"""Refused objects of one compile whose fields are tried."""


def refused_changes(updates: Iterable[Update], schemas_for: Callable[[Target], SchemaSet]) -> Iterator[RefusedChange]:
    """What the API servers would refuse, one for each of their causes.

    Where the two texts are of different versions of a kind, the server would convert one of them; that is not judged.
    """
    n_narrowed = 0
    for update in updates:
        made = update.made
        if update.old["apiVersion"] != made.api_version:
            continue
        kind = schemas_for(made.unit.target).kind(made.api_version, made.kind)
        if kind is None or not kind.has_transitions:
            continue
        old = _as_live(kind.normalise(dict(update.old)))
        causes = _causes(kind, made.object, old)
        n_narrowed += bool(causes)
        is_certain = bool(causes) and not _goes_through_while_waiting(kind, made.object, old)
        is_work = made.manifest.source.startswith("workload/")
        cure = cure_of(made.kind, is_custom=hasattr(kind, "facts"), is_work=is_work)
        for cause in causes:
            fields = _narrowed(kind, made.object, old, cause) if n_narrowed <= _MOST_NARROWED else (cause.pointer,)
            reason = _reason(cause.message) if is_certain else "cannot change once the job has started"
            yield RefusedChange("SP0830", update, fields, cause.field, reason, cure, is_certain)


def _goes_through_while_waiting(kind: KindSchema, new: Mapping[str, Any], old: dict[str, Any]) -> bool:
    """Whether a Job in a queue of Kueue, which is suspended until it is admitted, may change like this till then."""
    queued = all(QUEUE_LABEL in (made["metadata"].get("labels") or {}) for made in (old, new))
    if not queued or (kind.api_version, kind.kind) != ("batch/v1", "Job"):
        return False
    waiting = [{**made, "spec": {**(made.get("spec") or {}), "suspend": True}} for made in (new, old)]
    return not _causes(kind, waiting[0], waiting[1])


def _causes(kind: KindSchema, new: Mapping[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """What the update adds: a cause that the unchanged object has too comes of what only the live one holds."""
    verdict = _judge(kind, new, old)
    if verdict.accepted:
        return []
    unchanged = {(cause.field, cause.reason) for cause in _judge(kind, old, old).errors}
    found = {(c.field, c.reason, c.message): c for c in verdict.errors if (c.field, c.reason) not in unchanged}
    return [cause for cause in found.values() if cause.pointer] or list(found.values())


def _judge(kind: KindSchema, new: Mapping[str, Any], old: dict[str, Any]) -> Verdict:
    return kind.judge(dict(new), old)


def _as_live(old: dict[str, Any]) -> dict[str, Any]:
    """The object as it has most likely become: a claim is bound, to a volume of the size that it asked for."""
    if (old["apiVersion"], old["kind"]) != ("v1", "PersistentVolumeClaim"):
        return old
    spec = old.get("spec") or {}
    capacity = dict((spec.get("resources") or {}).get("requests") or {})
    return {**old, "status": {"phase": "Bound", "capacity": capacity}}


def _narrowed(kind: KindSchema, new: Mapping[str, Any], old: dict[str, Any], cause: FieldError) -> tuple[Pointer, ...]:
    """The changed fields that bring the refusal about, each tried by itself; all below the cause where none does."""
    changed = list(differences(old, new, cause.pointer)) or list(differences(old, new))
    found = []
    for one in changed[:_MOST_TRIED]:
        trial = deepcopy(old)
        trial.pop("status", None)
        put(trial, one)
        if any((c.field, c.reason) == (cause.field, cause.reason) for c in _judge(kind, trial, old).errors):
            found.append(one.pointer)
    return tuple(found) or tuple(one.pointer for one in changed) or (cause.pointer,)


def _reason(message: str) -> str:
    """What the server says, without the value that it says it of."""
    head, colon, rest = message.partition(": ")
    if head == "Invalid value" and colon:
        try:
            _, end = json.JSONDecoder().raw_decode(rest)
            rest = rest[end:].removeprefix(": ")
        except (ValueError, RecursionError):
            pass
    text = " ".join((rest if colon and head in ("Invalid value", "Forbidden") else message).split())
    return text if len(text) <= 200 else f"{text[:197]}..."
