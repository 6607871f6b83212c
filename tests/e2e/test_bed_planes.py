"""The control planes of the bed do what control planes do."""

from __future__ import annotations

import pytest
import yaml
from harness.bed import Bed
from harness.client import ApiError, Client, NotYetError, Object, condition, has_condition, managed_fields, reference
from harness.control_plane import ControlPlane
from harness.kubelet import set_pods
from harness.samples import config_map, deployment, job


@pytest.fixture
def client(shared_plane: ControlPlane) -> Client:
    return shared_plane.client()


def test_the_server_calls_itself_by_its_version(client: Client) -> None:
    version = client.request("GET", "/version").object
    assert (version["major"], version["minor"], version["gitVersion"]) == ("1", "36", "v1.36.3")


@pytest.mark.parametrize("sample", [config_map("one", "x", key="value"), deployment("web", "x")], ids=["map", "deploy"])
def test_applying_twice_changes_nothing(client: Client, namespace: str, sample: Object) -> None:
    sample = {**sample, "metadata": {**sample["metadata"], "namespace": namespace}}
    first = client.apply(sample)
    second = client.apply(sample)
    assert first.warnings == () == second.warnings
    owned = managed_fields(second.object)["stowplan-e2e", "Apply", ""]
    assert owned == managed_fields(first.object)["stowplan-e2e", "Apply", ""]
    counter = "generation" if sample["kind"] == "Deployment" else "resourceVersion"  # controllers write its status
    assert second.object["metadata"][counter] == first.object["metadata"][counter]


def test_strict_validation_refuses_an_unknown_field(client: Client, namespace: str) -> None:
    misspelt = config_map("one", namespace, key="value") | {"dta": {}}
    with pytest.raises(ApiError, match=r"\.dta: field not declared in schema"):
        client.apply(misspelt)
    with pytest.raises(ApiError, match="strict decoding error: unknown field"):
        client.create(misspelt)


def test_a_conflict_names_the_owner_and_force_takes_the_field(client: Client, namespace: str) -> None:
    client.apply(config_map("one", namespace, key="mine"))
    theirs = config_map("one", namespace, key="theirs")
    with pytest.raises(ApiError) as refused:
        client.apply(theirs, manager="another")
    assert refused.value.code == 409
    assert refused.value.conflicts == ((".data.key", 'conflict with "stowplan-e2e"'),)
    forced = client.apply(theirs, manager="another", force=True).object
    assert set(managed_fields(forced)) == {("another", "Apply", "")}


def test_warnings_of_the_server_are_returned(client: Client, namespace: str) -> None:
    document = deployment("web", namespace)
    pod = document["spec"]["template"]["spec"]
    pod["containers"][0]["env"] = [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]
    warnings = client.create(document).warnings
    assert len(warnings) == 1
    assert warnings[0].startswith('spec.template.spec.containers[0].env[1]: hides previous definition of "A"')


def test_lists_are_read_in_pages(client: Client, namespace: str) -> None:
    for number in range(7):
        client.apply(config_map(f"map-{number}", namespace))
    found = client.list("v1", "ConfigMap", namespace, page=2)
    names = [one["metadata"]["name"] for one in found if one["metadata"]["name"].startswith("map-")]
    assert names == [f"map-{number}" for number in range(7)]
    assert {(one["apiVersion"], one["kind"]) for one in found} == {("v1", "ConfigMap")}


def test_status_is_patched_apart_from_the_spec(client: Client, namespace: str) -> None:
    stored = client.create(deployment("web", namespace) | {}).object
    ready = {"conditions": [{"type": "Planted", "status": "True", "reason": "Test"}]}
    patched = client.patch_status(stored, ready, manager="a-controller").object
    assert condition(patched, "Planted")["reason"] == "Test"
    assert ("a-controller", "Update", "status") in managed_fields(patched)


def test_a_watch_sees_a_deletion_and_a_late_state_is_shown(client: Client, namespace: str) -> None:
    document = config_map("one", namespace, key="value")
    client.apply(document)
    with pytest.raises(NotYetError, match=r'(?s)never came.*"key": "value"'):
        client.wait_until(document, lambda found: found is None, timeout=1, what="what never came")
    client.delete(document)
    assert client.wait_until(document, lambda found: found is None) == {}
    client.delete(document, missing_ok=True)
    with pytest.raises(ApiError, match="404"):
        client.delete(document)


