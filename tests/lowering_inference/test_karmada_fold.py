"""Templates and overrides together give each member exactly what it is to have."""

from __future__ import annotations

import json
import lzma
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inference_fleet import compiled, findings, objects, sound, value
from karmada_apply import SUPPORTED, Unappliable, overridden

from stowplan.driver import Compilation
from stowplan.passes.lower.karmada.differences import differing, overriders

HUB = "hubs/karmada/inference"
DATA = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["", "a", "/", "~1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c/d", "e~f"]), inner),
    max_leaves=8,
)
TEXTS = st.dictionaries(st.sampled_from(["x", "y/z"]), st.sampled_from(["1", "2"]), max_size=2)
OBJECTS = st.builds(
    lambda spec, labels, annotations: {
        "metadata": {"name": "one", **({"labels": labels} if labels else {}), "annotations": annotations},
        "spec": spec,
    },
    st.dictionaries(st.sampled_from(["a", "b"]), DATA, max_size=2),
    TEXTS,
    TEXTS,
)


@settings(max_examples=300, deadline=None)
@given(st.lists(OBJECTS, min_size=2, max_size=4))
def test_overrides_turn_the_first_into_each(members: list[dict[str, Any]]) -> None:
    paths = list(differing(members))
    for mine in members:
        made, about = overriders(members[0], mine, paths)
        rule = {"targetCluster": {"clusterNames": ["here"]}, "overriders": made}
        found = overridden(members[0], [{"spec": {"overrideRules": [rule]}}], "here")
        assert _without_empty_maps(found) == _without_empty_maps(mine)
        assert set(map(tuple, about.values())) <= {p[:2] if p[0] == "metadata" else p for p in paths}


def _without_empty_maps(made: dict[str, Any]) -> dict[str, Any]:
    metadata = {name: found for name, found in made["metadata"].items() if found}
    return {**made, "metadata": metadata}


def _in_member(done: Compilation, cluster: str) -> dict[str, dict[str, Any]]:
    there = objects(done, HUB)
    policies = [o.object for o in there.values() if o.kind == "OverridePolicy"]
    made = {}
    for name, template in there.items():
        if template.api_version.startswith("policy.karmada.io"):
            continue
        mine = [p for p in policies if _selects(p, template.kind, template.name)]
        made[name] = overridden(template.object, mine, cluster)
    return made


def _selects(policy: dict[str, Any], kind: str, name: str) -> bool:
    return any(s["kind"] == kind and s["name"] == name for s in policy["spec"]["resourceSelectors"])


@pytest.mark.parametrize(
    "edits",
    [
        (),
        (("fleet/asr.yaml", "by: hpa", "by: none"),),
        (
            ("fleet/asr.yaml", "  prewarm: true\n", ""),
            ("fleet/north.yaml", "storage:", "identity: role-north\n  storage:"),
        ),
        (("fleet/fleet.yaml", "oci://registry.south.example.com/models/asr", "pvc://models/asr/3"),),
        (("fleet/inventory-north.yaml", "memory: 46068Mi}", "memory: 46068Mi, dra: {deviceClass: gpu.nvidia.com}}"),),
    ],
    ids=["autoscaled", "fixed", "identity-on-one", "other-kinds-of-volume", "devices-claimed-on-one"],
)
@pytest.mark.parametrize("cluster", ["north", "south"])
def test_a_member_gets_what_it_would_get_directly(cluster: str, edits: tuple[tuple[str, str, str], ...]) -> None:
    direct = objects(sound(*edits), f"clusters/{cluster}/inference")
    carried = _in_member(sound(*edits, dispatch="karmada"), cluster)
    by_gitops = {name for name in direct if name.startswith(("InferencePool/", "ResourceClaimTemplate/"))}
    assert sorted(carried) == sorted(set(direct) - by_gitops)
    for name, made in carried.items():
        made["metadata"]["labels"].pop("resourcetemplate.karmada.io/retain-replicas", None)
        assert _without_empty_maps(made) == direct[name].object, name


def test_replicas_are_kept_where_the_members_scale() -> None:
    label = "resourcetemplate.karmada.io/retain-replicas"
    scaled = value(sound(dispatch="karmada"), HUB, "Deployment/asr")
    assert scaled["metadata"]["labels"][label] == "true"
    assert "replicas" not in scaled["spec"]
    fixed = value(sound(("fleet/asr.yaml", "by: hpa", "by: none"), dispatch="karmada"), HUB, "Deployment/asr")
    assert label not in fixed["metadata"]["labels"]
    assert fixed["spec"]["replicas"] == 3


