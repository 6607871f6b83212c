"""Seeded changes of every kind of value in the example workspace: nothing raises, and what is refused has a place.

Each change puts a hostile value where a key, scalar, list, or mapping stands, or drops or doubles a line. The compiler
must then either take the workspace as a whole, or refuse it with findings that name a file and a line, and no files.
STOWPLAN_FUZZ is the number of changes; the seed is fixed, so that what fails once fails again.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from stowplan.diagnostics.model import Severity
from stowplan.diagnostics.placed import place_all
from stowplan.diagnostics.render import FORMATS, render
from stowplan.driver import compile_workspace
from stowplan.rules.registry import REGISTRY
from stowplan.source.files import SourceTree

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).parent.parent / "data" / "example"
BASE = {p.relative_to(EXAMPLE).as_posix(): p.read_text() for p in sorted(EXAMPLE.rglob("*")) if p.is_file()}
COUNT = int(os.environ.get("STOWPLAN_FUZZ", "60"))
SEED = 20261129

HOSTILE = (
    "null", "~", '""', "true", "-1", "0", "1.5", "9" * 30, "1e308", ".inf", ".nan", "[]", "[1]", "{}", "{a: 1}", "-",
    '"../../etc/passwd"', '"a/b"', '"a\\x01b"', '"a\\0b"', '"Жé\U0001f600"', '"\\ud800"', f'"{"a" * 5000}"', "2026-11-29",
    '"0000-01-01T00:00:00Z"', '"9999-12-31T23:59:59Z"', "1h", '"-1h"', "0s", '"99999999999999999999h"', '"1e400"',
    '"1e-400"', '"5Ei"', '"1m"', '"{{ 7 * 7 }}{% raw %}"', '"a\\nb: c"', "2147483648", "9223372036854775808",
    "-9223372036854775809", "ABC", '"."', '" "', "a_b", '"*"', "[[[[[]]]]]", "&a [*a]", "!!python/object:os.system x",
    "\"'`$(id)\"", "*nowhere", "|", "{", "<<: {a: 1}", "\t",
)  # fmt: skip


@dataclass(frozen=True)
class Change:
    path: str
    line: int
    start: int
    end: int
    text: str


def node_changes(path: str, text: str, choose: random.Random) -> Iterator[Change]:
    pending = [node for node in yaml.compose_all(text, Loader=yaml.SafeLoader) if node is not None]
    while pending:
        node = pending.pop()
        if isinstance(node, yaml.MappingNode):
            pending.extend(part for pair in node.value for part in pair)
        elif isinstance(node, yaml.SequenceNode):
            pending.extend(node.value)
        if isinstance(node, yaml.ScalarNode) or node.flow_style:
            start, end = node.start_mark, node.end_mark
            yield Change(path, start.line + 1, start.index, end.index, choose.choice(HOSTILE))


def line_changes(path: str, text: str) -> Iterator[Change]:
    start = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        yield Change(path, number, start, start + len(line), "")
        yield Change(path, number, start, start, line)
        start += len(line)


def changes() -> list[Change]:
    choose = random.Random(SEED)
    nodes: list[Change] = []
    lines: list[Change] = []
    for path, text in BASE.items():
        if path.endswith(".yaml"):
            nodes += node_changes(path, text, choose)
            lines += line_changes(path, text)
    few = COUNT // 6
    return choose.sample(nodes, min(COUNT - few, len(nodes))) + choose.sample(lines, min(few, len(lines)))


def judge(files: dict[str, str], formats: Sequence[str] = FORMATS) -> None:
    done = compile_workspace(SourceTree.from_texts(files))
    for kind in formats:
        render(done.diagnostics, kind, done.tree, color=False, catalogue=REGISTRY)
    assert (done.files is None) == done.failed()
    for placed in place_all(done.diagnostics, done.tree.locate):
        found = placed.diagnostic
        assert not found.code.startswith("SP99"), found
        place = placed.primary.place
        if found.severity is Severity.ERROR and found.code != "SP0311":  # no Fleet at all is nowhere
            assert place is not None and place.path in files, found
            assert place.span is not None and place.span.line >= 1, found


@pytest.mark.parametrize("change", changes(), ids=lambda c: f"{c.path}:{c.line}:{ascii(c.text)[:20]}")
def test_change(change: Change) -> None:
    text = BASE[change.path]
    judge({**BASE, change.path: text[: change.start] + change.text + text[change.end :]})


LAUGHS = "a0: &a0 [x, x]\n" + "".join(f"a{n + 1}: &a{n + 1} [*a{n}, *a{n}]\n" for n in range(40))
INTENTS = "fleet/intents/batch.yaml"
LARGE = {
    "aliases that grow": ("fleet/more.yaml", LAUGHS),
    "deep lists": ("fleet/more.yaml", "a: " + "[" * 50_000),
    "deep mappings": ("fleet/more.yaml", "{a: " * 5_000 + "1" + "}" * 5_000),
    "deep blocks": ("fleet/more.yaml", "".join(f"{' ' * n}a:\n" for n in range(2_000))),
    "a megabyte of text": (INTENTS, BASE[INTENTS].replace("augment.py", "x" * 1_000_000)),
    "a megabyte of name": (INTENTS, BASE[INTENTS].replace("name: augment-images", f"name: {'x' * 1_000_000}")),
    "many entries": (INTENTS, BASE[INTENTS].replace("[python, augment.py]", f"[{', '.join(['x'] * 10_000)}]")),
    "many unknown fields": (INTENTS, BASE[INTENTS] + "".join(f"  field{n}: 1\n" for n in range(2_000))),
    "many documents": ("fleet/more.yaml", "---\na: 1\n" * 5_000),
    "many keys twice": ("fleet/more.yaml", "a: 1\n" * 10_000),
    "one long line of nothing": ("fleet/more.yaml", " " * 1_000_000),
    "no end of a quote": ("fleet/more.yaml", 'a: "' + "x\n" * 100_000),
}


@pytest.mark.parametrize("name", LARGE)
def test_large(name: str) -> None:
    path, text = LARGE[name]
    judge({**BASE, path: text}, ("concise",))
