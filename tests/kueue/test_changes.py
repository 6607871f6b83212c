"""What cannot change between two revisions, by Kueue's release."""

from __future__ import annotations

from typing import Any

import pytest

from stowplan.kueue.changes import immutable_changes

HOST = {"nodeLabel": "kubernetes.io/hostname"}
QUEUE = "kueue.x-k8s.io/queue-name"


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
]  # fmt: skip


@pytest.mark.parametrize(("kind", "code", "before", "after", "release"), CASES)
def test_change(
    kind: str, code: str | None, before: dict[str, Any], after: dict[str, Any], release: tuple[int, int, int]
) -> None:
    name = ("north", kind, "speech", "x")
    found = immutable_changes({name: before}, {name: after}, {"north": release})
    assert [change.code for change in found] == ([code] if code else [])
    assert all(change.cure and "x" in change.message for change in found)


def test_new_and_gone_objects_are_no_changes() -> None:
    one = {("north", "LocalQueue", "a", "x"): {"spec": {"clusterQueue": "a"}}}
    assert immutable_changes(one, {}, {}) == immutable_changes({}, one, {}) == ()
