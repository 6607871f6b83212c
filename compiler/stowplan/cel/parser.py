"""Tokens to a syntax tree, by precedence climbing."""

from __future__ import annotations

from collections.abc import Callable

from stowplan.cel.limits import MAX_DEPTH, MAX_NESTING
from stowplan.cel.macros import expand
from stowplan.cel.problem import CelCompileError
from stowplan.cel.text import ExpressionText
from stowplan.cel.tokens import RESERVED, Token, tokenise
from stowplan.cel.tree import (
    Binary,
    Call,
    Conditional,
    Element,
    Entry,
    Identifier,
    ListLiteral,
    Literal,
    LiteralValue,
    Logic,
    MapLiteral,
    Node,
    Select,
    Subscript,
    Unary,
    children,
)  # fmt: skip

__all__ = ["Parser", "parse"]

_PRECEDENCE = {
    "==": 1, "!=": 1, "<": 1, "<=": 1, ">": 1, ">=": 1, "in": 1, "+": 2, "-": 2, "*": 3, "/": 3, "%": 3,
}  # fmt: skip
_CONSTANTS: dict[str, LiteralValue] = {"true": True, "false": False, "null": None}
_HINTS = {
    "=": "compare with `==`", "&": "write `&&`", "|": "write `||`", "and": "write `&&`", "or": "write `||`",
    "not": "write `!`",
}  # fmt: skip


def parse(source: ExpressionText) -> Node:
    """The tree of an expression. Raises `CelCompileError` at the first mistake."""
    try:
        return Parser(source).parse()
    except RecursionError:
        raise CelCompileError([source.problem(0, 1, "the expression is nested too deeply", "limit")]) from None


