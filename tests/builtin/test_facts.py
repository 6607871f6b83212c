"""The pack, structural facts and server-assigned members."""

from __future__ import annotations

import lzma
from pathlib import Path
from typing import Any

import pytest

from stowplan.schema.builtin import (
    Surroundings,
    admit,
    assigned_members,
    builtin_kinds,
    field_facts,
    is_namespaced,
    judge_builtin,
    normalise_builtin,
)
from stowplan.schema.builtin.assigned import PriorityClass, RuntimeClass
from stowplan.schema.builtin.kind import builtin_kind
from stowplan.schema.builtin.update import prepare_update

MINOR = 36
CONTAINERS = ("spec", "template", "spec", "containers")


@pytest.mark.parametrize(
    ("pointer", "type_name", "list_type", "keys"),
    [
        (("spec", "replicas"), "integer", "", ()),
        (CONTAINERS, "list", "map", ("name",)),
        ((*CONTAINERS, 0, "ports"), "list", "map", ("containerPort", "protocol")),
        ((*CONTAINERS, 0, "args"), "list", "atomic", ()),
        ((*CONTAINERS, 0, "resources", "limits", "cpu"), "quantity", "", ()),
        (("spec", "template", "spec", "tolerations"), "list", "atomic", ()),
        (("metadata", "finalizers"), "list", "set", ()),
        (("metadata", "labels", "a"), "string", "", ()),
        (("spec", "strategy", "rollingUpdate", "maxSurge"), "int-or-string", "", ()),
    ],
)
def test_facts_of_places(pointer: Any, type_name: str, list_type: str, keys: tuple[str, ...]) -> None:
    facts = field_facts("apps/v1", "Deployment", pointer, MINOR)
    assert facts is not None
    assert (facts.type, facts.list_type, facts.map_keys) == (type_name, list_type, keys)


def test_places_that_are_none() -> None:
    assert field_facts("apps/v1", "Deployment", ("spec", "nope"), MINOR) is None
    assert field_facts("apps/v1", "Deployment", ("spec", "replicas", "x"), MINOR) is None
    assert field_facts("apps/v1", "Nothing", (), MINOR) is None


def test_selectors_are_owned_as_a_whole() -> None:
    facts = field_facts("apps/v1", "Deployment", ("spec", "selector"), MINOR)
    assert facts is not None
    assert facts.atomic


def test_kinds_come_and_go() -> None:
    assert "resource.k8s.io/v1/ResourceClaim" not in builtin_kinds(33)
    assert "resource.k8s.io/v1/ResourceClaim" in builtin_kinds(34)
    assert "flowcontrol.apiserver.k8s.io/v1beta3/FlowSchema" in builtin_kinds(31)
    assert "flowcontrol.apiserver.k8s.io/v1beta3/FlowSchema" not in builtin_kinds(32)
    assert "scheduling.k8s.io/v1alpha2/PodGroup" not in builtin_kinds(36)
    assert is_namespaced("apps/v1/Deployment")
    assert not is_namespaced("rbac.authorization.k8s.io/v1/ClusterRole")


def test_the_common_face_of_kinds() -> None:
    kind = builtin_kind("apps/v1", "Deployment", MINOR)
    assert kind is not None
    assert kind.list_topology(CONTAINERS) == ("map", ("name",))
    assert kind.list_topology(("spec", "replicas")) == ("atomic", ())
    selector = kind.field(("spec", "selector"))
    assert selector is not None
    assert (selector.type, selector.map_type) == ("object", "atomic")
    broken = {"apiVersion": "apps/v1", "kind": "Deployment", "spec": []}
    assert kind.normalise(broken) is broken
    assert builtin_kind("apps/v1", "Nothing", MINOR) is None


def test_the_pack_is_built_reproducibly() -> None:
    validate = pytest.importorskip("kubernetes_validate", reason="the source of the definitions is not installed")
    from stowplan.schema.building.builtin_pack import _OUTPUT, build_pack, pack_bytes

    pack = build_pack(Path(validate.__file__).parent / "kubernetes-json-schema")
    assert pack_bytes(pack) == pack_bytes(pack)
    # The bytes of xz depend on its version, what is in them does not.
    assert lzma.decompress(pack_bytes(pack)) == lzma.decompress(_OUTPUT.read_bytes())


def pod(**spec: Any) -> dict[str, Any]:
    spec = {"containers": [{"name": "c", "image": "i:1"}], **spec}
    return normalise_builtin({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}, MINOR)


