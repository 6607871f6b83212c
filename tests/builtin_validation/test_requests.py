"""What depends on the request and on what was written: its namespace, empty values, spellings of addresses and counts."""

from __future__ import annotations

from typing import Any

import pytest
from builtin_validation_samples import MINOR, changed

from stowplan.schema.builtin import RuntimeClass, Surroundings, judge_builtin
from stowplan.schema.builtin.judge import ELSEWHERE
from stowplan.schema.builtin.validation.quantities import is_whole


def causes(value: dict[str, Any], **options: Any) -> list[tuple[str, str]]:
    verdict = judge_builtin(value, options.pop("minor", MINOR), **options)
    return [(error.field, error.message) for error in verdict.errors]


def named(sample: str, namespace: str | None) -> dict[str, Any]:
    value: dict[str, Any] = changed(sample)
    value["metadata"].pop("namespace", None)
    if namespace is not None:
        value["metadata"]["namespace"] = namespace
    return value


@pytest.mark.parametrize(
    ("own", "requested", "stored"),
    [("team-a", None, "team-a"), (None, None, "default"), (None, "team-b", "team-b"), ("team-a", "team-a", "team-a")],
)
def test_namespace_of_the_request(own: str | None, requested: str | None, stored: str) -> None:
    verdict = judge_builtin(named("ConfigMap", own), MINOR, namespace=requested)
    assert verdict.stored is not None
    assert verdict.stored["metadata"]["namespace"] == stored


@pytest.mark.parametrize("own", ["team-b", "Bad Name"])
def test_another_namespace_is_refused_before_any_rule(own: str) -> None:
    value = named("ConfigMap", own)
    value["metadata"]["name"] = "Bad_Name"
    verdict = judge_builtin(value, MINOR, namespace="team-a")
    assert (verdict.code, [error.message for error in verdict.errors]) == (400, [ELSEWHERE])


def test_decoding_comes_before_the_namespace() -> None:
    value = {**named("ConfigMap", "team-b"), "unknown": 1}
    assert "unknown field" in causes(value, namespace="team-a")[0][1]


def test_namespace_of_cluster_scoped_objects_is_dropped() -> None:
    verdict = judge_builtin(named("ClusterRole", "Bad Name"), MINOR, namespace="team-a")
    assert verdict.stored is not None
    assert "namespace" not in verdict.stored["metadata"]


CLAIM = {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}


@pytest.mark.parametrize(
    ("sample", "place", "value", "field"),
    [
        ("Pod", "spec.resources", {"claims": []}, "spec.resources.claims"),
        ("Deployment", "spec.template.spec.resources", {"claims": []}, "spec.template.spec.resources.claims"),
        (
            "CronJob",
            "spec.jobTemplate.spec.template.spec.resources",
            {"claims": []},
            "spec.jobTemplate.spec.template.spec.resources.claims",
        ),
        (
            "Pod",
            "spec.volumes",
            [{"name": "v", "ephemeral": {"volumeClaimTemplate": {"metadata": {"finalizers": []}, **CLAIM}}}],
            "spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.finalizers",
        ),
        (
            "Definition",
            "spec.versions.0.schema.openAPIV3Schema.properties.spec.dependencies",
            {},
            "spec.validation.openAPIV3Schema.properties[spec].dependencies",
        ),
    ],
)
def test_empty_but_written(sample: str, place: str, value: Any, field: str) -> None:
    sent: dict[str, Any] = changed(sample)
    target: Any = sent
    *steps, last = place.split(".")
    for step in steps:
        target = target[int(step)] if step.isdigit() else target.setdefault(step, {})
    target[last] = value
    assert [cause for cause in causes(sent) if cause[0] == field and "Forbidden" in cause[1]]
    del target[last]
    assert causes(sent) == []


def test_empty_overhead_is_one() -> None:
    value = changed("Pod")
    value["spec"]["overhead"] = {}
    assert "Overhead set without" in causes(value)[0][1]


def test_groups_of_known_workloads() -> None:
    reference = {"workload": {"workloadName": "w", "podGroupTemplateName": "t"}}
    spec = {"podGroupTemplateRef": reference, "schedulingPolicy": {"basic": {}}}
    value = {
        "apiVersion": "scheduling.k8s.io/v1alpha2",
        "kind": "PodGroup",
        "metadata": {"name": "g", "namespace": "team-a"},
        "spec": spec,
    }
    assert causes(value, all_gates=True) == []
    assert causes(value, all_gates=True, surroundings=Surroundings(workloads=("w",))) == []
    missing = causes(value, all_gates=True, surroundings=Surroundings(workloads=()))
    assert 'Workload "w" not found' in missing[0][1]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("10.0.0.1", ""),
        ("fd00:0::1", ""),
        ("10.0.0.01", "must not have leading 0s"),
        ("::ffff:10.0.0.1", "IPv4-mapped"),
        ("10.0.0", "must be a valid IP address"),
    ],
)
def test_addresses(address: str, said: str) -> None:
    value = changed("Pod")
    value["spec"]["hostAliases"] = [{"ip": address, "hostnames": ["a"]}]
    assert [said in message for _, message in causes(value)] == ([True] if said else [])
    old_rule = "must be a valid" in said
    assert bool(causes(value, minor=35)) == old_rule


