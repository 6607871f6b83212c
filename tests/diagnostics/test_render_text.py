"""The text format, byte for byte, and its defences: wide characters, tabs, long lines, control characters."""

from __future__ import annotations

import pytest

from stowplan.diagnostics.model import Diagnostic, Label, Suggestion, error, warning
from stowplan.diagnostics.render import render
from stowplan.source.files import SourceTree
from stowplan.source.span import Origin, Span

FILES = {
    "fleet/workloads/train-llm.yaml": "kind: Gang\nspec:\n  workers: 512\n  topology: {required: rack}\n  name: \u540d\u524d # \u4e2d\n",
    "fleet/clusters/eu-west.yaml": "spec:\n  domains: {rack: {size: 32}}\n",
    "fleet/odd.yaml": "a: {\u540d: 1,\tb: 2}\nlong: " + "x" * 300 + " # end\nemoji: \U0001f680 # e\u0301\n",
}
TRAIN, EU, ODD = FILES


@pytest.fixture(scope="module")
def tree() -> SourceTree:
    return SourceTree.from_texts(FILES)


TOPOLOGY = Origin(TRAIN, 0, ("spec", "topology"))
FULL = error(
    "SP0604", "gang `train-llm/worker` does not fit in any `rack` of the eligible clusters", TOPOLOGY,
    "512 GPUs must share one `rack`",
    secondary=[Label(Origin(EU, 0, ("spec", "domains")), "largest `rack` here has 32 GPUs")],
    notes=["3 of 5 clusters are eligible;\nthe largest `rack` among them has 72 GPUs"],
    helps=["relax `topology` to `preferred`, or raise it to `block`"],
    targets=("eu-west", "us-east"),
)  # fmt: skip

GOLDEN: dict[str, tuple[Diagnostic, str]] = {
    "two files": (FULL, """\
error[SP0604]: gang `train-llm/worker` does not fit in any `rack` of the eligible clusters
  --> fleet/workloads/train-llm.yaml:4:13
   |
 4 |   topology: {required: rack}
   |             ^^^^^^^^^^^^^^^^ 512 GPUs must share one `rack`
  ::: fleet/clusters/eu-west.yaml:2:12
   |
 2 |   domains: {rack: {size: 32}}
   |            ------------------ largest `rack` here has 32 GPUs
   |
   = note: 3 of 5 clusters are eligible;
           the largest `rack` among them has 72 GPUs
   = note: on eu-west, us-east
   = help: relax `topology` to `preferred`, or raise it to `block`
"""),
    "one file, lines apart": (
        warning("SP0102", "stated again", TOPOLOGY, "here", secondary=[Label(Origin(TRAIN, 0, ("kind",)), "first")]), """\
warning[SP0102]: stated again
  --> fleet/workloads/train-llm.yaml:4:13
   |
 1 | kind: Gang
   |       ---- first
...
 4 |   topology: {required: rack}
   |             ^^^^^^^^^^^^^^^^ here
"""),
    "one line twice": (
        warning("SP0102", "both", Origin(ODD, 0, ("a", "b")), secondary=[Label(Origin(ODD, 0, ("a", "\u540d")), "first")]), """\
warning[SP0102]: both
  --> fleet/odd.yaml:1:14
   |
 1 | a: {\u540d: 1,    b: 2}
   |                  ^
   |         - first
"""),
    "subject only": (warning("SP0401", "snapshot is old", subject="cluster/eu-west", notes=["of May"]), """\
warning[SP0401]: snapshot is old
  --> cluster/eu-west
   = note: of May
"""),
    "nothing at all": (error("SP9901", "pass failed"), "error[SP9901]: pass failed\n"),
    "no such document": (error("SP0201", "lost", Origin(TRAIN, 7, ("x",)), "label", subject="workload/x"), """\
error[SP0201]: lost
  --> fleet/workloads/train-llm.yaml
   = note: concerns workload/x
"""),
    "suggestion without help": (
        error("SP0104", "ambiguous", Origin(TRAIN, 0, ("kind",)), suggestions=[Suggestion(Origin(TRAIN, 0, ("kind",)), '"Gang"')]), """\
error[SP0104]: ambiguous
  --> fleet/workloads/train-llm.yaml:1:7
   |
 1 | kind: Gang
   |       ^^^^
   |
   = help: replace with `"Gang"`
"""),
    "control characters": (error("SP0201", "bad \x1b[2J name\u202e\nand", subject="a\x07b"), """\
error[SP0201]: bad \u241b[2J name\ufffd and
  --> a\u2407b
"""),
    "several lines": (error("SP0201", "block", Span(TRAIN, 2, 1, 4, 5), "from here"), """\
error[SP0201]: block
  --> fleet/workloads/train-llm.yaml:2:1
   |
 2 | spec:
   | ^^^^^ from here
"""),
    "beyond the line": (error("SP0201", "gone", Span(TRAIN, 1, 90, 1, 99)), """\
error[SP0201]: gone
  --> fleet/workloads/train-llm.yaml:1:90
   |
 1 | kind: Gang
   |           ^
"""),
}  # fmt: skip


