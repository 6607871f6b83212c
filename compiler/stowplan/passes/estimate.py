"""Works out an `Estimate` for a workload on one flavor of a cluster, from the snapshot's facts alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from stowplan.model.estimate import MONTH_HOURS, Estimate
from stowplan.model.fleet import Cluster, Fleet, Pool
from stowplan.model.quantity import quantity_bytes
from stowplan.model.rooms import best_per_node
from stowplan.model.times import hours
from stowplan.model.workload import Workload
from stowplan.passes.eligibility.predicates.data import data_names, image_names, nearest_copy

__all__ = ["Estimator", "estimate"]


class Estimator:
    """Makes estimates; what depends on the cluster and the artifacts alone is worked out once."""

    __slots__ = ("_data", "_fleet", "_images")

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self._data: dict[tuple[str, tuple[str, ...]], tuple[float, float, bool]] = {}
        self._images: dict[tuple[str, tuple[str, ...]], float] = {}

    def estimates(
        self, workload: Workload, places: Iterable[tuple[Cluster, Pool]]
    ) -> Iterator[tuple[Cluster, Pool, Estimate]]:
        """The places, each with its estimate (see `estimate`)."""
        data, images = data_names(workload), image_names(workload)
        for cluster, pool in places:
            staged = self._data.get((cluster.name, data))
            if staged is None:
                staged = self._data[(cluster.name, data)] = _data(self._fleet, data, cluster)
            pulled = self._images.get((cluster.name, images))
            if pulled is None:
                pulled = self._images[(cluster.name, images)] = _images(self._fleet, images, cluster)
            yield cluster, pool, _estimate(workload, cluster, pool, staged, pulled)


def estimate(fleet: Fleet, workload: Workload, cluster: Cluster, pool: Pool) -> Estimate:
    """The estimate, assuming one round of waiting as the snapshot states it.

    Interruptions hit a gang as often as nodes x hours x rate and cost it half a checkpoint interval each (half the
    run without checkpoints); a shard is hit on its own and loses the same way.
    """
    return next(Estimator(fleet).estimates(workload, [(cluster, pool)]))[2]


def _estimate(
    workload: Workload, cluster: Cluster, pool: Pool, staged: tuple[float, float, bool], image_hours: float
) -> Estimate:
    data_hours, transfer_cost, at_home = staged
    run = MONTH_HOURS if workload.is_service else workload.run_hours
    interruptions, rework = _rework(workload, pool, run)
    price = pool.price.per_accelerator_hour if pool.price else 0.0
    busy = run + rework
    compute = workload.total_accelerators * busy * price
    nodes = workload.units * workload.unit.workers / max(1, _per_node(workload, pool))
    grid = cluster.observed.carbon if cluster.observed else None
    grams = grid.grams_per_kilowatt_hour if grid else 0.0
    carbon = nodes * pool.power_kilowatts_per_node * busy * grams / 1000
    if workload.is_service:
        return Estimate(0, 0, 0, 0, 0, 0, interruptions, compute, transfer_cost, carbon, at_home)
    hits = interruptions if workload.kind == "TrainingIntent" else interruptions / max(1, workload.units)
    return Estimate(
        wait_hours=pool.wait_hours,
        data_hours=data_hours,
        image_hours=image_hours,
        run_hours=run,
        rework_hours=rework,
        requeue_hours=hits * pool.wait_hours,
        interruptions=interruptions,
        compute_cost=compute,
        transfer_cost=transfer_cost,
        carbon_kilograms=carbon,
        at_home=at_home,
    )


def _per_node(workload: Workload, pool: Pool) -> int:
    found = best_per_node(pool, workload.unit)
    return 1 if found is None else found


def _data(fleet: Fleet, names: tuple[str, ...], cluster: Cluster) -> tuple[float, float, bool]:
    """Hours and money of staging (artifacts one after the other over one line), and whether all is local."""
    total_hours = total_cost = 0.0
    at_home = True
    for name in names:
        artifact = fleet.artifacts[name]
        copy = nearest_copy(fleet, cluster, artifact)
        if copy is None or copy.transfer is None:
            continue
        size = quantity_bytes(artifact.spec.size)
        speed = copy.transfer.gigabits_per_second
        if cluster.spec.network is not None:
            speed = min(speed, cluster.spec.network.wan_gigabits_per_second)
        total_hours += size * 8 / (speed * 1e9) / 3600
        total_cost += size / 1e9 * copy.transfer.per_gigabyte
        at_home = False
    return total_hours, total_cost, at_home


def _images(fleet: Fleet, names: tuple[str, ...], cluster: Cluster) -> float:
    """Hours to pull images that are not in the cluster, over its own line."""
    total = 0.0
    for name in names:
        artifact = fleet.artifacts[name]
        copy = nearest_copy(fleet, cluster, artifact)
        if copy is None or copy.is_local or cluster.spec.network is None:
            continue
        total += quantity_bytes(artifact.spec.size) * 8 / (cluster.spec.network.wan_gigabits_per_second * 1e9) / 3600
    return total


def _rework(workload: Workload, pool: Pool, run: float) -> tuple[float, float]:
    """Expected interruptions of the whole workload, and the hours they add to its run."""
    rate = pool.price.interruptions_per_node_hour if pool.price else 0.0
    if not rate or workload.is_service:
        return 0.0, 0.0
    checkpoint = getattr(workload.entity.spec, "checkpoint", None)
    loss_unit = workload.loss_unit_hours
    lost = min(hours(checkpoint.every), loss_unit) / 2 if checkpoint else loss_unit / 2
    if workload.kind == "TrainingIntent":
        nodes = -(-workload.unit.workers // max(1, _per_node(workload, pool)))
        hits = nodes * run * rate
        return hits, hits * lost
    hits_per_unit = run * rate
    return hits_per_unit * workload.units, hits_per_unit * lost
