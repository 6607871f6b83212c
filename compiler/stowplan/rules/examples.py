r"""Run the examples of a rule's page: the wrong one must be reported where it says so, the right one must be clean.

A block whose info string is `yaml PATH` is the file PATH of the workspace that the example is laid over. A comment
`# error` at the end of a line says that the rule's code is reported on that line; it is not part of the file.
`# error, SPnnnn` says that the other code is reported as well. For the reasons of the plan `# reason` marks the lines of the facts that disagree. In a block with the option `escaped`, `\xNN`
stands for a byte and `\uNNNN` for a character. A block with the option `before` is a file of an earlier revision.
A block whose path begins with `rendered/` is a file of the tree as it lies there, in place of what the earlier revision wrote; what is
reported of it has no place, so that a mark in it says only that the code is reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from stowplan.diagnostics.from_source import diagnose_problems
from stowplan.diagnostics.model import Diagnostic, Severity
from stowplan.diagnostics.placed import place_all
from stowplan.diagnostics.suppression import apply_suppressions
from stowplan.model.eligibility import Reason
from stowplan.rules.model import Stage
from stowplan.rules.page import Block, Page
from stowplan.rules.registry import REGISTRY
from stowplan.source.files import SourceTree

__all__ = [
    "RENDERED",
    "CompileOverlay",
    "ExampleFile",
    "PlanOverlay",
    "check_examples",
    "earlier_files",
    "example_files",
    "read_overlay",
]

CompileOverlay = Callable[[dict[str, str]], Iterable[Diagnostic]]
"""Compiles a small workspace with the given files put in (or in place of its own) and returns all findings."""

PlanOverlay = Callable[[dict[str, str]], Iterable[Reason]]
"""Places the workloads of such a workspace and returns all reasons of the plan."""

_MARKER: Final = re.compile(r"[ \t]*# (?:error|reason)(?:, (?P<others>SP\d{4}))?$", re.MULTILINE)
_ESCAPE: Final = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))")
_DEFAULT_PATH: Final = "fleet/example.yaml"
_BEFORE: Final = "before"
RENDERED: Final = "rendered/"
_STRICT: Final = (Stage.KUEUE, Stage.REVISION)
"""Stages in whose examples nothing else may be wrong."""


@dataclass(frozen=True, slots=True)
class ExampleFile:
    """A file of an example; `lines` are those on which the rule is to report (from 1), `others` codes reported too."""

    path: str
    content: bytes
    lines: tuple[int, ...]
    others: frozenset[str] = frozenset()


def example_files(page: Page, section: str) -> tuple[ExampleFile, ...]:
    """The files that the blocks of a section describe, those of an earlier revision aside."""
    blocks = (block for block in page.blocks(section) if block.words and block.words[0] == "yaml")
    return tuple(_file(block) for block in blocks if _BEFORE not in block.words)


def earlier_files(page: Page) -> dict[str, str]:
    """The files of the earlier revision, by path."""
    files = (_file(block) for block in page.blocks("Example") if _BEFORE in block.words)
    return {file.path: file.content.decode() for file in files}


def _file(block: Block) -> ExampleFile:
    path = block.words[1] if len(block.words) > 1 else _DEFAULT_PATH
    lines = tuple(n for n, line in enumerate(block.text.split("\n"), 1) if _MARKER.search(line))
    text = _MARKER.sub("", block.text)
    content = _unescape(text) if "escaped" in block.words else text.encode()
    others = frozenset(found["others"] for found in _MARKER.finditer(block.text) if found["others"])
    return ExampleFile(path, content, lines, others)


def _unescape(text: str) -> bytes:
    out, end = b"", 0
    for found in _ESCAPE.finditer(text):
        out += text[end : found.start()].encode()
        out += bytes.fromhex(found[1]) if found[1] else chr(int(found[2], 16)).encode()
        end = found.end()
    return out + text[end:].encode()


def read_overlay(files: Mapping[str, bytes]) -> tuple[Diagnostic, ...]:
    """The findings of reading these files and nothing else, suppressions applied."""
    tree = SourceTree.from_texts(files)
    return apply_suppressions(diagnose_problems(tree.problems), tree.files, tree.locate, REGISTRY.codes_by_name)


def check_examples(
    page: Page, compile_overlay: CompileOverlay | None = None, plan_overlay: PlanOverlay | None = None
) -> list[str]:
    """What is wrong with a page's examples, one sentence each.

    Rules of the stage PLAN need `plan_overlay`; for all others the files are only read without `compile_overlay`.

    Raises:
        AssertionError: an example on Kueue has errors of other rules.
    """
    code = page.rule.code
    wrong, right = example_files(page, "Example"), example_files(page, "Use instead")
    if not any(file.lines for file in wrong):
        return [f"{code}: no line of `Example` is marked with `# error` or `# reason`"]
    reported = _lines_of(page, wrong, compile_overlay, plan_overlay)
    expected = sorted({_place(file.path, line) for file in wrong for line in file.lines})
    complaints = []
    if reported != expected:
        complaints.append(f"{code}: `Example` marks {expected}, reported is {reported}")
    if not right:
        complaints.append(f"{code}: `Use instead` has no `yaml` block")
    if again := _lines_of(page, right, compile_overlay, plan_overlay):
        complaints.append(f"{code}: `Use instead` is reported as well, at {again}")
    return complaints


def _place(path: str, line: int) -> tuple[str, int]:
    return ("", 0) if path.startswith(RENDERED) else (path, line)


def _lines_of(
    page: Page,
    files: tuple[ExampleFile, ...],
    compile_overlay: CompileOverlay | None,
    plan_overlay: PlanOverlay | None,
) -> list[tuple[str, int]]:
    if page.rule.stage is Stage.PLAN:
        assert plan_overlay is not None, f"{page.rule.code} needs a plan"
        return _disagreeing(page.rule.code, files, plan_overlay)
    return _reported(page.rule.code, files, compile_overlay, is_strict=page.rule.stage in _STRICT)


def _disagreeing(code: str, files: tuple[ExampleFile, ...], plan_overlay: PlanOverlay) -> list[tuple[str, int]]:
    """Files and lines of the facts that the code's reasons name, as far as they stand in the example."""
    texts = {file.path: file.content.decode() for file in files}
    tree = SourceTree.from_texts(texts)
    reasons = (reason for reason in plan_overlay(texts) if reason.predicate.code == code)
    origins = (fact.origin for reason in reasons for fact in (reason.need, reason.found))
    spans = (tree.locate(origin) for origin in origins if origin is not None and origin.path in texts)
    return sorted({(span.path, span.line) for span in spans if span is not None})


def _reported(
    code: str, files: tuple[ExampleFile, ...], compile_overlay: CompileOverlay | None, *, is_strict: bool
) -> list[tuple[str, int]]:
    """Files and lines (0 where there is none) on which the code is reported."""
    overlay = {file.path: file.content for file in files}
    found = (
        compile_overlay({path: content.decode() for path, content in overlay.items()})
        if compile_overlay
        else read_overlay(overlay)
    )
    tree = SourceTree.from_texts({path: text for path, text in overlay.items() if not path.startswith(RENDERED)})
    if is_strict:
        found = tuple(found)
        others = {d.code: d.message for d in found if d.code != code and d.severity is Severity.ERROR}
        stated = {other for file in files for other in file.others}
        assert others.keys() == stated, f"{code}: an example has other errors: {others}, stated are {sorted(stated)}"
    places = (one.primary.place for one in place_all((d for d in found if d.code == code), tree.locate))
    lines = ((place.path, place.span.line if place.span else 0) if place else ("", 0) for place in places)
    return sorted(set(lines))
