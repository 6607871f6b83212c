"""What MultiKueue dispatches: quota on the manager first, then the clusters of the set, and back again."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from kueue_fleet import Document, Edit, batch, gang
from planting import Tree, only, outcomes, set_at

from stowplan.kueue.admission import Option, Preempted, Resize
from stowplan.views.explain_admission import explain_admission
from stowplan.views.plan_json import plan_document

ON_MANAGER = "hubs/kueue/kueue/clusterqueue-speech-north.yaml"


def accelerators(nominal: str, limit: str | None = "0") -> Any:
    """Sets the accelerators' quota of a rendered queue, by default without borrowing."""

    def change(made: Document) -> None:
        for row in made["spec"]["resourceGroups"][0]["flavors"][0]["resources"]:
            if row["name"] == "nvidia.com/gpu":
                row["nominalQuota"] = nominal
                if limit is not None:
                    row["borrowingLimit"] = limit

    return change


def running(cluster: str, intent: str, accelerators: int, *, domain: str = "b1") -> Edit:
    """One intent of ours that runs on a cluster."""

    def edit(made: dict[str, Document]) -> None:
        spec = made[f"InventorySnapshot/{cluster}"]["spec"]
        spec.setdefault("running", []).append(
            {"intent": intent, "flavor": "h200", "domain": [domain], "accelerators": accelerators}
        )
        for row in spec["topology"]["domains"]:
            if row["path"] == [domain]:
                row["freeNodes"] -= accelerators // 8
                row["freeAccelerators"] -= accelerators

    return edit


def pair(*, rendered: bool = True) -> Edit:
    """Two clusters that are alike, north and the dearer norther, and a manager that asks them in order.

    One after the other where its configuration is rendered, else three at once, as Kueue does by itself.
    """

    def edit(made: dict[str, Document]) -> None:
        made["Fleet/test"]["spec"]["hubs"]["kueue"]["dispatcher"] = "Incremental"
        made["Cluster/hub"]["spec"]["kueue"] = {"configuration": "rendered" if rendered else "external"}
        cluster, snapshot = (copy.deepcopy(made[f"{kind}/north"]) for kind in ("Cluster", "InventorySnapshot"))
        cluster["metadata"]["name"] = cluster["spec"]["failureDomain"] = "norther"
        snapshot["metadata"]["name"] = snapshot["spec"]["cluster"] = "norther"
        snapshot["spec"]["prices"] = [{"flavor": "h200", "perAcceleratorHour": 3.0}]
        made |= {"Cluster/norther": cluster, "InventorySnapshot/norther": snapshot}

    return edit


def queue_of(cluster: str) -> str:
    """The tenant's rendered queue on a worker."""
    return f"clusters/{cluster}/kueue/clusterqueue-speech.yaml"


def set_queue(tree: Tree) -> str:
    """The manager's queue of the set of two."""
    (path,) = (o.path for o in tree.objects if o.path.startswith("hubs/kueue/kueue/clusterqueue-speech-north-plus"))
    return path


def test_quota_on_the_manager_comes_first() -> None:
    found = outcomes(only(gang("one", 4)))["one"]
    assert (found.state, found.cluster, found.options) == ("admitted", "north", ())
    assert found.manager is not None
    assert (found.manager.cluster, found.manager.queue, found.manager.state) == ("hub", "speech-north", "reserved")
    assert found.manager.flavor == "h200"


def test_what_the_manager_has_no_quota_for_goes_nowhere() -> None:
    tree = only(gang("wide", 12))
    tree.change(ON_MANAGER, accelerators("64"))
    found = outcomes(tree)["wide"]
    assert found.manager is not None
    assert (found.state, found.manager.state) == ("never", "never")
    assert "96 nvidia.com/gpu is more than can ever be had, 64" in found.manager.why[0]
    ((_, message),) = [row for row in tree.findings() if row[0] == "SP2093"]
    assert message.startswith("`wide` can never be admitted to queue `speech-north` on the manager `hub`: ")


