"""What cannot change between two revisions, by Kueue's release."""

from __future__ import annotations

from typing import Any

import pytest

from stowplan.kueue.changes import fixed_fields
from stowplan.kueue.tree import JOB_KINDS, KUEUE_GROUP

HOST = {"nodeLabel": "kubernetes.io/hostname"}
QUEUE, PRIORITY, LIMIT = (
    f"kueue.x-k8s.io/{name}" for name in ("queue-name", "priority-class", "max-exec-time-seconds")
)


def levels(*labels: str) -> dict[str, Any]:
    return {"spec": {"levels": [*({"nodeLabel": label} for label in labels), HOST]}}


def job(queue: str | None, **spec: Any) -> dict[str, Any]:
    return {"metadata": {"labels": {QUEUE: queue} if queue else {}}, "spec": spec}


CASES: list[tuple[str, str | None, dict[str, Any], dict[str, Any], tuple[int, int, int]]] = [
    ("LocalQueue", "SP2020", {"spec": {"clusterQueue": "a"}}, {"spec": {"clusterQueue": "b"}}, (0, 17, 0)),
    ("LocalQueue", None, {"spec": {"clusterQueue": "a"}}, {"spec": {"clusterQueue": "a", "stopPolicy": "Hold"}}, (0, 17, 0)),
    ("Topology", "SP2064", levels("a"), levels("a", "b"), (0, 19, 2)),
    ("Topology", None, levels("a"), levels("a", "b"), (0, 20, 0)),
    ("ResourceFlavor", "SP2064", {"spec": {"topologyName": "t", "nodeLabels": {"a": "1"}}}, {"spec": {"topologyName": "t", "nodeLabels": {"a": "2"}}}, (0, 19, 2)),
    ("ResourceFlavor", None, {"spec": {"topologyName": "t", "nodeLabels": {"a": "1"}}}, {"spec": {"topologyName": "t", "nodeLabels": {"a": "2"}}}, (0, 20, 0)),
    ("ResourceFlavor", None, {"spec": {"nodeLabels": {"a": "1"}}}, {"spec": {"nodeLabels": {"a": "1"}, "topologyName": "t"}}, (0, 17, 0)),
    ("ResourceFlavor", "SP2064", {"spec": {"topologyName": "t"}}, {"spec": {}}, (0, 20, 0)),
    ("AdmissionCheck", "SP2064", {"spec": {"controllerName": "a"}}, {"spec": {"controllerName": "b"}}, (0, 17, 0)),
    ("Job", "SP2075", job("a"), job("b"), (0, 17, 0)),
    ("Job", "SP2075", job("a"), job(None), (0, 17, 0)),
    ("Job", None, job("a", parallelism=1), job("a", parallelism=2), (0, 17, 0)),
    ("LeaderWorkerSet", "SP2075", job("a"), job(None), (0, 17, 0)),
    ("JobSet", "SP2075", job("a", network={"enableDNSHostnames": True}), job("a", network={}), (0, 17, 0)),
    ("TrainJob", "SP2075", job("a", runtimeRef={"name": "x"}), job("a", runtimeRef={"name": "y"}), (0, 17, 0)),
    ("PyTorchJob", "SP2075", job("a", runPolicy={"managedBy": "x"}), job("a", runPolicy={}), (0, 17, 0)),
    ("JobSet", "SP2075", job("a", replicatedJobs=[{"name": "a"}]), job("a", replicatedJobs=[{"name": "b"}]), (0, 17, 0)),
    ("TrainJob", "SP2075", job("a", trainer={"numNodes": 1}), job("a", trainer={"numNodes": 2}), (0, 17, 0)),
    ("TrainJob", None, job("a"), job("a", trainer={"numNodes": 2}), (0, 17, 0)),
    ("RayJob", "SP2075", job("a", managedBy="x"), job("a"), (0, 17, 0)),
    ("Job", "SP2075", {"metadata": {"labels": {LIMIT: "1"}}}, {"metadata": {"labels": {LIMIT: "2"}}}, (0, 17, 0)),
    ("Job", "SP2075", {"metadata": {"labels": {PRIORITY: "a"}}}, {"metadata": {"labels": {}}}, (0, 17, 0)),
    ("Job", None, {"metadata": {"labels": {PRIORITY: "a"}}}, {"metadata": {"labels": {PRIORITY: "b"}}}, (0, 17, 0)),
    ("LeaderWorkerSet", "SP2075", job("a", leaderWorkerTemplate={"size": 2}), job("a", leaderWorkerTemplate={"size": 3}), (0, 19, 1)),
    ("LeaderWorkerSet", None, job("a", leaderWorkerTemplate={"size": 2}), job("a", leaderWorkerTemplate={"size": 3}), (0, 19, 0)),
    ("LeaderWorkerSet", None, job(None, leaderWorkerTemplate={"size": 2}), job(None, leaderWorkerTemplate={"size": 3}), (0, 20, 0)),
    ("LeaderWorkerSet", "SP2075", job("a", leaderWorkerTemplate={"subGroupPolicy": {}}), job("a", leaderWorkerTemplate={}), (0, 17, 0)),
    ("StatefulSet", "SP2075", job("a", replicas=2), job("a", replicas=3), (0, 17, 0)),
    ("StatefulSet", None, job("a", replicas=2), job("a", replicas=0), (0, 17, 0)),
    ("StatefulSet", None, job(None, replicas=2), job(None, replicas=3), (0, 17, 0)),
    ("Deployment", "SP2075", job("a"), job("b"), (0, 17, 0)),
    ("ClusterQueue", "SP2064", {"spec": {"concurrentAdmissionPolicy": {}}}, {"spec": {}}, (0, 19, 0)),
    ("ClusterQueue", None, {"spec": {"cohortName": "a"}}, {"spec": {"cohortName": "b"}}, (0, 19, 0)),
    ("WorkloadPriorityClass", None, {"value": 1}, {"value": 2}, (0, 19, 0)),
]  # fmt: skip


