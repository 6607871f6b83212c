"""One planted mistake a file: the code, the file, the line, and the column of what the compiler says, and nothing else.

A case names a file of the example workspace, a text in it, what stands there instead, and where the finding must be.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from stowplan.diagnostics.model import Severity
from stowplan.diagnostics.placed import place_all
from stowplan.driver import compile_workspace
from stowplan.source.files import SourceTree

EXAMPLE = Path(__file__).parent.parent / "data" / "example"
CASES = sorted((Path(__file__).parent / "cases").glob("*.yaml"))
BASE = {p.relative_to(EXAMPLE).as_posix(): p.read_text() for p in sorted(EXAMPLE.rglob("*")) if p.is_file()}


def test_there_are_enough() -> None:
    assert len(CASES) >= 120


def test_the_base_has_no_errors() -> None:
    assert not compile_workspace(SourceTree.from_texts(dict(BASE))).failed()


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_mistake(path: Path) -> None:
    case = yaml.safe_load(path.read_text())
    text = BASE[case["file"]]
    assert case["replace"] in text
    done = compile_workspace(
        SourceTree.from_texts({**BASE, case["file"]: text.replace(case["replace"], case["with"], 1)})
    )
    found = []
    for placed in place_all(done.diagnostics, done.tree.locate):
        if placed.diagnostic.severity is Severity.ERROR or placed.diagnostic.code == case["code"]:
            place = placed.primary.place
            where = f"{place.path}:{place.span.line}:{place.span.column}" if place and place.span else "nowhere"
            found.append((placed.diagnostic.code, where))
    assert (case["code"], case["at"]) in found
    assert {code for code, _ in found} == {case["code"]}, "one mistake, one kind of finding"
    if case["code"] != "SP0402" or done.failed():
        assert done.files is None
