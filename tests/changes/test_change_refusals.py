"""What an API server would refuse of a change: by kind, at the line of the input, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from change_samples import BASE, DATA, MANIFEST, compile_change, component, line_of, told

from stowplan.driver import Compilation

CASES = {one["name"]: one for one in yaml.safe_load((DATA / "changes.yaml").read_text())}
"""The same that the end-to-end tests show to a server."""
META = {"name": "a", "namespace": "tools"}


def job(word: str) -> dict[str, Any]:
    container = {"name": "a", "image": "registry.example.com/a:1", "command": [word]}
    spec = {"template": {"spec": {"containers": [container], "restartPolicy": "Never"}}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": META, "spec": spec}


@pytest.fixture
def text_of():
    """A manifest as a template would render it: as the server stores it, so that it is a fixed point."""
    from stowplan.schema.builtin import normalise_builtin

    return lambda value: yaml.safe_dump(normalise_builtin(value, 34), sort_keys=False)


def changed(text_of: Any, name: str) -> Compilation:
    case = CASES[name]
    return compile_change(component(text_of(case["before"])), component(text_of(case["after"])))


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "field" in case])
def test_refused(name: str, text_of: Any) -> None:
    done = changed(text_of, name)
    [finding] = told(done)
    assert finding.code == "SP0830"
    assert f"`{CASES[name]['field']}`: " in finding.message, finding.message
    assert len(finding.message) < 420
    assert done.failed()
    assert done.files is None or done.failed()
    assert line_of(done, finding).split(":")[0] == MANIFEST
    assert finding.targets == ("east",)
    assert finding.helps[0]
    assert all(" goes from `" in note or " to `" in note for note in finding.notes)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "field" not in case])
def test_accepted(name: str, text_of: Any) -> None:
    assert told(changed(text_of, name)) == []


@pytest.mark.parametrize("name", CASES)
def test_another_label__is_no_matter(name: str, text_of: Any) -> None:
    before = CASES[name]["before"]
    after = {**before, "metadata": {**before["metadata"], "labels": {"team": "b"}}}
    assert told(compile_change(component(text_of(before)), component(text_of(after)))) == []


def test_values_are_told_shortly__and_only_fields_that_are_refused(text_of: Any) -> None:
    [finding] = told(changed(text_of, "statefulset service"))
    assert finding.notes == ("`spec.serviceName` goes from `a` to `b`",)  # replicas may change
    long = [job("x" * 500), job("y" * 500)]
    [finding] = told(compile_change(*(component(text_of(one)) for one in long)))
    assert max(map(len, finding.notes)) < 220


def test_job_of_an_intent__at_its_line_with_what_to_do() -> None:
    training = "fleet/intents/training.yaml"
    after = {training: BASE[training].replace("command: [torchrun", "command: [python, -m, torchrun")}
    assert after[training] != BASE[training]
    done = compile_change({}, after)
    [finding] = told(done)
    assert finding.code == "SP2075"
    path, line = line_of(done, finding).split(":")
    assert path == training
    assert "command:" in after[training].splitlines()[int(line) - 1]
    assert "state: done" in finding.helps[0]
    assert "allow[SP2075]" in finding.helps[1]


def definition(*rules: str) -> str:
    """A custom kind whose spec has these rules, as a cluster of ours has it."""
    size = {"type": "integer"}
    listed = [{"rule": rule, "message": "a thing keeps its size"} for rule in rules]
    spec = {
        "type": "object",
        "properties": {"size": size, "note": {"type": "string"}},
        "x-kubernetes-validations": listed,
    }
    schema = {"type": "object", "properties": {"spec": spec}}
    return json.dumps({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"kind": "Thing", "plural": "things", "singular": "thing", "listKind": "ThingList"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    })  # fmt: skip


def thing(size: int, note: str = "a") -> str:
    made = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": META, "spec": {"note": note, "size": size}}
    return yaml.safe_dump(made)


def test_transition_rule_of_a_custom_kind() -> None:
    rule = definition("self.size == oldSelf.size")
    done = compile_change(component(thing(1), rule), component(thing(2, "b"), rule))
    [finding] = told(done)
    assert finding.code == "SP0830"
    assert "`spec`: a thing keeps its size" in finding.message
    assert finding.notes == ("`spec.size` goes from `1` to `2`",)
    assert told(compile_change(component(thing(1), rule), component(thing(1, "b"), rule))) == []


def test_rules_of_the_object_alone__are_no_change() -> None:
    """A rule that the new object breaks by itself is SP0807, once."""
    rule = definition("self.size < 2")
    done = compile_change(component(thing(1), rule), component(thing(2), rule))
    assert told(done) == []
    assert [d.code for d in done.diagnostics if d.code.startswith("SP08")] == ["SP0807"]


def test_job_in_a_queue__may_be_placed_elsewhere_until_it_starts(text_of: Any) -> None:
    queued = {**META, "labels": {"kueue.x-k8s.io/queue-name": "research"}}
    before, placed, other = (
        text_of({**job(word), "metadata": queued}).replace("restartPolicy", f"{more}restartPolicy")
        for word, more in (("one", ""), ("one", "nodeSelector: {a: b}\n      "), ("two", ""))
    )
    [finding] = told(compile_change(component(before), component(placed)))
    assert (finding.severity.word, finding.code) == ("warning", "SP0830")
    assert "cannot change once the job has started" in finding.message
    [finding] = told(compile_change(component(before), component(other)))
    assert (finding.severity.word, finding.code) == ("error", "SP0830")


def test_another_version_of_the_kind__is_not_judged() -> None:
    """A server converts the old object; nobody here can."""
    rule = definition("self.size == oldSelf.size")
    versions = json.loads(rule)
    [first] = versions["spec"]["versions"]
    versions["spec"]["versions"].append({**first, "name": "v2", "storage": False})
    crds = json.dumps(versions)
    done = compile_change(component(thing(1), crds), component(thing(2).replace("/v1", "/v2"), crds))
    assert told(done) == []
    assert not done.failed()


ENGINES = {
    "argocd.argoproj.io/sync-options: Replace=true,Force=true": 0,
    "argocd.argoproj.io/sync-options: Replace=true": 1,
    "kustomize.toolkit.fluxcd.io/force: enabled": 1,  # east is synced by Argo CD
}


@pytest.mark.parametrize("annotation", ENGINES)
def test_objects_that_the_engine_makes_anew(annotation: str, text_of: Any) -> None:
    key, _, value = annotation.partition(": ")
    before, after = (
        {**one, "metadata": {**one["metadata"], "annotations": {key: value}}} for one in (job("one"), job("two"))
    )
    done = compile_change(component(text_of(before)), component(text_of(after)))
    assert len(told(done)) == ENGINES[annotation]


def test_suppressed_where_the_user_says_why(text_of: Any) -> None:
    before, after = job("one"), job("two")
    files = component(text_of(after).replace("- two", "- two  # stowplan: allow[SP0830] deleted by hand"))
    done = compile_change(component(text_of(before)), files)
    assert told(done) == []
    assert done.files is not None
    assert done.speaks_of_changes


def test_exempted_and_at_another_level(text_of: Any) -> None:
    before, after = text_of(job("one")), text_of(job("two"))
    head = "apiVersion: stowplan.io/v1alpha1\nkind: {}\nmetadata: {{name: house}}\nspec:\n"
    exempt = head.format("Exemption") + (
        "  exemptions:\n    - {rule: refused-change, subject: tools/Job/a, reason: deleted by hand,"
        ' expires: "2099-01-01T00:00:00Z"}\n'
    )
    done = compile_change(component(before), {**component(after), "policies/exempt.yaml": exempt})
    assert told(done) == []
    assert not done.failed()
    levels = head.format("RuleLevels") + "  levels: {refused-change: warn}\n"
    done = compile_change(component(before), {**component(after), "policies/levels.yaml": levels})
    assert [d.severity.word for d in told(done)] == ["warning"]
    assert done.files is not None
