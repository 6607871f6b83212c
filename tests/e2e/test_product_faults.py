"""`stowplan validate` and a real API server agree: on everything rendered, and on hundreds of planted faults."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from harness.bed import Bed
from harness.client import ApiError, Client, Object, reference
from harness.crds import install_crds
from harness.figures import Say
from harness.modules import load_all, module_directory
from product.comparing import ASSIGNED
from product.definitions import definitions, served_pack
from product.planting import Planted, plant, updates
from product.workspaces import EXAMPLE, REPOSITORY, compile_copy, copy_workspace

N_FAULTS = 200
N_UPDATES = 60
ALLOTTED = {
    "Service": (("spec", "clusterIP"), ("spec", "clusterIPs"), ("spec", "ipFamilies"), ("spec", "ipFamilyPolicy")),
    "DaemonSet": (("metadata", "annotations", "deprecated.daemonset.template.generation"),),
}
"""What the server allots or counts: left out of the comparison where we do not say it, or count otherwise."""

GENERATED = ("controller-uid", "batch.kubernetes.io/controller-uid", "job-name", "batch.kubernetes.io/job-name")


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> list[Object]:
    """Everything that both workspaces render, equal objects once."""
    found: dict[str, Object] = {}
    for name, source in (("own", REPOSITORY), ("example", EXAMPLE)):
        workspace = compile_copy(name, copy_workspace(source, tmp_path_factory.mktemp(name)))
        for made in workspace.objects:
            document = workspace.plain(made)
            found.setdefault(json.dumps(document, sort_keys=True), document)
    return list(found.values())


@pytest.fixture(scope="module")
def client(module_bed: Bed, documents: list[Object]) -> Client:
    """A server with all definitions and no webhooks: what it refuses, its schemas and its own rules refuse."""
    client = module_bed.plane("judge").client()
    bases = module_directory("kueue", "sigs.k8s.io/kueue") / "config/components/crd/bases"
    kueue = [one for file in sorted(bases.glob("*.yaml")) for one in load_all(file.read_text())]
    needed, missing = definitions((one["apiVersion"], one["kind"]) for one in documents)
    assert not missing
    install_crds(client, [*needed, *kueue])
    for namespace in sorted({one["metadata"].get("namespace", "default") for one in documents}):
        client.apply(reference("v1", "Namespace", namespace))
    return client


@pytest.fixture(scope="module")
def crds(client: Client, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The server's own definitions, as `kubectl get crds -o json` prints them."""
    assert served_pack(client).kinds
    file = tmp_path_factory.mktemp("crds") / "crds.json"
    items = client.list("apiextensions.k8s.io/v1", "CustomResourceDefinition")
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return file


def judged(folder: Path, crds: Path, documents: list[Object], *options: str) -> list[dict[str, Any]]:
    """What the command line says of each object, in order."""
    folder.mkdir(exist_ok=True)
    file = folder / "objects.yaml"
    file.write_text("---\n".join(json.dumps(one) + "\n" for one in documents))
    done = _validate(file, crds, *options)
    found = [json.loads(line) for line in done.splitlines() if line.startswith("{")]
    assert len(found) == len(documents)
    return found


