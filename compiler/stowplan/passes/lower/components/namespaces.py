"""Namespaces that components' objects need: rendered once a cluster, beside the tenants', and never pruned.

A component's objects cannot be applied before their namespace exists, and a namespace that two components share must not
go with one of them. So each is rendered in the target's `tenancy` unit, which comes first and is protected, unless the
component brings it itself, a tenant has it, or every cluster has it. That a snapshot lists a namespace says nothing
about its owner (after the first sync ours is listed as well), so it does not matter here: where somebody else made it,
applying ours adds two annotations and takes nothing away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from stowplan.diagnostics.model import Diagnostic, Outcome, error
from stowplan.model.fleet import Fleet
from stowplan.model.manifest import Manifest, Target
from stowplan.model.rendered import RenderedObject
from stowplan.passes.lower.guards import PRUNE_GUARDS
from stowplan.passes.lower.targets import cluster_target
from stowplan.passes.lower.tenancy import tenancy_unit
from stowplan.passes.provenance import asked_for, origin_of_field
from stowplan.schema.sets import SchemaSet
from stowplan.source.span import Origin
from stowplan.templates.engine import TemplateSet

__all__ = ["component_namespaces"]

_EVERYWHERE = ("default", "kube-node-lease", "kube-public", "kube-system")
_PREFIX = "component/"


def component_namespaces(
    fleet: Fleet,
    objects: Sequence[RenderedObject],
    chosen: Mapping[str, Sequence[str]],
    schemas_for: Callable[[Target], SchemaSet],
    templates: TemplateSet,
) -> Outcome[tuple[Manifest, ...]]:
    """Manifests of missing namespaces; objects that need one and name none are errors.

    `chosen` are the clusters by component: those that Karmada carries to need the namespace on both sides.
    """
    there = {(made.unit.target.name, made.name) for made in objects if made.kind == "Namespace"}
    made: list[Manifest] = []
    found: dict[Diagnostic, None] = {}
    for placed in objects:
        source = placed.manifest.source
        if not source.startswith(_PREFIX):
            continue
        if placed.namespace is None:
            if schemas_for(placed.unit.target).scope(placed.api_version, placed.kind) == "Namespaced":
                found[_lacks_namespace(placed, templates)] = None
            continue
        for target in _targets(fleet, placed, chosen):
            key = (target.name, placed.namespace)
            if placed.namespace in _EVERYWHERE or key in there:
                continue
            there.add(key)
            made.append(_namespace(target, placed.namespace, placed.manifest.origins[()], source))
    return Outcome(tuple(made), tuple(found))


def _targets(fleet: Fleet, placed: RenderedObject, chosen: Mapping[str, Sequence[str]]) -> Iterable[Target]:
    yield placed.unit.target
    if placed.unit.target.is_karmada:
        for cluster in chosen.get(placed.manifest.source.removeprefix(_PREFIX), ()):
            yield cluster_target(fleet, cluster)


def _namespace(target: Target, namespace: str, origin: Origin, source: str) -> Manifest:
    labels = {"namespace.karmada.io/skip-auto-propagation": "true"} if target.is_karmada else {}
    variables = {"namespace": namespace, "labels": labels, "guards": dict(PRUNE_GUARDS)}
    return Manifest(tenancy_unit(target), "components/namespace", variables, {(): origin}, source)


def _lacks_namespace(placed: RenderedObject, templates: TemplateSet) -> Diagnostic:
    at = origin_of_field(placed, ("metadata",), templates)
    return error(
        "SP0742",
        f"{placed.kind} `{placed.name}` of component `{placed.manifest.source.removeprefix(_PREFIX)}` names no namespace",
        at,
        "lives in a namespace",
        secondary=asked_for(placed.manifest, at),
        helps=("state `metadata.namespace`: engines would put it into `default`",),
    )
