"""Argo CD's AppProject and Applications, Flux's source and Kustomizations: one a unit, derived from what is rendered."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from stowplan.model.fleet import Fleet
from stowplan.model.manifest import Manifest, Target, Unit
from stowplan.model.rendered import RenderedObject
from stowplan.ownership.ignore import IgnoreRule, argocd_ignore_differences, flux_ignore

__all__ = ["ARGOCD_NAMESPACE", "FLUX_NAMESPACE", "application_name", "engine_kinds", "lower_engines", "sync_waves"]

ARGOCD_NAMESPACE = "argocd"
FLUX_NAMESPACE = "flux-system"
_COMMIT = re.compile(r"[0-9a-f]{40}\Z")

_ACTIVE = "status.conditions.filter(e, e.type == 'Active').all(e, e.status == 'True')"
_HEALTH: dict[str, str] = {
    "ClusterQueue": _ACTIVE,
    "LocalQueue": _ACTIVE,
    "AdmissionCheck": _ACTIVE,
    "MultiKueueCluster": _ACTIVE,
    "LeaderWorkerSet": "status.observedGeneration == metadata.generation && "
    "status.conditions.exists(c, c.type == 'Available' && c.status == 'True')",
}
"""Kinds whose health is a condition that kstatus does not know: `Active` of Kueue's, `Available` of replicas on nodes."""

_ARGOCD_KINDS = (("argoproj.io/v1alpha1", "AppProject"), ("argoproj.io/v1alpha1", "Application"))
_FLUX_KINDS = (
    ("kustomize.toolkit.fluxcd.io/v1", "Kustomization"),
    ("source.toolkit.fluxcd.io/v1", "GitRepository"),
)

_UNWAITED = ("jobs",)
"""Units that are not waited for: what runs for days is not a failed sync."""


def lower_engines(
    fleet: Fleet,
    units: Sequence[Unit],
    objects: Sequence[RenderedObject],
    ignores: Mapping[str, Sequence[IgnoreRule]] | None = None,
) -> tuple[Manifest, ...]:
    """Manifests of both engines; `ignores` are ignore rules by unit folder."""
    by_unit: dict[str, list[RenderedObject]] = {}
    for made in objects:
        by_unit.setdefault(made.unit.folder, []).append(made)
    mine: list[Manifest] = []
    argocd = [unit for unit in units if unit.target.engine == "argocd"]
    hub = fleet.spec.hubs.gitops
    if argocd and hub is not None:
        target = Target("gitops", hub.cluster, hub.cluster, "argocd")
        home = Unit(target, "argocd", 0, plane="policy")
        mine.append(_project(fleet, home, argocd, by_unit))
        waves = sync_waves(units)
        mine.extend(
            _application(fleet, home, unit, (ignores or {}).get(unit.folder, ()), waves[unit.folder]) for unit in argocd
        )
    flux = [unit for unit in units if unit.target.engine == "flux"]
    by_cluster: dict[str, list[Unit]] = {}
    for unit in flux:
        by_cluster.setdefault(unit.target.cluster, []).append(unit)
    for cluster, here in sorted(by_cluster.items()):
        home = Unit(Target("gitops/flux", cluster, cluster, "flux"), cluster, 0, plane="policy")
        mine.append(_source(fleet, home))
        for unit in here:
            rules = (ignores or {}).get(unit.folder, ())
            mine.append(_kustomization(fleet, home, unit, here, by_unit.get(unit.folder, []), rules))
    return tuple(mine)


def engine_kinds(fleet: Fleet, units: Iterable[Unit]) -> dict[str, set[tuple[str, str]]]:
    """ApiVersion and kind of the engines' own objects, by the name of the target that they are rendered for."""
    found: dict[str, set[tuple[str, str]]] = {}
    hub = fleet.spec.hubs.gitops
    for unit in units:
        if unit.target.engine == "flux":
            found.setdefault(unit.target.cluster, set()).update(_FLUX_KINDS)
        elif hub is not None:
            found.setdefault(hub.cluster, set()).update(_ARGOCD_KINDS)
    return found


def application_name(unit: Unit) -> str:
    """Name of a unit's Application or Kustomization: `<cluster>-<unit>`, `hub-kueue-<unit>`, `karmada-<unit>`."""
    prefix = {"hubs/kueue": "hub-kueue", "hubs/karmada": "karmada"}.get(unit.target.folder, unit.target.name)
    return f"{prefix}-{unit.name}"


def _origins(fleet: Fleet, **places: str) -> dict[Any, Any]:
    origins: dict[Any, Any] = {(): fleet.entity.at("gitops")}
    origins.update({(name,): fleet.entity.at("gitops", place) for name, place in places.items()})
    return origins


