"""The fast back end: one Python expression per program, in which every error is an exception.

It raises more often than the exact back end and otherwise gives the same value; whoever runs it falls back on any
exception but an exhausted budget. Nothing of the expression's text gets into the code except through `repr` of
strings, integers, booleans and bytes: variables, loop variables and constants have generated names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from stowplan.cel import runtime
from stowplan.cel.checker import Checked
from stowplan.cel.limits import STEP_LIMIT
from stowplan.cel.problem import CelBudgetError
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
from stowplan.cel.types import BOOL, INT, STRING, ListType, MapType, ObjectType, OptionalType, Type, is_special
from stowplan.cel.wire import Converter, converter

__all__ = ["NotGeneratable", "generate", "generate_source"]

_COMPARED: Final = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_ARITHMETIC: Final = {"-": "sub", "*": "mul", "/": "div", "%": "mod"}
_CERTAIN_MACROS: Final = frozenset({"all", "exists", "exists_one", "existsOne"})
_TEXT_TESTS: Final = {"startsWith": "starts", "endsWith": "ends", "contains": "holds"}
_MAX_CODE: Final = 60_000
Scope = dict[str, str]


class NotGeneratable(Exception):
    """The tree has something that only the exact back end runs."""


def generate(
    root: Node, checked: Checked, exact: Callable[[Any], Any], place: Callable[[CelBudgetError], CelBudgetError]
) -> Callable[[Any], Any]:
    """The compiled fast form, which calls `exact` with the same variables when it fails. Raises `NotGeneratable`.

    `place` gives an exhausted budget its place in the expression.
    """
    code, names = generate_source(root, checked)
    names["exact"], names["place"] = exact, place
    try:
        exec(compile(code, "<cel>", "exec"), names)
    except (SyntaxError, MemoryError, RecursionError, ValueError, OverflowError) as error:
        raise NotGeneratable(str(error)) from None
    run: Callable[[Any], Any] = names["run"]
    return run


def generate_source(root: Node, checked: Checked) -> tuple[str, dict[str, Any]]:
    """The Python source and the namespace it runs in."""
    writer = _Writer(checked)
    body = writer.value(root, {})
    if len(body) > _MAX_CODE:
        raise NotGeneratable("too long")
    lines = ["def run(E):", " try:"]
    lines += [f"  {alias}=E[{name!r}]" for name, alias in sorted(writer.roots.items())]
    if writer.metered:
        lines.append(f"  m=[{STEP_LIMIT}]")
    lines += [
        f"  return {body}",
        " except Budget as error:",
        "  raise place(error)",
        " except Exception:",
        "  pass",
        " return exact(E)",
        "",
    ]
    return "\n".join(lines), {**runtime.NAMES, **writer.constants, "Budget": CelBudgetError}


class _Writer:
    def __init__(self, checked: Checked) -> None:
        self._checked = checked
        self.constants: dict[str, Any] = {}
        self.roots: dict[str, str] = {}
        self.metered = False
        self._locals = 0
        self._loops = 0

    def _constant(self, value: Any) -> str:
        name = f"k{len(self.constants)}"
        self.constants[name] = value
        return name

    def _meter(self) -> str:
        self.metered = True
        return "m"

    def _local(self) -> str:
        self._locals += 1
        return f"v{self._locals}"

    def _certain(self, node: Node) -> Type | None:
        """The type a node's code is sure to give whatever the data are, or None."""
        if isinstance(node, Literal):
            return {bool: BOOL, int: INT, str: STRING}.get(type(node.value))
        if isinstance(node, Logic | Presence):
            return BOOL
        if isinstance(node, Unary):
            return BOOL if node.operator == "!" else None
        if isinstance(node, Binary):
            return BOOL if node.operator in _COMPARED or node.operator == "in" else None
        if isinstance(node, Comprehension):
            return BOOL if node.macro in _CERTAIN_MACROS else None
        function = self._checked.functions.get(node.key) if isinstance(node, Call) else None
        if function is None:
            return None
        results = {overload.result for overload in function.overloads}
        return results.pop() if len(results) == 1 and results <= {BOOL, INT, STRING} else None

    def boolean(self, node: Node, scope: Scope) -> str:
        """Code that gives a boolean or raises."""
        code = self.value(node, scope)
        return code if self._certain(node) == BOOL else f"bool_({code})"

    def value(self, node: Node, scope: Scope) -> str:
        """Code for a node."""
        return _WRITERS[type(node)](self, node, scope)

    def _literal(self, node: Literal, _scope: Scope) -> str:
        value = node.value
        if value is None or type(value) in (str, bool, bytes):
            return repr(value)
        return f"({value})" if type(value) is int else self._constant(value)

    def _constant_or_variable(self, node: Identifier | Select) -> str | None:
        constant = self._checked.constants.get(node.key)
        if constant is not None:
            return self._constant(constant)
        declared = self._checked.variables.get(node.key)
        if declared is None:
            return None
        return self.roots.setdefault(declared, f"V{len(self.roots)}")

    def _identifier(self, node: Identifier, scope: Scope) -> str:
        code = self._constant_or_variable(node) or scope.get(node.name)
        if code is None:
            raise NotGeneratable(node.name)
        return self._converted(node, code)

    def _converted(self, node: Node, code: str) -> str:
        kind = self._checked.types[node.key]
        convert = converter(kind, objects=False) if is_special(kind) else None
        return code if convert is None else f"{self._constant(convert)}({code})"

    def subject(self, node: Node, scope: Scope) -> str:
        """A node as the operand of a selection or a loop, where a container's own conversion does not matter."""
        if not isinstance(self._checked.types[node.key], ListType | MapType | ObjectType | OptionalType):
            return self.value(node, scope)
        if isinstance(node, Identifier):
            code = self._constant_or_variable(node) or scope.get(node.name)
            if code is not None:
                return code
        if isinstance(node, Select):
            return self._constant_or_variable(node) or self._selected(node, scope)
        return self._indexed(node, scope) if isinstance(node, Subscript) else self.value(node, scope)

    def operand(self, node: Node, scope: Scope) -> str:
        """A node as an operand of a comparison or a call: objects are converted with all that is in them."""
        convert: Converter | None = converter(self._checked.types[node.key], objects=True)
        code = self.value(node, scope)
        return code if convert is None else f"{self._constant(convert)}({code})"

    def _property(self, node: Select | Presence) -> str:
        return repr(self._checked.properties.get(node.key, node.field))

    def _select(self, node: Select, scope: Scope) -> str:
        return self._converted(node, self._constant_or_variable(node) or self._selected(node, scope))

    def _holder(self, node: Select | Presence, scope: Scope) -> str:
        code = self.subject(node.operand, scope)
        return f"nul({code},{self._property(node)})" if node.key in self._checked.nullable else code

    def _selected(self, node: Select, scope: Scope) -> str:
        code = self._holder(node, scope)
        if node.optional or isinstance(self._checked.types.get(node.operand.key), OptionalType):
            return f"osel({code},{self._property(node)})"
        return f"{code}[{self._property(node)}]"

    def _presence(self, node: Presence, scope: Scope) -> str:
        code = self._holder(node, scope)
        if node.optional:
            return f"osel({code},{self._property(node)}).present"
        found = f"has({code},{self._property(node)})"
        return (
            f"({self._property(node)} in {code} if type({code}) is dict else {found})" if code.isidentifier() else found
        )

    def _subscript(self, node: Subscript, scope: Scope) -> str:
        return self._converted(node, self._indexed(node, scope))

    def _indexed(self, node: Subscript, scope: Scope) -> str:
        name = "oidx" if node.optional else "idx"
        return f"{name}({self.subject(node.operand, scope)},{self.value(node.subscript, scope)})"

    def _unary(self, node: Unary, scope: Scope) -> str:
        if node.operator == "!":
            return f"(not {self.boolean(node.operand, scope)})"
        return f"neg({self.value(node.operand, scope)})"

    def _logic(self, node: Logic, scope: Scope) -> str:
        joiner = " or " if node.operator == "||" else " and "
        return f"({joiner.join(self.boolean(operand, scope) for operand in node.operands)})"

    def _conditional(self, node: Conditional, scope: Scope) -> str:
        condition = self.boolean(node.condition, scope)
        return f"({self.value(node.positive, scope)} if {condition} else {self.value(node.negative, scope)})"

    def _binary(self, node: Binary, scope: Scope) -> str:
        if node.operator == "in":
            return self._member(node, scope)
        if node.operator in _COMPARED:
            return self._comparison(node, scope)
        if node.operator == "+":
            return f"add({self._meter()},{self.operand(node.left, scope)},{self.operand(node.right, scope)})"
        return f"{_ARITHMETIC[node.operator]}({self.value(node.left, scope)},{self.value(node.right, scope)})"

    def _comparison(self, node: Binary, scope: Scope) -> str:
        left, right = self._certain(node.left), self._certain(node.right)
        if (left is not None and left == right) or (node.operator in ("==", "!=") and STRING in (left, right)):
            return f"({self.value(node.left, scope)}{node.operator}{self.value(node.right, scope)})"
        name = _COMPARED[node.operator]
        if name not in ("eq", "ne"):
            return f"{name}({self.value(node.left, scope)},{self.value(node.right, scope)})"
        for side, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(side, Literal) and side.value is None:
                return f"({self.value(other, scope)} is {'not ' * (name == 'ne')}None)"
        code = f"{self.operand(node.left, scope)},{self.operand(node.right, scope)})"
        if left is None and right is None:
            return f"(not eqm({self._meter()},{code})" if name == "ne" else f"eqm({self._meter()},{code}"
        return f"{name}({code}"

    def _member(self, node: Binary, scope: Scope) -> str:
        container = node.right
        if isinstance(container, ListLiteral) and not container.elements:
            return "False"
        if isinstance(container, ListLiteral) and all(
            isinstance(e.value, Literal) and type(e.value.value) is str and not e.optional for e in container.elements
        ):
            items = tuple(e.value.value for e in container.elements if isinstance(e.value, Literal))
            return f"({self.value(node.left, scope)} in {self._constant(items)})"
        code = f"{self.operand(node.left, scope)},{self.operand(container, scope)})"
        return f"inm({self._meter()},{code}" if self._loops else f"in_({code}"

    def _call(self, node: Call, scope: Scope) -> str:
        function = self._checked.functions.get(node.key)
        if function is None:
            raise NotGeneratable(node.function)
        inputs = node.arguments if node.target is None or not function.member else (node.target, *node.arguments)
        if function.name == "size":
            return f"size({self.subject(inputs[0], scope)})"
        if function.name in _TEXT_TESTS:
            return f"{_TEXT_TESTS[function.name]}({self.value(inputs[0], scope)},{self.value(inputs[1], scope)})"
        if function.name == "matches" and isinstance(inputs[1], Literal) and isinstance(inputs[1].value, str):
            return self._matches(inputs[0], inputs[1].value, scope)
        codes = [self.operand(argument, scope) for argument in inputs]
        if function.metered:
            codes.insert(0, self._meter())
        return f"{self._constant(function.call)}({','.join(codes)})"

    def _matches(self, subject: Node, pattern: str, scope: Scope) -> str:
        compiled = runtime.compile_or_none(pattern)
        if compiled is None:
            raise NotGeneratable(pattern)
        code = self.value(subject, scope)
        if self._loops:
            return f"match({self._meter()},{self._constant(compiled)},{code})"
        return f"{self._constant(compiled.matches)}({code})"

    def _list(self, node: ListLiteral, scope: Scope) -> str:
        if any(element.optional for element in node.elements):
            parts = [f"({element.optional},{self.value(element.value, scope)})" for element in node.elements]
            return f"present([{','.join(parts)}])"
        return f"[{','.join(self.value(element.value, scope) for element in node.elements)}]"

    def _map(self, node: MapLiteral, scope: Scope) -> str:
        if any(entry.optional for entry in node.entries):
            raise NotGeneratable("optional entries")
        pairs = ",".join(f"({self.value(e.name, scope)},{self.value(e.value, scope)})" for e in node.entries)
        return f"map_of([{pairs}])"

    def _bind(self, node: Bind, scope: Scope) -> str:
        name = self._local()
        body = self.value(node.body, {**scope, node.name: name})
        return f"(lambda {name}: {body})({self.value(node.value, scope)})"

    def _comprehension(self, node: Comprehension, scope: Scope) -> str:
        first = self._local()
        if node.macro in ("optMap", "optFlatMap"):
            body = self.value(node.body, {**scope, node.first: first})
            name = "omap" if node.macro == "optMap" else "oflat"
            return f"{name}({self.value(node.subject, scope)},lambda {first}: {body})"
        second = None if node.second is None else self._local()
        subject = self.subject(node.subject, scope)
        inner = {**scope, node.first: first} | ({} if node.second is None else {node.second: second or ""})
        self._loops += 1
        code = self._loop(node, subject, first, second, inner)
        self._loops -= 1
        return code

    def _loop(self, node: Comprehension, subject: str, first: str, second: str | None, inner: Scope) -> str:
        meter = self._meter()
        over = f"for {first} in items({meter},{subject})"
        if second is not None:
            over = f"for {first},{second} in pairs({meter},{subject})"
        if node.macro == "all":
            return f"all({self.boolean(node.body, inner)} {over})"
        if node.macro == "exists":
            return f"any({self.boolean(node.body, inner)} {over})"
        if node.macro in _CERTAIN_MACROS:
            return f"(sum([1 {over} if {self.boolean(node.body, inner)}])==1)"
        if node.macro == "filter":
            return f"[{first} {over} if {self.boolean(node.body, inner)}]"
        where = "" if node.condition is None else f" if {self.boolean(node.condition, inner)}"
        body = self.value(node.body, inner)
        if node.macro in ("map", "transformList"):
            return f"[{body} {over}{where}]"
        if node.macro == "transformMap":
            return f"map_of([({first},{body}) {over}{where}])"
        raise NotGeneratable(node.macro)


_WRITERS: Final[dict[type, Callable[[_Writer, Any, Scope], str]]] = {
    Literal: _Writer._literal, Identifier: _Writer._identifier, Select: _Writer._select, Presence: _Writer._presence,
    Subscript: _Writer._subscript, Unary: _Writer._unary, Logic: _Writer._logic, Binary: _Writer._binary,
    Conditional: _Writer._conditional, Call: _Writer._call, ListLiteral: _Writer._list, MapLiteral: _Writer._map,
    Bind: _Writer._bind, Comprehension: _Writer._comprehension,
}  # fmt: skip
