"""Our table of defaults against a table that others derived from a live server's answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from corpus_files import document, told

from stowplan.schema.builtin import admit
from stowplan.schema.builtin.objects import Undecodable, kind_plan
from stowplan.schema.builtin.pack import Member, type_facts
from stowplan.schema.builtin.store import type_plan
from stowplan.schema.builtin.values import ABSENT

FILE = "builtin-defaults.json.xz"
MINOR = 36
SHARE = 0.99
ZEROS: dict[str, Any] = {"s": "", "b": False, "i": 0, "l": 0, "f": 0, "p": 0, "q": "0", "y": "", "@": {}}
NOTHING = object()


def zero(member: Member) -> Any:
    """The empty value of a member's type."""
    return {"[": [], "{": {}}.get(member.shape, ZEROS.get(member.element.letter, {}))


def holder_of(kind: str, steps: list[str]) -> tuple[dict[str, Any], list[str | int]]:
    """An object of a kind with nothing but what leads to a path, and the path in it."""
    api_version, _, name = kind.rpartition("/")
    value: dict[str, Any] = {"apiVersion": api_version, "kind": name, "metadata": {"name": "a"}}
    place: list[str | int] = []
    target: Any = value
    for step in steps:
        key = step.removesuffix("[*]")
        is_list = step.endswith("[*]")
        if key == "*":
            target = target.setdefault("a", {})
            place.append("a")
            continue
        below: Any = [{}] if is_list else {}
        if key not in target:
            target[key] = below
        target = target[key][0] if is_list else target[key]
        place += [key, 0] if is_list else [key]
    return value, place


def look_up(value: Any, place: list[str | int]) -> Any:
    """What stands at a place; `NOTHING` if there is no such place."""
    for step in place:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return NOTHING
    return value


def constant_problem(rule: Mapping[str, Any]) -> str:
    """What is wrong with our default of a member that always gets the same one, or nothing."""
    *steps, last = rule["path"].split(".")
    value, place = holder_of(rule["kind"], steps)
    api_version, _, name = rule["kind"].rpartition("/")
    plan = kind_plan(api_version, name, MINOR)
    if plan is None:
        return "the kind is not known"
    try:
        stored = plan.store(value)
    except Undecodable:
        return f"{value} cannot be decoded"
    admit(stored)
    found = look_up(stored, [*place, last])
    shown = "absent" if found is NOTHING else repr(found)
    return "" if found == rule["default"] else f"{shown} for {rule['default']!r}"


def encoding_problem(path: str, wanted: str) -> str:
    """What is wrong with how we store an explicit empty value of a member, or nothing."""
    type_name, _, name = path.rpartition(".")
    facts = type_facts(type_name, MINOR)
    member = facts.members.get(name) if facts is not None else None
    if member is None:
        return "the member is not known"
    stored = type_plan(type_name, MINOR).convert({name: zero(member)})
    found = stored.get(name, NOTHING) if stored is not ABSENT else NOTHING
    if wanted == "drop":
        return "" if found is NOTHING else f"{found!r} is kept"
    if wanted == "keep":
        return "" if found == zero(member) else f"{'dropped' if found is NOTHING else repr(found)}, is to be kept"
    # The empty value counts as none, in the place of which the kind or the cluster puts another.
    return "" if found is NOTHING or found != zero(member) else f"{found!r} is kept, is to give way to the default"


def problems(table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for rule in table["rules"]:
        if rule["class"] == "constant":
            yield f"{rule['kind']} {rule['path']}", constant_problem(rule)
    for path, entry in table["encoding"].items():
        yield path, encoding_problem(path, entry["zero"])
    for path in table["dropped"]:
        type_name, _, name = path.rpartition(".")
        yield path, "" if name not in type_plan(type_name, MINOR).convert({}) else "is there"


def test_table() -> None:
    found = list(problems(document(FILE)))
    misses = [f"{place}: {problem}" for place, problem in found if problem]
    told(FILE, len(found) - len(misses), len(found), SHARE, misses)
