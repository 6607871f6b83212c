"""Version skew: fields that a guardrail reads and some clusters lack, rules of definitions that some cannot compile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from stowplan.diagnostics.model import Diagnostic, warning
from stowplan.model.manifest import Target
from stowplan.model.rendered import RenderedObject
from stowplan.policies.guardrails import Guardrail
from stowplan.schema.custom import CustomKind
from stowplan.schema.kind import KindSchema
from stowplan.schema.sets import SchemaSet

__all__ = ["guardrail_skew", "rule_skew"]


def guardrail_skew(
    guardrails: Iterable[Guardrail], objects: Iterable[RenderedObject], schemas_for: Callable[[Target], SchemaSet]
) -> tuple[Diagnostic, ...]:
    """One warning for each field of a kind that a guardrail reads and only some of the clusters know."""
    own = [guardrail for guardrail in guardrails if not guardrail.is_shipped]
    kinds = _kinds_by_cluster(objects, schemas_for) if own else {}
    found = []
    for guardrail in own:
        paths = sorted(path[1:] for path in guardrail.reads if path[0] == "object" and len(path) > 1)
        for (api_version, kind), clusters in kinds.items():
            if not guardrail.matches_kind(api_version, kind):
                continue
            for path in paths:
                lacking = [name for name, schema in clusters.items() if schema.field(path) is None]
                if lacking and len(lacking) < len(clusters):
                    found.append(_finding(guardrail, api_version, kind, path, lacking, len(clusters)))
    return tuple(found)


def rule_skew(objects: Iterable[RenderedObject], schemas_for: Callable[[Target], SchemaSet]) -> tuple[Diagnostic, ...]:
    """One warning for each CEL rule of a rendered kind's definition that a cluster's version cannot compile."""
    lacking: dict[tuple[str, str, str, str], list[str]] = {}
    for (api_version, kind), clusters in _kinds_by_cluster(objects, schemas_for).items():
        for cluster, schema in clusters.items():
            for text, problem in _broken_rules(schema):
                lacking.setdefault((api_version, kind, text, problem), []).append(cluster)
    return tuple(
        warning(
            "SP0814",
            f"a rule of `{kind}` of `{api_version}` does not compile on {_clusters(names)}",
            notes=(f"the rule: {text.strip()[:300]}", problem),
            subject=f"kind/{kind}",
            targets=sorted(names),
        )
        for (api_version, kind, text, problem), names in lacking.items()
    )


def _broken_rules(schema: KindSchema) -> Iterator[tuple[str, str]]:
    if not isinstance(schema, CustomKind):
        return
    for node, root in schema.nodes_with_rules():
        for rule in schema.engine.rules(node, root=root):
            if rule.broken:
                yield rule.rule.text, rule.broken


def _clusters(names: list[str]) -> str:
    return f"cluster `{names[0]}`" if len(names) == 1 else f"{len(names)} clusters"


def _kinds_by_cluster(
    objects: Iterable[RenderedObject], schemas_for: Callable[[Target], SchemaSet]
) -> dict[tuple[str, str], dict[str, KindSchema]]:
    kinds: dict[tuple[str, str], dict[str, KindSchema]] = {}
    for made in objects:
        of_kind = kinds.setdefault((made.api_version, made.kind), {})
        target = made.unit.target
        if target.name not in of_kind:
            schema = schemas_for(target).kind(made.api_version, made.kind)
            if schema is not None:
                of_kind[target.name] = schema
    return kinds


def _finding(
    guardrail: Guardrail, api_version: str, kind: str, path: tuple[str, ...], lacking: list[str], total: int
) -> Diagnostic:
    where = f"cluster `{lacking[0]}`" if len(lacking) == 1 else f"{len(lacking)} of {total} clusters"
    return warning(
        "SP0815",
        f"guardrail `{guardrail.name}` reads `{'.'.join(path)}`, which `{kind}` of `{api_version}` does not have on {where}",
        guardrail.entity.name_origin,
        notes=("where the field does not exist it can neither be set nor required",),
        helps=("limit the guardrail with `match.clusters`, or ask with `has(...)` first",),
        targets=sorted(lacking),
    )
