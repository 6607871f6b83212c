"""Devices that are claimed, on real servers: every runtime is admitted on what its claims count as, and what cannot be is not."""

from __future__ import annotations

import copy
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from harness.bed import Bed
from harness.client import Client, Object, condition, reference
from harness.crds import install_crds
from harness.kueue import API, connect_worker, workload_of
from harness.modules import module_directory
from harness.patience import PATIENCE
from product.definitions import definitions
from product.live import kinds_of
from product.nodes import join_nodes
from product.releases import KUEUE, version

from stowplan.kueue.scheduling.release import release_of
from stowplan.model.devices import SELECTORS
from stowplan.model.rendered import RenderedObject

sys.path.append(str(Path(__file__).parents[1] / "kueue"))
from kueue_fleet import compile_documents, documents, training

CLASS, RESOURCE = "gpu.nvidia.com", "example.com/h200"
CLAIMS = "resource.k8s.io/v1"
READS_SELECTORS = version() >= SELECTORS


@dataclass(frozen=True)
class Claimed:
    """A member whose devices are claimed, with everything applied."""

    client: Client
    objects: tuple[RenderedObject, ...]
    stored: dict[str, Object]

    def of(self, intent: str, kind: str) -> Object:
        """The rendered object of an intent, by its kind."""
        (found,) = [o.object for o in self.objects if o.manifest.source == f"workload/{intent}" and o.kind == kind]
        return copy.deepcopy(found)


@pytest.fixture(scope="module")
def claimed(module_bed: Bed) -> Iterator[Claimed]:
    made = {k: v for k, v in documents(KUEUE, dispatch="direct").items() if not k.startswith("BatchIntent/")}
    for document in made.values():
        if document["kind"] == "TrainingIntent":
            document["spec"]["topology"] = {"preferred": "block"}
    made["InventorySnapshot/north"]["spec"]["nodeGroups"][0]["accelerator"]["dra"] = {"deviceClass": CLASS}
    made["Cluster/north"]["spec"]["kueue"] = {
        "configuration": "rendered", "deviceClasses": [{"resource": RESOURCE, "classes": [CLASS]}],
    }  # fmt: skip
    done = compile_documents(made)
    assert done.diagnostics == [] and done.fleet is not None and done.rendered is not None
    mine = sorted((o for o in done.rendered.objects if o.unit.target.folder == "clusters/north"), key=_order)
    plane = module_bed.plane("north", controller_manager=True)
    client = plane.client()
    custom, _ = definitions(kinds_of(mine))
    mpi = module_directory("kueue", "github.com/kubeflow/mpi-operator") / "manifests/base/kubeflow.org_mpijobs.yaml"
    install_crds(client, [*custom, yaml.safe_load(mpi.read_text(encoding="utf-8"))])
    module_bed.kueue(plane, configuration=_rendered_configuration(mine))
    nodes = join_nodes(client, done.fleet, "north")
    stored = {}
    for one in mine:
        applied = client.apply(one.object)
        assert applied.warnings == (), one.path
        stored[one.path] = applied.object
    yield Claimed(client, tuple(mine), stored)
    nodes.stop()


def _order(made: RenderedObject) -> tuple[int, bool, str]:
    return made.unit.wave, made.kind != "Namespace", made.path


def admitted(client: Client, made: RenderedObject) -> Object:
    """The Workload behind an object, once it is admitted."""
    uid = client.get(made.object)["metadata"]["uid"]
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        for one in client.list(API, "Workload", made.namespace or ""):
            if any(ref["uid"] == uid for ref in one["metadata"].get("ownerReferences", [])):
                of = reference(API, "Workload", one["metadata"]["name"], made.namespace or "")
                return client.wait_until(of, lambda found: condition(found, "Admitted").get("status") == "True")
        time.sleep(0.5)
    raise AssertionError(f"Kueue made no Workload for {made.reference}")


