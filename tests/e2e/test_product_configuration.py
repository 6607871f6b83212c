"""Kueue itself starts with the configurations that are rendered, knows every field and gate of them, and works by them."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from harness.bed import Bed
from harness.client import Client, Object, condition, reference
from harness.control_plane import ControlPlane
from harness.crds import install_crds
from harness.kueue import API, Kueue, wait_active, workload_of
from harness.modules import module_directory
from harness.patience import PATIENCE
from harness.processes import ServerError
from harness.samples import job, queues
from product.definitions import definitions
from product.live import kinds_of
from product.nodes import join_nodes
from product.releases import KUEUE, keeps_order, version
from product.workspaces import EXAMPLE, REPOSITORY, compile_copy, copy_workspace

from stowplan.driver import Compilation

sys.path.append(str(Path(__file__).parents[1] / "kueue"))
from kueue_fleet import Document, compile_documents, documents, training

CLASS, RESOURCE = "gpu.nvidia.com", "example.com/h200"

CLAIMS_GATE = "DynamicResourceAllocation" if version() < (0, 18, 0) else "KueueDRAIntegration"

EVERYTHING: Document = {
    "configuration": "rendered",
    "frameworks": ["deployment", "statefulset", "ray.io/rayservice"],
    "featureGates": {CLAIMS_GATE: True, "TASFailedNodeReplacementFailFast": False},
    "fairSharing": True,
    "deviceClasses": [
        {"resource": RESOURCE, "classes": [CLASS, "mig.nvidia.com"]},
        {"resource": "example.com/other", "classes": ["gpu.amd.com"]},
    ],
    "transformations": [
        {"input": "example.com/slice", "strategy": "Replace", "outputs": {"example.com/share": "500m"}},
        {"input": "nvidia.com/gpu", "strategy": "Retain", "outputs": {"example.com/credits": "10"}},
    ],
    "excludePrefixes": ["rdma/", "example.com/free"],
    "podsReady": {"timeout": "1h30m", "recoveryTimeout": "15m", "blockAdmission": True},
}
"""Every part of `kueue` in a Cluster that becomes part of the configuration."""


def everything(dispatcher: str) -> Compilation:
    """A hub and a member whose Kueue is configured in every way there is, and work that claims its devices."""
    made = documents(KUEUE)
    for key in [key for key in made if key.startswith(("TrainingIntent/", "BatchIntent/"))]:
        del made[key]
    made["TrainingIntent/gang"] = training("gang", "Job", dispatch="direct", topology={"preferred": "block"})
    made["TrainingIntent/sent"] = training("sent", "Job", topology={"preferred": "block"})
    made["Fleet/test"]["spec"]["hubs"]["kueue"]["dispatcher"] = dispatcher
    made["Cluster/hub"]["spec"]["kueue"] = {**EVERYTHING, "origin": "stowplan-test"}
    made["Cluster/north"]["spec"]["kueue"] = EVERYTHING
    made["InventorySnapshot/north"]["spec"]["nodeGroups"][0]["accelerator"]["dra"] = {"deviceClass": CLASS}
    return compile_documents(made)


def of_workspace(root: Path, source: Path, clusters: tuple[str, ...]) -> Compilation:
    """A workspace whose clusters have their configuration rendered, compiled by the command line."""
    copy_workspace(source, root)
    for cluster in clusters:
        file = root / "fleet" / "clusters" / f"{cluster}.yaml"
        text = file.read_text(encoding="utf-8")
        assert "kueue:" in text and "  kueue:\n" not in text
        file.write_text(text.replace("\nspec:\n", "\nspec:\n  kueue: {configuration: rendered}\n", 1), encoding="utf-8")
    return compile_copy(source.name, root).done


def configurations(done: Compilation) -> dict[str, Object]:
    """The rendered configurations by cluster, as the ConfigMap's text says them."""
    assert done.rendered is not None, [d.message for d in done.diagnostics]
    return {
        made.unit.target.name: yaml.safe_load(made.object["data"]["controller_manager_config.yaml"])
        for made in done.rendered.objects
        if made.unit.name == "component-kueue" and made.kind == "ConfigMap"
    }


@dataclass(frozen=True)
class Rendered:
    """What is started: configurations by name."""

    by_name: Mapping[str, Object]
    member: Compilation


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Rendered:
    found: dict[str, Object] = {}
    for name, source, clusters in (
        ("example", EXAMPLE, ("hub", "eu-west-h200")),
        ("fleet", REPOSITORY, ("hub", "dub-h200", "eem-h100")),
    ):
        done = of_workspace(tmp_path_factory.mktemp(name), source, clusters)
        found.update({f"{name}/{cluster}": made for cluster, made in configurations(done).items()})
    whole = everything("Incremental")
    assert {d.code for d in whole.diagnostics} <= (set() if keeps_order() else {"SP2057"}), [
        d.message for d in whole.diagnostics
    ]
    found.update({f"everything/{cluster}": made for cluster, made in configurations(whole).items()})
    found["everything/all-at-once"] = configurations(everything("AllAtOnce"))["hub"]
    return Rendered(found, whole)


