"""Kubernetes quantities with the server's two forms: a 64-bit value with a decimal scale, or an exact decimal.

Which form a quantity has decides whether it is an integer: `asInteger` looks at the scale, not at the amount.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from stowplan.cel.library import Signatures
from stowplan.cel.operators import fault
from stowplan.cel.problem import CelEvaluationError
from stowplan.cel.values import INT_MAX, INT_MIN

__all__ = ["FUNCTIONS", "Quantity", "parse_quantity"]

_FORM: Final = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)\Z")
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_EXPONENT: Final = re.compile(r"[eE]([+-]?[0-9]+)\Z")
_FACTORS: Final = 18
_MAX_EXPONENT: Final = 1000
_MAX_TEXT: Final = 1000


class Quantity:
    """`value` times ten to the `scale`; `exact` when the server would hold it as an arbitrary decimal.

    A sum or difference is `computed`: the server cannot compare another quantity with it by `==`, only it with another.
    """

    __slots__ = ("computed", "exact", "scale", "value")
    cel_type = "kubernetes.Quantity"

    def __init__(self, value: int, scale: int, exact: bool, *, computed: bool = False) -> None:
        self.computed = computed
        self.value = value
        self.scale = scale
        self.exact = exact

    def compare(self, other: Quantity) -> int:
        """-1, 0 or 1."""
        low = min(self.scale, other.scale)
        left = self.value * int(10 ** (self.scale - low))
        right = other.value * int(10 ** (other.scale - low))
        return (left > right) - (left < right)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and self.compare(other) == 0

    def __hash__(self) -> int:
        value, scale = self.value, self.scale
        while value and value % 10 == 0:
            value, scale = value // 10, scale + 1
        return hash((Quantity, value, scale if value else 0))

    def __str__(self) -> str:
        if self.scale >= 0:
            return str(self.value * 10**self.scale)
        digits = str(abs(self.value)).rjust(1 - self.scale, "0")
        fraction = digits[self.scale :].rstrip("0")
        return ("-" if self.value < 0 else "") + digits[: self.scale] + (f".{fraction}" if fraction else "")

    def __repr__(self) -> str:
        return f"quantity({str(self)!r})"


@lru_cache(maxsize=4096)
def parse_quantity(text: str) -> Quantity:
    """Read a quantity as the server does. Raises `CelEvaluationError`."""
    match = _FORM.match(text) if 0 < len(text) <= _MAX_TEXT else None
    if match is None:
        raise fault(f"invalid quantity {text[:50]!r}")
    sign, numerator, denominator, suffix = match[1], match[2].lstrip("0") or "0", match[3] or "", match[4]
    base, exponent = _suffix(text, suffix)
    mantissa, scale = 1, exponent
    precision = _FACTORS - len(numerator) - len(denominator)
    if base == 2:
        scale = 0
        mantissa = 1 << exponent
        precision = -1 if denominator else 15 - len(numerator) - exponent * 3 // 10 - 1
    digits = int(numerator + denominator)
    signed = -digits if sign == "-" else digits
    if precision >= 0 and scale - len(denominator) >= -9 and INT_MIN <= signed * mantissa <= INT_MAX:
        return Quantity(signed * mantissa, scale - len(denominator), exact=False)
    return _exact(signed * (2**exponent if base == 2 else 1), scale - len(denominator), binary=base == 2)


def _suffix(text: str, suffix: str) -> tuple[int, int]:
    if suffix in _DECIMAL:
        return 10, _DECIMAL[suffix]
    if suffix in _BINARY:
        return 2, _BINARY[suffix]
    match = _EXPONENT.match(suffix)
    if match is None:
        raise fault(f"invalid quantity {text[:50]!r}: unknown suffix {suffix[:20]!r}")
    exponent = int(match[1]) if len(match[1]) < 20 else _MAX_EXPONENT + 1
    if abs(exponent) > _MAX_EXPONENT:
        raise fault(f"invalid quantity {text[:50]!r}: the exponent is out of range")
    return 10, exponent


def _exact(value: int, scale: int, binary: bool) -> Quantity:
    """Round away from zero to whole nanounits; cap binary amounts at the largest 64-bit integer."""
    if scale < -9:
        divisor = 10 ** (-9 - scale)
        value = -(-value // divisor) if value > 0 else value // divisor
        scale = -9
    if binary and abs(value) * 10 ** max(scale, 0) > INT_MAX * 10 ** max(-scale, 0):
        value, scale = (INT_MAX if value > 0 else -INT_MAX), 0
    return Quantity(value, scale, exact=True)


@lru_cache(maxsize=2048)
def _is_quantity(text: str) -> bool:
    try:
        parse_quantity(text)
    except CelEvaluationError:
        return False
    return True


def _integer(quantity: Quantity) -> int | None:
    if quantity.exact or quantity.scale < 0:
        return None
    value = quantity.value * 10 ** min(quantity.scale, _MAX_EXPONENT)
    return value if INT_MIN <= value <= INT_MAX else None


def _as_integer(quantity: Quantity) -> int:
    value = _integer(quantity)
    if value is None:
        raise fault("cannot convert the quantity to an integer")
    return value


def _as_float(quantity: Quantity) -> float:
    try:
        scale = 10 ** abs(quantity.scale)
        return quantity.value / scale if quantity.scale < 0 else float(quantity.value * scale)
    except OverflowError:
        return float("inf") if quantity.value > 0 else float("-inf")


def _add(left: Quantity, right: Quantity) -> Quantity:
    found = _sum(left, right)
    return Quantity(found.value, found.scale, found.exact, computed=True)


def _sum(left: Quantity, right: Quantity) -> Quantity:
    if right.value == 0 and not left.exact and not right.exact:
        return left if left.value else right
    low = min(left.scale, right.scale)
    value = left.value * 10 ** (left.scale - low) + right.value * 10 ** (right.scale - low)
    if left.exact or right.exact:
        return Quantity(value, low, exact=True)
    if left.value == 0:
        return right
    return Quantity(value, low, exact=not INT_MIN <= value <= INT_MAX)


def _add_int(left: Quantity, right: int) -> Quantity:
    return _add(left, Quantity(right, 0, exact=False))


def _sub(left: Quantity, right: Quantity) -> Quantity:
    return _add(left, Quantity(-right.value, right.scale, right.exact))


def _sub_int(left: Quantity, right: int) -> Quantity:
    return _add(left, Quantity(-right, 0, exact=False))


def _sign(quantity: Quantity) -> int:
    return (quantity.value > 0) - (quantity.value < 0)


FUNCTIONS: Signatures = (
    ("quantity(string) -> kubernetes.Quantity", parse_quantity),
    ("isQuantity(string) -> bool", _is_quantity),
    ("sign(kubernetes.Quantity) -> int", _sign),
    ("(kubernetes.Quantity).isInteger() -> bool", lambda quantity: _integer(quantity) is not None),
    ("(kubernetes.Quantity).asInteger() -> int", _as_integer),
    ("(kubernetes.Quantity).asApproximateFloat() -> double", _as_float),
    ("(kubernetes.Quantity).isGreaterThan(kubernetes.Quantity) -> bool", lambda left, right: left.compare(right) == 1),
    ("(kubernetes.Quantity).isLessThan(kubernetes.Quantity) -> bool", lambda left, right: left.compare(right) == -1),
    ("(kubernetes.Quantity).compareTo(kubernetes.Quantity) -> int", Quantity.compare),
    ("(kubernetes.Quantity).add(kubernetes.Quantity) -> kubernetes.Quantity", _add),
    ("(kubernetes.Quantity).add(int) -> kubernetes.Quantity", _add_int),
    ("(kubernetes.Quantity).sub(kubernetes.Quantity) -> kubernetes.Quantity", _sub),
    ("(kubernetes.Quantity).sub(int) -> kubernetes.Quantity", _sub_int),
)
