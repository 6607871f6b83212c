"""What may stand at a place of an object: from the facts of built-in types, or from the schema of a custom kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from typing import Any

from stowplan.schema.builtin.pack import Member, kind_type, type_facts

MINOR = 36
"""Of the server's Kubernetes version."""

Parts = Mapping[str, "Form"]
_TYPES = {"string": "s", "integer": "l", "number": "f", "boolean": "b"}


def _no_parts() -> Parts:
    return {}


class Form:
    """One place: an `object` with `parts`, a `list` or `map` of `item`, or a value whose `kind` is a letter (below).

    s string, i and l integers, f number, b boolean, y base64, q quantity, p number or string, t and u times, * anything.
    `samples` are values that the schema itself speaks of, right ones and wrong ones.
    """

    def __init__(
        self,
        kind: str,
        *,
        parts: Callable[[], Parts] = _no_parts,
        item: Callable[[], Form] | None = None,
        required: frozenset[str] = frozenset(),
        samples: tuple[Any, ...] = (),
    ) -> None:
        self.kind, self.required, self.samples = kind, required, samples
        self._parts, self._item = parts, item

    @cached_property
    def parts(self) -> Parts:
        """The members of an object."""
        return self._parts()

    @cached_property
    def item(self) -> Form:
        """What a list or map holds."""
        return self._item() if self._item is not None else Form("*")

    def below(self, step: str | int) -> Form | None:
        """The form one step further, if it is known."""
        return self.item if self.kind in ("list", "map") else self.parts.get(str(step))


@lru_cache(maxsize=4096)
def type_form(name: str) -> Form:
    """The form of a built-in type."""
    facts = type_facts(name, MINOR)
    if facts is None:
        return Form("*")
    members = facts.members
    required = frozenset(key for key, member in members.items() if member.required)
    return Form("object", parts=lambda: {key: _member_form(one) for key, one in members.items()}, required=required)


def _member_form(member: Member) -> Form:
    def single() -> Form:
        if member.nested is not None:
            return _member_form(member.nested)
        element = member.element
        return type_form(element.type_name) if element.letter == "@" else Form(element.letter)

    return Form({"[": "list", "{": "map"}[member.shape], item=single) if member.shape else single()


def builtin_form(api_version: str, kind: str) -> Form | None:
    """The form of a built-in kind, None for one that this version does not have."""
    name = kind_type(api_version, kind, MINOR)
    return None if name is None else type_form(name)


def schema_form(schema: Mapping[str, Any]) -> Form:
    """The form of what a structural schema describes."""
    kind = schema.get("type") or ""
    samples = _samples(schema)
    if schema.get("x-kubernetes-int-or-string"):
        return Form("q" if "numkMGTP" in (schema.get("pattern") or "") else "p", samples=samples)
    if kind == "array":
        return Form("list", item=lambda: schema_form(schema.get("items") or {}), samples=samples)
    if kind != "object":
        return Form(_letter(kind, schema.get("format") or ""), samples=samples)
    if isinstance(more := schema.get("additionalProperties"), Mapping):
        return Form("map", item=lambda: schema_form(more), samples=samples)
    properties: Mapping[str, Any] = schema.get("properties") or {}
    if not properties and schema.get("x-kubernetes-preserve-unknown-fields"):
        return Form("*", samples=samples)
    required = frozenset(schema.get("required") or ())
    return Form(
        "object",
        parts=lambda: {key: schema_form(one) for key, one in properties.items()},
        required=required,
        samples=samples,
    )


def custom_form(schema: Mapping[str, Any]) -> Form:
    """The form of whole objects of a custom kind: its schema, and metadata as everywhere."""
    form = schema_form(schema)
    parts = {**form.parts, "metadata": type_form("meta.v1.ObjectMeta"), "apiVersion": Form("s"), "kind": Form("s")}
    return Form("object", parts=lambda: parts, required=form.required | {"metadata"})


def _letter(kind: str, form: str) -> str:
    if kind == "string":
        return {"date-time": "t", "byte": "y"}.get(form, "s")
    return _TYPES.get(kind, "*")


def _samples(schema: Mapping[str, Any]) -> tuple[Any, ...]:
    """Values at and just beyond the limits that a schema states."""
    found = list(schema.get("enum") or ())
    for keyword, beyond in (("minimum", -1), ("maximum", 1)):
        if isinstance(limit := schema.get(keyword), int | float):
            found += [limit, limit + beyond]
    for keyword, beyond in (("minLength", -1), ("maxLength", 1)):
        if isinstance(limit := schema.get(keyword), int) and schema.get("type") == "string" and limit < 5000:
            found += ["x" * limit, "x" * max(0, limit + beyond)]
    if "default" in schema:
        found.append(schema["default"])
    if schema.get("format") == "duration":
        found += ["5m", "1h30m", "90s", "5 minutes"]
    return tuple(found)
