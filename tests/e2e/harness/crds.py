"""Installs CustomResourceDefinitions and waits until they are established and listed by discovery."""

from __future__ import annotations

import copy
import json
import lzma
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from harness.binaries import absent
from harness.client import Client, Object, condition
from harness.modules import SOURCES, module_documents
from harness.patience import PATIENCE

CORPUS = "STOWPLAN_CORPUS"
_MANAGER = "stowplan-e2e-crds"

CORPUS_REPOSITORIES = {
    "karmada": "karmada-io/karmada",
    "inference-extension": "kubernetes-sigs/gateway-api-inference-extension",
    "kserve": "kserve/kserve",
}
"""Components whose CRDs no Go module brings: read from the corpus folder, by the repository they were found in."""


def crds(component: str) -> list[Object]:
    """Fresh copies of a component's CRDs: from its Go module, else from the corpus folder.

    Skips (or fails) the test when neither has it.
    """
    if component in SOURCES:
        return copy.deepcopy(list(module_documents(component)))
    return [copy.deepcopy(row["crd"]) for row in _corpus() if row["repo"] == CORPUS_REPOSITORIES[component]]


def corpus_crds() -> list[Object]:
    """Fresh copies of all CRDs of the corpus folder; skips (or fails) the test where there is none."""
    return [copy.deepcopy(row["crd"]) for row in _corpus()]


def install_crds(client: Client, documents: Iterable[Object], timeout: float = PATIENCE) -> None:
    """Apply CRDs, then wait until each is established and each served version is listed by discovery."""
    documents = list(documents)
    for document in documents:
        client.apply(_plain(document), manager=_MANAGER, force=True)
    for document in documents:
        client.wait_until(document, _established, timeout=timeout, what="condition Established")
    for document in documents:
        spec = document["spec"]
        for version in spec["versions"]:
            if version["served"]:
                api_version = f"{spec['group']}/{version['name']}"
                client.discovery.wait_served(api_version, spec["names"]["kind"], timeout)


def install_components(client: Client, *components: str) -> None:
    """Install the CRDs of several components by name (see `SOURCES` and `CORPUS_REPOSITORIES`)."""
    install_crds(client, [document for component in components for document in crds(component)])


def _plain(document: Object) -> Object:
    """A CRD without what an apply must not have (status, a null creationTimestamp)."""
    kept = {key: value for key, value in document.items() if key != "status"}
    kept["metadata"] = {key: value for key, value in document["metadata"].items() if key != "creationTimestamp"}
    return kept


def _established(document: Object | None) -> bool:
    return condition(document, "Established").get("status") == "True"


@cache
def _corpus() -> tuple[dict[str, Any], ...]:
    folder = os.environ.get(CORPUS)
    path = Path(folder or ".") / "crds.jsonl.xz"
    if not folder or not path.exists():
        absent(f"{CORPUS} does not name a folder with crds.jsonl.xz: the CRDs of some components come from there")
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return tuple(json.loads(line) for line in lines)
