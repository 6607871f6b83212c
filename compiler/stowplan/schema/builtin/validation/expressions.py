"""Checks the CEL expressions inside built-in kinds against what the server declares for them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .report import Report

if TYPE_CHECKING:
    from stowplan.cel.problem import Problem
    from stowplan.cel.types import ObjectType, Type

__all__ = ["PolicyExpressions", "check_device_selector", "check_webhook_condition", "worded"]

_MINOR = 36
_match_identifier = re.compile("[_a-zA-Z][_a-zA-Z0-9]*").fullmatch
_RESERVED = frozenset(
    [
        "true",
        "false",
        "null",
        "in",
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
    ]
)
_END = (
    "mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, "
    "NUM_UINT, STRING, BYTES, IDENTIFIER}"
)
_OBJECTS = re.compile(r"\b(?:JSONPatch|Object[A-Za-z0-9_.]*)\s*\{")


def worded(problem: Problem, text: str) -> str:
    """The problem in the words of the server's compiler, with the line and a mark below it."""
    lines = text.split("\n")
    line = lines[problem.line - 1] if problem.line <= len(lines) else ""
    named = line[problem.column - 1 : problem.end_column - 1] if problem.end_line == problem.line else ""
    name = named.lstrip(".")
    column = problem.column
    if problem.kind in ("undeclared-variable", "unknown-function"):
        said = f"undeclared reference to '{name}' (in container '')"
        column += len(name) if problem.kind == "unknown-function" else 0
    elif problem.kind == "unknown-field" and "has no fields" in problem.message:
        kind = re.search("type (.*) has no fields", problem.message)
        said = f"type '{kind[1] if kind else ''}' does not support field selection"
        column -= 1
    elif problem.kind == "unknown-field":
        said = f"undefined field '{name}'"
        column -= 1
    elif problem.kind == "syntax" and problem.column > len(line):
        said = f"Syntax error: {_END}"
    elif problem.kind == "syntax":
        said = f"Syntax error: {problem.message}"
    else:
        said = problem.message
    return f"ERROR: <input>:{problem.line}:{column}: {said}\n | {line}\n | {'.' * (column - 1)}^"


def _compile(text: str, declared: Mapping[str, Type], path: str, report: Report) -> Type | None:
    """The type of the expression, or None after its problems were reported."""
    from stowplan.cel.declarations import Declarations
    from stowplan.cel.problem import CelCompileError
    from stowplan.cel.program import compile_expression

    try:
        return compile_expression(text, Declarations(declared), minor=_MINOR).result_type
    except CelCompileError as refusal:
        shown = "\n".join(worded(problem, text) for problem in refusal.problems)
        report.invalid(path, text, f"compilation failed: {shown}")
        return None


def _check_around_objects(text: str, declared: Mapping[str, Type], path: str, report: Report) -> None:
    """Report what is wrong whatever the objects are that the expression builds: its syntax, names of variables."""
    from stowplan.cel.declarations import Declarations
    from stowplan.cel.problem import CelCompileError
    from stowplan.cel.program import compile_expression

    # With the type names blanked the objects read as maps, whose keys are then no variables.
    untyped = _OBJECTS.sub(lambda found: "{".rjust(len(found[0])), text)
    try:
        compile_expression(untyped, Declarations(declared), minor=_MINOR)
    except CelCompileError as refusal:
        shown = [worded(problem, text) for problem in refusal.problems if _stands_alone(problem, text)]
        if shown:
            report.invalid(path, text, "compilation failed: " + "\n".join(shown))


def _stands_alone(problem: Problem, text: str) -> bool:
    if problem.kind != "undeclared-variable":
        return problem.kind == "syntax"
    line = text.split("\n")[problem.end_line - 1]
    name, rest = line[problem.column - 1 : problem.end_column - 1], line[problem.end_column - 1 :]
    return not rest.lstrip().startswith(":") and name not in ("jsonpatch", "Object", "JSONPatch")


def _is(kind: Type, *names: str) -> bool:
    return kind.name in (*names, "dyn")


@lru_cache(maxsize=1)
def _request() -> ObjectType:
    from stowplan.cel.types import BOOL, DYN, STRING, ListType, MapType, object_type

    kind = object_type("kubernetes.GroupVersionKind", dict.fromkeys(("group", "version", "kind"), STRING))
    resource = object_type("kubernetes.GroupVersionResource", dict.fromkeys(("group", "version", "resource"), STRING))
    user = object_type(
        "kubernetes.UserInfo",
        {
            "username": STRING,
            "uid": STRING,
            "groups": ListType(STRING),
            "extra": MapType(STRING, ListType(STRING)),
        },
    )
    return object_type(
        "kubernetes.AdmissionRequest",
        {
            "kind": kind,
            "resource": resource,
            "subResource": STRING,
            "requestKind": kind,
            "requestResource": resource,
            "requestSubResource": STRING,
            "name": STRING,
            "namespace": STRING,
            "operation": STRING,
            "userInfo": user,
            "dryRun": BOOL,
            "options": DYN,
        },
    )