def _validate(file: Path, crds: Path, *options: str) -> str:
    command = [sys.executable, "-m", "stowplan", "validate", str(file), "--crds", str(crds), "--format", "json"]
    done = subprocess.run([*command, "--output-objects", *options], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr[-2000:]
    return done.stdout


def answered(client: Client, document: Object, *, update: bool = False) -> tuple[int, Object | str]:
    """The server's code, and the object as it would be stored or its words."""
    query = {"dryRun": "All", "fieldValidation": "Strict", "fieldManager": "e2e"}
    try:
        path = client.path(document, collection=not update)
        answer = client.request("PUT" if update else "POST", path, document, query)
    except ApiError as refused:
        return refused.code, str(refused.status.get("message", ""))
    return (200 if update else 201), answer.object


def plain(stored: Object) -> Object:
    """A stored object without what only servers assign, and what they generate from the UID."""
    kept = {key: value for key, value in stored.items() if key != "status"}
    kept["metadata"] = {key: value for key, value in stored["metadata"].items() if key not in ASSIGNED}
    kept = json.loads(json.dumps(kept))
    if kept["kind"] == "DaemonSet":
        kept["metadata"].setdefault("annotations", {})
    if kept["kind"] == "Job":
        kept["spec"].pop("selector", None)
        labels = kept["spec"]["template"].get("metadata", {}).get("labels", {})
        for key in GENERATED:
            labels.pop(key, None)
    return kept


def disagreement(mine: dict[str, Any], code: int, theirs: Object | str) -> str:
    """How the command line and the server differ; empty if they agree."""
    accepted = code < 300
    if (mine["verdict"] == "accepted") != accepted:
        return f"we say {mine['verdict']} {mine.get('errors')}, the server {code} {theirs if isinstance(theirs, str) else ''}"
    if not accepted:
        return "" if mine["code"] == code else f"we say {mine['code']} {mine.get('errors')}, the server {code} {theirs}"
    assert isinstance(theirs, dict)
    one, other = plain(mine["object"]), plain(theirs)
    for path in ALLOTTED.get(other["kind"], ()):
        _drop_allotted(one, other, path)
    return "" if one == other else f"stored: we say {_shown(one, other)}"


def _drop_allotted(one: Object, other: Object, path: tuple[str, ...]) -> None:
    """Leave a field out of both where the server has given it, and maps that hold nothing else."""
    counted = path[0] == "metadata"
    for key in path[:-1]:
        if key not in other:
            return
        one, other = one.setdefault(key, {}), other[key]
    if counted or path[-1] not in one:
        one.pop(path[-1], None)
        other.pop(path[-1], None)


def _shown(one: Any, other: Any, path: str = "") -> str:
    if isinstance(one, dict) and isinstance(other, dict):
        keys = [key for key in {**one, **other} if one.get(key) != other.get(key)]
        return "; ".join(_shown(one.get(key), other.get(key), f"{path}.{key}") for key in keys)
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return "; ".join(
            _shown(a, b, f"{path}[{i}]") for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b
        )
    return f"{path}: {one!r}, the server {other!r}"


def test_what_is_rendered_is_accepted_and_stored_by_both(
    client: Client, crds: Path, documents: list[Object], tmp_path: Path
) -> None:
    documents = [one for one in documents if one["kind"] != "Namespace"]
    found = judged(tmp_path, crds, documents)
    wrong = []
    for document, mine in zip(documents, found, strict=True):
        text = disagreement(mine, *answered(client, document)) or ("" if mine["verdict"] == "accepted" else "refused")
        if text:
            wrong.append(f"{document['kind']} {document['metadata']['name']}: {text}")
    assert not wrong, "\n".join(wrong[:20])


def one_of_each_kind(documents: list[Object]) -> list[Object]:
    """The largest object of each kind; namespaces under a name that is free."""
    largest: dict[tuple[str, str], Object] = {}
    for document in documents:
        key = (document["apiVersion"], document["kind"])
        if len(json.dumps(document)) > len(json.dumps(largest.get(key, {}))):
            largest[key] = document
    for document in largest.values():
        if document["kind"] == "Namespace":
            document["metadata"] = document["metadata"] | {"name": "planted-namespace"}
    return [largest[key] for key in sorted(largest)]


def test_planted_faults_get_the_same_verdict(
    client: Client, crds: Path, documents: list[Object], tmp_path: Path, say: Say
) -> None:
    faults = plant(one_of_each_kind(json.loads(json.dumps(documents))), N_FAULTS)
    assert len(faults) == N_FAULTS
    found = judged(tmp_path, crds, [fault.document for fault in faults])
    wrong, codes = [], Counter[int]()
    for fault, mine in zip(faults, found, strict=True):
        code, theirs = answered_fault(client, fault)
        codes[code] += 1
        if text := disagreement(mine, code, theirs):
            wrong.append(f"{fault}: {text}")
    kinds = len({fault.document.get("kind") for fault in faults})
    say(
        f"{N_FAULTS} planted faults in {kinds} kinds: server codes {dict(sorted(codes.items()))}, {len(wrong)} disagree"
    )
    assert not wrong, "\n".join(wrong[:30])
    assert sum(count for code, count in codes.items() if code >= 400) > N_FAULTS * 0.6


def answered_fault(client: Client, fault: Planted) -> tuple[int, Object | str]:
    """The answer to a fault; an object without a name cannot be addressed, but can be created."""
    return answered(client, fault.document, update=fault.update)


def test_planted_updates_get_the_same_verdict(
    client: Client, crds: Path, documents: list[Object], tmp_path: Path, say: Say
) -> None:
    """Fields that may not change, found by changing them."""
    chosen = [one for one in one_of_each_kind(json.loads(json.dumps(documents))) if one["kind"] != "Namespace"]
    stored = [client.create(document).object for document in chosen]
    try:
        candidates = [list(updates(one)) for one in stored]
        faults = [fault for round_ in range(6) for pool in candidates for fault in pool[round_ * 5 : round_ * 5 + 1]]
        old = tmp_path / "old.yaml"
        old.write_text("---\n".join(json.dumps(one) + "\n" for one in stored))
        found = judged(tmp_path / "new", crds, [fault.document for fault in faults], "--old", str(old))
        wrong, codes = [], Counter[int]()
        for fault, mine in zip(faults, found, strict=True):
            code, theirs = answered_fault(client, fault)
            codes[code] += 1
            if text := disagreement(mine, code, theirs):
                wrong.append(f"{fault}: {text}")
    finally:
        for document in stored:
            client.delete(document, missing_ok=True)
    say(f"{len(faults)} planted updates: server codes {dict(sorted(codes.items()))}, {len(wrong)} disagree")
    assert len(faults) >= N_UPDATES
    assert codes[422] >= 5
    assert not wrong, "\n".join(wrong[:30])


def test_a_wrong_verdict_is_noticed(client: Client, crds: Path, documents: list[Object], tmp_path: Path) -> None:
    """The test of the tests: a default left out of what we would store, and a refusal turned round, are both told."""
    queue = next(one for one in documents if one["kind"] == "ClusterQueue")
    (mine,) = judged(tmp_path, crds, [queue])
    code, theirs = answered(client, queue)
    assert disagreement(mine, code, theirs) == ""
    left_out = json.loads(json.dumps(mine))
    del left_out["object"]["spec"]["queueingStrategy"]
    assert "queueingStrategy" in disagreement(left_out, code, theirs)
    assert "we say refused" in disagreement(mine | {"verdict": "refused"}, code, theirs)
