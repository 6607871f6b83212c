"""What may change of an object that exists, and what may not."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from builtin_validation_samples import MINOR, SAMPLES, changed

from stowplan.schema.builtin.validation import validate_update
from stowplan.schema.builtin.validation.jobs import adopt_generated

# sample, place, new value, and the field that is refused; empty when the change is fine
CASES: list[tuple[str, str, Any, str]] = [
    ("Deployment", "spec.replicas", 5, ""),
    ("Deployment", "spec.template.spec.containers.0.image", "registry.example.com/app:2", ""),
    ("StatefulSet", "spec.replicas", 2, ""),
    ("StatefulSet", "spec.serviceName", "other", "spec"),
    ("Pod", "metadata.labels", {"a": "b"}, ""),
    ("Pod", "spec.containers.0.image", "registry.example.com/app:2", ""),
    ("Pod", "spec.containers.0.command", ["sh"], "spec"),
    ("Service", "spec.selector", {"app": "api"}, ""),
    ("ConfigMap", "data.a", "c", ""),
    ("Secret", "type", "example.com/other", "type"),
    ("Claim", "spec.accessModes", ["ReadOnlyMany"], "spec"),
    ("PriorityClass", "value", 11, "value"),
    ("PriorityClass", "description", "new", ""),
    ("RoleBinding", "roleRef.name", "other", "roleRef"),
    ("RoleBinding", "subjects", None, ""),
    ("Definition", "spec.scope", "Cluster", "spec.scope"),
    ("Definition", "spec.names.shortNames", ["th"], ""),
    ("ResourceQuota", "spec.hard.pods", "4", ""),
    ("ResourceQuota", "spec.scopes", ["BestEffort"], "spec.scopes"),
    ("CronJob", "spec.suspend", True, ""),
    ("Autoscaler", "spec.maxReplicas", 5, ""),
    ("Budget", "spec.minAvailable", 2, ""),
]


@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "Job"])
def test_unchanged(name: str) -> None:
    old = changed(name)
    assert validate_update(copy.deepcopy(old), old, MINOR) == []


@pytest.mark.parametrize(("sample", "place", "value", "field"), CASES)
def test_change(sample: str, place: str, value: Any, field: str) -> None:
    fields = [cause.field for cause in validate_update(changed(sample, (place, value)), changed(sample), MINOR)]
    assert fields == [] if not field else field in fields


def test_selector_is_immutable() -> None:
    edits = [("spec.selector.matchLabels.app", "api"), ("spec.template.metadata.labels.app", "api")]
    causes = validate_update(changed("Deployment", *edits), changed("Deployment"), MINOR)
    assert [cause.field for cause in causes] == ["spec.selector"]
    assert causes[0].message.endswith("field is immutable")


@pytest.mark.parametrize(("sample", "member"), [("ConfigMap", "data"), ("Secret", "data")])
def test_immutable_content(sample: str, member: str) -> None:
    old = changed(sample, ("immutable", True))
    assert validate_update(copy.deepcopy(old), old, MINOR) == []
    changes = changed(sample, ("immutable", True), (member, {}))
    assert [cause.field for cause in validate_update(changes, old, MINOR)] == [member]
    assert [cause.field for cause in validate_update(changed(sample), old, MINOR)] == ["immutable"]


def live_job(**status: Any) -> dict[str, Any]:
    job = changed("Job")
    labels = {"job-name": "sample", "batch.kubernetes.io/job-name": "sample"}
    labels |= {"controller-uid": "u", "batch.kubernetes.io/controller-uid": "u"}
    job["spec"]["template"]["metadata"] = {"labels": labels}
    job["spec"]["selector"] = {"matchLabels": {"batch.kubernetes.io/controller-uid": "u"}}
    if status:
        job["status"] = status
    return job


@pytest.mark.parametrize(
    ("place", "value", "fields"),
    [
        ("spec.backoffLimit", 2, []),
        ("spec.suspend", True, []),
        ("spec.completions", 4, ["spec.completions"]),
        ("spec.template.spec.containers.0.image", "registry.example.com/app:2", ["spec.template"]),
    ],
)
def test_job(place: str, value: Any, fields: list[str]) -> None:
    old = live_job()
    new = adopt_generated(changed("Job", (place, value)), old)
    assert [cause.field for cause in validate_update(new, old, MINOR)] == fields


def test_job_without_what_the_server_added() -> None:
    fields = [cause.field for cause in validate_update(changed("Job"), live_job(), MINOR)]
    assert "spec.selector" in fields
    assert "spec.template" in fields


def test_bound_claim_may_grow() -> None:
    old = changed("Claim", ("spec.storageClassName", "fast"))
    old["status"] = {"phase": "Bound", "capacity": {"storage": "1Gi"}}
    sizes = {"2Gi": [], "1Mi": ["spec.resources.requests.storage"]}
    for size, fields in sizes.items():
        new = changed("Claim", ("spec.storageClassName", "fast"), ("spec.resources.requests.storage", size))
        assert [cause.field for cause in validate_update(new, old, MINOR)] == fields


def test_rules_of_creation_still_hold() -> None:
    causes = validate_update(changed("Deployment", ("spec.replicas", -1)), changed("Deployment"), MINOR)
    assert [cause.field for cause in causes] == ["spec.replicas"]
