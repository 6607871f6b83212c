"""Bring whole objects of built-in kinds into the form the server stores."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from stowplan.schema.builtin import derive
from stowplan.schema.builtin.pack import kind_type, type_facts
from stowplan.schema.builtin.store import compile_rules, type_plan
from stowplan.schema.builtin.table import is_namespaced, kind_entry
from stowplan.schema.builtin.values import Undecodable

__all__ = ["KindPlan", "Undecodable", "kind_plan"]

_SERVER_METADATA: Final = (
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "managedFields",
    "selfLink",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
)


class KindPlan:
    """How objects of one kind are stored in one minor."""

    __slots__ = ("_at", "_created", "_derived", "_spec", "_type", "namespaced")

    def __init__(self, kind: str, type_name: str, minor: int, *, gates: bool = False, lenient: bool = False) -> None:
        """Compile what the table says of the kind as a whole."""
        entry = kind_entry(kind)
        self.namespaced = is_namespaced(kind)
        self._type = type_plan(type_name, minor, gates=gates, lenient=lenient)
        facts = type_facts(type_name, minor)
        spec = facts.members.get("spec") if facts is not None else None
        self._spec = (
            type_plan(spec.element.type_name, minor, gates=gates, lenient=lenient)
            if spec is not None and type_facts(spec.element.type_name, minor) is not None
            else None
        )
        self._at = tuple((path.split("."), tuple(compile_rules(rules))) for path, rules in entry.get("at", {}).items())
        self._derived = tuple(derive.FUNCTIONS[name] for name in entry.get("derived", ()))
        self._created = tuple(derive.FUNCTIONS[name] for name in entry.get("created", ()))

    def store(self, value: Mapping[str, Any], *, created: bool = True) -> dict[str, Any]:
        """The object as stored, without status and what only the server writes; raises `Undecodable`.

        Some things are done only when an object is `created`.
        """
        stored: dict[str, Any] = self._type.convert(value)
        stored.pop("status", None)
        metadata = stored.setdefault("metadata", {})
        for key in _SERVER_METADATA:
            metadata.pop(key, None)
        if not self.namespaced:
            metadata.pop("namespace", None)
        if self._spec is not None and "spec" not in stored:
            stored["spec"] = self._spec.convert({})
        for path, rules in self._at:
            target = stored
            for step in path:
                target = target.get(step, {})
            for rule in rules:
                rule(target)
        for function in self._derived:
            function(stored)
        if created:
            for function in self._created:
                function(stored)
        return stored


@lru_cache(maxsize=2048)
def kind_plan(
    api_version: str, kind: str, minor: int, *, gates: bool = False, lenient: bool = False
) -> KindPlan | None:
    """The plan of a kind; None when the minor does not know it."""
    name = kind_type(api_version, kind, minor)
    return None if name is None else KindPlan(f"{api_version}/{kind}", name, minor, gates=gates, lenient=lenient)
