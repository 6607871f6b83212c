"""The tables of docs/kueue.md: every row has tests that plant it, or one that shows why it cannot happen."""

from __future__ import annotations

import ast
import os
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from kueue_fleet import Document, Edit, compile_documents, documents, objects
from test_changes import CASES
from test_inputs import FAULTS, both, put
from test_rules import PLANTED

from stowplan.kueue.podsets import pod_requests, podsets_of
from stowplan.passes.lower.kueue.frameworks import FRAMEWORKS
from stowplan.rules.model import Stage
from stowplan.rules.registry import REGISTRY

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "kueue.md"
HEADINGS = {"rules": "## What is checked", "faults": "## Faults that users reported, and what finds them"}
CHECKS: dict[str, list[dict[str, Any]]] = yaml.safe_load((Path(__file__).parent / "checks.yaml").read_text())
ROWS = [(part, row) for part, rows in CHECKS.items() for row in rows]
CODE = re.compile(r"SP\d{4}")


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as the page has them."""
    lines = [f"| {row['what']} | {'; '.join([*_codes(row), *_reason(row)])} |" for row in rows]
    return "\n".join(["| fault | found by |", "|---|---|", *lines]) + "\n"


def _codes(row: dict[str, Any]) -> list[str]:
    return [", ".join(row["found"])] if row.get("found") else []


def _reason(row: dict[str, Any]) -> list[str]:
    return [row["cannot"]] if row.get("cannot") else []


@pytest.mark.parametrize("part", HEADINGS)
def test_the_page_has_the_table(part: str) -> None:
    """With STOWPLAN_UPDATE_DOCS=1 the table is written instead."""
    text = PAGE.read_text()
    start = text.index(f"{HEADINGS[part]}\n")
    begin, end = text.index("| fault |", start), text.index("\n\n", text.index("| fault |", start)) + 1
    wanted = table(CHECKS[part])
    if os.environ.get("STOWPLAN_UPDATE_DOCS"):
        PAGE.write_text(text[:begin] + wanted + text[end:])
        text = PAGE.read_text()
    assert wanted in text, "docs/kueue.md is stale: run `STOWPLAN_UPDATE_DOCS=1 pytest tests/kueue/test_checks.py`"


def test_every_row_is_there() -> None:
    """The numbering of the note that the rules were planned from; its gaps are gaps there too."""
    numbers = [1, 2, 3, *range(10, 19), 20, 21, 22, 30, 31, 40, 41, *range(50, 60)]
    numbers += [*range(60, 65), *range(70, 79), 80, 81, 90]
    wanted = {f"KQ{number:03}" for number in numbers} | {"KQ05A", "KQ05B"}
    assert {row["id"] for row in CHECKS["rules"]} == wanted
    assert {row["id"] for row in CHECKS["faults"] if isinstance(row["id"], int)} == set(range(1, 39))
    assert len({row["what"] for _, row in ROWS}) >= len(wanted) + 38


@pytest.mark.parametrize(("part", "row"), ROWS, ids=[f"{part}-{row['id']}" for part, row in ROWS])
def test_row(part: str, row: dict[str, Any]) -> None:
    """Each rule that a row names is shown by some test of it, and each test is there."""
    shown = [str(text) for text in row["shown"]]
    assert shown and (row.get("found") or row.get("cannot"))
    assert [text for text in shown if not is_there(text)] == []
    by_test = {code for text in shown for code in codes_shown(text)}
    assert set(row.get("found", ())) - by_test == set(), "no test shows these"
    if row.get("cannot"):
        assert any(text.startswith(("test ", "planted ", "mistake ")) for text in shown)


def is_there(text: str) -> bool:
    """Whether the test that a line of `shown` names exists."""
    how, _, rest = text.partition(" ")
    code, _, words = rest.partition(" ")
    if how == "page":
        page = REGISTRY.find(code)
        return page is not None and page.rule.stage is not Stage.ELSEWHERE
    if how == "planted":
        return any(row[0] == code and row[1] == words for row in PLANTED)
    if how == "input":
        return any(row[0] == code and words in row[2] for row in FAULTS)
    if how == "change":
        return any(row[1] == code and row[0] == words for row in CASES)
    if how == "mistake":
        return (ROOT / "tests" / "mistakes" / "cases" / f"{rest}.yaml").exists()
    assert how == "test", text
    return words in functions(code)


def codes_shown(text: str) -> set[str]:
    """The rules that a test is about: by its name, or by the codes that stand in it."""
    how, _, rest = text.partition(" ")
    if how == "mistake":
        return set(CODE.findall((ROOT / "tests" / "mistakes" / "cases" / f"{rest}.yaml").read_text()))
    if how == "test":
        path, _, _ = rest.partition(" ")
        return set(CODE.findall((ROOT / path).read_text()))
    return set(CODE.findall(text))


@cache
def functions(path: str) -> frozenset[str]:
    """The test functions of a module."""
    tree = ast.parse((ROOT / path).read_text())
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


# What cannot happen.


def rendered_configuration(cluster: str, *edits: Edit) -> dict[str, Any]:
    """Kueue's own configuration as the tree has it for a cluster."""
    done = compile_documents(
        documents("0.19.0"), [put(f"Cluster/{cluster}", "kueue", to={"configuration": "rendered"}), *edits]
    )
    folder = "hubs/kueue" if cluster == "hub" else f"clusters/{cluster}"
    (made,) = [o for path, o in objects(done, f"{folder}/component-kueue").items() if o["kind"] == "ConfigMap"]
    found: dict[str, Any] = yaml.safe_load(made["data"]["controller_manager_config.yaml"])
    return found


