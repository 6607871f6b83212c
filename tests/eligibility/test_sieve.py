"""The sieve answers as asking every predicate of every place does."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from stowplan.model.eligibility import ClassVerdict
from stowplan.model.fleet import Fleet
from stowplan.model.workload import Workload
from stowplan.passes.eligibility import check_eligibility
from stowplan.passes.eligibility.context import ClusterCase, Held, PoolCase
from stowplan.passes.eligibility.predicates import data, devices, money, room, site, software
from stowplan.passes.load import component_folders, load
from stowplan.passes.resolve import resolve
from stowplan.policies.placement import PlacementRules, compile_placement
from stowplan.source.files import SourceTree

EXAMPLE = Path(__file__).parent.parent / "data" / "example"
sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))

from placement_bench import workspace  # noqa: E402
from reference import reference_fleet  # noqa: E402

FLEETS = {
    "example": {p.relative_to(EXAMPLE).as_posix(): p.read_text() for p in sorted(EXAMPLE.rglob("*")) if p.is_file()},
    "reference": reference_fleet(5, 3, 12),
    "placement": workspace(80, 9, 0.9),
}


def bound(name: str) -> tuple[Fleet, PlacementRules]:
    tree = SourceTree.from_texts(FLEETS[name])
    documents = [document for file in tree.files for document in file.documents]
    fleet = resolve(load(documents, component_folders(documents)).value).value
    assert fleet is not None
    return fleet, compile_placement(fleet).value


def asked(fleet: Fleet, workload: Workload, held: Held, policy: PlacementRules) -> tuple[ClassVerdict, ...]:
    """Every predicate put to every place, in order, nothing kept."""
    verdicts = []
    for cluster in fleet.members:
        case = ClusterCase(fleet, workload, cluster, held)
        on_cluster = (*site.CLUSTER_PREDICATES, *software.CLUSTER_PREDICATES, *data.CLUSTER_PREDICATES)
        reasons = [r for predicate in (*on_cluster, policy.cluster_reasons) for r in predicate(case)]
        by_flavor = {}
        for flavor, pool in cluster.pools.items():
            pool_case = PoolCase(fleet, workload, cluster, held, pool)
            on_pool = (*devices.POOL_PREDICATES, *room.POOL_PREDICATES, site.taint, money.budget, policy.pool_reasons)
            by_flavor[flavor] = tuple(r for predicate in on_pool for r in predicate(pool_case))
        verdicts.append(ClassVerdict(cluster.name, tuple(reasons), by_flavor))
    return tuple(verdicts)


@pytest.mark.parametrize("name", FLEETS)
def test_verdicts_places_and_counts_agree_with_plain_asking(name: str) -> None:
    fleet, policy = bound(name)
    held = Held()
    dice = random.Random(name)
    for tenant, cluster, flavor in fleet.quotas:
        if flavor in fleet.clusters[cluster].pools and dice.random() < 0.3:
            held.hold_quota(cluster, flavor, tenant, dice.randrange(64))
    matrix = check_eligibility(fleet, fleet.workloads, held, policy)
    workloads = {w.name: w for w in fleet.workloads}
    for workload in fleet.workloads:
        wanted = asked(fleet, workloads[matrix.class_of[workload.name]], held, policy)
        assert matrix.of(workload.name) == wanted
        places = [(c.name, pool.flavor) for c, pool in matrix.places(workload.name)]
        assert places == [(verdict.cluster, flavor) for verdict in wanted for flavor in verdict.eligible_flavors]
        n_reasons = sum(len(v.reasons) + sum(map(len, v.by_flavor.values())) for v in wanted)
        assert matrix.least_reasons(workload.name) <= n_reasons
        assert (matrix.least_reasons(workload.name) == 0) <= (len(places) == sum(len(v.by_flavor) for v in wanted))


@pytest.mark.parametrize("name", FLEETS)
def test_workloads_of_one_class_have_the_same_verdict(name: str) -> None:
    fleet, policy = bound(name)
    matrix = check_eligibility(fleet, fleet.workloads, Held(), policy)
    for workload in fleet.workloads:
        own = asked(fleet, workload, Held(), policy)
        assert [v.eligible_flavors for v in own] == [v.eligible_flavors for v in matrix.of(workload.name)]