RUNTIMES = ("job", "jobset", "trainjob", "pytorchjob", "mpijob", "rayjob", "raycluster", "leaderworkerset", "pods")


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_the_devices_of_a_gang_are_counted_and_nothing_else_is_asked_for(runtime: str, claimed: Claimed) -> None:
    """Sixteen devices in the mapped resource, whatever pods share them; no extended resource anywhere."""
    (job, *_) = [
        o for o in claimed.objects
        if o.manifest.source == f"workload/gang-{runtime}" and o.kind not in ("ResourceClaimTemplate", "TrainingRuntime")
    ]  # fmt: skip
    sets = admitted(claimed.client, job)["status"]["admission"]["podSetAssignments"]
    counted = {row["name"]: int(row["resourceUsage"].get(RESOURCE, 0)) for row in sets}
    assert sum(counted.values()) == 16, counted
    assert {row["flavors"][RESOURCE] for row in sets if RESOURCE in row["flavors"]} == {"h200"}
    assert not any(resource.startswith("nvidia.com/") for row in sets for resource in row["resourceUsage"])


def test_the_server_stores_templates_as_they_are_rendered(claimed: Claimed) -> None:
    templates = [o for o in claimed.objects if o.kind == "ResourceClaimTemplate"]
    assert len(templates) == len(RUNTIMES)
    for made in templates:
        found = claimed.stored[made.path]
        assert found["spec"] == made.object["spec"]
        again = claimed.client.apply(made.object).object
        assert again["metadata"]["resourceVersion"] == found["metadata"]["resourceVersion"]


def test_the_claim_controller_makes_what_the_atlas_says_it_owns(claimed: Claimed) -> None:
    """Claims of the job's pods: made by the controller, with the annotation that the atlas selects them by."""
    job = claimed.of("gang-job", "Job")

    def claims() -> list[Object]:
        found = claimed.client.list(CLAIMS, "ResourceClaim", "speech")
        return [one for one in found if one["metadata"].get("labels", {}).get("stowplan.io/intent") == "gang-job"]

    claimed.client.wait_until(job, lambda found: (found or {}).get("status", {}).get("active") == 2)
    end = time.monotonic() + PATIENCE
    while len(claims()) < 2 and time.monotonic() < end:
        time.sleep(0.2)
    assert len(claims()) == 2
    for one in claims():
        assert one["metadata"]["annotations"]["resource.kubernetes.io/pod-claim-name"] == "accelerators"
        assert {entry["manager"] for entry in one["metadata"]["managedFields"]} == {"kube-controller-manager"}
        assert one["spec"]["devices"]["requests"][0]["exactly"]["count"] == 8


def _variant(claimed: Claimed, name: str) -> tuple[Object, Object]:
    """The job and its template under another name."""
    job, template = claimed.of("gang-job", "Job"), claimed.of("gang-job", "ResourceClaimTemplate")
    for made in (job, template):
        made["metadata"]["name"] = name
    job["spec"]["template"]["spec"]["resourceClaims"][0]["resourceClaimTemplateName"] = name
    return job, template


def _other_class(template: Object, _: Object) -> None:
    template["spec"]["spec"]["devices"]["requests"][0]["exactly"]["deviceClassName"] = "mig.nvidia.com"


def _selectors(template: Object, _: Object) -> None:
    exactly = template["spec"]["spec"]["devices"]["requests"][0]["exactly"]
    exactly["selectors"] = [{"cel": {"expression": 'device.driver == "gpu.nvidia.com"'}}]


def _all(template: Object, _: Object) -> None:
    exactly = template["spec"]["spec"]["devices"]["requests"][0]["exactly"]
    exactly["allocationMode"] = "All"
    del exactly["count"]


def _admin(template: Object, _: Object) -> None:
    template["spec"]["spec"]["devices"]["requests"][0]["exactly"]["adminAccess"] = True


def _alternatives(template: Object, _: Object) -> None:
    request = template["spec"]["spec"]["devices"]["requests"][0]
    request["firstAvailable"] = [{"name": "one", **request.pop("exactly")}]


def _shared(_: Object, job: Object) -> None:
    job["spec"]["template"]["spec"]["resourceClaims"] = [{"name": "accelerators", "resourceClaimName": "one"}]


