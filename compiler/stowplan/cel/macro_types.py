"""Macros: the types of what they bind, and of what they give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stowplan.cel import macros
from stowplan.cel.tree import Comprehension
from stowplan.cel.types import BOOL, DYN, INT, Free, ListType, MapType, OptionalType, Type

if TYPE_CHECKING:
    from stowplan.cel.checker import Checker, Scope

__all__ = ["MacroTypes"]


class MacroTypes:
    """Types macros on behalf of a checker."""

    def __init__(self, checker: Checker) -> None:
        self._checker = checker

    def comprehension(self, node: Comprehension, scope: Scope) -> Type:
        """The type of a macro's result; what it binds is known in its body."""
        self._checker.need(f"`{node.macro}`", macros.since(node), node.at, node.at + len(node.macro))
        subject = self._checker.visit(node.subject, scope)
        if node.macro in ("optMap", "optFlatMap"):
            return self._optional_macro(node, subject, scope)
        inner = {**scope, **self._loop_variables(node, subject)}
        if node.condition is not None:
            self._checker.boolean(node.condition, inner, f"the condition of `{node.macro}`")
        if node.macro in ("all", "exists", "exists_one", "existsOne", "filter"):
            self._checker.boolean(node.body, inner, f"`{node.macro}`")
        body = self._checker.result.types.get(node.body.key) or self._checker.visit(node.body, inner)
        return self._macro_result(node, subject, inner, body)

    def _macro_result(self, node: Comprehension, subject: Type, inner: Scope, body: Type) -> Type:
        if node.macro == "filter":
            return ListType(inner[node.first])
        if node.macro in ("map", "transformList"):
            return ListType(body)
        if node.macro == "sortBy":  # what is put in order is no longer a set
            return ListType(subject.element) if isinstance(subject, ListType) else subject
        if node.macro == "transformMap":
            return MapType(inner[node.first], body)
        if node.macro == "transformMapEntry":
            if body != DYN and not isinstance(body, MapType):
                self._checker.complain(
                    node.body.start, node.body.end, f"`transformMapEntry` needs a map, found {body}", "type"
                )
            return body if isinstance(body, MapType) else MapType(DYN, DYN)
        return BOOL

    def _loop_variables(self, node: Comprehension, subject: Type) -> Scope:
        first: Type = DYN
        second: Type = DYN
        if isinstance(subject, Free):  # nothing is known of what it holds, and nothing later counts
            self._checker.inference.fits(DYN, subject)
        elif isinstance(subject, ListType):
            first, second = (INT, subject.element) if node.second is not None else (subject.element, DYN)
        elif isinstance(subject, MapType) and node.macro != "sortBy":
            first, second = subject.key, subject.value
        elif subject != DYN:
            self._checker.complain(
                node.subject.start, node.subject.end, f"`{node.macro}` cannot run over {subject}", "no-overload"
            )
        return {node.first: first} if node.second is None else {node.first: first, node.second: second}

    def _optional_macro(self, node: Comprehension, subject: Type, scope: Scope) -> Type:
        item = subject.item if isinstance(subject, OptionalType) else DYN
        if subject != DYN and not isinstance(subject, OptionalType):
            self._checker.complain(
                node.at, node.at + len(node.macro), f"`{node.macro}` needs an optional, found {subject}", "type"
            )
        body = self._checker.visit(node.body, {**scope, node.first: item})
        if node.macro == "optMap":
            return OptionalType(body)
        if body != DYN and not isinstance(body, OptionalType | Free):
            self._checker.complain(
                node.body.start, node.body.end, f"`optFlatMap` must give an optional, found {body}", "type"
            )
        return body if isinstance(body, OptionalType) else OptionalType(DYN)
