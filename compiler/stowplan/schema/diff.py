"""What changed between two packs: kinds, versions, fields, and what the schema says of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from stowplan.schema.node import Node
from stowplan.schema.pack import KindFacts, Pack

__all__ = ["PackChange", "diff_packs"]

_FACTS = (
    ("type", "type"), ("format", "format"), ("default", "default"), ("enum", "enum"), ("required", "required"),
    ("nullable", "nullable"), ("pattern", "pattern"), ("minimum", "minimum"), ("maximum", "maximum"),
    ("exclusiveMinimum", "exclusiveMinimum"), ("exclusiveMaximum", "exclusiveMaximum"), ("multipleOf", "multipleOf"),
    ("minLength", "minLength"), ("maxLength", "maxLength"), ("minItems", "minItems"), ("maxItems", "maxItems"),
    ("minProperties", "minProperties"), ("maxProperties", "maxProperties"), ("uniqueItems", "uniqueItems"),
    ("x-kubernetes-list-type", "list type"), ("x-kubernetes-list-map-keys", "list map keys"),
    ("x-kubernetes-map-type", "map type"), ("x-kubernetes-int-or-string", "int-or-string"),
    ("x-kubernetes-preserve-unknown-fields", "keeps unknown fields"),
    ("x-kubernetes-embedded-resource", "embedded resource"),
)  # fmt: skip
_KIND_FACTS = ("namespaced", "served", "storage", "conversion", "status", "scale", "deprecation", "plural")


@dataclass(frozen=True, slots=True, order=True)
class PackChange:
    """One difference: `what` is `added`, `removed` or `changed`; `before` and `after` are words for people.

    `field` is empty for the kind itself; list items are written `[]` and map entries `{}`.
    """

    api_version: str
    kind: str
    field: str
    what: str
    fact: str = ""
    before: str = ""
    after: str = ""


def diff_packs(before: Pack, after: Pack) -> tuple[PackChange, ...]:
    """The changes from one pack to another, sorted."""
    old, new = _table(before), _table(after)
    found: list[PackChange] = []
    for key in sorted(old.keys() | new.keys()):
        api_version, kind = key
        if key not in new:
            found.append(PackChange(api_version, kind, "", "removed", "kind"))
        elif key not in old:
            found.append(PackChange(api_version, kind, "", "added", "kind"))
        else:
            found += _diff_kind(old[key], new[key], before, after)
    return tuple(found)


def _table(pack: Pack) -> Mapping[tuple[str, str], KindFacts]:
    return {(facts.api_version, facts.kind): facts for facts in pack.kinds}


def _diff_kind(old: KindFacts, new: KindFacts, before: Pack, after: Pack) -> Iterator[PackChange]:
    for name in _KIND_FACTS:
        first, second = getattr(old, name), getattr(new, name)
        if first != second:
            yield PackChange(old.api_version, old.kind, "", "changed", name, _word(first), _word(second))
    work = _NodeDiff(old.api_version, old.kind)
    work.visit(before.pool[old.root], after.pool[new.root], "")
    yield from sorted(work.found)


class _NodeDiff:
    """Compares two trees of nodes; the same pair of nodes at the same place is looked at once."""

    def __init__(self, api_version: str, kind: str) -> None:
        self._names = (api_version, kind)
        self.found: list[PackChange] = []

    def visit(self, old: Node, new: Node, path: str) -> None:
        """Note the differences at and below `path`."""
        if old.pool is new.pool and old.index == new.index:
            return
        for key, word in _FACTS:
            first, second = old.raw.get(key), new.raw.get(key)
            if first != second:
                self._note(path, "changed", word, first, second)
        self._rules(old, new, path)
        before, after = dict(old.properties()), dict(new.properties())
        for name in sorted(before.keys() | after.keys()):
            below = f"{path}.{name}" if path else name
            if name not in after:
                self._note(below, "removed", "field", _kind_of(before[name]), None)
            elif name not in before:
                self._note(below, "added", "field", None, _kind_of(after[name]))
            else:
                self.visit(before[name], after[name], below)
        self._single(old.items, new.items, f"{path}[]")
        self._single(old.additional, new.additional, f"{path}{{}}")

    def _single(self, old: Node | None, new: Node | None, path: str) -> None:
        if old is not None and new is not None:
            self.visit(old, new, path)
        elif old is not None:
            self._note(path, "removed", "field", _kind_of(old), None)
        elif new is not None:
            self._note(path, "added", "field", None, _kind_of(new))

    def _rules(self, old: Node, new: Node, path: str) -> None:
        before, after = {rule.text: rule for rule in old.rules}, {rule.text: rule for rule in new.rules}
        for text in before.keys() - after.keys():
            self._note(path, "removed", "rule", before[text].says, None)
        for text in after.keys() - before.keys():
            self._note(path, "added", "rule", None, after[text].says)

    def _note(self, path: str, what: str, fact: str, before: Any, after: Any) -> None:
        self.found.append(PackChange(*self._names, path, what, fact, _word(before), _word(after)))


def _kind_of(node: Node) -> str:
    return "int-or-string" if node.int_or_string else node.type or "anything"


def _word(value: Any) -> str:
    from stowplan.schema.wording import json_text

    return "" if value is None else value if type(value) is str else json_text(value)