@lru_cache(maxsize=1)
def _namespace() -> ObjectType:
    from stowplan.cel.types import BOOL, INT, STRING, TIMESTAMP, ListType, MapType, object_type

    texts = MapType(STRING, STRING)
    meta = object_type(
        "kubernetes.NamespaceMetadata",
        {
            "name": STRING,
            "generateName": STRING,
            "namespace": STRING,
            "labels": texts,
            "annotations": texts,
            "UID": STRING,
            "creationTimestamp": TIMESTAMP,
            "deletionGracePeriodSeconds": INT,
            "deletionTimestamp": TIMESTAMP,
            "generation": INT,
            "resourceVersion": STRING,
            "finalizers": ListType(STRING),
        },
    )
    spec = object_type("kubernetes.NamespaceSpec", {"finalizers": ListType(STRING)})
    condition = object_type(
        "kubernetes.NamespaceCondition",
        {
            "status": STRING,
            "type": STRING,
            "lastTransitionTime": TIMESTAMP,
            "message": STRING,
            "reason": STRING,
            "known": BOOL,
        },
    )
    status = object_type("kubernetes.NamespaceStatus", {"conditions": ListType(condition), "phase": STRING})
    return object_type("kubernetes.Namespace", {"metadata": meta, "spec": spec, "status": status})


def _admission_variables() -> dict[str, Type]:
    from stowplan.cel.types import DYN, Type

    return {
        "object": DYN,
        "oldObject": DYN,
        "request": _request(),
        "authorizer": Type("kubernetes.authorization.Authorizer"),
        "authorizer.requestResource": Type("kubernetes.authorization.ResourceCheck"),
    }


def check_webhook_condition(text: str, path: str, report: Report) -> None:
    """The expression of a webhook's match condition; it must give a bool."""
    _check_result(text, _admission_variables(), ("bool",), "bool", path, report)


def _check_result(
    text: str, declared: Mapping[str, Type], accepted: tuple[str, ...], wanted: str, path: str, report: Report
) -> None:
    kind = _compile(text, declared, path, report)
    if kind is not None and kind.name not in accepted:
        report.invalid(path, text, f"must evaluate to {wanted} but got {kind}")


class PolicyExpressions:
    """The expressions of one policy; its variables become known one after the other."""

    __slots__ = ("_declared", "_minimal", "_types")

    def __init__(self, spec: Mapping[str, Any], *, mutating: bool = False) -> None:
        from stowplan.cel.types import DYN

        del mutating
        self._types: dict[str, Type] = {}
        self._minimal = _admission_variables()
        if spec.get("paramKind") is not None:
            self._minimal["params"] = DYN
        self._declared = {**self._minimal, "namespaceObject": _namespace()}

    def is_identifier(self, name: str) -> bool:
        """Whether a variable may have the name."""
        return _match_identifier(name) is not None and name not in _RESERVED

    def _variables(self) -> dict[str, Type]:
        from stowplan.cel.types import object_type

        return {**self._declared, "variables": object_type("kubernetes.variables", self._types)}

    def add_variable(self, name: str, text: str, path: str, report: Report) -> None:
        """Check a variable's expression and make the variable known to what follows."""
        from stowplan.cel.types import DYN

        kind = _compile(text, self._variables(), path, report)
        if name:
            self._types[name] = DYN if kind is None else kind

    def check_condition(self, text: str, path: str, report: Report) -> None:
        """A match condition of the policy."""
        _check_result(text, self._declared, ("bool",), "bool", path, report)

    def check_rule(self, text: str, path: str, report: Report) -> None:
        """A validation; it must give a bool."""
        _check_result(text, self._variables(), ("bool",), "bool", path, report)

    def check_message(self, text: str, path: str, report: Report) -> None:
        """A message expression; it must give a string and may not ask the authorizer."""
        declared = {name: kind for name, kind in self._variables().items() if not name.startswith("authorizer")}
        _check_result(text, declared, ("string",), "string", path, report)

    def check_annotation(self, text: str, path: str, report: Report) -> None:
        """The value of an audit annotation: a string or null."""
        _check_result(text, self._variables(), ("string", "null_type"), "string, or null_type", path, report)

    def check_patch(self, text: str, kind: str, path: str, report: Report) -> None:
        """A mutation. The typed objects it builds are left to the server, whose types only it knows."""
        if _OBJECTS.search(text):
            _check_around_objects(text, self._variables(), path, report)
            return
        wanted = "list(JSONPatch)" if kind == "JSONPatch" else "Object"
        _check_result(text, self._variables(), ("list",) if kind == "JSONPatch" else ("Object",), wanted, path, report)


@lru_cache(maxsize=1)
def _device() -> Mapping[str, Type]:
    from stowplan.cel.types import BOOL, DYN, STRING, MapType, Type, object_type

    quantities = MapType(STRING, MapType(STRING, Type("kubernetes.Quantity")))
    fields = {
        "driver": STRING,
        "attributes": MapType(STRING, MapType(STRING, DYN)),
        "capacity": quantities,
        "allowMultipleAllocations": BOOL,
    }
    return {"device": object_type("kubernetes.DRADevice", fields)}


def check_device_selector(text: str, path: str, report: Report) -> None:
    """The expression that selects devices."""
    if not text.strip():
        report.invalid(path, text, f"compilation failed: ERROR: <input>:1:0: Syntax error: {_END}")
        return
    kind = _compile(text, _device(), path, report)
    if kind is not None and not _is(kind, "bool"):
        report.invalid(path, text, f"must evaluate to bool or the unknown type, not {kind}")
