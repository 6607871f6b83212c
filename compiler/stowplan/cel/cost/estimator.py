"""Adds up what an expression costs at most: bottom up, with the sizes of what it reads by the schema."""

from __future__ import annotations

from typing import NamedTuple

from stowplan.cel.cost.charges import CHARGES, LIST, MAP, Charge, Operand
from stowplan.cel.cost.forms import ACCUMULATOR, Form
from stowplan.cel.cost.sizes import MOST, UNKNOWN, Declared, Size, fixed, plus, times
from stowplan.cel.types import (
    BOOL,
    DOUBLE,
    DURATION,
    INT,
    TIMESTAMP,
    UINT,
    ListType,
    MapType,
    ObjectType,
    OptionalType,
    Type,
)

__all__ = ["estimate"]

_SCALARS = (BOOL, DOUBLE, DURATION, INT, TIMESTAMP, UINT)
_STRUCTURED = ("kubernetes.Quantity", "kubernetes.Semver", "kubernetes.URL", "kubernetes.NamedFormat")


def estimate(form: Form, declared: Declared) -> int:
    """The largest cost of an expression over values that are as large as `declared` lets them be."""
    return _Estimator(declared).cost(form)


class _Path:
    """Where a value lies: names from a variable on.

    Servers let paths that begin alike share memory, so that a longer path can change another that was made before it from
    the same beginning. Which rules are refused depends on that, so it is kept.
    """

    __slots__ = ("_cells", "_length")

    def __init__(self, cells: list[str | None], length: int) -> None:
        self._cells, self._length = cells, length

    def below(self, name: str) -> _Path:
        """The path one step further."""
        cells, length = self._cells, self._length
        if length == len(cells):
            cells = [*cells, *[None] * max(1, length)]
        cells[length] = name
        return _Path(cells, length + 1)

    @property
    def names(self) -> list[str | None]:
        """The names; nothing of a value that lies nowhere."""
        return self._cells[: self._length]


class _Entries(NamedTuple):
    """Sizes of what a list or map made in the expression holds."""

    is_list: bool
    key: Size
    value: Size


class _Variable(NamedTuple):
    """A variable of a loop or binding, as far as it is known."""

    path: _Path
    size: Size | None
    entries: _Entries | None


def _union(one: _Entries | None, other: _Entries | None) -> _Entries | None:
    if one is None or other is None:
        return None
    return _Entries(one.is_list, one.key.union(other.key), one.value.union(other.value))


