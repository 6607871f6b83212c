"""Rendered objects as Kueue sees them: queues, flavors, checks, and jobs of each API server, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeVar

from stowplan.kueue.admission import Admission
from stowplan.model.devices import CLAIMS_GROUP
from stowplan.model.fleet import Cluster, Fleet
from stowplan.model.handedover import QUEUE_LABEL
from stowplan.model.plan import PlacementPlan
from stowplan.model.quantity import QuantityError, parse_quantity
from stowplan.model.rendered import RenderedObject

__all__ = [
    "JOB_KINDS",
    "KUEUE_GROUP",
    "MULTIKUEUE",
    "KueueTree",
    "Side",
    "build_tree",
    "group_of",
    "labels_of",
    "spec_of",
]

KUEUE_GROUP = "kueue.x-k8s.io"
MULTIKUEUE = "kueue.x-k8s.io/multikueue"

JOB_KINDS: Mapping[tuple[str, str], str] = {
    ("batch", "Job"): "batch/job",
    ("jobset.x-k8s.io", "JobSet"): "jobset.x-k8s.io/jobset",
    ("trainer.kubeflow.org", "TrainJob"): "trainer.kubeflow.org/trainjob",
    ("kubeflow.org", "PyTorchJob"): "kubeflow.org/pytorchjob",
    ("kubeflow.org", "MPIJob"): "kubeflow.org/mpijob",
    ("ray.io", "RayJob"): "ray.io/rayjob",
    ("ray.io", "RayCluster"): "ray.io/raycluster",
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"): "leaderworkerset.x-k8s.io/leaderworkerset",
    ("", "Pod"): "pod",
    ("apps", "Deployment"): "deployment",
    ("apps", "StatefulSet"): "statefulset",
}
"""Kueue's integration of each kind that can carry a queue label."""


@lru_cache(maxsize=65536)
def _read_amount(text: str) -> Fraction | None:
    try:
        return Fraction(parse_quantity(text))
    except QuantityError:
        return None


def amount_of(text: Any) -> Fraction | None:
    """A quantity's exact value; None for nothing and for what is none."""
    return None if text is None else _read_amount(str(text))


def group_of(made: RenderedObject) -> str:
    """The API group, empty for the core group."""
    return made.api_version.rpartition("/")[0]


def spec_of(made: RenderedObject) -> dict[str, Any]:
    """The spec, empty where there is none."""
    found = made.object.get("spec")
    return found if isinstance(found, dict) else {}


def labels_of(made: RenderedObject) -> Mapping[str, str]:
    """The labels, empty where there are none."""
    found = (made.object.get("metadata") or {}).get("labels")
    return found if isinstance(found, dict) else {}


@dataclass(slots=True)
class Side:
    """One API server: Kueue's objects by name, what has a namespace by (namespace, name), jobs, and everything else."""

    name: str
    cluster: Cluster
    queues: dict[str, RenderedObject] = field(default_factory=dict)
    local_queues: dict[tuple[str, str], RenderedObject] = field(default_factory=dict)
    flavors: dict[str, RenderedObject] = field(default_factory=dict)
    topologies: dict[str, RenderedObject] = field(default_factory=dict)
    cohorts: dict[str, RenderedObject] = field(default_factory=dict)
    checks: dict[str, RenderedObject] = field(default_factory=dict)
    configs: dict[str, RenderedObject] = field(default_factory=dict)
    workers: dict[str, RenderedObject] = field(default_factory=dict)
    provisioning: dict[str, RenderedObject] = field(default_factory=dict)
    priorities: dict[str, RenderedObject] = field(default_factory=dict)
    namespaces: dict[str, RenderedObject] = field(default_factory=dict)
    claim_templates: dict[tuple[str, str], RenderedObject] = field(default_factory=dict)
    runtimes: dict[tuple[str, str], RenderedObject] = field(default_factory=dict)
    jobs: list[RenderedObject] = field(default_factory=list)
    others: list[RenderedObject] = field(default_factory=list)
    kueue: list[RenderedObject] = field(default_factory=list)

    def queue_of(self, job: RenderedObject) -> RenderedObject | None:
        """The ClusterQueue behind the job's queue label, None where some link is missing."""
        local = self.local_queues.get((job.namespace or "", labels_of(job).get(QUEUE_LABEL, "")))
        return None if local is None else self.queues.get(str(spec_of(local).get("clusterQueue")))

    def multikueue_check(self, queue: RenderedObject) -> RenderedObject | None:
        """The MultiKueue check of a ClusterQueue."""
        for name in check_names(queue):
            check = self.checks.get(name)
            if check is not None and spec_of(check).get("controllerName") == MULTIKUEUE:
                return check
        return None

    def candidates(self, queue: RenderedObject) -> tuple[str, ...]:
        """Workers that a manager's queue may send work to, in order."""
        check = self.multikueue_check(queue)
        if check is None:
            return ()
        config = self.configs.get((spec_of(check).get("parameters") or {}).get("name", ""))
        return () if config is None else tuple(spec_of(config).get("clusters") or ())


