"""The example fleet on real servers, delivered as it would be: Argo CD and Flux sync what the compiler rendered.

One control plane for each API server of the plan, Kueue and the job operators where the clusters have them, Argo CD on
the hub, Flux on its cluster, nodes as the inventories describe them, and MultiKueue's credentials made from the service
accounts that are rendered. Nothing else is given by hand but what an installation of these components brings.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import yaml
from harness.argocd import ArgoCD
from harness.bed import Bed
from harness.client import Client, Object, condition, reference
from harness.control_plane import ControlPlane
from harness.crds import install_crds
from harness.flux import Flux
from harness.kueue import NAMESPACE as KUEUE_NAMESPACE
from harness.patience import PATIENCE
from harness.repository import Repository

from product.definitions import Kind, definitions
from product.nodes import Nodes, join_nodes
from product.workspaces import EXAMPLE, Workspace, compile_copy, copy_workspace
from stowplan.model.rendered import RenderedObject
from stowplan.passes.gitops.engines import application_name, sync_waves

REPOSITORY_URL = "https://git.example.com/platform/aurora.git"
"""What the example names; Argo CD reads from a file address instead, which Flux's schema would refuse."""

MANAGED = ("batch/job", "jobset.x-k8s.io/jobset", "trainer.kubeflow.org/trainjob")
ONE_AFTER_THE_OTHER = {
    "dispatcherName": "kueue.x-k8s.io/multikueue-dispatcher-incremental",
    "incrementalDispatcherConfig": {"stepSize": 1},
}
"""What a manager is told whose sets are an order: docs/kueue.md asks it of whoever installs Kueue."""

ROOT = "bootstrap"
APPLICATION_HEALTH = "resource.customizations.health.argoproj.io_Application"
_HEALTH = """
hs = {status = "Progressing", message = ""}
if obj.status ~= nil and obj.status.health ~= nil then
  hs.status = obj.status.health.status
end
return hs
"""


@dataclass
class LiveFleet:
    """Everything that runs; `planes` are by target, `fluxes` by cluster."""

    workspace: Workspace
    planes: dict[str, ControlPlane]
    repository: Repository
    folder: Path
    argocd: ArgoCD | None = None
    fluxes: dict[str, Flux] = field(default_factory=dict)
    nodes: list[Nodes] = field(default_factory=list)
    timings: list[tuple[str, float]] = field(default_factory=list)
    created: dict[str, str] = field(default_factory=dict)
    """When each object was first there, by the path of its file."""
    failure: str = ""

    def client(self, target: str, manager: str = "stowplan-e2e") -> Client:
        """An administrator's client of a target's API server."""
        return self.planes[target].client(manager)

    def publish(self, edit: Callable[[Path], object] | None = None) -> str:
        """Commit the rendered tree (changed by `edit`, given its folder), and serve it to Flux; the commit."""
        tree = self.folder / "tree"
        shutil.rmtree(tree, ignore_errors=True)
        shutil.copytree(self.workspace.root / "rendered", tree / "rendered")
        if edit is not None:
            edit(tree / "rendered")
        for file in (tree / "rendered" / "gitops" / "argocd").glob("*.yaml"):
            file.write_text(file.read_text().replace(REPOSITORY_URL, self.repository.url))
        commit = self.repository.publish(tree)
        for flux in self.fluxes.values():
            flux.publish(self.workspace.done.fleet.name, tree)  # type: ignore[union-attr]
        return commit

    @property
    def members(self) -> tuple[str, ...]:
        """Clusters that take work and run here."""
        assert self.workspace.done.fleet is not None
        return tuple(cluster.name for cluster in self.workspace.done.fleet.members if cluster.name in self.planes)

    def applications(self) -> tuple[RenderedObject, ...]:
        """The rendered Applications."""
        return tuple(made for made in self.workspace.objects if made.kind == "Application")

    def kustomizations(self, cluster: str) -> tuple[RenderedObject, ...]:
        """The rendered Flux Kustomizations of a cluster."""
        return tuple(
            made for made in self.workspace.objects if made.kind == "Kustomization" and made.unit.target.name == cluster
        )

    def stop(self) -> None:
        """Let the nodes go; servers are stopped by the bed."""
        for nodes in self.nodes:
            nodes.stop()


_running: dict[int, LiveFleet] = {}


