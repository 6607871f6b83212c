"""What the compiler says of changes is what servers do: built-in kinds, Kueue's objects, and jobs that wait or run."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
import yaml
from harness.bed import Bed
from harness.client import ApiError, Client, Object, reference
from harness.kueue import API, workload_of
from harness.samples import QUEUE_LABEL, deployment, job, job_set, queues, train_job, training_runtime
from product.workspaces import REPOSITORY

from stowplan.kueue.changes import fixed_fields

CASES = yaml.safe_load((REPOSITORY / "tests" / "data" / "changes.yaml").read_text())
RELEASE = (0, 17, 0)
PRIORITY = "kueue.x-k8s.io/priority-class"
FRAMEWORKS = ("batch/job", "jobset.x-k8s.io/jobset", "trainer.kubeflow.org/trainjob", "deployment")


@pytest.fixture(scope="module")
def plain(module_bed: Bed) -> Client:
    """A server alone: nothing starts, and nothing is in the way."""
    client = module_bed.plane("plain").client()
    client.apply(reference("v1", "Namespace", "tools"))
    client.apply(reference("v1", "ServiceAccount", "default", "tools"))
    growing = {"provisioner": "example.com/a", "allowVolumeExpansion": True}
    client.apply(reference("storage.k8s.io/v1", "StorageClass", "growing") | growing)
    return client


@pytest.fixture(scope="module")
def kueue(module_bed: Bed) -> Client:
    """A server with Kueue and the operators of jobs; `team` and `other` are queues, `full` has no room."""
    plane = module_bed.plane("changes", controller_manager=True)
    module_bed.operators(plane, "jobset", "trainer")
    module_bed.kueue(plane, frameworks=FRAMEWORKS)
    client = plane.client()
    made = [*queues("h200", cpu="8"), *queues("h200", cpu="8", name="other"), *queues("h200", cpu="0", name="full")]
    for document in [*made, training_runtime("plain"), training_runtime("another")]:
        client.apply(document)
    for name, value in (("low", 1), ("high", 2)):
        client.apply(reference(API, "WorkloadPriorityClass", name) | {"value": value})
    return client


def refused(client: Client, after: Object) -> str:
    """What the server says against an apply; empty where it takes it."""
    try:
        client.apply(after)
    except ApiError as problem:
        assert problem.code in (403, 422), problem
        return str(problem)
    return ""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_built_in_kinds(plain: Client, case: dict[str, Any]) -> None:
    name = f"case-{CASES.index(case)}"
    before, after = (changed(case[key], put("metadata", "name", value=name)) for key in ("before", "after"))
    plain.apply(before)
    if before["kind"] == "PersistentVolumeClaim":
        plain.patch_status(before, {"phase": "Bound", "capacity": before["spec"]["resources"]["requests"]})
    said = refused(plain, after)
    assert bool(said) is ("field" in case), said
    assert case.get("field", "") in said


def changed(document: Object, change: Callable[[Object], None]) -> Object:
    made = deepcopy(document)
    change(made)
    return made


def label(key: str, value: str | None) -> Callable[[Object], None]:
    def change(made: Object) -> None:
        labels = made["metadata"].setdefault("labels", {})
        labels.pop(key, None)
        if value is not None:
            labels[key] = value

    return change


def image(made: Object) -> None:
    made["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["containers"][0]["image"] += "0"


def selector(made: Object) -> None:
    made["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["nodeSelector"] = {"a": "b"}


def put(*path: str, value: Any) -> Callable[[Object], None]:
    def change(made: Object) -> None:
        for step in path[:-1]:
            made = made.setdefault(step, {})
        made[path[-1]] = value

    return change


LEVELS = [{"nodeLabel": "example.com/rack"}, {"nodeLabel": "kubernetes.io/hostname"}]
OBJECTS: dict[str, tuple[Object, Callable[[Object], None]]] = {
    "LocalQueue moved": (queues("h200")[2] | {"metadata": {"name": "moving", "namespace": "default"}}, put("spec", "clusterQueue", value="other")),
    "LocalQueue held": (queues("h200")[2] | {"metadata": {"name": "held", "namespace": "default"}}, put("spec", "stopPolicy", value="Hold")),
    "Topology": (reference(API, "Topology", "a") | {"spec": {"levels": LEVELS}}, put("spec", "levels", value=LEVELS[1:])),
    "flavor of a topology": (
        reference(API, "ResourceFlavor", "a") | {"spec": {"topologyName": "t", "nodeLabels": {"a": "1"}}},
        put("spec", "nodeLabels", value={"a": "2"}),
    ),
    "flavor that loses its topology": (
        reference(API, "ResourceFlavor", "b") | {"spec": {"topologyName": "t", "nodeLabels": {"a": "1"}}},
        lambda made: made["spec"].pop("topologyName") and None,
    ),
    "flavor that gets a topology": (
        reference(API, "ResourceFlavor", "c") | {"spec": {"nodeLabels": {"a": "1"}}},
        put("spec", "topologyName", value="t"),
    ),
    "plain flavor": (
        reference(API, "ResourceFlavor", "d") | {"spec": {"nodeLabels": {"a": "1"}}},
        put("spec", "nodeLabels", value={"a": "2"}),
    ),
    "AdmissionCheck": (
        reference(API, "AdmissionCheck", "a") | {"spec": {"controllerName": "example.com/a"}},
        put("spec", "controllerName", value="example.com/b"),
    ),
    "value of a priority": (reference(API, "WorkloadPriorityClass", "a") | {"value": 1}, put("value", value=2)),
    "cohort of a queue": (queues("h200", name="lone")[1], put("spec", "cohortName", value="all")),
}  # fmt: skip


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_of_kueue(kueue: Client, name: str) -> None:
    before, change = OBJECTS[name]
    after = changed(before, change)
    kueue.apply(before)
    foreseen = list(fixed_fields(("kueue.x-k8s.io", before["kind"]), before, after, RELEASE))
    said = refused(kueue, after)
    assert bool(said) is bool(foreseen), said
    assert all(str(one.pointer[-1]) in said for one in foreseen)


def work(kind: str, name: str, queue: str) -> Object:
    """A job of a kind with a priority, in a queue."""
    made = {
        "Job": lambda: job(name, "default", queue=queue),
        "JobSet": lambda: job_set(name, "default", queue=queue),
        "TrainJob": lambda: train_job(name, "default", runtime="plain", queue=queue),
    }[kind]()
    made["metadata"]["labels"][PRIORITY] = "low"
    if kind == "TrainJob":
        made["spec"]["trainer"] = {"numNodes": 1}
    return made


CHANGES: dict[str, tuple[str, Callable[[Object], None]]] = {
    "queue of a Job": ("Job", label(QUEUE_LABEL, "other")),
    "priority of a Job": ("Job", label(PRIORITY, "high")),
    "no priority of a Job": ("Job", label(PRIORITY, None)),
    "time limit of a Job": ("Job", label("kueue.x-k8s.io/max-exec-time-seconds", "60")),
    "image of a JobSet": ("JobSet", image),
    "place of a JobSet": ("JobSet", selector),
    "success of a JobSet": ("JobSet", put("spec", "successPolicy", value={"operator": "Any"})),
    "queue of a JobSet": ("JobSet", label(QUEUE_LABEL, "other")),
    "runtime of a TrainJob": ("TrainJob", put("spec", "runtimeRef", value={"name": "another"})),
    "trainer of a TrainJob": ("TrainJob", put("spec", "trainer", value={"numNodes": 2})),
    "limit of a TrainJob": ("TrainJob", put("spec", "activeDeadlineSeconds", value=60)),
}


@pytest.mark.parametrize("waits", [True, False], ids=["waiting", "running"])
@pytest.mark.parametrize("name", CHANGES)
def test_jobs(kueue: Client, name: str, waits: bool) -> None:
    """What is certain is refused at any time, what is not from the start on; what is not foreseen goes through."""
    kind, change = CHANGES[name]
    before = work(
        kind, f"job-{sorted(CHANGES).index(name)}-{'waits' if waits else 'runs'}", "full" if waits else "team"
    )
    after = changed(before, change)
    kueue.apply(before)
    workload_of(kueue, before)
    if not waits:
        kueue.wait_until(before, lambda found: (found or {}).get("spec", {}).get("suspend") is False)
    group = before["apiVersion"].rpartition("/")[0]
    foreseen = list(fixed_fields((group, kind), before, after, RELEASE))
    said = refused(kueue, after)
    kueue.delete(before)
    expected = any(one.is_certain or not waits for one in foreseen)
    assert bool(said) is expected, said


def test_deployment_keeps_its_queue(kueue: Client) -> None:
    before = changed(deployment("served", "default"), label(QUEUE_LABEL, "team"))
    after = changed(before, label(QUEUE_LABEL, None))
    kueue.apply(before)
    [foreseen] = fixed_fields(("apps", "Deployment"), before, after, RELEASE)
    assert foreseen.is_certain
    assert "queue-name" in refused(kueue, after)
