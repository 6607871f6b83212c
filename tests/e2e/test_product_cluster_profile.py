"""A worker that the manager reaches by a ClusterProfile: the rendered MultiKueueCluster, gate, and provider of credentials.

The provider is an exec plugin of the test: it looks up a token of the rendered service account by the worker's address, which the
manager tells it, so that the rendered role is what the manager works with.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from harness.bed import Bed
from harness.client import Client, Object, condition, reference
from harness.control_plane import ControlPlane
from harness.crds import install_components
from harness.kueue import API, NAMESPACE
from product import dispatching
from product.live import is_active, token_of
from product.nodes import join_nodes
from product.releases import KUEUE
from product.workspaces import REPOSITORY, Workspace

from stowplan.model.rendered import RenderedObject
from stowplan.ownership.rendered import ENGINE_MANAGERS

sys.path.append(str(REPOSITORY / "tests" / "kueue"))
from kueue_fleet import Document, documents

MANAGER, WORKER = "hub", "north"
PROFILE = "north-profile"
INTENT = "gang-job"

PLUGIN = """#!{python}
import json, os, sys
told = json.loads(os.environ["KUBERNETES_EXEC_INFO"])
token = json.load(open(sys.argv[1]))[told["spec"]["cluster"]["server"]]
kind = {{"apiVersion": told["apiVersion"], "kind": "ExecCredential"}}
print(json.dumps({{**kind, "status": {{"token": token, "expirationTimestamp": os.environ["EXPIRES"]}}}}))
"""


@dataclass(frozen=True)
class Fleet:
    """What is compiled, and the servers that it is brought to."""

    workspace: Workspace
    planes: Mapping[str, ControlPlane]
    tokens: Path

    def client(self, target: str) -> Client:
        """An administrator's client."""
        return self.planes[target].client()

    def of(self, target: str, kind: str) -> tuple[RenderedObject, ...]:
        """Rendered objects of a kind."""
        return tuple(made for made in self.workspace.of_target(target) if made.kind == kind)


def profiled(plugin: Path, tokens: Path) -> dict[str, Document]:
    """One worker, one gang, and a manager that gets its credentials from the plugin."""
    made = documents(KUEUE)
    for name in ("south", "west"):
        for kind in ("Cluster", "InventorySnapshot"):
            del made[f"{kind}/{name}"]
    for key in [key for key in made if key.startswith(("TrainingIntent/", "BatchIntent/"))]:
        if key != f"TrainingIntent/{INTENT}":
            del made[key]
    for flavor in ("l40s", "spot"):
        del made[f"Flavor/{flavor}"]
    for tenant in ("speech", "vision"):
        made[f"Tenant/{tenant}"]["spec"]["quota"] = [{"flavor": "h200", "cluster": "*", "nominal": 16}]
    provider = {
        "name": "tokens", "command": str(plugin), "args": [str(tokens)], "env": {"EXPIRES": "2999-01-01T00:00:00Z"},
        "provideClusterInfo": True,
    }  # fmt: skip
    made[f"Cluster/{MANAGER}"]["spec"]["kueue"] = {"configuration": "rendered", "credentialsProviders": [provider]}
    made[f"Cluster/{WORKER}"]["spec"]["kueue"] = {"configuration": "rendered"}
    made[f"Cluster/{WORKER}"]["spec"]["clusterProfile"] = PROFILE
    return made


@pytest.fixture(scope="module")
def fleet(module_bed: Bed) -> Fleet:
    """Manager and worker with all that is rendered but the job; no ClusterProfile yet."""
    folder = module_bed.folder / "profile"
    folder.mkdir(parents=True)
    plugin, tokens = folder / "plugin", folder / "tokens.json"
    plugin.write_text(PLUGIN.format(python=sys.executable), encoding="utf-8")
    plugin.chmod(0o700)
    tokens.write_text("{}", encoding="utf-8")
    workspace = dispatching.compiled("profiled", profiled(plugin, tokens), folder / "workspace")
    planes = module_bed.planes(MANAGER, WORKER)
    install_components(planes[MANAGER].client(), "cluster-profile")
    for target, plane in planes.items():
        module_bed.kueue(plane, configuration=dispatching.configuration(workspace, target))
    for plane in planes.values():
        plane.start_controller_manager()
    inputs = workspace.done.fleet
    assert inputs is not None
    nodes = join_nodes(planes[WORKER].client(), inputs, WORKER)
    module_bed._stack.callback(nodes.stop)
    for made in workspace.objects:
        target = made.unit.target.name
        if target in planes and dispatching.is_delivered(made):
            manager = ENGINE_MANAGERS[made.unit.target.engine][0]
            planes[target].client().apply(workspace.plain(made), manager=manager)
    return Fleet(workspace, planes, tokens)


