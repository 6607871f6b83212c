"""Faults in what users write: each is found at the user's own line, with the facts that disagree."""

from __future__ import annotations

from typing import Any

import pytest
from kueue_fleet import Document, Edit, batch, compile_documents, documents, training

from stowplan.diagnostics.model import Diagnostic
from stowplan.source.span import format_pointer


def put(key: str, *path: Any, to: Any) -> Edit:
    """Sets a field of a document's spec."""

    def edit(made: dict[str, Document]) -> None:
        here: Any = made[key]["spec"]
        for step in path[:-1]:
            here = here[step] if isinstance(here, list) else here.setdefault(step, {})
        here[path[-1]] = to

    return edit


def add(document: Document) -> Edit:
    """Adds a document."""
    return lambda made: made.update({f"{document['kind']}/{document['metadata']['name']}": document})


def both(*edits: Edit) -> Edit:
    """Several edits as one."""

    def edit(made: dict[str, Document]) -> None:
        for one in edits:
            one(made)

    return edit


def routed(name: str, cluster: str) -> Document:
    """A batch that goes to a queue called nightly."""
    return batch(name, route={"cluster": cluster, "localQueue": "nightly"})


WEST_ONLY = {"accelerators": 8, "nodes": 4}
FAULTS: list[tuple[str, str, str, Edit]] = [
    ("SP2010", "flavor-h200: spec.tolerations", "9 tolerations", put("Flavor/h200", "tolerations", to=[{"key": f"k{i}", "operator": "Exists"} for i in range(9)])),
    ("SP2010", "flavor-h200: spec.nodeTaints[0]", "a key and an effect", put("Flavor/h200", "nodeTaints", to=[{"key": "a"}])),
    ("SP2060", "flavor-h200: spec.topology", "no `nodeLabels`", put("Flavor/h200", "nodeLabels", to={})),
    ("SP2062", "inventorysnapshot-north: spec.topology.levels[1]", "two topology levels", put("InventorySnapshot/north", "topology", "levels", 1, "label", to="fabric.example.com/block")),
    ("SP2062", "inventorysnapshot-north: spec.topology.levels[0]", "the last topology level", put("InventorySnapshot/north", "topology", "levels", 0, "label", to="kubernetes.io/hostname")),
    ("SP2021", "batchintent-two: spec.route.localQueue", "two candidate sets", both(add(routed("one", "north")), add(routed("two", "west")))),
    ("SP2051", "inventorysnapshot-west: spec.apis", "the whole worker counts as lost", both(add(routed("two", "west")), put("InventorySnapshot/west", "apis", to=["kueue.x-k8s.io/v1beta2", "jobset.x-k8s.io/v1alpha2", "trainer.kubeflow.org/v1alpha1", "kubeflow.org/v1", "kubeflow.org/v2beta1", "ray.io/v1"]))),
    ("SP2053", "cluster-north: spec.kueue.otherManagers[0]", "each deletes what", put("Cluster/north", "kueue", to={"otherManagers": ["test"]})),
    ("SP2057", "fleet-test: spec.hubs.kueue.dispatcher", "one cluster", put("Fleet/test", "hubs", "kueue", "dispatcher", to="Incremental")),
    ("SP2072", "trainingintent-gang-pytorchjob: ", "starts unmanaged", put("InventorySnapshot/hub", "kueue", to={"frameworks": ["batch/job", "jobset.x-k8s.io/jobset", "trainer.kubeflow.org/trainjob", "kubeflow.org/mpijob", "ray.io/rayjob", "ray.io/raycluster", "leaderworkerset.x-k8s.io/leaderworkerset", "pod"]})),
    ("SP2073", "batchintent-shards: ", "Kueue on `north` needs gate", both(put("BatchIntent/shards", "options", to={"elastic": True}), put("Cluster/hub", "kueue", to={"configuration": "rendered"}))),
    ("SP2073", "batchintent-shards: ", "its flavor on `north` has a topology", both(put("BatchIntent/shards", "options", to={"elastic": True}), put("Cluster/hub", "kueue", to={"configuration": "rendered"}))),
    ("SP2077", "cluster-hub: spec.components.trainer", "never start", put("Cluster/hub", "components", "trainer", to="2.1.0")),
    ("SP2013", "tenant-speech: spec.queueing.preemption", "nothing under fair sharing", both(put("Cluster/north", "kueue", to={"fairSharing": True}), put("Tenant/speech", "queueing", to={"preemption": {"borrow": {"policy": "LowerPriority"}}}))),
    ("SP2019", "tenant-speech: spec.queueing.preemption", "`north` dies", both(put("Cluster/north", "kueue", to={"fairSharing": True}), put("Tenant/speech", "cohort", to=None))),
    ("SP2019", "tenant-speech: spec.queueing.preemption", "`hub` dies", both(put("Cluster/hub", "kueue", to={"fairSharing": True}), put("Tenant/speech", "cohort", to=None))),
    ("SP2077", "cluster-hub: spec.components.trainer", "Trainer 2.2; declared is 2.3.0", put("Cluster/hub", "components", "trainer", to="2.3.0")),
    ("SP2079", "cluster-hub: spec.components.kuberay", "leave a job to MultiKueue", put("Cluster/hub", "components", "kuberay", to="1.3.0")),
    ("SP2094", "trainingintent-gang-job: spec.interruptible", "its owner may take it back", both(put("Tenant/speech", "quota", 0, "nominal", to=8), put("Tenant/vision", "quota", 0, "nominal", to=152), put("TrainingIntent/gang-job", "interruptible", to=False), put("TrainingIntent/gang-job", "priority", to="high"))),
    ("SP2095", "tenant-speech: spec.quota[0].nominal", "are admitted", put("InventorySnapshot/north", "kueue", to={"usage": [{"queue": "speech", "flavor": "h200", "accelerators": 176}]})),
    ("SP2096", "multikueuecluster", "MultiKueueClusterProfile", both(put("Cluster/north", "clusterProfile", to="north"), put("InventorySnapshot/hub", "kueue", to={"frameworks": None}))),
    ("SP2100", "trainingintent-gang-job: spec.checkpoint.storage", "no storage class", put("TrainingIntent/gang-job", "checkpoint", "storage", to="slow")),
    ("SP2100", "trainingintent-gang-job: spec.checkpoint.storage", "needs a size", put("TrainingIntent/gang-job", "checkpoint", "storage", to="fast")),
    ("SP2100", "trainingintent-gang-job: spec.checkpoint.storage", "no object store", put("Cluster/north", "storage", to={})),
    ("SP2101", "trainingintent-gang-job: spec.env.STOWPLAN_OUTPUT_URI", "the compiler's", put("TrainingIntent/gang-job", "env", to={"STOWPLAN_OUTPUT_URI": "x"})),
    ("SP2102", "batchintent-shards: spec.runtime", "runs gangs", put("BatchIntent/shards", "runtime", to="MPIJob")),
    ("SP2102", "batchintent-shards: spec.shards.parallelism", "all start at once", put("BatchIntent/shards", "runtime", to="Pods")),
    ("SP2102", "trainingintent-gang-trainjob: spec.output.promote", "no step after the work", put("TrainingIntent/gang-trainjob", "output", to={"storage": "objectStore", "path": "x", "promote": ["p"]})),
    ("SP2103", "trainingintent-gang-job: spec.options.elasic", "no option", put("TrainingIntent/gang-job", "options", to={"elasic": True})),
    ("SP2103", "trainingintent-gang-trainjob: spec.options.runtime", "no ClusterTrainingRuntime", put("TrainingIntent/gang-trainjob", "options", to={"runtime": "torch"})),
    ("SP2103", "trainingintent-gang-jobset: spec.options.replicatedJobs", "are quantities", put("TrainingIntent/gang-jobset", "options", to={"replicatedJobs": [{"name": "a", "command": ["x"]}]})),
    ("SP2104", "trainingintent-gang-volcano: spec.runtime", "MultiKueue cannot dispatch", add(training("gang-volcano", "VolcanoJob"))),
    ("SP2104", "trainingintent-gang-leaderworkerset: spec.runtime", "from Kueue 0.17.0 on, `hub` has 0.16.4", put("Cluster/hub", "components", "kueue", to="0.16.4")),
    ("SP2104", "trainingintent-gang-leaderworkerset: spec.runtime", "from Kueue 0.17.0 on, `north` has 0.16.4", put("Cluster/north", "components", "kueue", to="0.16.4")),
    ("SP2104", "trainingintent-gang-job: spec.options.elastic", "does not resize a gang", both(put("TrainingIntent/gang-job", "options", to={"elastic": True}), put("TrainingIntent/gang-job", "topology", to=None))),
    ("SP2104", "trainingintent-gang-rayjob: spec.options.elastic", "does not resize a RayJob", both(put("TrainingIntent/gang-rayjob", "options", to={"elastic": True}), put("TrainingIntent/gang-rayjob", "topology", to=None))),
    ("SP2104", "trainingintent-gang-raycluster: spec.options.elastic", "resizes a RayCluster from Kueue 0.19.0 on, the manager `hub` has 0.17.0", both(put("TrainingIntent/gang-raycluster", "options", to={"elastic": True}), put("TrainingIntent/gang-raycluster", "topology", to=None))),
    ("SP0304", "cohort-above: spec.parent", "each other's parents", both(add({"apiVersion": "stowplan.io/v1alpha1", "kind": "Cohort", "metadata": {"name": "above"}, "spec": {"parent": "research"}}), put("Cohort/research", "parent", to="above"))),
    ("SP0305", "tenant-vision: spec.quota[0].borrowingLimit", "without a cohort", both(put("Tenant/vision", "cohort", to=None), put("Tenant/vision", "quota", 0, "borrowingLimit", to=4))),
]  # fmt: skip