NAMES = (
    "example/hub", "example/eu-west-h200", "fleet/hub", "fleet/dub-h200", "fleet/eem-h100", "everything/hub", "everything/north",
    "everything/all-at-once",
)  # fmt: skip


BROUGHT = (
    ("github.com/kubeflow/mpi-operator", "manifests/base/kubeflow.org_mpijobs.yaml"),
    ("k8s.io/autoscaler/cluster-autoscaler/apis", "config/crd/autoscaling.x-k8s.io_provisioningrequests.yaml"),
)
"""Definitions that Kueue itself was built with."""


@pytest.fixture(scope="module")
def plane(module_bed: Bed, rendered: Rendered) -> ControlPlane:
    """One API server for all managers, one after the other, with the definitions of all integrations."""
    assert rendered.member.rendered is not None
    plane = module_bed.plane("north", controller_manager=True)
    kinds = {
        ("jobset.x-k8s.io/v1alpha2", "JobSet"), ("trainer.kubeflow.org/v1alpha1", "TrainJob"), ("kubeflow.org/v1", "PyTorchJob"),
        ("ray.io/v1", "RayJob"), ("ray.io/v1", "RayCluster"), ("ray.io/v1", "RayService"),
        ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"),
    }  # fmt: skip
    custom, missing = definitions([*kinds, *kinds_of(rendered.member.rendered.objects)])
    assert set(missing) <= {("kubeflow.org/v2beta1", "MPIJob"), ("batch.volcano.sh/v1alpha1", "Job")}
    brought = [
        yaml.safe_load((module_directory("kueue", module) / path).read_text("utf-8")) for module, path in BROUGHT
    ]
    install_crds(plane.client(), [*custom, *brought])
    return plane


_STARTED = re.compile(r'"msg":"(Successfully loaded configuration|Configuration loaded)"')


def log_of(kueue: Kueue) -> str:
    """What the manager said since it started; those before it wrote into the same file."""
    lines = kueue.server.log.read_text(encoding="utf-8", errors="replace").splitlines()
    (*_, start) = (number for number, line in enumerate(lines) if _STARTED.search(line))
    return "\n".join(lines[start:])


def complaints(log: str) -> list[str]:
    """What a manager logs as an error, those of leaving aside."""
    levels = [line for line in log.splitlines() if '"level":"error"' in line or '"level":"dpanic"' in line]
    plain = [line for line in log.splitlines() if re.match(r"(\S+\s+ERROR\s|panic:|[EF]\d{4} )", line)]
    return [*levels, *plain]


def effective(log: str) -> Object:
    """The configuration that the manager says it runs by."""
    found: Object = yaml.safe_load(json.loads(log.splitlines()[0])["config"])
    return found


