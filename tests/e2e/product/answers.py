"""What a server answers to an object and what we say of it, side by side."""

from __future__ import annotations

import http.client
import json
import re
from dataclasses import dataclass
from typing import Any

from harness.client import ApiError, Client, Object

from product.comparing import ASSIGNED
from stowplan.schema.builtin import Surroundings, admit, assigned_members
from stowplan.schema.verdict import Verdict

_IDENTITY = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_SYNTAX = re.compile(r"(compilation failed: ERROR: <input>:\d+:\d+: Syntax error).*", re.DOTALL)
_NODE_PORT = re.compile(r"(Duplicate value: )\d+")
_VOLUME = re.compile(r"volumes\[\d+\]")
_GENERATED = ("controller-uid", "batch.kubernetes.io/controller-uid", "job-name", "batch.kubernetes.io/job-name")
_ALLOTTED = ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "healthCheckNodePort")

_DUMP = re.compile(
    r"^(Invalid value: )[\[{].*(: field is immutable|: only \[|: must (?:have exactly one|contain unique) version).*$",
    re.DOTALL,
)
_FAULT = re.compile(r'^(Invalid value: "[a-z]+": ).* evaluating rule: ', re.DOTALL)
_DIFF = re.compile(r"\n@@.*", re.DOTALL)


@dataclass(frozen=True)
class Answer:
    """The server's: its code, the object as stored or its words, and the causes of a refusal."""

    code: int
    stored: Object | None = None
    message: str = ""
    causes: tuple[Object, ...] = ()


def ask(client: Client, document: Object, *, method: str = "POST", validation: str = "Strict") -> Answer | None:
    """Send an object as a dry run; None where the server gave up on it (a panic of its own)."""
    query = {"dryRun": "All", "fieldValidation": validation, "fieldManager": "e2e"}
    try:
        path = client.path(document, collection=method == "POST")
        answer = client.request(method, path, document, query)
    except ApiError as refused:
        causes = (refused.status.get("details") or {}).get("causes") or ()
        return Answer(refused.code, None, str(refused.status.get("message", "")), tuple(causes))
    except (OSError, http.client.HTTPException):
        return None
    return Answer(201 if method == "POST" else 200, answer.object)


def decided(mine: Verdict, theirs: Answer, surroundings: Surroundings | None = None) -> str:
    """How code or stored object differ; empty if they do not. `surroundings` None: of a custom kind."""
    if mine.code != theirs.code:
        said = [f"{error.field}: {error.message}" for error in mine.errors][:3]
        return f"code: we say {mine.code} {said}, the server {theirs.code} {theirs.message[:500]}"
    if theirs.stored is None:
        return ""
    assert mine.stored is not None
    one, other = _plain(mine.stored), _plain(theirs.stored)
    if surroundings is not None:
        if theirs.code == 201:
            admit(one, surroundings)
        _drop_assigned(one, other)
    return "" if one == other else f"stored: we say {shown(one, other)[:600]}"


def worded(mine: Verdict, theirs: Answer, kind: str) -> str:
    """How the causes of a refusal differ in field, reason or text; empty if they do not. Some are told more than once."""
    if theirs.code == 400:
        text = mine.errors[0].message if mine.errors else ""
        return "" if text in theirs.message else f"text: we say {text!r}, the server {theirs.message!r}"
    if theirs.code != 422:
        return ""
    said = {(_place(e.field, kind), e.reason, _masked(e.message)) for e in mine.errors}
    heard = {(_place(one.get("field", ""), kind), one["reason"], _masked(one["message"])) for one in theirs.causes}
    if said == heard:
        return ""
    return f"causes: only we say {sorted(said - heard)[:3]}, only the server {sorted(heard - said)[:3]}"


def _place(field: str, kind: str) -> str:
    """A field as it can be told: a StatefulSet's volumes for its claims come in no order."""
    return _VOLUME.sub("volumes[]", field) if kind == "StatefulSet" else field


def _masked(text: str) -> str:
    """Without what nobody can know (generated identities and ports), and what is the server's own business.

    That is how its parser words what it cannot read and its interpreter why a rule cannot be evaluated (we name the
    value), and dumps of its internal structures.
    """
    text = _DIFF.sub("", _DUMP.sub(r"\1VALUE\2", _FAULT.sub(r"\1", text)))
    return _NODE_PORT.sub(r"\1N", _SYNTAX.sub(r"\1", _IDENTITY.sub("UID", text)))


def _plain(stored: Object) -> Object:
    """A copy without status and the metadata that only servers write."""
    kept: Object = json.loads(json.dumps({key: value for key, value in stored.items() if key != "status"}))
    kept["metadata"] = {key: value for key, value in kept["metadata"].items() if key not in ASSIGNED}
    return kept


def _drop_assigned(one: Object, other: Object) -> None:
    """Leave out what the server has filled in, and what it makes from an identity or counts."""
    for pointer in assigned_members(f"{other['apiVersion']}/{other['kind']}", one, other):
        _drop(other, pointer)
    if other["kind"] == "Job":
        for each in (one, other):
            each["spec"].pop("selector", None)
            for key in _GENERATED:
                _drop(each, ("metadata", "labels", key))
                _drop(each, ("spec", "template", "metadata", "labels", key))
            if not each["spec"]["template"].get("metadata"):
                each["spec"]["template"].pop("metadata", None)
    if other["kind"] == "DaemonSet":
        for each in (one, other):
            _drop(each, ("metadata", "annotations", "deprecated.daemonset.template.generation"))
    if other["kind"] == "Service":
        for key in _ALLOTTED:
            if key not in one["spec"]:
                other["spec"].pop(key, None)
    if "generateName" in other["metadata"]:
        for each in (one, other):
            each["metadata"].pop("name", None)


def _drop(document: Any, pointer: tuple[str | int, ...]) -> None:
    """Take a member out, and the map of labels that is empty then."""
    holders = [document]
    for step in pointer[:-1]:
        if isinstance(holders[-1], dict) and step not in holders[-1]:
            return
        holders.append(holders[-1][step])
    if isinstance(holders[-1], dict):
        holders[-1].pop(pointer[-1], None)
    while len(holders) > 1 and not holders[-1] and pointer[len(holders) - 2] in ("labels", "annotations"):
        holders.pop()
        del holders[-1][pointer[len(holders) - 1]]


def shown(one: Any, other: Any, path: str = "") -> str:
    """Every place where two values differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys = [key for key in {**one, **other} if one.get(key) != other.get(key) or (key in one) != (key in other)]
        return "; ".join(shown(one.get(key, "(absent)"), other.get(key, "(absent)"), f"{path}.{key}") for key in keys)
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return "; ".join(shown(a, b, f"{path}[{i}]") for i, (a, b) in pairs if a != b)
    return f"{path}: {one!r}, the server {other!r}"
