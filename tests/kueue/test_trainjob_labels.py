"""The JobSet that a manager's trainer makes of a dispatched TrainJob names the queue, so that Kueue leaves it to MultiKueue, too."""

from __future__ import annotations

import pytest
from kueue_fleet import compile_documents, documents, objects

QUEUE = "kueue.x-k8s.io/queue-name"


def named(kueue: str, dispatch: str = "multikueue") -> tuple[str | None, str]:
    """The queue that the patch puts on the JobSet, and the TrainJob's own."""
    done = compile_documents(documents(kueue, dispatch=dispatch))
    assert done.diagnostics == []
    (job,) = (one for one in objects(done).values() if one["kind"] == "TrainJob")
    (patch,) = job["spec"]["runtimePatches"]
    labels = patch["trainingRuntimeSpec"]["template"].get("metadata", {}).get("labels", {})
    return labels.get(QUEUE), job["metadata"]["labels"][QUEUE]


@pytest.mark.parametrize("kueue", ["0.17.2", "0.18.0", "0.19.0"])
def test_the_compiler_names_it_where_kueue_does_not(kueue: str) -> None:
    found, wanted = named(kueue)
    assert found == wanted


@pytest.mark.parametrize(
    ("kueue", "dispatch"), [("0.17.0", "multikueue"), ("0.17.1", "multikueue"), ("0.19.0", "direct")]
)
def test_elsewhere_nothing_is_added(kueue: str, dispatch: str) -> None:
    assert named(kueue, dispatch)[0] is None
