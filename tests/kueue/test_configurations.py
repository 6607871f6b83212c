"""Rendered configurations hold only what the release of their cluster knows: fields, gates, and integrations."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from kueue_fleet import Document, compile_documents, documents, objects

from stowplan.kueue.releases import gates_of, integrations_of

FACTS: dict[str, Any] = json.loads((Path(__file__).parent / "configuration_fields.json").read_text(encoding="utf-8"))
RELEASES = tuple(name for name in FACTS if name != "about")
CLASSES = {"resource": "example.com/h200", "classes": ["gpu.nvidia.com"]}

EVERYTHING: Document = {
    "configuration": "rendered",
    "frameworks": ["deployment", "statefulset"],
    "featureGates": {"LocalQueueMetrics": True},
    "origin": "stowplan-test",
    "fairSharing": True,
    "credentialsProviders": [
        {
            "name": "tokens",
            "command": "/plugins/tokens",
            "args": ["--fleet"],
            "env": {"MODE": "worker"},
            "provideClusterInfo": True,
        }
    ],
    "deviceClasses": [CLASSES],
    "transformations": [{"input": "example.com/a", "strategy": "Replace", "outputs": {"example.com/b": "500m"}}],
    "excludePrefixes": ["rdma/"],
    "podsReady": {"timeout": "1h30m", "recoveryTimeout": "15m", "blockAdmission": True},
}
"""Every part of `kueue` in a Cluster that becomes part of the configuration."""


def configurations(release: str, dispatcher: str = "AllAtOnce", **settings: Any) -> dict[str, Document]:
    """The documents of hub and member, at a release."""
    made = documents(f"{release}.0", "v1beta1" if release < "0.15" else "v1beta2")
    made["Fleet/test"]["spec"]["hubs"]["kueue"]["dispatcher"] = dispatcher
    for name in ("hub", "north"):
        made[f"Cluster/{name}"]["spec"]["kueue"] = {**EVERYTHING, **settings}
    made["Cluster/north"]["spec"]["clusterProfile"] = "north"
    made["InventorySnapshot/north"]["spec"]["nodeGroups"][0]["accelerator"]["dra"] = {"deviceClass": "gpu.nvidia.com"}
    tree = objects(compile_documents(made))
    return {
        path.split("/")[0]: yaml.safe_load(o["data"]["controller_manager_config.yaml"])
        for path, o in tree.items() if path.endswith("component-kueue/configmap-kueue-system-kueue-manager-config.yaml")
    }  # fmt: skip


def unknown(document: Any, known: Any, path: str = "") -> Iterator[str]:
    """Paths of the document that the release does not have."""
    if isinstance(known, list):
        for index, item in enumerate(document):
            yield from unknown(item, known[0], f"{path}[{index}]")
    elif isinstance(known, dict):
        for key, value in document.items():
            if key in known:
                yield from unknown(value, known[key], f"{path}.{key}")
            else:
                yield f"{path}.{key}"


@pytest.mark.parametrize("dispatcher", ["AllAtOnce", "Incremental"])
@pytest.mark.parametrize("release", RELEASES)
def test_only_what_the_release_knows_is_rendered(release: str, dispatcher: str) -> None:
    made = configurations(release, dispatcher)
    assert made.keys() == {"hubs", "clusters"}
    minor = int(release.split(".")[1])
    for document in made.values():
        assert document["apiVersion"] == FACTS[release]["api"]
        assert list(unknown(document, FACTS[release]["fields"])) == []
        assert set(document["integrations"]["frameworks"]) <= set(integrations_of(minor))
        for gate, is_on in document.get("featureGates", {}).items():
            default, is_fixed = gates_of(minor)[gate]
            assert not is_fixed or default == is_on, gate
    assert "multiKueue" in made["hubs"] and "multiKueue" not in made["clusters"]


def test_providers_of_credentials_by_release() -> None:
    """Their list has another name from 0.19 on; before 0.15 there is none."""
    command = {
        "apiVersion": "client.authentication.k8s.io/v1", "command": "/plugins/tokens", "interactiveMode": "Never",
        "args": ["--fleet"], "env": [{"name": "MODE", "value": "worker"}], "provideClusterInfo": True,
    }  # fmt: skip
    found = {release: configurations(release)["hubs"]["multiKueue"].get("clusterProfile") for release in RELEASES}
    rows = [{"name": "tokens", "execConfig": command}]
    assert found == {
        "0.14": None, **{r: {"credentialsProviders": rows} for r in RELEASES[1:-1]},
        "0.19": {"accessProviders": rows},
    }  # fmt: skip


def test_a_profile_that_nobody_has_credentials_for() -> None:
    made = documents("0.17.0")
    made["Cluster/hub"]["spec"]["kueue"] = {"configuration": "rendered"}
    made["Cluster/north"]["spec"]["clusterProfile"] = "north"
    found = [d.message for d in compile_documents(made).diagnostics if d.code == "SP2058"]
    assert len(found) == 1
    assert "has no provider of credentials" in found[0]
    provider = {"name": "tokens", "command": "/plugins/tokens"}
    made["Cluster/hub"]["spec"]["kueue"]["credentialsProviders"] = [provider]
    assert not [d for d in compile_documents(made).diagnostics if d.code == "SP2058"]


def test_the_check_finds_a_field_of_another_release() -> None:
    """The test of the test."""
    (document, *_) = configurations("0.17").values()
    document["resources"]["quotaCheckStrategy"] = "IgnoreUndeclared"
    document["resources"]["deviceClassMappings"][0]["sources"] = []
    assert sorted(unknown(document, FACTS["0.17"]["fields"])) == [
        ".resources.deviceClassMappings[0].sources", ".resources.quotaCheckStrategy",
    ]  # fmt: skip
    assert list(unknown(document, FACTS["0.19"]["fields"])) == []


def test_the_gate_for_claims_by_release() -> None:
    gates = {release: configurations(release)["clusters"].get("featureGates", {}) for release in RELEASES}
    assert {r: g.get("DynamicResourceAllocation") for r, g in gates.items()} == {
        "0.14": True, "0.15": True, "0.16": True, "0.17": True, "0.18": None, "0.19": None,
    }  # fmt: skip


def test_clusters_are_asked_one_after_the_other_where_they_have_an_order() -> None:
    """Kueue's own step is three: the first three of a set would race."""
    step = {"incrementalDispatcherConfig": {"stepSize": 1}}
    for release in RELEASES:
        made = configurations(release, "Incremental")["hubs"]["multiKueue"]
        assert made.items() >= step.items() if release >= "0.19" else not made.keys() & step.keys()
    assert not configurations("0.19", "AllAtOnce")["hubs"]["multiKueue"].keys() & step.keys()


