"""Say where a template's output came from: for every hole the variables it read, for every line its template line.

The slow way, on demand: the template is compiled once more with every `{{ }}` wrapped so that it notes what it reads,
and every line of its own text marked with its number. Variables are wrapped in subclasses that know their path.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import jinja2
from jinja2 import nodes
from jinja2.runtime import Context
from jinja2.visitor import NodeTransformer

from stowplan.source.span import Pointer
from stowplan.templates.environment import Recorder, ShapeEnvironment, ShapeEnvironmentBase, SourceLoader
from stowplan.templates.marks import LINE_CLOSE, LINE_OPEN
from stowplan.templates.sandbox import SandboxEnvironment
from stowplan.templates.shape import Hole, Joined, Key, Shape, filled_key
from stowplan.templates.skeleton import Places, read_skeleton
from stowplan.templates.sources import Sources, TemplateLine

__all__ = ["DocumentTrace", "HoleSource", "LineMap", "Trace", "Tracer"]

_LINE_MARK: Final = re.compile(f"{LINE_OPEN}([0-9]+):([0-9]+){LINE_CLOSE}")


@dataclass(frozen=True, slots=True)
class HoleSource:
    """Which variables one `{{ }}` read, as paths from the variables' top, and where it stands.

    `is_exact` says that the value is the one variable's value, unchanged; otherwise it was worked out from `reads`.
    """

    index: int
    at: TemplateLine
    reads: tuple[Pointer, ...]
    is_exact: bool


@dataclass(frozen=True, slots=True)
class DocumentTrace:
    """For one document: the template line of every node, and the holes that its scalars and keys hold."""

    lines: Mapping[Pointer, TemplateLine]
    holes: Mapping[Pointer, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Trace:
    """Where a whole render came from; `holes` are in the order of `Rendered.values`."""

    holes: tuple[HoleSource, ...]
    documents: tuple[DocumentTrace, ...]


class LineMap:
    """From the lines of a skeleton (from 0) to the lines of templates."""

    def __init__(self, marked: str, names: list[str]) -> None:
        self._lines: list[TemplateLine] = []
        current = TemplateLine(names[0] if names else "", 1)
        for line in marked.split("\n"):
            pieces = _LINE_MARK.split(line)  # text, then (template, line, text) for every mark
            marks = list(zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True))
            if marks:
                number, at, _ = next((mark for mark in marks if mark[2].strip()), marks[-1])
                current = TemplateLine(names[int(number)], int(at))
            self._lines.append(current)

    def at(self, line: int) -> TemplateLine:
        """The template line that wrote this line of the skeleton."""
        return self._lines[min(line, len(self._lines) - 1)]


# ---------------------------------------------------------------- values that know their path


class _Dict(dict[Any, Any]):
    path: Pointer


class _List(list[Any]):
    path: Pointer


class _Tuple(tuple[Any, ...]):
    path: Pointer


class _Str(str):
    path: Pointer


class _Int(int):
    path: Pointer


class _Float(float):
    path: Pointer


def _with_path(value: object, path: Pointer) -> Any:
    """A copy that knows its path; booleans, null and foreign objects cannot be told apart and stay as they are."""
    result: Any
    if type(value) is dict:
        result = _Dict({_with_path(k, (*path, k)): _with_path(v, (*path, k)) for k, v in value.items()})
    elif type(value) is list:
        result = _List(_with_path(v, (*path, i)) for i, v in enumerate(value))
    elif type(value) is tuple:
        result = _Tuple(_with_path(v, (*path, i)) for i, v in enumerate(value))
    elif type(value) in _SCALARS:
        result = _SCALARS[type(value)](value)
    else:
        return value
    result.path = path
    return result


def _path_of(value: object) -> Pointer | None:
    return value.path if isinstance(value, _Dict | _List | _Tuple | _Str | _Int | _Float) else None


_SCALARS: Final[dict[type, Callable[[Any], Any]]] = {str: _Str, int: _Int, float: _Float}


# ---------------------------------------------------------------- the environment that notes

_START, _HOLE, _NAME = "trace start", "trace hole", "trace name"


class _Notes:
    """What the render at hand has read since its last `{{`, and every hole so far."""

    def __init__(self, variables: Mapping[str, object]) -> None:
        self.variables = variables
        self.reads: list[tuple[Pointer, object]] = []
        self.current = HoleSource(0, TemplateLine("", 1), (), False)
        self.holes: list[HoleSource] = []

    def read(self, path: Pointer, value: object) -> None:
        self.reads.append((path, value))

    def finish(self, value: object, at: TemplateLine) -> None:
        path = _path_of(value)
        if path is not None:
            self.current = HoleSource(0, at, (path,), True)
        elif self.reads and self.reads[-1][1] is value:
            self.current = HoleSource(0, at, (self.reads[-1][0],), True)
        else:
            self.current = HoleSource(0, at, _longest([path for path, _ in self.reads]), False)


def _longest(paths: list[Pointer]) -> tuple[Pointer, ...]:
    """Without repetitions and without those that only lead to another."""
    unique = list(dict.fromkeys(paths))
    return tuple(p for p in unique if not any(o != p and o[: len(p)] == p for o in unique))


class _NotingMixin(ShapeEnvironmentBase):
    notes: _Notes
    template_names: list[str]

    def note(self, recorder: Recorder, variables: Mapping[str, object]) -> None:
        """Start noting one render."""
        self.notes = _Notes(variables)
        self.template_names = []
        self.filters = {**self.filters, _START: _start, _HOLE: _hole, _NAME: _name}
        inner = self.finalize
        assert inner is not None

        @jinja2.pass_context
        def finalize(context: Context, value: object) -> object:
            before = len(recorder.values)
            text = inner(context, value)
            if len(recorder.values) > before:
                source = self.notes.current
                self.notes.holes.append(HoleSource(before, source.at, source.reads, source.is_exact))
                number = self.template_names.index(source.at.name)
                return f"{LINE_OPEN}{number}:{source.at.line}{LINE_CLOSE}{text}"
            return text

        self.finalize = finalize

    def getattr(self, obj: Any, attribute: str) -> Any:
        if isinstance(obj, _Dict) and attribute in obj:
            return self._noted(obj, attribute, obj[attribute])
        return self._noted(obj, attribute, super().getattr(obj, attribute))

    def getitem(self, obj: Any, argument: Any) -> Any:
        return self._noted(obj, argument, super().getitem(obj, argument))

    def _noted(self, obj: Any, step: Any, value: Any) -> Any:
        path = _path_of(value)
        if path is not None:
            self.notes.read(path, value)
        elif isinstance(obj, _Dict | _List | _Tuple) and isinstance(value, bool | None):
            self.notes.read((*obj.path, int(step) if isinstance(step, int) else str(step)), value)
        return value

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        self.template_names.append(name or "")
        marker = _Marker(name or "", len(self.template_names) - 1)
        tree: nodes.Template = marker.visit(super()._parse(source, name, filename))
        return tree


class _NotingTrusted(_NotingMixin, ShapeEnvironment):
    pass


class _NotingSandbox(_NotingMixin, SandboxEnvironment):
    pass


class _Marker(NodeTransformer):
    """Wraps what `{{ }}` evaluates, and marks every line of the template's own text."""

    def __init__(self, name: str, number: int) -> None:
        self._name = name
        self._number = number

    def visit_Output(self, node: nodes.Output) -> nodes.Output:
        node.nodes = [self._data(n) if isinstance(n, nodes.TemplateData) else self._expression(n) for n in node.nodes]
        return node

    def _data(self, node: nodes.TemplateData) -> nodes.TemplateData:
        lines = node.data.split("\n")
        marked = "\n".join(
            f"{LINE_OPEN}{self._number}:{node.lineno + i}{LINE_CLOSE}{line}" for i, line in enumerate(lines)
        )
        return nodes.TemplateData(marked, lineno=node.lineno)

    def _expression(self, node: nodes.Expr) -> nodes.Expr:
        line = node.lineno
        start = nodes.Filter(nodes.Const(None, lineno=line), _START, [], [], None, None, lineno=line)
        both = nodes.Tuple([start, _NameNoter().visit(node)], "load", lineno=line)
        place: list[nodes.Expr] = [nodes.Const(self._name, lineno=line), nodes.Const(line, lineno=line)]
        return nodes.Filter(both, _HOLE, place, [], None, None, lineno=line)


