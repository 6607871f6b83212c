"""References between documents: each name must exist, and a broken target keeps its users silent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stowplan.diagnostics.model import Diagnostic, Label, error
from stowplan.diagnostics.suggest import did_you_mean
from stowplan.model.entity import Entity
from stowplan.model.inputs.cluster import COMPONENT_NAMES
from stowplan.passes.load import ANY_KIND, ANY_NAME, Loaded
from stowplan.source.span import Origin

__all__ = ["Names", "check_references"]

_CODE = {
    "Flavor": "SP0301",
    "Cluster": "SP0302",
    "Tenant": "SP0306",
    "Artifact": "SP0307",
    "priority": "SP0308",
    "Cohort": "SP0309",
    "component": "SP0312",
    "intent": "SP0313",
    "region": "SP0318",
}


class Names:
    """What names exist, and the complaints about those that do not."""

    def __init__(self, loaded: Loaded) -> None:
        """Collects the names of all entities and of the poisoned documents."""
        self.found: list[Diagnostic] = []
        self._known = {kind: {e.name for e in entities} for kind, entities in loaded.entities.items()}
        self._known["intent"] = {n for k, names in self._known.items() if k.endswith("Intent") for n in names}
        self._known["region"] = {c.spec.region for c in loaded.entities["Cluster"]}
        self._known["component"] = set(COMPONENT_NAMES)
        fleets = loaded.entities["Fleet"]
        self._known["priority"] = set(fleets[0].spec.priorities) if fleets else set()
        self._silent = {("intent" if kind.endswith("Intent") else kind, name) for kind, name in loaded.poisoned}
        self._has_fleet = bool(fleets)
        self._poisoned_clusters = loaded.may_have("Cluster")

    def need(self, kind: str, name: str, origin: Origin) -> bool:
        """Whether the name exists; if not, a diagnostic is recorded."""
        if name in self._known[kind]:
            return True
        if not self._silent.isdisjoint(((kind, name), (kind, ANY_NAME), (ANY_KIND, name))) or (
            kind == "priority" and not self._has_fleet
        ):
            return False
        if kind == "region" and self._poisoned_clusters:
            return False
        helps = did_you_mean(name, self._known[kind])
        if not helps:
            names = sorted(self._known[kind])[:8]
            helps = (f"known: {', '.join(f'`{n}`' for n in names)}",) if names else (f"the workspace states no {kind}",)
        self.found.append(error(_CODE[kind], f"unknown {kind} `{name}`", origin, helps=helps))
        return False

    def need_all(self, kind: str, names: Iterable[str] | None, origin: Origin) -> None:
        """Looks up each of a list of names; says when one is stated twice."""
        seen: dict[str, int] = {}
        for index, name in enumerate(names or ()):
            self.need(kind, name, origin / index)
            if name in seen:
                self.repeated(f"`{name}`", origin / index, origin / seen[name])
            seen.setdefault(name, index)

    def repeated(self, what: str, later: Origin, first: Origin) -> None:
        """Reports something stated twice, at the later place."""
        self.found.append(
            error("SP0317", f"{what} is stated twice", later, "again here", secondary=(Label(first, "first here"),))
        )

    def need_unique(self, keys: Iterable[tuple[Any, str]], origin: Origin) -> None:
        """Rows by key: (key, how to call it) in order; a key met before is reported at the later row."""
        first: dict[Any, int] = {}
        for index, (key, what) in enumerate(keys):
            if key in first:
                self.repeated(what, origin / index, origin / first[key])
            first.setdefault(key, index)


def check_references(loaded: Loaded) -> tuple[Diagnostic, ...]:
    """Every reference of every document."""
    names = Names(loaded)
    for kind, check in _CHECKS.items():
        for entity in loaded.entities[kind]:
            check(entity, names)
    return tuple(names.found)


def _fleet(entity: Entity[Any], names: Names) -> None:
    hubs = entity.spec.hubs
    for part in ("gitops", "kueue", "karmada"):
        hub = getattr(hubs, part)
        if hub is not None:
            names.need("Cluster", hub.cluster, entity.at("hubs", part, "cluster"))
    names.need("priority", entity.spec.default_priority, entity.at("defaultPriority"))


def _cluster(entity: Entity[Any], names: Names) -> None:
    for component in entity.spec.components:
        names.need("component", component, entity.at("components", component).key())


def _cohort(entity: Entity[Any], names: Names) -> None:
    if entity.spec.parent is not None:
        names.need("Cohort", entity.spec.parent, entity.at("parent"))
    _quota_rows(entity, names)


def _quota_rows(entity: Entity[Any], names: Names) -> None:
    rows = entity.spec.quota
    for index, row in enumerate(rows):
        names.need("Flavor", row.flavor, entity.at("quota", index, "flavor"))
        if row.cluster != "*":
            names.need("Cluster", row.cluster, entity.at("quota", index, "cluster"))
    keys = [((r.flavor, r.cluster), f"quota of `{r.flavor}` in `{r.cluster}`") for r in rows]
    names.need_unique(keys, entity.at("quota"))


def _tenant(entity: Entity[Any], names: Names) -> None:
    spec = entity.spec
    if spec.cohort is not None:
        names.need("Cohort", spec.cohort, entity.at("cohort"))
    names.need_all("priority", spec.priorities, entity.at("priorities"))
    names.need_all("Cluster", spec.allow.clusters, entity.at("allow", "clusters"))
    names.need_all("Flavor", spec.allow.flavors, entity.at("allow", "flavors"))
    names.need_all("region", spec.allow.regions, entity.at("allow", "regions"))
    _quota_rows(entity, names)


def _artifact(entity: Entity[Any], names: Names) -> None:
    locations = entity.spec.locations
    for index, location in enumerate(locations):
        if location.cluster is not None:
            names.need("Cluster", location.cluster, entity.at("locations", index, "cluster"))
    keys = [(p.cluster, f"the copy in `{p.cluster or 'every cluster'}`") for p in locations]
    names.need_unique(keys, entity.at("locations"))


def _snapshot(entity: Entity[Any], names: Names) -> None:
    spec = entity.spec
    names.need("Cluster", spec.cluster, entity.at("cluster"))
    for index, group in enumerate(spec.node_groups):
        names.need("Flavor", group.flavor, entity.at("nodeGroups", index, "flavor"))
    for part, rows in (("queues", spec.queues), ("prices", spec.prices)):
        for index, row in enumerate(rows):
            names.need("Flavor", row.flavor, entity.at(part, index, "flavor"))
        names.need_unique([(r.flavor, f"`{r.flavor}`") for r in rows], entity.at(part))
    for index, row in enumerate(spec.running):
        names.need("intent", row.intent, entity.at("running", index, "intent"))
        names.need("Flavor", row.flavor, entity.at("running", index, "flavor"))
    for index, row in enumerate(spec.cached):
        names.need("Artifact", row.artifact, entity.at("cached", index, "artifact"))
    names.need_unique([(g.name, f"node group `{g.name}`") for g in spec.node_groups], entity.at("nodeGroups"))
    names.need_unique(
        [(t.from_region, f"transfer from `{t.from_region}`") for t in spec.transfer], entity.at("transfer")
    )
    names.need_unique([(c.artifact, f"`{c.artifact}`") for c in spec.cached], entity.at("cached"))


def _intent(entity: Entity[Any], names: Names) -> None:
    spec = entity.spec
    names.need("Tenant", spec.tenant, entity.at("tenant"))
    if spec.priority is not None:
        names.need("priority", spec.priority, entity.at("priority"))
    names.need_all("Cluster", spec.clusters, entity.at("clusters"))
    if getattr(spec, "route", None) is not None:
        names.need("Cluster", spec.route.cluster, entity.at("route", "cluster"))
    if hasattr(spec, "image"):
        names.need("Artifact", spec.image, entity.at("image"))
    for index, data in enumerate(getattr(spec, "data", ())):
        names.need("Artifact", data.artifact, entity.at("data", index, "artifact"))
    if entity.kind == "InferenceIntent":
        names.need("Artifact", spec.model, entity.at("model"))
        names.need("Artifact", spec.engine.image, entity.at("engine", "image"))
        for index, row in enumerate(spec.regions):
            names.need("region", row.region, entity.at("regions", index, "region"))
        names.need_unique([(r.region, f"region `{r.region}`") for r in spec.regions], entity.at("regions"))
    elif getattr(spec, "regions", None) is not None:
        names.need_all("region", spec.regions, entity.at("regions"))


def _component(entity: Entity[Any], names: Names) -> None:
    spec = entity.spec
    names.need_all("Cluster", spec.selector.clusters, entity.at("selector", "clusters"))
    seen: dict[str, int] = {}
    for index, override in enumerate(spec.overrides):
        names.need_all("Cluster", override.clusters, entity.at("overrides", index, "clusters"))
        for step, cluster in enumerate(override.clusters):
            if cluster in seen and seen[cluster] != index:
                first = entity.at("overrides", seen[cluster], "clusters")
                names.repeated(f"an override for `{cluster}`", entity.at("overrides", index, "clusters", step), first)
            seen.setdefault(cluster, index)


def _rollout(entity: Entity[Any], names: Names) -> None:
    for index, wave in enumerate(entity.spec.waves):
        names.need_all("Cluster", wave.clusters, entity.at("waves", index, "clusters"))
    names.need_unique([(w.name, f"wave `{w.name}`") for w in entity.spec.waves], entity.at("waves"))


_CHECKS = {
    "Fleet": _fleet,
    "Cluster": _cluster,
    "Cohort": _cohort,
    "Tenant": _tenant,
    "Artifact": _artifact,
    "InventorySnapshot": _snapshot,
    "TrainingIntent": _intent,
    "BatchIntent": _intent,
    "InferenceIntent": _intent,
    "WorkspaceIntent": _intent,
    "Component": _component,
    "RolloutPolicy": _rollout,
}
