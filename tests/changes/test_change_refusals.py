"""What an API server would refuse of a change: by kind, at the line of the input, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from change_samples import BASE, MANIFEST, compile_change, component, line_of, told

META = {"name": "a", "namespace": "tools"}
LABELS = {"app": "a"}
POD = {
    "metadata": {"labels": LABELS},
    "spec": {"containers": [{"name": "a", "image": "registry.example.com/a@sha256:" + "a" * 64}]},
}


def made(kind: str, api_version: str = "v1", *, namespaced: bool = True, **rest: Any) -> dict[str, Any]:
    metadata = dict(META) if namespaced else {"name": "a"}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **rest}


def workload(kind: str, **spec: Any) -> dict[str, Any]:
    return made(kind, "apps/v1", spec={"selector": {"matchLabels": LABELS}, "template": POD, **spec})


def claim(size: str, **spec: Any) -> dict[str, Any]:
    wanted = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}, **spec}
    return made("PersistentVolumeClaim", spec=wanted)


def other_label(kind: str) -> dict[str, Any]:
    pod = {**POD, "metadata": {"labels": {"app": "b"}}}
    return made(kind, "apps/v1", spec={"selector": {"matchLabels": {"app": "b"}}, "template": pod})


def binding(role: str) -> dict[str, Any]:
    ref = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": role}
    return made("RoleBinding", "rbac.authorization.k8s.io/v1", roleRef=ref)


def service(**spec: Any) -> dict[str, Any]:
    return made("Service", spec={"selector": LABELS, "ports": [{"port": 80}], **spec})


def job(word: str, **spec: Any) -> dict[str, Any]:
    container = {**POD["spec"]["containers"][0], "command": [word]}
    return made(
        "Job", "batch/v1", spec={"template": {"spec": {"containers": [container], "restartPolicy": "Never"}}, **spec}
    )


REFUSED = {
    "deployment selector": (workload("Deployment"), other_label("Deployment"), "spec.selector"),
    "daemonset selector": (workload("DaemonSet"), other_label("DaemonSet"), "spec.selector"),
    "statefulset service": (
        workload("StatefulSet", serviceName="a", replicas=1),
        workload("StatefulSet", serviceName="b", replicas=2),
        "spec",
    ),
    "job template": (job("one"), job("two"), "spec.template"),
    "job completions": (job("one", completions=2), job("one", completions=3), "spec.completions"),
    "claim shrinks": (claim("2Gi"), claim("1Gi"), "spec.resources.requests.storage"),
    "claim of another class": (claim("1Gi", storageClassName="a"), claim("1Gi", storageClassName="b"), "spec"),
    "immutable config": (
        made("ConfigMap", immutable=True, data={"a": "1"}),
        made("ConfigMap", immutable=True, data={"a": "2"}),
        "data",
    ),
    "immutability itself": (made("ConfigMap", immutable=True), made("ConfigMap"), "immutable"),
    "role of a binding": (binding("one"), binding("two"), "roleRef"),
    "a service turns headless": (service(), service(clusterIP="None"), "spec.clusterIPs[0]"),
    "provisioner": (
        made("StorageClass", "storage.k8s.io/v1", namespaced=False, provisioner="a.example.com"),
        made("StorageClass", "storage.k8s.io/v1", namespaced=False, provisioner="b.example.com"),
        "provisioner",
    ),
    "priority": (
        made("PriorityClass", "scheduling.k8s.io/v1", namespaced=False, value=1),
        made("PriorityClass", "scheduling.k8s.io/v1", namespaced=False, value=2),
        "value",
    ),
}  # fmt: skip
ACCEPTED = {
    "image": (workload("Deployment"), workload("Deployment", replicas=3)),
    "statefulset replicas": (workload("StatefulSet", replicas=1), workload("StatefulSet", replicas=2)),
    "job parallelism": (job("one", completions=4, parallelism=1), job("one", completions=4, parallelism=2)),
    "claim grows": (claim("1Gi"), claim("2Gi")),
    "config": (made("ConfigMap", data={"a": "1"}), made("ConfigMap", data={"a": "2"})),
    "config turns immutable": (made("ConfigMap", data={"a": "1"}), made("ConfigMap", data={"a": "1"}, immutable=True)),
    "port": (service(), service(ports=[{"port": 81}])),
}  # fmt: skip


@pytest.fixture
def text_of():
    """A manifest as a template would render it: as the server stores it, so that it is a fixed point."""
    from stowplan.schema.builtin import normalise_builtin

    return lambda value: yaml.safe_dump(normalise_builtin(value, 34), sort_keys=False)


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str, text_of: Any) -> None:
    before, after, field = REFUSED[case]
    done = compile_change(component(text_of(before)), component(text_of(after)))
    [finding] = told(done)
    assert finding.code == "SP0830"
    assert f"`{field}`: " in finding.message, finding.message
    assert len(finding.message) < 420
    assert done.failed()
    assert done.files is None
    assert line_of(done, finding).split(":")[0] == MANIFEST
    assert finding.targets == ("east",)
    assert finding.helps[0]
    assert all(" goes from `" in note or " to `" in note for note in finding.notes)


@pytest.mark.parametrize("case", [*ACCEPTED, *REFUSED])
def test_accepted(case: str, text_of: Any) -> None:
    """What may change, and every object as it is but for a label."""
    before, after = ACCEPTED[case] if case in ACCEPTED else REFUSED[case][:2]
    if case in REFUSED:
        after = {**before, "metadata": {**before["metadata"], "labels": {"team": "b"}}}
    done = compile_change(component(text_of(before)), component(text_of(after)))
    assert told(done) == []
    assert not done.failed(), [f"{d.code} {d.message}" for d in done.diagnostics]


def test_values_are_told_shortly__and_only_fields_that_are_refused(text_of: Any) -> None:
    before, after, _ = REFUSED["statefulset service"]
    [finding] = told(compile_change(component(text_of(before)), component(text_of(after))))
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
    return yaml.safe_dump(made("Thing", "example.com/v1", spec={"note": note, "size": size}))


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
    before, after, _ = REFUSED["job template"]
    files = component(text_of(after).replace("- two", "- two  # stowplan: allow[SP0830] deleted by hand"))
    done = compile_change(component(text_of(before)), files)
    assert told(done) == []
    assert done.files is not None
    assert done.speaks_of_changes


def test_exempted_and_at_another_level(text_of: Any) -> None:
    before, after, _ = (text_of(one) if isinstance(one, dict) else one for one in REFUSED["job template"])
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
