"""What a namespace lets in, against what a server said of the same Pods (see `tests/e2e/test_product_admission.py`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from stowplan.schema.builtin import Surroundings, judge_builtin, normalise_builtin
from stowplan.schema.builtin.neighbourhood import NOTHING_KNOWN, Neighbourhood, with_object
from stowplan.schema.builtin.podsecurity import evaluate, levels_of
from stowplan.schema.verdict import Verdict

DATA = yaml.safe_load((Path(__file__).parents[1] / "data" / "admission.yaml").read_text())
PREFIX = "pod-security.kubernetes.io/"
STANDARDS = [{f"{PREFIX}{mode}": value for mode, value in one.items()} for one in DATA["standards"]]


def pod(spec: dict[str, Any]) -> dict[str, Any]:
    metadata = {"name": "pod", "namespace": "here", **spec.get("metadata", {})}
    containers = [{"name": "a", "image": "a:1"}]
    given = {key: value for key, value in spec.items() if key != "metadata"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": containers, **given}}


def judged(value: dict[str, Any], around: Neighbourhood) -> Verdict:
    return judge_builtin(value, 36, surroundings=Surroundings(namespaces={"here": around}, has_classes=False))


def holding(kind: str, spec: Any) -> Neighbourhood:
    made = {"apiVersion": "v1", "kind": kind, "metadata": {"name": "x", "namespace": "here"}, "spec": spec}
    return with_object(NOTHING_KNOWN, normalise_builtin(made, 36))


@pytest.mark.parametrize("number", range(len(STANDARDS)))
def test_pod_security__lets_in_what_the_server_did(number: int) -> None:
    around = Neighbourhood(STANDARDS[number])
    refused = [name for name, spec in DATA["pods"].items() if judged(pod(spec), around).code == 403]
    assert refused == DATA["refused"]["standards"][number]


@pytest.mark.parametrize(("part", "kind"), [("limits", "LimitRange"), ("quotas", "ResourceQuota")])
def test_resources__let_in_what_the_server_did(part: str, kind: str) -> None:
    for number, spec in enumerate(DATA[part]):
        around = holding(kind, {"limits": spec} if part == "limits" else spec)
        made = {name: [{"name": "a", "image": "a:1", "resources": given}] for name, given in DATA["resources"].items()}
        refused = [
            name for name, containers in made.items() if judged(pod({"containers": containers}), around).code == 403
        ]
        assert refused == DATA["refused"][part][number], (part, number)


def test_messages() -> None:
    around = Neighbourhood(STANDARDS[0])
    [cause] = judged(pod({"hostNetwork": True, "hostPID": True}), around).errors
    assert cause.message == (
        'pods "pod" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true, hostPID=true)'
    )
    [cause] = judged(pod({}), holding("LimitRange", {"limits": [{"type": "Pod", "max": {"cpu": "2"}}]})).errors
    assert cause.message == 'pods "pod" is forbidden: maximum cpu usage per Pod is 2.  No limit is specified'
    [cause] = judged(pod({}), holding("ResourceQuota", {"hard": {"limits.cpu": "2", "memory": "1Gi"}})).errors
    assert cause.message == 'pods "pod" is forbidden: failed quota: x: must specify limits.cpu for: a; memory for: a'


def test_claims_within_limits() -> None:
    around = holding(
        "LimitRange",
        {"limits": [{"type": "PersistentVolumeClaim", "min": {"storage": "2Gi"}, "max": {"storage": "4Gi"}}]},
    )
    codes = []
    for size in ("1Gi", "2Gi", "4Gi", "5Gi"):
        spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}
        claim = {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": "a", "namespace": "here"},
            "spec": spec,
        }
        codes.append(judged(claim, around).code)
    assert codes == [403, 201, 201, 403]


def test_a_quota_that_nobody_has_counted_yet_holds_nobody_back() -> None:
    quota = {"metadata": {"name": "q"}, "spec": {"hard": {"cpu": "1"}}}
    assert judged(pod({}), Neighbourhood(quotas=(quota,))).accepted


def test_accounts__are_judged_where_they_are_known() -> None:
    around = Neighbourhood(accounts=("default",))
    assert judged(pod({}), around).accepted
    [cause] = judged(pod({"serviceAccountName": "nobody"}), around).errors
    assert cause.message.endswith('error looking up service account here/nobody: serviceaccount "nobody" not found')
    assert judged(pod({"serviceAccountName": "nobody"}), NOTHING_KNOWN).accepted


@pytest.mark.parametrize("path", [("spec", "template"), ("spec", "jobTemplate", "spec", "template")])
def test_templates__are_warned_of(path: tuple[str, ...]) -> None:
    template: Any = {
        "metadata": {"labels": {"a": "b"}},
        "spec": {"hostPID": True, "restartPolicy": "Never", "containers": [{"name": "a", "image": "a:1"}]},
    }
    for step in reversed(path[1:]):
        template = {step: template}
    kind, more = ("Job", {}) if path == ("spec", "template") else ("CronJob", {"schedule": "* * * * *"})
    value = {
        "apiVersion": "batch/v1",
        "kind": kind,
        "metadata": {"name": "a", "namespace": "here"},
        "spec": {**template, **more},
    }
    verdict = judged(value, Neighbourhood(STANDARDS[0]))
    assert verdict.accepted
    assert verdict.warnings == ('would violate PodSecurity "baseline:latest": host namespaces (hostPID=true)',)


@pytest.mark.parametrize(
    ("labels", "enforce", "warn"),
    [
        ({}, "privileged:latest", "privileged:latest"),
        ({"enforce": "baseline"}, "baseline:latest", "baseline:latest"),
        ({"enforce": "baseline", "enforce-version": "v1.30"}, "baseline:v1.30", "baseline:v1.30"),
        ({"enforce": "baseline", "warn": "restricted", "warn-version": "latest"}, "baseline:latest", "restricted:latest"),
        ({"enforce": "strict"}, "restricted:latest", "privileged:latest"),
        ({"warn": "strict"}, "privileged:latest", "privileged:latest"),
        ({"enforce": "restricted", "enforce-version": "1.30"}, "restricted:latest", "restricted:latest"),
        ({"enforce": "baseline", "enforce-version": "v1.99999999999"}, "baseline:latest", "baseline:latest"),
    ],
)  # fmt: skip
def test_labels(labels: dict[str, str], enforce: str, warn: str) -> None:
    found = levels_of({f"{PREFIX}{key}": value for key, value in labels.items()})
    assert (str(found.enforce), str(found.warn)) == (enforce, warn)


def test_older_servers_know_fewer_checks() -> None:
    probes = DATA["pods"]["probe of another host"]
    baseline = levels_of({f"{PREFIX}enforce": "baseline"}).enforce
    assert [one.reason for one in evaluate({"spec": probes}, baseline, 34)] == ["probe or lifecycle host"]
    assert evaluate({"spec": probes}, baseline, 33) == ()
