"""Guardrails in a compile: outcomes, places, clusters, exemptions, and a memory that changes no outcome."""

from __future__ import annotations

import pytest
from policy_samples import compiled, exemption, found, guardrail, line_of

from stowplan.policies.cases import Cases
from stowplan.policies.evaluation import evaluate_guardrail
from stowplan.policies.guard import compile_guardrails
from stowplan.schemas import fleet_schemas, schema_sets

NAMES = guardrail(
    "corporate-names",
    """  match: {kinds: [Namespace]}
  matchConditions:
    - {name: members, expression: "target.folder != 'hubs/karmada'"}
  validations:
    - expression: object.metadata.name.startsWith('corp-')
      messageExpression: "'namespace ' + object.metadata.name + ' of ' + tenant.name + ' lacks `corp-`'"
""",
)
IN_2099 = 'expires: "2099-01-01T00:00:00Z"'


@pytest.fixture(scope="module")
def named():
    return compiled(names=NAMES)


def test_failure__stands_at_the_input_and_names_clusters(named) -> None:
    speech = next(d for d in found(named, "SP1211") if "speech" in d.message)
    assert speech.message == (
        "guardrail `corporate-names`: namespace speech of speech lacks `corp-`: `Namespace/speech`"
    )
    assert line_of(named, speech) == "fleet/tenants.yaml:6"
    assert set(speech.targets) >= {"eu-west-h200", "eu-west-l40s", "us-east-spot"}
    assert "karmada" not in speech.targets
    assert named.failed() and named.files is None


def test_counts__three_outcomes(named) -> None:
    assert named.guarded is not None
    counts = named.guarded.counts["corporate-names"]
    assert counts["fail"] >= 5 and counts["not-applicable"] >= 1 and "pass" not in counts
    assert named.guarded.counts["no-privileged-containers"].get("fail", 0) == 0


def test_level__of_the_policy_and_of_rule_levels() -> None:
    warned = compiled(names=NAMES + "  level: warning\n")
    assert {d.severity.word for d in found(warned, "SP1211")} == {"warning"} and not warned.failed()
    levels = (
        "apiVersion: stowplan.io/v1alpha1\nkind: RuleLevels\nmetadata: {name: l}\nspec: {levels: {SP1211: 'off'}}\n"
    )
    assert found(compiled(names=NAMES, levels=levels), "SP1211") == []


def test_evaluation_error__is_a_failure() -> None:
    body = (
        "  match: {kinds: [Namespace]}\n  validations: [{expression: 'object.metadata.annotations.missing == \"\"'}]\n"
    )
    done = compiled(broken=guardrail("broken", body))
    assert found(done, "SP1211") and all(
        any("cannot be evaluated" in note for note in d.notes) for d in found(done, "SP1211")
    )


def test_condition_error__is_a_failure() -> None:
    body = (
        "  match: {kinds: [Namespace]}\n  matchConditions: [{name: c, expression: 'object.metadata.annotations.x == \"\"'}]\n"
        "  validations: [{expression: 'true'}]\n"
    )
    done = compiled(broken=guardrail("broken", body))
    assert all("condition `c` cannot be evaluated" in d.message for d in found(done, "SP1211"))
    assert found(done, "SP1211")


@pytest.mark.parametrize(
    ("match", "hits"),
    [
        ("{kinds: [Namespace], clusters: [us-east-spot]}", {"us-east-spot"}),
        ("{kinds: [NetworkPolicy], namespaces: [vision], clusters: [eu-west-l40s]}", {"eu-west-l40s"}),
        ("{kinds: [NetworkPolicy], labels: {stowplan.io/tenant: vision}, clusters: [eu-west-l40s]}", {"eu-west-l40s"}),
        ("{kinds: [Deployment], groups: [nope.example]}", set()),
        ("{kinds: ['*'], clusters: [us-east-spot]}", {"us-east-spot"}),
    ],
)
def test_match__selects(match: str, hits: set[str]) -> None:
    done = compiled(m=guardrail("m", f"  match: {match}\n  validations: [{{expression: 'false'}}]\n"))
    assert {name for d in found(done, "SP1211") for name in d.targets} == hits


def test_expressions__are_typed_at_their_column() -> None:
    body = "  match: {kinds: [Deployment]}\n  validations:\n    - expression: object.spec.replica > 1\n"
    done = compiled(typo=guardrail("typo", body))
    [finding] = found(done, "SP1202")
    assert "has no field `replica`" in finding.message and "replicas" in finding.helps[0]
    assert line_of(done, finding) == "policies/typo.yaml:7"


def test_union_of_kinds__knows_the_fields_of_all() -> None:
    body = (
        "  match: {kinds: [Deployment, CronJob, LocalQueue]}\n  validations:\n"
        "    - expression: has(object.spec.schedule) || has(object.spec.replicas) || has(object.spec.clusterQueue)\n"
    )
    assert not found(compiled(u=guardrail("u", body)), "SP1202")