def live_fleet(bed: Bed) -> LiveFleet:
    """The live fleet of a run: started at first use, shared by all tests, stopped with the bed."""
    known = _running.get(id(bed))
    if known is None:
        known = _running[id(bed)] = start(bed)
        bed._stack.callback(known.stop)
        try:
            deliver(known)
        except BaseException as failure:
            known.failure = str(failure)
            raise
    assert not known.failure, f"the live fleet did not come up: {known.failure[:2000]}"
    return known


def start(bed: Bed) -> LiveFleet:
    repository = bed.repository("aurora")
    folder = bed.folder / "live"
    folder.mkdir()
    root = copy_workspace(EXAMPLE, folder / "workspace")
    _name_readers(root / "fleet" / "fleet.yaml")
    workspace = compile_copy("aurora", root)
    clock = time.monotonic()
    planes = bed.planes(*workspace.targets)
    fleet = LiveFleet(workspace, planes, repository, folder)
    fleet.timings.append(("control planes", time.monotonic() - clock))
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda target: _furnish(bed, fleet, target), planes))
    fleet.timings.append(("Kueue, operators, nodes", time.monotonic() - clock))
    fleet.argocd = bed.argocd(
        planes["hub"],
        clusters=planes,
        settings={APPLICATION_HEALTH: _HEALTH},
        arguments=("--self-heal-timeout-seconds=1",),
    )
    for cluster in sorted({made.unit.target.name for made in workspace.objects if made.unit.target.engine == "flux"}):
        fleet.fluxes[cluster] = bed.flux(planes[cluster])
    fleet.timings.append(("engines", time.monotonic() - clock))
    return fleet


def _name_readers(file: Path) -> None:
    """Let the harness's readers look for drift: the one thing that the example does not say."""
    text = file.read_text()
    assert text.count("  currency: USD") == 1
    readers = "  drift: {readers: [{kind: Group, name: stowplan:readers}]}"
    file.write_text(text.replace("  currency: USD", f"{readers}\n  currency: USD"))


def _furnish(bed: Bed, fleet: LiveFleet, target: str) -> None:
    """What a cluster has before anything of ours comes: definitions, operators, Kueue, nodes, given namespaces."""
    plane = fleet.planes[target]
    client = plane.client()
    inputs = fleet.workspace.done.fleet
    assert inputs is not None
    kinds = kinds_of(fleet.workspace.of_target(target))
    documents, missing = definitions(kinds)
    assert not missing, f"{target}: no definitions of {missing}"
    install_crds(client, documents)
    cluster = inputs.clusters.get(target)
    components = dict(cluster.spec.components) if cluster is not None else {}
    if "kueue" in components:
        # MultiKueue watches every kind it integrates on every worker, so all of them have all operators
        bed.operators(plane, "jobset", "trainer")
        hub = inputs.spec.hubs.kueue
        is_ordered = hub is not None and hub.cluster == target and hub.dispatcher == "Incremental"
        bed.kueue(plane, frameworks=MANAGED, settings={"multiKueue": ONE_AFTER_THE_OTHER} if is_ordered else None)
    if target != "karmada":  # its API server has no controllers of workloads, so that nothing runs there
        plane.start_controller_manager()
    if cluster is not None and cluster.is_member:
        fleet.nodes.append(join_nodes(client, inputs, target))


def kinds_of(objects: Iterable[RenderedObject]) -> frozenset[Kind]:
    """The kinds of some objects."""
    return frozenset((made.api_version, made.kind) for made in objects)


def deliver(fleet: LiveFleet) -> None:
    """Bootstrap both engines from the rendered tree, connect the workers, wait until all is there."""
    assert fleet.argocd is not None
    clock = time.monotonic()
    for cluster, flux in fleet.fluxes.items():
        for made in fleet.workspace.of_target(cluster):
            if made.unit.target.folder == "gitops/flux":
                flux.plane.client("kustomize-controller").apply(made.object)
    commit = fleet.publish()
    hub = fleet.argocd
    path = "rendered/gitops/argocd"
    hub.client.apply(
        hub.application(ROOT, repository=fleet.repository.url, path=path, cluster="hub", namespace="argocd")
    )
    for cluster in fleet.fluxes:
        wait_flux(fleet, cluster)
    for member in fleet.members:
        connect(fleet, member)
    play_controllers(fleet)
    wait_argocd(fleet, commit)
    fleet.timings.append(("delivery", time.monotonic() - clock))
    for made in fleet.workspace.objects:
        stored = fleet.client(made.unit.target.name).get(made.object)
        fleet.created[made.path] = stored["metadata"]["creationTimestamp"]


