"""A rendered service with its rendered autoscaler, synced by either engine: who owns the replicas, and that nobody fights.

The autoscaler is kube-controller-manager's. Played are the kubelet (pods run) and the metrics adapter.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from harness.bed import Bed
from harness.client import Client, Object, managed_fields, reference
from harness.crds import install_crds
from harness.kubelet import Kubelet
from harness.metrics import Metrics
from product.comparing import Predictor, changes, owner_differences, unforeseen_owners
from product.definitions import definitions, served_pack
from product.foresight import atlas_rows
from product.live import REPOSITORY_URL, LiveFleet, delivered, kinds_of
from product.workspaces import EXAMPLE, compile_copy, copy_workspace

from stowplan.model.rendered import RenderedObject
from stowplan.ownership.rendered import ENGINE_MANAGERS
from stowplan.schema.sets import SchemaSet
from stowplan.schemas import shipped_packs

ENGINE_OF = {"us-east-spot": "argocd", "eu-west-l40s": "flux"}
UNITS = ("tenancy", "inference")
NAMESPACE = "speech"
DEPLOYMENT = reference("apps/v1", "Deployment", "asr", NAMESPACE)
SCALER = reference("autoscaling/v2", "HorizontalPodAutoscaler", "asr", NAMESPACE)


@dataclass
class Scaled:
    """The two clusters of the service, each with its engine; `metrics` are the played adapters."""

    fleet: LiveFleet
    metrics: dict[str, Metrics] = field(default_factory=dict)

    def client(self, cluster: str) -> Client:
        """An administrator's client."""
        return self.fleet.client(cluster)

    def synced(self, cluster: str, commit: str = "") -> None:
        """Wait until the engine has brought what is published, and finds all of it healthy."""
        for unit in UNITS:
            if ENGINE_OF[cluster] == "argocd":
                assert self.fleet.argocd is not None
                self.fleet.argocd.wait_synced(f"{cluster}-{unit}", commit)
            else:
                self.fleet.fluxes[cluster].wait_ready(f"{cluster}-{unit}")

    def objects(self, cluster: str) -> list[RenderedObject]:
        """What the engine delivers here."""
        found = self.fleet.workspace.of_target(cluster)
        return [made for made in found if made.unit.name in UNITS and made.unit.target.folder == f"clusters/{cluster}"]


@pytest.fixture(scope="module")
def scaled(module_bed: Bed) -> Iterator[Scaled]:
    """The example's service dispatched directly, delivered to both of its clusters."""
    folder = module_bed.folder / "scaled"
    folder.mkdir()
    root = copy_workspace(EXAMPLE, folder / "workspace")
    fleet_file = root / "fleet" / "fleet.yaml"
    text = fleet_file.read_text()
    fleet_file.write_text(text.replace("inference: karmada", "inference: direct"))
    assert fleet_file.read_text() != text
    workspace = compile_copy("aurora", root)
    planes = module_bed.planes(*ENGINE_OF)
    fleet = LiveFleet(workspace, planes, module_bed.repository("aurora"), folder)
    run = Scaled(fleet)
    kubelets = []
    for cluster, plane in planes.items():
        documents, missing = definitions(kinds_of(run.objects(cluster)))
        assert not missing
        install_crds(plane.client(), documents)
        plane.start_controller_manager()
        run.metrics[cluster] = Metrics(plane).register()
        kubelets.append(Kubelet(plane.client("kubelet"), NAMESPACE).start())
    try:
        _deliver(module_bed, run)
        yield run
    finally:
        for kubelet in kubelets:
            kubelet.stop()
        for metrics in run.metrics.values():
            metrics.stop()


def _deliver(bed: Bed, run: Scaled) -> None:
    """Hand the rendered Applications and Kustomizations of the two units to the engines."""
    fleet = run.fleet
    for cluster, engine in ENGINE_OF.items():
        plane = fleet.planes[cluster]
        if engine == "argocd":
            fleet.argocd = bed.argocd(plane, clusters={cluster: plane}, arguments=("--self-heal-timeout-seconds=1",))
        else:
            fleet.fluxes[cluster] = bed.flux(plane)
    for made in fleet.workspace.objects:
        if made.unit.target.folder == "gitops/flux" and made.kind == "GitRepository":
            for cluster, flux in fleet.fluxes.items():
                if made.unit.target.name == cluster:
                    flux.plane.client("kustomize-controller").apply(made.object)
    fleet.publish()
    names = {f"{cluster}-{unit}" for cluster in ENGINE_OF for unit in UNITS}
    for made in fleet.workspace.objects:
        if made.kind == "AppProject" or (made.kind == "Application" and made.name in names):
            assert fleet.argocd is not None
            fleet.argocd.client.apply(json.loads(json.dumps(made.object).replace(REPOSITORY_URL, fleet.repository.url)))
        if made.kind == "Kustomization" and made.name in names:
            fleet.fluxes[made.unit.target.name].plane.client("kustomize-controller").apply(made.object)


