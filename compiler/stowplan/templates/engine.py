"""Render templates to shapes and values, and so to objects and canonical text."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Collection, Mapping
from hashlib import blake2b
from typing import Any, Final

from jinja2 import meta
from jinja2.runtime import Context

from stowplan.diagnostics.model import Diagnostic, Outcome
from stowplan.source.span import Origin
from stowplan.source.yaml_writer import WriteError
from stowplan.templates.environment import Recorder, ShapeEnvironment, ShapeEnvironmentBase, SourceLoader
from stowplan.templates.faults import RENDER_ERRORS, explain_fill_error, explain_render_error, explain_skeleton
from stowplan.templates.fill import FillError
from stowplan.templates.marks import MARK
from stowplan.templates.sandbox import SandboxEnvironment
from stowplan.templates.shape import Hole, Shape
from stowplan.templates.skeleton import SkeletonError, read_skeleton
from stowplan.templates.sources import Sources, TemplateLine
from stowplan.templates.trace import Trace, Tracer

__all__ = ["Rendered", "TemplateSet"]

_KEPT_SKELETONS: Final = 10_000  # a table that is full is emptied
_KEPT_RENDERS: Final = 100_000
_MARSHAL_VERSION: Final = 2  # the last one whose bytes follow from the value alone

_Root = tuple[Callable[[Context], Any], Callable[..., Context], SandboxEnvironment | None]


class Rendered:
    """One document of a template's output: its shape, its values and its canonical text.

    `values` belongs to all documents of one render; `shape` knows which of them stand in this one.
    """

    __slots__ = ("_object", "name", "shape", "text", "values")

    def __init__(self, name: str, shape: Shape, values: tuple[object, ...]) -> None:
        self.name = name
        self.shape = shape
        self.values = values
        self.text: str = shape.text(values)
        self._object: Any = None

    @property
    def object(self) -> Any:
        """The document as plain data, made when first asked for; `text` is its canonical form."""
        if self._object is None:
            self._object = self.shape.build(self.values)
        return self._object

    def __repr__(self) -> str:
        return f"Rendered({self.name!r}, {self.object!r})"


class TemplateSet:
    """All templates of one compile, by name; one render at a time.

    `sources` maps names to text. Names in `sandboxed` (those of the workspace) run in the sandbox, and so does any
    template that refers to one of them. `paths` says how diagnostics name a template's file, where it is not its name.

    What `{{ }}` yields is data: `None` is null, lists and mappings stand as they are, `omit` removes the entry.
    """

    def __init__(
        self,
        sources: Mapping[str, str],
        *,
        sandboxed: Collection[str] = (),
        paths: Mapping[str, str] | None = None,
    ) -> None:
        self._sources = Sources(dict(sources), dict(paths or {}))
        self._sandboxed = frozenset(sandboxed)
        self._recorder = Recorder()
        self._values = self._recorder.values
        self._trusted = ShapeEnvironment(SourceLoader(sources, self._sandboxed), self._recorder.finalize)
        self._sandbox = SandboxEnvironment(SourceLoader(sources, frozenset()), self._recorder.finalize)
        self._roots: dict[str, _Root] = {}
        self._shapes: dict[str, tuple[int, tuple[Shape, ...]]] = {}
        self._known: dict[tuple[str, bytes], Outcome[tuple[Rendered, ...]]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Every template's name, sorted."""
        return tuple(sorted(self._sources.texts))

    @property
    def n_shapes(self) -> int:
        """How many skeletons have been seen."""
        return len(self._shapes)

    def render(self, name: str, variables: Mapping[str, object]) -> Outcome[tuple[Rendered, ...]]:
        """The documents that the template yields for these variables; none, and a diagnostic, where it fails.

        Equal variables give the very same documents, so that what follows from them need not be worked out again.
        """
        key = (name, _digest(variables))
        known = self._known.get(key)
        if known is None:
            known = self._render(name, variables)
            if key[1] and known.value:
                if len(self._known) >= _KEPT_RENDERS:
                    self._known.clear()
                self._known[key] = known
        return known

    def _render(self, name: str, variables: Mapping[str, object]) -> Outcome[tuple[Rendered, ...]]:
        try:
            root = self._roots.get(name) or self._load(name)
            skeleton = self._skeleton(root, variables)
        except RENDER_ERRORS as problem:
            return Outcome((), (explain_render_error(self._sources, name, problem, variables),))
        known = self._shapes.get(skeleton)
        if known is None:
            try:
                known = self._learn(skeleton)
            except SkeletonError as problem:
                return Outcome((), (self._explain_skeleton(name, variables, problem),))
        n_holes, shapes = known
        values = tuple(self._values)
        if len(values) > n_holes:  # made by a block or macro whose text was not used
            values = values[:n_holes]
        try:
            return Outcome(tuple([Rendered(name, shape, values) for shape in shapes]))
        except (FillError, WriteError) as problem:
            return Outcome((), (self._explain_fill(name, variables, shapes, values, problem),))

    def trace(self, name: str, variables: Mapping[str, object]) -> Outcome[Trace | None]:
        """Where everything in the output came from; renders once more, slowly, for `explain`."""
        try:
            return Outcome(self._tracer(name).trace(name, variables))
        except RENDER_ERRORS as problem:
            return Outcome(None, (explain_render_error(self._sources, name, problem, variables),))
        except SkeletonError as problem:
            return Outcome(None, (self._explain_skeleton(name, variables, problem),))

    def origin(self, place: TemplateLine) -> Origin | None:
        """A line of a template of the workspace; None in those that come with the compiler, which no user can edit."""
        return Origin.of_text(self._sources.at(place)) if place.name in self._sandboxed else None

    def check(self, name: str) -> tuple[Diagnostic, ...]:
        """What is wrong with a template without rendering it."""
        try:
            self._load(name)
        except RENDER_ERRORS as problem:
            return (explain_render_error(self._sources, name, problem, {}),)
        return ()

    def _skeleton(self, root: _Root, variables: Mapping[str, object]) -> str:
        render, new_context, sandbox = root
        self._values.clear()
        if sandbox is None:
            return "".join(render(new_context(variables)))
        sandbox.start()
        pieces = []
        for piece in render(new_context(variables)):
            sandbox.budget.write(piece)
            pieces.append(piece)
        return "".join(pieces)

    def _load(self, name: str) -> _Root:
        is_sandboxed = self._needs_sandbox(name)
        environment: ShapeEnvironmentBase = self._sandbox if is_sandboxed else self._trusted
        self._sandbox.start()
        template = environment.get_template(name)
        root: _Root = (template.root_render_func, template.new_context, self._sandbox if is_sandboxed else None)
        self._roots[name] = root
        return root

    def _needs_sandbox(self, name: str) -> bool:
        """Whether the template, or any that it names, is the workspace's."""
        seen: set[str] = set()
        waiting = [name]
        while waiting and self._sandboxed:
            one = waiting.pop()
            if one in self._sandboxed:
                return True
            if one in seen or one not in self._sources.texts:
                continue
            seen.add(one)
            tree = self._trusted.parse(self._sources.texts[one], one)
            waiting.extend(other for other in meta.find_referenced_templates(tree) if other is not None)
        return False

    def _learn(self, skeleton: str) -> tuple[int, tuple[Shape, ...]]:
        n_holes = max((int(found[1]) + 1 for found in MARK.finditer(skeleton)), default=0)
        trees = read_skeleton(skeleton)
        if not all(isinstance(tree, dict | Hole) for tree in trees):
            raise SkeletonError("a document must be a mapping", 0)
        if len(self._shapes) >= _KEPT_SKELETONS:
            self._shapes.clear()
        known = self._shapes[skeleton] = n_holes, tuple(Shape(tree, n_holes) for tree in trees)
        return known

    def _tracer(self, name: str) -> Tracer:
        return Tracer(self._sources, sandboxed=self._needs_sandbox(name))

    def _explain_skeleton(self, name: str, variables: Mapping[str, object], problem: SkeletonError) -> Diagnostic:
        return explain_skeleton(self._sources, name, problem, self._tracer(name).lines(name, variables))

    def _explain_fill(
        self,
        name: str,
        variables: Mapping[str, object],
        shapes: tuple[Shape, ...],
        values: tuple[object, ...],
        problem: FillError | WriteError,
    ) -> Diagnostic:
        try:
            trace = self._tracer(name).trace(name, variables)
        except (*RENDER_ERRORS, SkeletonError):
            trace = None
        return explain_fill_error(self._sources, name, problem, [shape.tree for shape in shapes], values, trace)


def _digest(variables: Mapping[str, object]) -> bytes:
    """Equal digests mean equal plain data, types and order included; empty where the variables are something else."""
    try:
        content = marshal.dumps(dict(variables), _MARSHAL_VERSION)
    except ValueError:
        return b""
    return blake2b(content, digest_size=16).digest()