def test_who_holds_the_managers_quota_ends_first() -> None:
    """The worker has room for both."""
    short, long = {"expected": "2h"}, {"expected": "50h"}
    jobs = (gang("a-long", 6, duration=long, priority="high"), gang("b-short", 6, duration=short, priority="high"))
    tree = only(*jobs, gang("later", 6))
    tree.change(ON_MANAGER, accelerators("96"))
    found = outcomes(tree)["later"]
    assert (found.state, found.after) == ("waiting", ("b-short",))
    assert found.manager is not None
    assert "48 nvidia.com/gpu asked, 0 free now" in found.manager.why[0]
    ((_, message),) = [row for row in tree.findings() if row[0] == "SP2093"]
    assert "is placed on `north`, but waits in queue `speech-north` on the manager `hub`" in message
    assert message.endswith("admitted after b-short")
    lines = list(explain_admission(found))
    assert lines[0] == (
        "Kueue on the manager hub, queue speech-north: waits, and is sent nowhere; admitted after b-short"
    )


def test_what_runs_on_a_worker_holds_quota_on_the_manager() -> None:
    tree = only(gang("old", 12), gang("new", 4), edits=(running("north", "old", 96),))
    tree.change(ON_MANAGER, accelerators("96"))
    found = outcomes(tree)
    assert (found["old"].state, found["new"].state, found["new"].after) == ("running", "waiting", ("old",))


@pytest.mark.parametrize("policy", ["Hold", "HoldAndDrain"])
def test_a_stopped_queue_of_the_manager_keeps_back(policy: str) -> None:
    tree = only(gang("old", 4), gang("new", 4), edits=(running("north", "old", 32),))
    tree.change(ON_MANAGER, set_at("spec", "stopPolicy")(policy))
    found = outcomes(tree)
    assert found["new"].manager is not None
    assert (found["new"].state, found["new"].manager.why) == ("waiting", (f"the queue is stopped ({policy})",))
    assert found["old"].state == ("running" if policy == "Hold" else "waiting")


def test_a_stopped_local_queue_of_the_manager_keeps_back() -> None:
    tree = only(gang("new", 4))
    tree.change("hubs/kueue/kueue/localqueue-speech-north.yaml", set_at("spec", "stopPolicy")("Hold"))
    found = outcomes(tree)["new"]
    assert found.manager is not None
    assert (found.state, found.manager.why) == ("waiting", ("its local queue is stopped (Hold)",))


def test_the_manager_preempts_for_its_own_quota() -> None:
    """On the worker there is room for both: whoever runs there must leave all the same."""
    tree = only(
        gang("low", 12), gang("urgent", 4, priority="high", topology=None), edits=(running("north", "low", 96),)
    )
    tree.change(ON_MANAGER, accelerators("96"))
    found = outcomes(tree)
    low, urgent = found["low"].manager, found["urgent"].manager
    assert low is not None and urgent is not None
    assert (found["urgent"].state, urgent.preempts, found["urgent"].preempts) == ("admitted", ("low",), ())
    assert low.preempted == Preempted("urgent", "InClusterQueue")
    assert (found["low"].state, found["low"].after) == ("waiting", ("urgent",))
    ((_, message),) = [row for row in tree.findings() if row[0] == "SP2099"]
    assert message.startswith(
        "admitting `urgent` to queue `speech-north` on `hub` preempts running work: `low` (it goes first"
    )


def test_other_checks_of_the_manager_are_named() -> None:
    tree = only(gang("one", 4))
    checks = [{"name": "speech-north"}, {"name": "budget"}]
    tree.change(ON_MANAGER, set_at("spec", "admissionChecksStrategy", "admissionChecks")(checks))
    found = outcomes(tree)["one"]
    assert found.manager is not None
    assert (found.state, found.manager.checks) == ("reserved", ("budget",))


def test_the_first_cluster_in_order_takes_it() -> None:
    found = outcomes(only(gang("one", 4), edits=(pair(),), kueue="0.19.0"))["one"]
    assert (found.state, found.cluster) == ("admitted", "north")
    assert found.options == (Option("north", "takes"), Option("norther", "later"))


