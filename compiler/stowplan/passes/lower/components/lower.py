"""Components to manifests: a unit for each cluster that is selected, or members' copies for Karmada to carry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stowplan.diagnostics.model import Diagnostic, Label, Severity, error, warning
from stowplan.model.entity import Entity
from stowplan.model.exposed import cluster_value, fleet_value
from stowplan.model.fleet import Cluster, Fleet
from stowplan.model.inputs.policies import ComponentSpec
from stowplan.model.manifest import Manifest, Target, Unit
from stowplan.passes.lower.components.select import check_selection, selected, values_for
from stowplan.passes.lower.components.sources import SourceIndex, Sources, find_sources
from stowplan.passes.lower.targets import cluster_target, karmada_target
from stowplan.source.files import SourceTree
from stowplan.source.span import Origin

__all__ = ["PLAIN", "Components", "lower_components"]

PLAIN = "components/manifest"
"""The template that yields its variable `object` as it is."""


@dataclass(slots=True)
class Components:
    """Manifests, texts of the components' own templates by path, and the chosen clusters by component."""

    manifests: list[Manifest] = field(default_factory=list)
    templates: dict[str, str] = field(default_factory=dict)
    chosen: dict[str, tuple[str, ...]] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def lower_components(fleet: Fleet, tree: SourceTree) -> Components:
    """All components, by name; their files are sound, or the compile has stopped before."""
    made = Components()
    lowering = _Lowering(fleet, made)
    index = SourceIndex(tree)
    for component in fleet.components:
        sources, _ = find_sources(component, index)
        clusters = selected(fleet, component)
        found = check_selection(component, clusters)
        delivery = component.spec.delivery or fleet.spec.planes.workload_placement.components
        found += _check_delivery(fleet, component, clusters, delivery)
        made.diagnostics.extend(found)
        made.chosen[component.name] = tuple(cluster.name for cluster in clusters) if delivery != "none" else ()
        if delivery != "none" and not any(d.severity is Severity.ERROR for d in found):
            made.templates.update(sources.templates)
            lowering.plan_unit(component, clusters, delivery)
            lowering.add(component, clusters, sources, delivery)
    lowering.order()
    return made


def _check_delivery(
    fleet: Fleet, component: Entity[ComponentSpec], clusters: tuple[Cluster, ...], delivery: str
) -> list[Diagnostic]:
    """Who delivers it must be able to: Karmada needs a control plane and members; nobody is a finding."""
    said_here = component.spec.delivery is not None
    plane = fleet.entity.at("planes", "workloadPlacement", "components")
    at = component.at("delivery") if said_here else plane
    if delivery == "none":
        label = Label(plane, "by nobody")
        return [
            warning(
                "SP0747",
                f"nobody delivers component `{component.name}`",
                component.name_origin,
                "not rendered",
                secondary=(label,),
                helps=("name an owner in the planes table, or `delivery` on the component",),
            )
        ]
    if delivery != "karmada":
        return []
    if fleet.spec.hubs.karmada is None:
        return [
            error(
                "SP0746",
                f"component `{component.name}` is to be delivered by Karmada, but the fleet has none",
                at,
                "needs `hubs.karmada`",
            )
        ]
    return [
        error(
            "SP0746",
            f"Karmada cannot deliver component `{component.name}` to cluster `{cluster.name}`, which is no member",
            at,
            "delivered by Karmada",
            secondary=(
                Label(component.at("selector"), "selected here"),
                Label(cluster.entity.name_origin, "no `karmada`"),
            ),
            helps=("make the cluster a member (`karmada: {mode: ...}`), or deliver the component by GitOps",),
            targets=(cluster.name,),
        )
        for cluster in clusters
        if cluster.spec.karmada is None
    ]


class _Lowering:
    """Collects manifests; units are ordered at the end, when all waves on a target are known."""

    def __init__(self, fleet: Fleet, made: Components) -> None:
        self._fleet = fleet
        self._made = made
        self._fleet_value = fleet_value(fleet) if fleet.components else {}
        self._clusters: dict[str, dict[str, Any]] = {}
        self._waves: dict[Target, dict[str, int]] = {}

    def plan_unit(self, component: Entity[ComponentSpec], clusters: tuple[Cluster, ...], delivery: str) -> None:
        """Note the component's wave on each of its targets."""
        for cluster in clusters:
            self._waves.setdefault(self._target(cluster, delivery), {})[component.name] = component.spec.wave

    def add(
        self, component: Entity[ComponentSpec], clusters: tuple[Cluster, ...], sources: Sources, delivery: str
    ) -> None:
        """Every manifest and template for every cluster."""
        for cluster in clusters:
            unit = Unit(
                self._target(cluster, delivery), f"component-{component.name}", component.spec.wave, plane="components"
            )
            carried = {"delivered_by": delivery, "member": cluster.name if delivery == "karmada" else ""}
            source = f"component/{component.name}"
            for origin, value in sources.objects:
                origins = {(): origin, ("object",): origin}
                self._made.manifests.append(Manifest(unit, PLAIN, {"object": value}, origins, source, **carried))
            if sources.templates:
                variables, places = self._variables(component, cluster)
                for path, _ in sources.templates:
                    self._made.manifests.append(Manifest(unit, path, variables, places, source, **carried))

    def _target(self, cluster: Cluster, delivery: str) -> Target:
        karmada = karmada_target(self._fleet) if delivery == "karmada" else None
        return karmada or cluster_target(self._fleet, cluster.name)

    def _variables(
        self, component: Entity[ComponentSpec], cluster: Cluster
    ) -> tuple[dict[str, Any], Mapping[Any, Origin]]:
        """What templates see: `values`, `cluster` and `fleet` as policies see them, and `component`."""
        if cluster.name not in self._clusters:
            self._clusters[cluster.name] = cluster_value(cluster)
        values, origins = values_for(component, cluster.name)
        entity, fleet = cluster.entity, self._fleet.entity
        places = {
            (): component.origin,
            **origins,
            ("cluster",): entity.origin.below(("spec",)),
            ("cluster", "name"): entity.name_origin,
            ("cluster", "labels"): entity.origin.below(("metadata", "labels")),
            ("fleet",): fleet.origin.below(("spec",)),
            ("fleet", "name"): fleet.name_origin,
        }
        if cluster.snapshot is not None:
            places["cluster", "observed"] = cluster.snapshot.origin.below(("spec",))
        variables = {
            "values": values,
            "cluster": self._clusters[cluster.name],
            "fleet": self._fleet_value,
            "component": {"name": component.name, "version": component.spec.version},
        }
        return variables, places

    def order(self) -> None:
        """Each unit waits for the namespaces, and for the components of the wave before on the same target."""
        units: dict[Unit, Unit] = {}
        for manifest in self._made.manifests:
            units.setdefault(manifest.unit, self._ordered(manifest.unit))
        self._made.manifests = [_with_unit(manifest, units[manifest.unit]) for manifest in self._made.manifests]

    def _ordered(self, unit: Unit) -> Unit:
        waves = self._waves[unit.target]
        earlier = {wave for wave in waves.values() if wave < unit.wave}
        before = [f"component-{name}" for name, wave in sorted(waves.items()) if earlier and wave == max(earlier)]
        return Unit(unit.target, unit.name, unit.wave, ("tenancy", *before), unit.plane)


def _with_unit(manifest: Manifest, unit: Unit) -> Manifest:
    return Manifest(
        unit,
        manifest.template,
        manifest.variables,
        manifest.origins,
        manifest.source,
        manifest.delivered_by,
        manifest.member,
    )
