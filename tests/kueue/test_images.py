"""Images come from where the cluster gets them: its own copy, its mirror, or a place that all clusters of a set have."""

from __future__ import annotations

from typing import Any

import pytest
from kueue_fleet import DIGEST, Document, compile_documents, documents, objects, training

JOB = "hubs/kueue/jobs/job-speech-gang-job.yaml"
PLAIN = f"registry.example.com/trainer@{DIGEST}"


def image(made: dict[str, Any]) -> str:
    found: str = made["spec"]["template"]["spec"]["containers"][0]["image"]
    return found


def mirror(made: dict[str, Document], cluster: str, host: str) -> None:
    made[f"Cluster/{cluster}"]["spec"]["storage"]["registry"] = host


def test_a_cluster_without_a_mirror_takes_the_image_from_its_registry() -> None:
    assert image(objects(compile_documents(documents()))[JOB]) == PLAIN


def test_a_mirror_stands_for_the_registry_whoever_dispatches() -> None:
    made = documents()
    mirror(made, "north", "mirror.north.example.com")
    tree = objects(compile_documents(made))
    assert image(tree[JOB]) == f"mirror.north.example.com/trainer@{DIGEST}"
    trainer = tree["hubs/kueue/jobs/trainjob-speech-gang-trainjob.yaml"]["spec"]["trainer"]
    assert trainer["image"] == f"mirror.north.example.com/trainer@{DIGEST}"
    direct = documents(dispatch="direct")
    mirror(direct, "north", "mirror.north.example.com")
    tree = objects(compile_documents(direct))
    assert image(tree["clusters/north/jobs/job-speech-gang-job.yaml"]) == f"mirror.north.example.com/trainer@{DIGEST}"


def test_a_copy_that_lies_in_the_cluster_needs_no_mirror() -> None:
    made = documents()
    mirror(made, "north", "mirror.north.example.com")
    locations = [
        {"uri": "oci://registry.example.com/trainer"},
        {"cluster": "north", "uri": "oci://own.north.example.com/trainer"},
    ]
    made["Artifact/trainer"]["spec"]["locations"] = locations
    assert image(objects(compile_documents(made))[JOB]) == f"own.north.example.com/trainer@{DIGEST}"


def of_two(*mirrors: str | None) -> dict[str, Any]:
    """A job that the manager may send to either of two clusters of one flavor."""
    made = documents("0.19.2")
    made["Fleet/test"]["spec"]["hubs"]["kueue"]["dispatcher"] = "Incremental"
    for key in [key for key in made if key.startswith(("TrainingIntent/", "BatchIntent/"))]:
        del made[key]
    made["TrainingIntent/gang"] = training("gang", "Job")
    for kind in ("Cluster", "InventorySnapshot"):
        twin = made[f"{kind}/twin"] = {**made[f"{kind}/north"], "metadata": {"name": "twin"}}
        twin["spec"] = {**twin["spec"], **({"failureDomain": "twin"} if kind == "Cluster" else {"cluster": "twin"})}
    for cluster, host in zip(("north", "twin"), mirrors, strict=True):
        spec = made[f"Cluster/{cluster}"]["spec"]
        spec["storage"] = {"objectStore": "s3://both", "classes": {}, **({"registry": host} if host else {})}
    tree = objects(compile_documents(made))
    (config,) = [o for path, o in tree.items() if "multikueueconfig" in path]
    assert len(config["spec"]["clusters"]) == 2
    found: dict[str, Any] = tree["hubs/kueue/jobs/job-speech-gang.yaml"]
    return found


@pytest.mark.parametrize(
    ("mirrors", "wanted"),
    [
        (("same.example.com", "same.example.com"), f"same.example.com/trainer@{DIGEST}"),
        (("one.example.com", "other.example.com"), PLAIN),
        (("one.example.com", None), PLAIN),
    ],
    ids=["one mirror", "two mirrors", "a mirror and none"],
)
def test_a_set_takes_what_all_its_clusters_have(mirrors: tuple[str | None, ...], wanted: str) -> None:
    assert image(of_two(*mirrors)) == wanted
