"""Names within the kinds' limits: readable, stable, and different for different intents."""

from __future__ import annotations

import pytest
from kueue_fleet import compile_documents, documents, objects, training

from stowplan.passes.lower.kueue.names import joined_name, limited_name

LONG = "a-very-long-name-of-an-intent-that-a-team-gave-it-in-good-humour"[:63]


def test_a_name_that_fits_stays() -> None:
    assert limited_name("asr-pretrain", 47) == "asr-pretrain"


def test_a_long_name_keeps_its_beginning_and_differs_by_its_end() -> None:
    one, other = limited_name(LONG + "1", 47), limited_name(LONG + "2", 47)
    assert one != other and len(one) == len(other) <= 47
    assert one.startswith("a-very-long-name-of-an-intent") and one.split("-")[-2] != ""


def test_kinds_after_rfc_1035_start_with_a_letter() -> None:
    assert limited_name("3d-model", letter_first=True) == "w-3d-model"
    assert limited_name("3d-model") == "3d-model"


def test_parts_are_joined() -> None:
    assert joined_name(("speech", "north")) == "speech-north"
    assert len(joined_name(("x" * 60, "y" * 60))) == 63


LIMITS = {
    "Job": 61,
    "JobSet": 63 - len("-workers-0-1-xxxxx"),
    "TrainJob": 63 - len("-node-0-1-xxxxx"),
    "RayJob": 47,
    "RayCluster": 53,
}


@pytest.mark.parametrize("runtime", LIMITS)
def test_rendered_names_fit(runtime: str) -> None:
    made = {k: v for k, v in documents().items() if not k.startswith(("TrainingIntent/", "BatchIntent/"))}
    made[f"TrainingIntent/{LONG}"] = training(LONG, runtime)
    done = compile_documents(made)
    assert not done.diagnostics
    (name,) = [o["metadata"]["name"] for o in objects(done, "hubs/kueue/jobs/").values()]
    assert len(name) <= LIMITS[runtime]
    assert name.startswith("a-very-long-name-of-an-intent")


def test_sets_whose_names_would_be_equal_are_told_apart() -> None:
    made = {k: v for k, v in documents().items() if not k.startswith(("TrainingIntent/", "BatchIntent/"))}
    for tenant, cluster in (("a-b", "c"), ("a", "b-c")):
        spec = dict(made["Tenant/speech"]["spec"], namespaces=[f"{tenant}x"])
        made[f"Tenant/{tenant}"] = {**made["Tenant/speech"], "metadata": {"name": tenant}, "spec": spec}
        for kind in ("Cluster", "InventorySnapshot"):
            one = made[f"{kind}/north"]
            own = {"failureDomain": cluster} if kind == "Cluster" else {"cluster": cluster}
            made[f"{kind}/{cluster}"] = {**one, "metadata": {"name": cluster}, "spec": {**one["spec"], **own}}
        made[f"TrainingIntent/job-{tenant}"] = training(f"job-{tenant}", "JobSet", tenant=tenant, clusters=[cluster])
    done = compile_documents(made)
    assert not done.failed(), done.diagnostics
    names = [o["metadata"]["name"] for p, o in objects(done, "hubs/kueue/kueue/multikueueconfig").items()]
    assert len(names) == 2 and all(name.startswith("a-b-c-") for name in names)
