"""The exact back end: closures with CEL's treatment of errors, which say where evaluation failed.

`&&`, `||`, `all` and `exists` absorb an error when another operand or element decides; nothing absorbs an exhausted
budget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from stowplan.cel import operators
from stowplan.cel.checker import Checked
from stowplan.cel.library.lists import sort_by_keys
from stowplan.cel.limits import charge
from stowplan.cel.problem import CelBudgetError, CelEvaluationError
from stowplan.cel.text import ExpressionText
from stowplan.cel.tree import (
    Binary,
    Bind,
    Call,
    Comprehension,
    Conditional,
    Identifier,
    ListLiteral,
    Literal,
    Logic,
    MapLiteral,
    Node,
    Presence,
    Select,
    Subscript,
    Unary,
)  # fmt: skip
from stowplan.cel.types import DYN, is_special
from stowplan.cel.values import ABSENT, FALSE_KEY, TRUE_KEY, BoolMap, OptionalValue, is_list, kind
from stowplan.cel.wire import converter

__all__ = ["Frame", "Interpreter", "Step", "map_of", "new_frame"]

Frame = dict[str, Any]
"""Local variables by name; under "." the declared variables, under "" the meter."""
Step = Callable[[Frame], Any]

_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "<": operators.less, "<=": operators.less_equal, ">": operators.greater, ">=": operators.greater_equal,
    "-": operators.subtract, "*": operators.multiply, "/": operators.divide, "%": operators.modulo,
}  # fmt: skip
_METERED: dict[str, Callable[[Any, Any, Any], Any]] = {
    "==": operators.metered_equal, "+": operators.add, "in": operators.metered_member,
    "!=": lambda meter, left, right: not operators.metered_equal(meter, left, right),
}  # fmt: skip
_PYTHON_ERRORS = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError)


def new_frame(variables: Any, meter: list[int]) -> Frame:
    """A frame without locals."""
    return {".": variables, "": meter}


def map_of(entries: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """A map from entries; keys must be of a key type and differ."""
    result: dict[Any, Any] = {}
    booleans = False
    for key, value in entries:
        if not isinstance(key, str | int):
            raise operators.fault(f"{kind(key)} cannot be the key of a map")
        stored = (TRUE_KEY if key else FALSE_KEY) if isinstance(key, bool) else key
        booleans = booleans or isinstance(key, bool)
        if stored in result:
            raise operators.fault("the map has the same key twice")
        result[stored] = value
    return BoolMap(result) if booleans else result


class Interpreter:
    """Builds steps for the nodes of one checked tree."""

    def __init__(self, source: ExpressionText, checked: Checked) -> None:
        self._source = source
        self._checked = checked

    def build(self, node: Node) -> Step:
        """The step that evaluates a node in a frame."""
        step = self._build(node)
        if isinstance(node, Literal | Logic | Conditional):
            return step
        return self._located(step, getattr(node, "at", node.start))

    def _located(self, step: Step, at: int) -> Step:
        source = self._source

        def run(frame: Frame) -> Any:
            try:
                return step(frame)
            except CelEvaluationError as error:
                if not error.line:
                    error.line, error.column = source.position(at)
                raise
            except _PYTHON_ERRORS as error:
                line, column = source.position(at)
                raise CelEvaluationError(f"unexpected value: {error}"[:300], line, column) from None

        return run

    def _build(self, node: Node) -> Step:
        if isinstance(node, Literal):
            value = node.value
            return lambda _: value
        if isinstance(node, Identifier):
            return self._identifier(node)
        if isinstance(node, Select):
            return self._select(node)
        if isinstance(node, Presence):
            operand, field = self.subject(node.operand), self._property(node)
            if node.optional:
                return lambda frame: operators.optional_select(operand(frame), field).present
            return lambda frame: operators.has_field(operand(frame), field)
        if isinstance(node, Subscript):
            return self._subscript(node)
        if isinstance(node, Call):
            return self._call(node)
        if isinstance(node, Binary):
            return self._binary(node)
        return self._build_rest(node)

    def _build_rest(self, node: Node) -> Step:
        if isinstance(node, Logic):
            return self._logic(node)
        if isinstance(node, Unary):
            operand = self.build(node.operand)
            if node.operator == "!":
                return lambda frame: not operators.as_bool(operand(frame))
            return lambda frame: operators.negate(operand(frame))
        if isinstance(node, Conditional):
            condition, positive, negative = map(self.build, (node.condition, node.positive, node.negative))
            return lambda frame: positive(frame) if operators.as_bool(condition(frame)) else negative(frame)
        if isinstance(node, ListLiteral):
            return self._list(node)
        if isinstance(node, MapLiteral):
            return self._map(node)
        if isinstance(node, Comprehension):
            return self._comprehension(node)
        if isinstance(node, Bind):
            value, body, name = self.build(node.value), self.build(node.body), node.name
            return lambda frame: body({**frame, name: value(frame)})
        raise AssertionError(node)

    # Names and fields

    def _identifier(self, node: Identifier) -> Step:
        constant = self._checked.constants.get(node.key)
        if constant is not None:
            return lambda _: constant
        declared = self._checked.variables.get(node.key)
        if declared is not None:
            return self._converted(node, self._variable(declared))
        name = node.name

        def local(frame: Frame) -> Any:
            try:
                return frame[name]
            except KeyError:
                raise operators.fault(f"unknown variable `{name}`") from None

        return self._converted(node, local)

    def _variable(self, name: str) -> Step:
        def read(frame: Frame) -> Any:
            try:
                return frame["."][name]
            except KeyError:
                raise operators.fault(f"the variable `{name}` has no value") from None

        return read

    def _converted(self, node: Node, step: Step) -> Step:
        kind_ = self._checked.types[node.key]
        convert = converter(kind_, objects=False) if is_special(kind_) else None
        return step if convert is None else lambda frame: convert(step(frame))

    def subject(self, node: Node) -> Step:
        """A node as the operand of a selection or a loop: containers are taken as they are on the wire."""
        if not isinstance(node, Identifier | Select | Subscript) or not is_special(self._checked.types[node.key]):
            return self.build(node)
        plain = Interpreter(self._source, self._checked._replace(types={**self._checked.types, node.key: DYN}))
        return plain.build(node)

    def operand(self, node: Node) -> Step:
        """A node as an operand of a comparison: objects are converted with all that is in them."""
        step = self.build(node)
        convert = converter(self._checked.types[node.key], objects=True)
        return step if convert is None else lambda frame: convert(step(frame))

    def _property(self, node: Select | Presence) -> str:
        return self._checked.properties.get(node.key, node.field)

    def _select(self, node: Select) -> Step:
        constant = self._checked.constants.get(node.key)
        if constant is not None:
            return lambda _: constant
        declared = self._checked.variables.get(node.key)
        if declared is not None:
            return self._converted(node, self._variable(declared))
        operand, field = self.subject(node.operand), self._property(node)
        choose = operators.optional_select if node.optional else operators.select
        return self._converted(node, lambda frame: choose(operand(frame), field))

    def _subscript(self, node: Subscript) -> Step:
        operand, key = self.subject(node.operand), self.build(node.subscript)
        choose = operators.optional_index if node.optional else operators.index
        return self._converted(node, lambda frame: choose(operand(frame), key(frame)))

    # Operators and calls

    def _binary(self, node: Binary) -> Step:
        metered = _METERED.get(node.operator)
        if metered is not None:
            left, right = self.operand(node.left), self.operand(node.right)
            return lambda frame: metered(frame[""], left(frame), right(frame))
        left, right, apply = self.build(node.left), self.build(node.right), _BINARY[node.operator]
        return lambda frame: apply(left(frame), right(frame))

    def _logic(self, node: Logic) -> Step:
        operands = tuple(map(self.build, node.operands))
        decisive = node.operator == "||"

        def run(frame: Frame) -> bool:
            failure: CelEvaluationError | None = None
            for operand in operands:
                try:
                    if operators.as_bool(operand(frame)) is decisive:
                        return decisive
                except CelBudgetError:
                    raise
                except CelEvaluationError as error:
                    failure = failure or error
            if failure is not None:
                raise failure
            return not decisive

        return self._located(run, node.start)

    def _call(self, node: Call) -> Step:
        function = self._checked.functions.get(node.key)
        if function is None:
            name = node.function
            return lambda _: operators.fail(f"unknown function `{name}`")
        inputs = node.arguments if node.target is None or not function.member else (node.target, *node.arguments)
        arguments = tuple(map(self.operand, inputs))
        call = function.call
        if function.metered:
            return lambda frame: call(frame[""], *[argument(frame) for argument in arguments])
        if len(arguments) == 1:
            only = arguments[0]
            return lambda frame: call(only(frame))
        return lambda frame: call(*[argument(frame) for argument in arguments])

    def _list(self, node: ListLiteral) -> Step:
        elements = tuple((element.optional, self.build(element.value)) for element in node.elements)

        def run(frame: Frame) -> list[Any]:
            result = []
            for optional, step in elements:
                value = step(frame)
                if not optional:
                    result.append(value)
                elif _optional(value).present:
                    result.append(value.value)
            return result

        return run

    def _map(self, node: MapLiteral) -> Step:
        entries = tuple((entry.optional, self.build(entry.name), self.build(entry.value)) for entry in node.entries)

        def run(frame: Frame) -> dict[Any, Any]:
            found: list[tuple[Any, Any]] = []
            for optional, name, step in entries:
                key, value = name(frame), step(frame)
                if not optional:
                    found.append((key, value))
                elif _optional(value).present:
                    found.append((key, value.value))
            return map_of(found)

        return run

    # Macros

    def _comprehension(self, node: Comprehension) -> Step:
        subject, body = self.subject(node.subject), self.build(node.body)
        if node.macro in ("optMap", "optFlatMap"):
            return _optional_macro(self.build(node.subject), body, node.first, wrap=node.macro == "optMap")
        condition = None if node.condition is None else self.build(node.condition)
        scopes = _scopes(subject, node.first, node.second)
        if node.macro in ("all", "exists"):
            return _quantifier(scopes, body, decisive=node.macro == "exists")
        if node.macro in ("exists_one", "existsOne"):
            return lambda frame: sum(1 for inner in scopes(frame) if operators.as_bool(body(inner))) == 1
        if node.macro == "filter":
            name = node.first
            return lambda frame: [inner[name] for inner in scopes(frame) if operators.as_bool(body(inner))]
        if node.macro == "sortBy":
            return _sorter(subject, scopes, body)
        return _transformer(node.macro, scopes, node.first, condition, body)


def _optional(value: Any) -> OptionalValue:
    if isinstance(value, OptionalValue):
        return value
    raise operators.fault(f"`?` needs an optional value, found {kind(value)}")


def _scopes(subject: Step, first: str, second: str | None) -> Callable[[Frame], Iterator[Frame]]:
    def one(frame: Frame) -> Iterator[Frame]:
        inner = dict(frame)
        for item in operators.items(frame[""], subject(frame)):
            inner[first] = item
            yield inner

    def two(frame: Frame) -> Iterator[Frame]:
        inner = dict(frame)
        for key, item in operators.pairs(frame[""], subject(frame)):
            inner[first], inner[second or ""] = key, item
            yield inner

    return one if second is None else two


def _quantifier(scopes: Callable[[Frame], Iterator[Frame]], body: Step, decisive: bool) -> Step:
    def run(frame: Frame) -> bool:
        failure: CelEvaluationError | None = None
        for inner in scopes(frame):
            try:
                if operators.as_bool(body(inner)) is decisive:
                    return decisive
            except CelBudgetError:
                raise
            except CelEvaluationError as error:
                failure = failure or error
        if failure is not None:
            raise failure
        return not decisive

    return run


def _optional_macro(subject: Step, body: Step, name: str, wrap: bool) -> Step:
    def run(frame: Frame) -> OptionalValue:
        value = subject(frame)
        if not isinstance(value, OptionalValue):
            raise operators.fault(f"expected an optional value, found {kind(value)}")
        if not value.present:
            return ABSENT
        result = body({**frame, name: value.value})
        return OptionalValue(True, result) if wrap else _optional(result)

    return run


def _sorter(subject: Step, scopes: Callable[[Frame], Iterator[Frame]], body: Step) -> Step:
    def run(frame: Frame) -> list[Any]:
        values = subject(frame)
        if not is_list(values):
            raise operators.fault(f"`sortBy` needs a list, found {kind(values)}")
        return sort_by_keys(frame[""], list(values), [body(inner) for inner in scopes(frame)])

    return run


def _transformer(
    macro: str, scopes: Callable[[Frame], Iterator[Frame]], first: str, condition: Step | None, body: Step
) -> Step:
    def chosen(frame: Frame) -> Iterator[Frame]:
        for inner in scopes(frame):
            if condition is None or operators.as_bool(condition(inner)):
                yield inner

    if macro in ("map", "transformList"):
        return lambda frame: [body(inner) for inner in chosen(frame)]
    if macro == "transformMap":
        return lambda frame: map_of([(inner[first], body(inner)) for inner in chosen(frame)])

    def entries(frame: Frame) -> dict[Any, Any]:
        found: list[tuple[Any, Any]] = []
        for inner in chosen(frame):
            pairs = list(operators.pairs(frame[""], body(inner)))
            charge(frame[""], len(pairs))
            found.extend(pairs)
        return map_of(found)

    return entries