def test_the_next_one_takes_what_the_first_has_no_room_for() -> None:
    tree = only(gang("one", 4), edits=(pair(),), kueue="0.19.0")
    tree.change(queue_of("north"), accelerators("0"))
    found = outcomes(tree)["one"]
    assert (found.state, found.cluster) == ("admitted", "norther")
    first, second = found.options
    assert (first.cluster, first.state, second) == ("north", "never", Option("norther", "takes"))
    assert "32 nvidia.com/gpu is more than can ever be had, 0" in first.why[0]
    ((_, message),) = [row for row in tree.findings() if row[0] == "SP2093"]
    assert message.startswith("`one` is placed on `north`, but `norther` takes it: `north`: ")


def test_of_several_that_are_asked_at_once_any_may_be_the_first() -> None:
    found = outcomes(only(gang("one", 4), edits=(pair(rendered=False),), kueue="0.19.0"))["one"]
    assert found.options == (Option("north", "takes"), Option("norther", "could"))
    lines = list(explain_admission(found))
    assert lines[0].startswith("Kueue on the manager hub, queue speech-north-plus-1-")
    assert lines[0].endswith(": quota is reserved")
    assert lines[-2:] == [
        "    north: takes it", "    norther: has room just as soon, and may take it first",
    ]  # fmt: skip


def test_where_no_cluster_has_room_each_says_why_and_who_ends_first() -> None:
    jobs = (gang("a", 12, priority="high"), gang("b", 12, priority="high", duration={"expected": "5h"}))
    tree = only(*jobs, gang("c", 12), edits=(pair(),), kueue="0.19.0")
    for cluster in ("north", "norther"):
        tree.change(queue_of(cluster), accelerators("96"))
    found = outcomes(tree)
    assert {found["a"].cluster, found["b"].cluster} == {"north", "norther"}
    assert (found["c"].state, found["c"].after) == ("waiting", ("b",))
    assert {(option.cluster, option.state) for option in found["c"].options} == {
        ("north", "waiting"), ("norther", "waiting"),
    }  # fmt: skip


def preempting(kueue: str = "0.19.0", gates: dict[str, bool] | None = None) -> Tree:
    """Something urgent for north, where `old` runs, which norther has room for too."""

    def gated(made: dict[str, Document]) -> None:
        made["Cluster/hub"]["spec"]["kueue"]["featureGates"] = gates or {}

    urgent = gang("urgent", 12, priority="high", clusters=["north"])
    tree = only(gang("old", 12), urgent, edits=(pair(), running("north", "old", 96), gated), kueue=kueue)
    tree.change(ON_MANAGER, accelerators("400"))
    tree.change(queue_of("north"), accelerators("96"))
    return tree


def widen(tree: Tree) -> None:
    """Both clusters for what goes to north: what runs is rendered with a set of one."""
    tree.change("hubs/kueue/kueue/multikueueconfig-speech-north.yaml", set_at("spec", "clusters")(["north", "norther"]))
    tree.change("clusters/norther/kueue/localqueue-speech-speech.yaml", set_at("metadata", "name")("north"))


def test_what_a_worker_preempts_goes_back_to_the_manager() -> None:
    found = outcomes(preempting())
    assert (found["urgent"].cluster, found["urgent"].preempts) == ("north", ("old",))
    old = found["old"]
    assert old.preempted == Preempted("urgent", "InClusterQueue")
    assert old.manager is not None and old.manager.preempted is None
    assert (old.state, old.after, old.manager.state) == ("waiting", ("urgent",), "reserved")


def test_and_from_there_to_another_cluster_of_its_set() -> None:
    tree = preempting()
    widen(tree)
    old = outcomes(tree)["old"]
    assert (old.state, old.cluster, old.preempted) == ("admitted", "norther", Preempted("urgent", "InClusterQueue"))


@pytest.mark.parametrize(
    ("kueue", "gates"), [("0.15.0", {}), ("0.17.0", {"MultiKueueRedoAdmissionOnEvictionInWorker": False})]
)
def test_but_not_of_a_manager_that_takes_nothing_back(kueue: str, gates: dict[str, bool]) -> None:
    tree = preempting(kueue, gates)
    widen(tree)
    old = outcomes(tree)["old"]
    assert (old.state, old.cluster, old.preempted) == ("waiting", "north", Preempted("urgent", "InClusterQueue"))


