"""Version skew: what a target's schemas lack of an object, named with the clusters that lack it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from stowplan.diagnostics.model import Diagnostic, error, warning
from stowplan.schema.findings import Locate, suggestion
from stowplan.schema.kind import KindSchema
from stowplan.schema.sets import SchemaSet
from stowplan.source.span import Pointer, format_pointer

__all__ = ["missing_fields", "rules_out_of_reach", "unknown_in"]


def missing_fields(value: Mapping[str, Any], kind: KindSchema) -> tuple[Pointer, ...]:
    """The outermost fields of an object that a kind's schema does not have, in the object's order."""
    return tuple(_missing(value, kind, ()))


def _missing(value: Any, kind: KindSchema, pointer: Pointer) -> Iterator[Pointer]:
    steps: Iterable[tuple[str | int, Any]]
    if isinstance(value, dict):
        steps = value.items()
    elif isinstance(value, list):
        steps = enumerate(value)
    else:
        return
    for step, item in steps:
        below = (*pointer, step)
        facts = kind.field(below)
        if facts is None:
            yield below
        elif facts.known:
            yield from _missing(item, kind, below)


def unknown_in(
    value: Mapping[str, Any], targets: Mapping[str, SchemaSet], locate: Locate, *, subject: str | None = None
) -> tuple[Diagnostic, ...]:
    """What of an object the clusters in `targets` (schemas by cluster) do not know, one finding a field or kind.

    Clusters that share a `SchemaSet` are looked at once.
    """
    api_version, name = str(value.get("apiVersion")), str(value.get("kind"))
    lacking: list[str] = []
    fields: dict[Pointer, list[str]] = {}
    seen: dict[int, tuple[Pointer, ...] | None] = {}
    helps: dict[Pointer, str] = {}
    for cluster in sorted(targets):
        schemas = targets[cluster]
        kind = schemas.kind(api_version, name)
        if id(schemas) not in seen:
            seen[id(schemas)] = None if kind is None else missing_fields(value, kind)
        missing = seen[id(schemas)]
        if missing is None or kind is None:
            lacking.append(cluster)
            continue
        for pointer in missing:
            fields.setdefault(pointer, []).append(cluster)
            helps.setdefault(pointer, suggestion(kind, pointer))
    found = [_kind_finding(value, lacking, targets, locate, subject)] if lacking else []
    for pointer, clusters in fields.items():
        text = f"{_on(clusters, targets)} `{name}` of `{api_version}` has no field `{format_pointer(pointer)}`"
        help = (f"did you mean `{helps[pointer]}`?",) if helps[pointer] else ()
        found.append(error("SP0803", text, locate(pointer), helps=help, subject=subject, targets=clusters))
    return tuple(found)


def rules_out_of_reach(schemas: SchemaSet, *, targets: Iterable[str] = ()) -> tuple[Diagnostic, ...]:
    """The CEL rules of a set's kinds that its Kubernetes version cannot compile: such a server refuses the definition."""
    found = []
    clusters = tuple(targets)
    for kind in schemas.custom_kinds():
        for node, root in kind.nodes_with_rules():
            for rule in kind.engine.rules(node, root=root):
                if rule.broken:
                    text = f"a rule of `{kind.kind}` of `{kind.api_version}` does not compile on Kubernetes 1.{schemas.minor}"
                    notes = (f"the rule: {rule.rule.text.strip()[:300]}", rule.broken)
                    found.append(warning("SP0814", text, notes=notes, subject=f"kind/{kind.kind}", targets=clusters))
    return tuple(found)


def _kind_finding(
    value: Mapping[str, Any], lacking: list[str], targets: Mapping[str, SchemaSet], locate: Locate, subject: str | None
) -> Diagnostic:
    api_version, name = str(value.get("apiVersion")), str(value.get("kind"))
    group = api_version.rpartition("/")[0]
    served = sorted({version for cluster in lacking for version in targets[cluster].versions(group, name)})
    text = f"{_on(lacking, targets)} no kind `{name}` is served in version `{api_version}`"
    helps = (f"served there: {', '.join(f'`{group}/{version}`' for version in served)}",) if served else ()
    return error("SP0801", text, locate(("apiVersion",)), helps=helps, subject=subject, targets=lacking)


def _on(clusters: list[str], targets: Mapping[str, SchemaSet]) -> str:
    if len(clusters) == 1:
        return f"on cluster `{clusters[0]}`"
    return f"on {len(clusters)} of {len(targets)} clusters"
