"""Argo CD syncs the rendered Applications: they settle, ignore what they must, keep what is guarded, share nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from harness.argocd import API, NAMESPACE, ArgoCD
from harness.bed import Bed
from harness.client import Client, Object, condition, reference
from harness.patience import PATIENCE
from harness.samples import deployment
from product.live import LiveFleet, live_fleet, versions, wait_argocd

from stowplan.model.rendered import RenderedObject as Made
from stowplan.ownership.check import OwnershipInput, check_ownership
from stowplan.ownership.ignore import argocd_ignore_differences, ignore_rules
from stowplan.ownership.rendered import ClusterFacts, RenderedObject, SharedField
from stowplan.ownership.schemafacts import SchemaTypes
from stowplan.schema.sets import SchemaSet

CLUSTER = "us-east-spot"
SCALED = "autoscaled"
SCHEMAS = SchemaSet((), 36)


@pytest.fixture(scope="module")
def fleet(session_bed: Bed) -> LiveFleet:
    return live_fleet(session_bed)


@pytest.fixture
def edited(fleet: LiveFleet) -> Iterator[LiveFleet]:
    """The fleet, whose tree is put back afterwards."""
    yield fleet
    wait_argocd(fleet, fleet.publish())


def argocd(fleet: LiveFleet) -> ArgoCD:
    assert fleet.argocd is not None
    return fleet.argocd


def synced_by_argocd(fleet: LiveFleet) -> list[Made]:
    """Everything that Applications deliver, the Applications aside (their status is written all the time)."""
    return [
        made for made in fleet.workspace.objects if made.unit.target.engine == "argocd" and made.kind != "Application"
    ]


def application(name: str) -> Object:
    return reference(API, "Application", name, NAMESPACE)


def refreshed(fleet: LiveFleet, name: str) -> Object:
    """An Application after it was compared anew."""
    argocd(fleet).refresh(name, hard=True)
    return argocd(fleet).client.wait_until(
        application(name),
        lambda one: "argocd.argoproj.io/refresh" not in (one or {})["metadata"].get("annotations", {}),
        what="to be compared",
    )


def states(found: Object) -> dict[str, str]:
    """Sync status by `Kind/name` of an Application's resources."""
    return {f"{one['kind']}/{one['name']}": one["status"] for one in found["status"].get("resources", [])}


def test_every_application_is_synced_and_healthy(fleet: LiveFleet) -> None:
    found = wait_argocd(fleet)
    assert len(found) == len(fleet.applications()) >= 10
    for one in found.values():
        assert not [c for c in one["status"].get("conditions", []) if c["type"].endswith(("Error", "Warning"))]


def test_applications_stay_synced_and_nothing_is_written_again(fleet: LiveFleet) -> None:
    """With self-heal on, a field that never settles would be applied at every comparison."""
    objects = synced_by_argocd(fleet)
    before = versions(fleet, objects)
    operations = {made.name: _finished(fleet, made.name) for made in fleet.applications()}
    for made in fleet.applications():
        assert refreshed(fleet, made.name)["status"]["sync"]["status"] == "Synced", made.name
    time.sleep(3)
    assert {made.name: _finished(fleet, made.name) for made in fleet.applications()} == operations
    after = versions(fleet, objects)
    assert [path for path in before if before[path] != after[path] and not _busy(path)] == []


def _finished(fleet: LiveFleet, name: str) -> str:
    found: str = argocd(fleet).client.get(application(name))["status"]["operationState"]["finishedAt"]
    return found


def _busy(path: str) -> bool:
    """Whether controllers keep writing the status of what a file holds."""
    kind = path.rpartition("/")[2].partition("-")[0]
    return kind in ("clusterqueue", "localqueue", "cohort", "job", "jobset", "trainjob")


def test_running_jobs_stay_synced_though_kueue_writes_into_them(fleet: LiveFleet) -> None:
    name = "hub-kueue-jobs"
    written = [
        made for made in fleet.workspace.of_target("hub") if made.unit.name == "jobs" and made.kind in ("Job", "JobSet")
    ]
    assert written
    for made in written:
        stored = fleet.client("hub").get(made.object)
        assert stored["spec"]["suspend"] is False
        assert "nodeSelector" in str(stored["spec"])
    assert set(states(refreshed(fleet, name)).values()) == {"Synced"}


