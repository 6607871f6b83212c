"""Rules whose cause is a template of the workspace and whose place is the input behind it: each is reported once planted."""

from __future__ import annotations

import pytest
from rules_overlay import compile_overlay
from stowplan.rules.registry import REGISTRY

TEMPLATE = "templates/tenancy/namespace.yaml.j2"
HEAD = "apiVersion: v1\nkind: Namespace\n"
GOOD = f"{HEAD}metadata:\n  name: {{{{ namespace }}}}\n  labels: {{{{ labels }}}}\nspec: {{}}\n"

PLANTED = {
    "SP0706": f"{HEAD}metadata:\n  generateName: team-\nspec: {{}}\n",
    "SP0707": f'{HEAD}metadata:\n  name: "a\\\\b"\nspec: {{}}\n',
    "SP0708": f"{GOOD}---\n{GOOD}",
    "SP0801": GOOD.replace("v1", "v2"),
    "SP0803": GOOD.replace("spec:", "colour: red\nspec:"),
    "SP0807": GOOD.replace("{{ namespace }}", "A.B"),
    "SP0820": GOOD.replace("spec: {}\n", ""),
}


def codes(template: str) -> set[str]:
    assert compile_overlay is not None
    return {d.code for d in compile_overlay({TEMPLATE: template})}


@pytest.mark.parametrize("code", PLANTED)
def test_planted(code: str) -> None:
    assert code in codes(PLANTED[code])
    assert code in REGISTRY.names


def test_the_template_without_a_mistake_is_clean() -> None:
    assert codes(GOOD).isdisjoint(PLANTED)
