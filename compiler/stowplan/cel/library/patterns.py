r"""Regular expressions: RE2 through `google-re2`; without it, Python's `re` behind a guard.

Fallback: Python's engine backtracks, so only patterns without nested or adjacent unbounded repetition are let through,
texts are cut off at 10,000 characters with an error, and constructs RE2 does not have (backreferences, look-around,
possessive and atomic groups) are refused. Unicode classes differ: `\d`, `\w` and `\s` are ASCII in both.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from stowplan.cel.library import Signatures
from stowplan.cel.limits import MAX_PATTERN, Meter, charge
from stowplan.cel.operators import fault
from stowplan.cel.problem import CelFault

__all__ = ["BASE", "METERED", "Pattern", "compile_pattern", "engine_name"]

_MATCH_COST = 10
_MEMO = 2048
_MEMO_TEXT = 256
_FALLBACK_TEXT = 10_000


def _load() -> Any:
    try:
        import re2
    except ImportError:
        return None
    return re2


def engine_name() -> str:
    """`re2`, or `re` when google-re2 is not installed."""
    return "re2" if _load() is not None else "re"


class Pattern:
    """One compiled expression; remembers its answers for short texts."""

    __slots__ = ("_find", "_guarded", "_memo", "cost", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.cost = max(1, len(text) // 4)
        self._memo: dict[str, bool] = {}
        engine = _load()
        self._guarded = engine is None
        self._find = _guarded_compile(text) if engine is None else _re2_compile(engine, text)

    def matches(self, value: Any) -> bool:
        """Whether the expression is found anywhere in `value`, which must be a string."""
        known = self._memo.get(value) if type(value) is str else None
        return self._search(value) if known is None else known

    def _search(self, value: Any) -> bool:
        if not isinstance(value, str):
            raise fault("matches needs a string")
        self._check(value)
        answer = self._find.search(value) is not None
        if len(value) <= _MEMO_TEXT:
            if len(self._memo) >= _MEMO:
                self._memo.clear()
            self._memo[value] = answer
        return answer

    def find(self, value: str) -> str:
        """The leftmost match, or the empty string."""
        self._check(value)
        match = self._find.search(value)
        return str(match.group()) if match else ""

    def find_all(self, value: str, limit: int) -> list[str]:
        """Successive matches, at most `limit` of them unless negative."""
        self._check(value)
        found: list[str] = []
        for match in self._find.finditer(value):
            if 0 <= limit <= len(found):
                break
            found.append(match.group())
        return found

    def _check(self, value: str) -> None:
        if self._guarded and len(value) > _FALLBACK_TEXT:
            raise fault("google-re2 is not installed; without it, texts above 10,000 characters are not matched")


@lru_cache(maxsize=512)
def compile_pattern(text: str) -> Pattern:
    """The pattern. Raises `CelEvaluationError` when it is no RE2 expression or too long."""
    if len(text) > MAX_PATTERN:
        raise fault(f"a regular expression may have {MAX_PATTERN} characters, not {len(text)}")
    return Pattern(text)


def _re2_compile(engine: Any, text: str) -> Any:
    options = engine.Options()
    options.log_errors = False
    try:
        return engine.compile(text, options=options)
    except (engine.error, UnicodeEncodeError) as error:
        detail = error.args[0] if error.args else ""
        detail = detail.decode("utf-8", "replace") if isinstance(detail, bytes) else str(detail)
        raise CelFault(f"invalid regular expression: {detail}") from None


_FOREIGN = re.compile(r"\\[1-9]|\\[gkZ]|\(\?(?:[=!>#(]|<[=!])|[*+?}]\+")


def _guarded_compile(text: str) -> re.Pattern[str]:
    if _FOREIGN.search(text):
        raise fault("invalid regular expression: RE2 has no backreferences, look-around or possessive repetition")
    if _backtracks(text):
        raise fault("google-re2 is not installed; without it, nested or adjacent unbounded repetition is refused")
    try:
        return re.compile(text.replace("(?P<", "(?P<"), re.ASCII)
    except (re.error, OverflowError, RecursionError) as error:
        raise CelFault(f"invalid regular expression: {error}") from None


def _backtracks(text: str) -> bool:
    """Whether a pattern could take more than quadratic time: a repeated group that repeats inside, or many repeats."""
    unclassed = re.sub(r"\\.", "x", text)
    unclassed = re.sub(r"\[\^?\]?[^\]]*\]", "x", unclassed)
    depth: list[bool] = []
    repeats = 0
    for position, character in enumerate(unclassed):
        following = unclassed[position + 1 : position + 2]
        if character == "(":
            depth.append(False)
        elif character == ")" and depth:
            inner = depth.pop()
            if inner and following in ("*", "+", "{"):
                return True
            if depth and inner:
                depth[-1] = True
        elif character in "*+{":
            repeats += 1
            if depth:
                depth[-1] = True
    return repeats > 20


def _matches(meter: Meter, value: str, pattern: str) -> bool:
    compiled = compile_pattern(pattern)
    charge(meter, len(value) * compiled.cost // 10)
    return compiled.matches(value)


def _find(meter: Meter, value: str, pattern: str) -> str:
    compiled = compile_pattern(pattern)
    charge(meter, len(value) * compiled.cost // 10)
    return compiled.find(value)


def _find_all(meter: Meter, value: str, pattern: str, limit: int = -1) -> list[str]:
    compiled = compile_pattern(pattern)
    charge(meter, len(value) * compiled.cost // 10)
    # One match more than the meter can pay for is enough to run it dry.
    affordable = max(0, meter[0]) // _MATCH_COST + 1
    found = compiled.find_all(value, affordable if limit < 0 else min(limit, affordable))
    charge(meter, _MATCH_COST * len(found))
    return found


BASE: Signatures = (
    ("matches(string, string) -> bool", _matches),
    ("(string).matches(string) -> bool", _matches),
)
METERED: Signatures = (
    ("(string).find(string) -> string", _find),
    ("(string).findAll(string) -> list<string>", _find_all),
    ("(string).findAll(string, int) -> list<string>", _find_all),
)
