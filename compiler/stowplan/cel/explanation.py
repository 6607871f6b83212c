"""Why an expression gave what it gave: the value of each sub-expression that took part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from stowplan.cel import access
from stowplan.cel.checker import Checked
from stowplan.cel.interpreter import Interpreter
from stowplan.cel.limits import fill
from stowplan.cel.loops import Frame, new_frame
from stowplan.cel.problem import CelEvaluationError
from stowplan.cel.text import ExpressionText
from stowplan.cel.tree import Bind, Comprehension, Conditional, Literal, Logic, Node, children
from stowplan.cel.values import plain

__all__ = ["Explainer", "Explanation"]

_MAX_ELEMENTS = 5
_MAX_NODES = 400


Bindings = tuple[tuple[str, Any], ...]
"""Loop variables and what they stood for."""


class Explanation(NamedTuple):
    """One sub-expression: its text and place, its value or error, the loop variables it saw, and its parts.

    Literals are left out of `parts`. Of a macro over a list, the elements that decided are shown, or the first few.
    """

    text: str
    line: int
    column: int
    end_line: int
    end_column: int
    value: Any
    error: str | None
    bindings: Bindings = ()
    parts: tuple[Explanation, ...] = ()

    def walk(self) -> Iterator[tuple[int, Explanation]]:
        """This node and all below, in source order, with their depth."""
        pending = [(0, self)]
        while pending:
            depth, node = pending.pop()
            yield depth, node
            pending.extend((depth + 1, part) for part in reversed(node.parts))

    def culprits(self) -> tuple[Explanation, ...]:
        """The smallest sub-expressions that are false or failed and made the whole so; empty when it is true."""
        return tuple(part for _, part in self.bound_culprits())

    def bound_culprits(self, around: Bindings = ()) -> Iterator[tuple[Bindings, Explanation]]:
        """The same, each with all loop variables around it, the outermost first."""
        if self.value is True:
            return
        seen = (*around, *self.bindings)
        guilty = [part for part in self.parts if part.value is False or part.error is not None]
        deeper = [found for part in guilty for found in part.bound_culprits(seen)]
        yield from deeper or [(seen, self)]


class Explainer:
    """Explains one checked tree."""

    def __init__(self, source: ExpressionText, checked: Checked) -> None:
        self._source = source
        self._checked = checked
        self._interpreter = Interpreter(source, checked)
        self._left = _MAX_NODES

    def explain(self, root: Node, variables: Mapping[str, Any]) -> Explanation:
        """The whole tree over these variables."""
        return self._explain(root, new_frame(variables, fill()), ())

    def _explain(self, node: Node, frame: Frame, bindings: tuple[tuple[str, Any], ...]) -> Explanation:
        self._left -= 1
        value, error = self._value(node, frame)
        line, column = self._source.position(node.start)
        end_line, end_column = self._source.position(node.end)
        parts = tuple(self._parts(node, frame)) if self._left > 0 else ()
        text = self._source.text[node.start : node.end]
        return Explanation(text, line, column, end_line, end_column, value, error, bindings, parts)

    def _value(self, node: Node, frame: Frame) -> tuple[Any, str | None]:
        try:
            return plain(self._interpreter.build(node)(frame)), None
        except CelEvaluationError as error:
            return None, error.message
        except RecursionError:
            return None, "the values are nested too deeply"

    def _parts(self, node: Node, frame: Frame) -> Iterator[Explanation]:
        if isinstance(node, Comprehension):
            yield from self._loop(node, frame)
        elif isinstance(node, Bind):
            yield self._explain(node.value, frame, ())
            value, error = self._value(node.value, frame)
            if error is None:
                yield self._explain(node.body, {**frame, node.name: value}, ((node.name, value),))
        elif isinstance(node, Conditional):
            yield self._explain(node.condition, frame, ())
            condition, error = self._value(node.condition, frame)
            if error is None:
                yield self._explain(node.positive if condition is True else node.negative, frame, ())
        else:
            yield from self._operands(node, frame)

    def _operands(self, node: Node, frame: Frame) -> Iterator[Explanation]:
        for child in children(node):
            if self._left <= 0:
                return
            # A node without a type is part of a name: a function's namespace or a dotted variable.
            if isinstance(child, Literal) or child.key not in self._checked.types:
                continue
            part = self._explain(child, frame, ())
            yield part
            if isinstance(node, Logic) and part.value is (node.operator == "||"):
                return

    def _loop(self, node: Comprehension, frame: Frame) -> Iterator[Explanation]:
        yield self._explain(node.subject, frame, ())
        subject, error = self._value(node.subject, frame)
        if error is not None:
            return
        shown = 0
        decisive = {"all": False, "exists": True}.get(node.macro)
        for bindings in _bindings(node, subject):
            inner = {**frame, **dict(bindings)}
            value, _ = self._value(node.body, inner)
            if decisive is not None and value is decisive:
                yield self._explain(node.body, inner, bindings)
                return
            if shown < _MAX_ELEMENTS and decisive is not False and self._left > 0:
                shown += 1
                yield self._explain(node.body, inner, bindings)


def _bindings(node: Comprehension, subject: Any) -> Iterator[tuple[tuple[str, Any], ...]]:
    if node.macro in ("optMap", "optFlatMap"):
        if getattr(subject, "present", False):
            yield ((node.first, subject.value),)
        return
    try:
        if node.second is None:
            for item in access.items(fill(), subject):
                yield ((node.first, item),)
        else:
            for key, item in access.pairs(fill(), subject):
                yield ((node.first, key), (node.second, item))
    except CelEvaluationError:
        return
