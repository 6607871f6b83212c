"""Argo CD of the bed syncs a git repository to a cluster that it knows by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.argocd import MANAGER, ArgoCD
from harness.bed import Bed
from harness.client import Client, condition, managed_fields, reference
from harness.control_plane import ControlPlane

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: team}\ndata: {key: '%s'}\n"


@pytest.fixture(scope="module")
def planes(module_bed: Bed) -> dict[str, ControlPlane]:
    # pruning deletes in the foreground, which ends only where a garbage collector runs
    return module_bed.planes("hub", "member", controller_manager=True)


@pytest.fixture(scope="module")
def argocd(module_bed: Bed, planes: dict[str, ControlPlane]) -> ArgoCD:
    return module_bed.argocd(planes["hub"], clusters={"member": planes["member"]})


@pytest.fixture
def member(planes: dict[str, ControlPlane]) -> Client:
    return planes["member"].client()


def _write(folder: Path, **maps: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    for name, value in maps.items():
        (folder / f"{name}.yaml").write_text(MAP % (name, value))
    (folder / "kustomization.yaml").write_text(f"resources: [{', '.join(f'{name}.yaml' for name in maps)}]\n")


def test_an_application_syncs_heals_prunes_and_settles(
    argocd: ArgoCD, bed: Bed, member: Client, tmp_path: Path
) -> None:
    repository = bed.repository()
    _write(tmp_path / "unit", one="1", two="2")
    commit = repository.publish(tmp_path)
    application = argocd.application("unit", repository=repository.url, path="unit", cluster="member", namespace="team")
    assert argocd.client.apply(application).warnings == ()
    assert argocd.wait_synced("unit", commit)["status"]["sync"]["revision"] == commit
    one, two = (reference("v1", "ConfigMap", name, "team") for name in ("one", "two"))
    stored = member.get(one)
    assert stored["metadata"]["annotations"]["argocd.argoproj.io/tracking-id"] == "unit:/ConfigMap:team/one"
    assert set(managed_fields(stored)) == {(MANAGER, "Apply", "")}
    argocd.wait_synced("unit", commit)
    assert member.get(one) == stored

    _write(tmp_path / "unit", one="changed")
    commit = repository.publish(tmp_path)
    argocd.wait_synced("unit", commit)
    assert member.get(one)["data"] == {"key": "changed"}
    assert member.find(two) is None


def test_a_cluster_that_is_not_known_is_said(argocd: ArgoCD, bed: Bed, tmp_path: Path) -> None:
    repository = bed.repository()
    _write(tmp_path / "unit", one="1")
    repository.publish(tmp_path)
    application = argocd.application("lost", repository=repository.url, path="unit", cluster="nowhere")
    argocd.client.apply(application)
    failed = argocd.client.wait_until(application, lambda found: bool(condition(found, "InvalidSpecError")))
    assert "nowhere" in condition(failed, "InvalidSpecError")["message"]
