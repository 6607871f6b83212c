"""Single expressions from the command line: variables from a file, the program, for a policy or for a server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, BinaryIO, Final

from stowplan.cel import Declarations, Program, compile_expression
from stowplan.policies.compiling import POLICY_MINOR
from stowplan.source.api_json import JsonError, SpeltInt, decode_json
from stowplan.source.api_yaml import YamlFault, read_documents

__all__ = ["InputFault", "compile_for", "read_variables"]

_MAX_BYTES: Final = 16 << 20
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class InputFault(ValueError):
    """The input or the version cannot be used."""


def read_variables(path: str | None, stdin: BinaryIO) -> dict[str, Any]:
    """The variables of a YAML or JSON file; raises `InputFault`."""
    if path is None:
        return {}
    try:
        raw = stdin.read(_MAX_BYTES + 1) if path == "-" else Path(path).read_bytes()
    except OSError as problem:
        raise InputFault(f"cannot read `{path}`: {problem.strerror}") from None
    if len(raw) > _MAX_BYTES:
        raise InputFault(f"`{path}` is larger than {_MAX_BYTES >> 20} MiB")
    value = _parsed(raw, path)
    if not isinstance(value, dict):
        raise InputFault(f"`{path}` must hold a mapping of variables")
    variables = {name: item for name, item in value.items() if _NAME.match(name)}
    if isinstance(value.get("apiVersion"), str) and isinstance(value.get("kind"), str):
        variables = {"object": value, "self": value, **variables}
    return variables


def _parsed(raw: bytes, path: str) -> Any:
    if raw.lstrip()[:1] in (b"{", b"["):
        try:
            return _numbers(decode_json(raw, _MAX_BYTES).value)
        except JsonError as problem:
            if not path.endswith((".yaml", ".yml")):
                raise InputFault(f"`{path}` is not JSON: {problem}") from None
    try:
        documents = list(read_documents(raw.decode("utf-8")))
    except UnicodeDecodeError:
        raise InputFault(f"`{path}` is not UTF-8 text") from None
    except YamlFault as problem:
        raise InputFault(f"`{path}`:{problem.line}:{problem.column}: {problem}") from None
    if len(documents) > 1:
        raise InputFault(f"`{path}` holds several documents")
    return _numbers(documents[0].value) if documents else {}


def _numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    return float(value) if isinstance(value, SpeltInt) else value


def compile_for(expression: str, variables: dict[str, Any], kubernetes: str | None) -> Program:
    """The program over these variables; raises `CelCompileError`, and `InputFault` for a version that is none."""
    declared = Declarations.dynamic(*variables)
    if kubernetes is None:
        return compile_expression(expression, declared, minor=POLICY_MINOR, profile="policy")
    match = re.fullmatch(r"v?1\.(\d{1,3})(?:\..*)?", kubernetes)
    if match is None:
        raise InputFault(f"`{kubernetes}` is no Kubernetes version, such as 1.36")
    return compile_expression(expression, declared, minor=int(match[1]), profile="kubernetes")
