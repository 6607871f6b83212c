"""The pack of built-in kinds: which types and members each Kubernetes minor has, read lazily.

The pack (`data/packs/builtin.json.xz`, built by `stowplan.schema.building.builtin_pack`) holds each distinct
definition once and, for every type and kind, the minors in which it changes. A member is one word:

    [!]  s string  i int32  l int64  f number  b boolean  y base64  q quantity  p int-or-string
         t time  u time with microseconds  * any JSON  @type another type  {}element a map
         [a] atomic  [s] set  [m=keys~merge] map  [] unmarked, each followed by the element

`!` marks a member that must be present.
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, Final

__all__ = ["MINORS", "Element", "Member", "TypeFacts", "builtin_kinds", "kind_type", "supported_minor", "type_facts"]

MINORS: Final = tuple(range(25, 38))
_WORD: Final = re.compile(r"(?:(\[)([asm]?)(?:=([^~\]]*))?(?:~([^\]]*))?\]|(\{a?\}))?(.*)", re.DOTALL)
_UNSTABLE: Final = re.compile(r"v\d+(alpha|beta)\d+")
# Served by default although unstable: they were on before new beta groups became opt-in.
_SERVED_BETAS: Final = {
    "flowcontrol.apiserver.k8s.io/v1beta2": 28,
    "flowcontrol.apiserver.k8s.io/v1beta3": 31,
    "storage.k8s.io/v1beta1": 26,
}
_EMPTY_TYPES: Final = frozenset({"{}*"})
_OPEN_TYPES: Final = frozenset({"meta.v1.FieldsV1", "meta.v1.Patch", "runtime.RawExtension"})


@dataclass(frozen=True, slots=True)
class Element:
    """What a value is: a scalar letter, or a type name when `letter` is `@`."""

    letter: str
    type_name: str = ""


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a type.

    `shape` is empty for a single value, `[` for a list, `{` for a map; `list_type` is atomic, set, map or empty
    when the definitions say nothing; `nested` is the word of the element when it is itself a list or a map.
    """

    name: str
    required: bool
    shape: str
    element: Element
    list_type: str = ""
    map_keys: tuple[str, ...] = ()
    merge_key: str = ""
    atomic_map: bool = False
    nested: Member | None = None


@dataclass(frozen=True, slots=True)
class TypeFacts:
    """The members of a type in one minor; `atomic` types are owned as a whole."""

    name: str
    members: Mapping[str, Member]
    atomic: bool = False


def _parse(name: str, word: str) -> Member:
    """A member from its word."""
    required = word.startswith("!")
    match = _WORD.fullmatch(word[1:] if required else word)
    assert match is not None
    bracket, kind, keys, merge, brace, rest = match.groups()
    nested = _parse(name, rest) if rest[0] in "[{" else None
    element = Element("@", rest[1:]) if rest[0] == "@" else Element(rest if nested is None else "*")
    return Member(
        name,
        required,
        "[" if bracket else "{" if brace else "",
        element,
        {"a": "atomic", "s": "set", "m": "map"}.get(kind or "", ""),
        tuple(keys.split(",")) if keys else (),
        merge or "",
        brace == "{a}",
        nested,
    )


@lru_cache(maxsize=1)
def _pack() -> dict[str, Any]:
    data = resources.files("stowplan.data").joinpath("packs/builtin.json.xz").read_bytes()
    loaded: dict[str, Any] = json.loads(lzma.decompress(data))
    return loaded


def supported_minor(minor: int) -> int:
    """The nearest minor the pack has: newer clusters are judged by the newest facts, older ones by the oldest."""
    return min(max(minor, MINORS[0]), MINORS[-1])


def _at(runs: list[list[Any]], minor: int) -> Any:
    value: Any = -1
    for since, entry in runs:
        if since > minor:
            break
        value = entry
    return value


@lru_cache(maxsize=4096)
def type_facts(name: str, minor: int) -> TypeFacts | None:
    """The facts of a type in a minor; None for a type without members of its own (any JSON) or unknown there."""
    pack = _pack()
    index = _at(pack["types"].get(name, []), minor)
    if index == -1:
        return None
    definition = pack["definitions"][index]
    if definition.get("is") in _EMPTY_TYPES and name not in _OPEN_TYPES:
        return TypeFacts(name, {})
    if "members" not in definition:
        return None
    members = {key: _parse(key, word) for key, word in definition["members"].items()}
    return TypeFacts(name, members, bool(definition.get("atomic")))


def _is_served(kind: str, minor: int) -> bool:
    group_version = kind.rpartition("/")[0]
    if _UNSTABLE.fullmatch(group_version.rpartition("/")[2]):
        return _SERVED_BETAS.get(group_version, 0) >= minor
    return True


@lru_cache(maxsize=64)
def builtin_kinds(minor: int, *, unstable: bool = False) -> frozenset[str]:
    """`apiVersion/Kind` of every kind served in a minor; with `unstable` also those whose API must be switched on."""
    known = supported_minor(minor)
    return frozenset(
        kind
        for kind, runs in _pack()["kinds"].items()
        if _at(runs, known) != -1 and (unstable or _is_served(kind, known))
    )


@lru_cache(maxsize=1024)
def kind_type(api_version: str, kind: str, minor: int) -> str | None:
    """The type name of a kind in a minor, whether served by default or not; None if there is no such kind."""
    name = _at(_pack()["kinds"].get(f"{api_version}/{kind}", []), minor)
    return None if name == -1 else str(name)