def test_a_cluster_that_is_not_there_takes_nothing() -> None:
    tree = only(gang("old", 12), gang("new", 12), edits=(running("north", "old", 96),))
    tree.change(ON_MANAGER, accelerators("400"))
    tree.change(queue_of("north"), accelerators("96"))
    tree.change("hubs/kueue/kueue/multikueueconfig-speech-north.yaml", set_at("spec", "clusters")(["nowhere", "north"]))
    options = outcomes(tree)["new"].options
    assert [(option.cluster, option.state) for option in options] == [("nowhere", "never"), ("north", "waiting")]


def growing(pods: int, **more: Any) -> Tree:
    """An elastic batch of which four shards run on west, whose queue and that of the manager have room for eight."""
    shards = {"count": 32, "parallelism": pods, "accelerators": 1, "cpu": 8, "memory": "64Gi"}
    work = batch("work", shards=shards, options={"elastic": True}, accelerator={"models": ["L40S"]}, **more)
    other = batch("other", shards={**shards, "parallelism": 4}, accelerator={"models": ["L40S"]})
    other["spec"]["duration"] = {"expectedPerShard": "10m", "limitPerShard": "2h"}

    def west(made: dict[str, Document]) -> None:
        rows = [{"intent": name, "flavor": "l40s", "accelerators": 4} for name in ("work", "other")]
        made["InventorySnapshot/west"]["spec"]["running"] = rows
        made["Tenant/vision"]["spec"].pop("cohort")
        for name in ("west", "hub"):
            made[f"Cluster/{name}"]["spec"]["kueue"] = {"featureGates": {"ElasticJobsViaWorkloadSlices": True}}

    return only(work, other, edits=(west,))


ON_WEST = "hubs/kueue/kueue/clusterqueue-vision-west.yaml"


def test_growth_needs_quota_on_the_manager_and_on_the_worker() -> None:
    assert outcomes(growing(8))["work"].resize == Resize(4, 8, "admitted")
    for queue in (ON_WEST, "clusters/west/kueue/clusterqueue-vision.yaml"):
        tree = growing(8)
        tree.change(queue, accelerators("8", None))
        found = outcomes(tree)["work"].resize
        assert found is not None
        assert (found.state, found.after) == ("waiting", ("other",))
        assert "4 nvidia.com/gpu asked, 0 free now" in found.why[0]


def test_growth_may_preempt_on_the_manager() -> None:
    tree = growing(8, priority="high")
    tree.change(ON_WEST, accelerators("8", None))
    found = outcomes(tree)
    assert found["work"].manager is not None
    assert (found["work"].resize, found["work"].manager.preempts) == (Resize(4, 8, "admitted"), ("other",))
    assert (found["other"].state, found["other"].cluster) == ("waiting", "west")
    ((_, text),) = [row for row in tree.findings() if row[0] == "SP2099"]
    assert text.startswith("letting `work` grow in queue `vision-west` on `hub` preempts running work: `other` (")


def test_what_shrinks_gives_quota_back_on_both_sides() -> None:
    tree = growing(2)
    for queue in (ON_WEST, "clusters/west/kueue/clusterqueue-vision.yaml"):
        tree.change(queue, accelerators("8", None))
    found = outcomes(tree)
    assert (found["work"].resize, found["other"].state) == (Resize(4, 2, "shrinks"), "running")


def test_the_plan_tells_of_the_manager_and_the_set() -> None:
    tree = only(gang("one", 4), edits=(pair(),), kueue="0.19.0")
    tree.change(queue_of("north"), accelerators("0"))
    found = outcomes(tree)
    (row,) = plan_document(tree.fleet, tree.plan, {}, {}, found)["workloads"]
    told = row["admission"]
    assert told["manager"].items() >= {"cluster": "hub", "state": "reserved", "flavor": "h200"}.items()
    assert [(one["cluster"], one["state"]) for one in told["candidates"]] == [("north", "never"), ("norther", "takes")]
    assert told["candidates"][0]["why"] and "why" not in told["candidates"][1]
