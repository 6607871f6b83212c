"""The exact back end: closures with CEL's treatment of errors, which say where evaluation failed.

`&&`, `||`, `all` and `exists` absorb an error when another operand or element decides; nothing absorbs an exhausted
budget.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stowplan.cel import access, loops, operators
from stowplan.cel.checker import Checked
from stowplan.cel.loops import Frame, Step
from stowplan.cel.problem import CelBudgetError, CelEvaluationError, CelFault
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
from stowplan.cel.values import OptionalValue
from stowplan.cel.wire import converter

__all__ = ["Interpreter"]

_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "<": operators.less, "<=": operators.less_equal, ">": operators.greater, ">=": operators.greater_equal,
    "-": operators.subtract, "*": operators.multiply, "/": operators.divide, "%": operators.modulo,
}  # fmt: skip
_METERED: dict[str, Callable[[Any, Any, Any], Any]] = {
    "==": operators.metered_equal, "+": operators.add, "in": operators.metered_member,
    "!=": operators.metered_not_equal,
}  # fmt: skip
_BOOLEAN = frozenset({"==", "!=", "<", "<=", ">", ">=", "in"})
_ERRORS = (CelFault, TypeError, ValueError, ArithmeticError, LookupError, AttributeError)


def _not(value: Any) -> bool:
    return not operators.as_bool(value)


class Interpreter:
    """Builds steps for the nodes of one checked tree."""

    def __init__(self, source: ExpressionText, checked: Checked) -> None:
        self._source = source
        self._checked = checked

    def _placed(self, error: Exception, at: int) -> CelEvaluationError:
        """The error with its place, which is that of the innermost node that met it."""
        message = error.message if isinstance(error, CelFault) else f"unexpected value: {error}"[:300]
        return CelEvaluationError(message, *self._source.position(at))

    def _missing(self, field: str, at: int) -> Callable[[], CelEvaluationError]:
        """The most frequent error, which `&&`, `||`, and macros meet again and again: no such key."""
        message, line, column = f"no such key: {field}", *self._source.position(at)
        return lambda: CelEvaluationError(message, line, column)

    def _one(self, at: int, call: Callable[[Any], Any], operand: Step) -> Step:
        placed = self._placed

        def run(frame: Frame) -> Any:
            try:
                return call(operand(frame))
            except _ERRORS as error:
                raise placed(error, at) from None

        return run

    def _two(self, at: int, call: Callable[[Any, Any], Any], left: Step, right: Step) -> Step:
        placed = self._placed

        def run(frame: Frame) -> Any:
            try:
                return call(left(frame), right(frame))
            except _ERRORS as error:
                raise placed(error, at) from None

        return run

    def _metered_two(self, at: int, call: Callable[[Any, Any, Any], Any], left: Step, right: Step) -> Step:
        placed = self._placed

        def run(frame: Frame) -> Any:
            try:
                return call(frame[""], left(frame), right(frame))
            except _ERRORS as error:
                raise placed(error, at) from None

        return run

    def _whole(self, at: int, step: Step) -> Step:
        placed = self._placed

        def run(frame: Frame) -> Any:
            try:
                return step(frame)
            except _ERRORS as error:
                raise placed(error, at) from None

        return run

    def build(self, node: Node) -> Step:
        """The step that evaluates a node in a frame."""
        if isinstance(node, Literal):
            value = node.value
            return lambda _: value
        if isinstance(node, Identifier):
            return self._identifier(node)
        if isinstance(node, Select):
            return self._select(node)
        if isinstance(node, Presence):
            return self._presence(node)
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
            call = _not if node.operator == "!" else operators.negate
            return self._one(node.start, call, self.build(node.operand))
        if isinstance(node, Conditional):
            condition = self._one(node.condition.start, operators.as_bool, self.build(node.condition))
            positive, negative = self.build(node.positive), self.build(node.negative)
            return lambda frame: positive(frame) if condition(frame) else negative(frame)
        if isinstance(node, ListLiteral):
            return self._whole(node.start, self._list(node))
        if isinstance(node, MapLiteral):
            return self._whole(node.start, self._map(node))
        if isinstance(node, Comprehension):
            return self._whole(node.at, self._comprehension(node))
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
            return self._converted(node, self._variable(declared, node.start))
        name, at, placed = node.name, node.start, self._placed

        def local(frame: Frame) -> Any:
            try:
                return frame[name]
            except KeyError:
                raise placed(operators.fault(f"unknown variable `{name}`"), at) from None

        return self._converted(node, local)

    def _variable(self, name: str, at: int) -> Step:
        placed = self._placed

        def read(frame: Frame) -> Any:
            try:
                return frame["."][name]
            except KeyError:
                raise placed(operators.fault(f"the variable `{name}` has no value"), at) from None

        return read

    def _converted(self, node: Node, step: Step) -> Step:
        kind_ = self._checked.types[node.key]
        convert = converter(kind_, objects=False) if is_special(kind_) else None
        return step if convert is None else self._one(node.start, convert, step)

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
        return step if convert is None else self._one(node.start, convert, step)

    def _property(self, node: Select | Presence) -> str:
        return self._checked.properties.get(node.key, node.field)

    def _holder(self, node: Select | Presence) -> Step:
        """What a field is selected from."""
        operand, field = self.subject(node.operand), self._property(node)
        if node.key not in self._checked.nullable:
            return operand
        return self._one(node.at, lambda value: access.without_null(value, field), operand)

    def _select(self, node: Select) -> Step:
        constant = self._checked.constants.get(node.key)
        if constant is not None:
            return lambda _: constant
        declared = self._checked.variables.get(node.key)
        if declared is not None:
            return self._converted(node, self._variable(declared, node.start))
        operand, field = self._holder(node), self._property(node)
        if node.optional:
            return self._converted(
                node, self._one(node.at, lambda value: access.optional_select(value, field), operand)
            )
        return self._converted(node, self._field(node.at, operand, field))

    def _field(self, at: int, operand: Step, field: str) -> Step:
        placed, missing = self._placed, self._missing(field, at)

        def run(frame: Frame) -> Any:
            value = operand(frame)
            try:
                return value[field] if type(value) is dict else access.select(value, field)
            except KeyError:
                raise missing() from None
            except CelFault as error:
                raise placed(error, at) from None

        return run

    def _presence(self, node: Presence) -> Step:
        operand, field = self._holder(node), self._property(node)
        if node.optional:
            return self._one(node.at, lambda value: access.optional_select(value, field).present, operand)
        placed, at = self._placed, node.at

        def run(frame: Frame) -> bool:
            value = operand(frame)
            try:
                return field in value if type(value) is dict else access.has_field(value, field)
            except CelFault as error:
                raise placed(error, at) from None

        return run

    def _subscript(self, node: Subscript) -> Step:
        operand, key = self.subject(node.operand), self.build(node.subscript)
        choose = access.optional_index if node.optional else access.index
        return self._converted(node, self._two(node.at, choose, operand, key))

    # Operators and calls

    def _binary(self, node: Binary) -> Step:
        metered = _METERED.get(node.operator)
        if node.operator == "in" and isinstance(node.right, ListLiteral) and not node.right.elements:
            return lambda _: False  # whatever the other side is, or fails with
        if metered is not None:
            left, right = self.operand(node.left), self.operand(node.right)
            return self._metered_two(node.at, metered, left, right)
        return self._two(node.at, _BINARY[node.operator], self.build(node.left), self.build(node.right))

    def _logic(self, node: Logic) -> Step:
        operands = tuple(map(self._boolean, node.operands))
        decisive = node.operator == "||"

        def run(frame: Frame) -> Any:
            failure: CelEvaluationError | None = None
            for operand in operands:
                try:
                    if operand(frame) is decisive:
                        return decisive
                except CelBudgetError:
                    raise
                except CelEvaluationError as error:
                    failure = failure or error
            if failure is not None:
                raise failure
            return not decisive

        return run

    def _boolean(self, node: Node) -> Step:
        """A node that must give a bool; the check is left out where the node cannot give anything else."""
        step = self.build(node)
        certain = isinstance(node, Logic | Presence) or (isinstance(node, Binary) and node.operator in _BOOLEAN)
        return step if certain else self._one(node.start, operators.as_bool, step)

    def _call(self, node: Call) -> Step:
        function = self._checked.functions.get(node.key)
        if function is None:
            name = node.function
            return self._whole(node.at, lambda _: operators.fail(f"unknown function `{name}`"))
        inputs = node.arguments if node.target is None or not function.member else (node.target, *node.arguments)
        arguments = tuple(map(self.operand, inputs))
        call = function.call
        if function.member and function.name in ("or", "orValue"):
            return self._whole(node.at, _choice(call, *arguments))
        if function.metered:
            return self._whole(node.at, lambda frame: call(frame[""], *[argument(frame) for argument in arguments]))
        if len(arguments) == 1:
            return self._one(node.at, call, arguments[0])
        if len(arguments) == 2:
            return self._two(node.at, call, *arguments)
        return self._whole(node.at, lambda frame: call(*[argument(frame) for argument in arguments]))

    def _list(self, node: ListLiteral) -> Step:
        elements = tuple((element.optional, self.build(element.value)) for element in node.elements)

        def run(frame: Frame) -> list[Any]:
            result = []
            for optional, step in elements:
                value = step(frame)
                if not optional:
                    result.append(value)
                elif loops.optional(value).present:
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
                elif loops.optional(value).present:
                    found.append((key, value.value))
            return loops.map_of(found)

        return run

    # Macros

    def _comprehension(self, node: Comprehension) -> Step:
        yields_bool = node.macro in ("all", "exists", "exists_one", "existsOne", "filter")
        subject, body = self.subject(node.subject), (self._boolean if yields_bool else self.build)(node.body)
        if node.macro in ("optMap", "optFlatMap"):
            return loops.optional_macro(self.build(node.subject), body, node.first, wrap=node.macro == "optMap")
        condition = None if node.condition is None else self._boolean(node.condition)
        turns = loops.scopes(subject, node.first, node.second)
        if node.macro in ("all", "exists"):
            return loops.quantifier(turns, body, decisive=node.macro == "exists")
        if node.macro in ("exists_one", "existsOne"):
            return lambda frame: sum(1 for inner in turns(frame) if body(inner)) == 1
        if node.macro == "filter":
            name = node.first
            return lambda frame: [inner[name] for inner in turns(frame) if body(inner)]
        if node.macro == "sortBy":
            return loops.sorter(subject, turns, body)
        return loops.transformer(node.macro, turns, node.first, condition, body)


def _choice(call: Callable[[Any, Any], Any], optional: Step, other: Step) -> Step:
    """`or` and `orValue`: what is given beside is only worked out where the optional is empty."""

    def run(frame: Frame) -> Any:
        value = optional(frame)
        is_given = isinstance(value, OptionalValue) and value.present
        return call(value, value if is_given else other(frame))

    return run
