"""Elastic jobs: which can be, where Kueue plays along, and with how many pods they run now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from stowplan.kueue.scheduling.work import Ask
from stowplan.kueue.tree import Side
from stowplan.model.fleet import Fleet
from stowplan.model.inputs.inventory import Running
from stowplan.model.rendered import RenderedObject
from stowplan.passes.lower.kueue.amounts import accelerator_resource
from stowplan.passes.lower.kueue.dialect import dialect_of

__all__ = ["ELASTIC", "ELASTIC_KINDS", "ask_that_runs", "is_elastic", "lacks_gate"]

ELASTIC: Final = "kueue.x-k8s.io/elastic-job"
ELASTIC_KINDS: Final = ("Job", "RayCluster", "RayJob", "RayService")


def is_elastic(made: RenderedObject) -> bool:
    """Whether a job asks to be elastic."""
    annotations = (made.object.get("metadata") or {}).get("annotations") or {}
    return annotations.get(ELASTIC) == "true"


def lacks_gate(side: Side) -> bool:
    """Whether elastic jobs are off by default in the cluster's release, and nothing turns them on."""
    dialect = dialect_of(side.cluster)
    return dialect is not None and not dialect.at_least(18) and not _is_on(side, "ElasticJobsViaWorkloadSlices")


def _is_on(side: Side, gate: str) -> bool:
    """Whether a gate that is off by default is on: stated, observed, or in the configuration that is rendered."""
    settings = side.cluster.spec.kueue
    observed = side.cluster.observed.kueue if side.cluster.observed is not None else None
    gates = {**(observed.feature_gates if observed is not None else {}), **settings.feature_gates}
    return gates.get(gate, settings.configuration == "rendered")


def ask_that_runs(fleet: Fleet, side: Side, jobs: Iterable[RenderedObject], ask: Ask) -> Ask:
    """The work with the pods that run; the same where its job is not elastic, or the snapshot does not tell their number.

    A snapshot counts accelerators: pods are told where one pod set has all of them.
    """
    observed = side.cluster.observed
    rows: list[Running] = [row for row in observed.running if row.intent == ask.name] if observed is not None else []
    if len(rows) != 1 or rows[0].flavor not in fleet.flavors or lacks_gate(side):
        return ask
    if not all(made.kind in ELASTIC_KINDS and is_elastic(made) for made in jobs):
        return ask
    resource = accelerator_resource(fleet, rows[0].flavor, side.cluster.name)
    mine = [podset for podset in ask.podsets if resource is not None and podset.counted.get(resource, 0)]
    if len(mine) != 1:
        return ask
    pods, rest = divmod(rows[0].accelerators, mine[0].counted[resource or ""])
    if rest or not pods or pods == mine[0].count:
        return ask
    podsets = tuple(replace(one, count=pods) if one is mine[0] else one for one in ask.podsets)
    return replace(ask, podsets=podsets)
