"""Kueue admits every runtime that the compiler renders, on the flavor and in the block that its model names."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from harness.bed import Bed
from harness.client import Client, Object, condition, reference
from harness.crds import install_crds
from harness.kueue import API
from harness.modules import module_directory
from harness.patience import PATIENCE
from product.comparing import unforeseen_owners
from product.definitions import definitions
from product.foresight import atlas_rows
from product.live import kinds_of
from product.nodes import join_nodes
from product.releases import KUEUE
from product.workspaces import Workspace

from stowplan.kueue.admission import Admission
from stowplan.kueue.outcome import admissions
from stowplan.kueue.tree import build_tree
from stowplan.model.rendered import RenderedObject
from stowplan.ownership.atlas import AtlasRow
from stowplan.ownership.rendered import ENGINE_MANAGERS

sys.path.append(str(Path(__file__).parents[1] / "kueue"))
from kueue_fleet import compile_documents, documents

FRAMEWORKS = (
    "batch/job", "jobset.x-k8s.io/jobset", "trainer.kubeflow.org/trainjob", "kubeflow.org/pytorchjob", "kubeflow.org/mpijob",
    "ray.io/rayjob", "ray.io/raycluster", "leaderworkerset.x-k8s.io/leaderworkerset", "pod", "deployment", "statefulset",
)  # fmt: skip
BLOCK = "fabric.example.com/block"
STARTED = ("Job", "JobSet", "TrainJob", "PyTorchJob", "MPIJob", "RayJob", "RayCluster", "Pod")
"""Kinds that Kueue writes into when it starts them."""

ENGINE = ENGINE_MANAGERS["argocd"][0]


@dataclass(frozen=True)
class Runtimes:
    """A member with everything applied; `admitted` is what Kueue wrote for each intent, `model` what was foretold."""

    client: Client
    objects: tuple[RenderedObject, ...]
    admitted: dict[str, Object]
    model: dict[str, Admission]
    blocks: dict[str, str]
    rows: Mapping[str, tuple[AtlasRow, ...]]


@pytest.fixture(scope="module")
def runtimes(module_bed: Bed) -> Any:
    gangs = {k: v for k, v in documents(KUEUE, dispatch="direct").items() if not k.startswith("BatchIntent/")}
    done = compile_documents(gangs)
    assert done.diagnostics == [] and done.fleet is not None and done.plan is not None and done.rendered is not None
    model = {a.intent: a for a in admissions(build_tree(done.fleet, done.plan, done.rendered.objects))}
    mine = sorted((o for o in done.rendered.objects if o.unit.target.folder == "clusters/north"), key=_order)
    plane = module_bed.plane("north", controller_manager=True)
    client = plane.client()
    custom, missing = definitions(kinds_of(mine))
    assert set(missing) <= {("kubeflow.org/v2beta1", "MPIJob")}
    install_crds(client, [*custom, _mpi_definition()])
    module_bed.kueue(plane, frameworks=FRAMEWORKS)
    nodes = join_nodes(client, done.fleet, "north")
    blocks = {n["metadata"]["name"]: n["metadata"]["labels"].get(BLOCK, "") for n in client.list("v1", "Node")}
    for made in mine:
        client.apply(made.object, manager=ENGINE)
    admitted = {}
    for made in mine:
        kind, _, intent = made.manifest.source.partition("/")
        if kind == "workload" and intent not in admitted:
            admitted[intent] = _workload(client, made)
    rows = atlas_rows(Workspace("direct", Path(), done))
    yield Runtimes(client, tuple(mine), admitted, model, blocks, rows)
    nodes.stop()


def _mpi_definition() -> Object:
    """The definition that Kueue itself was built with."""
    folder = module_directory("kueue", "github.com/kubeflow/mpi-operator")
    found: Object = yaml.safe_load((folder / "manifests/base/kubeflow.org_mpijobs.yaml").read_text(encoding="utf-8"))
    return found


def _order(made: RenderedObject) -> tuple[int, bool, str]:
    return made.unit.wave, made.kind != "Namespace", made.path


def _workload(client: Client, made: RenderedObject) -> Object:
    """The Workload of a job, once it is admitted."""

    def owned(found: Object | None) -> bool:
        return condition(found, "Admitted").get("status") == "True"

    live = client.wait_until(made.object, lambda one: one is not None)
    uid = live["metadata"]["uid"]
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        for one in client.list(API, "Workload", made.namespace or ""):
            if any(ref["uid"] == uid for ref in one["metadata"].get("ownerReferences", [])):
                name = one["metadata"]["name"]
                return client.wait_until(reference(API, "Workload", name, made.namespace or ""), owned)
        time.sleep(0.5)
    raise AssertionError(f"Kueue made no Workload for {made.reference}")


def test_every_intent_is_admitted_to_the_flavor_that_the_model_names(runtimes: Runtimes) -> None:
    found = {}
    for intent, workload in runtimes.admitted.items():
        sets = workload["status"]["admission"]["podSetAssignments"]
        found[intent] = {flavor for row in sets for flavor in row["flavors"].values()}
    assert found == {intent: {a.flavor} for intent, a in runtimes.model.items()}


def test_a_gang_stands_in_one_block(runtimes: Runtimes) -> None:
    """Each pod set; a head without accelerators may stand elsewhere than its workers."""
    for intent, workload in runtimes.admitted.items():
        if intent.startswith("gang-"):
            for row in workload["status"]["admission"]["podSetAssignments"]:
                assert len(_blocks(runtimes, row)) == 1, (intent, row["name"])


def _blocks(runtimes: Runtimes, assignment: Object) -> set[str]:
    """Blocks of the nodes that the pods of a pod set were given."""
    found = set()
    for part in assignment["topologyAssignment"]["slices"]:
        (values,) = part["valuesPerLevel"]
        if "universal" in values:
            found.add(runtimes.blocks[values["universal"]])
        else:
            given = values["individual"]
            names = [given.get("prefix", "") + root + given.get("suffix", "") for root in given["roots"]]
            found.update(runtimes.blocks[name] for name in names)
    return found


def test_the_first_gangs_stand_in_the_block_that_the_model_names(runtimes: Runtimes) -> None:
    """Equal jobs come in the order of their creation, which is that of their files; the first find the room of the model."""
    first = "gang-job"
    (workers,) = runtimes.admitted[first]["status"]["admission"]["podSetAssignments"]
    assert _blocks(runtimes, workers) == {"/".join(runtimes.model[first].domain or ())}


def test_every_owner_was_foreseen_by_the_atlas(runtimes: Runtimes) -> None:
    """On a member: what Kueue and the controllers of Jobs write once a job is started, its pods included."""
    found = []
    for made in runtimes.objects:
        stored = runtimes.client.wait_until(made.object, partial(_is_started, made.kind), what="to be started by Kueue")
        texts = unforeseen_owners(stored, "argocd", runtimes.rows[made.path])
        found += [f"{made.reference}: {text}" for text in texts]
    assert not found, "\n".join(found[:60])


def _is_started(kind: str, found: Object | None) -> bool:
    if found is None or kind not in STARTED:
        return found is not None
    return any(
        entry["manager"] == "kueue" and "subresource" not in entry for entry in found["metadata"]["managedFields"]
    )


def test_a_second_sync_changes_nothing_but_what_is_handed_over(runtimes: Runtimes) -> None:
    """Worker groups of Ray are one list: Kueue owns it once it injected the flavor, and the engines are told to leave it."""
    for made in runtimes.objects:
        if made.kind in ("RayJob", "RayCluster"):
            continue
        assert _is_unchanged(runtimes.client, made), made.path


def _is_unchanged(client: Client, made: RenderedObject, patience: float = 20) -> bool:
    """Whether a second apply leaves the object alone, once controllers have done writing into it."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        before = client.get(made.object)["metadata"].get("generation")
        if client.apply(made.object, manager=ENGINE).object["metadata"].get("generation") == before:
            return True
        time.sleep(0.5)
    return False
