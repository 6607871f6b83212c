"""Write plain values as canonical YAML that every reader, old or new, reads back as the same values.

Canonical means: keys sorted by code point; two spaces an indent; a sequence stands at the indent of its key, as kubectl
prints it; a string is bare unless some YAML 1.1 or 1.2 reader (Go's yaml v2 and v3, PyYAML, ruamel.yaml) would read it
as something else, then it is double-quoted; text of several lines is a block literal wherever that is exact; nothing is
ever folded. Equal values give equal bytes.

The text of a string is worked out once and kept (`StringFragments`); compiled template shapes share these tables.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from types import MappingProxyType

__all__ = [
    "MAX_DEPTH",
    "WriteError",
    "dumps",
    "fragment",
    "indent_text",
    "item_fragment",
    "key_text",
    "needs_quotes",
    "quoted",
    "scalar_text",
    "string_fragments",
]

MAX_DEPTH = 100
"""Collections nested deeper than this are refused."""

_MAX_KEY = 1000  # YAML readers give up on a simple key of more than 1,024 characters
_KEPT_LENGTH = 256  # longer strings are not kept: they seldom come twice
_KEPT_STRINGS = 100_000  # per table; a full table is emptied
_INT_RANGE = range(-(2**63), 2**63)  # beyond it Go's readers turn an integer into a float

_UNSAFE_START = frozenset(",[]{}#&*!|>'\"%@`")
_WORDS = frozenset(
    form
    for word in ("y", "n", "yes", "no", "on", "off", "true", "false", "null", "~")
    for form in (word, word.capitalize(), word.upper())
) | {"=", "<<"}
_NUMBER = re.compile(
    r"""[-+]?(?:
        0[xX][0-9a-fA-F_]+ | 0[oO][0-7_]+ | 0[bB][01_]+
      | [0-9_]+(?::[0-5]?[0-9])+(?:\.[0-9_]*)?
      | (?:\.[0-9_]+ | [0-9_]+(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9_]+)?
      | \.(?:inf|Inf|INF|nan|NaN|NAN)
    )\Z""",
    re.VERBOSE,
).match
_TIMESTAMP = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9].*)?\Z").match
_NUMBER_START = frozenset("0123456789+-.")
# What may stand bare or in a literal; line and paragraph separators and the byte order mark may not.
_UNPRINTABLE = "\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff"
_ODD = re.compile(f"[\x00-\x1f{_UNPRINTABLE}]").search
_ODD_IN_BLOCK = re.compile(f"[\x00-\x09\x0b-\x1f{_UNPRINTABLE}]").search
_SURROGATE = re.compile("[\ud800-\udfff]").search
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]").sub


class WriteError(ValueError):
    """The value has no canonical YAML text: it is no plain data, not finite, too deep, or has an impossible key."""


def needs_quotes(text: str) -> bool:
    """Whether some YAML reader would not read `text`, written bare in block context, as this very string."""
    if not text or text[0] in _UNSAFE_START or text[0] == " " or text[-1] in " :" or _ODD(text):
        return True
    if ": " in text or " #" in text or text in _WORDS:
        return True
    first = text[0]
    if first in _NUMBER_START and (_NUMBER(text) or _TIMESTAMP(text)):
        return True
    if first in "-?:":
        return len(text) == 1 or text[1] == " " or text.startswith("---")
    return text.startswith("...")


def quoted(text: str) -> str:
    """`text` double-quoted on one line, everything that is not printable escaped."""
    if _SURROGATE(text):
        raise WriteError("the text holds half a surrogate pair, which is no character")
    return _ESCAPED(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def _line_text(text: str) -> str:
    return quoted(text) if needs_quotes(text) else text


def _block_text(text: str, indent: int) -> str | None:
    """A block literal for text of several lines whose content stands at `indent`; None where it would not be exact."""
    if "\n" not in text or text[0] in " \n" or text.endswith("\n\n"):
        return None
    body = text.removesuffix("\n")
    if _ODD_IN_BLOCK(body) or any(line and not line.strip(" ") for line in body.split("\n")):
        return None
    pad = indent_text(indent)
    lines = "\n".join(pad + line if line else "" for line in body.split("\n"))
    return f" |{'' if body != text else '-'}\n{lines}\n"


def indent_text(depth: int) -> str:
    """The white space before a line `depth` levels down."""
    return "  " * depth


class _Kept(dict[str, str]):
    """A table that works out what it does not hold, and stays bounded."""

    __slots__ = ()

    def work_out(self, text: str) -> str:
        raise NotImplementedError

    def __missing__(self, text: str) -> str:
        result = self.work_out(text)
        if len(text) <= _KEPT_LENGTH:
            if len(self) >= _KEPT_STRINGS:
                self.clear()
            self[text] = result
        return result


class _Keys(_Kept):
    __slots__ = ()

    def work_out(self, text: str) -> str:
        if type(text) is not str:
            raise WriteError(f"all keys of a mapping must be strings, not {type(text).__name__}")
        result = _line_text(text)
        if len(result) > _MAX_KEY:
            raise WriteError(f"a key of {len(text):,} characters is longer than YAML readers take ({_MAX_KEY:,})")
        return result


class StringFragments(_Kept):
    """For strings: what follows `key:` or `-`, from the space to the line's end, `depth` levels down."""

    __slots__ = ("_depth",)

    def __init__(self, depth: int) -> None:
        self._depth = depth

    def work_out(self, text: str) -> str:
        return _block_text(text, self._depth + 1) or f" {_line_text(text)}\n"