def trust(fleet: Fleet) -> None:
    """The token of the worker's rendered account, where the plugin looks for it."""
    (account,) = (one for one in fleet.of(WORKER, "ServiceAccount") if one.namespace == NAMESPACE)
    server = _cluster_of(fleet.planes[WORKER])["server"]
    made = fleet.tokens.with_suffix(".new")
    made.write_text(json.dumps({server: token_of(fleet.planes[WORKER], account.object)}), encoding="utf-8")
    made.replace(fleet.tokens)


def _cluster_of(plane: ControlPlane) -> Object:
    """The address of a control plane and its authority, as kubeconfigs and ClusterProfiles have them."""
    found: Object = yaml.safe_load(plane.kubeconfig_text())["clusters"][0]["cluster"]
    return found


def profile(client: Client, plane: ControlPlane, provider: str) -> None:
    """A ClusterProfile, as a cluster manager keeps it."""
    made = reference("multicluster.x-k8s.io/v1alpha1", "ClusterProfile", PROFILE, NAMESPACE)
    made["spec"] = {"displayName": WORKER, "clusterManager": {"name": "the-test"}}
    client.apply(made)
    client.patch_status(made, {"accessProviders": [{"name": provider, "cluster": _cluster_of(plane)}]})


def test_what_is_rendered_names_profile_gate_and_provider(fleet: Fleet) -> None:
    (worker,) = fleet.of(MANAGER, "MultiKueueCluster")
    assert worker.object["spec"]["clusterSource"] == {"clusterProfileRef": {"name": PROFILE}}
    given = dispatching.configuration(fleet.workspace, MANAGER)
    assert given["featureGates"]["MultiKueueClusterProfile"] is True
    (providers,) = given["multiKueue"]["clusterProfile"].values()
    assert [row["name"] for row in providers] == ["tokens"]
    assert not [made for made in fleet.of(MANAGER, "Secret") if made.namespace == NAMESPACE]


def test_the_manager_reaches_the_worker_by_the_profile_and_sends_it_work(fleet: Fleet) -> None:
    hub, worker = fleet.client(MANAGER), fleet.client(WORKER)
    (connection,) = fleet.of(MANAGER, "MultiKueueCluster")
    found = hub.wait_until(connection.object, lambda one: bool(condition(one, "Active")), what="to be judged")
    assert condition(found, "Active")["reason"] == "BadClusterProfile", "there is none yet"
    trust(fleet)
    profile(hub, fleet.planes[WORKER], "somebody-else")
    hub.wait_until(
        connection.object,
        lambda one: "no matching cluster accessor" in condition(one, "Active").get("message", ""),
        what="to have no provider",
    )
    profile(hub, fleet.planes[WORKER], "tokens")
    hub.wait_until(connection.object, is_active, what="to be Active")
    for kind in ("AdmissionCheck", "ClusterQueue", "LocalQueue"):
        for made in fleet.of(MANAGER, kind):
            hub.wait_until(made.object, is_active, what="to be Active")
    (job,) = (made for made in fleet.workspace.of_target(MANAGER) if dispatching.is_job(made))
    hub.apply(job.object, manager=ENGINE_MANAGERS[job.unit.target.engine][0])
    sent = dispatching.workload(hub, job)
    assert sent["status"]["clusterName"] == WORKER
    copied = worker.wait_until(job.object, lambda one: one is not None, what="to be copied")
    assert copied["metadata"]["labels"]["kueue.x-k8s.io/multikueue-origin"]
    hub.delete(job.object)
    for named in (job.object, reference(API, "Workload", sent["metadata"]["name"], job.namespace or "")):
        worker.wait_until(named, lambda one: one is None, what="to be gone")
