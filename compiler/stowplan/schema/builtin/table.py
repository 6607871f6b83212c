"""The table of defaults and canonical forms of the built-in kinds, as read from `data/packs/builtin-defaults.json`.

For a type:

- `kept`: scalar members whose explicit empty value (`0`, `false`, ``) is stored; others vanish when empty
- `structs`: members that are always there; absent means empty, and the defaults of their type apply
- `early`, `constant`, `conditional`: values for absent members, in this order; `early` looks at what was sent
- `derived`: functions of `stowplan.schema.builtin.derive`
- `milli`: quantities that are rounded up to thousandths
- `fleeting`: a value of which nothing but members behind gates was sent vanishes whole

For a kind the same at a path (`at`), `derived` for the whole object, `created` for one that is new, and `assigned`: members that the server or a
cluster fills when they are absent, which are never drift. `gates` names the first minor in which a member is on by
default (null: not yet); before that it vanishes without a word. `vanishing` members always do. `cluster_scoped` lists the kinds
that live in no namespace.

A condition is `[absent|present, member]`, `[eq, member, value]`, `[in, member, values]`, `[only, members...]` (no
other member is set), `[and|or, conditions...]`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import resources
from typing import Any, Final

__all__ = ["Condition", "compile_condition", "is_gated", "is_namespaced", "kind_entry", "plural_of", "type_entry"]

Condition = Callable[[Mapping[str, Any]], bool]
_NOTHING: Final[Mapping[str, Any]] = {}


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    text = resources.files("stowplan.data").joinpath("packs/builtin-defaults.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def type_entry(name: str) -> Mapping[str, Any]:
    """What the table says of a type; empty when it says nothing."""
    entry: Mapping[str, Any] = _table()["types"].get(name, _NOTHING)
    return entry


def kind_entry(kind: str) -> Mapping[str, Any]:
    """What the table says of a kind (`apps/v1/Deployment`)."""
    entry: Mapping[str, Any] = _table()["kinds"].get(kind, _NOTHING)
    return entry


def is_gated(type_name: str, member: str, minor: int) -> bool:
    """Whether a member vanishes in a minor because its feature is off by default, or always does."""
    path = f"{type_name}.{member}"
    if path in _table()["vanishing"]:
        return True
    gates = _table()["gates"]
    return path in gates and (gates[path] is None or minor < gates[path])


def is_namespaced(kind: str) -> bool:
    """Whether objects of a built-in kind (`apps/v1/Deployment`) live in a namespace."""
    return kind.rpartition("/")[2] not in _table()["cluster_scoped"]


def plural_of(kind: str) -> str:
    """The resource of a built-in kind (`NetworkPolicy`: `networkpolicies`); all but one are formed by English rules."""
    word = kind.lower()
    if word == "endpoints":
        return word
    if word.endswith(("s", "x", "ch", "sh")):
        return f"{word}es"
    return f"{word[:-1]}ies" if word.endswith("y") and word[-2] not in "aeiou" else f"{word}s"


def compile_condition(condition: list[Any]) -> Condition:
    """A condition of the table as a function of the object it looks at."""
    operator, *arguments = condition
    if operator in ("and", "or"):
        parts = tuple(compile_condition(part) for part in arguments)
        combine = all if operator == "and" else any
        return lambda value: combine(part(value) for part in parts)
    if operator == "only":
        allowed = frozenset(arguments)
        return lambda value: value.keys() <= allowed
    member = arguments[0]
    if operator == "absent":
        return lambda value: member not in value
    if operator == "present":
        return lambda value: member in value
    wanted = tuple(arguments[1]) if operator == "in" else (arguments[1],)
    return lambda value: value.get(member) in wanted
