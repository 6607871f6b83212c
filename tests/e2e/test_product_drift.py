"""Drift against real clusters: what was planted is found with its owner's name, and nothing else is."""

from __future__ import annotations

import json
import time
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml
from harness.bed import Bed
from harness.client import ApiError, Client, Object, reference
from harness.control_plane import ControlPlane
from harness.figures import Say
from harness.samples import config_map, deployment
from product.live import LiveFleet, live_fleet, wait_flux
from product.workspaces import stowplan

from stowplan.drift.model import ClusterStatus, Difference, DriftClass, DriftReport, ObjectDrift
from stowplan.drift.run import DriftOptions, run_drift
from stowplan.drifting import DriftRequest, drift_workspace
from stowplan.passes.lower.readers import READER_ROLE

CLUSTER = "eu-west-l40s"
"""Flux looks there every ten minutes: planted edits stay until it is woken."""

ADDRESS = ("spec.source", "spec.source.repoURL", "spec.sourceRepos")
"""Where the bed's own address of the repository stands in for the rendered one."""


@pytest.fixture(scope="module")
def fleet(session_bed: Bed) -> LiveFleet:
    return live_fleet(session_bed)


@pytest.fixture(scope="module")
def kubeconfig(fleet: LiveFleet, session_bed: Bed) -> Path:
    return session_bed.kubeconfig(list(fleet.planes.values()))


def look(fleet: LiveFleet, kubeconfig: Path, *clusters: str) -> DriftReport:
    """The drift of some clusters, all when none is named."""
    names = clusters or tuple(fleet.planes)
    contexts = {name: name for name in names}
    request = DriftRequest(contexts=contexts, kubeconfig=str(kubeconfig), clusters=frozenset(names))
    outcome, _ = drift_workspace(fleet.workspace.root, request)
    return outcome.report


def real(report: DriftReport) -> list[tuple[ObjectDrift, Difference]]:
    """What counts as drift, the bed's own address of the repository aside."""
    return [
        (entry, difference)
        for entry, difference in report.differences()
        if difference.drift.is_drift and difference.path not in ADDRESS
    ]


def told(report: DriftReport) -> set[tuple[str, str, str, str]]:
    """Class, object, path and owner of everything that counts."""
    return {(d.drift.value, entry.title, d.path, d.owner) for entry, d in real(report)}


def test_nothing_is_found_after_a_clean_sync_with_everything_running(
    fleet: LiveFleet, kubeconfig: Path, say: Say
) -> None:
    wait_flux(fleet, CLUSTER)
    start = time.perf_counter()
    report = look(fleet, kubeconfig)
    took = time.perf_counter() - start
    assert told(report) == set()
    assert {cluster.status for cluster in report.clusters} == {ClusterStatus.COMPARED}
    rewritten = {entry.kind for entry, d in report.differences() if d.path in ADDRESS}
    assert rewritten == {"Application", "AppProject"}  # the one thing that the bed changes is seen
    n_objects = sum(cluster.n_rendered for cluster in report.clusters)
    say(f"drift of {len(report.clusters)} live clusters, {n_objects} objects: {took:.1f} s, compile included")


def first(fleet: LiveFleet, kind: str) -> Object:
    return next(made.object for made in fleet.workspace.of_target(CLUSTER) if made.kind == kind)


@pytest.fixture
def planted(fleet: LiveFleet) -> Iterator[LiveFleet]:
    """The fleet, put right again by Flux afterwards."""
    yield fleet
    wait_flux(fleet, CLUSTER)