class Parser:
    """One parse; `error` and `number` are also used by the macros."""

    def __init__(self, source: ExpressionText) -> None:
        self._source = source
        self._tokens = tokenise(source)
        self._next = 0
        self._keys = 0
        self._nesting = 0

    def parse(self) -> Node:
        """The whole text as one expression."""
        node = self._expression()
        token = self._tokens[self._next]
        if token.kind != "end":
            raise self._unexpected(token)
        self._check_depth(node)
        return node

    def number(self) -> int:
        """A fresh key for a node."""
        self._keys += 1
        return self._keys

    def error(self, start: int, end: int, message: str, *helps: str, kind: str = "syntax") -> CelCompileError:
        """An error over a stretch of the source, to be raised."""
        return CelCompileError([self._source.problem(start, end, message, kind, helps)])

    def _unexpected(self, token: Token, wanted: str = "") -> CelCompileError:
        found = (
            "the end of the expression" if token.kind == "end" else f"`{self._source.text[token.start : token.end]}`"
        )
        hint = _HINTS.get(str(token.value)) if token.kind == "name" else None
        message = f"expected {wanted}, found {found}" if wanted else f"unexpected {found}"
        return self.error(token.start, token.end, message, *([hint] if hint else []))

    def _check_depth(self, root: Node) -> None:
        level: list[Node] = [root]
        for _ in range(MAX_DEPTH):
            level = [child for node in level for child in children(node)]
            if not level:
                return
        raise self.error(level[0].start, level[0].end, f"the tree is deeper than {MAX_DEPTH} levels", kind="limit")

    def _at(self, symbol: str) -> bool:
        token = self._tokens[self._next]
        return token.kind == "symbol" and token.value == symbol

    def _take(self, symbol: str) -> bool:
        if self._at(symbol):
            self._next += 1
            return True
        return False

    def _need(self, symbol: str) -> Token:
        token = self._tokens[self._next]
        if not self._take(symbol):
            raise self._unexpected(token, f"`{symbol}`")
        return token

    def _enter(self) -> None:
        self._nesting += 1
        if self._nesting > MAX_NESTING:
            token = self._tokens[self._next]
            raise self.error(token.start, token.end, f"nested deeper than {MAX_NESTING} levels", kind="limit")

    def _expression(self) -> Node:
        self._enter()
        node = self._logic("||")
        if self._at("?"):
            at = self._tokens[self._next].start
            self._next += 1
            positive = self._logic("||")
            self._need(":")
            negative = self._expression()
            node = Conditional(self.number(), node.start, negative.end, at, node, positive, negative)
        self._nesting -= 1
        return node

    def _logic(self, operator: str) -> Node:
        first = self._logic("&&") if operator == "||" else self._binary(1)
        if not self._at(operator):
            return first
        operands = list(first.operands) if isinstance(first, Logic) and first.operator == operator else [first]
        while self._take(operator):
            operands.append(self._logic("&&") if operator == "||" else self._binary(1))
        return Logic(self.number(), first.start, operands[-1].end, operator, tuple(operands))

    def _binary(self, precedence: int) -> Node:
        left = self._unary()
        while True:
            token = self._tokens[self._next]
            level = _PRECEDENCE.get(str(token.value)) if token.kind in ("symbol", "name") else None
            if level is None or level < precedence:
                return left
            self._next += 1
            right = self._binary(level + 1)
            left = Binary(self.number(), left.start, right.end, token.start, str(token.value), left, right)

    def _unary(self) -> Node:
        operators: list[Token] = []
        while self._at("!") or self._at("-"):
            token = self._tokens[self._next]
            self._next += 1
            following = self._tokens[self._next]
            if token.value == "-" and following.kind == "literal" and type(following.value) in (int, float):
                self._next += 1
                node = self._postfix(self._negative(token, following))
                break
            operators.append(token)
        else:
            node = self._postfix(self._primary())
        if len(operators) > MAX_NESTING:
            raise self.error(operators[0].start, node.start, f"more than {MAX_NESTING} signs in a row", kind="limit")
        if len({token.value for token in operators}) == 1:  # two alike take each other away, as servers read them
            operators = operators[: len(operators) % 2]
        for token in reversed(operators):
            node = Unary(self.number(), token.start, node.end, str(token.value), node)
        return node

    def _negative(self, sign: Token, token: Token) -> Literal:
        value = token.value
        if not isinstance(value, int | float):
            raise AssertionError(value)
        return Literal(self.number(), sign.start, token.end, -value)

    def _arguments(self) -> tuple[Node, ...]:
        items: list[Node] = []
        if not self._at(")"):
            items.append(self._expression())
            while self._take(","):
                items.append(self._expression())
        self._need(")")
        return tuple(items)

    def _primary(self) -> Node:
        token = self._tokens[self._next]
        self._next += 1
        if token.kind == "literal":
            if type(token.value) is int and token.value == 2**63:
                raise self.error(token.start, token.end, f"the integer {token.value} is out of range")
            return Literal(self.number(), token.start, token.end, token.value)
        if token.kind == "name":
            return self._name(token, absolute=False)
        handlers: dict[object, Callable[[Token], Node]] = {"(": self._group, "[": self._list, "{": self._map}
        if token.kind == "symbol" and token.value in handlers:
            return handlers[token.value](token)
        following = self._tokens[self._next] if token.kind != "end" else token
        if token.kind == "symbol" and token.value == "." and following.kind == "name":
            self._next += 1
            return self._name(following, absolute=True)
        raise self._unexpected(token, "an expression")

    def _name(self, token: Token, absolute: bool) -> Node:
        name = str(token.value)
        if name in _CONSTANTS and not absolute:
            return Literal(self.number(), token.start, token.end, _CONSTANTS[name])
        if name in RESERVED:
            raise self.error(token.start, token.end, f"`{name}` is a reserved word")
        if self._take("("):
            arguments = self._arguments()
            end = self._tokens[self._next - 1].end
            return expand(self, Call(self.number(), token.start, end, token.start, name, None, arguments))
        return Identifier(self.number(), token.start, token.end, name, absolute)

    def _group(self, token: Token) -> Node:
        node = self._expression()
        closing = self._need(")")
        return node._replace(start=token.start, end=closing.end)

    def _list(self, token: Token) -> Node:
        elements: list[Element] = []
        while not self._at("]"):
            optional = self._take("?")
            elements.append(Element(optional, self._expression()))
            if not self._take(","):
                break
        end = self._need("]").end
        return ListLiteral(self.number(), token.start, end, tuple(elements))

    def _map(self, token: Token) -> Node:
        entries: list[Entry] = []
        while not self._at("}"):
            optional = self._take("?")
            name = self._expression()
            self._need(":")
            entries.append(Entry(optional, name, self._expression()))
            if not self._take(","):
                break
        end = self._need("}").end
        return MapLiteral(self.number(), token.start, end, tuple(entries))

    def _postfix(self, node: Node) -> Node:
        while True:
            if self._at("."):
                node = self._member(node)
            elif self._at("["):
                at = self._tokens[self._next].start
                self._next += 1
                optional = self._take("?")
                subscript = self._expression()
                end = self._need("]").end
                node = Subscript(self.number(), node.start, end, at, node, subscript, optional)
            elif self._at("{") and isinstance(node, Identifier | Select):
                token = self._tokens[self._next]
                raise self.error(token.start, token.end, "messages cannot be constructed here", "build a map: {'a': b}")
            else:
                return node

    def _member(self, node: Node) -> Node:
        self._next += 1
        optional = self._take("?")
        token = self._tokens[self._next]
        if token.kind not in ("name", "quoted") or token.value in ("in", "true", "false", "null"):
            raise self._unexpected(token, "a field name")
        self._next += 1
        field = str(token.value)
        if not optional and token.kind == "name" and self._take("("):
            arguments = self._arguments()
            end = self._tokens[self._next - 1].end
            return expand(self, Call(self.number(), node.start, end, token.start, field, node, arguments))
        quoted = token.kind == "quoted"
        return Select(self.number(), node.start, token.end, token.start, node, field, optional, quoted)
