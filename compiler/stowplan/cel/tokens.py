"""Text to tokens, with string, bytes and number literals decoded."""

from __future__ import annotations

import re
from typing import NamedTuple

from stowplan.cel.limits import MAX_TEXT
from stowplan.cel.problem import CelCompileError
from stowplan.cel.text import ExpressionText
from stowplan.cel.values import UInt

__all__ = ["RESERVED", "Token", "tokenise"]

RESERVED = frozenset(
    [
        "as",
        "break",
        "const",
        "continue",
        "else",
        "false",
        "for",
        "function",
        "if",
        "import",
        "in",
        "let",
        "loop",
        "namespace",
        "null",
        "package",
        "return",
        "true",
        "var",
        "void",
        "while",
    ]
)
"""Words that cannot be identifiers; all but the literals and `in` may still be field and method names."""


class Token(NamedTuple):
    """`kind` is `literal`, `name`, `quoted` (a field in backticks), `symbol` or `end`."""

    kind: str
    value: str | bytes | int | float
    start: int
    end: int


_TOKEN = re.compile(
    r"""
    (?P<space>(?:[ \t\r\n\f]|//[^\n]*)+)
  | (?P<text>(?:[rR][bB]?|[bB][rR]?)?(?:\"\"\"|'''|\"|'))
  | (?P<number>0[xX][0-9a-fA-F]+[uU]?|(?:[0-9]+\.[0-9]+|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|[0-9]+[uU]?)
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<quoted>`[A-Za-z0-9_.\-/ ]+`)
  | (?P<symbol>\|\||&&|==|!=|<=|>=|[-+*/%<>!?:.,()\[\]{}])
    """,
    re.VERBOSE,
)
_SIMPLE = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92, "?": 63, '"': 34, "'": 39, "`": 96}
_CODED = {"x": 2, "X": 2, "u": 4, "U": 8}
_NUMBER_LIMIT = 400


def tokenise(source: ExpressionText) -> list[Token]:
    """All tokens, closed by one of kind `end`. Raises `CelCompileError`."""
    text = source.text
    if len(text) > MAX_TEXT:
        message = f"the expression has {len(text)} characters; at most {MAX_TEXT} are allowed"
        raise CelCompileError([source.problem(0, 1, message, "limit")])
    tokens: list[Token] = []
    position, length = 0, len(text)
    while position < length:
        match = _TOKEN.match(text, position)
        if match is None:
            raise _error(source, position, position + 1, f"unexpected character {text[position]!r}")
        kind, end = match.lastgroup, match.end()
        if kind == "text":
            token = _text_literal(source, position, match.group())
            end = token.end
            tokens.append(token)
        elif kind == "number":
            tokens.append(Token("literal", _number(source, position, match.group()), position, end))
        elif kind == "quoted":
            tokens.append(Token("quoted", match.group()[1:-1], position, end))
        elif kind != "space":
            tokens.append(Token(kind or "", match.group(), position, end))
        position = end
    tokens.append(Token("end", "", length, length))
    return tokens


def _error(source: ExpressionText, start: int, end: int, message: str, *helps: str) -> CelCompileError:
    return CelCompileError([source.problem(start, end, message, "syntax", helps)])


def _number(source: ExpressionText, start: int, text: str) -> int | float:
    if len(text) > _NUMBER_LIMIT:
        raise _error(source, start, start + len(text), "the number is too long")
    unsigned = text[-1] in "uU"
    digits = text[:-1] if unsigned else text
    if digits[:2] in ("0x", "0X"):
        value = int(digits, 16)
    elif unsigned or digits.isdigit():
        value = int(digits)
    else:
        return float(digits)
    # 2**63 is let through: the parser accepts it behind a minus sign only.
    if (unsigned and value >= 2**64) or (not unsigned and value > 2**63):
        raise _error(source, start, start + len(text), f"the {'unsigned ' * unsigned}integer {text} is out of range")
    return UInt(value) if unsigned else value


def _text_literal(source: ExpressionText, start: int, opening: str) -> Token:
    quote = opening.lstrip("rRbB")
    prefix = opening[: len(opening) - len(quote)].lower()
    body_start = start + len(opening)
    body_end = _closing(source, start, body_start, quote, raw="r" in prefix)
    body = source.text[body_start:body_end].replace("\r\n", "\n").replace("\r", "\n")
    end = body_end + len(quote)
    if "r" in prefix or "\\" not in body:
        value: str | bytes = _encode(source, start, end, body) if "b" in prefix else body
    else:
        value = _unescape(source, body_start, body, is_bytes="b" in prefix)
    return Token("literal", value, start, end)


def _closing(source: ExpressionText, start: int, position: int, quote: str, raw: bool) -> int:
    text, single = source.text, len(quote) == 1
    while position < len(text):
        if text.startswith(quote, position):
            return position
        character = text[position]
        if single and character in "\r\n":
            break
        position += 2 if character == "\\" and not raw else 1
    raise _error(source, start, start + len(quote), "the string is not closed")


def _encode(source: ExpressionText, start: int, end: int, body: str) -> bytes:
    try:
        return body.encode()
    except UnicodeEncodeError:
        raise _error(source, start, end, "the text is not valid Unicode") from None


def _unescape(source: ExpressionText, start: int, body: str, is_bytes: bool) -> str | bytes:
    points: list[str] = []
    octets = bytearray()
    position = 0
    while position < len(body):
        if body[position] != "\\":
            stop = body.find("\\", position)
            stop = len(body) if stop < 0 else stop
            if is_bytes:
                octets += _encode(source, start, start + len(body), body[position:stop])
            else:
                points.append(body[position:stop])
            position = stop
            continue
        code, width = _escape(source, start, body, position, is_bytes)
        if is_bytes:
            octets.append(code)
        else:
            points.append(chr(code))
        position += width
    return bytes(octets) if is_bytes else "".join(points)


def _escape(source: ExpressionText, start: int, body: str, position: int, is_bytes: bool) -> tuple[int, int]:
    """The code of the escape sequence at `position` and its length."""
    letter = body[position + 1 : position + 2]
    if letter in _SIMPLE:
        return _SIMPLE[letter], 2
    width, base, skip = (_CODED[letter], 16, 2) if letter in _CODED else (3, 8, 1)
    digits = body[position + skip : position + skip + width]
    allowed = "0123456789abcdefABCDEF" if base == 16 else "01234567"
    good = len(digits) == width and all(d in allowed for d in digits) and (base == 16 or letter in "0123")
    if good and not (is_bytes and letter in "uU"):
        code = int(digits, base)
        if code < 0xD800 or 0xDFFF < code <= 0x10FFFF:
            return code, skip + width
    at = start + position
    raise _error(
        source, at, at + 1 + len(letter), f"invalid escape sequence `\\{letter}`",
        "write a backslash as `\\\\`, or use a raw string such as r'...'",
    )  # fmt: skip
