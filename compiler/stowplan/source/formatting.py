"""Format YAML as a person would: even indentation, comments, key order and quotes kept, data never changed."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from io import StringIO
from itertools import pairwise
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.representer import RoundTripRepresenter

from stowplan.source.document import Data
from stowplan.source.problems import Problem
from stowplan.source.yaml_reader import read_yaml

__all__ = ["Formatted", "format_yaml", "try_format"]

_MARKER: Final = re.compile(r"^---(?=\s|$)", re.MULTILINE)
_MARKER_LINE: Final = re.compile(r"---[ \t]*(#.*)?")
_END_OR_DIRECTIVE: Final = re.compile(r"^(?:\.\.\.(?=\s|$)|%)", re.MULTILINE)
_COMMENT: Final = re.compile(r"(?:^|(?<=\s))#.*$", re.MULTILINE)
_WIDE: Final = 2**20


@dataclass(frozen=True, slots=True)
class Formatted:
    """The formatted text, or the text as it was with the reason why it was left alone.

    `problems` are set where the text cannot be read at all.
    """

    text: str
    left_because: str | None = None
    problems: tuple[Problem, ...] = ()


class _LeaveAlone(Exception):
    """The text is valid but not for us to touch; the message says why, in words that follow "because"."""


def format_yaml(text: str) -> str:
    """The text formatted, or the text itself where `try_format` leaves it alone."""
    return try_format(text).text


def try_format(text: str, path: str = "") -> Formatted:
    """Format a stream of documents: two spaces a level, sequences indented below their key, one final line end.

    What was written comes back in the same order, with its comments, quotes, styles and document markers. The result
    is read again: where data, a comment or a second formatting would differ, the text stays as it was.
    """
    before = read_yaml(path, text.encode("utf-8", "surrogatepass"))
    if before.problems:
        return Formatted(text, "it cannot be read", before.problems)
    try:
        result = _format_stream(text)
        if _format_stream(result) != result:
            raise _LeaveAlone("formatting it twice gives two results")
    except _LeaveAlone as reason:
        return Formatted(text, str(reason))
    except (YAMLError, RecursionError, ValueError, NotImplementedError):
        return Formatted(text, "the formatter does not understand it")
    after = read_yaml(path, result.encode())
    if after.problems or not _same([d.data for d in before.documents], [d.data for d in after.documents]):
        return Formatted(text, "formatting would change its data")
    if _comments(text) != _comments(result):
        return Formatted(text, "formatting would lose a comment")
    return Formatted(result)


def _format_stream(text: str) -> str:
    """Each document is formatted by itself, so that the markers and what stands beside them stay."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _END_OR_DIRECTIVE.search(text):
        raise _LeaveAlone("it has directives or document end marks")
    starts = [0, *(found.start() for found in _MARKER.finditer(text)), len(text)]
    chunks = [text[start:end] for start, end in pairwise(starts)]
    return "".join(map(_format_chunk, filter(None, chunks)))


def _format_chunk(chunk: str) -> str:
    """A document with its marker line, if it has one."""
    marker = ""
    if _MARKER.match(chunk):
        marker, _, chunk = chunk.partition("\n")
        if not _MARKER_LINE.fullmatch(marker.rstrip()):
            raise _LeaveAlone("a document starts on the line of its `---`")
        marker = f"{marker.rstrip()}\n"
    if not _COMMENT.sub("", chunk).strip():
        return marker + "".join(f"{line.rstrip()}\n" for line in chunk.split("\n") if line.strip())
    yaml = _round_trip()
    data = yaml.load(chunk)
    out = StringIO()
    yaml.dump(data, out)
    text = out.getvalue().strip("\n")
    return f"{marker}{_outdent(text) if isinstance(data, list) else text}\n"


def _outdent(text: str) -> str:
    """A sequence at the top of a document stands at the margin, unlike one below a key."""
    lines = text.split("\n")
    if all(line.startswith(("  ", "#")) or not line for line in lines):
        return "\n".join(line.removeprefix("  ") for line in lines)
    return text


def _round_trip() -> YAML:
    yaml = YAML(typ="rt", pure=True)
    yaml.preserve_quotes = True
    yaml.width = _WIDE
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.Representer = _Representer
    return yaml


class _Representer(RoundTripRepresenter):
    """Writes null as the word: an empty value is easily taken for a forgotten one."""


def _represent_null(representer: Any, _: None) -> Any:
    return representer.represent_scalar("tag:yaml.org,2002:null", "null")


_Representer.add_representer(type(None), _represent_null)


def _same(one: Data, other: Data) -> bool:
    """Equality that keeps types and the order of keys apart."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return one == other


def _comments(text: str) -> Counter[str]:
    return Counter(found.rstrip() for found in _COMMENT.findall(text))
