"""Preemption as the compiler tells of it: who leaves for whom, on the fleet's own documents."""

from __future__ import annotations

from functools import partial
from typing import Any

from kueue_fleet import Document, Edit, gang
from planting import Tree, outcomes, set_at
from planting import only as only_at

from stowplan.views.explain_admission import explain_admission
from stowplan.views.plan_json import plan_document

only = partial(only_at, kueue="0.17.2")
SPEECH, VISION = "clusters/north/kueue/clusterqueue-speech.yaml", "clusters/north/kueue/clusterqueue-vision.yaml"


def running(*rows: tuple[str, str, int], used: int) -> Edit:
    """What runs in north's block b1 (intent, domain, accelerators), of which so many nodes are used in both blocks each."""

    def edit(made: dict[str, Document]) -> None:
        spec = made["InventorySnapshot/north"]["spec"]
        spec["running"] = [
            {"intent": intent, "flavor": "h200", "domain": [domain], "accelerators": n} for intent, domain, n in rows
        ]
        for domain in spec["topology"]["domains"]:
            mine = sum(n for _, name, n in rows if name == domain["path"][0])
            domain.update(freeNodes=12 - mine // 8 - used, freeAccelerators=96 - mine - 8 * used)

    return edit


def settings(**more: Any) -> Edit:
    """Settings of north's Kueue."""

    def edit(made: dict[str, Document]) -> None:
        made["Cluster/north"]["spec"].setdefault("kueue", {}).update(more)

    return edit


def quota(**by_tenant: int) -> Edit:
    """Tenants' h200 quotas."""

    def edit(made: dict[str, Document]) -> None:
        for tenant, nominal in by_tenant.items():
            made[f"Tenant/{tenant}"]["spec"]["quota"][0]["nominal"] = nominal

    return edit


def cell(**fields: str) -> Any:
    """Sets fields of the accelerators' quota in a rendered queue."""

    def change(made: Document) -> None:
        for row in made["spec"]["resourceGroups"][0]["flavors"][0]["resources"]:
            if row["name"] == "nvidia.com/gpu":
                row.update(fields)

    return change


def test_the_higher_priority_makes_the_lower_leave_and_it_comes_back_after() -> None:
    tree = only(
        gang("low", 12, duration={"expected": "9h"}),
        gang("urgent", 8, priority="high", duration={"expected": "3h"}),
        edits=(running(("low", "b1", 96), used=0), quota(speech=160, vision=0)),
    )
    tree.change(SPEECH, cell(nominalQuota="96"))
    found = outcomes(tree)
    urgent, low = found["urgent"], found["low"]
    assert (urgent.state, urgent.preempts, urgent.domain) == ("admitted", ("low",), ("b1",))
    assert low.preempted is not None and (low.preempted.by, low.preempted.reason) == ("urgent", "InClusterQueue")
    assert (low.state, low.after) == ("waiting", ("urgent",))
    ((_, message),) = [row for row in tree.findings() if row[0] == "SP2099"]
    assert "admitting `urgent` to queue `speech` on `north` preempts running work: `low` (it goes first" in message


def test_preemption_takes_as_few_as_it_can_and_the_youngest_priority_last() -> None:
    rows = (("small", "b1", 32), ("large", "b2", 64))
    tree = only(
        gang("small", 4), gang("large", 8), gang("urgent", 4, priority="high"),
        edits=(running(*rows, used=0), quota(speech=160, vision=0)),
    )  # fmt: skip
    tree.change(SPEECH, cell(nominalQuota="96"))
    found = outcomes(tree)
    assert len(found["urgent"].preempts) == 1
    assert found["urgent"].preempts[0] in ("small", "large")


def test_a_queue_that_preempts_nobody_waits() -> None:
    tree = only(
        gang("low", 12), gang("urgent", 8, priority="high"),
        edits=(running(("low", "b1", 96), used=0), quota(speech=160, vision=0)),
    )  # fmt: skip
    tree.change(SPEECH, cell(nominalQuota="96"))
    tree.change(SPEECH, set_at("spec", "preemption", "withinClusterQueue")("Never"))
    found = outcomes(tree)
    assert (found["low"].state, found["low"].preempted) == ("running", None)
    assert (found["urgent"].state, found["urgent"].preempts, found["urgent"].after) == ("waiting", (), ("low",))


def borrowed(*, fair: bool) -> Tree:
    """Speech runs on quota of vision, who wants it back; twice the work of vision is new."""
    vision = gang("owner", 8) | {}
    vision["spec"]["tenant"] = "vision"
    edits = (running(("guest", "b1", 64), used=0), quota(speech=96, vision=64), settings(fairSharing=fair))
    tree = only(gang("guest", 8), vision, edits=edits)
    tree.change(SPEECH, cell(nominalQuota="0"))
    tree.change(VISION, cell(nominalQuota="64"))
    return tree


def test_what_was_lent_is_taken_back() -> None:
    for fair in (False, True):
        found = outcomes(borrowed(fair=fair))
        assert found["owner"].preempts == ("guest",), fair
        assert found["guest"].preempted is not None
        assert found["guest"].preempted.reason == "InCohortReclamation"


def test_work_that_is_not_ours_is_not_preempted() -> None:
    def used(made: dict[str, Document]) -> None:
        row = {"queue": "speech", "flavor": "h200", "accelerators": 96}
        made["InventorySnapshot/north"]["spec"]["kueue"] = {"usage": [row]}

    tree = only(gang("urgent", 8, priority="high"), edits=(used, quota(speech=160, vision=0)))
    tree.change(SPEECH, cell(nominalQuota="96"))
    found = outcomes(tree)["urgent"]
    assert (found.state, found.preempts, found.after) == ("waiting", (), ())


def test_room_in_a_block_is_made_by_preemption_too() -> None:
    """Quota is there, but no block has eight whole nodes."""
    rows = (("one", "b1", 48), ("two", "b2", 48))
    tree = only(
        gang("one", 6), gang("two", 6), gang("urgent", 8, priority="high"),
        edits=(running(*rows, used=0), quota(speech=192, vision=0)),
    )  # fmt: skip
    found = outcomes(tree)
    assert found["urgent"].state == "admitted"
    assert len(found["urgent"].preempts) == 1
    assert found["urgent"].domain == ({"one": ("b1",), "two": ("b2",)}[found["urgent"].preempts[0]])


def test_nodes_of_strangers_are_not_made_free() -> None:
    tree = only(gang("urgent", 8, priority="high"), edits=(running(used=6), quota(speech=192, vision=0)))
    found = outcomes(tree)["urgent"]
    assert (found.state, found.preempts, found.after) == ("waiting", (), ())
    assert "even with all other work preempted, no domain" in found.why[-1]


def test_a_stopped_queue_takes_nothing_and_a_drained_one_lets_go() -> None:
    edits = (running(("old", "b1", 64), used=0), quota(speech=160, vision=0))
    for stop, state in (("Hold", "running"), ("HoldAndDrain", "waiting")):
        tree = only(gang("old", 8), gang("new", 2), edits=edits)
        tree.change(SPEECH, set_at("spec", "stopPolicy")(stop))
        found = outcomes(tree)
        assert (found["old"].state, found["new"].state) == (state, "waiting")
        assert stop in found["new"].why[0]


def test_the_plan_and_its_explanation_tell_of_it() -> None:
    tree = only(
        gang("low", 12, duration={"expected": "9h"}),
        gang("urgent", 8, priority="high", duration={"expected": "3h"}),
        edits=(running(("low", "b1", 96), used=0), quota(speech=160, vision=0)),
    )
    tree.change(SPEECH, cell(nominalQuota="96"))
    found = outcomes(tree)
    document = plan_document(tree.fleet, tree.plan, {}, {}, found)
    told = {row["name"]: row["admission"] for row in document["workloads"] if "admission" in row}
    assert told["urgent"]["preempts"] == ["low"]
    assert told["low"]["preempted"] == {"by": "urgent", "reason": "InClusterQueue"}
    assert told["low"]["after"] == ["urgent"]
    assert list(explain_admission(found["urgent"])) == [
        "Kueue on the manager hub, queue speech-north: quota is reserved",
        "Kueue, queue speech: admitted now on h200 in domain b1, by preempting low",
    ]
    _, first, second, *_ = explain_admission(found["low"])
    assert (first, second) == (
        "Kueue, queue speech: waits; admitted after urgent",
        "    preempted by urgent: it goes first in the queue",
    )
