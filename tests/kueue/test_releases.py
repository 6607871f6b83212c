"""What releases of Kueue do differently, and what the model reads of jobs and queues."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from stowplan.kueue.podsets import PodSet
from stowplan.kueue.scheduling.documents import Counting, Documents, ask_of, read_world
from stowplan.kueue.scheduling.release import Release, release_of
from stowplan.kueue.scheduling.scheduler import Scheduler
from stowplan.kueue.scheduling.topology import HOSTNAME, NodeFacts

CHOICES = ("ranks_candidates", "keeps_progress", "places_again", "selects_by_flavor", "counts_all_usage", "counts_leaders", "seats_leaders", "layers")  # fmt: skip


@pytest.mark.parametrize(
    ("version", "wanted"),
    [
        ((0, 17, 0), ""), ((0, 17, 2), "counts_leaders"), ((0, 17, 5), "counts_leaders counts_all_usage"),
        ((0, 17, 8), "counts_leaders counts_all_usage selects_by_flavor places_again"), ((0, 18, 0), "counts_leaders"),
        ((0, 18, 6), "counts_leaders counts_all_usage selects_by_flavor places_again ranks_candidates keeps_progress seats_leaders"),
        ((0, 19, 0), "counts_leaders counts_all_usage selects_by_flavor places_again layers"),
        ((0, 19, 2), " ".join(CHOICES)), ((0, 20, 0), " ".join(CHOICES)), ((1, 0, 0), " ".join(CHOICES)),
    ],
)  # fmt: skip
def test_what_each_release_does(version: tuple[int, int, int], wanted: str) -> None:
    release = release_of(version, {}, fair_sharing=False)
    assert {name for name in CHOICES if getattr(release, name)} == set(wanted.split())


@pytest.mark.parametrize(
    ("version", "nominal_first", "reclaims_nominal"),
    [
        ((0, 14, 8), False, False), ((0, 15, 4), False, False), ((0, 15, 5), True, False), ((0, 15, 6), True, True),
        ((0, 16, 1), False, False), ((0, 16, 2), True, False), ((0, 16, 9), True, True), ((0, 17, 0), True, True),
    ],
)  # fmt: skip
def test_older_minors_got_some_of_it_in_patches(
    version: tuple[int, int, int], nominal_first: bool, reclaims_nominal: bool
) -> None:
    release = release_of(version, {}, fair_sharing=True)
    assert (release.nominal_first, release.reclaims_nominal) == (nominal_first, reclaims_nominal)


def test_gates_decide() -> None:
    gates = {"FlavorFungibility": False, "TASProfileMixed": False, "SomethingElse": True}
    release = release_of((0, 17, 0), gates, fair_sharing=True)
    assert (release.fungible, release.mixed_profile, release.fair_sharing) == (False, False, True)


def queue(name: str = "team", **spec: Any) -> dict[str, Any]:
    """A queue of two flavors, and of memory that is in both."""
    flavors = [
        {"name": flavor, "resources": [{"name": "cpu", "nominalQuota": amount}]}
        for flavor, amount in (("first", "4"), ("second", "8"))
    ]
    return {"spec": {"resourceGroups": [{"coveredResources": ["cpu"], "flavors": flavors}], **spec}} | {"name": name}


def flavor(**spec: Any) -> dict[str, Any]:
    return {"spec": spec}


def work(name: str, cpu: str = "1", count: int = 1, priority: int = 0, **pod: Any) -> Any:
    """A job of so many pods."""
    template = {"spec": {"containers": [{"resources": {"requests": {"cpu": cpu}}}], **pod}}
    return ask_of(name, "team", [PodSet("main", count, template, ())], Counting(), priority=priority)


def scheduler(
    made: dict[str, Any], release: Release | None = None, nodes: tuple[NodeFacts, ...] = (), **more: Any
) -> Scheduler:
    """A scheduler over one queue."""
    flavors = {"first": flavor(), "second": flavor(), **more.pop("flavors", {})}
    return Scheduler(read_world(Documents({"team": made}, flavors, **more), nodes), release or Release())


def flavors_of(found: Scheduler) -> dict[str, str]:
    return {name: made.podsets[0].flavors["cpu"].flavor for name, made in found.admitted.items()}


def test_the_next_flavor_is_tried_when_one_is_full() -> None:
    found = scheduler(queue())
    for name in ("a", "b", "c"):
        found.submit(work(name, count=3))
    found.settle()
    assert flavors_of(found) == {"a": "first", "b": "second", "c": "second"}


def test_preempting_in_the_first_flavor_is_a_choice() -> None:
    """`whenCanPreempt: MayStopSearch` stays with the first flavor even where another is free."""
    within = {"withinClusterQueue": "LowerPriority"}
    for stop, flavor_of_high in (("TryNextFlavor", "second"), ("MayStopSearch", "first")):
        found = scheduler(queue(preemption=within, flavorFungibility={"whenCanPreempt": stop}))
        found.submit(work("low", count=4))
        found.settle()
        found.submit(work("high", count=4, priority=10))
        found.settle()
        assert flavors_of(found)["high"] == flavor_of_high
        assert flavors_of(found)["low"] == ("first" if flavor_of_high == "second" else "second")


def test_a_node_selector_counts_on_keys_of_the_group_or_of_the_flavor() -> None:
    """Up to 0.17.5 a key of another flavor of the group counts; later that flavor is asked only for its own keys."""
    flavors = {"first": flavor(nodeLabels={"zone": "a"}), "second": flavor(nodeLabels={"kind": "spot"})}
    for selects_by_flavor, taken in ((False, "second"), (True, "first")):
        found = scheduler(queue(), Release(selects_by_flavor=selects_by_flavor), flavors=flavors)
        found.submit(work("picky", nodeSelector={"kind": "spot"}))
        found.settle()
        assert flavors_of(found) == {"picky": taken}


def test_taints_of_a_flavor_are_tolerated_by_pods_or_by_the_flavor() -> None:
    taint = {"key": "gpu", "effect": "NoSchedule"}
    toleration = {"key": "gpu", "operator": "Exists"}
    flavors = {"first": flavor(nodeTaints=[taint]), "second": flavor(nodeTaints=[taint], tolerations=[toleration])}
    found = scheduler(queue(), flavors=flavors)
    found.submit(work("plain"))
    found.submit(work("tolerant", tolerations=[toleration]))
    found.settle()
    assert flavors_of(found) == {"plain": "second", "tolerant": "first"}


def test_resources_are_counted_as_configured() -> None:
    rows = (("example.com/slice", False, {"example.com/memory": "5"}),)
    counting = Counting(rows, ("internal.",))
    each = {"example.com/slice": Fraction(2), "internal.x": Fraction(1), "cpu": Fraction(1, 2)}
    assert counting.counted(each) == {"example.com/memory": 10, "cpu": 500}


def test_pods_of_a_group_that_are_alike_are_one_set() -> None:
    def pod(cpu: str) -> PodSet:
        return PodSet("main", 1, {"spec": {"containers": [{"resources": {"requests": {"cpu": cpu}}}]}}, ())

    ask = ask_of("group", "team", [pod("1"), pod("2"), pod("1")], Counting())
    assert [(p.name, p.count, p.counted) for p in ask.podsets] == [
        ("main", 2, {"cpu": 1000}),
        ("main-2", 1, {"cpu": 2000}),
    ]


def test_places_come_late_where_nodes_are_provisioned() -> None:
    """Quota is reserved, the place is chosen once the check is ready."""
    checks = {"provision": {"spec": {"controllerName": "kueue.x-k8s.io/provisioning-request"}}}
    topologies = {"fabric": {"spec": {"levels": [{"nodeLabel": HOSTNAME}]}}}
    placing = {name: flavor(nodeLabels={"f": name}, topologyName="fabric") for name in ("first", "second")}
    strategy = {"admissionChecks": [{"name": "provision", "onFlavors": ["first"]}]}
    found = scheduler(
        queue(admissionChecksStrategy=strategy), checks=checks, topologies=topologies, flavors=placing
    )  # fmt: skip
    found.submit(work("job", count=2))
    found.settle()
    (podset,) = found.admitted["job"].podsets
    assert (podset.is_late, podset.place) == (True, None)
    assert found.world.queues["team"].checks == (("provision", frozenset({"first"})),)


def test_nodes_that_lack_a_level_or_a_resource_take_nobody() -> None:
    topologies = {"fabric": {"spec": {"levels": [{"nodeLabel": "block"}, {"nodeLabel": HOSTNAME}]}}}
    placing = {
        name: flavor(nodeLabels={"f": label}, topologyName="fabric")
        for name, label in (("first", "x"), ("second", "y"))
    }
    nodes = (
        NodeFacts("lost", {"f": "x", HOSTNAME: "lost"}, {"cpu": 64000, "pods": 10}),
        NodeFacts("small", {"f": "x", "block": "b", HOSTNAME: "small"}, {"cpu": 2000, "pods": 10}),
        NodeFacts("bare", {"f": "x", "block": "b", HOSTNAME: "bare"}, {"pods": 10}),
    )
    found = scheduler(queue(), nodes=nodes, topologies=topologies, flavors=placing)
    found.submit(work("a-fits", count=2))
    found.submit(work("b-does-not", count=1))
    found.settle()
    (placed,) = found.world.held["a-fits"].places
    assert [found.world.nodes["first"].leaves[number].node.name for number, _ in placed.counts] == ["small"]
    assert "b-does-not" not in found.admitted