def test_one_policy_claims_each_template_by_name() -> None:
    there = objects(sound(dispatch="karmada"), HUB)
    policy = there["PropagationPolicy/asr"].object["spec"]
    claimed = [(s["kind"], s["name"]) for s in policy["resourceSelectors"]]
    templates = [(o.kind, o.name) for o in there.values() if not o.api_version.startswith("policy.karmada.io")]
    assert sorted(claimed) == sorted(templates)
    assert policy["placement"] == {
        "clusterAffinity": {"clusterNames": ["north", "south"]},
        "replicaScheduling": {"replicaSchedulingType": "Duplicated"},
    }
    assert policy["dependentOverrides"] == sorted(o.name for o in there.values() if o.kind == "OverridePolicy")


def test_least_replicas_by_member() -> None:
    rules = value(sound(dispatch="karmada"), HUB, "OverridePolicy/horizontalpodautoscaler-asr")["spec"]["overrideRules"]
    found = {r["targetCluster"]["clusterNames"][0]: r["overriders"]["plaintext"] for r in rules}
    assert found == {
        "north": [{"path": "/spec/minReplicas", "operator": "replace", "value": 3}],
        "south": [{"path": "/spec/minReplicas", "operator": "replace", "value": 2}],
    }


def test_the_pool_goes_by_gitops_unless_karmada_knows_pools() -> None:
    done = sound(dispatch="karmada")
    assert "InferencePool/asr" not in objects(done, HUB)
    assert list(objects(done, "clusters/north/inference")) == ["InferencePool/asr"]
    edit = ("fleet/fleet.yaml", "apis: [policy", "apis: [inference.networking.k8s.io/v1, policy")
    done = sound(edit, dispatch="karmada")
    assert "InferencePool/asr" in objects(done, HUB)
    assert objects(done, "clusters/north/inference") == {}


FAILOVER = """apiVersion: stowplan.io/v1alpha1
kind: FailoverPolicy
metadata:
  name: usual
spec: {toleration: 2m, purge: PURGE}
"""


@pytest.mark.parametrize(
    ("purge", "seconds", "failover"),
    [("Gracefully", 120, {"cluster": {"purgeMode": "Gracefully"}}), ("Never", None, None)],
)
def test_failover(purge: str, seconds: int | None, failover: dict[str, Any] | None) -> None:
    more = {"policies/failover.yaml": FAILOVER.replace("PURGE", purge)}
    spec = value(sound(dispatch="karmada", more=more), HUB, "PropagationPolicy/asr")["spec"]
    silent = spec["placement"]["clusterTolerations"]
    assert [t["key"] for t in silent] == ["cluster.karmada.io/not-ready", "cluster.karmada.io/unreachable"]
    assert {t.get("tolerationSeconds") for t in silent} == {seconds}
    assert spec.get("failover") == failover


def test_karmada_must_know_the_kinds_it_carries() -> None:
    edit = ("fleet/asr.yaml", "accelerators: 2,", "accelerators: 4, nodes: 2,")
    done = compiled(edit, ("fleet/asr.yaml", "by: hpa", "by: none"), dispatch="karmada")
    assert findings(done) == [("SP0728", "fleet/asr.yaml", 9)]


CORPUS = os.environ.get("STOWPLAN_CORPUS")


@pytest.mark.skipif(CORPUS is None, reason="STOWPLAN_CORPUS names no folder with recorded outcomes")
def test_the_emulation_agrees_with_recorded_outcomes() -> None:
    """The order of policies is Karmada's own; rows with one policy of the kinds that we render are comparable."""
    compared = 0
    with lzma.open(Path(str(CORPUS)) / "karmada-override.jsonl.xz", "rt") as lines:
        for line in list(lines)[1:]:
            row = json.loads(line)
            policies = row["in"].get("overridePolicies") or []
            if not _comparable(row, policies):
                continue
            compared += 1
            try:
                found: Any = overridden(row["in"]["object"], policies, row["in"]["cluster"]["metadata"]["name"])
            except (Unappliable, IndexError, ValueError):
                found = None
            assert found == row["out"].get("object"), row["id"]
    assert compared > 100


def _comparable(row: dict[str, Any], policies: list[dict[str, Any]]) -> bool:
    applied = (row["out"].get("applied") or {}).get("namespaced")
    if row["in"].get("clusterOverridePolicies") or len(policies) != 1 or not (applied or "error" in row["out"]):
        return False
    rules = policies[0]["spec"].get("overrideRules")
    if not rules:
        return False
    operators = {o["operator"] for rule in rules for o in (rule.get("overriders") or {}).get("plaintext") or ()}
    if not operators <= {"add", "remove", "replace"}:
        return False
    targets = [rule.get("targetCluster") or {"clusterNames": []} for rule in rules]
    return all(set(rule.get("overriders") or {"none": 0}) <= SUPPORTED for rule in rules) and all(
        set(target) <= {"clusterNames"} for target in targets
    )
