"""The Jinja2 environment whose `{{ }}` records values and writes marks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import jinja2
from jinja2.exceptions import SecurityError, TemplateNotFound, UndefinedError
from jinja2.runtime import Context, StrictUndefined, Undefined
from jinja2.utils import missing

from stowplan.templates.marks import CLOSE, FORBIDDEN, OMIT, OMIT_MARK, OPEN, MarkedText, MarkedTextError

__all__ = ["Missing", "MissingError", "Recorder", "ShapeEnvironment", "ShapeEnvironmentBase"]

_MARKS_MADE_AHEAD = 64
_NOT_DETERMINISTIC = ("random",)


class MissingError(UndefinedError):
    """A template used a name or a field that does not exist."""

    def __init__(self, missing_value: Missing, message: str) -> None:
        super().__init__(message)
        self.name = missing_value._undefined_name
        self.holder = missing_value._undefined_obj


class Missing(StrictUndefined):
    """What Jinja2 puts in place of a name or field that does not exist; any use but `is defined` or `default` fails."""

    __slots__ = ()

    def __init__(
        self,
        hint: str | None = None,
        obj: Any = missing,
        name: str | None = None,
        exc: type[Exception] = UndefinedError,
    ) -> None:
        raised = exc if issubclass(exc, SecurityError) else partial(MissingError, self)
        super().__init__(hint, obj, name, raised)  # type: ignore[arg-type]

    def fail(self) -> None:
        """Raise the error that any use raises."""
        self._fail_with_undefined_error()


class Recorder:
    """The values of the render at hand, in the order of their marks. One render at a time."""

    __slots__ = ("finalize", "values")

    def __init__(self) -> None:
        self.values: list[object] = []
        self.finalize = _make_finalize(self.values)


def _make_finalize(values: list[object]) -> Callable[[Context, object], str]:
    marks = [f"{OPEN}{i}{CLOSE}" for i in range(_MARKS_MADE_AHEAD)]

    @jinja2.pass_context  # depends on the context, so Jinja2 never runs it while compiling
    def finalize(_context: Context, value: object) -> str:
        kind = type(value)
        if kind is str:
            if OPEN in value:  # type: ignore[operator]
                raise MarkedTextError("this text holds the output of a macro or block, or a reserved character")
        elif kind is MarkedText:
            return value  # type: ignore[return-value]
        elif value is OMIT:
            return OMIT_MARK
        elif isinstance(value, Undefined):
            value._fail_with_undefined_error()
        index = len(values)
        values.append(value)
        if index >= len(marks):
            marks.extend(f"{OPEN}{i}{CLOSE}" for i in range(len(marks), 2 * index + 1))
        return marks[index]

    return finalize


def join_marked(parts: Iterable[str]) -> MarkedText:
    """What macros and blocks collect, known to be template text and no value."""
    return MarkedText("".join(parts))


class SourceLoader(jinja2.BaseLoader):
    """Templates from a mapping, some of them out of reach."""

    def __init__(self, sources: Mapping[str, str], withheld: frozenset[str]) -> None:
        self._sources = sources
        self._withheld = withheld

    def get_source(
        self,
        environment: jinja2.Environment,  # noqa: ARG002
        template: str,
    ) -> tuple[str, str | None, Callable[[], bool]]:
        """The text of one template; marks in it are refused before anything is compiled."""
        if template not in self._sources or template in self._withheld:
            raise TemplateNotFound(template)
        source = self._sources[template]
        if found := FORBIDDEN.search(source):
            line = source.count("\n", 0, found.start()) + 1
            raise jinja2.TemplateSyntaxError(
                "a character of the private use area that is kept for values", line, template
            )
        return source, template, lambda: True

    def list_templates(self) -> list[str]:
        """Every name that can be loaded."""
        return sorted(name for name in self._sources if name not in self._withheld)


class ShapeEnvironmentBase(jinja2.Environment):
    """What the trusted and the sandboxed environment share."""

    concat: Any = staticmethod(join_marked)

    def __init__(self, loader: jinja2.BaseLoader, finalize: Callable[..., object]) -> None:
        super().__init__(
            loader=loader,
            undefined=Missing,
            finalize=finalize,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            autoescape=False,
            auto_reload=False,
            cache_size=-1,
        )
        self.globals = {name: self.globals[name] for name in ("range", "dict", "namespace")}
        self.globals["omit"] = OMIT
        for name in _NOT_DETERMINISTIC:
            self.filters.pop(name, None)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """A field of a mapping is its entry, even where dict has a method of that name (`items`, `values`)."""
        if type(obj) is dict and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)


class ShapeEnvironment(ShapeEnvironmentBase):
    """For the built-in templates."""
