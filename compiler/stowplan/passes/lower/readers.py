"""What `stowplan drift` may do on each API server: list the kinds that are rendered there, and nothing else.

One role an API server, derived from everything that is rendered for it, the GitOps engines' own objects included. A
role that lists more than the tree holds would let its readers see what is none of their business; one that lists less
leaves a cluster partly unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from stowplan.model.fleet import Fleet
from stowplan.model.inputs.fleet import Reader
from stowplan.model.manifest import Manifest, Target, Unit
from stowplan.model.rendered import RenderedObject
from stowplan.passes.lower.targets import cluster_target
from stowplan.schema.sets import SchemaSet
from stowplan.source.span import Origin

__all__ = ["READER_ROLE", "drift_readers"]

READER_ROLE = "stowplan-drift"
_GROUP = "rbac.authorization.k8s.io"
_OWN = ((f"{_GROUP}/v1", "ClusterRole"), (f"{_GROUP}/v1", "ClusterRoleBinding"))

Kinds = set[tuple[str, str]]
"""apiVersion and kind."""


def drift_readers(
    fleet: Fleet,
    objects: Iterable[RenderedObject],
    engine_kinds: Mapping[str, Kinds],
    schemas_for: Callable[[Target], SchemaSet],
) -> tuple[Manifest, ...]:
    """Role and binding on each API server that something is rendered for; nothing where the fleet names no readers.

    `engine_kinds` are the kinds of the engines' own objects by target name.
    """
    if not fleet.spec.drift.readers:
        return ()
    targets: dict[str, Target] = {}
    kinds: dict[str, Kinds] = {name: {*_OWN, *more} for name, more in engine_kinds.items()}
    for made in objects:
        target = made.unit.target
        targets[target.name] = min(target, targets.get(target.name, target))
        kinds.setdefault(target.name, {*_OWN}).add((made.api_version, made.kind))
    for name in engine_kinds:  # an API server with nothing but the engine's own objects
        targets.setdefault(name, cluster_target(fleet, name))
    return tuple(
        manifest
        for name, target in sorted(targets.items())
        for manifest in _manifests(fleet, target, _rules(kinds[name], schemas_for(target)))
    )


def _rules(kinds: Iterable[tuple[str, str]], schemas: SchemaSet) -> list[dict[str, Any]]:
    """A rule for each API group. A kind that no schema knows is an error of its own, and left out here."""
    resources: dict[str, set[str]] = {}
    for api_version, kind in kinds:
        known = schemas.kind(api_version, kind)
        if known is not None:
            group = api_version.rpartition("/")[0]
            resources.setdefault(group, set()).add(known.plural)
    return [
        {"apiGroups": [group], "resources": sorted(names), "verbs": ["list"]}
        for group, names in sorted(resources.items())
    ]


def _manifests(fleet: Fleet, target: Target, rules: Sequence[Mapping[str, Any]]) -> Iterator[Manifest]:
    unit = Unit(target, "drift", 0, plane="policy")
    at, source = fleet.entity.at("drift"), f"fleet/{fleet.name}"
    origins: dict[Any, Origin] = {(): at}
    yield Manifest(unit, "access/clusterrole", {"name": READER_ROLE, "rules": rules}, origins, source)
    subjects = []
    for index, reader in enumerate(fleet.spec.drift.readers):
        subjects.append(_subject(reader))
        origins["subjects", index] = fleet.entity.at("drift", "readers", index)
    variables = {"name": READER_ROLE, "subjects": subjects}
    yield Manifest(unit, "access/clusterrolebinding", variables, origins, source)


def _subject(reader: Reader) -> dict[str, str]:
    if reader.kind == "ServiceAccount":
        return {"kind": reader.kind, "name": reader.name, "namespace": str(reader.namespace)}
    return {"apiGroup": _GROUP, "kind": reader.kind, "name": reader.name}