def test_exemption__covers_some_clusters() -> None:
    entry = f"{{rule: corporate-names, subject: Namespace/speech, clusters: [us-east-spot], reason: older, {IN_2099}}}"
    done = compiled(names=NAMES, exempt=exemption(entry))
    speech = next(d for d in found(done, "SP1211") if "namespace speech" in d.message)
    assert "us-east-spot" not in speech.targets and "eu-west-h200" in speech.targets
    assert done.guarded is not None and done.guarded.counts["corporate-names"]["exempt"] == 1
    assert not found(done, "SP1222")


def test_exemption__of_everything() -> None:
    done = compiled(names=NAMES, exempt=exemption(f"{{rule: corporate-names, reason: older, {IN_2099}}}"))
    assert not found(done, "SP1211") and not done.failed()


def test_exemption__expired_unused_unknown_mandatory() -> None:
    done = compiled(
        names=NAMES + "  mandatory: true\n",
        exempt=exemption(
            "{rule: no-node-ports, reason: older, expires: '2020-01-01T00:00:00Z'}",
            f"{{rule: no-node-ports, reason: older, {IN_2099}}}",
            f"{{rule: corporate-nams, reason: older, {IN_2099}}}",
            f"{{rule: corporate-names, reason: older, {IN_2099}}}",
            f"{{rule: SP0101, reason: older, {IN_2099}}}",
        ),
    )
    lines = {d.code: [line_of(done, x).rpartition(":")[2] for x in found(done, d.code)] for d in done.diagnostics}
    assert lines["SP1221"] == ["6"] and lines["SP1223"] == ["8"] and lines["SP1224"] == ["9", "10"]
    assert "corporate-names" in found(done, "SP1223")[0].helps[0]


def test_exemption__unused_is_told_only_after_everything_ran() -> None:
    done = compiled(exempt=exemption(f"{{rule: no-node-ports, reason: older, {IN_2099}}}"))
    assert [line_of(done, d) for d in found(done, "SP1222")] == ["policies/exempt.yaml:6"]


def test_exemption__of_a_lint_rule() -> None:
    """A finding of a rule goes by the document it stands in; a rule that is an error for good takes no exemption."""
    told = [d for d in found(compiled(), "SP0604") if "asr-giant" in d.message]
    assert told
    for subject, left in (("TrainingIntent/asr-giant", 0), ("TrainingIntent/*", 0), ("BatchIntent/asr-giant", 1)):
        done = compiled(exempt=exemption(f"{{rule: SP0604, subject: {subject}, reason: known, {IN_2099}}}"))
        assert len([d for d in found(done, "SP0604") if "asr-giant" in d.message]) == left
        assert len(found(done, "SP1222")) == left


def test_memory__gives_what_evaluation_gives(named) -> None:
    """Outcomes remembered by what an expression reads equal those of every object evaluated by itself."""
    fleet, tree = named.fleet, named.rendered
    assert fleet is not None and tree is not None
    schemas = schema_sets(fleet, fleet_schemas(fleet))
    guardrails = compile_guardrails(fleet, schemas).value.all
    remembered, n_judged = Cases(fleet, tree.objects), 0
    for guard in guardrails:
        for made in tree.objects:
            if guard.matches_kind(made.api_version, made.kind):
                n_judged += 1
                assert remembered.judge(guard, made) == evaluate_guardrail(
                    guard, Cases(fleet, tree.objects).values(made)
                )
    assert n_judged > 50


def test_own_policy__takes_the_place_of_a_shipped_one() -> None:
    body = "  match: {kinds: [Namespace]}\n  validations: [{expression: 'false', message: ours}]\n"
    done = compiled(own=guardrail("no-node-ports", body))
    assert found(done, "SP8016") and all("ours" in d.message for d in found(done, "SP8016"))


@pytest.mark.parametrize(
    "expression",
    [
        "[1,2,3].all(x, [1,2].all(y, " * 40 + "true" + "))" * 40,
        "'a'.matches('" + "(a*)*" * 500 + "$')",
        "(" * 500 + "true",
    ],
    ids=["loops", "pattern", "brackets"],
)
def test_hostile_expression__is_a_finding(expression: str) -> None:
    text = expression.replace("'", "''")
    body = f"  match: {{kinds: [Namespace]}}\n  validations:\n    - expression: '{text}'\n"
    done = compiled(hostile=guardrail("hostile", body))
    assert {d.code for d in done.diagnostics} & {"SP1201", "SP1211"} or "matches" in expression


def test_endless_expression__runs_out_of_steps() -> None:
    loops = "lists.range(10000).all(a, lists.range(10000).all(b, a + b >= 0))"
    done = compiled(h=guardrail("h", f"  match: {{kinds: [Namespace]}}\n  validations: [{{expression: '{loops}'}}]\n"))
    assert any("budget" in note for d in found(done, "SP1211") for note in d.notes)