def play_controllers(fleet: LiveFleet, timeout: float = PATIENCE) -> None:
    """Set the status that Karmada collects from members and a gateway's controller reports, unit by unit.

    They do not run here, and engines wait for health before they go on to the next unit.
    """
    assert fleet.workspace.done.rendered is not None
    waves = sync_waves(fleet.workspace.done.rendered.units)
    for made in sorted(fleet.workspace.objects, key=lambda made: (waves.get(made.unit.folder, 0), made.path)):
        target = made.unit.target.name
        if _collected(made.object, 1) is None or (target != "karmada" and made.kind not in ("Gateway", "HTTPRoute")):
            continue
        client = fleet.client(target, "karmada-controller-manager" if target == "karmada" else "istio-gateway")
        stored = client.wait_until(made.object, lambda one: one is not None, timeout=timeout, what="to be delivered")
        status = _collected(made.object, stored["metadata"].get("generation", 1))
        assert status is not None
        client.patch_status(made.object, status)


def _collected(document: Object, generation: int) -> Object | None:
    """A healthy status of the kinds whose health engines judge."""
    ready = {"lastTransitionTime": "2026-01-01T00:00:00Z", "reason": "Ready", "message": "", "status": "True"}
    routed: list[Object] = [
        {**ready, "type": kind, "observedGeneration": generation} for kind in ("Accepted", "ResolvedRefs")
    ]
    replicas = document.get("spec", {}).get("replicas", 1)
    statuses: dict[str, Object] = {
        "Gateway": {
            "conditions": [
                ready | {"type": kind, "observedGeneration": generation} for kind in ("Accepted", "Programmed")
            ]
        },
        "HTTPRoute": {
            "parents": [
                {"parentRef": parent, "controllerName": "istio.io/gateway-controller", "conditions": routed}
                for parent in document.get("spec", {}).get("parentRefs", ())
            ]
        },
        "Deployment": {
            "observedGeneration": generation,
            **dict.fromkeys(("replicas", "updatedReplicas", "readyReplicas", "availableReplicas"), replicas),
            "conditions": [ready | {"type": "Available"}],
        },
        "DaemonSet": dict.fromkeys(
            (
                "currentNumberScheduled",
                "desiredNumberScheduled",
                "numberReady",
                "numberAvailable",
                "updatedNumberScheduled",
            ),
            1,
        )
        | {"numberMisscheduled": 0, "observedGeneration": generation},
        "HorizontalPodAutoscaler": {
            "currentReplicas": replicas,
            "desiredReplicas": replicas,
            "conditions": [ready | {"type": kind} for kind in ("AbleToScale", "ScalingActive")],
        },
        "PodDisruptionBudget": {
            **dict.fromkeys(("currentHealthy", "desiredHealthy", "disruptionsAllowed", "expectedPods"), replicas),
            "observedGeneration": generation,
            "conditions": [ready | {"type": "DisruptionAllowed"}],
        },
    }
    return statuses.get(document["kind"])


def wait_argocd(fleet: LiveFleet, commit: str = "", *, timeout: float = PATIENCE) -> dict[str, Object]:
    """Wait until every rendered Application is synced (at the commit), jobs' aside also Healthy.

    Jobs run for days: their unit is Synced, and Progressing or Suspended.
    """
    assert fleet.argocd is not None
    found: dict[str, Object] = {}
    for made in sorted(
        fleet.applications(), key=lambda made: made.object["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"]
    ):
        healths = RUNNING if made.object["metadata"]["labels"]["stowplan.io/unit"] == "jobs" else ("Healthy",)
        fleet.argocd.client.wait_until(made.object, lambda one: one is not None, timeout=timeout, what="to be created")
        fleet.argocd.refresh(made.name)
        found[made.name] = fleet.argocd.client.wait_until(
            made.object, partial(_is_synced, commit=commit, healths=healths), timeout=timeout, what="Synced"
        )
    return found


RUNNING = ("Healthy", "Progressing", "Suspended")


def _is_synced(found: Object | None, commit: str, healths: tuple[str, ...]) -> bool:
    status = (found or {}).get("status", {})
    sync = status.get("sync", {})
    at_commit = not commit or sync.get("revision") == commit
    done = status.get("operationState", {}).get("phase", "Succeeded") == "Succeeded"
    return bool(
        sync.get("status") == "Synced" and at_commit and done and status.get("health", {}).get("status") in healths
    )