def scaler(run: Scaled, cluster: str) -> Object:
    """The rendered autoscaler's spec."""
    (made,) = (one for one in run.objects(cluster) if one.kind == "HorizontalPodAutoscaler")
    found: Object = made.object["spec"]
    return found


def wait_replicas(run: Scaled, cluster: str, least: int) -> int:
    """Wait until the Deployment has so many replicas at least; how many it has."""
    found: int = run.client(cluster).wait_until(
        DEPLOYMENT,
        lambda one: (one or {}).get("spec", {}).get("replicas", 0) >= least,
        what=f"to have {least} replicas",
    )["spec"]["replicas"]
    return found


def load(run: Scaled, cluster: str, waiting: str) -> None:
    """Set the metric that the rendered autoscaler asks for."""
    (row,) = scaler(run, cluster)["metrics"]
    run.metrics[cluster].values[row["pods"]["metric"]["name"]] = waiting


@pytest.mark.parametrize("cluster", ENGINE_OF)
def test_the_rendered_autoscaler_brings_what_the_plan_placed(scaled: Scaled, cluster: str) -> None:
    """Git says nothing of the replicas: the server's one becomes the least of the autoscaler's bounds."""
    (made,) = (one for one in scaled.objects(cluster) if one.reference == f"Deployment/{NAMESPACE}/asr")
    assert "replicas" not in made.object["spec"]
    spec = scaler(scaled, cluster)
    assert 1 < spec["minReplicas"] < spec["maxReplicas"]
    load(scaled, cluster, spec["metrics"][0]["pods"]["target"]["averageValue"])
    assert wait_replicas(scaled, cluster, spec["minReplicas"]) == spec["minReplicas"]
    scaled.synced(cluster)
    scaled.client(cluster).wait_until(
        SCALER,
        lambda one: (
            {c["type"]: c["status"] for c in (one or {}).get("status", {}).get("conditions", ())}.get("ScalingActive")
            == "True"
        ),
        what="to read its metric",
    )


@pytest.mark.parametrize("cluster", ENGINE_OF)
def test_under_load_the_autoscaler_has_its_way_and_the_engine_stays_synced(scaled: Scaled, cluster: str) -> None:
    spec = scaler(scaled, cluster)
    load(scaled, cluster, "1000")
    wait_replicas(scaled, cluster, spec["minReplicas"] + 1)
    scaled.synced(cluster)
    _only_grows(scaled, cluster, seconds=6)
    scaled.synced(cluster)


def _only_grows(run: Scaled, cluster: str, seconds: float) -> None:
    """Look at `spec.replicas` for a while: an engine that put it back would be seen, as the autoscaler looks every 2 s."""
    seen: list[int] = []
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        seen.append(run.client(cluster).get(DEPLOYMENT)["spec"]["replicas"])
        time.sleep(0.05)
    assert seen == sorted(seen)
    assert seen[0] > scaler(run, cluster)["minReplicas"]


@pytest.mark.parametrize("cluster", ENGINE_OF)
def test_owners_are_those_that_were_predicted(scaled: Scaled, cluster: str) -> None:
    client = scaled.client(cluster)
    predictor = Predictor(SchemaSet((served_pack(client), *shipped_packs()), 36))
    rows = atlas_rows(scaled.fleet.workspace)
    manager = ENGINE_MANAGERS[ENGINE_OF[cluster]][0]
    found = []
    for made in scaled.objects(cluster):
        document, stored = delivered(scaled.fleet, made), client.get(made.object)
        texts = [*owner_differences(document, stored, manager, predictor)]
        texts += unforeseen_owners(stored, ENGINE_OF[cluster], rows[made.path])
        texts += [
            str(change)
            for change in changes(document, stored)
            if not (change.added and predictor.foreseen(stored, change, rows[made.path]))
        ]
        found += [f"{made.reference}: {text}" for text in texts]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("cluster", ENGINE_OF)
def test_the_next_change_in_git_leaves_the_replicas_alone(scaled: Scaled, cluster: str) -> None:
    """The engine applies the Deployment anew, for another of its fields."""
    path = f"clusters/{cluster}/inference/deployment-speech-asr.yaml"

    def edit(tree: Path) -> None:
        file = tree / path
        text = file.read_text()
        file.write_text(text.replace("revisionHistoryLimit: 10", "revisionHistoryLimit: 5"))
        assert file.read_text() != text

    least = scaler(scaled, cluster)["minReplicas"]
    load(scaled, cluster, "1000")
    before = wait_replicas(scaled, cluster, least + 1)
    commit = scaled.fleet.publish(edit)
    try:
        scaled.synced(cluster, commit)
        stored = scaled.client(cluster).get(DEPLOYMENT)
        assert stored["spec"]["revisionHistoryLimit"] == 5
        assert stored["spec"]["replicas"] >= before > least
        engine = ENGINE_MANAGERS[ENGINE_OF[cluster]][0]
        assert "f:replicas" not in managed_fields(stored)[engine, "Apply", ""]["f:spec"]
    finally:
        scaled.synced(cluster, scaled.fleet.publish())
    _only_grows(scaled, cluster, seconds=3)
