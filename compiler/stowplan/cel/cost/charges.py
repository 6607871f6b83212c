"""What one call costs beyond its arguments, and how large its result may be."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from stowplan.cel.cost.forms import Form
from stowplan.cel.cost.sizes import MOST, UNKNOWN, Size, fixed, plus, scaled, times
from stowplan.cel.types import BYTES, STRING, ListType, MapType, OptionalType, Type

__all__ = ["CHARGES", "LIST", "MAP", "REGEX", "TRAVERSAL", "Charge", "Operand"]

TRAVERSAL: Final = 0.1
"""Of one character, where a text is read once."""
REGEX: Final = 0.25
"""Of one character of a regular expression."""
LIST: Final = 10
MAP: Final = 30
_SELECTOR: Final = 40
_CHECK: Final = 350_000
_FORMAT_SIZE, _FORMAT_REGEX = 64, 128
_ADDRESS: Final = Size(4, 16)
_FLAT: Final = (
    "serviceAccount path group resource subresource namespace name allowed reason error errored masked prefixLength family "
    "isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast format.named sign asInteger isInteger "
    "asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch getScheme getHostname getHost getPort "
    "getEscapedPath getQuery"
)
_ONCE: Final = "cidr isIP isCIDR quantity isQuantity semver isSemver"


class Charge(NamedTuple):
    """The largest cost of a call without its arguments, and the size of its result where that is said."""

    most: int
    result: Size | None = None


class Operand(NamedTuple):
    """An argument or a receiver: its form, its size as far as it is known, and that of its elements."""

    form: Form
    known: Size | None
    elements: Size

    @property
    def size(self) -> Size:
        """Its size; all there is, where nothing is known."""
        return UNKNOWN if self.known is None else self.known

    @property
    def element_type(self) -> Type | None:
        """The first parameter of its type."""
        kind = self.form.type
        if isinstance(kind, ListType):
            return kind.element
        if isinstance(kind, MapType):
            return kind.key
        return kind.item if isinstance(kind, OptionalType) else None

    def whole(self, otherwise: int) -> int:
        """The value of a literal whole number."""
        value = self.form.value
        if self.form.kind != "literal" or type(value) is not int:
            return otherwise
        return max(0, value)


_Arguments = list[Operand]
_Rule = Callable[[str, Operand | None, _Arguments], Charge | None]


def _flat(_: str, __: Operand | None, ___: _Arguments) -> Charge:
    return Charge(1)


def _check(_: str, __: Operand | None, ___: _Arguments) -> Charge:
    return Charge(_CHECK)


def _selector(_: str, __: Operand | None, given: _Arguments) -> Charge | None:
    if len(given) != 1:
        return None
    length = given[0].size.most
    return Charge(plus(plus(LIST, scaled(length, TRAVERSAL)), scaled(scaled(length, 0.5), LIST + _SELECTOR)))


def _over_elements(_: str, target: Operand | None, __: _Arguments) -> Charge | None:
    if target is None:
        return None
    element = target.element_type
    if element is None:
        return Charge(scaled(target.size.most, TRAVERSAL))
    each = 1 if element not in (STRING, BYTES) else plus(1, scaled(target.elements.most, TRAVERSAL))
    return Charge(times(target.size.most, each))


def _first_once(_: str, __: Operand | None, given: _Arguments) -> Charge | None:
    return Charge(scaled(given[0].size.most, TRAVERSAL)) if given else None


def _first_kept(_: str, __: Operand | None, given: _Arguments) -> Charge | None:
    return Charge(scaled(given[0].size.most, TRAVERSAL), given[0].size) if len(given) == 1 else None


def _kept(_: str, target: Operand | None, __: _Arguments) -> Charge | None:
    return None if target is None else Charge(scaled(target.size.most, TRAVERSAL), target.size)


def _replace(_: str, target: Operand | None, given: _Arguments) -> Charge | None:
    if target is None or len(given) < 2:
        return None
    size, old, new = target.size, given[0].size, given[1].size
    most_times, most_left = 0, 0
    if old.least == 0:
        most_times, most_left = plus(size.most, 1), size.most
    elif new.most <= old.least:
        most_left = size.most
    else:
        most_times = _quotient(size.most, old.least)
    least_times, least_left = 0, 0
    if old.most == 0:
        least_times, least_left = plus(size.least, 1), size.least
    elif old.most <= new.least:
        least_left = size.least
    else:
        least_times = _quotient(size.least, old.most)
    result = Size(least_times, most_times).times(new).plus(Size(least_left, most_left))
    return Charge(scaled(size.most, 2 * TRAVERSAL), result)


def _quotient(number: int, by: int) -> int:
    return min(math.ceil(float(number) / float(by)), MOST)


def _split(_: str, target: Operand | None, given: _Arguments) -> Charge | None:
    if target is None:
        return None
    most = target.size.most
    if len(given) > 1 and given[1].form.kind == "literal" and type(given[1].form.value) is int:
        most = given[1].form.value % 2**64
    return Charge(scaled(target.size.most, 2 * TRAVERSAL), Size(0, most))


def _join(_: str, target: Operand | None, given: _Arguments) -> Charge | None:
    if target is None:
        return None
    size = Size(0, 0) if target.element_type is None else target.size.times(target.elements)
    if given:
        between = Size(max(0, target.size.least - 1), max(0, target.size.most - 1))
        size = size.plus(given[0].size.times(between))
    return Charge(scaled(size.most, TRAVERSAL), size)


def _find(_: str, target: Operand | None, given: _Arguments) -> Charge | None:
    if target is None or not given:
        return None
    return Charge(_matching(target.size, given[0].size), Size(0, target.size.most))


def _matching(text: Size, pattern: Size) -> int:
    return times(scaled(plus(text.most, 1), TRAVERSAL), scaled(pattern.most, REGEX))


def _matches(_: str, target: Operand | None, given: _Arguments) -> Charge | None:
    return None if target is None or len(given) != 1 else Charge(_matching(target.size, given[0].size))


def _ip(_: str, target: Operand | None, given: _Arguments) -> Charge | None:
    if target is not None:
        return Charge(1)
    return Charge(scaled(given[0].size.most, TRAVERSAL)) if given else None


def _canonical(_: str, __: Operand | None, given: _Arguments) -> Charge | None:
    return Charge(scaled(given[0].size.most, 2 * TRAVERSAL)) if given else None


def _contains_ip(way: str, _: Operand | None, given: _Arguments) -> Charge | None:
    read = scaled(given[0].size.most, TRAVERSAL) if way == "text" else 0
    return Charge(plus(scaled(_ADDRESS.plus(_ADDRESS).most, TRAVERSAL), read))


def _contains_cidr(way: str, target: Operand | None, given: _Arguments) -> Charge | None:
    found = _contains_ip(way, target, given)
    return None if found is None else Charge(plus(found.most, scaled(_ADDRESS.most, TRAVERSAL) + 1))


def _validate(_: str, __: Operand | None, given: _Arguments) -> Charge | None:
    return Charge(scaled(scaled(given[0].size.most, TRAVERSAL), _FORMAT_REGEX * REGEX)) if given else None


def _affix(_: str, __: Operand | None, given: _Arguments) -> Charge | None:
    return Charge(scaled(given[0].size.most, TRAVERSAL)) if len(given) == 1 else None


def _contains(_: str, target: Operand | None, given: _Arguments) -> Charge | None:
    if target is None or len(given) != 1:
        return None
    return Charge(times(scaled(target.size.most, TRAVERSAL), scaled(given[0].size.most, TRAVERSAL)))


def _format(_: str, target: Operand | None, __: _Arguments) -> Charge | None:
    return None if target is None else Charge(scaled(target.size.most, TRAVERSAL))


def _quote(_: str, __: Operand | None, given: _Arguments) -> Charge | None:
    size = given[0].size
    return Charge(scaled(size.most, TRAVERSAL), Size((size.least + 2) % 2**64, (size.most * 2 + 2) % 2**64))


def _to_bytes(way: str, _: Operand | None, given: _Arguments) -> Charge | None:
    if way != "convert":
        return None
    size = given[0].size
    return Charge(scaled(size.most, TRAVERSAL), Size(size.least, size.most * 4 % 2**64))


def _to_string(way: str, _: Operand | None, given: _Arguments) -> Charge | None:
    if way != "convert":
        return None
    size = given[0].size
    return Charge(scaled(size.most, TRAVERSAL), Size(size.least // 4, size.most))


def _sets(factor: float) -> _Rule:
    def charge(_: str, __: Operand | None, given: _Arguments) -> Charge:
        return Charge(plus(scaled(given[0].size.times(given[1].size).most, factor), 1))

    return charge


def _listed(factor: float, size: Size) -> Charge:
    return Charge(plus(plus(scaled(size.most, factor), 1), LIST), size)


def _slice(_: str, target: Operand | None, given: _Arguments) -> Charge | None:
    if target is None or len(given) != 2:
        return None
    return _listed(1, fixed((given[1].whole(target.size.most) - given[0].whole(0)) % 2**64))


def _range(_: str, __: Operand | None, given: _Arguments) -> Charge | None:
    return _listed(1, fixed(given[0].whole(MOST)))


def _reverse(_: str, target: Operand | None, __: _Arguments) -> Charge | None:
    return None if target is None else _listed(1, target.size)


def _flatten(_: str, target: Operand | None, given: _Arguments) -> Charge | None:
    return None if target is None else _listed(float(given[0].whole(MOST)) if given else 1.0, target.size)


def _distinct(_: str, target: Operand | None, __: _Arguments) -> Charge | None:
    return None if target is None else _listed(2, target.size.times(target.size))


def _sort(way: str, target: Operand | None, given: _Arguments) -> Charge | None:
    by = given[0] if given else target
    return None if by is None else _listed(2 + (TRAVERSAL if way == "text" else 0), by.size.times(by.size))


def _equal(_: str, __: Operand | None, given: _Arguments) -> Charge | None:
    """Opaque values are compared at one stroke; of others the shorter is read."""
    left, right = given
    kind = left.form.type
    if kind == right.form.type:
        if kind.name in ("net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver") or (
            kind.name.startswith("kubernetes.authorization.")
        ):
            return Charge(1)
        if kind.name == "kubernetes.URL":
            return Charge(scaled(1 if right.known is None else right.known.most, TRAVERSAL))
        if kind.name == "kubernetes.NamedFormat":
            return Charge(scaled(_FORMAT_SIZE, TRAVERSAL))
    return _shorter("", None, given)


def _shorter(_: str, __: Operand | None, given: _Arguments) -> Charge | None:
    return Charge(scaled(min(given[0].size.most, given[1].size.most), TRAVERSAL))


def _ordered(way: str, _: Operand | None, given: _Arguments) -> Charge | None:
    return _shorter(way, None, given) if way == "text" else None


def _in(way: str, _: Operand | None, given: _Arguments) -> Charge | None:
    return Charge(given[1].size.most) if way == "list" else None


def _plus(way: str, _: Operand | None, given: _Arguments) -> Charge | None:
    size = given[0].size.plus(given[1].size)
    if way == "list":
        return Charge(1, size)
    return Charge(scaled(size.most, TRAVERSAL), size) if way == "text" else None


CHARGES: Final[Mapping[str, _Rule]] = {
    **dict.fromkeys(_FLAT.split(), _flat),
    **dict.fromkeys(_ONCE.split(), _first_once),
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), _over_elements),
    **dict.fromkeys(("lowerAscii", "upperAscii", "substring", "trim"), _kept),
    **dict.fromkeys(("url", "jsonpatch.escapeKey"), _first_kept),
    **dict.fromkeys(("find", "findAll"), _find),
    **dict.fromkeys(("startsWith", "endsWith"), _affix),
    **dict.fromkeys(("<", "<=", ">", ">="), _ordered),
    **dict.fromkeys(("fieldSelector", "labelSelector"), _selector),
    **dict.fromkeys(("sets.contains", "sets.intersects"), _sets(1)),
    **dict.fromkeys(("sort", "@sortBy"), _sort),
    "check": _check, "replace": _replace, "split": _split, "join": _join, "matches": _matches, "ip": _ip,
    "ip.isCanonical": _canonical, "containsIP": _contains_ip, "containsCIDR": _contains_cidr, "validate": _validate,
    "contains": _contains, "format": _format, "strings.quote": _quote, "bytes": _to_bytes, "string": _to_string,
    "sets.equivalent": _sets(2), "slice": _slice, "lists.range": _range, "reverse": _reverse, "flatten": _flatten,
    "distinct": _distinct, "==": _equal, "!=": _shorter, "in": _in, "+": _plus,
}  # fmt: skip
"""By function or operator; what is not here, and where a rule says nothing, costs 1."""