def differences(wanted: Any, found: Any, path: str = "") -> Iterator[str]:
    """Where something that is rendered is not in force; what Kueue adds is its own."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        for key, value in wanted.items():
            yield from differences(value, found.get(key), f"{path}.{key}")
    elif wanted != found and not _same_duration(wanted, found):
        yield f"{path}: {wanted!r} became {found!r}"


def _same_duration(wanted: Any, found: Any) -> bool:
    from stowplan.model.quantity import DurationError, parse_duration

    try:
        return parse_duration(str(wanted)) == parse_duration(str(found))
    except DurationError:
        return False


LOOPBACK = ("health", "metrics", "webhook", "leaderElection")


@pytest.mark.parametrize("name", NAMES)
def test_the_manager_runs_by_what_is_rendered(name: str, bed: Bed, plane: ControlPlane, rendered: Rendered) -> None:
    """Its decoding is strict: with one field or gate that it does not know it would not start."""
    document = rendered.by_name[name]
    kueue = bed.kueue(plane, configuration=document)
    log = log_of(kueue)
    assert complaints(log) == []
    wanted = {key: value for key, value in document.items() if key not in LOOPBACK}
    assert list(differences(wanted, effective(log))) == []


def test_every_option_of_the_language_is_in_it(rendered: Rendered) -> None:
    """So that the test above is about all of them."""
    document = rendered.by_name["everything/hub"]
    assert {
        "fairSharing",
        "multiKueue",
        "resources",
        "waitForPodsReady",
        "featureGates",
        "integrations",
    } <= document.keys()
    assert document["resources"].keys() == {"deviceClassMappings", "excludeResourcePrefixes", "transformations"}
    step = {"incrementalDispatcherConfig": {"stepSize": 1}} if keeps_order() else {}
    assert document["multiKueue"] == {
        "origin": "stowplan-test", "dispatcherName": "kueue.x-k8s.io/multikueue-dispatcher-incremental", **step,
    }  # fmt: skip
    assert document["waitForPodsReady"].keys() == {"timeout", "recoveryTimeout", "blockAdmission"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"resources": {"deviceClassMapping": []}}, "unknown field"),
        ({"featureGates": {"NoSuchGate": True}}, "unrecognized feature gate"),
        ({"resources": {"deviceClassMappings": [{"name": "a", "deviceClassNames": ["b"]}] * 2}}, "Duplicate value"),
    ],
    ids=["field", "gate", "value"],
)
def test_it_would_say_so(change: Object, words: str, bed: Bed, plane: ControlPlane, rendered: Rendered) -> None:
    """The test of the test: a fault in the document keeps the manager from starting."""
    document = {**rendered.by_name["everything/north"], **change}
    with pytest.raises(ServerError) as refused:
        bed.kueue(plane, configuration=document)
    assert words in str(refused.value) or words in (plane.folder / "kueue" / "north-kueue.log").read_text()


def test_a_job_is_admitted_by_it(bed: Bed, plane: ControlPlane, rendered: Rendered) -> None:
    """With everything on: the claim counts in the mapped resource, RDMA devices are left out, and the job starts."""
    done = rendered.member
    assert done.fleet is not None and done.rendered is not None
    client: Client = plane.client()
    bed.kueue(plane, configuration=rendered.by_name["everything/north"])
    nodes = join_nodes(client, done.fleet, "north")
    try:
        mine = [
            o
            for o in done.rendered.objects
            if o.unit.target.folder == "clusters/north" and o.unit.name in ("tenancy", "kueue", "jobs")
        ]
        for made in sorted(mine, key=lambda o: (o.unit.wave, o.kind != "Namespace", o.path)):
            assert client.apply(made.object).warnings == (), made.path
        wait_active(client, "ClusterQueue", "speech")
        (job,) = [made.object for made in mine if made.kind == "Job"]
        workload = client.wait_until(
            workload_of(client, job), lambda found: condition(found, "Admitted").get("status") == "True", timeout=60
        )
        (assigned,) = workload["status"]["admission"]["podSetAssignments"]
        assert assigned["flavors"][RESOURCE] == "h200"
        assert assigned["resourceUsage"][RESOURCE] == "16"
        assert not any(resource.startswith(("rdma/", "nvidia.com/")) for resource in assigned["resourceUsage"])
        assert client.wait_until(job, lambda found: found is not None and found["spec"]["suspend"] is False)
    finally:
        nodes.stop()


@pytest.mark.parametrize("within", ["LowerPriority", "Never"])
def test_a_queue_outside_any_cohort_ends_the_scheduler(within: str, bed: Bed) -> None:
    """SP2019: with fair sharing, before 0.18, when what may be preempted is not enough; not where nothing may be preempted."""
    plane = bed.plane("alone", controller_manager=True)
    client = plane.client()
    kueue = bed.kueue(plane, settings={"fairSharing": {"preemptionStrategies": ["LessThanOrEqualToFinalShare"]}})
    flavor, queue, local = queues("h200", cpu="8")
    queue["spec"]["preemption"] = {"withinClusterQueue": within}
    for name, value in (("low", 10), ("high", 1000)):
        client.apply(reference(API, "WorkloadPriorityClass", name) | {"value": value})
    for document in (flavor, queue, local):
        client.apply(document)
    wait_active(client, "ClusterQueue", "team")

    def submit(name: str, priority: str, cpu: str) -> Object:
        work = job(name, "default", queue="team", cpu=cpu)
        work["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] = priority
        client.apply(work)
        return work

    for name, priority in (("yields", "low"), ("stays", "high")):
        client.wait_until(submit(name, priority, "4"), lambda found: (found or {}).get("status", {}).get("active") == 1)
    waits = submit("waits", "high", "6")
    if within == "LowerPriority" and version() < (0, 18, 0):
        end = time.monotonic() + PATIENCE
        while kueue.server.alive and time.monotonic() < end:
            time.sleep(0.1)
        assert not kueue.server.alive
        assert "nil pointer dereference" in kueue.server.log.read_text(encoding="utf-8", errors="replace")
    else:
        client.wait_until(
            workload_of(client, waits), lambda found: condition(found, "QuotaReserved").get("status") == "False"
        )
        assert kueue.server.alive
