"""How files become objects: YAML as the server reads it, JSON, lists, streams, and what cannot be read."""

from __future__ import annotations

import io
from typing import Any

import pytest

from stowplan.source.api_yaml import YamlFault, read_documents
from stowplan.validation.reading import Item, read_stream


def items(text: str | bytes, path: str = "x.yaml") -> list[Item]:
    return list(read_stream(io.BytesIO(text.encode() if isinstance(text, str) else text), path))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", True), ("y", True), ("off", False), ("'yes'", "yes"), ("~", None), ("", None), ("Null", None),
        ("1.0", 1), ("1e3", 1000), ("1.5", 1.5), ("0x10", 16), ("010", 8), ("0o10", 8), ("1_000", 1000), ("-0", 0),
        ("1:30", "1:30"), ("2026-01-02", "2026-01-02"), ("=", "="), (".5", 0.5), ("+1", 1), ("1e400", YamlFault),
        (".nan", YamlFault), ("!!str 1", "1"), ("!!int '7'", 7), ("!!binary aGk=", "aGk="), ("18446744073709551615", 2**64 - 1),
        ("&a 5", 5), ("|\n  a\n  b\n", "a\nb\n"), ("nothing", "nothing"), ("nan", "nan"), ("! 12", "12"),
    ],
)  # fmt: skip
def test_scalars__as_the_server_reads_them(text: str, value: Any) -> None:
    if value is YamlFault:
        with pytest.raises(YamlFault):
            list(read_documents(f"a: {text}\n"))
        return
    [decoded] = read_documents(f"a: {text}\n")
    assert decoded.value == {"a": value} and type(decoded.value["a"]) in (
        type(value),
        *type(decoded.value["a"]).__mro__[:2],
    )


def test_keys__become_strings() -> None:
    [decoded] = read_documents("1: a\ntrue: b\ny: c\n1.5: d\n")
    assert list(decoded.value) == ["1", "true", "1.5"] and decoded.value["true"] == "c"


def test_merge_keys__are_followed_and_do_not_win() -> None:
    [decoded] = read_documents("base: &b {a: 1, b: 2}\nx:\n  <<: *b\n  b: 3\nz:\n  <<: [{c: 1}, *b]\n")
    assert decoded.value["x"] == {"a": 1, "b": 3} and decoded.value["z"] == {"a": 1, "b": 2, "c": 1}


def test_repeated_keys__are_told() -> None:
    [decoded] = read_documents("a: 1\nb: {c: 1, c: 2, c: 3}\na: 2\n")
    assert decoded.value == {"a": 2, "b": {"c": 3}} and set(decoded.duplicates) == {("b", "c"), ("a",)}


@pytest.mark.parametrize(
    ("text", "says", "line"),
    [
        ("a: b: c\n", "mapping values are not allowed", 1),
        ("a: *b\n", "unknown anchor", 1),
        ("a: &a [*a]\n", "contains itself", 1),
        ("? [a]\n: b\n", "invalid map key", 1),
        ("~: b\n", "unsupported map key", 1),
        ("a:\n" + "".join(" " * n + "- \n" for n in range(1, 400)), "exceeded max depth", 201),
        ("a: &a [1,1,1,1,1,1,1,1]\n" + "".join(f"{c}: &{c} [{', '.join(['*' + p] * 9)}]\n" for p, c in zip("abcdefgh", "bcdefghi", strict=True)),
         "excessive aliasing", 0),
        ("a: !!int nope\n", "cannot decode", 1),
    ],
    ids=["syntax", "anchor", "recursion", "key", "null-key", "depth", "aliases", "tag"],
)  # fmt: skip
def test_faults__have_a_place(text: str, says: str, line: int) -> None:
    with pytest.raises(YamlFault, match=says) as caught:
        list(read_documents(text))
    assert caught.value.line == line or not line


def test_yaml_stream__documents_comments_and_separators() -> None:
    found = items("# head\n---\na: 1\n--- # two\nb: 2\n---\n# only a comment\n---\n--- {c: 3}\n...\n---\n")
    assert [item.value for item in found] == [{"a": 1}, {"b": 2}, {"c": 3}]
    assert [item.source.locate(()).line for item in found] == [3, 5, 9]  # type: ignore[union-attr]


def test_yaml_stream__goes_on_after_a_broken_document() -> None:
    found = items("a: [\n---\nb: 1\n")
    assert found[0].fault and found[1].value == {"b": 1} and found[0].place.line == 2  # type: ignore[union-attr]


def test_lists__are_taken_apart() -> None:
    text = "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: a}\n- {apiVersion: v1, kind: X, x: 1, x: 2}\n"
    first, second = items(text)
    assert first.value == {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}
    assert second.duplicates == (("x",),) and second.pointer == ("items", 1)


def test_json__lines_and_values_that_follow_each_other() -> None:
    found = items('{"a": 1}\n{"b": "}{"}{"c": [\n{"d": "\\""}]}\n\n[1]', "x.json")
    assert [item.value for item in found] == [{"a": 1}, {"b": "}{"}, {"c": [{"d": '"'}]}, [1]]
    place = found[2].source.locate(("c", 0, "d"))
    assert place is not None and (place.line, place.column) == (3, 7)


@pytest.mark.parametrize("text", ['{"a": NaN}', '{"a": 1,}', '{"a"', "{'a': 1}", '{"a": "\n"}', '{"a": 01}'])
def test_json__strict(text: str) -> None:
    [item] = items(text, "x.json")
    assert "json parse error" in item.fault


def test_flow_yaml__in_a_yaml_file_is_yaml() -> None:
    [item] = items("{a: 1, b: yes}\n", "x.yaml")
    assert item.value == {"a": 1, "b": True}


def test_bytes__marks_and_nothing() -> None:
    assert [i.value for i in items(b"\xef\xbb\xbfa: 1\n")] == [{"a": 1}]
    assert items(b"") == [] and items(b"\n \n# x\n") == [] and items(b"\x00\x01")[0].fault


def test_stream__is_read_document_by_document() -> None:
    """A long stream is never held as a whole: the first object comes before the rest has been read."""

    class Endless(io.RawIOBase):
        n_lines = 0

        def readline(self, size: int | None = -1, /) -> bytes:
            self.n_lines += 1
            return b"---\n" if self.n_lines % 4 == 0 else f"k{self.n_lines}: 1\n".encode()

    stream = Endless()
    found = read_stream(stream, "-")  # type: ignore[arg-type]
    for _ in range(50):
        next(found)
    assert stream.n_lines < 250