def job_set(**pod: Any) -> dict[str, Any]:
    template = {"metadata": {"labels": pod.pop("labels", {})}, "spec": {"containers": [], **pod}}
    return job("a", replicatedJobs=[{"name": "a", "template": {"spec": {"template": template}}}])


CERTAINTY: list[tuple[str, bool, dict[str, Any], dict[str, Any]]] = [
    ("JobSet", True, job_set(), job_set(containers=[1])),
    ("JobSet", True, job_set(), job_set(affinity={"a": 1})),
    ("JobSet", True, job_set(), job_set(nodeSelector={"a": "1"}, containers=[1])),
    ("JobSet", False, job_set(), job_set(nodeSelector={"a": "1"})),
    ("JobSet", False, job_set(labels={"a": "1"}), job_set(labels={"a": "2"})),
    ("TrainJob", False, job("a", runtimePatches=[1]), job("a", runtimePatches=[2])),
    ("TrainJob", True, job("a", trainer={"image": "a"}), job("a", trainer={"image": "b"})),
    ("Job", False, job("a"), job("b")),
    ("Job", False, job("a"), job(None)),
    ("Job", True, {"metadata": {"labels": {PRIORITY: "a"}}}, {"metadata": {}}),
    ("Job", False, {"metadata": {}}, {"metadata": {"labels": {PRIORITY: "a"}}}),
    ("Deployment", True, job("a"), job(None)),
    ("Deployment", False, job("a"), job("b")),
]


@pytest.mark.parametrize(("kind", "is_certain", "before", "after"), CERTAINTY)
def test_what_goes_through_while_a_job_waits(
    kind: str, is_certain: bool, before: dict[str, Any], after: dict[str, Any]
) -> None:
    [found] = fixed_fields((GROUPS[kind], kind), before, after, (0, 17, 0))
    assert found.is_certain is is_certain


GROUPS = {kind: group for group, kind in JOB_KINDS}


@pytest.mark.parametrize(("kind", "code", "before", "after", "release"), CASES)
def test_change(
    kind: str, code: str | None, before: dict[str, Any], after: dict[str, Any], release: tuple[int, int, int]
) -> None:
    found = list(fixed_fields((GROUPS.get(kind, KUEUE_GROUP), kind), before, after, release))
    assert [change.code for change in found] == ([code] if code else [])
    assert all(change.cure and change.reason and change.pointer for change in found)


@pytest.mark.parametrize(("kind", "code", "before", "after", "release"), CASES)
def test_no_change__and_kinds_of_the_same_name_in_other_groups(
    kind: str, code: str | None, before: dict[str, Any], after: dict[str, Any], release: tuple[int, int, int]
) -> None:
    known = (GROUPS.get(kind, KUEUE_GROUP), kind)
    assert list(fixed_fields(known, after, after, release)) == []
    assert list(fixed_fields(("example.com", kind), before, after, release)) == []


@pytest.mark.parametrize("value", [None, [], "x", {"levels": [1]}, {"levels": "x"}, {"leaderWorkerTemplate": []}])
@pytest.mark.parametrize("kind", ["Topology", "ResourceFlavor", "LeaderWorkerSet", "JobSet", "LocalQueue"])
def test_objects_of_any_shape(kind: str, value: Any) -> None:
    """What was there before may be anything."""
    known = (GROUPS.get(kind, KUEUE_GROUP), kind)
    for release in ((0, 17, 0), (0, 20, 0)):
        assert all(one.code for one in fixed_fields(known, {"spec": value, "metadata": value}, {"spec": {}}, release))