def test_the_controller_manager_makes_pods_for_a_job(client: Client, namespace: str) -> None:
    work = job("work", namespace)
    client.apply(work)
    done = client.wait_until(work, lambda found: (found or {}).get("status", {}).get("active") == 1)
    pods = client.list("v1", "Pod", namespace, labels="job-name=work")
    assert [pod["status"]["phase"] for pod in pods] == ["Pending"]
    assert ("kube-controller-manager", "Update", "status") in managed_fields(done)


@pytest.mark.parametrize("owned", [False, True])
def test_an_autoscaler_is_an_owner_only_where_somebody_owned_the_replicas(
    client: Client, namespace: str, owned: bool
) -> None:
    target = deployment("web", namespace)
    target["spec"] |= {"replicas": 2} if owned else {}
    client.apply(target)
    scaler = reference("autoscaling/v2", "HorizontalPodAutoscaler", "web", namespace)
    scaled = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    scaler["spec"] = {"scaleTargetRef": scaled, "minReplicas": 3, "maxReplicas": 5}
    client.apply(scaler)
    grown = client.wait_until(target, lambda found: (found or {})["spec"]["replicas"] == 3)
    scale = managed_fields(grown).get(("kube-controller-manager", "Update", "scale"))
    assert scale == ({"f:spec": {"f:replicas": {}}} if owned else None)


def test_one_kubeconfig_leads_to_several_planes(session_bed: Bed, shared_plane: ControlPlane) -> None:
    document = yaml.safe_load(session_bed.kubeconfig([shared_plane], "reader").read_text())
    assert document["current-context"] == "shared"
    assert document["users"] == [{"name": "reader@shared", "user": {"token": "reader-token"}}]
    assert document["clusters"][0]["cluster"]["server"] == shared_plane.url


def test_pods_move_on_when_the_kubelet_is_played(client: Client, namespace: str) -> None:
    work = job("work", namespace)
    client.apply(work)
    set_pods(client, namespace, "job-name=work", "Running")
    client.wait_until(work, lambda found: (found or {}).get("status", {}).get("ready") == 1)
    set_pods(client, namespace, "job-name=work", "Succeeded")
    client.wait_until(work, has_condition("Complete"))


def test_users_may_do_only_what_a_role_gives_them(shared_plane: ControlPlane, client: Client, namespace: str) -> None:
    reader = shared_plane.client(user="reader")
    with pytest.raises(ApiError, match='User "reader" cannot list resource "configmaps"'):
        reader.list("v1", "ConfigMap", namespace)
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}
    client.apply(reference("rbac.authorization.k8s.io/v1", "Role", "read", namespace) | {"rules": [rule]})
    group = "rbac.authorization.k8s.io"
    client.apply(
        reference("rbac.authorization.k8s.io/v1", "RoleBinding", "read", namespace)
        | {
            "roleRef": {"apiGroup": group, "kind": "Role", "name": "read"},
            "subjects": [{"apiGroup": group, "kind": "Group", "name": "stowplan:readers"}],
        }
    )
    reader.wait_allowed("list", "", "configmaps", namespace)
    client.apply(config_map("one", namespace, key="value"))
    assert reader.list("v1", "ConfigMap", namespace, fields="metadata.name=one")[0]["data"] == {"key": "value"}
    with pytest.raises(ApiError, match='User "reader" cannot get resource "configmaps"'):
        reader.get(config_map("one", namespace))


def test_planes_are_apart_and_a_dead_api_server_leaves_the_other_alone(bed: Bed) -> None:
    planes = bed.planes("east", "west")
    east, west = planes["east"].client(), planes["west"].client()
    east.apply(config_map("one", "default", at="east"))
    assert west.find(config_map("one", "default")) is None
    planes["east"].api_server.stop()
    with pytest.raises(OSError, match="refused"):
        east.get(config_map("one", "default"))
    west.apply(config_map("one", "default", at="west"))