def check_names(queue: RenderedObject) -> list[str]:
    """Names of a queue's admission checks."""
    strategy = spec_of(queue).get("admissionChecksStrategy") or {}
    return [str(row.get("name")) for row in strategy.get("admissionChecks") or []]


@dataclass(frozen=True, slots=True)
class KueueTree:
    """Everything by API server, with the fleet and the plan it came from; `admissions` once the scheduler was played."""

    fleet: Fleet
    plan: PlacementPlan
    sides: Mapping[str, Side]
    admissions: tuple[Admission, ...] = ()

    @property
    def manager(self) -> Side | None:
        """The MultiKueue manager."""
        hub = self.fleet.spec.hubs.kueue
        return None if hub is None else self.sides.get(hub.cluster)


_BOOKS = {
    "ClusterQueue": "queues", "ResourceFlavor": "flavors", "Topology": "topologies", "Cohort": "cohorts",
    "AdmissionCheck": "checks", "MultiKueueConfig": "configs", "MultiKueueCluster": "workers",
    "ProvisioningRequestConfig": "provisioning", "WorkloadPriorityClass": "priorities",
}  # fmt: skip
_NAMESPACED = {
    (CLAIMS_GROUP, "ResourceClaimTemplate"): "claim_templates",
    ("trainer.kubeflow.org", "TrainingRuntime"): "runtimes",
}


def build_tree(fleet: Fleet, plan: PlacementPlan, objects: Iterable[RenderedObject]) -> KueueTree:
    """Sorts objects into sides; what goes to Karmada's API server is none of Kueue's."""
    sides: dict[str, Side] = {}
    for made in objects:
        target = made.unit.target
        if target.is_karmada or not target.folder.startswith(("clusters/", "hubs/kueue")):
            continue
        side = sides.get(target.name)
        if side is None:
            side = sides[target.name] = Side(target.name, fleet.clusters[target.cluster])
        _put(side, made)
    return KueueTree(fleet, plan, dict(sorted(sides.items())))


_Key = TypeVar("_Key")


def _book(book: dict[_Key, RenderedObject], key: _Key, made: RenderedObject) -> None:
    """One object a name: the compiler's own where a component has one too, which SP0903 reports."""
    before = book.setdefault(key, made)
    if before.manifest.source.startswith("component/"):
        book[key] = made


def _put(side: Side, made: RenderedObject) -> None:
    group = group_of(made)
    if group == KUEUE_GROUP:
        side.kueue.append(made)
        if made.kind == "LocalQueue":
            _book(side.local_queues, (made.namespace or "", made.name), made)
        elif made.kind in _BOOKS:
            _book(getattr(side, _BOOKS[made.kind]), made.name, made)
    elif (group, made.kind) in JOB_KINDS:
        (side.jobs if QUEUE_LABEL in labels_of(made) else side.others).append(made)
    elif group == "" and made.kind == "Namespace":
        side.namespaces[made.name] = made
    else:
        book = _NAMESPACED.get((group, made.kind))
        if book is not None:
            getattr(side, book).setdefault((made.namespace or "", made.name), made)
        side.others.append(made)
