"""Each rule on rendered objects, with one fault planted into a tree that is well; and the tree itself is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
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


def _groups(resources: int, flavors: int) -> list[dict[str, Any]]:
    names = [f"example.com/r{i}" for i in range(resources)]
    cells = [{"name": name, "nominalQuota": "1"} for name in names]
    return [{"coveredResources": names, "flavors": [{"name": f"f{i}", "resources": cells} for i in range(flavors)]}]


def _two_places(tree: Tree, label: str = "h200") -> None:
    """Cores and accelerators of one pod from two groups, both of flavors with a topology."""

    def change(made: dict[str, Any]) -> None:
        (group,) = made["spec"]["resourceGroups"]
        rows = group["flavors"][0]["resources"]
        halves = (rows[:2], rows[2:])
        made["spec"]["resourceGroups"] = [
            {"coveredResources": [r["name"] for r in half], "flavors": [{"name": name, "resources": half}]}
            for half, name in zip(halves, ("h200", "h200-cpu"), strict=True)
        ]

    tree.change(MANAGER_CQ, change)
    spec = {"nodeLabels": {"example.com/flavor": label}, "topologyName": "fabric"}
    tree.add(MANAGER_CQ, _kueue("ResourceFlavor", "h200-cpu", spec))


def _provisioning_beside(tree: Tree) -> None:
    parameters = {"apiGroup": "kueue.x-k8s.io", "kind": "ProvisioningRequestConfig", "name": "grow"}
    tree.add(MANAGER_CQ, _kueue("ProvisioningRequestConfig", "grow", {"provisioningClassName": "x"}))
    tree.add(
        MANAGER_CQ,
        _kueue(
            "AdmissionCheck",
            "grow",
            {"controllerName": "kueue.x-k8s.io/provisioning-request", "parameters": parameters},
        ),
    )
    tree.change(
        MANAGER_CQ,
        set_at("spec", "admissionChecksStrategy", "admissionChecks")([{"name": "speech-north"}, {"name": "grow"}]),
    )


def _dispatched_again(tree: Tree) -> None:
    tree.add(CQ, _kueue("AdmissionCheck", "again", {"controllerName": "kueue.x-k8s.io/multikueue"}))
    tree.change(CQ, set_at("spec", "admissionChecksStrategy", "admissionChecks")([{"name": "again"}]))


def _slices(outer: str, inner: str) -> Callable[[Tree], None]:
    given = {f"{P}required-topology": outer, f"{P}slice-required-topology": inner, f"{P}slice-size": "1"}
    return lambda tree: tree.change(JOB, set_at(*POD_ANNOTATIONS)(given))


def _layers(text: str) -> Callable[[Tree], None]:
    given = {f"{P}required-topology": "fabric.example.com/block", f"{P}slice-required-topology-constraints": text}
    return lambda tree: tree.change(JOB, set_at(*POD_ANNOTATIONS)(given))


def _cohort_quota(tree: Tree) -> None:
    (group,) = _groups(1, 1)
    group["coveredResources"] = ["nvidia.com/gpu"]
    group["flavors"] = [{"name": "h200", "resources": [{"name": "nvidia.com/gpu", "nominalQuota": "176"}]}]
    tree.change("clusters/north/kueue/cohort-research.yaml", set_at("spec", "resourceGroups")([group]))


def _hasty(tree: Tree) -> None:
    """A job in the wave of its queue, in a unit of its own."""
    wave = next(o.unit.wave for o in tree.objects if o.path.endswith(MANAGER_CQ))
    index = next(i for i, o in enumerate(tree.objects) if o.path.endswith(JOB))
    made = tree.objects[index]
    tree.objects[index] = replace(made, manifest=replace(made.manifest, unit=replace(made.unit, wave=wave)))


RAYJOB = "rayjob-speech-gang-rayjob.yaml"
RAYCLUSTER = "raycluster-speech-gang-raycluster.yaml"
ELASTIC = {"kueue.x-k8s.io/elastic-job": "true"}

PLANTED: list[tuple[str, str, Callable[[Tree], None]]] = [
    ("SP2001", "v1beta1", _change(CQ, "apiVersion", to="kueue.x-k8s.io/v1beta1")),
    ("SP2001", "two API versions", _two_versions),
    ("SP2002", "12000m", _change(CQ, *FIRST_CELL, "nominalQuota", to="12000m")),
    ("SP2002", "`1000`", _change(CQ, *FIRST_CELL, "nominalQuota", to="1000")),
    ("SP2003", "finalizers", _change(CQ, "metadata", "finalizers", to=["kueue.x-k8s.io/resource-in-use"])),
    ("SP2003", "status", _change(CQ, "status", to={})),
    ("SP2003", "Workload", _add(CQ, _kueue("Workload", "job-x", {}, "speech"))),
    ("SP2003", "made or admitted", _change(JOB, "metadata", "annotations", to={"kueue.x-k8s.io/prebuilt-workload-name": "x"})),
    ("SP2003", "`kueue.x-k8s.io/podset`", _change(JOB, "spec", "template", "metadata", "labels", "kueue.x-k8s.io/podset", to="main")),
    ("SP2010", "in this order", _swap_resources),
    ("SP2010", "less than nothing", _change(CQ, *FIRST_CELL, "nominalQuota", to="-1")),
    ("SP2017", "is -1", _change(CQ, "spec", "fairSharing", to={"weight": "-1"})),
    ("SP2010", "17 resource groups", _change(CQ, "spec", "resourceGroups", to=_groups(1, 1) * 17)),
    ("SP2010", "512 pairs", _change(CQ, "spec", "resourceGroups", to=_groups(33, 16))),
    ("SP2010", "65 flavors", _change(CQ, "spec", "resourceGroups", to=_groups(1, 65))),
    ("SP2010", "257 flavors", _change(CQ, "spec", "resourceGroups", to=_groups(1, 257))),
    ("SP2010", "two resource groups", _two_groups),
    ("SP2011", "without a cohort", lambda t: (_remove(CQ, "spec", "cohortName")(t), _change(CQ, *FIRST_CELL, "borrowingLimit", to="1")(t))),
    ("SP2011", "lends", _change(CQ, *FIRST_CELL, "lendingLimit", to="1Mi")),
    ("SP2012", "no namespaceSelector", _remove(CQ, "spec", "namespaceSelector")),
    ("SP2012", "does not select", _change(CQ, "spec", "namespaceSelector", to={"matchLabels": {"team": "x"}})),
    ("SP2013", "never reclaims", _change(CQ, "spec", "preemption", to={"reclaimWithinCohort": "Never", "borrowWithinCohort": {"policy": "LowerPriority"}})),
    ("SP2013", "lends quota", _change(CQ, "spec", "preemption", "reclaimWithinCohort", to="Never")),
    ("SP2014", "TryNextFlavor", _change(CQ, "spec", "flavorFungibility", "preference", to="BorrowingOverPreemption")),
    ("SP2012", "whose LocalQueue", _change("clusters/north/tenancy/namespace-speech.yaml", "metadata", "labels", to={"team": "speech"})),
    ("SP2015", "FlavorNotFound", _change(CQ, "spec", "resourceGroups", 0, "flavors", 0, "name", to="h300")),
    ("SP2015", "TopologyNotFound", lambda t: t.drop("clusters/north/kueue/topology-fabric.yaml")),
    ("SP2015", "AdmissionCheckNotFound", lambda t: t.drop(CHECK)),
    ("SP2015", "AdmissionCheckInactive", lambda t: t.drop(CONFIG)),
    ("SP2016", "no flavor of it", _change(MANAGER_CQ, "spec", "admissionChecksStrategy", "admissionChecks", to=[{"name": "speech-north", "onFlavors": ["h300"]}])),
    ("SP2017", "weight", _change(CQ, "spec", "fairSharing", to={"weight": "1n"})),
    ("SP2018", "no DNS label", _add(CQ, _kueue("ClusterQueue", "a.b", {"namespaceSelector": {}}))),
    ("SP2018", "no DNS label", _add(CQ, _kueue("ClusterQueue", "a" * 64, {"namespaceSelector": {}}))),
    ("SP2021", "a namespace that there is not", _add(CQ, _kueue("LocalQueue", "x", {"clusterQueue": "speech"}, "nowhere"))),
    ("SP2021", "there is not", _change("clusters/north/kueue/localqueue-speech-speech.yaml", "spec", "clusterQueue", to="spech")),
    ("SP2022", "default", _add(CQ, _kueue("LocalQueue", "default", {"clusterQueue": "speech"}, "speech"))),
    ("SP2030", "alone in cohort", _change(CQ, "spec", "cohortName", to="reserach")),
    ("SP2030", "each other's parents", _circle),
    ("SP2031", "nobody in cohort", _change("clusters/south/kueue/clusterqueue-speech.yaml", *FIRST_CELL, "borrowingLimit", to="8")),
    ("SP2032", "352 are promised", _cohort_quota),
    ("SP2040", "wants a MultiKueueConfig", _change(CHECK, "spec", "parameters", "name", to="elsewhere")),
    ("SP2040", "longer than 63", _change(CHECK, "spec", "parameters", "name", to="speech.north")),
    ("SP2040", "no MultiKueueCluster", _change(CONFIG, "spec", "clusters", to=["north", "nowhere"])),
    ("SP2041", "MultiKueue checks", _two_checks),
    ("SP2041", "and a provisioning check", _provisioning_beside),
    ("SP2041", "on some flavors only", lambda t: (_change(MANAGER_CQ, "spec", "admissionChecksStrategy", "admissionChecks", 0, "onFlavors", to=["h200"])(t), _two_places(t))),
    ("SP2050", "dispatched again", _dispatched_again),
    ("SP2050", "has no LocalQueue", lambda t: t.drop("clusters/north/kueue/localqueue-speech-north.yaml")),
    ("SP2050", "no namespace", lambda t: t.drop("clusters/north/tenancy/namespace-speech.yaml")),
    ("SP2050", "runtime", lambda t: t.drop("clusters/north/kueue/clustertrainingruntime-stowplan-torch.yaml")),
    ("SP2050", "is stopped", _change(CQ, "spec", "stopPolicy", to="Hold")),
    ("SP2050", "does not cover", _change(JOB, "spec", "template", "spec", "containers", 0, "resources", "requests", "ephemeral-storage", to="1Gi")),
    ("SP2052", "spec.managedBy", _remove(JOB, "spec", "managedBy")),
    ("SP2052", "spec.runPolicy.managedBy", _remove("pytorchjob-speech-gang-pytorchjob.yaml", "spec", "runPolicy", "managedBy")),
    ("SP2052", "dispatches nothing", lambda t: t.change(MANAGER_CQ, without("spec", "admissionChecksStrategy"))),
    ("SP2054", "has the name", _clash),
    ("SP2055", "no worker can run", _change(MANAGER_CQ, *FIRST_CELL[:-1], 2, "nominalQuota", to="500")),
    ("SP2056", "overwrite", _change(CONFIG, "spec", "quotaManagement", to="Automated")),
    ("SP2058", "outside", _change("multikueuecluster-north.yaml", "spec", "clusterSource", "kubeConfig", to={"location": "/etc/k", "locationType": "Path"})),
    ("SP2058", "credentials", _secret),
    ("SP2059", "changes jobs", _kyverno),
    ("SP2060", "exclude each other", _change(JOB, *POD_ANNOTATIONS, f"{P}preferred-topology", to="fabric.example.com/block")),
    ("SP2060", "need each other", _change(JOB, *POD_ANNOTATIONS, f"{P}slice-size", to="1")),
    ("SP2060", "the pods there are", lambda t: t.change(JOB, lambda o: o["spec"]["template"]["metadata"]["annotations"].update({f"{P}slice-size": "5", f"{P}slice-required-topology": "kubernetes.io/hostname"}))),
    ("SP2060", "is not two pod sets", _change(JOB, *POD_ANNOTATIONS, f"{P}group-name", to="gang")),
    ("SP2060", "JSON list", _layers("block")),
    ("SP2060", "JSON list", _layers("[" * 4000)),
    ("SP2060", "JSON list", _layers('[{"topology": "a", "size": Infinity}]')),
    ("SP2060", "JSON list", _layers('[{"topology": ["a"], "size": 1}]')),
    ("SP2060", "JSON list", _layers('[{"topology": "a", "size": 0}]')),
    ("SP2060", "the pods there are", _change(JOB, *POD_ANNOTATIONS, f"{P}slice-size", to="\u00b2")),
    ("SP2060", "the pods there are", _change(JOB, *POD_ANNOTATIONS, f"{P}slice-size", to="9" * 5000)),
    ("SP2074", "between 0 and 2", _change(JOB, "metadata", "annotations", to={"kueue.x-k8s.io/job-min-parallelism": "\u00b2"})),
    ("SP2074", "between 0 and 2", _change(JOB, "metadata", "annotations", to={"kueue.x-k8s.io/job-min-parallelism": "9" * 5000})),
    ("SP2060", "one to three levels", _layers("[]")),
    ("SP2060", "divides the one before", _layers('[{"topology": "fabric.example.com/block", "size": 3}, {"topology": "kubernetes.io/hostname", "size": 2}]')),
    ("SP2061", "in this order", _slices("kubernetes.io/hostname", "fabric.example.com/block")),
    ("SP2061", "asks for level `example.com/rack`", _slices("fabric.example.com/block", "example.com/rack")),
    ("SP2061", "in this order", _layers('[{"topology": "kubernetes.io/hostname", "size": 2}, {"topology": "fabric.example.com/block", "size": 1}]')),
    ("SP2061", "asks for level", _change(JOB, *POD_ANNOTATIONS, f"{P}required-topology", to="example.com/rack")),
    ("SP2062", "no label that the snapshot", _change("clusters/north/kueue/topology-fabric.yaml", "spec", "levels", 0, "nodeLabel", to="example.com/rack")),
    ("SP2063", "no flavor of queue", lambda t: [_remove(f"{f}/resourceflavor-h200.yaml", "spec", "topologyName")(t) for f in ("hubs/kueue/kueue",)]),
    ("SP2063", "from two groups", _two_places),
    ("SP2063", "nodes in common", _add(CQ, _kueue("ResourceFlavor", "twin", {"nodeLabels": {"example.com/flavor": "h200"}, "topologyName": "fabric"}))),
    ("SP2070", "longer than 63", _change(JOB, "metadata", "labels", QUEUE, to="q" * 64)),
    ("SP2070", "names LocalQueue", _change(JOB, "metadata", "labels", QUEUE, to="nroth")),
    ("SP2070", "WorkloadPriorityClass", _change(JOB, "metadata", "labels", "kueue.x-k8s.io/priority-class", to="urgent")),
    ("SP2070", "second time", _change(JOBSET, "spec", "replicatedJobs", 0, "template", "spec", "template", "metadata", "labels", QUEUE, to="north")),
    ("SP2070", "no queue", _remove(JOB, "metadata", "labels", QUEUE)),
    ("SP2071", "spec.suspend", _change(JOB, "spec", "suspend", to=True)),
    ("SP2071", "spec.runPolicy.suspend", _change("mpijob-speech-gang-mpijob.yaml", "spec", "runPolicy", "suspend", to=False)),
    ("SP2073", "cannot be elastic", _change(JOBSET, "metadata", "annotations", to={"kueue.x-k8s.io/elastic-job": "true"})),
    ("SP2073", "needs gate", _change(JOB, "metadata", "annotations", to={"kueue.x-k8s.io/elastic-job": "true"})),
    ("SP2073", "no level of a topology", _change(JOB, "metadata", "annotations", to=ELASTIC)),
    ("SP2074", "between 0 and 2", _change(JOB, "metadata", "annotations", to={"kueue.x-k8s.io/job-min-parallelism": "2"})),
    ("SP2074", "put it back", _change(JOB, "metadata", "annotations", to={"kueue.x-k8s.io/job-min-parallelism": "1"})),
    ("SP2076", "keeps its cluster", _change("rayjob-speech-gang-rayjob.yaml", "spec", "shutdownAfterJobFinishes", to=False)),
    ("SP2076", "RayCluster only", _change("rayjob-speech-gang-rayjob.yaml", "spec", "clusterSelector", to={"a": "b"})),
    ("SP2076", "most 47", _change("rayjob-speech-gang-rayjob.yaml", "metadata", "name", to="x" * 48)),
    ("SP2076", "most 53", _change(RAYCLUSTER, "metadata", "name", to="x" * 54)),
    ("SP2076", "nothing of the cluster", _remove(RAYJOB, "spec", "rayClusterSpec")),
    ("SP2076", "of elastic jobs only", _change(RAYCLUSTER, "spec", "enableInTreeAutoscaling", to=True)),
    ("SP2076", "which MultiKueue does not take", lambda t: (_change(RAYJOB, "spec", "rayClusterSpec", "enableInTreeAutoscaling", to=True)(t), _change(RAYJOB, "metadata", "annotations", to=ELASTIC)(t))),
    ("SP2077", "is Kueue's", _change("trainjob-speech-gang-trainjob.yaml", "spec", "runtimePatches", 0, "manager", to="kueue.x-k8s.io/manager")),
    ("SP2078", "takes 8", _many_jobs),
    ("SP2080", "not tolerated", lambda t: [t.change(f"{f}/resourceflavor-h200.yaml", set_at("spec", "nodeTaints")([{"key": "a", "effect": "NoSchedule"}])) for f in ("hubs/kueue/kueue", "clusters/north/kueue")]),
    ("SP2080", "node affinity", lambda t: t.change("hubs/kueue/kueue/resourceflavor-h200.yaml", set_at("spec", "nodeLabels")({"example.com/flavor": "h300"}))),
    ("SP2080", "two values", lambda t: _two_places(t, "cpu")),
    ("SP2081", "node selector", _change(JOB, "spec", "template", "spec", "nodeSelector", to={"example.com/flavor": "h200"})),
    ("SP2090", "deletes itself", _change(JOB, "spec", "ttlSecondsAfterFinished", to=60)),
    ("SP2090", "is a hook", _change(JOB, "metadata", "annotations", to={"argocd.argoproj.io/hook": "Sync"})),
    ("SP2090", "guards", _remove(CQ, "metadata", "annotations")),
    ("SP2090", "no later than", _hasty),
    ("SP2091", "21 clusters", _change(CONFIG, "spec", "clusters", to=[f"c{i}" for i in range(21)])),
    ("SP2091", "twice", _change(CONFIG, "spec", "clusters", to=["north", "north"])),
    ("SP2092", "one by one", _deployment),
    ("SP2093", "does not cover", lambda t: [t.change(end, set_at("spec", "resourceGroups")(_groups(1, 1))) for end in (CQ, MANAGER_CQ)]),
    ("SP2093", "can ever be had", lambda t: (_change(CQ, *FIRST_CELL, "nominalQuota", to="1")(t), _change(CQ, *FIRST_CELL, "borrowingLimit", to="0")(t))),
]  # fmt: skip


@pytest.mark.parametrize(("code", "words", "plant"), PLANTED, ids=[f"{c}-{w}" for c, w, _ in PLANTED])
def test_planted(tree: Tree, code: str, words: str, plant: Callable[[Tree], None]) -> None:
    plant(tree)
    found = tree.findings()
    assert code in codes(found), found
    assert any(c == code and words in message for c, message in found), found
