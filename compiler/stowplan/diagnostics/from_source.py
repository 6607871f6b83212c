"""Word the problems that reading a file turned up: `source.problems` to diagnostics SP01xx."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Final

from stowplan.diagnostics.model import Applicability, Diagnostic, Label, Suggestion, error
from stowplan.source.problems import Problem, ProblemKind
from stowplan.source.span import Span

__all__ = ["diagnose_problem", "diagnose_problems"]

_LONGEST_QUOTE: Final = 60

_SYNTAX_HELPS: Final = {
    "found character that cannot start any token": "indent with spaces, and quote text that starts with a special "
    "character",
    "mapping values are not allowed in this context": "quote text that contains `: `, or check the indentation",
    "did not find expected key": "check the indentation of this line and of the lines above it",
    "could not find expected ':'": "write `key: value`, or quote the text",
    "found unknown escape character": "use single quotes, or write the backslash twice",
    "did not find expected alphabetic or numeric character": "quote text that starts with `*` or `&`",
}


def diagnose_problems(problems: Iterable[Problem]) -> tuple[Diagnostic, ...]:
    """One diagnostic for each problem, in the order given."""
    return tuple(diagnose_problem(problem) for problem in problems)


def diagnose_problem(problem: Problem) -> Diagnostic:
    """The diagnostic that says what a problem means and what to do about it."""
    return _WORDINGS[problem.kind](problem)


def _invalid_yaml(problem: Problem) -> Diagnostic:
    what, context = problem.details
    helps = [_SYNTAX_HELPS[what]] if what in _SYNTAX_HELPS else []
    related = [Label(problem.related, context)] if problem.related else []
    notes = [f"the reader stopped {context}"] if context and not related else []
    return _at(problem, "SP0101", f"invalid YAML: {what}", secondary=related, notes=notes, helps=helps)


def _duplicate_key(problem: Problem) -> Diagnostic:
    key = _quote(problem.value)
    first = [Label(problem.related, "first stated here")] if problem.related else []
    return _at(
        problem, "SP0102", f"duplicate key {key}", "stated again", secondary=first,
        notes=["readers of YAML differ in which of the two they keep"], helps=["keep one of the two"],
    )  # fmt: skip


def _unsupported_tag(problem: Problem) -> Diagnostic:
    helps = ["remove the tag; put text that must stay text in quotes"]
    return _at(problem, "SP0103", f"unsupported YAML tag {_quote(problem.value)}", helps=helps)


def _ambiguous(problem: Problem) -> Diagnostic:
    old, new, kubernetes = problem.details
    values = f"{old} in YAML 1.1, {new} in YAML 1.2, {kubernetes} to Kubernetes"
    helps, suggestions = ["quote it if it is text"], _quoting(problem)
    if problem.value.lower() in _SWITCHES:
        helps = [f"quote it if it is text; write `{_SWITCHES[problem.value.lower()]}` if it is a boolean"]
    elif number := next(filter(None, map(_number_in, (new, kubernetes, old))), ""):
        helps = [f"quote it if it is text; write `{number}` if it is a number"]
    return _at(
        problem, "SP0104", f"ambiguous plain scalar {_quote(problem.value)}", "read in different ways",
        notes=[values], helps=helps, suggestions=suggestions,
    )  # fmt: skip


_SWITCHES: Final = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}


def _number_in(reading: str) -> str:
    """The number that a reading such as `the integer 10` names, or nothing."""
    kind, _, number = reading.rpartition(" ")
    return number if kind in ("the integer", "the number") else ""


def _quoting(problem: Problem) -> list[Suggestion]:
    if problem.at is None or len(problem.value) > _LONGEST_QUOTE:
        return []
    return [Suggestion(problem.at, json.dumps(problem.value, ensure_ascii=False), Applicability.UNSAFE)]


def _invalid_encoding(problem: Problem) -> Diagnostic:
    what = problem.details[0]
    if what == "bytes":
        return _at(problem, "SP0106", f"bytes {_quote(problem.value)} are not UTF-8", "from here on", helps=[_SAVE])
    if what == "mark":
        return _at(problem, "SP0106", "file starts with a byte order mark", helps=[f"{_SAVE}, without a mark"])
    return _at(problem, "SP0106", f"file is {what}, not UTF-8", helps=[_SAVE])


_SAVE: Final = "save the file as UTF-8"


def _forbidden_character(problem: Problem) -> Diagnostic:
    code = int(problem.value[2:], 16)
    helps = ["remove it, or write it as an escape in a double-quoted string"]
    if code in (0xE000, 0xE001):
        notes = ["the template engine uses this character as a mark"]
        helps = ["remove it"]
    elif code in (0x85, 0x2028, 0x2029):
        notes = ["YAML 1.1 ends a line here, YAML 1.2 and editors do not"]
    elif 0x202A <= code <= 0x2069:
        notes = ["it changes the order in which text is shown, so that a reviewer reads something else"]
    else:
        notes = ["it cannot be seen, or YAML does not allow it"]
    return _at(problem, "SP0107", f"forbidden character {problem.value}", notes=notes, helps=helps)


def _non_string_key(problem: Problem) -> Diagnostic:
    kind = problem.details[0]
    if not problem.value and kind != "null":
        return _at(problem, "SP0108", f"mapping key is {kind}", helps=["keys are strings"])
    shown = _quote(problem.value) if problem.value else "without text"
    return _at(problem, "SP0108", f"mapping key {shown} is {kind}, not a string", helps=["put the key in quotes"],
               suggestions=_quoting(problem))  # fmt: skip


def _merge_key(problem: Problem) -> Diagnostic:
    return _at(
        problem, "SP0109", "merge keys are not supported",
        notes=["YAML 1.2 has no merge keys: `<<` is a key like any other there"],
        helps=["write the entries out, or move what is shared into an object that others name"],
    )  # fmt: skip


def _alias(problem: Problem) -> Diagnostic:
    if problem.details == ("recursive",):
        return _at(problem, "SP0110", f"alias {_quote('*' + problem.value)} stands inside what it refers to")
    helps = [f"define `&{_short(problem.value)}` earlier in the same document, or quote the text"]
    return _at(problem, "SP0110", f"undefined alias {_quote('*' + problem.value)}", helps=helps)


def _number(problem: Problem) -> Diagnostic:
    helps = ["quote it if it is text"]
    return _at(problem, "SP0111", f"{_quote(problem.value)} is {problem.details[0]}", helps=helps,
               suggestions=_quoting(problem))  # fmt: skip


def _too_large(problem: Problem) -> Diagnostic:
    *have, most = problem.details
    message = {
        "file": f"file of {have[0] if have else ''} is too large",
        "files": "too many input files",
        "workspace": "input files are too large together",
        "depth": "document is nested too deeply",
        "aliases": "too many aliases",
        "expanded aliases": "document grows too large when its aliases are followed",
        "values": "too many values in one file",
    }[problem.value]
    return _at(problem, "SP0112", message, notes=[f"the limit is {most}; what follows was not read"])


def _unusable_file(problem: Problem) -> Diagnostic:
    return _at(problem, "SP0113", f"cannot use {_quote(problem.value)}: it is {problem.details[0]}")


def _too_many(problem: Problem) -> Diagnostic:
    return _at(problem, "SP0115", f"{problem.details[0]} in this file, the rest of it was not judged")


def _at(
    problem: Problem,
    code: str,
    message: str,
    label: str = "",
    *,
    secondary: Iterable[Label] = (),
    notes: Iterable[str] = (),
    helps: Iterable[str] = (),
    suggestions: Iterable[Suggestion] = (),
) -> Diagnostic:
    subject = None if problem.at else problem.path
    at: Span | None = problem.at
    return error(
        code, message, at, label, secondary=secondary, notes=notes, helps=helps, suggestions=suggestions,
        subject=subject,
    )  # fmt: skip


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else f"{text[: _LONGEST_QUOTE - 3]}..."


def _quote(text: str) -> str:
    return f"`{_short(text)}`"


_WORDINGS: Final[dict[ProblemKind, Callable[[Problem], Diagnostic]]] = {
    ProblemKind.INVALID_YAML: _invalid_yaml,
    ProblemKind.DUPLICATE_KEY: _duplicate_key,
    ProblemKind.UNSUPPORTED_TAG: _unsupported_tag,
    ProblemKind.AMBIGUOUS_SCALAR: _ambiguous,
    ProblemKind.INVALID_ENCODING: _invalid_encoding,
    ProblemKind.FORBIDDEN_CHARACTER: _forbidden_character,
    ProblemKind.NON_STRING_KEY: _non_string_key,
    ProblemKind.MERGE_KEY: _merge_key,
    ProblemKind.ALIAS: _alias,
    ProblemKind.NUMBER: _number,
    ProblemKind.TOO_LARGE: _too_large,
    ProblemKind.UNUSABLE_FILE: _unusable_file,
    ProblemKind.TOO_MANY_PROBLEMS: _too_many,
}