class _NameNoter(NodeTransformer):
    def visit_Name(self, node: nodes.Name) -> nodes.Expr:
        if node.ctx != "load":
            return node
        name: list[nodes.Expr] = [nodes.Const(node.name, lineno=node.lineno)]
        return nodes.Filter(node, _NAME, name, [], None, None, lineno=node.lineno)


def _notes(context: Context) -> _Notes:
    environment = context.environment
    assert isinstance(environment, _NotingMixin)
    return environment.notes


@jinja2.pass_context
def _start(context: Context, _value: object) -> None:
    _notes(context).reads.clear()


@jinja2.pass_context
def _hole(context: Context, both: tuple[None, object], name: str, line: int) -> object:
    _notes(context).finish(both[1], TemplateLine(name, line))
    return both[1]


@jinja2.pass_context
def _name(context: Context, value: object, name: str) -> object:
    notes = _notes(context)
    path = _path_of(value)
    if path is not None:
        notes.read(path, value)
    elif isinstance(value, bool | None) and name in notes.variables and notes.variables[name] is value:
        notes.read((name,), value)
    return value


# ---------------------------------------------------------------- the way in


class Tracer:
    """Renders one template while noting."""

    def __init__(self, sources: Sources, *, sandboxed: bool) -> None:
        self._sources = sources
        self._is_sandboxed = sandboxed

    def _render(self, name: str, variables: Mapping[str, object]) -> tuple[str, list[object], _NotingMixin]:
        """The skeleton with line marks, the values, and the environment with its notes."""
        recorder = Recorder()
        kind = _NotingSandbox if self._is_sandboxed else _NotingTrusted
        environment: _NotingMixin = kind(SourceLoader(self._sources.texts, frozenset()), recorder.finalize)
        environment.note(recorder, variables)
        template = environment.get_template(name)
        tracked = {key: _with_path(value, (key,)) for key, value in variables.items()}
        marked = "".join(template.root_render_func(template.new_context(tracked)))
        return marked, recorder.values, environment

    def lines(self, name: str, variables: Mapping[str, object]) -> LineMap:
        """Which template line wrote which line of the skeleton."""
        marked, _, environment = self._render(name, variables)
        return LineMap(marked, environment.template_names)

    def trace(self, name: str, variables: Mapping[str, object]) -> Trace:
        """Everything about one render that succeeds.

        Raises what rendering raises, and `SkeletonError`.
        """
        marked, values, environment = self._render(name, variables)
        line_map = LineMap(marked, environment.template_names)
        places: list[Places] = []
        trees = read_skeleton(_LINE_MARK.sub("", marked), places)
        documents = [
            DocumentTrace(_lines_of(table, line_map, values), _holes_of(Shape(tree, len(values)), values))
            for tree, table in zip(trees, places, strict=True)
        ]
        return Trace(tuple(environment.notes.holes), tuple(documents))