def test_a_manager_does_not_wait_for_pods_that_run_elsewhere() -> None:
    """From 0.19 on it would by default, and evict what reports no pods: the gate says so unless the cluster asks for the wait."""
    gate = {"DisableWaitForPodsReady": True}
    for release in RELEASES:
        made = configurations(release, podsReady=None)
        assert (made["hubs"].get("featureGates", {}).items() >= gate.items()) is (release >= "0.19")
        assert not made["clusters"].get("featureGates", {}).keys() & gate.keys()
        assert not configurations(release)["hubs"].get("featureGates", {}).keys() & gate.keys()


def findings(kueue: str, **settings: Any) -> list[str]:
    made = documents(kueue)
    made["Cluster/north"]["spec"]["kueue"] = settings
    return [d.message for d in compile_documents(made).diagnostics if d.code == "SP2096"]


STATED: dict[str, tuple[str, Document, str | None]] = {
    "no such gate": ("0.17.0", {"featureGates": {"TopologyAwareSchedulin": True}}, "knows no gate `TopologyAwareSchedulin`"),
    "a gate to come": ("0.17.0", {"featureGates": {"KueueDRAIntegration": True}}, "knows no gate `KueueDRAIntegration`"),
    "a gate that is gone": ("0.19.0", {"featureGates": {"DynamicResourceAllocation": True}}, "knows no gate"),
    "a gate of a later patch": ("0.19.0", {"featureGates": {"LWSImmutableGroupSize": False}}, "Kueue 0.19.0 on `north` knows no"),
    "a gate of this patch": ("0.19.1", {"featureGates": {"LWSImmutableGroupSize": False}}, None),
    "a gate of some patch": ("0.19", {"featureGates": {"LWSImmutableGroupSize": False}}, None),
    "a gate that is fixed": ("0.18.0", {"featureGates": {"DynamicResourceAllocation": True}}, "is fixed to off in Kueue 0.18"),
    "no such integration": ("0.17.0", {"frameworks": ["batch/jobs"]}, "has no integration `batch/jobs`"),
    "an integration to come": ("0.16.0", {"frameworks": ["ray.io/rayservice"]}, "has no integration `ray.io/rayservice`"),
    "known": ("0.17.0", {"featureGates": {"DynamicResourceAllocation": True, "AllAlpha": False}, "frameworks": ["pod"]}, None),
    "fixed, and stated so": ("0.18.0", {"featureGates": {"LendingLimit": True}}, None),
    "a release that nobody knows": ("0.31.0", {"featureGates": {"WhateverItIs": True}}, None),
}  # fmt: skip


@pytest.mark.parametrize("case", STATED)
def test_what_is_stated_is_of_the_release(case: str) -> None:
    kueue, settings, words = STATED[case]
    found = findings(kueue, **settings)
    assert (found == []) if words is None else (len(found) == 1 and words in found[0]), found
