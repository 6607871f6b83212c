"""A manager, two workers, and one intent of every runtime, compiled by the command line and brought to real servers.

Kueue starts with the frameworks, gates and manager's settings of the rendered Configuration; the manager works on each
worker with a token of the rendered service account, and so under the rendered roles. The operators of JobSet and the
trainer run everywhere. Those of PyTorchJob, MPIJob, Ray and LeaderWorkerSet do not run here: only their definitions are
there, and a test plays what they write to status.
"""

from __future__ import annotations

import copy
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from harness.bed import Bed
from harness.client import Client, NotYetError, Object, condition, reference
from harness.control_plane import ControlPlane
from harness.crds import install_components
from harness.kueue import API
from harness.patience import PATIENCE

from product.live import LiveFleet, connect, is_active
from product.nodes import join_nodes
from product.releases import KUEUE, keeps_order
from product.workspaces import REPOSITORY, Workspace, compile_copy
from stowplan.model.rendered import RenderedObject
from stowplan.ownership.rendered import ENGINE_MANAGERS

sys.path.append(str(REPOSITORY / "tests" / "kueue"))
from kueue_fleet import Document, batch, documents

MANAGER = "hub"
WORKERS = ("north", "south")
DEFINITIONS = ("training-operator", "mpi-operator", "kuberay", "lws")
ELASTIC, PIECES, LOOSE = "shards", "shards-set", "shards-pods"
"""Batches of an elastic Job, a JobSet, and of pods that stand alone."""


def planned_documents() -> dict[str, Document]:
    """Every set holds the plan's cluster, in no order. The quota of one worker is too small for all gangs."""
    made = documents(KUEUE)
    for key in ("Cluster/west", "InventorySnapshot/west", "Flavor/l40s", "Flavor/spot"):
        del made[key]
    south = copy.deepcopy(made["InventorySnapshot/north"])
    south["metadata"]["name"] = south["spec"]["cluster"] = "south"
    made["InventorySnapshot/south"] = south
    made["Cluster/south"]["spec"]["delivery"] = {"engine": "flux"}
    made["Fleet/test"]["spec"]["gitops"]["engines"] = ["argocd", "flux"]
    rows = {"north": 80, "south": 112}
    made["Tenant/speech"]["spec"]["quota"] = [
        {"flavor": "h200", "cluster": name, "nominal": amount} for name, amount in rows.items()
    ]
    made["Tenant/vision"]["spec"]["quota"] = [{"flavor": "h200", "cluster": "*", "nominal": 16}]
    for name in (MANAGER, *WORKERS):
        made[f"Cluster/{name}"]["spec"]["kueue"] = {"configuration": "rendered"}
    made[f"BatchIntent/{ELASTIC}"]["spec"]["options"] = {"elastic": True}
    loose = {"count": 2, "accelerators": 1, "cpu": 8, "memory": "64Gi"}
    made[f"BatchIntent/{LOOSE}"] = batch(LOOSE, "Pods", shards=loose)
    return made


def either_documents() -> dict[str, Document]:
    """Sets of two: only what keeps an order of clusters gets them, so the same fleet says that it runs Kueue 0.19.

    One tenant of its own has the gangs. Where the run's Kueue is older the order means nothing, which the tests allow for.
    """
    made = {}
    for key, document in planned_documents().items():
        kind, _, name = key.partition("/")
        if kind in ("BatchIntent", "Tenant", "Cohort"):
            continue
        if kind == "Cluster":
            document["spec"]["components"]["kueue"] = KUEUE if keeps_order() else "0.19.0"
        if kind == "TrainingIntent":
            name = document["metadata"]["name"] = name.replace("gang-", "either-")
            document["spec"]["tenant"] = "either"
        made[f"{kind}/{name}"] = document
    made["Fleet/test"]["spec"]["hubs"]["kueue"]["dispatcher"] = "Incremental"
    quota = [{"flavor": "h200", "cluster": "*", "nominal": 160}]
    spec = {"namespaces": ["either"], "priorities": ["high", "normal"], "quota": quota}
    tenant = {"apiVersion": "stowplan.io/v1alpha1", "kind": "Tenant", "metadata": {"name": "either"}, "spec": spec}
    return {**made, "Tenant/either": tenant}


