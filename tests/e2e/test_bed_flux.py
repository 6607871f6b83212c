"""Flux's kustomize-controller reconciles what the bed serves as an artifact."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from harness.artifacts import archive
from harness.bed import Bed
from harness.client import condition, managed_fields, reference
from harness.flux import Flux
from harness.kustomize import kustomize_build

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: default}\ndata: {key: '%s'}\n"


@pytest.fixture(scope="module")
def flux(module_bed: Bed) -> Flux:
    return module_bed.flux(module_bed.plane("flux", controller_manager=True))


def _write(folder: Path, **maps: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    for name, value in maps.items():
        (folder / f"{name}.yaml").write_text(MAP % (name, value))
    resources = ", ".join(f"{name}.yaml" for name in maps)
    (folder / "kustomization.yaml").write_text(f"resources: [{resources}]\n")
    return folder


def test_an_archive_depends_on_the_content_alone(tmp_path: Path) -> None:
    first, second = _write(tmp_path / "a", one="1", two="2"), _write(tmp_path / "b", two="2", one="1")
    (second / "kustomization.yaml").write_bytes((first / "kustomization.yaml").read_bytes())
    (second / "one.yaml").chmod(0o600)
    assert archive(first) == archive(second)
    assert archive(first) != archive(_write(tmp_path / "c", one="1", two="3"))


def test_a_kustomization_is_reconciled_pruned_and_settles(flux: Flux, tmp_path: Path) -> None:
    artifact = flux.publish("fleet", _write(tmp_path / "tree" / "unit", one="1", two="2").parent)
    client = flux.plane.client()
    assert client.apply(flux.kustomization("unit", source="fleet", path="./unit", wait=True)).warnings == ()
    ready = flux.wait_ready("unit")
    assert ready["status"]["lastAppliedRevision"] == artifact.revision
    assert condition(ready, "Healthy")["status"] == "True"
    assert artifact.digest == "sha256:" + hashlib.sha256(archive(tmp_path / "tree")).hexdigest()
    one, two = (reference("v1", "ConfigMap", name, "default") for name in ("one", "two"))
    stored = client.get(one)
    assert stored["data"] == kustomize_build(tmp_path / "tree" / "unit")[0]["data"]
    assert set(managed_fields(stored)) == {("kustomize-controller", "Apply", "")}
    flux.wait_ready("unit")
    assert client.get(one) == stored
    flux.publish("fleet", _write(tmp_path / "tree" / "unit", one="changed").parent)
    flux.wait_ready("unit")
    assert client.get(one)["data"] == {"key": "changed"}
    assert client.find(two) is None


def test_a_path_that_is_not_there_is_said(flux: Flux, tmp_path: Path) -> None:
    flux.publish("broken", _write(tmp_path / "tree", one="1"))
    document = flux.kustomization("broken", source="broken", path="./absent")
    flux.plane.client().apply(document)
    failed = flux.client.wait_until(document, lambda found: condition(found, "Ready").get("status") == "False")
    assert "absent" in condition(failed, "Ready")["message"]
