"""The ownership pass: who writes which field of what is rendered, checked against the atlas and the planes table."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

from stowplan.diagnostics.model import Label, Outcome
from stowplan.model.fleet import Fleet
from stowplan.model.manifest import Target, Unit
from stowplan.model.rendered import RenderedObject
from stowplan.model.workload import ROLE_BY_KIND
from stowplan.ownership.check import OwnershipInput, check_ownership
from stowplan.ownership.ignore import IgnoreRule, ignore_rules
from stowplan.ownership.ownermap import OwnershipMap
from stowplan.ownership.rendered import ClusterFacts, SharedField
from stowplan.ownership.rendered import RenderedObject as OwnedObject
from stowplan.ownership.schemafacts import SchemaTypes
from stowplan.ownership.units import TypeLookup
from stowplan.passes.provenance import asked_for, origin_of_field
from stowplan.schema.sets import SchemaSet
from stowplan.source.span import Origin, Pointer
from stowplan.templates.engine import Rendered, TemplateSet
from stowplan.templates.shape import Hole, Joined, Shape

__all__ = ["assign_ownership", "cluster_facts", "engine_ignores", "type_lookup"]


def type_lookup(schemas: Callable[[Target], SchemaSet], targets: Mapping[str, Target]) -> TypeLookup:
    """Structural facts of any kind on any target, from the target's schemas."""
    sets = {name: schemas(target) for name, target in targets.items()}
    return SchemaTypes(
        lambda target, api_version, kind: sets[target].kind(api_version, kind), lambda target: sets[target].minor
    )


def engine_ignores(ownership: OwnershipMap, units: Iterable[Unit]) -> dict[str, tuple[IgnoreRule, ...]]:
    """Ignore rules by unit folder: what is rendered, shared on purpose, and written at run time."""
    found = {unit.folder: ignore_rules(ownership, unit.target.name, unit.folder) for unit in units}
    return {folder: rules for folder, rules in found.items() if rules}


def assign_ownership(
    fleet: Fleet, objects: Sequence[RenderedObject], types: TypeLookup, templates: TemplateSet
) -> Outcome[OwnershipMap]:
    """The ownership map and all conflicts."""
    keys = _ShapeKeys()
    made = {o.path: o for o in objects}

    def locate(owned: OwnedObject, pointer: Pointer) -> tuple[Origin, tuple[Label, ...]] | None:
        found = made.get(owned.path)
        if found is None:
            return None
        origin = origin_of_field(found, pointer, templates)
        return origin, asked_for(found.manifest, origin)

    shared = [
        SharedField(row.kind, row.field, row.writers, row.reason, policy.at("sharedFields", index))
        for policy in fleet.policies.ownership
        for index, row in enumerate(policy.spec.shared_fields)
    ]
    return check_ownership(
        OwnershipInput(
            objects=[_owned(fleet, o, keys) for o in objects],
            clusters=cluster_facts(fleet, {o.unit.target for o in objects}),
            types=types,
            shared_fields=shared,
            planes=_planes(fleet),
            locate=locate,
        )
    )


def _owned(fleet: Fleet, made: RenderedObject, keys: _ShapeKeys) -> OwnedObject:
    unit = made.unit
    return OwnedObject(
        target=unit.target.name,
        unit=unit.folder,
        path=made.path,
        api_version=made.api_version,
        kind=made.kind,
        namespace=made.namespace or "",
        name=made.name,
        object=made.object,
        engine=unit.target.engine,
        delivered_by=made.manifest.delivered_by,
        workload_class=_workload_class(fleet, made.manifest.source),
        shape_key=keys.of(made),
    )


def _workload_class(fleet: Fleet, source: str) -> str:
    kind, _, name = source.partition("/")
    if kind == "component":
        return "components"
    workload = fleet.workload(name) if kind == "workload" else None
    if workload is None or workload.entity.spec.dispatch is not None:
        return (
            ""  # an intent that names its own dispatch owner is an exception to the table, stated where all can see it
        )
    return ROLE_BY_KIND[workload.kind]


def cluster_facts(fleet: Fleet, targets: Iterable[Target]) -> dict[str, ClusterFacts]:
    """What decides which controllers write on each target, by its name."""
    facts: dict[str, ClusterFacts] = {}
    karmada = fleet.spec.hubs.karmada
    for target in sorted(targets):
        cluster = fleet.clusters[target.cluster]
        if target.is_karmada and karmada is not None:
            components = {"karmada": karmada.version}
            facts[target.name] = ClusterFacts(target.name, karmada.kubernetes, components, target.engine, "karmada")
            continue
        components = dict(cluster.spec.components)
        if cluster.spec.karmada is not None and karmada is not None:
            components.setdefault("karmada", karmada.version)
        hub = "kueue" if fleet.spec.hubs.kueue is not None and fleet.spec.hubs.kueue.cluster == target.cluster else ""
        facts[target.name] = ClusterFacts(
            target.name, cluster.spec.kubernetes, components, target.engine, hub, dict(cluster.labels)
        )
    return facts


def _planes(fleet: Fleet) -> dict[str, str]:
    """The planes table, nested rows as `workloadPlacement.training`."""
    table: dict[str, str] = {}
    for name, value in fleet.spec.planes.model_dump(by_alias=True).items():
        if isinstance(value, dict):
            table.update({f"{name}.{row}": owner for row, owner in value.items()})
        else:
            table[name] = value
    return table


class _ShapeKeys:
    """Keys under which objects have equal fields: the shape, and those values that make up keys or structure."""

    def __init__(self) -> None:
        self._structural: dict[int, tuple[int, ...]] = {}
        self._numbers: dict[Hashable, int] = {}
        self._known: dict[int, tuple[Rendered, int]] = {}

    def of(self, made: RenderedObject) -> int:
        """The key of one object: a number, since it is looked up often."""
        known = self._known.get(id(made.rendered))
        if known is None:
            number = self._numbers.setdefault(self._key(made), len(self._numbers))
            # The document is kept beside its number, so that its id stays its own.
            known = self._known[id(made.rendered)] = (made.rendered, number)
        return known[1]

    def _key(self, made: RenderedObject) -> Hashable:
        shape, values = made.rendered.shape, made.rendered.values
        known = self._structural.get(id(shape))
        if known is None:
            known = self._structural[id(shape)] = _structural_holes(shape)
        collections = tuple((i, _frozen(v)) for i, v in enumerate(values) if isinstance(v, dict | list))
        return (id(shape), made.api_version, made.kind, tuple(_frozen(values[i]) for i in known), collections)


def _structural_holes(shape: Shape) -> tuple[int, ...]:
    """Holes in keys, and holes of list items, which may be list keys."""
    found: dict[int, None] = {}
    for path, leaf in shape.leaves():
        for step in path:
            found.update(dict.fromkeys(_holes(step)))
        if any(isinstance(step, int) for step in path):
            found.update(dict.fromkeys(_holes(leaf)))
    return tuple(found)


def _holes(node: Any) -> list[int]:
    if isinstance(node, Hole):
        return [node.index]
    if isinstance(node, Joined):
        return [part.index for part in node.parts if isinstance(part, Hole)]
    return []


def _frozen(value: Any) -> Hashable:
    if isinstance(value, Mapping):
        return tuple((k, _frozen(v)) for k, v in value.items())
    if isinstance(value, list | tuple):
        return tuple(map(_frozen, value))
    return value if isinstance(value, Hashable) else repr(value)
