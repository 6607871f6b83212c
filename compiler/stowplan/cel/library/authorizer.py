"""The authorizer: known to the type check; its questions can only be answered inside an API server."""

from __future__ import annotations

from typing import Any, NoReturn

from stowplan.cel.library import Signatures
from stowplan.cel.operators import fault

__all__ = ["FUNCTIONS", "SELECTORS"]

_AUTHORIZER = "kubernetes.authorization.Authorizer"
_PATH = "kubernetes.authorization.PathCheck"
_GROUP = "kubernetes.authorization.GroupCheck"
_RESOURCE = "kubernetes.authorization.ResourceCheck"
_DECISION = "kubernetes.authorization.Decision"


def _offline(*_: Any) -> NoReturn:
    raise fault("authorization can only be checked inside an API server")


FUNCTIONS: Signatures = (
    (f"({_AUTHORIZER}).path(string) -> {_PATH}", _offline),
    (f"({_AUTHORIZER}).group(string) -> {_GROUP}", _offline),
    (f"({_AUTHORIZER}).serviceAccount(string, string) -> {_AUTHORIZER}", _offline),
    (f"({_GROUP}).resource(string) -> {_RESOURCE}", _offline),
    (f"({_RESOURCE}).subresource(string) -> {_RESOURCE}", _offline),
    (f"({_RESOURCE}).namespace(string) -> {_RESOURCE}", _offline),
    (f"({_RESOURCE}).name(string) -> {_RESOURCE}", _offline),
    (f"({_PATH}).check(string) -> {_DECISION}", _offline),
    (f"({_RESOURCE}).check(string) -> {_DECISION}", _offline),
    (f"({_DECISION}).allowed() -> bool", _offline),
    (f"({_DECISION}).reason() -> string", _offline),
    (f"({_DECISION}).errored() -> bool", _offline),
    (f"({_DECISION}).error() -> string", _offline),
)
SELECTORS: Signatures = (
    (f"({_RESOURCE}).fieldSelector(string) -> {_RESOURCE}", _offline),
    (f"({_RESOURCE}).labelSelector(string) -> {_RESOURCE}", _offline),
)
