"""What the `policy` commands work with: a workspace's policies compiled, or the shipped ones where there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stowplan.diagnostics.model import Diagnostic, Severity
from stowplan.model.entity import Entity
from stowplan.model.exposed import cluster_value, flavor_value, fleet_value, intent_value, tenant_value
from stowplan.model.fleet import Fleet
from stowplan.model.inputs.policies import GuardrailPolicySpec
from stowplan.policies.guard import compile_guardrails
from stowplan.policies.guardrails import Guardrail, compile_guardrail
from stowplan.policies.placement import compile_placement
from stowplan.policies.shipped import SHIPPED_CODES, shipped_guardrails
from stowplan.policies.testing import TestSubjects
from stowplan.schema.sets import SchemaSet
from stowplan.source.files import SourceTree

__all__ = ["Workbench", "open_workbench"]

_NEWEST = 36


@dataclass(frozen=True, slots=True)
class Workbench:
    """Policies and what they are judged with; `fleet` is None outside of a workspace."""

    tree: SourceTree
    fleet: Fleet | None
    guardrails: tuple[Guardrail, ...]
    schemas: tuple[SchemaSet, ...]
    subjects: TestSubjects
    diagnostics: tuple[Diagnostic, ...]

    @property
    def failed(self) -> bool:
        """Whether the policies cannot be used as they are."""
        return any(d.severity is Severity.ERROR for d in self.diagnostics)

    def guardrail(self, name: str) -> Entity[GuardrailPolicySpec] | None:
        """The policy of a name or a code."""
        found = next((g for g in self.guardrails if name in (g.name, g.code)), None)
        return None if found is None else found.entity

    def minors(self) -> Mapping[int, Sequence[str]]:
        """The clusters by Kubernetes minor; one minor without clusters outside of a workspace."""
        if self.fleet is None:
            return {_NEWEST: ()}
        found: dict[int, list[str]] = {}
        for cluster in self.fleet.clusters.values():
            found.setdefault(cluster.minor, []).append(cluster.name)
        return found


def open_workbench(root: Path) -> Workbench:
    """The policies of the workspace at `root`; the shipped ones alone where `root` holds no workspace."""
    if not (root / "fleet").is_dir():
        return _shipped_only()
    from stowplan.diagnostics.from_source import diagnose_problems
    from stowplan.passes.load import component_folders, load
    from stowplan.passes.resolve import resolve
    from stowplan.schemas import fleet_schemas, own_packs, schema_sets

    tree = SourceTree.read(root)
    documents = [document for file in tree.files for document in file.documents]
    loaded = load(documents, component_folders(documents))
    resolved = resolve(loaded.value, None)
    found = [*diagnose_problems(tree.problems), *loaded.diagnostics, *resolved.diagnostics]
    fleet = resolved.value
    if fleet is None:
        return Workbench(tree, None, (), (), TestSubjects({}, {}, {}), tuple(found))
    own = own_packs(fleet, tree)
    schemas = schema_sets(fleet, fleet_schemas(fleet, own.value))
    compiled = compile_guardrails(fleet, schemas)
    placement = compile_placement(fleet)
    found += [*own.diagnostics, *compiled.diagnostics, *placement.diagnostics]
    subjects = TestSubjects(_named(compiled.value.all), placement.value.by_policy(), _values(fleet), fleet_value(fleet))
    return Workbench(tree, fleet, compiled.value.all, schemas, subjects, tuple(found))


def _shipped_only() -> Workbench:
    from stowplan.schema.shipped import shipped_pack

    schemas = (SchemaSet((shipped_pack(),), _NEWEST),)
    found: list[Diagnostic] = []
    made = [
        compile_guardrail(entity, schemas, found, code=SHIPPED_CODES[entity.name], is_shipped=True)
        for entity in shipped_guardrails()
    ]
    guardrails = tuple(g for g in made if g is not None)
    subjects = TestSubjects(_named(guardrails), {}, {})
    return Workbench(SourceTree.from_texts({}), None, guardrails, schemas, subjects, tuple(found))


def _named(guardrails: Sequence[Guardrail]) -> dict[str, Guardrail]:
    named = {g.name: g for g in guardrails}
    named.update({g.code: g for g in guardrails if g.is_shipped})
    return named


def _values(fleet: Fleet) -> dict[str, dict[str, dict[str, Any]]]:
    return {
        "cluster": {name: cluster_value(cluster) for name, cluster in fleet.clusters.items()},
        "tenant": {name: tenant_value(fleet, name) for name in fleet.tenants},
        "flavor": {name: flavor_value(fleet, name) for name in fleet.flavors},
        "intent": {workload.name: intent_value(workload) for workload in fleet.workloads},
    }