_KEYS = _Keys()
_FRAGMENTS = tuple(StringFragments(depth) for depth in range(MAX_DEPTH + 2))


def key_text(key: str) -> str:
    """A mapping key as it is written, without the colon."""
    return _KEYS[key]


def string_fragments(depth: int) -> StringFragments:
    """The shared table of string fragments for one depth."""
    return _FRAGMENTS[depth]


def scalar_text(value: object) -> str:
    """A scalar on one line."""
    kind = type(value)
    if kind is str:
        return _line_text(value)  # type: ignore[arg-type]
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is int:
        if value not in _INT_RANGE:
            raise WriteError("an integer beyond 64 bits would be read back as a float")
        return str(value)
    if kind is float:
        return _float_text(value)  # type: ignore[arg-type]
    raise WriteError(f"a {kind.__name__} is no plain data")


def _float_text(value: float) -> str:
    if not math.isfinite(value):
        raise WriteError(f"{value} is not a finite number")
    text = repr(value)
    if "e" in text and "." not in text:  # YAML 1.1 takes a number without a point for a string
        text = text.replace("e", ".0e")
    return text


_MAPPINGS = (dict, MappingProxyType)
_SEQUENCES = (list, tuple)


def fragment(value: object, depth: int) -> str:
    """What follows `key:` or `-` for any plain value, `depth` levels down, up to and with the last line's end."""
    kind = type(value)
    if kind is str:
        return _FRAGMENTS[depth][value]  # type: ignore[index]
    if kind in _MAPPINGS or kind in _SEQUENCES:
        out: list[str] = []
        _append_value(value, depth, out)
        return "".join(out)
    return f" {scalar_text(value)}\n"


def item_fragment(value: object, depth: int) -> str:
    """What follows the `-` of a sequence whose dashes stand at `depth`, up to and with the last line's end."""
    kind = type(value)
    if value and kind in _MAPPINGS:
        out: list[str] = []
        _append_mapping(value, depth + 1, out, " ")  # type: ignore[arg-type]
        return "".join(out)
    if value and kind in _SEQUENCES:
        out = ["\n"]
        _append_sequence(value, depth + 1, out)  # type: ignore[arg-type]
        return "".join(out)
    return fragment(value, depth)


def dumps(value: object) -> str:
    """The canonical text of one document, ending in a line end; no `---`, no comments.

    Takes dict, list, tuple, str, int, float, bool, None and read-only views of dicts, exactly these types.

    Raises:
        WriteError: the value cannot be written so that it is read back as it was.
    """
    out: list[str] = []
    if type(value) in _MAPPINGS and value:
        _append_mapping(value, 0, out, "")  # type: ignore[arg-type]
    elif type(value) in _SEQUENCES and value:
        _append_sequence(value, 0, out)  # type: ignore[arg-type]
    elif type(value) in _MAPPINGS or type(value) in _SEQUENCES:
        return "{}\n" if type(value) in _MAPPINGS else "[]\n"
    else:
        return f"{scalar_text(value)}\n"
    return "".join(out)


def _append_value(value: object, depth: int, out: list[str]) -> None:
    """Append the fragment of a collection that stands under a key."""
    if type(value) in _MAPPINGS:
        if value:
            out.append("\n")
            _append_mapping(value, depth + 1, out, indent_text(depth + 1))  # type: ignore[arg-type]
        else:
            out.append(" {}\n")
    elif value:
        out.append("\n")
        _append_sequence(value, depth, out)  # type: ignore[arg-type]
    else:
        out.append(" []\n")


def _sorted_keys(mapping: dict[str, object]) -> list[str]:
    try:
        return sorted(mapping)
    except TypeError:
        raise WriteError("all keys of a mapping must be strings") from None


def _append_mapping(mapping: dict[str, object], depth: int, out: list[str], head: str) -> None:
    """Append a non-empty mapping whose keys stand at `depth`; `head` is what comes before the first key."""
    if depth > MAX_DEPTH:
        raise WriteError(f"collections are nested more than {MAX_DEPTH} deep")
    strings = _FRAGMENTS[depth]
    pad = indent_text(depth)
    for key in _sorted_keys(mapping):
        value = mapping[key]
        kind = type(value)
        if kind is str:
            out.append(f"{head}{_KEYS[key]}:{strings[value]}")  # type: ignore[index]
        elif kind in _MAPPINGS or kind in _SEQUENCES:
            out.append(f"{head}{_KEYS[key]}:")
            _append_value(value, depth, out)
        else:
            out.append(f"{head}{_KEYS[key]}: {scalar_text(value)}\n")
        head = pad


def _append_sequence(items: Sequence[object], depth: int, out: list[str]) -> None:
    """Append a non-empty sequence whose dashes stand at `depth`."""
    if depth > MAX_DEPTH:
        raise WriteError(f"collections are nested more than {MAX_DEPTH} deep")
    pad = indent_text(depth)
    for item in items:
        kind = type(item)
        if kind in _MAPPINGS and item:
            _append_mapping(item, depth + 1, out, pad + "- ")  # type: ignore[arg-type]
        elif kind in _SEQUENCES and item:
            out.append(f"{pad}-\n")
            _append_sequence(item, depth + 1, out)  # type: ignore[arg-type]
        else:
            out.append(f"{pad}-{fragment(item, depth)}")
