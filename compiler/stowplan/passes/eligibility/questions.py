"""All predicates in the order of their reasons, each with what it reads of a workload: equal readings, equal answers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from stowplan.model.eligibility import Reason
from stowplan.model.fleet import Cluster, Fleet
from stowplan.model.workload import Workload
from stowplan.passes.eligibility.predicates import claims, data, devices, money, room, site, software

__all__ = ["CLUSTER_QUESTIONS", "POOL_QUESTIONS", "Question", "needs_of"]

Reads = Callable[[Fleet, Workload], Hashable]
Ask = Callable[[Any], Iterator[Reason]]


@dataclass(frozen=True, slots=True)
class Question:
    """One predicate. `reads` gives all that its answer depends on besides the place and what is held.

    `where` tells whether a cluster can be refused at all. A `late` question costs much and differs for each class: it is
    asked only of places that passed all others, unless somebody wants to read every reason, and not at all where it
    reads None.
    """

    ask: Ask
    reads: Reads
    where: Callable[[Cluster], bool] | None = None
    late: bool = False


def needs_of(_fleet: Fleet, workload: Workload) -> Hashable:
    """For a predicate that may read anything: the workload itself stands for its class."""
    return workload.name


def _spec(*fields: str) -> Reads:
    def read(_fleet: Fleet, workload: Workload) -> Hashable:
        spec = workload.entity.spec
        return tuple([getattr(spec, field, None) for field in fields])

    return read


def _spec_of_tenant(*fields: str) -> Reads:
    read = _spec(*fields)
    return lambda fleet, workload: (workload.tenant, read(fleet, workload))


def _need(*fields: str) -> Reads:
    def read(_fleet: Fleet, workload: Workload) -> Hashable:
        need = workload.need
        return (*[getattr(need, field) for field in fields], bool(workload.unit.accelerators))

    return read


def _training(field: str) -> Reads:
    return lambda _, workload: getattr(workload.training, field, None)


def _tenant(_fleet: Fleet, workload: Workload) -> Hashable:
    return workload.tenant


def _nothing(_fleet: Fleet, _workload: Workload) -> Hashable:
    return None


def _regions(_fleet: Fleet, workload: Workload) -> Hashable:
    return workload.tenant, workload.kind, getattr(workload.entity.spec, "regions", None)


def _runtime(_fleet: Fleet, workload: Workload) -> Hashable:
    runtime = str(getattr(workload.entity.spec, "runtime", ""))
    return workload.kind, runtime, workload.dispatch, workload.unit.workers > 1


def _claims(_fleet: Fleet, workload: Workload) -> Hashable:
    runtime = str(getattr(workload.entity.spec, "runtime", ""))
    topology = workload.training.topology if workload.training else None
    return workload.kind, runtime, workload.dispatch, bool(workload.unit.accelerators), topology and topology.required


def _data(_fleet: Fleet, workload: Workload) -> Hashable:
    return workload.tenant, data.data_names(workload)


def _image(_fleet: Fleet, workload: Workload) -> Hashable:
    return data.image_names(workload)


def _length(_fleet: Fleet, workload: Workload) -> Hashable:
    return None if workload.interruptible or workload.is_service else workload.run_hours


def _has_windows(cluster: Cluster) -> bool:
    return bool(cluster.spec.maintenance)


def _unit(_fleet: Fleet, workload: Workload) -> Hashable:
    return workload.kind, workload.unit


def _topology(_fleet: Fleet, workload: Workload) -> Hashable:
    topology = workload.training.topology if workload.training else None
    return workload.kind, workload.unit, topology.required if topology else None


def _quota(_fleet: Fleet, workload: Workload) -> Hashable:
    return workload.tenant, workload.unit.total


def _budget(fleet: Fleet, workload: Workload) -> Hashable:
    return None if fleet.tenants[workload.tenant].spec.budget is None else workload.name


_READS: Final[Mapping[Ask, Question]] = {
    question.ask: question
    for question in (
        Question(site.role, lambda _, workload: workload.role),
        Question(site.environment, _spec_of_tenant("environment")),
        Question(site.route, _spec("route", "clusters")),
        Question(site.tenant_cluster, _tenant),
        Question(site.jurisdiction, _spec_of_tenant("jurisdictions")),
        Question(site.region, _regions),
        Question(site.namespace, lambda _, workload: (workload.namespace, workload.entity.spec.secrets)),
        Question(site.maintenance, _length, where=_has_windows),
        Question(site.cluster_taint, _spec("tolerations")),
        Question(site.freshness, _nothing),
        Question(site.health, _nothing),
        Question(software.runtime, _runtime),
        Question(software.api, _runtime),
        Question(data.data_class, _data),
        Question(data.residency, _data),
        Question(data.data, _data),
        Question(data.image, _image),
        Question(devices.tenant_flavor, _tenant),
        Question(devices.vendor, _need("vendor")),
        Question(devices.model, _need("models")),
        Question(devices.memory, _need("min_memory")),
        Question(devices.mig, _need("mig_profile")),
        Question(devices.precision, _need("precision")),
        Question(devices.driver, _need("min_driver")),
        Question(devices.cuda, _need("min_cuda", "min_rocm")),
        Question(devices.rdma, _training("rdma")),
        Question(devices.network, _training("network")),
        Question(devices.capacity_type, lambda _, workload: workload.interruptible),
        Question(room.topology, _topology),
        Question(room.quota, _quota),
        Question(room.capacity, _unit),
        Question(room.power, _unit),
        Question(site.taint, _spec("tolerations")),
        Question(claims.device_claims, _claims),
        Question(money.budget, _budget, late=True),
    )
}


def _question(ask: Ask) -> Question:
    """A predicate that is not in the table is taken to read everything."""
    return _READS.get(ask) or Question(ask, needs_of)


CLUSTER_QUESTIONS: Final = tuple(
    map(_question, (*site.CLUSTER_PREDICATES, *software.CLUSTER_PREDICATES, *data.CLUSTER_PREDICATES))
)
"""Asked of a cluster as a whole, in the order of their reasons."""

POOL_QUESTIONS: Final = tuple(
    map(_question, (*devices.POOL_PREDICATES, *room.POOL_PREDICATES, site.taint, money.budget, claims.device_claims))
)
"""Asked of each flavor of a cluster, in the order of their reasons."""