def wait_flux(fleet: LiveFleet, cluster: str) -> dict[str, Object]:
    """Wait until every rendered Kustomization of a cluster is Ready at the published revision."""
    ordered = sorted(fleet.kustomizations(cluster), key=lambda made: len(made.object["spec"].get("dependsOn", ())))
    return {made.name: fleet.fluxes[cluster].wait_ready(made.name) for made in ordered}


def connect(fleet: LiveFleet, member: str) -> None:
    """Give the manager the credentials of a worker: a token of the service account that is rendered for it."""
    clusters = [
        made for made in fleet.workspace.of_target("hub") if made.kind == "MultiKueueCluster" and made.name == member
    ]
    if not clusters:
        return
    source = clusters[0].object["spec"]["clusterSource"]["kubeConfig"]
    assert source["locationType"] == "Secret"
    plane = fleet.planes[member]
    account = next(
        made
        for made in fleet.workspace.of_target(member)
        if made.kind == "ServiceAccount" and made.namespace == KUEUE_NAMESPACE
    )
    plane.client().wait_until(account.object, lambda one: one is not None, what="to be delivered")
    secret = reference("v1", "Secret", source["location"], KUEUE_NAMESPACE)
    secret["stringData"] = {"kubeconfig": kubeconfig_with(plane, token_of(plane, account.object))}
    fleet.client("hub").apply(secret)


def token_of(plane: ControlPlane, account: Object) -> str:
    """A token of a service account."""
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 7200}}
    path = plane.client().path(account, "token")
    token: str = plane.client().request("POST", path, request).object["status"]["token"]
    return token


def kubeconfig_with(plane: ControlPlane, token: str) -> str:
    """A kubeconfig of a plane with a bearer token."""
    document = yaml.safe_load(plane.kubeconfig_text())
    document["users"][0]["user"] = {"token": token}
    return yaml.safe_dump(document)


def delivered(fleet: LiveFleet, made: RenderedObject) -> Object:
    """A rendered object as its engine applies it: with the engine's own mark, and the address that the bed reads."""
    document = fleet.workspace.plain(made)
    metadata = document["metadata"]
    home = made.unit.target.folder
    if home == "gitops/flux":
        return document
    if made.unit.target.engine == "flux":
        owner = {"name": application_name(made.unit), "namespace": "flux-system"}
        labels = {f"kustomize.toolkit.fluxcd.io/{key}": value for key, value in owner.items()}
        metadata["labels"] = {**metadata.get("labels", {}), **labels}
        return document
    application = ROOT if home == "gitops" else application_name(made.unit)
    group = made.api_version.rpartition("/")[0]
    # what has no namespace is noted under that of the Application's destination
    namespace = made.namespace or ("argocd" if home == "gitops" else "default")
    mark = f"{application}:{group}/{made.kind}:{namespace}/{made.name}"
    metadata["annotations"] = {**metadata.get("annotations", {}), "argocd.argoproj.io/tracking-id": mark}
    if home == "gitops":
        text = json.dumps(document).replace(REPOSITORY_URL, fleet.repository.url)
        document = json.loads(text)
    return document


def versions(fleet: LiveFleet, objects: Iterable[RenderedObject]) -> dict[str, str]:
    """The resourceVersions of stored objects."""
    return {
        made.path: fleet.client(made.unit.target.name).get(made.object)["metadata"]["resourceVersion"]
        for made in objects
    }


def is_active(found: Object | None) -> bool:
    """Whether an object has the condition Active."""
    return condition(found, "Active").get("status") == "True"


def wait_queues_active(fleet: LiveFleet, target: str, timeout: float = PATIENCE) -> dict[str, str]:
    """Wait for every queue, check and worker of a target to turn Active; what each says that does not."""
    late: dict[str, str] = {}
    deadline = time.monotonic() + timeout
    for made in fleet.workspace.of_target(target):
        if made.kind not in ("ClusterQueue", "LocalQueue", "AdmissionCheck", "MultiKueueCluster"):
            continue
        while not is_active(found := fleet.client(target).find(made.object)):
            if time.monotonic() > deadline:
                told = condition(found, "Active")
                late[made.reference] = f"{told.get('reason')}: {told.get('message')}"
                break
            time.sleep(0.1)
    return late
