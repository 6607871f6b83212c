"""An intent's own `dispatch` beside the planes table: an exception for that intent, and for nothing else (decision 17)."""

from __future__ import annotations

from pathlib import Path

import pytest
from kueue_fleet import Document, compile_documents, documents, objects
from test_inputs import both, put

from stowplan.driver import compile_workspace
from stowplan.source.files import SourceTree

BASE = Path(__file__).parents[1] / "data" / "kueue"
FILES = {p.relative_to(BASE).as_posix(): p.read_text() for p in sorted(BASE.rglob("*")) if p.is_file()}


@pytest.mark.parametrize(
    ("plane", "dispatch", "folder"),
    [("multikueue", "direct", "clusters/north/jobs"), ("direct", "multikueue", "hubs/kueue/jobs")],
)
def test_the_intent_goes_its_own_way_and_no_plane_is_violated(plane: str, dispatch: str, folder: str) -> None:
    """SP0907 is silent, both where the intent goes around the manager and where it alone goes through it."""
    edit = put("TrainingIntent/gang-job", "dispatch", to=dispatch)
    done = compile_documents(documents(dispatch=plane), [edit])
    assert [d.code for d in done.diagnostics] == []
    tree = objects(done)
    assert f"{folder}/job-speech-gang-job.yaml" in tree
    other = "hubs/kueue/jobs" if plane == "multikueue" else "clusters/north/jobs"
    assert f"{other}/jobset-speech-gang-jobset.yaml" in tree, "the others go by the table"
    assert [path for path in tree if path.endswith("/job-speech-gang-job.yaml")] == [
        f"{folder}/job-speech-gang-job.yaml"
    ]


def test_the_plan_says_who_dispatches() -> None:
    done = compile_documents(documents(), [put("TrainingIntent/gang-job", "dispatch", to="direct")])
    assert done.fleet is not None
    owners = {w.name: w.dispatch for w in done.fleet.workloads}
    assert owners["gang-job"] == "direct" and owners["gang-jobset"] == "multikueue"


def test_what_is_no_intents_has_no_exception() -> None:
    """A component's job before the manager's queue violates the plane of components, whatever some intent says."""
    intent = FILES["fleet/intents/asr.yaml"] + "  dispatch: multikueue\n"
    job = (
        FILES["fleet/jobs.yaml"]
        .replace("clusters: [north]", "clusters: [hub]")
        .replace("queue-name: speech", "queue-name: north")
    )
    texts = {**FILES, "fleet/intents/asr.yaml": intent, "fleet/jobs.yaml": job}
    found = [d for d in compile_workspace(SourceTree.from_texts(texts)).diagnostics if d.code == "SP0907"]
    assert [d.primary.at.path for d in found if d.primary.at is not None] == ["fleet/components/jobs/job.yaml.j2"]
    assert [label.at.path for d in found for label in d.secondary if label.at is not None] == ["fleet/jobs.yaml"]
    assert "`workloadPlacement.components` is owned by `gitops`" in found[0].message


def test_an_exception_does_not_give_an_object_two_dispatchers() -> None:
    """The intent alone goes through the manager; a manifest of its name on the worker is where the copy would come."""
    texts = {
        **FILES,
        "fleet/fleet.yaml": FILES["fleet/fleet.yaml"].replace("training: multikueue", "training: direct"),
        "fleet/intents/asr.yaml": FILES["fleet/intents/asr.yaml"] + "  dispatch: multikueue\n",
        "fleet/jobs.yaml": FILES["fleet/jobs.yaml"].replace("name: eval", "name: asr"),
    }
    done = compile_workspace(SourceTree.from_texts(texts))
    assert {d.code for d in done.diagnostics} == {"SP2054"}
    texts["fleet/jobs.yaml"] = FILES["fleet/jobs.yaml"]
    assert compile_workspace(SourceTree.from_texts(texts)).diagnostics == []


def test_karmada_needs_a_hub_here_as_in_the_table() -> None:
    def karmada(made: dict[str, Document]) -> None:
        made["TrainingIntent/gang-job"]["spec"]["dispatch"] = "karmada"

    done = compile_documents(documents(), [both(karmada)])
    assert done.failed() and {d.code for d in done.diagnostics} == {"SP0320"}