REFUSED: dict[str, tuple[Any, str]] = {
    "no-mapping": (_other_class, "DeviceClass mig.nvidia.com is not mapped"),
    "selectors": (_selectors, "failed to get DeviceClass" if READS_SELECTORS else "CEL selectors are not supported"),
    "all": (_all, "AllocationMode 'All' is not supported"),
    "admin-access": (_admin, "AdminAccess is not supported"),
    "alternatives": (_alternatives, "FirstAvailable device selection is not supported"),
    "shared": (_shared, "does not support use of resource claims"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_sp2097_reports_is_never_admitted(name: str, claimed: Claimed) -> None:
    """Each fault that the rule names, as Kueue itself sees it."""
    change, words = REFUSED[name]
    job, template = _variant(claimed, f"refused-{name}")
    change(template, job)
    if name == "admin-access":  # which the API server takes in such namespaces only
        of = reference("v1", "Namespace", "speech")
        claimed.client.patch(of, {"metadata": {"labels": {"resource.kubernetes.io/admin-access": "true"}}})
    claimed.client.apply(template)
    claimed.client.apply(job)
    found = claimed.client.wait_until(
        workload_of(claimed.client, job),
        lambda one: words in condition(one, "QuotaReserved").get("message", ""),
    )
    assert "admission" not in found["status"]
    claimed.client.delete(job)


@pytest.mark.kueue_only(READS_SELECTORS, reason="before Kueue 0.18 no request with a selector is admitted")
def test_selectors_are_admitted_once_enough_devices_match(claimed: Claimed) -> None:
    """Kueue asks the class, and the slices of the same API server: eight devices for each pod's claim."""
    client = claimed.client
    job, template = _variant(claimed, "selects")
    _selectors(template, job)
    client.apply(template)
    client.apply(job)
    client.apply(reference(CLAIMS, "DeviceClass", CLASS) | {"spec": {}})
    client.wait_until(
        workload_of(client, job),
        lambda one: "0 device(s) match in the cluster but 8" in condition(one, "QuotaReserved").get("message", ""),
    )
    devices = [{"name": f"gpu-{number}"} for number in range(8)]
    pool = {"name": "one", "generation": 1, "resourceSliceCount": 1}
    made = {"spec": {"driver": CLASS, "pool": pool, "nodeName": "any", "devices": devices}}
    client.apply(reference(CLAIMS, "ResourceSlice", "one") | made)
    found = client.wait_until(
        workload_of(client, job), lambda one: condition(one, "Admitted").get("status") == "True", what="to be admitted"
    )
    (assigned,) = found["status"]["admission"]["podSetAssignments"]
    assert assigned["resourceUsage"][RESOURCE] == "16"
    client.delete(job)


def test_a_topology_does_not_count_claims(claimed: Claimed) -> None:
    """Why flavors of claimed devices are rendered without one.

    With it, the very job that is admitted without it waits; since a placed pod takes of its node what it asks for, and no longer
    what the queue counts, it is admitted to whatever nodes.
    """
    client = claimed.client
    (flavor,) = [copy.deepcopy(o.object) for o in claimed.objects if o.kind == "ResourceFlavor"]
    topology = {
        "apiVersion": API, "kind": "Topology", "metadata": {"name": "fabric"},
        "spec": {"levels": [{"nodeLabel": "fabric.example.com/block"}, {"nodeLabel": "kubernetes.io/hostname"}]},
    }  # fmt: skip
    flavor["metadata"]["name"] = "with-topology"
    flavor["spec"]["topologyName"] = "fabric"
    (queue,) = [copy.deepcopy(o.object) for o in claimed.objects if o.kind == "ClusterQueue" and o.name == "speech"]
    queue["metadata"]["name"] = "with-topology"
    for group in queue["spec"]["resourceGroups"]:
        group["flavors"] = [{**row, "name": "with-topology"} for row in group["flavors"] if row["name"] == "h200"]
    (local,) = [copy.deepcopy(o.object) for o in claimed.objects if o.kind == "LocalQueue" and o.namespace == "speech"][
        :1
    ]
    local["metadata"]["name"] = "with-topology"
    local["spec"]["clusterQueue"] = "with-topology"
    job, template = _variant(claimed, "in-topology")
    job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "with-topology"
    job["spec"]["template"]["metadata"]["annotations"] = {"kueue.x-k8s.io/podset-unconstrained-topology": "true"}
    plain = copy.deepcopy(job)
    plain["metadata"]["name"] = "without-claims"
    del (
        plain["spec"]["template"]["spec"]["resourceClaims"],
        plain["spec"]["template"]["spec"]["containers"][0]["resources"]["claims"],
    )
    for made in (topology, flavor, queue, local, template, plain, job):
        client.apply(made)
    client.wait_until(workload_of(client, plain), lambda one: condition(one, "Admitted").get("status") == "True")
    if release_of(version(), {}, fair_sharing=False).counts_all_usage:
        taken = client.wait_until(
            workload_of(client, job), lambda one: condition(one, "Admitted").get("status") == "True"
        )
        (assigned,) = taken["status"]["admission"]["podSetAssignments"]
        assert assigned["resourceUsage"][RESOURCE] == "16"
        assert assigned["topologyAssignment"]["slices"]
    else:
        waits = client.wait_until(
            workload_of(client, job), lambda one: condition(one, "QuotaReserved").get("status") == "False"
        )
        assert {row["resources"].get(RESOURCE) for row in waits["status"]["resourceRequests"]} == {"16"}
        time.sleep(5)
        assert "admission" not in client.get(waits)["status"]
    for made in (job, plain):
        client.delete(made)


def _rendered_configuration(objects: list[RenderedObject]) -> Object:
    (made,) = [o.object for o in objects if o.unit.name == "component-kueue" and o.kind == "ConfigMap"]
    found: Object = yaml.safe_load(made["data"]["controller_manager_config.yaml"])
    return found


def test_multikueue_dispatches_what_claims_devices(bed: Bed) -> None:
    """The manager counts by its own template and mapping, the worker by its own; MultiKueue brings the job, and no template."""
    made = documents(KUEUE)
    for key in [key for key in made if key.startswith(("TrainingIntent/", "BatchIntent/"))]:
        del made[key]
    made["TrainingIntent/gang"] = training("gang", "Job", topology={"preferred": "block"})
    made["InventorySnapshot/north"]["spec"]["nodeGroups"][0]["accelerator"]["dra"] = {"deviceClass": CLASS}
    for name in ("hub", "north"):
        made[f"Cluster/{name}"]["spec"]["kueue"] = {
            "configuration": "rendered", "deviceClasses": [{"resource": RESOURCE, "classes": [CLASS]}],
        }  # fmt: skip
    done = compile_documents(made)
    assert done.diagnostics == [] and done.fleet is not None and done.rendered is not None
    planes = bed.planes("hub", "north", controller_manager=True)
    nodes = join_nodes(planes["north"].client(), done.fleet, "north")
    try:
        mine = {
            name: sorted((o for o in done.rendered.objects if o.unit.target.name == name), key=_order)
            for name in planes
        }
        for name, plane in planes.items():
            bed.kueue(plane, configuration=_rendered_configuration(mine[name]))
        connect_worker(planes["hub"], planes["north"], "north")
        for name in ("north", "hub"):
            for one in mine[name]:
                if one.unit.name in ("tenancy", "kueue", "jobs"):
                    assert planes[name].client().apply(one.object).warnings == (), one.path
        (job,) = [o for o in mine["hub"] if o.kind == "Job"]
        for name, plane in planes.items():
            client = plane.client()
            client.wait_until(job.object, lambda found: found is not None, timeout=90)
            found = client.wait_until(
                workload_of(client, job.object) if name == "hub" else _copied(planes["hub"].client(), job.object),
                lambda one: condition(one, "Admitted").get("status") == "True",
                timeout=90,
            )
            (assigned,) = found["status"]["admission"]["podSetAssignments"]
            assert assigned["resourceUsage"][RESOURCE] == "16", name
            (template,) = client.list(CLAIMS, "ResourceClaimTemplate", "speech")
            assert "kueue.x-k8s.io/multikueue-origin" not in template["metadata"].get("labels", {})
    finally:
        nodes.stop()


def _copied(manager: Client, job: Object) -> Object:
    """What names the Workload on the worker: it has the manager's name."""
    metadata = workload_of(manager, job)["metadata"]
    return reference(API, "Workload", metadata["name"], metadata["namespace"])