def test_each_planted_edit_is_found_and_its_owner_named(planted: LiveFleet, kubeconfig: Path) -> None:
    client = planted.client(CLUSTER)
    role, binding, policy = (first(planted, kind) for kind in ("Role", "RoleBinding", "NetworkPolicy"))
    queue, account = first(planted, "ClusterQueue"), first(planted, "ServiceAccount")
    client.patch(role, {"rules": []}, manager="kubectl-edit")
    client.patch(queue, {"spec": {"queueingStrategy": "StrictFIFO"}}, manager="kueuectl")
    client.patch(binding, {"metadata": {"labels": {"team": "mine"}}}, manager="kubectl-label")
    client.apply(account, manager="another-applier", force=True)
    client.apply(_without_engine(account), manager="kustomize-controller")
    client.delete(policy)
    orphan = reference("rbac.authorization.k8s.io/v1", "Role", "left-over", role["metadata"]["namespace"])
    orphan["metadata"]["labels"] = {
        "kustomize.toolkit.fluxcd.io/name": f"{CLUSTER}-tenancy",
        "kustomize.toolkit.fluxcd.io/namespace": "flux-system",
    }
    client.apply(orphan | {"rules": []}, manager="kustomize-controller")
    try:
        found = told(look(planted, kubeconfig, CLUSTER))
        namespace = role["metadata"]["namespace"]
        assert ("modified", f"Role {namespace}/{role['metadata']['name']}", "rules", "kubectl-edit (Update)") in found
        assert (
            "modified",
            f"ClusterQueue {queue['metadata']['name']}",
            "spec.queueingStrategy",
            "kueuectl (Update)",
        ) in found
        assert (
            "foreign addition",
            f"RoleBinding {namespace}/{binding['metadata']['name']}",
            "metadata.labels.team",
            "kubectl-label (Update)",
        ) in found
        assert ("missing", f"NetworkPolicy {namespace}/{policy['metadata']['name']}", "", "") in found
        assert ("orphaned", f"Role {namespace}/left-over", "", "") in found
        taken = [one for one in found if one[0] == "taken over"]
        assert {one[3] for one in taken} == {"another-applier (Apply)"}
        assert {one[1] for one in taken} == {
            f"ServiceAccount {account['metadata']['namespace']}/{account['metadata']['name']}"
        }
        assert len(found) == 5 + len(taken), found
    finally:
        client.delete(orphan)
        client.apply(_without_engine(account), manager="another-applier")


def _without_engine(document: Object) -> Object:
    """An apply that gives every field up."""
    metadata = {key: document["metadata"][key] for key in ("name", "namespace") if key in document["metadata"]}
    return {"apiVersion": document["apiVersion"], "kind": document["kind"], "metadata": metadata}


def test_after_the_next_sync_nothing_is_left(fleet: LiveFleet, kubeconfig: Path) -> None:
    wait_flux(fleet, CLUSTER)
    assert told(look(fleet, kubeconfig, CLUSTER)) == set()


def test_the_command_line_says_the_same(planted: LiveFleet, kubeconfig: Path) -> None:
    client = planted.client(CLUSTER)
    role = first(planted, "Role")
    arguments = ("drift", "--context", f"{CLUSTER}={CLUSTER}", "--kubeconfig", str(kubeconfig), "--cluster", CLUSTER)
    assert "1 of 1 clusters clean" in stowplan(planted.workspace.root, *arguments).stdout
    client.patch(role, {"rules": []}, manager="kubectl-edit")
    done = stowplan(planted.workspace.root, *arguments, "--format", "json", code=1)
    report = json.loads(done.stdout)
    found = [
        (entry["kind"], one["class"], one["path"], one["owner"])
        for entry in report["clusters"][0]["objects"]
        for one in entry["differences"]
        if one["class"] not in ("ignored", "unowned")
    ]
    assert found == [("Role", "modified", "rules", "kubectl-edit (Update)")]


def test_a_cluster_that_is_down_is_unknown(fleet: LiveFleet, kubeconfig: Path, tmp_path: Path) -> None:
    document = yaml.safe_load(kubeconfig.read_text())
    for one in document["clusters"]:
        if one["name"] == CLUSTER:
            one["cluster"]["server"] = "https://127.0.0.1:1"
    broken = tmp_path / "kubeconfig"
    broken.write_text(yaml.safe_dump(document))
    contexts = {name: name for name in (CLUSTER, "eu-west-h200")}
    request = DriftRequest(contexts=contexts, kubeconfig=str(broken), clusters=frozenset(contexts), timeout=5)
    outcome, _ = drift_workspace(fleet.workspace.root, request)
    statuses = {cluster.name: cluster.status for cluster in outcome.report.clusters}
    assert statuses == {CLUSTER: ClusterStatus.UNKNOWN, "eu-west-h200": ClusterStatus.COMPARED}
    assert outcome.exit_code == 2
    (finding,) = (one for one in outcome.diagnostics if one.code == "SP1107")
    assert finding.targets == (CLUSTER,)


def test_the_rendered_role_suffices_on_every_cluster(fleet: LiveFleet, session_bed: Bed) -> None:
    reader = session_bed.kubeconfig(list(fleet.planes.values()), "reader")
    report = look(fleet, reader)
    assert {cluster.name for cluster in report.clusters} == set(fleet.planes)
    assert [cluster.problems for cluster in report.clusters if cluster.status is not ClusterStatus.COMPARED] == []
    assert told(report) == set()


def test_a_reader_may_do_nothing_else(fleet: LiveFleet) -> None:
    client = fleet.planes[CLUSTER].client("somebody", user="reader")
    for made in fleet.workspace.of_target(CLUSTER):
        path = client.path(made.object)
        for method, body in (("GET", None), ("DELETE", None), ("PUT", made.object)):
            with pytest.raises(ApiError) as refusal:
                client.request(method, path, body)
            assert refusal.value.code == 403, (method, path)


