"""Ignore rules of the GitOps engines, derived from the ownership map instead of written by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from stowplan.ownership.fieldpath import FIELD, KEY, FieldPath
from stowplan.ownership.ownermap import ObjectOwnership, OwnershipMap
from stowplan.source.span import Pointer

__all__ = ["IgnoreRule", "argocd_ignore_differences", "flux_ignore", "ignore_rules", "json_pointer"]


@dataclass(frozen=True, slots=True)
class IgnoreRule:
    """A rendered field of one object whose live value is another writer's; both forms name the same place."""

    group: str
    kind: str
    namespace: str
    name: str
    json_pointer: str
    jq_expression: str
    managers: tuple[str, ...]
    reason: str

    @property
    def by_position(self) -> bool:
        """Whether the pointer goes through a list, where the jq form is the safer one."""
        return "[" in self.jq_expression and "select(" in self.jq_expression


def ignore_rules(ownership: OwnershipMap, target: str, unit: str) -> tuple[IgnoreRule, ...]:
    """The rules for one unit of one target, sorted: what is rendered, shared on purpose, and written at run time.

    What writers only fill in where it is absent, or put back as it is rendered, needs no rule: the rendered value
    stands, and an ignored field would keep its old value when Git changes.
    """
    rules = {rule for entry in ownership.unit_of(target, unit) for rule in _rules_of(entry)}
    return tuple(sorted(rules, key=lambda r: (r.group, r.kind, r.namespace, r.name, r.json_pointer)))


_WRITING = ("update", "apply", "subresource", "webhook")


def _rules_of(entry: ObjectOwnership) -> Iterable[IgnoreRule]:
    group, kind, namespace, name = entry.object.key
    for shared in entry.shared:
        rows = [row for row in shared.rows if row.changes_values and row.how in _WRITING]
        if shared.reason and rows:
            managers = tuple(sorted({manager for row in rows for manager in row.managers}))
            yield IgnoreRule(
                group, kind, namespace, name, json_pointer(shared.unit.pointer), jq_expression(shared.unit.path),
                managers, shared.reason,
            )  # fmt: skip


def argocd_ignore_differences(rules: Iterable[IgnoreRule]) -> list[dict[str, Any]]:
    """The rules as `spec.ignoreDifferences` of an Application: pointers, or jq where a list is crossed by key."""
    by_object: dict[tuple[str, str, str, str], dict[str, Any]] = {}
    for rule in rules:
        key = (rule.group, rule.kind, rule.namespace, rule.name)
        entry = by_object.setdefault(key, _argocd_entry(rule))
        field, value = ("jqPathExpressions", rule.jq_expression) if rule.by_position else (
            "jsonPointers", rule.json_pointer,
        )  # fmt: skip
        entry.setdefault(field, []).append(value)
    return [by_object[key] for key in sorted(by_object)]


def _argocd_entry(rule: IgnoreRule) -> dict[str, Any]:
    entry: dict[str, Any] = {"kind": rule.kind, "name": rule.name}
    if rule.group:
        entry["group"] = rule.group
    if rule.namespace:
        entry["namespace"] = rule.namespace
    return entry


def flux_ignore(rules: Iterable[IgnoreRule]) -> list[dict[str, Any]]:
    """The rules as `spec.ignore` of a Flux Kustomization."""
    by_object: dict[tuple[str, str, str, str], list[str]] = {}
    for rule in rules:
        by_object.setdefault((rule.group, rule.kind, rule.namespace, rule.name), []).append(rule.json_pointer)
    out = []
    for group, kind, namespace, name in sorted(by_object):
        target = {"kind": kind, "name": _anchored(name)}
        if group:
            target["group"] = group
        if namespace:
            target["namespace"] = _anchored(namespace)
        out.append({"paths": sorted(by_object[(group, kind, namespace, name)]), "target": target})
    return out


def _anchored(name: str) -> str:
    """The name as a regular expression; object names hold no special character but the dot."""
    return "^" + name.replace(".", "\\.") + "$"


def json_pointer(pointer: Pointer) -> str:
    """A path as RFC 6901 writes it."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in pointer)


def jq_expression(path: FieldPath) -> str:
    """A path as a jq filter, list items chosen by their keys."""
    out = ""
    for element in path:
        if element.kind == FIELD:
            plain = element.payload.isidentifier() and element.payload.isascii()
            out += f".{element.payload}" if plain else f"[{_quoted(element.payload)}]"
        elif element.kind == KEY:
            tests = " and ".join(f".{name} == {_literal(scalar)}" for name, scalar in element.payload)
            out += f"[] | select({tests}) | "
        else:
            out += f"[] | select(. == {_literal(element.payload)})"
    text = out.replace("| [", "| .[").removesuffix(" | ")
    return text if text.startswith(".") else "." + text


def _literal(scalar: tuple[str, Any]) -> str:
    return json.dumps(scalar[1])


def _quoted(text: str) -> str:
    return json.dumps(text)