def place(found: Diagnostic) -> str:
    """`document: pointer` of a finding."""
    at = found.primary.at
    assert at is not None
    return f"{at.path.removeprefix('fleet/').removesuffix('.yaml')}: {format_pointer(at.pointer)}"  # type: ignore[union-attr]


@pytest.mark.parametrize(("code", "where", "words", "fault"), FAULTS, ids=[f"{c}-{w}" for c, _, w, _ in FAULTS])
def test_fault(code: str, where: str, words: str, fault: Edit) -> None:
    done = compile_documents(documents(), [fault])
    mine = [d for d in done.diagnostics if d.code == code]
    assert mine, [(d.code, d.message) for d in done.diagnostics]
    matching = [d for d in mine if words in d.message]
    assert matching, [d.message for d in mine]
    if where != "multikueuecluster":
        assert where in [place(d) for d in matching]


@pytest.mark.parametrize(
    "edit",
    [
        put("Tenant/speech", "queueing", to={"preemption": {"withinQueue": "Never"}}),
        put("Cluster/north", "components", "kueue", to="0.18.1"),
        put("Cluster/north", "kueue", to={}),
        put("Tenant/speech", "cohort", to="research"),
    ],
    ids=["never", "0.18", "no fair sharing", "cohort"],
)
def test_what_keeps_the_scheduler_up(edit: Edit) -> None:
    fault = both(put("Cluster/north", "kueue", to={"fairSharing": True}), put("Tenant/speech", "cohort", to=None))
    done = compile_documents(documents(), [fault])
    assert "north" in [name for d in done.diagnostics if d.code == "SP2019" for name in d.targets]
    done = compile_documents(documents(), [both(fault, edit)])
    assert not [d.message for d in done.diagnostics if d.code == "SP2019"]


def test_a_gang_larger_than_any_quota_is_unplaced_with_the_numbers() -> None:
    larger = both(
        put("TrainingIntent/gang-job", "workers", "count", to=23), put("TrainingIntent/gang-job", "topology", to=None)
    )  # fmt: skip
    done = compile_documents(documents(), [larger])
    assert done.plan is not None
    (reason,) = [r.reason for r in done.plan.placements["gang-job"].rejections if r.cluster == "north"]
    assert reason.predicate.value == "quota"
    assert "184 accelerators exceeds" in reason.message and "176" in reason.message


def test_a_file_of_a_release_without_v1beta2_refuses_its_fields() -> None:
    edit = put("Tenant/speech", "queueing", to={"fungibility": {"preference": "BorrowingOverPreemption", "whenCanBorrow": "TryNextFlavor"}})  # fmt: skip
    done = compile_documents(documents("0.15.0", "v1beta1"), [edit])
    assert any(d.code == "SP2096" and "preference" in d.message for d in done.diagnostics)
