"""What is stored of built-in objects: defaults, canonical forms, explicit empty values, gates."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stowplan.schema.builtin import builtin_kinds, judge_builtin, normalise_builtin
from stowplan.schema.builtin.derive import FUNCTIONS
from stowplan.schema.builtin.pack import MINORS, type_facts
from stowplan.schema.builtin.table import _table

MINOR = 36


def workload(kind: str, spec: dict[str, Any], pod: dict[str, Any], api_version: str = "apps/v1") -> dict[str, Any]:
    template = {"metadata": {"labels": {"run": "x"}}, "spec": {"containers": [{"name": "c", "image": "i:1"}], **pod}}
    body = {"selector": {"matchLabels": {"run": "x"}}, "template": template, **spec}
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "n", "namespace": "s"}, "spec": body}


def stored_pod(pod: dict[str, Any], minor: int = MINOR) -> Any:
    return normalise_builtin(workload("Deployment", {}, pod), minor)["spec"]["template"]["spec"]


def container(**members: Any) -> Any:
    return stored_pod({"containers": [{"name": "c", **members}]})["containers"][0]


def test_a_deployment_gets_the_defaults_of_every_level() -> None:
    spec = normalise_builtin(workload("Deployment", {}, {}), MINOR)["spec"]
    assert (spec["replicas"], spec["revisionHistoryLimit"], spec["progressDeadlineSeconds"]) == (1, 10, 600)
    assert spec["strategy"] == {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}
    assert spec["template"]["spec"]["terminationGracePeriodSeconds"] == 30
    assert spec["template"]["spec"]["containers"][0]["imagePullPolicy"] == "IfNotPresent"


def test_the_argument_is_not_changed() -> None:
    value = workload("Deployment", {"strategy": {}}, {"nodeSelector": {}})
    before = json.dumps(value)
    stored = normalise_builtin(value, MINOR)
    stored["spec"]["template"]["metadata"]["labels"]["run"] = "y"
    assert json.dumps(value) == before
    assert normalise_builtin(value, MINOR)["spec"]["strategy"]["rollingUpdate"] is not stored["spec"]["strategy"]


@pytest.mark.parametrize(
    ("kind", "given", "strategy"),
    [
        ("Deployment", {"strategy": {"type": "Recreate"}}, {"type": "Recreate"}),
        ("DaemonSet", {}, {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}),
        ("DaemonSet", {"updateStrategy": {"type": "OnDelete"}}, {"type": "OnDelete"}),
        (
            "DaemonSet",
            {"updateStrategy": {"type": "OnDelete", "rollingUpdate": {}}},
            {"type": "OnDelete", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}},
        ),
        ("StatefulSet", {}, {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}),
        ("StatefulSet", {"updateStrategy": {"type": "RollingUpdate"}}, {"type": "RollingUpdate"}),
    ],
)
def test_update_strategies(kind: str, given: dict[str, Any], strategy: dict[str, Any]) -> None:
    spec = normalise_builtin(workload(kind, given, {}), MINOR)["spec"]
    assert spec["strategy" if kind == "Deployment" else "updateStrategy"] == strategy


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("app", "Always"),
        ("app:latest", "Always"),
        ("app:1", "IfNotPresent"),
        ("reg:5000/app", "Always"),
        ("reg:5000/a/app:v2", "IfNotPresent"),
        ("app@sha256:" + "0" * 64, "IfNotPresent"),
        ("app:latest@sha256:" + "0" * 64, "Always"),
        ("UPPER", "IfNotPresent"),
        ("a b", "IfNotPresent"),
        ("", "IfNotPresent"),
    ],
)
def test_pull_policies(image: str, policy: str) -> None:
    assert container(image=image)["imagePullPolicy"] == policy


def test_explicit_empty_values_are_kept_dropped_or_replaced() -> None:
    pod = stored_pod({"automountServiceAccountToken": False, "hostNetwork": False, "dnsPolicy": "", "tolerations": []})
    assert pod["automountServiceAccountToken"] is False
    assert "hostNetwork" not in pod
    assert pod["dnsPolicy"] == "ClusterFirst"
    assert "tolerations" not in pod


def test_nulls_are_absent_and_in_lists_empty() -> None:
    pod = stored_pod({"dnsPolicy": None, "imagePullSecrets": [None]})
    assert pod["dnsPolicy"] == "ClusterFirst"
    assert pod["imagePullSecrets"] == [{}]


def test_quantities_are_canonical_and_rounded_only_in_resource_lists() -> None:
    limits = {"memory": "1024Mi", "cpu": "100u", "example.com/gpu": 1}
    assert container(resources={"limits": limits})["resources"]["limits"] == {
        "memory": "1Gi",
        "cpu": "1m",
        "example.com/gpu": "1",
    }
    volume = {"name": "v", "emptyDir": {"sizeLimit": "100u"}}
    assert stored_pod({"volumes": [volume]})["volumes"] == [volume]


def test_only_bare_pods_take_requests_from_limits() -> None:
    limits = {"limits": {"cpu": "1"}}
    assert "requests" not in container(resources=limits)["resources"]
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "c", "image": "i", "resources": limits}]},
    }
    assert normalise_builtin(pod, MINOR)["spec"]["containers"][0]["resources"]["requests"] == {"cpu": "1"}


def test_job_defaults_do_not_reach_cron_jobs() -> None:
    template = workload("Job", {}, {"restartPolicy": "Never"}, "batch/v1")["spec"]["template"]
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": {"template": template}}
    assert normalise_builtin(job, MINOR)["spec"]["backoffLimit"] == 6
    spec = {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": template}}}
    cron = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "c"}, "spec": spec}
    assert "backoffLimit" not in normalise_builtin(cron, MINOR)["spec"]["jobTemplate"]["spec"]


@pytest.mark.parametrize(
    ("given", "completions", "backoff"),
    [
        ({}, 1, 6),
        ({"parallelism": 3}, None, 6),
        ({"backoffLimitPerIndex": 1}, 1, 2147483647),
        ({"completions": 4}, 4, 6),
    ],
)
def test_job_counts(given: dict[str, Any], completions: int | None, backoff: int) -> None:
    spec = normalise_builtin(workload("Job", given, {}, "batch/v1"), MINOR)["spec"]
    assert (spec.get("completions"), spec["backoffLimit"]) == (completions, backoff)


def test_services() -> None:
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "s"},
        "spec": {"type": "LoadBalancer", "sessionAffinity": "ClientIP", "ports": [{"port": 80, "targetPort": ""}]},
    }
    spec = normalise_builtin(service, MINOR)["spec"]
    assert spec["ports"] == [{"port": 80, "targetPort": 80, "protocol": "TCP"}]
    assert spec["externalTrafficPolicy"] == spec["internalTrafficPolicy"] == "Cluster"
    assert spec["sessionAffinityConfig"] == {"clientIP": {"timeoutSeconds": 10800}}
    assert spec["allocateLoadBalancerNodePorts"] is True


def test_secret_text_is_moved_into_data() -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"a": "b"}}
    stored = normalise_builtin(secret, MINOR)
    assert stored["data"] == {"a": "Yg=="}
    assert "stringData" not in stored


def test_members_behind_gates_vanish_where_the_gate_is_off() -> None:
    assert "hostUsers" not in stored_pod({"hostUsers": False}, 32)
    assert stored_pod({"hostUsers": False}, 33)["hostUsers"] is False
    assert "lifecycle" not in container(lifecycle={"stopSignal": "SIGINT"})
    assert container(lifecycle={})["lifecycle"] == {}


def test_status_and_server_metadata_are_not_stored() -> None:
    value = workload("Deployment", {}, {})
    value["status"] = {"replicas": 3}
    value["metadata"] |= {"uid": "u", "generation": 4, "creationTimestamp": "2026-01-01T00:00:00Z", "managedFields": []}
    stored = normalise_builtin(value, MINOR)
    assert "status" not in stored
    assert stored["metadata"] == {"name": "n", "namespace": "s"}


def test_cluster_scoped_kinds_lose_a_namespace() -> None:
    value = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n", "namespace": "s"}}
    assert normalise_builtin(value, MINOR)["metadata"] == {"name": "n"}


@pytest.mark.parametrize("minor", [31, 34, 37])
def test_stored_objects_are_fixed_points(minor: int) -> None:
    values = [workload(kind, {}, {}) for kind in ("Deployment", "DaemonSet", "StatefulSet", "ReplicaSet")]
    values += [{"apiVersion": "v1", "kind": kind, "metadata": {"name": "n"}} for kind in ("Service", "ResourceQuota")]
    for value in values:
        once = normalise_builtin(value, minor)
        assert normalise_builtin(once, minor) == once


@pytest.mark.parametrize("minor", [31, 32, 33, 34, 35, 36, 37])
def test_every_kind_of_every_minor_can_be_stored_empty(minor: int) -> None:
    """Every plan compiles, and an object of nothing but a name is stored or refused, never a crash."""
    for name in sorted(builtin_kinds(minor, unstable=True)):
        api_version, _, kind = name.rpartition("/")
        value = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "n"}}
        stored = normalise_builtin(value, minor)
        assert stored["metadata"]["name"] == "n"
        assert judge_builtin(value, minor).code in (201, 404, 422)


def test_the_table_speaks_of_members_that_exist() -> None:
    """Every type, member and function of the table is in the pack of some minor."""
    table = _table()
    for type_name, entry in table["types"].items():
        known: set[str] = set()
        for minor in MINORS:
            facts = type_facts(type_name, minor)
            known |= set(facts.members) if facts is not None else set()
        named = set(entry.get("kept", ())) | set(entry.get("structs", ())) | set(entry.get("milli", ()))
        named |= set(entry.get("constant", {})) | {rule[0] for rule in entry.get("conditional", ())}
        assert named <= known, type_name
        assert set(entry.get("derived", ())) <= set(FUNCTIONS), type_name
    for path in [*table["gates"], *table["vanishing"]]:
        type_name, _, member = path.rpartition(".")
        places = [type_facts(type_name, minor) for minor in MINORS]
        assert any(facts is not None and member in facts.members for facts in places), path
