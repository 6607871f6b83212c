"""Calls: find the function a name stands for and the overloads its arguments allow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stowplan.cel.problem import CelEvaluationError, closest
from stowplan.cel.signatures import POLICY_ONLY, Function, Overload, function_names, lookup, restrict
from stowplan.cel.tree import Call, ListLiteral, Literal, Node, dotted_name
from stowplan.cel.types import DYN, Type, TypeOf, unify

if TYPE_CHECKING:
    from stowplan.cel.checker import Checker, Scope

__all__ = ["LITERALS_SINCE", "CallResolver"]

LITERALS_SINCE = 30
_CONVERSIONS = frozenset({"bool", "bytes", "double", "duration", "int", "string", "timestamp", "uint"})
_CHECKED_LITERALS = {"matches": 1, "find": 1, "findAll": 1, "duration": 0, "timestamp": 0}


class CallResolver:
    """Resolves calls on behalf of a checker."""

    def __init__(self, checker: Checker) -> None:
        self._checker = checker
        self._constants: dict[int, Any] = {}

    def resolve(self, node: Call, scope: Scope) -> Type:
        """The type of a call; its function is recorded."""
        function, arguments = self._function(node, scope)
        self._checker.mixing += node.function == "format"
        types = [self._checker.visit(argument, scope) for argument in arguments]
        self._checker.mixing -= node.function == "format"
        types = [self._checker.inference.resolve(kind) for kind in types]
        if function is None:
            return self._unknown(node, types)
        available = self._available(node, function)
        if available is None:
            return DYN
        chosen: list[tuple[Overload, Type]] = []
        for overload in available.overloads:
            result = self._match(overload, types)
            if result is not None:
                chosen.append((overload, result))
        if not chosen:
            self._checker.result.functions[node.key] = available
            return self._no_overload(node, available, types)
        self._checker.result.functions[node.key] = restrict(tuple(overload for overload, _ in chosen))
        self._record(node, chosen)
        self._check_literal(node)
        self._check_conversion(node, self._checker.result.functions[node.key])
        if function.name == "type" and types:
            return TypeOf(types[0])
        results = [result for _, result in chosen]
        return results[0] if all(result == results[0] for result in results) else DYN

    def _match(self, overload: Overload, types: list[Type]) -> Type | None:
        """What the overload gives for arguments of these types; None where it does not take them."""
        inference = self._checker.inference
        if any(map(inference.is_open, types)):
            return inference.match(overload.parameters, overload.result, types)
        if len(overload.parameters) != len(types):
            return None
        bound: dict[str, Type] = {}
        for pattern, given in zip(overload.parameters, types, strict=True):
            if not unify(pattern, given, bound):
                return None
        return inference.instantiate(overload.result, bound)

    def _function(self, node: Call, scope: Scope) -> tuple[Function | None, tuple[Node, ...]]:
        if node.target is None:
            return lookup(node.function, False), node.arguments
        namespace = dotted_name(node.target)
        if namespace is not None and namespace.split(".", 1)[0] not in scope:
            qualified = lookup(f"{namespace}.{node.function}", False)
            if qualified is not None:
                return qualified, node.arguments
        return lookup(node.function, True), (node.target, *node.arguments)

    def _available(self, node: Call, function: Function) -> Function | None:
        """The function as this version and profile has it, or None after complaining."""
        checker = self._checker
        if checker.profile == "policy" or not checker.declarations.checked:
            return function
        present = tuple(o for o in function.overloads if o.since <= checker.minor)
        if present:
            return restrict(present)
        checker.need(f"`{function.name}`", function.since, node.at, node.at + len(node.function))
        return None

    def _record(self, node: Call, chosen: list[tuple[Overload, Type]]) -> None:
        since = min(overload.since for overload, _ in chosen)
        self._checker.need(f"`{chosen[0][0].name}`", since, node.at, node.at + len(node.function))

    def _unknown(self, node: Call, types: list[Type]) -> Type:
        member = node.target is not None
        other = lookup(node.function, not member)
        names = function_names(member)
        helps = [f"did you mean `{name}`?" for name in closest(node.function, names)]
        if other is not None and not helps:
            example = "f(x)" if member else "x.f()"
            helps = [f"it is called as {example.replace('f', node.function)}"]
        what = "method" if member else "function"
        if member and types and types[0] != DYN:
            message = f"unknown {what} `{node.function}` of a value of type {types[0]}"
        else:
            message = f"unknown {what} `{node.function}`"
        return self._checker.complain(node.at, node.at + len(node.function), message, "unknown-function", *helps)

    def _no_overload(self, node: Call, function: Function, types: list[Type]) -> Type:
        given = types[1:] if function.member else types
        shown = f"({', '.join(map(str, given))})"
        owner = f"{types[0]}." if function.member else ""
        helps = tuple(f"it is declared as {_declared(o)}" for o in function.overloads[:4])
        late = [o for o in lookup_all(function) if o.since > self._checker.minor and self._match(o, types) is not None]
        if late and late[0].since < POLICY_ONLY and self._checker.profile == "kubernetes":
            helps = (f"this form needs Kubernetes 1.{late[0].since}",)
        message = f"`{function.name}` does not take these arguments: {owner}{function.name}{shown}"
        return self._checker.complain(node.at, node.at + len(node.function), message, "no-overload", *helps)

    def _check_conversion(self, node: Call, function: Function) -> None:
        """Conversions of constants are made before anything runs, and what cannot be converted is refused then."""
        if node.function == "format" and isinstance(node.target, Literal) and isinstance(node.target.value, str):
            listed = node.arguments[0] if len(node.arguments) == 1 else None
            if isinstance(listed, ListLiteral):
                self._checker.literals.note_format(node.target, [element.value for element in listed.elements])
        value = self._constant(node.arguments[0]) if node.target is None and node.function in _CONVERSIONS else None
        if value is None:
            return
        try:
            self._constants[node.key] = function.call(value)
        except CelEvaluationError as error:
            if not (
                isinstance(node.arguments[0], Literal) and node.function in _CHECKED_LITERALS and isinstance(value, str)
            ):
                self._checker.complain(node.start, node.end, error.message, "literal")  # else it is said of the literal

    def _constant(self, node: Node) -> Any:
        """The value of a literal, or of a conversion of a constant; None of anything else."""
        return node.value if isinstance(node, Literal) else self._constants.get(node.key)

    def _check_literal(self, node: Call) -> None:
        checker = self._checker
        position = _CHECKED_LITERALS.get(node.function)
        if position is None or (checker.profile == "kubernetes" and checker.minor < LITERALS_SINCE):
            return
        position -= node.target is not None
        if (
            position == -1
            or position >= len(node.arguments)
            or (node.function in ("duration", "timestamp") and node.target)
        ):
            return
        argument = node.arguments[position]
        if not isinstance(argument, Literal) or not isinstance(argument.value, str):
            return
        try:
            _READERS[node.function](argument.value)
        except CelEvaluationError as error:
            checker.complain(argument.start, argument.end, error.message, "literal")


def _read_pattern(text: str) -> None:
    from stowplan.cel.library.patterns import compile_pattern

    compile_pattern(text)


def _read_duration(text: str) -> None:
    from stowplan.cel.library.times import parse_duration

    parse_duration(text)


def _read_timestamp(text: str) -> None:
    from stowplan.cel.library.times import parse_timestamp

    parse_timestamp(text)


_READERS = {
    "matches": _read_pattern, "find": _read_pattern, "findAll": _read_pattern, "duration": _read_duration,
    "timestamp": _read_timestamp,
}  # fmt: skip


def lookup_all(function: Function) -> tuple[Overload, ...]:
    """The function's overloads in every version."""
    found = lookup(function.name, function.member)
    return () if found is None else found.overloads


def _declared(overload: Overload) -> str:
    parameters = list(map(str, overload.parameters))
    owner = f"{parameters.pop(0)}." if overload.member else ""
    return f"{owner}{overload.name}({', '.join(parameters)})"