def test_what_the_server_fills_in_is_no_drift() -> None:
    sent = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "s"},
        "spec": {"type": "NodePort", "ports": [{"port": 80}, {"port": 81, "nodePort": 30081}]},
    }
    mine = normalise_builtin(sent, MINOR)
    live = normalise_builtin(sent, MINOR)
    live["spec"] |= {"clusterIP": "10.0.0.7", "ipFamilies": ["IPv4"]}
    for index, port in enumerate(live["spec"]["ports"]):
        port["nodePort"] = 30080 + index
    assert set(assigned_members("v1/Service", mine, live)) == {
        ("spec", "clusterIP"),
        ("spec", "ipFamilies"),
        ("spec", "ports", 0, "nodePort"),
    }


def test_admission_of_a_pod() -> None:
    stored = pod(priorityClassName="gpu", tolerations=[{"key": "node.kubernetes.io/not-ready", "operator": "Exists"}])
    admit(stored, Surroundings({"gpu": PriorityClass(7, "Never")}))
    assert (stored["spec"]["priority"], stored["spec"]["preemptionPolicy"]) == (7, "Never")
    assert [t["key"] for t in stored["spec"]["tolerations"]] == [
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/unreachable",
    ]


def test_an_unknown_priority_class_is_not_guessed() -> None:
    stored = pod(priorityClassName="unknown")
    admit(stored)
    assert "priority" not in stored["spec"]


def test_pod_level_requests_come_from_the_containers() -> None:
    asks = {"name": "a", "image": "i:1", "resources": {"requests": {"cpu": "500m", "memory": "1Gi"}}}
    more = {"name": "b", "image": "i:1", "resources": {"requests": {"cpu": "1"}}}
    resources = {"limits": {"cpu": "4", "memory": "8Gi"}}
    spec = pod(containers=[asks, more], resources=resources)["spec"]
    assert spec["resources"]["requests"] == {"cpu": "1500m", "memory": "1Gi"}


def test_a_service_lets_go_of_its_node_ports() -> None:
    old = {"type": "NodePort", "externalTrafficPolicy": "Cluster", "ports": [{"port": 80, "nodePort": 30080}]}
    new = {"type": "ClusterIP", "externalTrafficPolicy": "Cluster", "ports": [{"port": 80, "nodePort": 30080}]}
    service = {"apiVersion": "v1", "kind": "Service", "spec": new}
    prepare_update(service, {"spec": old})
    assert service["spec"] == {"type": "ClusterIP", "ports": [{"port": 80}]}
    other = {"apiVersion": "v1", "kind": "Service", "spec": {"type": "ClusterIP", "ports": [{"nodePort": 30081}]}}
    prepare_update(other, {"spec": old})
    assert other["spec"] == {"type": "ClusterIP", "ports": [{"nodePort": 30081}]}


SURROUNDINGS = Surroundings(
    {"gpu": PriorityClass(7, "Never")}, {"sandbox": RuntimeClass({"cpu": "250m"}, {"sandbox": "yes"})}
)


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ({"priorityClassName": "gpu", "priority": 7}, ""),
        ({"priorityClassName": "system-node-critical"}, ""),
        ({"priorityClassName": "nope"}, "no PriorityClass with name nope was found"),
        ({"priority": 1}, "the integer value of priority (1) must not be provided"),
        ({"priorityClassName": "gpu", "preemptionPolicy": "PreemptLowerPriority"}, "the string value of Preemption"),
        ({"runtimeClassName": "nope"}, 'RuntimeClass "nope" not found'),
        ({"runtimeClassName": "sandbox", "overhead": {"cpu": "0.25"}}, ""),
        ({"runtimeClassName": "sandbox", "overhead": {"cpu": "1"}}, "doesn't match"),
        ({"runtimeClassName": "sandbox", "nodeSelector": {"sandbox": "no"}}, "conflict: "),
        ({"overhead": {"cpu": "1"}}, "without corresponding RuntimeClass"),
    ],
)
def test_what_admission_refuses(spec: dict[str, Any], reason: str) -> None:
    value = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {**pod()["spec"], **spec}}
    verdict = judge_builtin(value, MINOR, surroundings=SURROUNDINGS)
    assert verdict.code == (403 if reason else 201)
    assert reason in "".join(error.message for error in verdict.errors)


def test_without_surroundings_classes_are_not_looked_up() -> None:
    value = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": pod(priorityClassName="any")["spec"]}
    assert judge_builtin(value, MINOR).accepted
