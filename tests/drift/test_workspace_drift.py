"""Drift of a whole workspace: a clean export has none, planted edits are found, a silent cluster is unknown."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from stowplan.cli.main import run
from stowplan.drifting import DriftRequest, drift_workspace
from stowplan.workspace import compile_directory

EXAMPLE = Path(__file__).parent.parent / "data" / "example"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = Path(shutil.copytree(EXAMPLE, tmp_path / "workspace"))
    assert run(["compile", "-qq", "-C", str(root)]) == 0
    return root


def export(root: Path, live: Path) -> dict[str, list[dict[str, Any]]]:
    """What a clean sync would leave in every cluster, as `kubectl get -o json` prints it."""
    done = compile_directory(root)
    assert done.rendered is not None
    clusters: dict[str, list[dict[str, Any]]] = {}
    for made in done.rendered.objects:
        clusters.setdefault(made.unit.target.name, []).append(json.loads(json.dumps(made.object)))
    write(live, clusters)
    return clusters


def write(live: Path, clusters: dict[str, list[dict[str, Any]]]) -> None:
    live.mkdir(exist_ok=True)
    for name, items in clusters.items():
        (live / f"{name}.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))


def test_a_clean_export_has_no_drift(workspace: Path, tmp_path: Path) -> None:
    export(workspace, tmp_path / "live")
    outcome, _ = drift_workspace(workspace, DriftRequest(live=tmp_path / "live"))
    assert outcome.exit_code == 0
    assert outcome.diagnostics == ()


def test_an_edit_and_a_deletion_are_found(workspace: Path, tmp_path: Path) -> None:
    live = tmp_path / "live"
    clusters = export(workspace, live)
    namespace = next(o for o in clusters["eu-west-h200"] if o["kind"] == "Namespace" and o["metadata"].get("labels"))
    namespace["metadata"]["labels"]["stowplan.io/tenant"] = "somebody-else"
    clusters["us-east-spot"] = [o for o in clusters["us-east-spot"] if o["kind"] != "NetworkPolicy"]
    write(live, clusters)
    outcome, _ = drift_workspace(workspace, DriftRequest(live=live))
    assert outcome.exit_code == 1
    found = {(d.code, t) for d in outcome.diagnostics for t in d.targets}
    assert ("SP1102", "eu-west-h200") in found
    assert ("SP1101", "us-east-spot") in found


def test_a_cluster_that_was_not_exported_is_unknown(workspace: Path, tmp_path: Path) -> None:
    live = tmp_path / "live"
    export(workspace, live)
    (live / "hub.json").unlink()
    outcome, _ = drift_workspace(workspace, DriftRequest(live=live))
    assert outcome.exit_code == 2


def test_an_edited_rendered_file_is_found(workspace: Path) -> None:
    path = next((workspace / "rendered" / "clusters").rglob("namespace-*.yaml"))
    path.write_text(path.read_text() + "\n")
    outcome, _ = drift_workspace(workspace, DriftRequest())
    assert [d.code for d in outcome.tree] == ["SP1109"]
    assert run(["drift", "-q", "-C", str(workspace)]) == 1
