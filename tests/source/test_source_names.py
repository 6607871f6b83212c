"""Names that become paths: what may, what may not, and what a careless file system takes for the same."""

from __future__ import annotations

import pytest

from stowplan.source.names import collisions, why_no_component, why_no_path

GOOD = ["a", "eu-west", "a.b", "x_1", "名前", "a b", "é", "console", "com", "null", "A" * 200, "a~", "aux1"]

BAD = {
    "": "empty", ".": "leads out", "..": "leads out", "a/b": "separator", "a\\b": "separator", "/": "separator",
    "a\0b": "printed", "a\nb": "printed", "\x1b[2J": "printed", "a\u202eb": "printed", "\ud800": "printed",
    ".hidden": "starts with", "-rf": "starts with", "~root": "starts with", " a": "starts with", "a.": "ends with",
    "a ": "ends with", "con": "device", "NUL.yaml": "device", "Com1": "device", "lpt9.txt": "device", "a:b": "Windows",
    "a*": "Windows", "a?": "Windows", 'a"': "Windows", "<a": "Windows", "e\u0301": "NFC", "a" * 201: "longer",
    "中" * 67: "longer",
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_component__good(name: str) -> None:
    assert why_no_component(name) is None


@pytest.mark.parametrize(("name", "reason"), BAD.items())
def test_component__bad(name: str, reason: str) -> None:
    assert reason in (why_no_component(name) or "")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("clusters/eu/unit/a.yaml", None),
        ("a", None),
        ("/etc/passwd", "absolute"),
        ("clusters/../../x", "`..` that leads out"),
        ("a//b", "is empty"),
        ("a/./b", "leads out"),
        ("a/", "is empty"),
        ("a/con/b", "device"),
        ("/".join(["abcdefgh"] * 120), "longer"),
    ],
)
def test_path(path: str, reason: str | None) -> None:
    found = why_no_path(path)
    assert found is None if reason is None else reason in (found or "")


@pytest.mark.parametrize(
    ("paths", "pairs"),
    [
        (["a", "b", "a"], []),
        (["a/x.yaml", "A/X.yaml"], [("a/x.yaml", "A/X.yaml")]),
        (["\u00e9", "e\u0301"], [("\u00e9", "e\u0301")]),
        (["stra\u00dfe", "STRASSE"], [("stra\u00dfe", "STRASSE")]),
        (["a", "a/b"], [("a/b", "a")]),
        (["A", "a/b/c"], [("a/b/c", "A")]),
        (["x/a", "y/a"], []),
    ],
)
def test_collisions(paths: list[str], pairs: list[tuple[str, str]]) -> None:
    assert list(collisions(paths)) == pairs
    assert list(collisions(reversed(paths))) == pairs