def _lines_of(table: Places, line_map: LineMap, values: list[object]) -> dict[Pointer, TemplateLine]:
    return {_filled(path, values): line_map.at(line) for path, line in table.items()}


def _filled(path: tuple[Key | int, ...], values: list[object]) -> Pointer:
    plain = [_plain(value) for value in values]
    return tuple(filled_key(step, plain) for step in path)


def _plain(value: object) -> object:
    """A value without its path, as far as keys need it."""
    for plain, tracked in ((str, _Str), (int, _Int), (float, _Float)):
        if type(value) is tracked:
            return plain(value)
    return value


def _holes_of(shape: Shape, values: list[object]) -> dict[Pointer, tuple[int, ...]]:
    holes: dict[Pointer, tuple[int, ...]] = {}
    for path, node in shape.leaves():
        indexes = _indexes(node)
        if indexes:
            holes[_filled(path, values)] = indexes
        for depth, step in enumerate(path):
            if isinstance(step, Hole | Joined):
                holes.setdefault(_filled(path[: depth + 1], values), _indexes(step))
    return holes


def _indexes(node: object) -> tuple[int, ...]:
    if isinstance(node, Hole):
        return (node.index,)
    if isinstance(node, Joined):
        return tuple(part.index for part in node.parts if isinstance(part, Hole))
    return ()
