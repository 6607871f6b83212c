"""Each rule on rendered objects, with one fault planted into a tree that is well; and the tree itself is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from kueue_fleet import compile_documents, documents
from planting import Tree, codes, set_at, without

from stowplan.driver import Compilation

QUEUE = "kueue.x-k8s.io/queue-name"
P = "kueue.x-k8s.io/podset-"
CQ = "clusters/north/kueue/clusterqueue-speech.yaml"
MANAGER_CQ = "hubs/kueue/kueue/clusterqueue-speech-north.yaml"
JOB = "hubs/kueue/jobs/job-speech-gang-job.yaml"
JOBSET = "hubs/kueue/jobs/jobset-speech-gang-jobset.yaml"
CONFIG = "hubs/kueue/kueue/multikueueconfig-speech-north.yaml"
CHECK = "hubs/kueue/kueue/admissioncheck-speech-north.yaml"
POD_ANNOTATIONS = ("spec", "template", "metadata", "annotations")
FIRST_CELL = ("spec", "resourceGroups", 0, "flavors", 0, "resources", 0)


@pytest.fixture(scope="module")
def done() -> Compilation:
    return compile_documents(documents())


@pytest.fixture
def tree(done: Compilation) -> Tree:
    return Tree(done)


def test_the_tree_is_well(done: Compilation, tree: Tree) -> None:
    assert not done.diagnostics
    assert tree.findings() == []


def _change(end: str, *path: Any, to: Any) -> Callable[[Tree], None]:
    return lambda tree: tree.change(end, set_at(*path)(to))


def _remove(end: str, *path: Any) -> Callable[[Tree], None]:
    return lambda tree: tree.change(end, without(*path))


def _swap_resources(tree: Tree) -> None:
    def change(made: dict[str, Any]) -> None:
        made["spec"]["resourceGroups"][0]["flavors"][0]["resources"].reverse()

    tree.change(CQ, change)


def _two_groups(tree: Tree) -> None:
    def change(made: dict[str, Any]) -> None:
        made["spec"]["resourceGroups"] *= 2

    tree.change(CQ, change)


def _two_checks(tree: Tree) -> None:
    tree.change(
        MANAGER_CQ,
        set_at("spec", "admissionChecksStrategy", "admissionChecks")(
            [{"name": "speech-north"}, {"name": "vision-north"}]
        ),
    )


def _circle(tree: Tree) -> None:
    cohort = "clusters/north/kueue/cohort-research.yaml"
    tree.add(cohort, _kueue("Cohort", "above", {"parentName": "research"}))
    tree.change(cohort, set_at("spec", "parentName")("above"))


def _kueue(kind: str, name: str, spec: dict[str, Any], namespace: str | None = None) -> dict[str, Any]:
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind, "metadata": metadata, "spec": spec}


def _add(beside: str, made: dict[str, Any]) -> Callable[[Tree], None]:
    return lambda tree: tree.add(beside, made)


def _clash(tree: Tree) -> None:
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "gang-job", "namespace": "speech"}, "spec": {}}
    tree.add(CQ, job)


def _kyverno(tree: Tree) -> None:
    rule = {"match": {"any": [{"resources": {"kinds": ["batch/v1/Job"]}}]}, "mutate": {}}
    policy = {
        "apiVersion": "kyverno.io/v1",
        "kind": "ClusterPolicy",
        "metadata": {"name": "add"},
        "spec": {"rules": [rule]},
    }
    tree.add(CQ, policy)


def _deployment(tree: Tree) -> None:
    metadata = {"name": "web", "namespace": "speech", "labels": {QUEUE: "north"}}
    tree.add(JOB, {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": {"replicas": 2}})


def _secret(tree: Tree) -> None:
    metadata = {"name": "multikueue-north", "namespace": "kueue-system"}
    tree.add(MANAGER_CQ, {"apiVersion": "v1", "kind": "Secret", "metadata": metadata})


def _many_jobs(tree: Tree) -> None:
    def change(made: dict[str, Any]) -> None:
        first = made["spec"]["replicatedJobs"][0]
        made["spec"]["replicatedJobs"] = [{**first, "name": f"j{i}"} for i in range(9)]

    tree.change(JOBSET, change)


def _two_versions(tree: Tree) -> None:
    made = next(o for o in tree.objects if o.path.endswith(CQ)).object
    tree.add(CQ, {**made, "apiVersion": "kueue.x-k8s.io/v1beta1"})


PLANTED: list[tuple[str, str, Callable[[Tree], None]]] = [
    ("SP2001", "v1beta1", _change(CQ, "apiVersion", to="kueue.x-k8s.io/v1beta1")),
    ("SP2001", "two API versions", _two_versions),
    ("SP2002", "12000m", _change(CQ, *FIRST_CELL, "nominalQuota", to="12000m")),
    ("SP2002", "`1000`", _change(CQ, *FIRST_CELL, "nominalQuota", to="1000")),
    ("SP2003", "finalizers", _change(CQ, "metadata", "finalizers", to=["kueue.x-k8s.io/resource-in-use"])),
    ("SP2003", "status", _change(CQ, "status", to={})),
    ("SP2003", "Workload", _add(CQ, _kueue("Workload", "job-x", {}, "speech"))),
    ("SP2010", "in this order", _swap_resources),
    ("SP2010", "two resource groups", _two_groups),
    ("SP2011", "without a cohort", lambda t: (_remove(CQ, "spec", "cohortName")(t), _change(CQ, *FIRST_CELL, "borrowingLimit", to="1")(t))),
    ("SP2011", "lends", _change(CQ, *FIRST_CELL, "lendingLimit", to="1Mi")),
    ("SP2012", "no namespaceSelector", _remove(CQ, "spec", "namespaceSelector")),
    ("SP2012", "does not select", _change(CQ, "spec", "namespaceSelector", to={"matchLabels": {"team": "x"}})),
    ("SP2013", "never reclaims", _change(CQ, "spec", "preemption", to={"reclaimWithinCohort": "Never", "borrowWithinCohort": {"policy": "LowerPriority"}})),
    ("SP2013", "lends quota", _change(CQ, "spec", "preemption", "reclaimWithinCohort", to="Never")),
    ("SP2014", "TryNextFlavor", _change(CQ, "spec", "flavorFungibility", "preference", to="BorrowingOverPreemption")),
    ("SP2015", "FlavorNotFound", _change(CQ, "spec", "resourceGroups", 0, "flavors", 0, "name", to="h300")),
    ("SP2015", "TopologyNotFound", lambda t: t.drop("clusters/north/kueue/topology-fabric.yaml")),
    ("SP2015", "AdmissionCheckNotFound", lambda t: t.drop(CHECK)),
    ("SP2015", "AdmissionCheckInactive", lambda t: t.drop(CONFIG)),
    ("SP2016", "no flavor of it", _change(MANAGER_CQ, "spec", "admissionChecksStrategy", "admissionChecks", to=[{"name": "speech-north", "onFlavors": ["h300"]}])),
    ("SP2017", "weight", _change(CQ, "spec", "fairSharing", to={"weight": "1n"})),
    ("SP2018", "no DNS label", _add(CQ, _kueue("ClusterQueue", "a.b", {"namespaceSelector": {}}))),
    ("SP2021", "there is not", _change("clusters/north/kueue/localqueue-speech-speech.yaml", "spec", "clusterQueue", to="spech")),
    ("SP2022", "default", _add(CQ, _kueue("LocalQueue", "default", {"clusterQueue": "speech"}, "speech"))),
    ("SP2030", "alone in cohort", _change(CQ, "spec", "cohortName", to="reserach")),
    ("SP2030", "each other's parents", _circle),
    ("SP2031", "nobody in cohort", _change("clusters/south/kueue/clusterqueue-speech.yaml", *FIRST_CELL, "borrowingLimit", to="8")),
    ("SP2040", "wants a MultiKueueConfig", _change(CHECK, "spec", "parameters", "name", to="elsewhere")),
    ("SP2040", "longer than 63", _change(CHECK, "spec", "parameters", "name", to="speech.north")),
    ("SP2040", "no MultiKueueCluster", _change(CONFIG, "spec", "clusters", to=["north", "nowhere"])),
    ("SP2041", "MultiKueue checks", _two_checks),
    ("SP2050", "has no LocalQueue", lambda t: t.drop("clusters/north/kueue/localqueue-speech-north.yaml")),
    ("SP2050", "no namespace", lambda t: t.drop("clusters/north/tenancy/namespace-speech.yaml")),
    ("SP2050", "runtime", lambda t: t.drop("clusters/north/kueue/clustertrainingruntime-stowplan-torch.yaml")),
    ("SP2050", "is stopped", _change(CQ, "spec", "stopPolicy", to="Hold")),
    ("SP2050", "does not cover", _change(JOB, "spec", "template", "spec", "containers", 0, "resources", "requests", "ephemeral-storage", to="1Gi")),
    ("SP2052", "spec.managedBy", _remove(JOB, "spec", "managedBy")),
    ("SP2052", "spec.runPolicy.managedBy", _remove("pytorchjob-speech-gang-pytorchjob.yaml", "spec", "runPolicy", "managedBy")),
    ("SP2054", "has the name", _clash),
    ("SP2055", "no worker can run", _change(MANAGER_CQ, *FIRST_CELL[:-1], 2, "nominalQuota", to="500")),
    ("SP2056", "overwrite", _change(CONFIG, "spec", "quotaManagement", to="Automated")),
    ("SP2058", "outside", _change("multikueuecluster-north.yaml", "spec", "clusterSource", "kubeConfig", to={"location": "/tmp/k", "locationType": "Path"})),
    ("SP2058", "credentials", _secret),
    ("SP2059", "changes jobs", _kyverno),
    ("SP2060", "exclude each other", _change(JOB, *POD_ANNOTATIONS, f"{P}preferred-topology", to="fabric.example.com/block")),
    ("SP2060", "need each other", _change(JOB, *POD_ANNOTATIONS, f"{P}slice-size", to="1")),
    ("SP2060", "the pods there are", lambda t: t.change(JOB, lambda o: o["spec"]["template"]["metadata"]["annotations"].update({f"{P}slice-size": "5", f"{P}slice-required-topology": "kubernetes.io/hostname"}))),
    ("SP2060", "is not two pod sets", _change(JOB, *POD_ANNOTATIONS, f"{P}group-name", to="gang")),
    ("SP2061", "asks for level", _change(JOB, *POD_ANNOTATIONS, f"{P}required-topology", to="example.com/rack")),
    ("SP2062", "no label that the snapshot", _change("clusters/north/kueue/topology-fabric.yaml", "spec", "levels", 0, "nodeLabel", to="example.com/rack")),
    ("SP2063", "no flavor of queue", lambda t: [_remove(f"{f}/resourceflavor-h200.yaml", "spec", "topologyName")(t) for f in ("hubs/kueue/kueue",)]),
    ("SP2070", "names LocalQueue", _change(JOB, "metadata", "labels", QUEUE, to="nroth")),
    ("SP2070", "WorkloadPriorityClass", _change(JOB, "metadata", "labels", "kueue.x-k8s.io/priority-class", to="urgent")),
    ("SP2070", "second time", _change(JOBSET, "spec", "replicatedJobs", 0, "template", "spec", "template", "metadata", "labels", QUEUE, to="north")),
    ("SP2070", "no queue", _remove(JOB, "metadata", "labels", QUEUE)),
    ("SP2071", "spec.suspend", _change(JOB, "spec", "suspend", to=True)),
    ("SP2071", "spec.runPolicy.suspend", _change("mpijob-speech-gang-mpijob.yaml", "spec", "runPolicy", "suspend", to=False)),
    ("SP2073", "cannot be elastic", _change(JOBSET, "metadata", "annotations", to={"kueue.x-k8s.io/elastic-job": "true"})),
    ("SP2073", "needs gate", _change(JOB, "metadata", "annotations", to={"kueue.x-k8s.io/elastic-job": "true"})),
    ("SP2074", "between 0 and 2", _change(JOB, "metadata", "annotations", to={"kueue.x-k8s.io/job-min-parallelism": "2"})),
    ("SP2074", "put it back", _change(JOB, "metadata", "annotations", to={"kueue.x-k8s.io/job-min-parallelism": "1"})),
    ("SP2076", "keeps its cluster", _change("rayjob-speech-gang-rayjob.yaml", "spec", "shutdownAfterJobFinishes", to=False)),
    ("SP2076", "RayCluster only", _change("rayjob-speech-gang-rayjob.yaml", "spec", "clusterSelector", to={"a": "b"})),
    ("SP2076", "most 47", _change("rayjob-speech-gang-rayjob.yaml", "metadata", "name", to="x" * 48)),
    ("SP2077", "is Kueue's", _change("trainjob-speech-gang-trainjob.yaml", "spec", "runtimePatches", 0, "manager", to="kueue.x-k8s.io/manager")),
    ("SP2078", "takes 8", _many_jobs),
    ("SP2080", "not tolerated", lambda t: [t.change(f"{f}/resourceflavor-h200.yaml", set_at("spec", "nodeTaints")([{"key": "a", "effect": "NoSchedule"}])) for f in ("hubs/kueue/kueue", "clusters/north/kueue")]),
    ("SP2080", "node affinity", lambda t: t.change("hubs/kueue/kueue/resourceflavor-h200.yaml", set_at("spec", "nodeLabels")({"example.com/flavor": "h300"}))),
    ("SP2081", "node selector", _change(JOB, "spec", "template", "spec", "nodeSelector", to={"example.com/flavor": "h200"})),
    ("SP2090", "deletes itself", _change(JOB, "spec", "ttlSecondsAfterFinished", to=60)),
    ("SP2090", "is a hook", _change(JOB, "metadata", "annotations", to={"argocd.argoproj.io/hook": "Sync"})),
    ("SP2090", "guards", _remove(CQ, "metadata", "annotations")),
    ("SP2091", "21 clusters", _change(CONFIG, "spec", "clusters", to=[f"c{i}" for i in range(21)])),
    ("SP2091", "twice", _change(CONFIG, "spec", "clusters", to=["north", "north"])),
    ("SP2092", "one by one", _deployment),
    ("SP2093", "can ever be had", lambda t: (_change(CQ, *FIRST_CELL, "nominalQuota", to="1")(t), _change(CQ, *FIRST_CELL, "borrowingLimit", to="0")(t))),
]  # fmt: skip


@pytest.mark.parametrize(("code", "words", "plant"), PLANTED, ids=[f"{c}-{w}" for c, w, _ in PLANTED])
def test_planted(tree: Tree, code: str, words: str, plant: Callable[[Tree], None]) -> None:
    plant(tree)
    found = tree.findings()
    assert code in codes(found), found
    assert any(c == code and words in message for c, message in found), found