def compiled(name: str, made: Mapping[str, Document], root: Path) -> Workspace:
    """Write the documents as a workspace and run `stowplan compile` there."""
    return compile_copy(name, written(made, root))


def written(made: Mapping[str, Document], root: Path) -> Path:
    """The documents as a workspace, one file each."""
    folder = root / "fleet"
    folder.mkdir(parents=True)
    for key, document in made.items():
        text = yaml.safe_dump(document, sort_keys=False)
        (folder / f"{key.replace('/', '-').lower()}.yaml").write_text(text, encoding="utf-8")
    return root


@dataclass
class Dispatching:
    """What runs: the fleet whose sets are the plan's clusters, and the tree with sets of two, which is brought to it."""

    live: LiveFleet
    either: Workspace
    jobs: dict[str, tuple[RenderedObject, ...]] = field(default_factory=dict)
    """Rendered objects of each intent, on the manager."""

    def client(self, target: str, manager: str = "stowplan-e2e") -> Client:
        """An administrator's client."""
        return self.live.client(target, manager)

    def planned(self, intent: str) -> Mapping[str, Any]:
        """The plan's assignment of an intent."""
        (entry,) = (one for one in self.live.workspace.plan["workloads"] if one["name"] == intent)
        found: Mapping[str, Any] = entry["assignments"][0]
        return found


def start(bed: Bed) -> Dispatching:
    """Bring up manager and workers, deliver both trees but for the jobs, connect, wait until all queues are Active."""
    folder = bed.folder / "dispatching"
    one = compiled("planned", planned_documents(), folder / "planned")
    other = compiled("either", either_documents(), folder / "either")
    planes = bed.planes(MANAGER, *WORKERS)
    live = LiveFleet(one, planes, bed.repository("dispatching"), folder)
    bed._stack.callback(live.stop)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda target: _furnish(bed, live, other if keeps_order() else one, target), planes))
    run = Dispatching(live, other)
    known = {(made.unit.target.name, made.reference) for made in one.objects}
    added = [made for made in other.objects if (made.unit.target.name, made.reference) not in known]
    for workspace, objects in ((one, one.objects), (other, tuple(added))):
        for made in objects:
            if is_delivered(made):
                _deliver(run, workspace, made)
    for worker in WORKERS:
        connect(live, worker)
    for made in (*one.objects, *added):
        if made.kind in ("ClusterQueue", "LocalQueue", "AdmissionCheck", "MultiKueueCluster"):
            client = run.client(made.unit.target.name)
            client.wait_until(made.object, is_active, what="to be Active")
    for workspace in (one, other):
        for made in workspace.of_target(MANAGER):
            if made.unit.name == "jobs" and is_job(made):
                intent = made.object["metadata"]["labels"]["stowplan.io/intent"]
                run.jobs[intent] = (*run.jobs.get(intent, ()), made)
    return run


def is_delivered(made: RenderedObject) -> bool:
    """Whether an object is brought before the jobs: not what engines read, nor what Kueue was started with."""
    return not made.unit.target.folder.startswith("gitops") and not is_job(made) and made.kind != "ConfigMap"


def is_job(made: RenderedObject) -> bool:
    """Whether MultiKueue brings the object to a worker."""
    return made.manifest.delivered_by == "multikueue"


def _furnish(bed: Bed, live: LiveFleet, source: Workspace, target: str) -> None:
    """Definitions, operators, Kueue as it is rendered in the source, controllers, nodes."""
    plane: ControlPlane = live.planes[target]
    client = plane.client()
    install_components(client, *DEFINITIONS)
    bed.operators(plane, "jobset", "trainer")
    given = configuration(source, target)
    gates = {"VisibilityOnDemand": False, **given.get("featureGates", {})}
    bed.kueue(
        plane,
        frameworks=given["integrations"]["frameworks"],
        settings={key: given[key] for key in ("multiKueue",) if key in given},
        gates=",".join(f"{name}={str(value).lower()}" for name, value in gates.items()),
    )
    plane.start_controller_manager()
    inputs = live.workspace.done.fleet
    assert inputs is not None
    if inputs.clusters[target].is_member:
        live.nodes.append(join_nodes(client, inputs, target))


