"""`stowplan policy`: what it prints and how it exits."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from policy_samples import EXAMPLE, guardrail

from stowplan.cli.main import run

VARIABLES = "object: {spec: {replicas: 3, list: [{name: a}, {name: b, on: true}]}}\nlimit: 2\nratio: 1.5\n"


@pytest.fixture
def variables(tmp_path: Path) -> str:
    path = tmp_path / "vars.yaml"
    path.write_text(VARIABLES, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("object.spec.replicas > limit", True),
        ("object.spec.list.map(x, x.name)", ["a", "b"]),
        (
            "{'a': 1u, 'b': b'xy', 'c': duration('90s'), 'd': object.?none}",
            {"a": 1, "b": "eHk=", "c": "90s", "d": None},
        ),
        ("type(ratio)", "double"),
        ("timestamp('2026-01-02T03:04:05Z')", "2026-01-02T03:04:05Z"),
    ],
)
def test_eval__prints_json(expression: str, value: object, variables: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["policy", "eval", expression, "--input", variables]) == 0
    assert json.loads(capsys.readouterr().out) == value


def test_eval__an_object_is_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "o.json"
    path.write_text('{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}}', encoding="utf-8")
    assert run(["policy", "eval", "object.metadata.name + self.kind", "--input", str(path)]) == 0
    assert json.loads(capsys.readouterr().out) == "xPod"


def test_eval__explains_what_is_false(variables: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["policy", "eval", "object.spec.list.all(x, has(x.on))", "--input", variables, "--explain"]) == 0
    first, *rest = capsys.readouterr().out.splitlines()
    assert first == "false"
    assert any("has(x.on)  is  false" in line and '"name": "a"' in line for line in rest)


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["objekt.spec"], 2, "unknown variable `objekt`"),
        (["object.spec.nothing"], 1, "no such key: nothing"),
        (["1 +"], 2, "error at 1:"),
        (["math.sqrt(4.0)", "--kubernetes", "1.30"], 2, "error at 1:"),
        (["1", "--kubernetes", "soon"], 2, "no Kubernetes version"),
    ],
)
def test_eval__says_where_it_fails(
    arguments: list[str], code: int, says: str, variables: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["policy", "eval", *arguments, "--input", variables]) == code
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "says"),
    [("- 1\n", "mapping of variables"), ("a: [\n", ":2:1:"), ("{} }", "vars.json"), ("a: 1\n---\nb: 2\n", "several")],
)
def test_eval__input_that_cannot_be_used(
    text: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / ("vars.json" if text.startswith("{") else "vars.yaml")
    path.write_text(text, encoding="utf-8")
    assert run(["policy", "eval", "1", "--input", str(path)]) == 2
    assert says in capsys.readouterr().err


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    shutil.copytree(EXAMPLE, root)
    (root / "tests" / "policies").mkdir(parents=True)
    return root


TEST = """apiVersion: stowplan.io/v1alpha1
kind: PolicyTest
metadata: {name: t}
spec:
  policy: POLICY
  cases:
    - CASE
"""


@pytest.mark.parametrize(
    ("policy", "case", "code"),
    [
        ("house", "{name: c, intent: asr-pretrain, cluster: eu-west-h200, expect: pass}", 0),
        ("house", "{name: c, intent: asr-pretrain, cluster: us-east-spot, expect: pass}", 1),
        (
            "house",
            "{name: c, intent: {kind: BatchIntent, priority: low}, cluster: {labels: {}}, expect: not-applicable}",
            0,
        ),
        ("house", "{name: c, intent: asr-pretrain, cluster: us-east-spot, expect: {production-only-on-gold: fail}}", 0),
        ("house", "{name: c, intent: asr-pretrain, cluster: us-east-spot, expect: {no-such-rule: fail}}", 1),
        ("no-such-policy", "{name: c, object: {}, expect: pass}", 1),
        ("requests-set", "{name: c, object: {apiVersion: v1, kind: Pod}, expect: not-applicable}", 0),
        (
            "SP8016",
            "{name: c, object: {apiVersion: v1, kind: Service, spec: {type: NodePort}}, expect: [fail], message: port}",
            0,
        ),
        (
            "SP8016",
            "{name: c, object: {apiVersion: v1, kind: Service, spec: {type: NodePort}}, expect: [fail], message: else}",
            1,
        ),
        ("SP8016", "{name: c, object: {}, expect: perhaps}", 1),
        ("SP8016", "{name: c, objekt: {}, expect: pass}", 1),
    ],
)
def test_test__exit_codes(policy: str, case: str, code: int, workspace: Path) -> None:
    text = TEST.replace("POLICY", policy).replace("CASE", case)
    (workspace / "tests" / "policies" / "t.yaml").write_text(text, encoding="utf-8")
    assert run(["policy", "test", "-C", str(workspace)]) == code


def test_test__nothing_to_run(workspace: Path, tmp_path: Path) -> None:
    assert run(["policy", "test", "-C", str(workspace)]) == 2
    assert run(["policy", "test", "-C", str(tmp_path)]) == 2


def test_test__policies_that_do_not_compile(workspace: Path) -> None:
    body = "  match: {kinds: [Namespace]}\n  validations: [{expression: 'nope'}]\n"
    (workspace / "policies" / "bad.yaml").write_text(guardrail("bad", body), encoding="utf-8")
    assert run(["policy", "test", "-C", str(workspace)]) == 2


def test_export__refuses_with_the_column(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = "  match: {kinds: [Deployment]}\n  validations:\n    - expression: has(object.spec) && cluster.name != 'x'\n"
    (workspace / "policies" / "own.yaml").write_text(guardrail("own", body), encoding="utf-8")
    assert run(["policy", "export", "own", "-C", str(workspace)]) == 1
    said = capsys.readouterr()
    assert said.out == "" and "`cluster` is not known to an API server (column 21)" in said.err


def test_export__unknown_name(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["policy", "export", "requests-sets", "-C", str(workspace)]) == 2
    assert "did you mean `requests-set`" in capsys.readouterr().err


def test_export__names_clusters_that_are_too_old(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = '  match: {kinds: [Deployment]}\n  validations: [{expression: "isSemver(object.metadata.name)"}]\n'
    (workspace / "policies" / "own.yaml").write_text(guardrail("own", body), encoding="utf-8")
    code = run(["policy", "export", "own", "-C", str(workspace)])
    said = capsys.readouterr()
    assert code == 0 or "needs Kubernetes 1." in said.err


def test_list__counts_outcomes(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["policy", "list", "-C", str(workspace), "--format", "json"]) == 0
    rows = {row["code"]: row for row in json.loads(capsys.readouterr().out)["guardrails"]}
    assert rows["SP8009"]["outcomes"]["pass"] > 0
    assert rows["SP8015"]["mandatory"] is True