def test_a_worker_grants_what_each_integration_needs() -> None:
    tree = objects(compile_documents(documents()))
    rules = tree["clusters/north/kueue/clusterrole-stowplan-multikueue.yaml"]["rules"]
    granted = {(g, r): set(rule["verbs"]) for rule in rules for g in rule["apiGroups"] for r in rule["resources"]}
    jobs = [made for path, made in tree.items() if path.startswith("hubs/kueue/jobs/")]
    kinds = {(made["apiVersion"].rpartition("/")[0], made["kind"]) for made in jobs if "spec" in made}
    named = {f.name.rpartition("/")[2] for f in FRAMEWORKS.values()}
    checked = 0
    for group, kind in sorted(kinds):
        if kind.lower() in named:
            assert {"create", "delete", "get", "list", "watch"} <= granted[group, f"{kind.lower()}s"]
            checked += 1
    assert checked >= 7


def test_a_dispatcher_is_one_that_is_known() -> None:
    done = compile_documents(documents(), [put("Fleet/test", "hubs", "kueue", "dispatcher", to="example.com/mine")])
    (found,) = done.diagnostics
    assert found.code == "SP0204" and "dispatcher" in found.message


@pytest.mark.parametrize("dispatcher", ["AllAtOnce", "Incremental"])
def test_step_size_only_beside_its_own_dispatcher(dispatcher: str) -> None:
    made = rendered_configuration("hub", put("Fleet/test", "hubs", "kueue", "dispatcher", to=dispatcher))
    assert ("incremental" in made["multiKueue"]["dispatcherName"]) is (dispatcher == "Incremental")
    step = {"incrementalDispatcherConfig"} if dispatcher == "Incremental" else set()
    assert set(made["multiKueue"]) == {"origin", "dispatcherName", *step}


def test_jobs_without_a_queue_are_left_alone() -> None:
    for cluster in ("hub", "north"):
        assert "manageJobsWithoutQueueName" not in rendered_configuration(cluster)


def test_limits_count_where_no_request_is() -> None:
    pod = {"containers": [{"resources": {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "1"}}}]}
    assert {k: int(v) for k, v in pod_requests(pod).items()} == {"cpu": 1, "memory": 2**30, "pods": 1}
    assert REGISTRY.names["SP8002"] == "resource-requests"


def test_one_resource_group_a_queue() -> None:
    queues = [made for made in objects(compile_documents(documents())).values() if made["kind"] == "ClusterQueue"]
    assert len(queues) >= 6
    assert {len(made["spec"]["resourceGroups"]) for made in queues} == {1}


def test_reserved_before_on_demand_before_spot() -> None:
    """By kind of capacity first, whatever the price; the affinity of each job then names the plan's flavor alone."""

    def everywhere(made: dict[str, Document]) -> None:
        spec = made["InventorySnapshot/north"]["spec"]
        for flavor, model, memory, price in (("spot", "A100", "80Gi", 0.1), ("l40s", "L40S", "48Gi", 1.0)):
            group = {**spec["nodeGroups"][0], "name": flavor, "flavor": flavor, "nodes": 4}
            group["accelerator"] = {"vendor": "nvidia", "model": model, "memory": memory}
            spec["nodeGroups"].append({k: v for k, v in group.items() if k != "rdma"})
            spec["prices"].append({"flavor": flavor, "perAcceleratorHour": price})
        row = {"path": ["b1"], "nodeGroup": "spot", "nodes": 4, "freeNodes": 4, "freeAccelerators": 32}
        spec["topology"]["domains"].append(row)
        made["Tenant/speech"]["spec"]["quota"].append({"flavor": "l40s", "cluster": "*", "nominal": 8})

    tree = objects(compile_documents(documents(), [both(everywhere)]))
    (group,) = tree["clusters/north/kueue/clusterqueue-speech.yaml"]["spec"]["resourceGroups"]
    assert [row["name"] for row in group["flavors"]] == ["h200", "l40s", "spot"]
    pod = tree["hubs/kueue/jobs/job-speech-gang-job.yaml"]["spec"]["template"]["spec"]
    terms = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert terms == [{"matchExpressions": [{"key": "example.com/flavor", "operator": "In", "values": ["h200"]}]}]


def test_rays_helpers_are_counted() -> None:
    done = compile_documents(documents())
    assert done.rendered is not None
    made = [o for o in done.rendered.objects if o.kind in ("RayJob", "RayCluster")]
    assert {o.kind for o in made} == {"RayJob", "RayCluster"}
    for one in made:
        spec = one.object["spec"]
        assert "enableInTreeAutoscaling" not in spec.get("rayClusterSpec", spec)
    (job,) = [o for o in made if o.kind == "RayJob"]
    assert job.object["spec"]["submissionMode"] == "K8sJobMode"
    asked = {pods.name: pods.requests() for pods in podsets_of(job)}
    assert asked["submitter"]["cpu"] > 0 and asked["submitter"]["memory"] > 0
