"""Candidate sets: one cluster below Kueue 0.19, an order from it on; quota of each worker counted once."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
import yaml
from kueue_fleet import Document, batch, compile_documents, documents, objects, training

from stowplan.kueue.ledger import ledger_document, pool_ledger, set_ledger
from stowplan.passes.lower.kueue.dispatch import CandidateSet
from stowplan.passes.lower.kueue.shares import components_of, home_clusters


def ordered(made: dict[str, Document]) -> None:
    made["Fleet/test"]["spec"]["hubs"]["kueue"]["dispatcher"] = "Incremental"


def more_of_north(made: dict[str, Document]) -> None:
    """A second cluster like north, further away by price."""
    for kind in ("Cluster", "InventorySnapshot"):
        copy = {**made[f"{kind}/north"], "metadata": {"name": "norther"}}
        copy["spec"] = {**copy["spec"]}
        if kind == "Cluster":
            copy["spec"]["failureDomain"] = "norther"
        else:
            copy["spec"] |= {"cluster": "norther", "prices": [{"flavor": "h200", "perAcceleratorHour": 3.0}]}
        made[f"{kind}/norther"] = copy


def configs(made: dict[str, Document]) -> dict[str, list[str]]:
    return {o["metadata"]["name"]: o["spec"]["clusters"] for o in made.values() if o["kind"] == "MultiKueueConfig"}


def test_one_cluster_a_set_below_19() -> None:
    done = compile_documents(documents("0.17.0"), [ordered, more_of_north])
    assert configs(objects(done)) == {"speech-north": ["north"], "vision-north": ["north"]}
    assert [d.code for d in done.diagnostics] == ["SP2057"]


def test_an_order_from_19_on() -> None:
    done = compile_documents(documents("0.19.2"), [ordered, more_of_north])
    assert not done.diagnostics
    found = configs(objects(done))
    assert sorted(found.values()) == [["north", "norther"], ["north", "norther"]]
    for name in found:
        assert f"hubs/kueue/kueue/clusterqueue-{name}.yaml" in objects(done)
    queue = next(o for o in objects(done, "hubs/kueue/jobs/").values() if o["metadata"]["name"] == "gang-job")
    label = queue["metadata"]["labels"]["kueue.x-k8s.io/queue-name"]
    for cluster in ("north", "norther"):
        assert f"clusters/{cluster}/kueue/localqueue-speech-{label}.yaml" in objects(done)


@pytest.mark.parametrize("gate", ["RespectConfigOrder", "Config"])
def test_without_its_gates_an_order_means_nothing(gate: str) -> None:
    def off(made: dict[str, Document]) -> None:
        gates = {f"MultiKueueIncrementalDispatcher{gate}": False}
        made["Cluster/hub"]["spec"]["kueue"] = {"configuration": "rendered", "featureGates": gates}

    done = compile_documents(documents("0.19.2"), [ordered, more_of_north, off])
    assert all(len(clusters) == 1 for clusters in configs(objects(done)).values())
    (found,) = done.diagnostics
    assert found.code == "SP2057" and f"gate MultiKueueIncrementalDispatcher{gate} is off" in found.message


def test_all_at_once_is_a_race_and_keeps_one_cluster() -> None:
    done = compile_documents(documents("0.19.2"), [more_of_north])
    assert all(len(clusters) == 1 for clusters in configs(objects(done)).values())


def test_the_other_labels_its_levels_differently_and_stays_out() -> None:
    def relabel(made: dict[str, Document]) -> None:
        levels = [dict(level) for level in made["InventorySnapshot/norther"]["spec"]["topology"]["levels"]]
        levels[0]["label"] = "other.example.com/block"
        made["InventorySnapshot/norther"]["spec"]["topology"] = {
            **made["InventorySnapshot/norther"]["spec"]["topology"], "levels": levels,
        }  # fmt: skip

    done = compile_documents(documents("0.19.2"), [ordered, more_of_north, relabel])
    assert not done.diagnostics
    found = configs(objects(done))
    assert found["speech-north"] == ["north"]
    assert ["north", "norther"] in found.values(), "shards ask for no level"
    names = {o["metadata"]["name"] for o in objects(done, "hubs/kueue/kueue/resourceflavor").values()}
    assert len([name for name in names if name.startswith("h200-")]) == 2


def test_a_route_goes_through_a_set_of_one_under_its_own_queue() -> None:
    intent = batch("nightly-eval", route={"cluster": "west", "localQueue": "nightly"})
    made = documents() | {"BatchIntent/nightly-eval": intent}
    tree = objects(compile_documents(made))
    job = tree["hubs/kueue/jobs/job-vision-nightly-eval.yaml"]
    assert job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "nightly"
    assert job["spec"]["managedBy"] == "kueue.x-k8s.io/multikueue"
    assert tree["hubs/kueue/kueue/localqueue-vision-nightly.yaml"]["spec"]["clusterQueue"] == "vision-west"
    assert tree["clusters/west/kueue/localqueue-vision-nightly.yaml"]["spec"]["clusterQueue"] == "vision"
    assert configs(tree)["vision-west"] == ["west"]


def _set(name: str, *clusters: str) -> CandidateSet:
    return CandidateSet("speech", clusters, name, name, ("speech",))


def test_each_worker_is_counted_in_one_set() -> None:
    one, two, three = _set("one", "a"), _set("two", "a", "b"), _set("three", "b", "c")
    (component,) = components_of([one, two, three])
    assert component.clusters == ("a", "b", "c")
    homes = [home_clusters(component.sets, s) for s in (one, two, three)]
    assert homes == [{"a"}, set(), {"b", "c"}] or homes == [{"a"}, {"b"}, {"c"}]
    assert sorted(c for home in homes for c in home) == ["a", "b", "c"]


def test_sets_that_share_nothing_are_apart() -> None:
    assert [c.name for c in components_of([_set("x", "a"), _set("y", "b")])] == ["a", "b"]


def _quota(made: Document, resource: str) -> Fraction:
    rows = [r for g in made["spec"]["resourceGroups"] for f in g["flavors"] for r in f["resources"]]
    return sum((Fraction(str(r["nominalQuota"])) for r in rows if r["name"] == resource), Fraction(0))


def test_the_managers_quota_is_the_sum_of_its_workers() -> None:
    tree = objects(compile_documents(documents()))
    for tenant in ("speech", "vision"):
        mine = _quota(tree[f"hubs/kueue/kueue/clusterqueue-{tenant}-north.yaml"], "nvidia.com/gpu")
        assert mine == _quota(tree[f"clusters/north/kueue/clusterqueue-{tenant}.yaml"], "nvidia.com/gpu")


def test_absent_tenants_lend_through_the_managers_cohort() -> None:
    made = {k: v for k, v in documents().items() if not k.startswith("BatchIntent/")}
    tree = objects(compile_documents(made))
    assert "hubs/kueue/kueue/clusterqueue-vision-north.yaml" not in tree
    assert _quota(tree["hubs/kueue/kueue/cohort-research-north.yaml"], "nvidia.com/gpu") == 16


def test_ledger_adds_up() -> None:
    done = compile_documents(documents())
    assert done.fleet is not None and done.plan is not None
    pools = {(r.cluster, r.flavor): r for r in pool_ledger(done.fleet, done.plan)}
    north = pools["north", "h200"]
    assert (north.capacity, north.queues, north.promised, north.overcommitted) == (192, 176, 176, 0)
    assert north.jobs == 9 * 16 + 2 * 4
    sets = {r.name: r.nominal for r in set_ledger(done.fleet, done.plan)}
    assert sets == {"speech-north": 160, "vision-north": 16}
    document: dict[str, Any] = ledger_document(done.fleet, done.plan)["quota"]
    assert {row["set"] for row in document["candidateSets"]} == set(sets)
    assert document == json.loads((done.files or {})["plan.json"])["quota"]


def test_promises_beyond_the_nodes_show() -> None:
    def too_much(made: dict[str, Document]) -> None:
        made["Tenant/speech"]["spec"]["quota"][0]["nominal"] = 400

    done = compile_documents(documents(), [too_much])
    assert done.fleet is not None and done.plan is not None
    row = next(r for r in pool_ledger(done.fleet, done.plan) if r.cluster == "north")
    assert row.overcommitted == 400 + 16 - 192


def test_direct_work_goes_to_the_members_own_queue() -> None:
    made = documents(dispatch="direct") | {"TrainingIntent/gang-volcano": training("gang-volcano", "VolcanoJob")}
    tree = objects(compile_documents(made))
    job = tree["clusters/north/jobs/job-speech-gang-job.yaml"]
    assert job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "speech"
    assert "managedBy" not in job["spec"]
    assert not any(path.startswith("hubs/kueue") for path in tree)
    volcano = tree["clusters/north/jobs/job-speech-gang-volcano.yaml"]
    assert "kueue.x-k8s.io/queue-name" not in volcano["metadata"]["labels"]
    pod = volcano["spec"]["tasks"][0]["template"]["spec"]
    assert pod["nodeSelector"] == {"example.com/flavor": "h200"}
    assert volcano["spec"]["networkTopology"] == {"mode": "hard", "highestTierAllowed": 1}


def test_the_manager_is_no_worker_of_its_own() -> None:
    def manager_in_north(made: dict[str, Document]) -> None:
        made["Fleet/test"]["spec"]["hubs"]["kueue"]["cluster"] = "north"

    done = compile_documents(documents(), [manager_in_north])
    assert not done.diagnostics
    tree = objects(done)
    job = tree["clusters/north/jobs/job-speech-gang-job.yaml"]
    assert job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "speech"
    assert "managedBy" not in job["spec"]
    assert configs(tree) == {}


def test_a_hub_with_nodes_keeps_its_own_flavors_apart() -> None:
    def manager_in_north(made: dict[str, Document]) -> None:
        more_of_north(made)
        for key in made:
            if key.startswith(("TrainingIntent/", "BatchIntent/")):
                made[key]["spec"]["clusters"] = ["norther"]
        made["Fleet/test"]["spec"]["hubs"]["kueue"]["cluster"] = "north"

    done = compile_documents(documents(), [manager_in_north])
    assert not done.diagnostics
    tree = objects(done)
    assert "clusters/north/kueue/resourceflavor-h200.yaml" in tree
    (name,) = [o["metadata"]["name"] for o in objects(done, "hubs/kueue/kueue/resourceflavor").values()]
    assert name.startswith("h200-")
    flavors = tree["hubs/kueue/kueue/clusterqueue-speech-norther.yaml"]["spec"]["resourceGroups"][0]["flavors"]
    assert [row["name"] for row in flavors] == [name]


def test_every_worker_of_a_set_gets_the_gate_of_an_elastic_job() -> None:
    """Workers may be of an older release than the manager, whose releases have the gate on."""

    def elastic(made: dict[str, Document]) -> None:
        made["BatchIntent/shards"]["spec"]["options"] = {"elastic": True}
        for name in ("north", "norther", "south"):
            made[f"Cluster/{name}"]["spec"]["components"] |= {"kueue": "0.17.0"}
            made[f"Cluster/{name}"]["spec"]["kueue"] = {"configuration": "rendered"}

    done = compile_documents(documents("0.19.2"), [ordered, more_of_north, elastic])
    assert ["north", "norther"] in configs(objects(done)).values()
    gates = {}
    for name in ("north", "norther", "south"):
        path = f"clusters/{name}/component-kueue/configmap-kueue-system-kueue-manager-config.yaml"
        text = objects(done)[path]["data"]["controller_manager_config.yaml"]
        gates[name] = yaml.safe_load(text).get("featureGates", {})
    on = {"ElasticJobsViaWorkloadSlices": True}
    assert gates == {"north": on, "norther": on, "south": {}}


def test_pods_that_stand_alone_carry_their_number_under_a_label_of_ours() -> None:
    """Kueue reads its own index as the place in a group, and of a group of one takes 0 only."""
    shards = {"count": 2, "accelerators": 1, "cpu": 8, "memory": "64Gi"}
    made = documents() | {"BatchIntent/loose": batch("loose", "Pods", shards=shards)}
    pods = [o for o in objects(compile_documents(made)).values() if o["metadata"]["name"].startswith("loose-")]
    assert [pod["metadata"]["labels"]["stowplan.io/shard"] for pod in pods] == ["0", "1"]
    for pod in pods:
        assert not any(
            "pod-group" in key for part in ("labels", "annotations") for key in pod["metadata"].get(part, {})
        )
        (number,) = (one for one in pod["spec"]["containers"][0]["env"] if one["name"] == "STOWPLAN_SHARD")
        assert number["valueFrom"]["fieldRef"]["fieldPath"] == "metadata.labels['stowplan.io/shard']"


def test_a_gang_of_pods_ends_with_its_pods() -> None:
    """Kueue would wait for new ones, with quota and finalizers held, unless it is told."""
    tree = objects(compile_documents(documents()))
    pods = [o for o in tree.values() if o["kind"] == "Pod"]
    assert len(pods) == 2
    assert all(pod["metadata"]["annotations"]["kueue.x-k8s.io/retriable-in-group"] == "false" for pod in pods)
