"""Scores candidates: the weighted sum of hours, money, and carbon, and the rule on spot prices."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from stowplan.model.estimate import Estimate
from stowplan.model.fleet import Cluster, Fleet, Pool
from stowplan.model.inputs.policies import Prefer, Spot
from stowplan.model.plan import Candidate
from stowplan.model.times import hours
from stowplan.model.workload import Workload
from stowplan.passes.estimate import Estimator

__all__ = ["Preferences", "rank"]

_SAVING_BETWEEN = 0.3
"""Share that a spot price must save, after rework and transfer, for work between the two thresholds."""

ExtraTerms = Callable[[Workload, Cluster, Pool], float]


@dataclass(frozen=True, slots=True)
class Preferences:
    """Weights of one unit each; `move_threshold` is the share by which a move must be better."""

    per_hour: float
    per_currency_unit: float
    per_kilogram: float
    move_threshold: float
    spot: Spot

    @classmethod
    def of(cls, fleet: Fleet) -> Preferences:
        """The weights that the placement policies state; hours to result alone where none does."""
        policies = [p.spec for p in fleet.policies.placement]
        prefer = next((p.prefer for p in policies if p.prefer is not None), None) or Prefer()
        move = next((p.move for p in policies if p.move is not None), None)
        spot = next((p.spot for p in policies if p.spot is not None), None) or Spot()
        stated = any((prefer.time_to_result, prefer.cost, prefer.carbon, prefer.terms))
        return cls(
            per_hour=prefer.time_to_result.weight_per_hour if prefer.time_to_result else float(not stated),
            per_currency_unit=prefer.cost.weight_per_currency_unit if prefer.cost else 0.0,
            per_kilogram=prefer.carbon.weight_per_kilogram if prefer.carbon else 0.0,
            move_threshold=float(move.threshold.rstrip("%")) / 100 if move else 0.1,
            spot=spot,
        )

    def score(self, found: Estimate, cost: float | None = None) -> float:
        """The weighted sum, with another cost where given."""
        money = found.cost if cost is None else cost
        return self.per_hour * found.hours + self.per_currency_unit * money + self.per_kilogram * found.carbon_kilograms


def rank(
    fleet: Fleet,
    workload: Workload,
    places: Iterable[tuple[Cluster, Pool]],
    preferences: Preferences,
    extra: ExtraTerms | None = None,
    estimator: Estimator | None = None,
) -> tuple[Candidate, ...]:
    """Candidates by score, ties by cluster and flavor.

    A spot price counts only as far as the spot rule lets it: where the work would leave its data, and what one
    interruption can lose is too short (or the saving too small), the candidate is scored as if it cost what the
    cheapest candidate at home costs.
    """
    estimator = estimator or Estimator(fleet)
    found = list(estimator.estimates(workload, places))
    home = [e.cost for _, _, e in found if e.at_home]
    candidates = []
    for cluster, pool, e in found:
        cost = None
        spot = fleet.flavors[pool.flavor].spec.capacity_type == "spot"
        if spot and not e.at_home and home and not _may_move(workload, e.cost, min(home), preferences.spot):
            cost = max(e.cost, min(home))
        score = preferences.score(e, cost) + (extra(workload, cluster, pool) if extra else 0.0)
        candidates.append(Candidate(cluster.name, pool.flavor, e, score))
    return tuple(sorted(candidates, key=lambda c: (c.score, c.cluster, c.flavor)))


def _may_move(workload: Workload, cost: float, home_cost: float, spot: Spot) -> bool:
    if workload.loss_unit_hours >= hours(spot.allowed_above):
        return True
    if workload.loss_unit_hours < hours(spot.never_below):
        return False
    return cost <= (1 - _SAVING_BETWEEN) * home_cost