def configuration(workspace: Workspace, target: str) -> Object:
    """Kueue's configuration as it is rendered for a cluster."""
    (made,) = (one for one in workspace.of_target(target) if one.kind == "ConfigMap" and "kueue" in one.name)
    (text,) = made.object["data"].values()
    found: Object = yaml.safe_load(text)
    return found


def _deliver(run: Dispatching, workspace: Workspace, made: RenderedObject) -> None:
    manager = ENGINE_MANAGERS[made.unit.target.engine][0]
    run.client(made.unit.target.name).apply(workspace.plain(made), manager=manager)


def submit(run: Dispatching, intent: str) -> tuple[RenderedObject, ...]:
    """Apply an intent's objects as the manager's engine does."""
    for made in run.jobs[intent]:
        run.client(MANAGER).apply(made.object, manager=ENGINE_MANAGERS[made.unit.target.engine][0])
    return run.jobs[intent]


def workload(client: Client, made: RenderedObject, timeout: float = PATIENCE) -> Object:
    """The Workload of an object once Kueue admitted it."""
    uid = client.get(made.object)["metadata"]["uid"]
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        for one in client.list(API, "Workload", made.namespace or ""):
            if any(owner["uid"] == uid for owner in one["metadata"].get("ownerReferences", ())):
                named = reference(API, "Workload", one["metadata"]["name"], made.namespace or "")
                return client.wait_until(named, _is_admitted, timeout=timeout, what="to be admitted")
        time.sleep(0.1)
    raise NotYetError(f"no Workload for {made.reference} within {timeout:g} s")


def _is_admitted(found: Object | None) -> bool:
    return condition(found, "Admitted").get("status") == "True"


def copy_of(run: Dispatching, worker: str, made: RenderedObject, timeout: float = PATIENCE) -> Object:
    """The copy of an object that MultiKueue makes on a worker, once it is there."""
    return run.client(worker).wait_until(made.object, lambda one: one is not None, timeout=timeout, what="to be copied")


def copies(run: Dispatching, made: RenderedObject) -> list[str]:
    """The workers that have a copy of an object."""
    return [worker for worker in WORKERS if run.client(worker).find(made.object) is not None]


def wait_gone(run: Dispatching, target: str, of: Object, uid: str = "", timeout: float = PATIENCE) -> None:
    """Wait until an object is away from a server, or, where a UID is given, is no longer the same one."""
    run.client(target).wait_until(
        of,
        lambda one: one is None or (bool(uid) and one["metadata"]["uid"] != uid),
        timeout=timeout,
        what="to be gone",
    )


def named(found: Object) -> Object:
    """What names a stored object."""
    metadata = found["metadata"]
    return reference(found["apiVersion"], found["kind"], metadata["name"], metadata.get("namespace", ""))


Ignored = Mapping[tuple[str, str, str], tuple[str, ...]]
"""JSON pointers that an engine is told to leave alone, by kind, namespace and name."""


def ignored(workspace: Workspace) -> Ignored:
    """The rendered ignore rules of the manager's jobs, from the Application or the Kustomization that syncs them."""
    (made,) = (one for one in workspace.of_target(MANAGER) if one.name == "hub-kueue-jobs")
    if made.kind == "Application":
        rows = made.object["spec"].get("ignoreDifferences", ())
        return {(one["kind"], one["namespace"], one["name"]): tuple(one["jsonPointers"]) for one in rows}
    rules = made.object["spec"].get("ignore", ())
    plain = [(one["target"], tuple(one["paths"])) for one in rules]
    return {(one["kind"], *(one[key].strip("^$") for key in ("namespace", "name"))): paths for one, paths in plain}


def with_live_values(rules: Ignored, wanted: Object, live: Object) -> Object:
    """What an engine applies: the rendered object, with the live value wherever a rule says so."""
    metadata = wanted["metadata"]
    made: Object = copy.deepcopy(wanted)
    for pointer in rules.get((wanted["kind"], metadata.get("namespace", ""), metadata["name"]), ()):
        *above, last = pointer.strip("/").split("/")
        into, source = made, live
        for step in above:
            into, source = into[step], source[step]
        into[last] = copy.deepcopy(source[last])
    return made


def names(objects: tuple[RenderedObject, ...]) -> Iterator[Object]:
    """What names each object."""
    for made in objects:
        yield reference(made.api_version, made.kind, made.name, made.namespace or "")
