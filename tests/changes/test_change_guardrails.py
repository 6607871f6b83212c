"""Guardrails on changes: what they see, and a memory that changes no outcome."""

from __future__ import annotations

import re

import pytest
from change_samples import BASE, compile_change, component, tree_of

from stowplan.driver import Compilation, compile_workspace
from stowplan.policies.cases import Cases
from stowplan.policies.evaluation import evaluate_guardrail
from stowplan.policies.guard import compile_guardrails
from stowplan.schemas import fleet_schemas, schema_sets
from stowplan.source.files import SourceTree

EXPRESSIONS = (
    "oldObject == null",
    "oldObject != null && oldObject.data == object.data",
    "oldObject == null || oldObject.metadata.name == object.metadata.name",
    "request.operation == 'UPDATE'",
    "has(oldObject.data.a) && oldObject.data.a == '1'",
)
POLICY = """apiVersion: stowplan.io/v1alpha1
kind: GuardrailPolicy
metadata: {name: change}
spec:
  match: {kinds: [ConfigMap], groups: [""]}
  validations:
"""


def configs(**values: str) -> str:
    head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME, namespace: tools}\ndata: {a: 'VALUE'}\n"
    return "---\n".join(head.replace("NAME", name).replace("VALUE", value) for name, value in values.items())


@pytest.fixture(scope="module")
def done() -> Compilation:
    policy = POLICY + "".join(f'    - expression: "{text}"\n' for text in EXPRESSIONS) + "  level: note\n"
    before = component(configs(kept="1", other="1", changed="1", changed2="1", moved="1"))
    after = component(configs(kept="1", other="1", changed="2", changed2="2", new="1", new2="1"))
    return compile_change(before, {**after, "policies/p.yaml": policy})


def failing(done: Compilation, expression: str) -> set[str]:
    """The names of the objects that fail an expression."""
    [finding] = [d for d in done.diagnostics if d.code == "SP1211" and f"failed expression: {expression}:" in d.message]
    [named] = [note for note in finding.notes if note.startswith("objects: ")]
    return set(re.findall(r"`ConfigMap/tools/(\w+)`", named))


def test_what_expressions_see(done: Compilation) -> None:
    assert failing(done, "oldObject == null") == {"kept", "other", "changed", "changed2"}
    assert failing(done, "oldObject != null && oldObject.data == object.data") == {"changed", "changed2", "new", "new2"}
    assert failing(done, "request.operation == 'UPDATE'") == {"new", "new2"}
    assert done.speaks_of_changes


def test_memory_changes_no_outcome(done: Compilation) -> None:
    from stowplan.passes.changes import find_changes

    assert done.fleet is not None
    assert done.rendered is not None
    before = component(configs(kept="1", other="1", changed="1", changed2="1", moved="1"))
    first = compile_workspace(SourceTree.from_texts({**BASE, **before}))
    changes = find_changes(done.rendered.objects, done.digests, tree_of(first))
    assert len(changes.updates) == 2
    guardrails = compile_guardrails(done.fleet, schema_sets(done.fleet, fleet_schemas(done.fleet))).value
    [guardrail] = [one for one in guardrails.all if one.name == "change"]
    with_memory = Cases(done.fleet, done.rendered.objects, changes)
    judged = [made for made in done.rendered.objects if made.kind == "ConfigMap" and made.namespace == "tools"]
    assert len(judged) == 6
    for made in (*judged, *judged):
        without = Cases(done.fleet, done.rendered.objects, changes)
        assert with_memory.judge(guardrail, made) == evaluate_guardrail(guardrail, without.values(made)), made.path