def test_a_changed_quota_reaches_the_cluster(edited: LiveFleet) -> None:
    """What Kueue only puts back must not be ignored, or Git's next value would never arrive."""
    file = f"clusters/{CLUSTER}/kueue/clusterqueue-vision.yaml"
    queue = reference("kueue.x-k8s.io/v1beta2", "ClusterQueue", "vision")
    assert quota(edited.client(CLUSTER), queue) == "64"
    commit = edited.publish(lambda tree: _replace(tree / file, 'nominalQuota: "64"', 'nominalQuota: "60"'))
    wait_argocd(edited, commit)
    assert quota(edited.client(CLUSTER), queue) == "60"


def _replace(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def quota(client: Client, queue: Object) -> str:
    """The nominal quota of accelerators of the last flavor."""
    groups = client.get(queue)["spec"]["resourceGroups"]
    resources = groups[0]["flavors"][-1]["resources"]
    found: str = next(one["nominalQuota"] for one in resources if one["name"] == "nvidia.com/gpu")
    return found


def test_a_hand_edit_is_healed(fleet: LiveFleet) -> None:
    client = fleet.client(CLUSTER)
    role = next(made for made in fleet.workspace.of_target(CLUSTER) if made.kind == "Role")
    client.patch(role.object, {"rules": []}, manager="kubectl-edit")
    client.wait_until(role.object, lambda one: (one or {}).get("rules") == role.object["rules"])


def remove(tree: Path, unit: str, kind: str) -> list[Object]:
    """Take the first file of a kind out of a unit; what it held."""
    file = min((tree / unit).glob(f"{kind}-*.yaml"))
    document = yaml.safe_load(file.read_text())
    kustomization = tree / unit / "kustomization.yaml"
    kustomization.write_text(kustomization.read_text().replace(f"- {file.name}\n", ""))
    file.unlink()
    return [document]


def test_what_is_guarded_stays_and_the_rest_is_pruned(edited: LiveFleet) -> None:
    unit = f"clusters/{CLUSTER}/kueue"
    removed: list[Object] = []

    def edit(tree: Path) -> None:
        removed.extend(remove(tree, unit, "localqueue") + remove(tree, unit, "workloadpriorityclass"))

    commit = edited.publish(edit)
    queue, priority = removed
    client = edited.client(CLUSTER)
    assert queue["metadata"]["annotations"]["argocd.argoproj.io/sync-options"] == "Prune=false"
    refreshed(edited, f"{CLUSTER}-kueue")
    client.wait_until(priority, lambda one: one is None, what="to be pruned")
    stays = argocd(edited).client.wait_until(
        application(f"{CLUSTER}-kueue"),
        lambda one: (one or {}).get("status", {}).get("sync", {}).get("revision") == commit,
    )
    assert client.find(queue) is not None
    assert states(stays)[f"LocalQueue/{queue['metadata']['name']}"] == "OutOfSync"


def autoscaled(folder: Path) -> list[dict]:
    """The ignore rules that the compiler derives for a Deployment whose replicas Git and an autoscaler share.

    Writes both objects into the folder of a unit.
    """
    target = deployment("web", SCALED)
    target["spec"]["replicas"] = 1
    scaler = reference("autoscaling/v2", "HorizontalPodAutoscaler", "web", SCALED)
    scaled = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    scaler["spec"] = {"scaleTargetRef": scaled, "minReplicas": 3, "maxReplicas": 5}
    folder.mkdir(parents=True)
    owned = []
    for document in (target, scaler):
        kind, name = document["kind"], f"{document['kind'].lower()}.yaml"
        (folder / name).write_text(yaml.safe_dump(document))
        owned.append(
            RenderedObject(CLUSTER, "planted", name, document["apiVersion"], kind, SCALED, "web", document, "argocd")
        )
    (folder / "kustomization.yaml").write_text("resources: [deployment.yaml, horizontalpodautoscaler.yaml]\n")
    shared = SharedField("Deployment", "spec.replicas", ("HorizontalPodAutoscaler",), "the autoscaler decides")
    types = SchemaTypes(lambda _, api_version, kind: SCHEMAS.kind(api_version, kind), lambda _: 36)
    checked = check_ownership(
        OwnershipInput(owned, {CLUSTER: ClusterFacts(CLUSTER, engine="argocd")}, types, (shared,))
    )
    assert not checked.diagnostics
    return argocd_ignore_differences(ignore_rules(checked.value, CLUSTER, "planted"))


@pytest.mark.parametrize("ruled", [True, False], ids=["with the ignore rule", "without it"])
def test_an_ignore_rule_keeps_argocd_from_fighting_an_autoscaler(edited: LiveFleet, ruled: bool) -> None:
    """With the derived rule both settle; taken away, Argo CD and the autoscaler write in turn."""
    rules: list[dict] = []
    edited.publish(lambda tree: rules.extend(autoscaled(tree / "planted")))
    assert [(rule["kind"], rule["jsonPointers"]) for rule in rules] == [("Deployment", ["/spec/replicas"])]
    hub, client = argocd(edited), edited.client(CLUSTER)
    planted = hub.application(
        "autoscaled", repository=edited.repository.url, path="rendered/planted", cluster=CLUSTER, namespace=SCALED
    )
    if ruled:
        planted["spec"]["ignoreDifferences"] = rules
        planted["spec"]["syncPolicy"]["syncOptions"].append("RespectIgnoreDifferences=true")
    target = deployment("web", SCALED)
    hub.client.apply(planted)
    try:
        client.wait_until(target, lambda one: (one or {}).get("spec", {}).get("replicas") == 3)
        if ruled:
            assert _writes_of(client, target, seconds=6) == [3]
            assert states(refreshed(edited, "autoscaled"))["Deployment/web"] == "Synced"
        else:
            changed = _writes_of(client, target, seconds=PATIENCE, until=1)
            assert 1 in changed, "Argo CD did not put the rendered value back"
    finally:
        hub.client.delete(planted)
        hub.client.wait_until(planted, lambda one: one is None)
        for kind in (("autoscaling/v2", "HorizontalPodAutoscaler"), ("apps/v1", "Deployment")):
            client.delete(reference(*kind, "web", SCALED), missing_ok=True)


def _writes_of(client: Client, of: Object, seconds: float, until: int | None = None) -> list[int]:
    """The values that `spec.replicas` takes within a while, or until it has the one awaited; each change once."""
    seen: list[int] = []
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and until not in seen:
        value = client.get(of)["spec"]["replicas"]
        if seen[-1:] != [value]:
            seen.append(value)
        time.sleep(0.02)
    return seen


def test_a_second_application_that_owns_the_same_object_is_refused(fleet: LiveFleet) -> None:
    unit = f"rendered/clusters/{CLUSTER}/component-gpu-alerts"
    hub = argocd(fleet)
    planted = hub.application(
        "planted",
        repository=fleet.repository.url,
        path=unit,
        cluster=CLUSTER,
        syncPolicy={"automated": {}, "syncOptions": ["ServerSideApply=true", "FailOnSharedResource=true"]},
    )
    hub.client.apply(planted)
    try:
        told = hub.client.wait_until(
            planted,
            # it is tried again and again, and says why each time
            lambda one: "Shared resource found" in _message(one) and condition(one, "SharedResourceWarning"),
            what="the sync to be refused",
        )
        assert "is part of applications" in condition(told, "SharedResourceWarning")["message"]
        first = next(made for made in fleet.workspace.of_target(CLUSTER) if made.unit.name == "component-gpu-alerts")
        mark = fleet.client(CLUSTER).get(first.object)["metadata"]["annotations"]["argocd.argoproj.io/tracking-id"]
        assert mark.startswith(f"{CLUSTER}-component-gpu-alerts:")
    finally:
        hub.client.delete(planted)
        hub.client.wait_until(planted, lambda one: one is None)


def _message(found: Object | None) -> str:
    return str((found or {}).get("status", {}).get("operationState", {}).get("message", ""))


def test_an_object_outside_the_project_is_refused(fleet: LiveFleet) -> None:
    """The rendered AppProject allows what is rendered and nothing else."""
    hub = argocd(fleet)
    project = next(made for made in fleet.workspace.of_target("hub") if made.kind == "AppProject")
    stray = hub.application(
        "stray",
        repository=fleet.repository.url,
        path="rendered/hubs/kueue/tenancy",
        cluster=CLUSTER,
        project=project.name,
    )
    stray["spec"]["destination"] = {"name": CLUSTER, "namespace": "kube-system"}
    hub.client.apply(stray)
    try:
        told = hub.client.wait_until(stray, lambda one: bool(condition(one, "InvalidSpecError")))
        assert "do not match any of the allowed destinations" in condition(told, "InvalidSpecError")["message"]
    finally:
        hub.client.delete(stray)
        hub.client.wait_until(stray, lambda one: one is None)
