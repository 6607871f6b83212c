"""Turn what goes wrong in a template into diagnostics at the template's own line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from types import TracebackType
from typing import Final

from jinja2.environment import Template
from jinja2.exceptions import SecurityError, TemplateError, TemplateNotFound, TemplateSyntaxError
from jinja2.utils import missing

from stowplan.diagnostics.model import Diagnostic, Label, error
from stowplan.source.span import Pointer, format_pointer
from stowplan.source.yaml_writer import WriteError, fragment
from stowplan.templates.environment import MissingError
from stowplan.templates.fill import FillError, part_text
from stowplan.templates.marks import MarkedTextError
from stowplan.templates.sandbox import LimitError
from stowplan.templates.skeleton import Hole, Joined, Node, SkeletonError
from stowplan.templates.sources import Sources
from stowplan.templates.trace import LineMap, Trace

__all__ = ["RENDER_ERRORS", "explain_fill_error", "explain_render_error", "explain_skeleton"]

RENDER_ERRORS: Final = (
    TemplateError,
    LimitError,
    TypeError,
    ValueError,
    ArithmeticError,
    LookupError,
    AttributeError,
    RecursionError,
    SyntaxError,
    MemoryError,
)
"""What a template can raise, whatever is written in it."""


def _template_frames(problem: BaseException) -> Iterator[tuple[str, int]]:
    """Name and line of every template that the error passed through, outermost first."""
    step: TracebackType | None = problem.__traceback__
    while step is not None:
        template = step.tb_frame.f_globals.get("__jinja_template__")
        if isinstance(template, Template) and template.name is not None:
            yield template.name, template.get_corresponding_lineno(step.tb_lineno)
        step = step.tb_next


def explain_render_error(
    sources: Sources, name: str, problem: BaseException, variables: Mapping[str, object]
) -> Diagnostic:
    """The diagnostic for anything of `RENDER_ERRORS`."""
    if isinstance(problem, TemplateSyntaxError):
        at = sources.span(problem.name or name, problem.lineno)
        return error("SP0711", f"template syntax: {_lower(problem.message or 'not understood')}", at)
    frames = list(_template_frames(problem)) or [(name, 1)]
    where, line = frames[-1]
    callers = [
        Label(sources.span(*frame), "used from here") for frame in dict.fromkeys(frames[:-1]) if frame != frames[-1]
    ]
    code, message, word, helps = _describe(problem, variables)
    return error(code, message, sources.span(where, line, word), secondary=callers, helps=helps)


def _lower(message: str) -> str:
    message = message.rstrip(".")
    return message[:1].lower() + message[1:] if message[1:2].islower() else message


def _describe(problem: BaseException, variables: Mapping[str, object]) -> tuple[str, str, str | None, tuple[str, ...]]:
    """Code, message, the word to point at, and helps."""
    if isinstance(problem, MissingError):
        return _describe_missing(problem, variables)
    if isinstance(problem, SecurityError):
        return "SP0717", f"not available to a workspace's template: {_lower(str(problem))}", None, ()
    if isinstance(problem, LimitError | RecursionError | MemoryError):
        reason = str(problem) if isinstance(problem, LimitError) else "the template calls or nests too deeply"
        return "SP0716", reason, None, ("templates format; move the work into the input",)
    if isinstance(problem, TemplateNotFound):
        return "SP0718", f"there is no template `{problem.name}`", str(problem.name), ()
    if isinstance(problem, MarkedTextError):
        helps = ("use the values themselves: `{{ value | filter }}` instead of filtering what a macro wrote",)
        return "SP0719", str(problem), None, helps
    if isinstance(problem, TemplateError):
        return "SP0713", f"template: {_lower(problem.message or str(problem))}", None, ()
    return "SP0713", f"the expression fails: {_lower(str(problem)) or type(problem).__name__}", None, ()


def _describe_missing(
    problem: MissingError, variables: Mapping[str, object]
) -> tuple[str, str, str | None, tuple[str, ...]]:
    name = str(problem.name)
    if problem.holder is missing:
        known, message = list(variables), f"the template uses `{name}`, which is not defined"
    else:
        known = [str(key) for key in problem.holder] if isinstance(problem.holder, dict) else []
        message = f"the template uses the field `{name}`, which {_what(problem.holder)} does not have"
    close = get_close_matches(name, known, 1)
    helps = [f"did you mean `{close[0]}`?"] if close else []
    if known and not close:
        helps.append("known here: " + ", ".join(f"`{key}`" for key in sorted(known)[:10]))
    return "SP0712", message, name, tuple(helps)


def _what(holder: object) -> str:
    names: dict[type, str] = {dict: "the mapping", list: "the list", str: "the string"}
    return names.get(type(holder), f"a {type(holder).__name__}")


def explain_skeleton(sources: Sources, name: str, problem: SkeletonError, lines: LineMap) -> Diagnostic:
    """The template's text is not YAML, or ambiguous YAML."""
    return error(
        "SP0714", str(problem), sources.at(lines.at(problem.line)), helps=problem.helps, subject=f"template {name}"
    )


def explain_fill_error(
    sources: Sources,
    name: str,
    problem: FillError | WriteError,
    trees: Sequence[Node],
    values: Sequence[object],
    trace: Trace | None,
) -> Diagnostic:
    """A value cannot stand where the template puts it; the hole is looked for by trying each."""
    index = next((found for tree in trees for found in _bad_holes(tree, values)), None)
    if index is None or trace is None or index >= len(trace.holes):
        return error("SP0715", str(problem), sources.span(name, 1), subject=f"template {name}")
    source = trace.holes[index]
    notes = [f"the value is that of `{format_pointer(path)}`" for path in source.reads]
    return error("SP0715", str(problem), sources.at(source.at, _word(source.reads)), notes=notes)


def _word(reads: tuple[Pointer, ...]) -> str | None:
    """The last name of what was read: most likely how the template spells it."""
    names = [step for step in (reads[0] if reads else ()) if isinstance(step, str)]
    return names[-1] if names else None


def _bad_holes(node: object, values: Sequence[object]) -> Iterator[int]:
    """Holes that cannot be filled, and the later one of two keys that are the same."""
    if isinstance(node, Hole):
        if not _can(fragment, values[node.index], 0):
            yield node.index
    elif isinstance(node, Joined):
        yield from (p.index for p in node.parts if isinstance(p, Hole) and not _can(part_text, values[p.index]))
    elif isinstance(node, list):
        for item in node:
            yield from _bad_holes(item, values)
    elif isinstance(node, dict):
        yield from _bad_keys(node, values)
        for item in node.values():
            yield from _bad_holes(item, values)


def _bad_keys(node: Mapping[object, object], values: Sequence[object]) -> Iterator[int]:
    seen: set[str] = set()
    for key in node:
        parts = key.parts if isinstance(key, Joined) else (key,)
        holes = [part.index for part in parts if isinstance(part, Hole)]
        bad = [index for index in holes if not _can(part_text, values[index])]
        yield from bad
        if bad:
            continue
        text = "".join(part_text(values[part.index]) if isinstance(part, Hole) else str(part) for part in parts)
        if holes and (text in seen or len(text) > 900):
            yield holes[0]
        seen.add(text)


def _can(function: object, *arguments: object) -> bool:
    try:
        function(*arguments)  # type: ignore[operator]
    except (FillError, WriteError):
        return False
    return True