def test_without_the_role_a_cluster_is_unknown_and_with_less_of_it_partly_known(
    planted: LiveFleet, session_bed: Bed
) -> None:
    plane = planted.planes[CLUSTER]
    assert look(planted, session_bed.kubeconfig([plane], "developer"), CLUSTER).clusters[0].status is (
        ClusterStatus.UNKNOWN
    )
    role = next(made.object for made in planted.workspace.of_target(CLUSTER) if made.name == READER_ROLE)
    plane.client().patch(role, {"rules": role["rules"][1:]}, manager="kubectl-edit")
    reader = session_bed.kubeconfig([plane], "reader")
    partly = _until(ClusterStatus.PARTIAL, planted, reader)
    assert any("cannot list" in problem for problem in partly.clusters[0].problems)
    assert {one[1] for one in told(partly)} == {"ClusterRole stowplan-drift"}  # what could not be read is not missing


def _until(status: ClusterStatus, fleet: LiveFleet, reader: Path, attempts: int = 20) -> DriftReport:
    """A look once the authoriser knows of a changed role."""
    for _ in range(attempts):
        report = look(fleet, reader, CLUSTER)
        if report.clusters[0].status is status:
            return report
        time.sleep(0.5)
    raise AssertionError(report.clusters[0].status)


def write_tree(root: Path, documents: list[Object]) -> Path:
    """A rendered tree of one cluster called `many`."""
    unit = root / "clusters" / "many" / "unit"
    unit.mkdir(parents=True)
    for number, document in enumerate(documents):
        (unit / f"{number:05d}.yaml").write_text(yaml.safe_dump(document, sort_keys=True))
    return root


def drift_of(root: Path, plane: ControlPlane, kubeconfig: Path) -> DriftReport:
    options = DriftOptions(
        rendered=root, contexts={"many": plane.name}, kubeconfig=str(kubeconfig), engines={"*": "argocd"}
    )
    return run_drift(options).report


@pytest.mark.parametrize("rendered", [False, True])
def test_an_autoscaler_is_no_drift_unless_git_renders_the_replicas(
    shared_plane: ControlPlane, session_bed: Bed, namespace: str, tmp_path: Path, rendered: bool
) -> None:
    client = shared_plane.client("argocd-controller")
    target = deployment("web", namespace)
    target["spec"] |= {"replicas": 2} if rendered else {}
    scaler = reference("autoscaling/v2", "HorizontalPodAutoscaler", "web", namespace)
    scaled = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    scaler["spec"] = {"scaleTargetRef": scaled, "minReplicas": 3, "maxReplicas": 5}
    stored = [client.apply(one).object for one in (target, scaler)]
    client.wait_until(target, lambda one: (one or {})["spec"]["replicas"] == 3)
    tree = write_tree(
        tmp_path, [_as_rendered(one, document) for one, document in zip(stored, (target, scaler), strict=True)]
    )
    if not rendered:
        file = tree / "clusters" / "many" / "unit" / "00000.yaml"
        document = yaml.safe_load(file.read_text())
        del document["spec"]["replicas"]
        file.write_text(yaml.safe_dump(document))
    report = drift_of(tree, shared_plane, session_bed.kubeconfig([shared_plane]))
    found = {(d.drift, d.path, d.owner) for _, d in real(report)}
    fight = {(DriftClass.FIGHT, "spec.replicas", "kube-controller-manager (Update of scale)")}
    assert found == (fight if rendered else set())


def _as_rendered(stored: Object, applied: Object) -> Object:
    """The settled form of what was applied: defaults filled in, nothing that only servers write."""
    kept = {key: value for key, value in stored.items() if key != "status"}
    return kept | {"metadata": applied["metadata"]}


def test_five_thousand_objects_are_paged_in_parallel(
    shared_plane: ControlPlane, session_bed: Bed, namespace: str, tmp_path: Path, say: Say
) -> None:
    n_objects = 5_000
    documents = [
        config_map(f"one-{number}", namespace, value=str(number), text="x" * 200) for number in range(n_objects)
    ]
    _create(shared_plane.client("argocd-controller"), documents)
    tree = write_tree(tmp_path, documents)
    kubeconfig = session_bed.kubeconfig([shared_plane])
    tracemalloc.start()
    start = time.perf_counter()
    report = drift_of(tree, shared_plane, kubeconfig)
    took, (_, peak) = time.perf_counter() - start, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    say(f"drift of {n_objects} live objects: {took:.1f} s, {peak / 1e6:.0f} MB at most (traced)")
    assert report.clusters[0].n_live >= n_objects
    assert told(report) == set()
    assert took < 60
    assert peak < 200e6


def _create(client: Client, documents: list[Object]) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(client.apply, documents))