@pytest.mark.parametrize("name", GOLDEN)
def test_text(tree: SourceTree, name: str) -> None:
    diagnostic, expected = GOLDEN[name]
    assert render([diagnostic], "text", tree) == expected


def test_wide_characters_are_underlined_in_place(tree: SourceTree) -> None:
    lines = render([error("SP0201", "m", Origin(TRAIN, 0, ("spec", "name")))], "text", tree).split("\n")
    assert lines[3:5] == [" 5 |   name: \u540d\u524d # \u4e2d", "   |         ^^^^"]


def test_long_lines_are_cut_around_the_place(tree: SourceTree) -> None:
    start = FILES[ODD].split("\n")[1].index("# end") + 1
    lines = render([error("SP0201", "m", Span(ODD, 2, start, 2, start + 5))], "text", tree).split("\n")
    assert len(lines[3]) < 160 and lines[3].startswith(" 2 | ...x") and lines[3].endswith("# end")
    assert lines[4].index("^") == lines[3].index("#") and lines[4].count("^") == 5


def test_at_most_ten_of_a_code_in_a_file(tree: SourceTree) -> None:
    many = [error("SP0201", f"number {n:03}", Origin(TRAIN, 0, ("kind",))) for n in range(25)]
    many += [error("SP0202", "other", Origin(TRAIN)), error("SP0201", "elsewhere", Origin(EU))]
    text = render(many, "text", tree)
    assert text.count("error[SP0201]") == 11 and text.count("error[SP0202]") == 1
    assert "... and 15 more SP0201 in fleet/workloads/train-llm.yaml\n" in text
    assert render(many, "concise", tree).count("\n") == 27


def test_targets_are_cut(tree: SourceTree) -> None:
    text = render([error("SP0801", "m", targets=[f"c{n}" for n in range(30)])], "text", tree)
    assert text.endswith("= note: on c0, c1, c2, c3, c4, c5, c6, c7, and 22 more\n")


def test_order_and_repeats(tree: SourceTree) -> None:
    a = error("SP0202", "later code", Origin(TRAIN, 0, ("kind",)))
    b = error("SP0201", "first code", Origin(TRAIN, 0, ("kind",)))
    c = error("SP0201", "another file", Origin(EU, 0, ("spec",)))
    d = error("SP0201", "no text", subject="x")
    e = error("SP0201", "first code", Origin(TRAIN, 0, ("spec", "workers")))
    expected = [
        "fleet/clusters/eu-west.yaml:1:1: SP0201 another file",
        "fleet/workloads/train-llm.yaml:1:7: SP0201 first code",
        "fleet/workloads/train-llm.yaml:1:7: SP0202 later code",
        "fleet/workloads/train-llm.yaml:3:12: SP0201 first code",
        "x: SP0201 no text",
    ]
    for given in ([a, b, c, d, e], [e, d, c, b, a, a, b], [d, a, e, c, b, d]):
        assert render(given, "concise", tree).splitlines() == expected


def test_colour_only_adds_escape_sequences(tree: SourceTree) -> None:
    import re

    for form in ("text", "concise"):
        plain, coloured = render([FULL], form, tree), render([FULL], form, tree, color=True)
        assert "\x1b[1;31m" in coloured and "\x1b" not in plain
        assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


@pytest.mark.parametrize("form", ["text", "concise", "jsonl", "github"])
def test_nothing_found_is_no_output(tree: SourceTree, form: str) -> None:
    assert render([], form, tree) == ""


def test_unknown_format(tree: SourceTree) -> None:
    with pytest.raises(ValueError, match="unknown format 'yaml'"):
        render([], "yaml", tree)
