"""Drift of a workspace: its rendered tree against its lock, and against live clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stowplan.diagnostics.model import Diagnostic, error
from stowplan.drift.model import DesiredObject
from stowplan.drift.rendered import read_rendered_tree
from stowplan.drift.report import DriftFacts
from stowplan.drift.run import DriftOptions, DriftOutcome, run_drift
from stowplan.driver import Compilation, Options
from stowplan.emission.tree import verify
from stowplan.model.fleet import Fleet
from stowplan.model.manifest import Target
from stowplan.ownership.rendered import SharedField
from stowplan.passes.ownership import cluster_facts, type_lookup
from stowplan.schemas import fleet_schemas
from stowplan.source.faults import EnvironmentFault
from stowplan.workspace import OUTPUT, compile_directory, read_lock

__all__ = ["DriftRequest", "drift_workspace"]


@dataclass(frozen=True, slots=True)
class DriftRequest:
    """Where to look: a folder of exports, contexts by cluster, or both; `clusters` restricts it."""

    live: Path | None = None
    contexts: Mapping[str, str] = field(default_factory=dict)
    kubeconfig: str | None = None
    timeout: float = 20.0
    clusters: frozenset[str] | None = None
    earlier: Path | None = None


def drift_workspace(
    root: Path, request: DriftRequest, options: Options | None = None
) -> tuple[DriftOutcome, Compilation]:
    """Compares what is on disk below `rendered/` with its lock and with the clusters.

    Raises:
        EnvironmentFault: the workspace has errors, the tree or the exports cannot be read, a name is unknown.
    """
    done = compile_directory(root, options)
    if done.fleet is None or done.rendered is None:
        raise EnvironmentFault("the workspace has errors; `stowplan check` shows them")
    unknown = sorted({*request.contexts, *(request.clusters or ())} - {*done.fleet.clusters, "karmada"})
    if unknown:
        raise EnvironmentFault(f"the fleet has no cluster `{unknown[0]}`")
    try:
        outcome = run_drift(
            DriftOptions(
                rendered=root / OUTPUT,
                live=request.live,
                contexts=request.contexts,
                kubeconfig=request.kubeconfig,
                timeout=request.timeout,
                clusters=request.clusters,
                earlier=request.earlier,
                facts=_facts(done.fleet, done),
                desired=_desired(root, done),
                check_tree=lambda _: check_tree(root),
            )
        )
    except (OSError, ValueError) as problem:
        raise EnvironmentFault(str(problem)) from problem
    return outcome, done


def check_tree(root: Path) -> tuple[Diagnostic, ...]:
    """The rendered tree against its lock: files edited or removed by hand."""
    lock, complaints = read_lock(root)
    if lock is None:
        return complaints or (
            error("SP1109", f"`{OUTPUT}/` has no lock: nothing was compiled here", helps=("run `stowplan compile`",)),
        )
    found = verify(root, OUTPUT, lock)
    rows = [("is missing", path) for path in found.missing] + [("was edited by hand", path) for path in found.edited]
    return tuple(
        error(
            "SP1109",
            f"`{OUTPUT}/{path}` {what}: it is not what the lock says",
            subject=f"{OUTPUT}/{path}",
            helps=("run `stowplan compile` to write it anew; change inputs or templates, never rendered files",),
        )
        for what, path in rows
    )


def _desired(root: Path, done: Compilation) -> dict[str, list[DesiredObject]]:
    """What the engines sync: the files on disk. Those that are as just compiled need not be parsed."""
    assert done.rendered is not None
    desired: dict[str, list[DesiredObject]] = {}
    changed = False
    for made in done.rendered.objects:
        path = root / OUTPUT / made.path
        try:
            changed |= path.read_bytes() != made.text.encode()
        except FileNotFoundError:
            changed = True
        unit = made.unit
        desired.setdefault(unit.target.name, []).append(
            DesiredObject(made.object, unit.target.engine, unit.folder, made.path, made.manifest.delivered_by)
        )
    if not changed:
        return desired
    engines = {o.unit.target.name: o.unit.target.engine for o in done.rendered.objects}
    names = {unit.target.folder.rpartition("/")[2]: unit.target.name for unit in done.rendered.units}
    from_disk: dict[str, list[DesiredObject]] = {}
    for folder, objects in read_rendered_tree(root / OUTPUT, engines).items():
        from_disk.setdefault(names.get(folder, folder), []).extend(objects)
    return from_disk


def _facts(fleet: Fleet, done: Compilation) -> DriftFacts:
    assert done.rendered is not None
    targets: dict[str, Target] = {}
    for made in done.rendered.objects:
        targets.setdefault(made.unit.target.name, made.unit.target)
    schemas = fleet_schemas(fleet)
    sets = {name: schemas(target) for name, target in targets.items()}
    newest = max(sets.values(), key=lambda s: s.minor, default=None)

    def normalise(api_version: str, kind: str, value: Mapping[str, Any]) -> Mapping[str, Any]:
        schema = newest.kind(api_version, kind) if newest is not None else None
        return value if schema is None else schema.normalise(dict(value))

    shared: Sequence[SharedField] = [
        SharedField(row.kind, row.field, row.writers, row.reason, policy.at("sharedFields", index))
        for policy in fleet.policies.ownership
        for index, row in enumerate(policy.spec.shared_fields)
    ]
    engines = frozenset(made.name for made in done.rendered.objects if made.kind in ("Application", "Kustomization"))
    return DriftFacts(
        clusters=cluster_facts(fleet, targets.values()),
        types=type_lookup(schemas, targets),
        normalise=normalise,
        shared_fields=shared,
        applications=engines,
    )
