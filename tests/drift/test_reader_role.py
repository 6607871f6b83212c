"""The role of those who look for drift: what is rendered for an API server may be listed there, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from stowplan.driver import Compilation, compile_workspace
from stowplan.passes.lower.readers import READER_ROLE
from stowplan.schemas import fleet_schemas
from stowplan.source.files import SourceTree

REPOSITORY = Path(__file__).parents[2]
GROUP = "{kind: Group, name: 'platform:drift'}"
ACCOUNT = "{kind: ServiceAccount, name: drift, namespace: ops}"


def compiled(root: Path, *readers: str, edits: Mapping[str, str] = MappingProxyType({})) -> Compilation:
    files = {
        p.relative_to(root).as_posix(): p.read_text()
        for folder in ("fleet", "policies")
        for p in sorted((root / folder).rglob("*"))
        if p.is_file() and p.suffix in (".yaml", ".j2")
    }
    fleet = files["fleet/fleet.yaml"]
    assert "  currency: USD" in fleet
    start = fleet.find("  drift:")
    if start >= 0:
        fleet = fleet[:start] + fleet[fleet.index("  currency: USD") :]
    if readers:
        fleet = fleet.replace("  currency: USD", f"  drift: {{readers: [{', '.join(readers)}]}}\n  currency: USD", 1)
    for old, new in edits.items():
        assert old in fleet
        fleet = fleet.replace(old, new)
    files["fleet/fleet.yaml"] = fleet
    done = compile_workspace(SourceTree.from_texts(files))
    assert not done.failed(), done.diagnostics
    return done


def roles(done: Compilation) -> dict[str, list[dict[str, Any]]]:
    assert done.rendered is not None
    found = [o for o in done.rendered.objects if o.name == READER_ROLE and o.kind == "ClusterRole"]
    assert len({o.unit.target.name for o in found}) == len(found), "two roles for one API server"
    return {o.unit.target.name: o.object["rules"] for o in found}


@pytest.mark.parametrize("root", [REPOSITORY, REPOSITORY / "tests" / "data" / "example"], ids=["own", "example"])
def test_each_role_lists_exactly_what_is_rendered_there(root: Path) -> None:
    done = compiled(root, GROUP)
    assert done.rendered is not None and done.fleet is not None
    schemas_for = fleet_schemas(done.fleet)
    wanted: dict[str, set[tuple[str, str]]] = {}
    for made in done.rendered.objects:
        kind = schemas_for(made.unit.target).kind(made.api_version, made.kind)
        assert kind is not None
        group = made.api_version.rpartition("/")[0]
        wanted.setdefault(made.unit.target.name, set()).add((group, kind.plural))
    found = {
        name: {(rule["apiGroups"][0], resource) for rule in rules for resource in rule["resources"]}
        for name, rules in roles(done).items()
    }
    assert found == wanted
    for rules in roles(done).values():
        assert {tuple(rule["verbs"]) for rule in rules} == {("list",)}
        assert all(len(rule["apiGroups"]) == 1 for rule in rules)


def test_readers_are_the_subjects_in_the_form_that_rbac_has() -> None:
    done = compiled(REPOSITORY / "tests" / "data" / "example", GROUP, ACCOUNT)
    assert done.rendered is not None
    bindings = [o for o in done.rendered.objects if o.name == READER_ROLE and o.kind == "ClusterRoleBinding"]
    assert len(bindings) == len(roles(done)) > 1
    for binding in bindings:
        assert binding.object["subjects"] == [
            {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "platform:drift"},
            {"kind": "ServiceAccount", "name": "drift", "namespace": "ops"},
        ]


def test_nobody_is_named_and_nothing_is_granted() -> None:
    done = compiled(REPOSITORY / "tests" / "data" / "example")
    assert roles(done) == {}
    assert done.rendered is not None
    assert not any(unit.name == "drift" for unit in done.rendered.units)


def test_a_hub_with_the_engines_own_objects_only_has_a_role_too() -> None:
    init = REPOSITORY / "compiler" / "stowplan" / "data" / "init"
    edits = {"    kueue: {cluster: hub}\n": "", "training: multikueue": "training: direct"}
    done = compiled(init, GROUP, edits=edits)
    assert done.rendered is not None
    on_hub = {made.kind for made in done.rendered.objects if made.unit.target.name == "hub"}
    assert on_hub == {"AppProject", "Application", "ClusterRole", "ClusterRoleBinding"}
    assert set(roles(done)) == {made.unit.target.name for made in done.rendered.objects}