@pytest.mark.parametrize(
    ("network", "said"),
    [
        ("10.0.0.0/8", ""),
        ("FD00::/8", ""),
        ("10.0.0.1/8", "bits set beyond"),
        ("10.0.0.0/08", "leading 0s"),
        ("::ffff:10.0.0.0/104", "IPv4-mapped"),
        ("10.0/8", "must be a valid CIDR"),
    ],
)
def test_networks(network: str, said: str) -> None:
    value = changed("NetworkPolicy")
    value["spec"]["ingress"] = [{"from": [{"ipBlock": {"cidr": network}}]}]
    assert [said in message for _, message in causes(value)] == ([True] if said else [])


def test_networks_of_services_are_canonical() -> None:
    value = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "ServiceCIDR",
        "metadata": {"name": "a"},
        "spec": {"cidrs": ["FD00::/8"]},
    }
    assert 'canonical form ("fd00::/8")' in causes(value)[0][1]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("1", True),
        ("1.0", True),
        ("1500m", False),
        ("2000m", True),
        ("8Pi", True),
        ("9Pi", False),
        ("12345678901234567890", False),
        ("1Ei", False),
        ("9E", True),
        ("9223372036854775807m", False),
        ("1u", False),
    ],
)
def test_large_counts_wrap_as_in_the_server(text: str, whole: bool) -> None:
    assert is_whole(text) is whole


KATA = Surroundings(runtime_classes={"kata": RuntimeClass({"cpu": "250m"}), "plain": RuntimeClass()})


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ({"overhead": {"cpu": "250m"}}, 403),
        ({"overhead": {"cpu": "250m"}, "runtimeClassName": "kata"}, 201),
        ({"overhead": {}, "runtimeClassName": "kata"}, 201),
        ({"overhead": {}, "runtimeClassName": "plain"}, 403),
        ({"overhead": {"cpu": "1"}, "runtimeClassName": "kata"}, 403),
        ({"overhead": {"cpu": "250m"}, "containers": []}, 422),
        ({"overhead": {"cpu": "1"}, "runtimeClassName": "kata", "containers": []}, 403),
    ],
    ids=str,
)
def test_an_overhead_is_refused_before_or_after_the_rules(spec: dict[str, Any], code: int) -> None:
    pod = named("Pod", "team-a")
    pod["spec"] |= spec
    assert judge_builtin(pod, MINOR, surroundings=KATA).code == code


@pytest.mark.parametrize(("written", "shown"), [({}, "{}"), (None, "null")])
def test_an_empty_map_is_shown_as_it_was_written(written: Any, shown: str) -> None:
    value = named("Deployment", "team-a")
    value["spec"]["template"]["metadata"] = {"labels": written}
    assert f"Invalid value: {shown}: `selector` does not match" in causes(value)[0][1]


def test_a_selector_is_shown_in_the_order_of_its_members() -> None:
    value = named("Deployment", "team-a")
    value["spec"]["selector"]["matchExpressions"] = [{"key": "a", "operator": "Never", "values": ["b"]}]
    shown = '{"matchLabels":{"app":"web"},"matchExpressions":[{"key":"a","operator":"Never","values":["b"]}]}'
    assert ("spec.selector", f"Invalid value: {shown}: invalid label selector") in causes(value)


def test_an_empty_map_is_a_change_of_what_is_immutable() -> None:
    old = {**named("ConfigMap", "team-a"), "immutable": True}
    new = {**old, "binaryData": {}}
    assert causes(new, old=old) == [("binaryData", "Forbidden: field is immutable when `immutable` is set")]
    assert causes(dict(old), old=old) == []


def test_what_admission_gave_a_pod_stays() -> None:
    old = named("Pod", "team-a")
    old["spec"] |= {"priority": 7, "preemptionPolicy": "Never"}
    new = named("Pod", "team-a")
    assert causes(new, old=old) == []


ADMIN = {"devices": {"requests": [{"name": "a", "exactly": {"deviceClassName": "gpu", "adminAccess": True}}]}}


@pytest.mark.parametrize("kind", ["ResourceClaim", "ResourceClaimTemplate"])
@pytest.mark.parametrize(("namespaces", "code"), [(None, 201), ((), 422), (("team-a",), 201)], ids=str)
def test_access_as_an_administrator(kind: str, namespaces: tuple[str, ...] | None, code: int) -> None:
    claim = {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": {"name": "a", "namespace": "team-a"}}
    claim["spec"] = ADMIN if kind == "ResourceClaim" else {"spec": ADMIN}
    verdict = judge_builtin(claim, MINOR, surroundings=Surroundings(admin_namespaces=namespaces))
    assert verdict.code == code
    assert [error.field for error in verdict.errors] == ["spec.devices.requests[0].adminAccess"] * (code == 422)
