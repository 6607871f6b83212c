"""`explain` and `rules`: each kind of subject, and what is said of one that does not exist."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import EXAMPLE, Ran

from stowplan.rules.markdown import catalogue_markdown
from stowplan.rules.registry import REGISTRY

Run = Callable[..., Ran]

KNOWN = [
    ("SP0604", ["# SP0604 no-domain-large-enough (warn)", "## Why it matters"]),
    ("sp0604", ["# SP0604"]),
    ("no-domain-large-enough", ["# SP0604"]),
    ("SP0526", ["# SP0526 topology (reason)"]),
    (
        "workload/asr-pretrain",
        ["workload/asr-pretrain: placed", "eu-west-h200: chosen", "us-east-spot: no", "residency [SP0517]"],
    ),
    ("workload/asr-giant", ["unplaced", "topology [SP0526]", "fleet/inventory/eu-west-h200.yaml:26:"]),
    ("workload/asr@us-east-spot", ["us-east-spot: chosen", "8 replicas of 2 accelerators", "5,548.00 USD a month"]),
    ("workload/notebooks", ["8 users' shares of 1 accelerator,", "12,264.00 USD a month", "hub: no"]),
    ("workload/asr@hub", ["role: `hub` is hub, and takes no workloads", "roles at fleet/clusters/hub.yaml:"]),
    ("cluster/eu-west-h200", ["cluster/eu-west-h200: onprem", "h200-sxm: 96 accelerators"]),
    ("quota/speech", ["quota/speech: cohort research", "eu-west-h200/h200-sxm: nominal 80"]),
    ("quota/speech@eu-west-l40s", ["eu-west-l40s/l40s"]),
    ("rendered/clusters/eu-west-h200/tenancy/namespace-speech.yaml", ["fleet/tenants.yaml:6:"]),
    ("clusters/eu-west-h200/tenancy/namespace-speech.yaml", ["fleet/tenants.yaml:6:"]),
    ("rendered/clusters/eu-west-h200/tenancy/kustomization.yaml", ["namespace-speech.yaml", "fleet/tenants.yaml:"]),
    ("rendered/plan.json", ["workload/NAME"]),
    ("rendered/stowplan.lock", ["workload/NAME"]),
]


@pytest.mark.parametrize(("what", "words"), KNOWN, ids=[what for what, _ in KNOWN])
def test_known(run: Run, what: str, words: list[str]) -> None:
    done = run("explain", "-C", EXAMPLE, what)
    assert (done.code, done.err) == (0, "")
    assert [word for word in words if word not in done.out] == []


def test_the_chosen_clusters_come_first_then_those_that_would_do(run: Run) -> None:
    """Nobody should have to look for the answer among the reasons against the others."""
    for name in ("asr-pretrain", "detector-finetune", "asr", "nightly-eval"):
        out = run("explain", "-C", EXAMPLE, f"workload/{name}").out
        verdicts = re.findall(r"^[a-z0-9-]+: (chosen|would do|no)$", out, re.MULTILINE)
        assert verdicts[0] == "chosen"
        assert verdicts == sorted(verdicts, key=["chosen", "would do", "no"].index)


UNKNOWN = [
    ("SP0000", "unknown rule `SP0000`"),
    ("SP0640", "`SP0604`"),
    ("workload/asr-pretrian", "did you mean `asr-pretrain`"),
    ("cluster/eu-west-h20", "did you mean `eu-west-h200`"),
    ("quota/speach", "did you mean `speech`"),
    ("quota/speech@eu-west-l40", "no cluster `eu-west-l40`; did you mean `eu-west-l40s`"),
    ("workload/asr@nowhere", "no cluster `nowhere`"),
    ("speech", "did you mean `quota/speech`?"),
    ("asr", "did you mean `workload/asr`?"),
    ("rendered/clusters/nowhere.yaml", "is no rendered file"),
]


@pytest.mark.parametrize(("what", "words"), UNKNOWN, ids=[what for what, _ in UNKNOWN])
def test_unknown(run: Run, what: str, words: str) -> None:
    done = run("explain", "-C", EXAMPLE, what)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


def test_workspace_with_errors(run: Run, workspace: Path) -> None:
    path = workspace / "fleet" / "tenants.yaml"
    path.write_text(path.read_text().replace("cohort: research", "cohort: reserch"))
    done = run("explain", "-C", workspace, "workload/asr")
    assert (done.code, done.out) == (2, "")
    assert "`stowplan check`" in done.err


def test_rules__needs_no_workspace(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("explain", "SP0102").code == 0
    lines = run("rules").out.splitlines()
    assert [line.split()[0] for line in lines] == list(REGISTRY.names)


def test_rules__json(run: Run) -> None:
    done = run("rules", "--format", "json")
    document = json.loads(done.out)
    assert document["schemaVersion"] == 1
    assert [(rule["code"], rule["name"]) for rule in document["rules"]] == list(REGISTRY.names.items())
    assert {rule["level"] for rule in document["rules"]} <= {"off", "note", "warn", "error", "reason"}
    assert all(rule["summary"].endswith(".") for rule in document["rules"])


def test_rules__markdown(run: Run) -> None:
    assert run("rules", "--format", "markdown").out == catalogue_markdown()
