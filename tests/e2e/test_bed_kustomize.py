"""The real kustomize builds a directory, and says why not."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.kustomize import KustomizeError, kustomize_build


def test_a_directory_is_built(tmp_path: Path) -> None:
    (tmp_path / "kustomization.yaml").write_text("namespace: team\nresources: [map.yaml]\n")
    (tmp_path / "map.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\ndata: {key: value}\n")
    metadata = {"name": "one", "namespace": "team"}
    assert kustomize_build(tmp_path) == [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"key": "value"}}
    ]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "kustomization.yaml").write_text("resources: [absent.yaml]\n")
    with pytest.raises(KustomizeError, match=r"absent\.yaml"):
        kustomize_build(tmp_path)
