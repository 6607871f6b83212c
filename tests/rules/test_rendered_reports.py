"""Rules whose cause is a template of the workspace and whose place is the input behind it: each is reported once planted."""

from __future__ import annotations

from pathlib import Path

import pytest
from rules_overlay import base, compile_overlay

from stowplan.diagnostics.from_source import diagnose_problems
from stowplan.diagnostics.model import Severity
from stowplan.driver import Options, compile_workspace
from stowplan.passes.placement.problem import Previous
from stowplan.rules.registry import REGISTRY
from stowplan.source.files import SourceTree

TEMPLATE = "templates/tenancy/namespace.yaml.j2"
HEAD = "apiVersion: v1\nkind: Namespace\n"
GOOD = f"{HEAD}metadata:\n  name: {{{{ namespace }}}}\n  labels: {{{{ labels }}}}\nspec: {{}}\n"

ROLE = "templates/tenancy/role.yaml.j2"
POLICY = "templates/tenancy/networkpolicy.yaml.j2"
NAMED = "metadata:\n  name: planted\n  namespace: {{ namespace }}\n"

OTHERS = {
    "SP0804": (
        ROLE,
        f"apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\n{NAMED}rules: [{{apiGroups: [batch], resources: [jobs]}}]\n",
    ),
    "SP0806": (
        POLICY,
        f"apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n{NAMED}spec: {{podSelector: {{}}, policyTypes: [Sideways]}}\n",
    ),
}
"""Planted in another template than that of the namespace."""

PLANTED = {
    "SP0802": GOOD.replace("{{ labels }}", "{a: [1]}"),
    "SP0706": f"{HEAD}metadata:\n  generateName: team-\nspec: {{}}\n",
    "SP0707": f'{HEAD}metadata:\n  name: "a\\\\b"\nspec: {{}}\n',
    "SP0708": f"{GOOD}---\n{GOOD}",
    "SP0801": GOOD.replace("v1", "v2"),
    "SP0803": GOOD.replace("spec:", "colour: red\nspec:"),
    "SP0807": GOOD.replace("{{ namespace }}", "A.B"),
    "SP0820": GOOD.replace("spec: {}\n", ""),
}


def codes(text: str, template: str = TEMPLATE) -> set[str]:
    assert compile_overlay is not None
    return {d.code for d in compile_overlay({template: text})}


@pytest.mark.parametrize("code", PLANTED)
def test_planted(code: str) -> None:
    assert code in codes(PLANTED[code])
    assert code in REGISTRY.names


@pytest.mark.parametrize("code", OTHERS)
def test_planted__in_another_template(code: str) -> None:
    template, text = OTHERS[code]
    assert code in codes(text, template)


def test_moved() -> None:
    """The lock had the workload on a cluster that is gone."""
    previous = {"pretrain": [Previous("west", "h100", ("b1",), 1)]}
    found = compile_workspace(SourceTree.from_texts(base()), Options(previous=previous)).diagnostics
    [moved] = [d for d in found if d.code == "SP0606"]
    assert moved.severity is Severity.NOTE and "its old place became impossible" in moved.message


def test_link_out_of_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text("a: 1\n")
    folder = tmp_path / "workspace" / "fleet"
    folder.mkdir(parents=True)
    (folder / "linked.yaml").symlink_to(tmp_path / "outside.yaml")
    tree = SourceTree.read(folder.parent)
    assert "SP0113" in {d.code for d in diagnose_problems(tree.problems)}


def test_the_template_without_a_mistake_is_clean() -> None:
    assert codes(GOOD).isdisjoint(PLANTED)
