"""Templates of the workspace that replace nothing are named; those that replace or are included are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from stowplan.driver import compile_workspace
from stowplan.source.files import SourceTree

EXAMPLE = Path(__file__).parent.parent / "data" / "example"
BASE = {p.relative_to(EXAMPLE).as_posix(): p.read_text() for p in sorted(EXAMPLE.rglob("*")) if p.is_file()}
OURS = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: {{ namespace }}\n  labels: {{ labels }}\nspec: {}\n"
INCLUDING = OURS.replace("spec: {}", "{% include 'ours/spec.yaml.j2' %}")


@pytest.mark.parametrize(
    ("templates", "idle"),
    [
        ({"tenancy/namespaces.yaml.j2": OURS}, ["templates/tenancy/namespaces.yaml.j2"]),
        ({"ours/spec.yaml.j2": "spec: {}\n"}, ["templates/ours/spec.yaml.j2"]),
        ({"tenancy/namespace.yaml.j2": INCLUDING, "ours/spec.yaml.j2": "spec: {}\n"}, []),
    ],
)
def test_idle(templates: dict[str, str], idle: list[str]) -> None:
    files = {f"templates/{name}": text for name, text in templates.items()}
    done = compile_workspace(SourceTree.from_texts({**BASE, **files}))
    found = [d for d in done.diagnostics if d.code == "SP0721"]
    assert [d.primary.at.path for d in found if d.primary.at] == idle
    assert all("namespace.yaml.j2" in h for d in found if "namespaces" in d.message for h in d.helps)
