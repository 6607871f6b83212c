"""The environment for templates that others wrote: Jinja2's sandbox with a budget for work and output.

Nothing here reads a clock, so the same template fails at the same place on every machine. What is bounded: loop
iterations, calls and includes (steps), the length of any one string, the size of any collection counted as if nothing
were shared, the output. What is taken away: attributes beyond a short list, formatting, filters that pad or repeat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from typing import Any, Final, cast

import jinja2
from jinja2 import filters as jinja_filters
from jinja2 import nodes
from jinja2.environment import TemplateModule
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context, LoopContext, Undefined
from jinja2.sandbox import SandboxedEnvironment
from jinja2.utils import Namespace
from jinja2.visitor import NodeTransformer

from stowplan.templates.environment import ShapeEnvironmentBase
from stowplan.templates.marks import MarkedText

__all__ = ["Budget", "LimitError", "SandboxEnvironment"]

MAX_STEPS: Final = 300_000
MAX_TEXT: Final = 2**20  # characters of one string
MAX_OUTPUT: Final = 4 * 2**20  # characters of one render
MAX_RANGE: Final = 10_000
MAX_SOURCE: Final = 2**20
_MAX_BITS: Final = 256
_MAX_PRECISION: Final = 30
_CHARACTERS_A_STEP: Final = 256
_ITEMS_A_STEP: Final = 16

_ALLOWED_FILTERS: Final = (
    *("abs", "capitalize", "count", "d", "default", "dictsort", "first", "float", "groupby", "int", "items", "last"),
    *("length", "list", "lower", "map", "max", "min", "reject", "rejectattr", "reverse", "select", "selectattr"),
    *("sort", "string", "title", "tojson", "trim", "unique", "upper"),
)
_ALLOWED_METHODS: Final[dict[type, frozenset[str]]] = {
    str: frozenset(
        (
            "endswith",
            "lower",
            "lstrip",
            "removeprefix",
            "removesuffix",
            "rstrip",
            "split",
            "startswith",
            "strip",
            "upper",
        )
    ),
    dict: frozenset(("get", "items", "keys", "values")),
}
_OPEN_TYPES: Final = (
    LoopContext,
    Namespace,
    TemplateModule,
)  # Jinja2's own helpers; names with an underscore stay closed


class LimitError(RuntimeError):
    """A template does more work, or makes more text, than a template may."""


class Budget:
    """What one render may still spend."""

    __slots__ = ("characters", "steps")

    def __init__(self) -> None:
        self.steps = MAX_STEPS
        self.characters = MAX_OUTPUT

    def step(self, number: int = 1) -> None:
        """Spend work."""
        self.steps -= number
        if self.steps < 0:
            raise LimitError(f"the template does more than {MAX_STEPS:,} steps of work")

    def text(self, text: str) -> str:
        """Check one string and spend the work of making it."""
        if len(text) > MAX_TEXT:
            raise LimitError(f"the template makes a string of more than {MAX_TEXT:,} characters")
        self.step(1 + len(text) // _CHARACTERS_A_STEP)
        return text

    def write(self, text: str) -> None:
        """Spend output."""
        self.characters -= len(text)
        if self.characters < 0:
            raise LimitError(f"the template writes more than {MAX_OUTPUT:,} characters")

    def value(self, value: object) -> None:
        """Spend the size of a value, counting a shared part as often as it occurs."""
        stack = [value]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                self.text(item)
                continue
            self.step()
            if isinstance(item, Mapping):
                self.step(len(item))
                stack.extend(item)
                stack.extend(item.values())
            elif isinstance(item, list | tuple):
                self.step(len(item))
                stack.extend(item)


class SandboxEnvironment(ShapeEnvironmentBase, SandboxedEnvironment):
    """For the templates of a workspace."""

    intercepted_binops = frozenset(("+", "*", "**", "%"))

    def __init__(self, loader: jinja2.BaseLoader, finalize: Callable[..., object]) -> None:
        self.budget = Budget()
        self._record = finalize
        super().__init__(loader, self._finalize)
        allowed = {name: self.filters[name] for name in _ALLOWED_FILTERS}
        self.filters = {**allowed, **_OWN_FILTERS}
        self.globals["range"] = self._range
        self.concat = self._join

    def start(self) -> None:
        """Give the next render a full budget."""
        self.budget = Budget()

    @jinja2.pass_context
    def _finalize(self, context: Context, value: object) -> object:
        if type(value) is not MarkedText:
            self.budget.value(value)
            self.budget.step()
        return self._record(context, value)

    def _range(self, *arguments: int) -> range:
        numbers = range(*arguments)
        if len(numbers) > MAX_RANGE:
            raise LimitError(f"`range` yields more than {MAX_RANGE:,} numbers")
        return numbers

    def _join(self, parts: Iterable[str]) -> MarkedText:
        pieces, length = [], 0
        for piece in parts:
            self.budget.step()
            length += len(piece)
            if length > MAX_TEXT:
                raise LimitError(f"a macro or block makes more than {MAX_TEXT:,} characters")
            pieces.append(piece)
        self.budget.step(length // _CHARACTERS_A_STEP)
        return MarkedText("".join(pieces))

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        if len(source) > MAX_SOURCE:
            raise LimitError(f"the template has more than {MAX_SOURCE:,} characters")
        tree: nodes.Template = _Metered().visit(super()._parse(source, name, filename))
        return tree

    def _load_template(self, name: str, globals: Any) -> jinja2.Template:
        self.budget.step(50)
        return super()._load_template(name, globals)

    def wrap_str_format(self, value: Any) -> None:  # noqa: ARG002
        """No `str.format`, not even Jinja2's safe one: its widths are unbounded."""
        return

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:  # noqa: ARG002
        """Only what formatting data needs."""
        if isinstance(obj, MarkedText):
            return False
        if isinstance(obj, _OPEN_TYPES):
            return not attr.startswith("_")
        return any(attr in _ALLOWED_METHODS[kind] for kind in type(obj).__mro__ if kind in _ALLOWED_METHODS)

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call, for a step, and measure what comes back."""
        self.budget.step()
        result = super().call(context, obj, *args, **kwargs)
        if isinstance(result, str | list | tuple | dict) and type(result) is not MarkedText:
            self.budget.value(result)
        return result

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """The operators that can make something large out of something small."""
        if isinstance(left, Undefined) or isinstance(right, Undefined):
            return super().call_binop(context, operator, left, right)
        if operator == "%" and isinstance(left, str):
            raise SecurityError("formatting with `%` is not available here; write the parts out")
        if operator == "**":
            _check_power(left, right)
        if operator == "*":
            _check_product(left, right)
        result = super().call_binop(context, operator, left, right)
        self.budget.value(result)
        if isinstance(result, int) and result.bit_length() > _MAX_BITS:
            raise LimitError(f"a number of more than {_MAX_BITS} bits")
        return result


def _check_power(left: Any, right: Any) -> None:
    if isinstance(left, int) and isinstance(right, int) and right > 1 and left.bit_length() * right > _MAX_BITS:
        raise LimitError(f"a number of more than {_MAX_BITS} bits")


def _check_product(left: Any, right: Any) -> None:
    for many, times in ((left, right), (right, left)):
        if isinstance(many, str | list | tuple) and isinstance(times, int) and len(many) * times > MAX_RANGE:
            raise LimitError(f"a repetition of more than {MAX_RANGE:,} characters or items")


class _Metered(NodeTransformer):
    """Wraps whatever takes work in filters that spend budget: loops, filters, comparisons, slices, collections, `~`."""

    def visit_For(self, node: nodes.For) -> nodes.For:
        self.generic_visit(node)
        node.iter = _filtered(node.iter, _EACH)
        return node

    def visit_Filter(self, node: nodes.Filter) -> nodes.Filter:
        self.generic_visit(node)
        if node.node is not None:
            node.node = _filtered(node.node, _INPUT)
        return node

    def visit_Compare(self, node: nodes.Compare) -> nodes.Compare:
        self.generic_visit(node)
        node.expr = _filtered(node.expr, _INPUT)
        for operand in node.ops:
            operand.expr = _filtered(operand.expr, _INPUT)
        return node

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Getitem:
        self.generic_visit(node)
        if isinstance(node.arg, nodes.Slice):
            node.node = _filtered(node.node, _INPUT)
        return node

    def visit_List(self, node: nodes.List) -> nodes.Node:
        self.generic_visit(node)
        return _filtered(node, _MEASURED)

    def visit_Dict(self, node: nodes.Dict) -> nodes.Node:
        self.generic_visit(node)
        return _filtered(node, _MEASURED)

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Node:
        self.generic_visit(node)
        return _filtered(node, _MEASURED) if node.ctx == "load" else node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        self.generic_visit(node)
        parts = nodes.List(node.nodes, lineno=node.lineno)
        return _filtered(parts, _CONCAT)


def _filtered(node: nodes.Node, name: str) -> nodes.Filter:
    return nodes.Filter(cast("nodes.Expr", node), name, [], [], None, None, lineno=node.lineno)


# Names with a space: no template can spell them.
_EACH: Final = "each of"
_INPUT: Final = "metered input"
_MEASURED: Final = "measured value"
_CONCAT: Final = "joined text"


def _budget(context: Context) -> Budget:
    environment = context.environment
    assert isinstance(environment, SandboxEnvironment)
    return environment.budget


@jinja2.pass_context
def _each(context: Context, items: Any) -> Iterator[Any]:
    budget = _budget(context)
    for item in items:
        budget.step()
        yield item


@jinja2.pass_context
def _input(context: Context, value: Any) -> Any:
    budget = _budget(context)
    if isinstance(value, Undefined):
        return value
    if isinstance(value, str):
        return budget.text(value) if type(value) is not MarkedText else value
    if isinstance(value, Sized):
        budget.step(1 + len(value) // _ITEMS_A_STEP)
        return value
    return _each(context, value) if isinstance(value, Iterator) else value


@jinja2.pass_context
def _measured(context: Context, value: Any) -> Any:
    _budget(context).value(value)
    return value


@jinja2.pass_context
def _concat(context: Context, parts: list[Any]) -> str:
    budget = _budget(context)
    texts = []
    for part in parts:
        budget.value(part)
        texts.append(str(part))
    if sum(map(len, texts)) > MAX_TEXT:
        raise LimitError(f"the template makes a string of more than {MAX_TEXT:,} characters")
    return budget.text("".join(texts))


@jinja2.pass_context
def _join(context: Context, values: Iterable[Any], d: str = "", attribute: str | int | None = None) -> str:
    if attribute is not None:
        values = map(jinja_filters.make_attrgetter(context.environment, attribute), values)
    parts: list[Any] = []
    for value in values:
        parts += [d, value] if parts else [value]
        _budget(context).step()
    return _concat(context, parts)


@jinja2.pass_context
def _replace(context: Context, text: str, old: str, new: str, count: int = -1) -> str:
    text, old, new = str(text), str(old), str(new)
    found = text.count(old) if count < 0 else min(count, text.count(old))
    if len(text) + found * len(new) > MAX_TEXT:
        raise LimitError(f"the template makes a string of more than {MAX_TEXT:,} characters")
    return _budget(context).text(text.replace(old, new, found))


@jinja2.pass_context
def _round(_context: Context, value: float, precision: int = 0, method: Any = "common") -> float:
    if abs(precision) > _MAX_PRECISION:
        raise LimitError(f"a precision of more than {_MAX_PRECISION} digits")
    return jinja_filters.do_round(value, precision, method)


@jinja2.pass_context
def _sum(context: Context, values: Iterable[Any], attribute: str | int | None = None) -> int | float:
    if attribute is not None:
        values = map(jinja_filters.make_attrgetter(context.environment, attribute), values)
    total: int | float = 0
    for value in values:
        _budget(context).step()
        if not isinstance(value, int | float):
            raise TypeError("only numbers can be summed up here")
        total += value
    return total


_OWN_FILTERS: Final[dict[str, Callable[..., Any]]] = {
    _EACH: _each,
    _INPUT: _input,
    _MEASURED: _measured,
    _CONCAT: _concat,
    "join": _join,
    "replace": _replace,
    "round": _round,
    "sum": _sum,
}