def _project(fleet: Fleet, home: Unit, units: Iterable[Unit], by_unit: Mapping[str, list[RenderedObject]]) -> Manifest:
    cluster_kinds: set[tuple[str, str]] = set()
    namespaced_kinds: set[tuple[str, str]] = set()
    destinations: set[tuple[str, str]] = set()
    for unit in units:
        destinations.add((unit.target.name, "default"))
        for made in by_unit.get(unit.folder, []):
            group = made.api_version.rpartition("/")[0]
            if made.namespace is None:
                cluster_kinds.add((group, made.kind))
            else:
                namespaced_kinds.add((group, made.kind))
                destinations.add((unit.target.name, made.namespace))
    variables = {
        "name": fleet.name,
        "namespace": ARGOCD_NAMESPACE,
        "description": f"everything that Stowplan renders for fleet {fleet.name}",
        "repository": fleet.spec.gitops.repository,
        "cluster_kinds": [{"group": g, "kind": k} for g, k in sorted(cluster_kinds)],
        "namespaced_kinds": [{"group": g, "kind": k} for g, k in sorted(namespaced_kinds)],
        "destinations": [{"name": name, "namespace": namespace} for name, namespace in sorted(destinations)],
    }
    return Manifest(
        home, "argocd/appproject", variables, _origins(fleet, repository="repository"), f"fleet/{fleet.name}"
    )


def sync_waves(units: Iterable[Unit]) -> dict[str, int]:
    """Argo CD's wave of each unit by folder: its own, but always later than those of the units it depends on."""
    by_name = {(unit.target.folder, unit.name): unit for unit in units}
    waves: dict[str, int] = {}

    def wave(unit: Unit, above: tuple[str, ...] = ()) -> int:
        if unit.folder not in waves:
            needed = [by_name.get((unit.target.folder, name)) for name in unit.depends_on if name not in above]
            before = [wave(one, (*above, unit.name)) for one in needed if one is not None]
            waves[unit.folder] = max([unit.wave, *(found + 1 for found in before)])
        return waves[unit.folder]

    for unit in by_name.values():
        wave(unit)
    return waves


def _application(fleet: Fleet, home: Unit, unit: Unit, ignores: Sequence[IgnoreRule], wave: int) -> Manifest:
    options = [
        "ServerSideApply=true",
        "FailOnSharedResource=true",
        "PruneLast=true",
        "PrunePropagationPolicy=background",
    ]
    if ignores:
        options.append("RespectIgnoreDifferences=true")
    variables = {
        "name": application_name(unit),
        "namespace": ARGOCD_NAMESPACE,
        "project": fleet.name,
        "wave": str(wave),
        "labels": {
            "stowplan.io/fleet": fleet.name,
            "stowplan.io/target": unit.target.name,
            "stowplan.io/unit": unit.name,
        },
        "repository": fleet.spec.gitops.repository,
        "revision": fleet.spec.gitops.revision,
        "path": f"{fleet.spec.gitops.path.strip('/')}/{unit.folder}",
        "destination": unit.target.name,
        "prune": not unit.protected,
        "options": options,
        "ignores": argocd_ignore_differences(ignores),
    }
    origins = _origins(fleet, repository="repository", revision="revision", path="path")
    return Manifest(home, "argocd/application", variables, origins, f"fleet/{fleet.name}")


def _source(fleet: Fleet, home: Unit) -> Manifest:
    revision = fleet.spec.gitops.revision
    if _COMMIT.match(revision):
        reference = {"commit": revision}
    elif revision.startswith("refs/"):
        reference = {"name": revision}
    else:
        reference = {"branch": revision}
    variables = {
        "name": fleet.name,
        "namespace": FLUX_NAMESPACE,
        "url": fleet.spec.gitops.repository,
        "reference": reference,
    }
    origins = _origins(fleet, url="repository", reference="revision")
    return Manifest(home, "flux/gitrepository", variables, origins, f"fleet/{fleet.name}")


def _kustomization(
    fleet: Fleet,
    home: Unit,
    unit: Unit,
    units: Iterable[Unit],
    objects: Iterable[RenderedObject],
    ignores: Sequence[IgnoreRule],
) -> Manifest:
    same_target = {u.name: u for u in units if u.target == unit.target}
    variables = {
        "name": application_name(unit),
        "namespace": FLUX_NAMESPACE,
        "source": fleet.name,
        "path": f"./{fleet.spec.gitops.path.strip('/')}/{unit.folder}",
        "prune": not unit.protected,
        "deletion": "Orphan" if unit.protected else "MirrorPrune",
        "wait": unit.name not in _UNWAITED,
        "timeout": f"{unit.patience_minutes}m",
        "depends_on": [{"name": application_name(same_target[n])} for n in unit.depends_on if n in same_target],
        "health": list(_health(objects)),
        "ignores": flux_ignore(ignores),
        "kubeconfig": "karmada-kubeconfig" if unit.target.is_karmada else None,
    }
    return Manifest(home, "flux/kustomization", variables, _origins(fleet, path="path"), f"fleet/{fleet.name}")


def _health(objects: Iterable[RenderedObject]) -> Iterator[dict[str, str]]:
    kinds = sorted({(made.api_version, made.kind) for made in objects if made.kind in _HEALTH})
    for api_version, kind in kinds:
        yield {"apiVersion": api_version, "kind": kind, "current": _HEALTH[kind]}
