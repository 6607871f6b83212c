"""Elastic work whose size in Git is not that which runs: what the compiler tells of its growth, and of what it gives back."""

from __future__ import annotations

from typing import Any

import pytest
from kueue_fleet import Document, Edit, batch, compile_documents, documents
from planting import Tree, outcomes, set_at

from stowplan.kueue.admission import Preempted, Resize
from stowplan.views.explain_admission import explain_admission
from stowplan.views.plan_json import plan_document

QUEUE = "clusters/west/kueue/clusterqueue-vision.yaml"
GATES = {"ElasticJobsViaWorkloadSlices": True}


def shards(name: str, pods: int, *, elastic: bool = True, **more: Any) -> Document:
    """So many shards at a time, with an accelerator each, of a memory that only `west` has."""
    size = {"count": 32, "parallelism": pods, "accelerators": 1, "cpu": 8, "memory": "64Gi"}
    made = batch(name, shards=size, **more)
    made["spec"]["accelerator"] = {"models": ["L40S"]}
    return made | {"spec": made["spec"] | ({"options": {"elastic": True}} if elastic else {})}


SHORT = shards("other", 4, elastic=False, duration={"expectedPerShard": "10m", "limitPerShard": "2h"})
"""Ends first."""


def west(nominal: int, gates: dict[str, bool] | None = None, **running: int) -> Edit:
    """The tenant's quota there, and accelerators of what runs."""

    def edit(made: dict[str, Document]) -> None:
        spec = made["InventorySnapshot/west"]["spec"]
        spec["running"] = [{"intent": name, "flavor": "l40s", "accelerators": n} for name, n in running.items()]
        made["Tenant/vision"]["spec"]["quota"][1]["nominal"] = nominal
        made["Tenant/vision"]["spec"].pop("cohort")
        for name in ("west", "hub"):
            made[f"Cluster/{name}"]["spec"].setdefault("kueue", {})["featureGates"] = GATES if gates is None else gates

    return edit


def tree(*mine: Document, edit: Edit, kueue: str = "0.17.0") -> Tree:
    """The fleet with these intents and no others, which start where they run."""
    made = {
        k: v
        for k, v in documents(kueue, dispatch="direct").items()
        if not k.startswith(("TrainingIntent/", "BatchIntent/"))
    }
    made |= {f"{d['kind']}/{d['metadata']['name']}": d for d in mine}
    done = compile_documents(made, (edit,))
    assert not done.failed(), done.diagnostics
    return Tree(done)


def resize_of(tree: Tree, name: str = "work") -> Resize:
    """The resize of one that runs on."""
    found = outcomes(tree)[name]
    assert (found.state, found.flavor, found.preempted) == ("running", "l40s", None)
    assert found.resize is not None
    return found.resize


def growth(tree: Tree) -> list[str]:
    """What is said of growth."""
    return [text for code, text in tree.findings() if code == "SP2093"]


def test_what_grows_within_the_quota_is_admitted() -> None:
    """Eight of eight: had the four that run not counted as its own, only four were left."""
    made = tree(shards("work", 8), edit=west(8, work=4))
    assert resize_of(made) == Resize(4, 8, "admitted")
    assert growth(made) == []


def test_what_shrinks_gives_back_and_others_get_it() -> None:
    made = tree(shards("work", 2), shards("other", 6), edit=west(8, work=8))
    assert resize_of(made) == Resize(8, 2, "shrinks")
    assert outcomes(made)["other"].state == "admitted"
    made = tree(shards("work", 8), shards("other", 6), edit=west(8, work=8))
    assert outcomes(made)["work"].resize is None
    assert outcomes(made)["other"].state == "waiting"


def test_what_finds_no_quota_runs_on_as_it_is() -> None:
    made = tree(shards("work", 8), SHORT, edit=west(8, work=4, other=4))
    found = resize_of(made)
    assert (found.state, found.pods_before, found.pods, found.after) == ("waiting", 4, 8, ("other",))
    (text,) = growth(made)
    assert text.startswith("`work` runs with 4 of 8 pods on `west`, and the others wait in queue `vision`: l40s: ")
    assert text.endswith("; admitted after other")


def test_what_is_more_than_can_ever_be_had_is_told_so() -> None:
    made = tree(shards("work", 12), edit=west(8, work=4))
    made.change(QUEUE, _accelerators("8"))
    assert resize_of(made).state == "never"
    (text,) = growth(made)
    assert "and the others can never be admitted to queue `vision`" in text


def _accelerators(nominal: str) -> Any:
    def change(made: Document) -> None:
        for row in made["spec"]["resourceGroups"][0]["flavors"][0]["resources"]:
            row["nominalQuota"] = nominal if row["name"] == "nvidia.com/gpu" else row["nominalQuota"]

    return change


def test_growth_may_preempt_and_the_compiler_warns() -> None:
    made = tree(shards("work", 8, priority="high"), SHORT, edit=west(8, work=4, other=4))
    found = outcomes(made)
    assert (found["work"].resize, found["work"].preempts) == (Resize(4, 8, "admitted"), ("other",))
    assert found["other"].preempted == Preempted("work", "InClusterQueue")
    ((_, text),) = [row for row in made.findings() if row[0] == "SP2099"]
    assert text.startswith("letting `work` grow in queue `vision` on `west` preempts running work: `other` (")


def test_whoever_leaves_while_it_would_grow_comes_back_in_its_new_size() -> None:
    made = tree(shards("work", 6), shards("urgent", 4, elastic=False, priority="high"), edit=west(8, work=5))
    found = outcomes(made)["work"]
    assert (found.state, found.resize, found.after) == ("waiting", None, ("urgent",))
    assert found.preempted == Preempted("urgent", "InClusterQueue")


def test_a_stopped_queue_lets_nobody_grow_but_shrink() -> None:
    for pods, state in ((8, "waiting"), (2, "shrinks")):
        made = tree(shards("work", pods), edit=west(8, work=4))
        made.change(QUEUE, set_at("spec", "stopPolicy")("Hold"))
        assert resize_of(made).state == state


@pytest.mark.parametrize("policy", ["Hold", "HoldAndDrain"])
def test_a_local_queue_that_is_stopped(policy: str) -> None:
    made = tree(shards("work", 8), edit=west(8, work=4))
    for path in [o.path for o in made.objects if o.kind == "LocalQueue" and "clusters/west/" in o.path]:
        made.change(path, set_at("spec", "stopPolicy")(policy))
    if policy == "Hold":
        assert resize_of(made).state == "waiting"
    else:
        assert (outcomes(made)["work"].state, outcomes(made)["work"].resize) == ("waiting", None)


def test_what_is_not_elastic_is_not_resized() -> None:
    assert outcomes(tree(shards("work", 8, elastic=False), edit=west(8, work=4)))["work"].resize is None


def test_the_plan_and_its_explanation_tell_of_it() -> None:
    made = tree(shards("work", 8), SHORT, edit=west(8, work=4, other=4))
    found = outcomes(made)
    document = plan_document(made.fleet, made.plan, {}, {}, found)
    told = {row["name"]: row["admission"] for row in document["workloads"] if "admission" in row}
    resize = told["work"]["resize"]
    assert (resize["podsRunning"], resize["pods"], resize["state"], resize["after"]) == (4, 8, "waiting", ["other"])
    lines = list(explain_admission(found["work"]))
    assert lines[:2] == [
        "Kueue, queue vision: runs",
        "    with 4 of 8 pods; the others wait; admitted after other",
    ]
    assert lines[2].startswith("        l40s: ")
    assert "resize" not in told["other"]