class _Estimator:
    def __init__(self, declared: Declared) -> None:
        self._declared = declared
        self._paths: dict[int, _Path] = {}
        self._sizes: dict[int, Size] = {}
        self._entries: dict[int, _Entries] = {}
        self._scopes: dict[str, list[_Variable]] = {}

    def cost(self, form: Form) -> int:
        """The largest cost of a form and all inside."""
        if form.kind == "literal":
            return 0
        if form.kind == "name":
            return self._name(form)
        if form.kind == "select":
            return self._select(form)
        if form.kind == "has":
            return self.cost(form.parts[0])
        if form.kind == "call":
            return self._call(form)
        if form.kind == "loop":
            return self._loop(form)
        return self._bind(form) if form.kind == "bind" else self._made(form)

    # Where values lie

    def _path(self, form: Form) -> _Path:
        if form.kind == "name" and (known := self._scopes.get(form.name)):
            return known[-1].path
        return self._paths.get(id(form)) or _Path([], 0)

    def _said(self, names: list[str | None]) -> Size | None:
        """What the schema says of a path: it is walked from its second name on, whatever the first one is."""
        if not names:
            return None
        here: Declared | None = self._declared
        for name in names[1:]:
            if here is None:
                return None
            here = (
                here.values
                if name in ("@items", "@values")
                else here.keys
                if name == "@keys"
                else here.field(str(name))
            )
        return None if here is None else Size(0, here.most)

    # Sizes

    def _size(self, form: Form) -> Size | None:
        found = self._sizes.get(id(form))
        if found is not None:
            return found
        if (exact := _exact(form)) is not None:
            return exact
        said = self._said(self._path(form).names)
        if said is not None:
            self._sizes[id(form)] = said
            return said
        if _is_scalar(form.type):
            return fixed(1)
        known = self._scopes.get(form.name) if form.kind == "name" else None
        return known[-1].size if known else None

    def _entries_of(self, form: Form) -> _Entries | None:
        found = self._entries.get(id(form))
        if found is None and form.kind == "name" and (known := self._scopes.get(form.name)):
            return known[-1].entries
        return found

    def _copy(self, into: Form, form: Form) -> None:
        size, entries = self._size(form), self._entries_of(form)
        if size is not None:
            self._sizes[id(into)] = size
        if entries is not None:
            self._entries[id(into)] = entries

    def _operand(self, form: Form) -> Operand:
        names = self._path(form).names
        is_placed = bool(names) and names[0] != ACCUMULATOR
        elements = self._said([*names, "@items"]) if is_placed else None
        return Operand(form, self._size(form), UNKNOWN if elements is None else elements)

    # Costs

    def _name(self, form: Form) -> int:
        known = self._scopes.get(form.name)
        self._paths[id(form)] = known[-1].path if known else _Path([form.name], 1)
        return 1

    def _select(self, form: Form) -> int:
        (operand,) = form.parts
        cost = self.cost(operand)
        kind = operand.type
        if isinstance(kind, MapType | ObjectType) or kind.name in _STRUCTURED:
            cost = plus(cost, 1)
        self._paths[id(form)] = self._path(operand).below(form.name)
        return cost

    def _call(self, form: Form) -> int:
        if form.name == "dyn":
            cost = plus(1, self.cost(form.parts[0]))
            self._copy(form, form.parts[0])
            return cost
        inside, given = 0, []
        costs = []
        for part in form.parts:
            costs.append(self.cost(part))
            given.append(self._operand(part))
        if not form.ways:
            return 0
        target = None
        if form.target is not None:
            inside = self.cost(form.target)
            target = self._operand(form.target)
        most, result = 0, None
        for way in form.ways:
            charge = self._charge(form, way, target, given, costs)
            most = max(most, charge.most)
            if charge.result is not None:
                result = charge.result if result is None else result.union(charge.result)
            if form.name == "[]" and way:
                entries = self._entries_of(form.parts[0])
                result = None if entries is None else entries.value
                self._paths[id(form)] = self._path(form.parts[0]).below("@items" if way == "list" else "@values")
            if result is None:
                result = self._size(form)
        if result is not None:
            self._sizes[id(form)] = result
        return plus(inside, most)

    def _charge(self, form: Form, way: str, target: Operand | None, given: list[Operand], costs: list[int]) -> Charge:
        arguments = 0
        for cost in costs:
            arguments = plus(arguments, cost)
        if form.name in ("&&", "||"):
            return Charge(arguments)
        if form.name == "?:":
            return self._conditional(form, given, costs)
        if form.name == "+":
            entries = _union(self._entries_of(form.parts[0]), self._entries_of(form.parts[1]))
            if way and entries is not None:
                self._entries[id(form)] = entries
        rule = CHARGES.get(form.name)
        found = None if rule is None else rule(way, target, given)
        if found is None:
            return Charge(plus(1, arguments))
        return Charge(plus(found.most, arguments), found.result)

    def _conditional(self, form: Form, given: list[Operand], costs: list[int]) -> Charge:
        entries = _union(self._entries_of(form.parts[1]), self._entries_of(form.parts[2]))
        if entries is not None:
            self._entries[id(form)] = entries
        return Charge(plus(costs[0], max(costs[1:])), given[1].size.union(given[2].size))

    def _made(self, form: Form) -> int:
        """A list or a map that is written down."""
        width = 1 if form.kind == "list" else 2
        cost = LIST if form.kind == "list" else MAP
        smallest = Size(MOST if form.parts else 0, 0)
        sizes = [smallest, smallest]
        for position, part in enumerate(form.parts):
            cost = plus(cost, self.cost(part))
            column = position % width
            sizes[column] = sizes[column].union(self._size(part) or UNKNOWN)
        if width == 1:
            self._entries[id(form)] = _Entries(True, fixed(1), sizes[0])
        else:
            self._entries[id(form)] = _Entries(False, sizes[0], sizes[1])
        return cost

    def _loop(self, form: Form) -> int:
        subject, start, going, step, result = form.parts
        cost = plus(self.cost(subject), self.cost(start))
        self._push(ACCUMULATOR, _Variable(self._path(start), self._size(start), self._entries_of(start)))
        names = self._push_items(form, subject)
        each = plus(self.cost(going), self.cost(step))
        for name in names:
            self._scopes[name].pop()
        cost = plus(cost, self.cost(result))
        self._scopes[ACCUMULATOR].pop()
        count = self._size(subject) or UNKNOWN
        if start.kind == "literal":
            self._sizes[id(form)] = fixed(1)
        else:
            self._sizes[id(form)] = count
            entries = self._entries_of(step)
            if entries is not None:
                self._entries[id(form)] = entries
        return plus(cost, times(count.most, each))

    def _push(self, name: str, variable: _Variable) -> None:
        self._scopes.setdefault(name, []).append(variable)

    def _push_items(self, form: Form, subject: Form) -> list[str]:
        """Makes the variables of a loop known."""
        entries = self._entries_of(subject)
        is_list = entries.is_list if entries is not None else isinstance(subject.type, ListType)
        key = entries.key if entries is not None else None
        value = entries.value if entries is not None else None
        if form.second is None:
            name, size = ("@items", value) if is_list else ("@keys", key)
            self._push(form.name, _Variable(self._path(subject).below(name), size, None))
            return [form.name]
        self._push(form.name, _Variable(self._path(subject).below("@indices" if is_list else "@keys"), key, None))
        self._push(form.second, _Variable(self._path(subject).below("@items" if is_list else "@values"), value, None))
        return [form.name, form.second]

    def _bind(self, form: Form) -> int:
        value, body = form.parts
        cost = plus(LIST, self.cost(value))
        self._push(form.name, _Variable(self._path(value), self._size(value), self._entries_of(value)))
        cost = plus(cost, self.cost(body))
        self._scopes[form.name].pop()
        self._copy(form, body)
        return cost


def _exact(form: Form) -> Size | None:
    """The size of what is written down."""
    if form.kind == "literal":
        return fixed(len(form.value) if isinstance(form.value, str | bytes) else 1)
    if form.kind == "list":
        return fixed(len(form.parts))
    return fixed(len(form.parts) // 2) if form.kind == "map" else None


def _is_scalar(kind: Type) -> bool:
    if isinstance(kind, OptionalType):
        return _is_scalar(kind.item)
    return kind in _SCALARS
