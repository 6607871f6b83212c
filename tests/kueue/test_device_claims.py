"""Devices that pods claim: templates, pods, and quota for every runtime, and every release and API that cannot have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from golden_trees import hold_to_golden
from kueue_fleet import Document, compile_documents, documents, objects, training
from planting import Tree, set_at

from stowplan.driver import Compilation
from stowplan.kueue.outcome import admissions
from stowplan.kueue.tree import build_tree

CLASS, RESOURCE = "gpu.nvidia.com", "example.com/h200"
MAPPING = [{"resource": RESOURCE, "classes": [CLASS]}]
Edit = Callable[[dict[str, Document]], None]


def fleet(kueue: str = "0.17.0", dispatch: str = "multikueue", **dra: Any) -> dict[str, Document]:
    """The test fleet, whose H200 are handed out by Dynamic Resource Allocation."""
    made = documents(kueue, dispatch=dispatch)
    accelerator = made["InventorySnapshot/north"]["spec"]["nodeGroups"][0]["accelerator"]
    accelerator["dra"] = {"deviceClass": CLASS, **dra}
    for name in ("hub", "north"):
        made[f"Cluster/{name}"]["spec"]["kueue"] = {"configuration": "rendered", "deviceClasses": MAPPING}
    for document in made.values():
        if "topology" in document["spec"] and document["kind"] == "TrainingIntent":
            document["spec"]["topology"] = {"preferred": "block"}  # topologies hold no claimed devices
    return made


def direct() -> dict[str, Document]:
    """Everything that runs a gang, dispatched by nobody, with selectors in the claims."""
    made = fleet(
        "0.19.2",
        "direct",
        attributes={"productName": "NVIDIA H200"},
        capacity={"memory": "140Gi"},
        driver="gpu.nvidia.com",
    )
    made["TrainingIntent/gang-volcano"] = training("gang-volcano", "VolcanoJob")  # one block: Volcano sees to that
    made["WorkspaceIntent/notebooks"] = {
        "apiVersion": "stowplan.io/v1alpha1", "kind": "WorkspaceIntent", "metadata": {"name": "notebooks"},
        "spec": {"tenant": "speech", "users": 3, "perUser": {"accelerators": 1, "cpu": 12, "memory": "96Gi"}},
    }  # fmt: skip
    return made


@pytest.fixture(scope="module")
def dispatched() -> Compilation:
    return compile_documents(fleet())


@pytest.fixture(scope="module")
def placed() -> Compilation:
    return compile_documents(direct())


@pytest.mark.parametrize("name", ["dispatched", "placed"])
def test_golden(name: str, request: pytest.FixtureRequest) -> None:
    done: Compilation = request.getfixturevalue(name)
    assert [d.message for d in done.diagnostics] == []
    folders = ("hubs/kueue/", "clusters/north/")
    units = ("kueue", "jobs", "component-kueue")
    kept = (path for path in done.files or {} if path.startswith(folders) and path.split("/")[2] in units)
    hold_to_golden(f"claims-{name}", done, kept)


def pods_of(made: Any) -> list[dict[str, Any]]:
    """Every pod spec below an object: whatever has containers."""
    if isinstance(made, dict):
        inner = [pod for value in made.values() for pod in pods_of(value)]
        return [made, *inner] if isinstance(made.get("containers"), list) else inner
    return [pod for value in made for pod in pods_of(value)] if isinstance(made, list) else []


RUNTIMES = ("job", "jobset", "trainjob", "pytorchjob", "mpijob", "rayjob", "raycluster", "leaderworkerset", "pods")


@pytest.mark.parametrize("runtime", [*RUNTIMES, "volcano"])
def test_pods_claim_and_ask_for_no_extended_resource(runtime: str, placed: Compilation) -> None:
    mine = {
        path: made for path, made in objects(placed, "clusters/north/jobs/").items()
        if made["metadata"].get("labels", {}).get("stowplan.io/intent") == f"gang-{runtime}"
    }  # fmt: skip
    (template,) = [made for made in mine.values() if made["kind"] == "ResourceClaimTemplate"]
    asked = template["spec"]["spec"]["devices"]["requests"][0]["exactly"]
    assert (asked["deviceClassName"], asked["count"]) == (CLASS, 8)
    working = 0
    for path, made in mine.items():
        for pod in pods_of(made):
            resources = [c.get("resources") or {} for c in (*pod["containers"], *pod.get("initContainers", ()))]
            asked_for = {name for row in resources for part in ("requests", "limits") for name in row.get(part, ())}
            assert asked_for <= {"cpu", "memory", "rdma/hca"}, path
            named = [row["resourceClaimTemplateName"] for row in pod.get("resourceClaims", ())]
            claims = any("claims" in row for row in resources)
            assert (named == [template["metadata"]["name"]]) == claims, path
            working += claims
    assert working >= 1


def test_leaders_claim_nothing(placed: Compilation) -> None:
    tree = objects(placed, "clusters/north/jobs/")
    mpi = tree["clusters/north/jobs/mpijob-speech-gang-mpijob.yaml"]["spec"]["mpiReplicaSpecs"]
    assert "resourceClaims" not in mpi["Launcher"]["template"]["spec"]
    ray = tree["clusters/north/jobs/rayjob-speech-gang-rayjob.yaml"]["spec"]["rayClusterSpec"]
    assert "resourceClaims" not in ray["headGroupSpec"]["template"]["spec"]
    assert ray["workerGroupSpecs"][0]["rayStartParams"] == {"num-gpus": "8"}


def test_selectors_tell_the_devices_from_others_of_the_class(placed: Compilation) -> None:
    tree = objects(placed, "clusters/north/jobs/")
    (template,) = [made for path, made in tree.items() if "resourceclaimtemplate-speech-gang-job-" in path]
    request = template["spec"]["spec"]["devices"]["requests"][0]["exactly"]
    domain = '["gpu.nvidia.com"]'
    assert [row["cel"]["expression"] for row in request["selectors"]] == [
        'device.driver == "gpu.nvidia.com"',
        f'has(device.attributes{domain}.productName) && device.attributes{domain}.productName == "NVIDIA H200"',
        f'has(device.capacity{domain}.memory) && device.capacity{domain}.memory.compareTo(quantity("140Gi")) >= 0',
    ]


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("index", 3, "3"), ("healthy", True, "true"), ("example.com/rack", 'a "b" \\ c', '"a \\"b\\" \\\\ c"'),
        ("label", "h\u00fcbsch \U0001f600", '"h\u00fcbsch \U0001f600"'),
    ],
)  # fmt: skip
def test_attributes_are_data_in_an_expression(name: str, value: Any, wanted: str) -> None:
    """Whatever a snapshot says, the server compiles the selector, and it compares with that very value."""
    done = compile_documents(fleet("0.19.2", "direct", attributes={name: value}))
    assert not [d for d in done.diagnostics if d.code.startswith("SP08")], [d.message for d in done.diagnostics]
    (template,) = [made for path, made in objects(done).items() if "resourceclaimtemplate-speech-gang-job-" in path]
    selectors = template["spec"]["spec"]["devices"]["requests"][0]["exactly"]["selectors"]
    domain, _, plain = name.rpartition("/")
    assert selectors[1]["cel"]["expression"].endswith(f'device.attributes["{domain or CLASS}"].{plain} == {wanted}')


def test_users_of_a_workspace_find_a_template_for_their_share(placed: Compilation) -> None:
    tree = objects(placed, "clusters/north/jobs/")
    (template,) = [made for path, made in tree.items() if "resourceclaimtemplate-speech-notebooks-" in path]
    assert template["spec"]["spec"]["devices"]["requests"][0]["exactly"]["count"] == 1


def test_the_manager_and_the_worker_have_the_template(dispatched: Compilation) -> None:
    tree = objects(dispatched)
    for runtime in RUNTIMES:
        found = [path for path in tree if f"resourceclaimtemplate-speech-gang-{runtime}-accelerators" in path]
        assert sorted(path.split("/")[0] for path in found) == ["clusters", "hubs"], runtime


@pytest.mark.parametrize(
    "queue", ["clusters/north/kueue/clusterqueue-speech.yaml", "hubs/kueue/kueue/clusterqueue-speech-north.yaml"]
)
def test_quota_counts_what_the_class_is_mapped_to(queue: str, dispatched: Compilation) -> None:
    (group,) = objects(dispatched)[queue]["spec"]["resourceGroups"]
    assert RESOURCE in group["coveredResources"] and "nvidia.com/gpu" not in group["coveredResources"]
    (flavor,) = [row for row in group["flavors"] if row["name"] == "h200"]
    assert {row["name"]: row["nominalQuota"] for row in flavor["resources"]}[RESOURCE] == "160"


def test_claims_count_in_the_outcome(dispatched: Compilation) -> None:
    """With quota for one gang of sixteen in the mapped resource, only one is admitted: nothing else counts devices."""
    assert dispatched.fleet is not None and dispatched.plan is not None
    tree = Tree(dispatched)

    def shrink(made: dict[str, Any]) -> None:
        (group,) = made["spec"]["resourceGroups"]
        for flavor in group["flavors"]:
            for row in flavor["resources"]:
                if row["name"] == RESOURCE and flavor["name"] == "h200":
                    row.update(nominalQuota="16", borrowingLimit="0")

    tree.change("clusters/north/kueue/clusterqueue-speech.yaml", shrink)
    found = admissions(build_tree(tree.fleet, tree.plan, tree.objects))
    states = [row.state for row in found if row.intent.startswith("gang-")]
    assert states.count("admitted") == 1
    assert any(RESOURCE in why for row in found for why in row.why)


def version(name: str, kueue: str) -> Edit:
    return lambda made: made[f"Cluster/{name}"]["spec"]["components"].update(kueue=kueue)


def kueue(name: str, **more: Any) -> Edit:
    return lambda made: made[f"Cluster/{name}"]["spec"]["kueue"].update(more)


def kubernetes(name: str, minor: str, *apis: str) -> Edit:
    def edit(made: dict[str, Document]) -> None:
        made[f"Cluster/{name}"]["spec"]["kubernetes"] = f"1.{minor}"
        snapshot = made[f"InventorySnapshot/{name}"]["spec"]
        snapshot["kubernetes"] = f"v1.{minor}.1"
        snapshot["apis"] = [*snapshot["apis"], *apis]

    return edit


def selecting(made: dict[str, Document]) -> None:
    made["InventorySnapshot/north"]["spec"]["nodeGroups"][0]["accelerator"]["dra"]["attributes"] = {
        "productName": "H200"
    }


REFUSED: dict[str, tuple[str, list[Edit], str]] = {
    "Kubernetes before 1.34": (
        "multikueue", [kubernetes("north", "33")], "`north` serves no version of `resource.k8s.io`",
    ),
    "Kubernetes of the manager": ("multikueue", [kubernetes("hub", "33")], "`hub` serves no version of `resource.k8s.io`"),
    "a beta that Kueue does not read": (
        "multikueue", [kubernetes("north", "33", "resource.k8s.io/v1beta2")],
        "Kueue 0.17.0 on `north` reads them as `resource.k8s.io/v1`, which is not served there",
    ),
    "Kueue before 0.14": (
        "direct", [version("north", "0.13.4")], "Kueue 0.13.4 on `north` counts no claims: the first that does is 0.14",
    ),
    "selectors before 0.18": (
        "direct", [selecting], "Kueue 0.17.0 on `north` takes no claims with selectors: the first that does is 0.18",
    ),
    "selectors on a manager": (
        "multikueue", [selecting, version("hub", "0.19.2"), version("north", "0.19.2")],
        "Kueue 0.19.2 on `hub`, the manager, compares selectors with the devices of its own cluster",
    ),
    "no mapping": ("direct", [kueue("north", deviceClasses=[])], f"maps DeviceClass `{CLASS}` to no resource"),
    "no mapping on the manager": (
        "multikueue", [kueue("hub", deviceClasses=[])], f"`hub` maps DeviceClass `{CLASS}` to no resource",
    ),
    "another mapping on the manager": (
        "multikueue", [kueue("hub", deviceClasses=[{"resource": "example.com/other", "classes": [CLASS]}])],
        f"counts as `{RESOURCE}` on `north` and as `example.com/other` on its manager `hub`",
    ),
    "gate not known to be on": (
        "direct", [kueue("north", configuration="external")], "gate DynamicResourceAllocation is off",
    ),
    "gate turned off": (
        "direct", [version("north", "0.19.2"), kueue("north", featureGates={"KueueDRAIntegration": False})],
        "gate KueueDRAIntegration is off",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_claim_is_refused_by_name(case: str) -> None:
    dispatch, edits, words = REFUSED[case]
    done = compile_documents(fleet(dispatch=dispatch), edits)
    assert done.plan is not None
    placement = done.plan.placements["gang-job"]
    assert not placement.assignments
    messages = [r.reason.message for r in placement.rejections if r.reason.predicate.value == "device-claims"]
    assert any(words in message for message in messages), messages


@pytest.mark.parametrize(
    "edits",
    [
        [kueue("north", configuration="external", featureGates={"DynamicResourceAllocation": True})],
        [kueue("north", configuration="external"), version("north", "0.19.2")],
        [selecting, version("north", "0.18.0")],
    ],
    ids=["gate stated", "gate on by default", "selectors from 0.18"],
)
def test_what_can_claim_is_placed(edits: list[Edit]) -> None:
    done = compile_documents(fleet(dispatch="direct"), edits)
    assert done.plan is not None and done.plan.placements["gang-job"].assignments
    assert not [d for d in done.diagnostics if d.code == "SP2097"]


def test_a_gate_that_the_snapshot_saw_counts() -> None:
    def edit(made: dict[str, Document]) -> None:
        made["Cluster/north"]["spec"]["kueue"]["configuration"] = "external"
        made["InventorySnapshot/north"]["spec"]["kueue"] = {"featureGates": {"DynamicResourceAllocation": True}}

    done = compile_documents(fleet(dispatch="direct"), [edit])
    assert done.plan is not None and done.plan.placements["gang-job"].assignments


def test_work_outside_kueue_needs_no_mapping() -> None:
    made = fleet(dispatch="direct")
    made["TrainingIntent/gang-volcano"] = training("gang-volcano", "VolcanoJob")
    done = compile_documents(made, [kueue("north", deviceClasses=[])])
    assert done.plan is not None and done.plan.placements["gang-volcano"].assignments


@pytest.mark.parametrize(
    ("minor", "served", "api"),
    [
        ("32", ["v1beta1"], "v1beta1"),
        ("33", ["v1beta1", "v1beta2"], "v1beta2"),
        ("35", ["v1beta2", "v1"], "v1"),
        ("34", [], "v1"),
    ],
)
def test_the_newest_api_that_is_served_is_rendered(minor: str, served: list[str], api: str) -> None:
    made = fleet(dispatch="direct")
    for key in [key for key in made if key.startswith(("TrainingIntent/", "BatchIntent/"))]:
        del made[key]
    made["TrainingIntent/gang"] = training("gang", "VolcanoJob")
    done = compile_documents(made, [kubernetes("north", minor, *(f"resource.k8s.io/{v}" for v in served))])
    assert not [d for d in done.diagnostics if d.code.startswith("SP08")]
    (template,) = [made for path, made in objects(done).items() if "resourceclaimtemplate" in path]
    assert template["apiVersion"] == f"resource.k8s.io/{api}"
    (request,) = template["spec"]["spec"]["devices"]["requests"]
    asked = request if api == "v1beta1" else request["exactly"]
    assert (asked["deviceClassName"], asked["allocationMode"], asked["count"]) == (CLASS, "ExactCount", 8)


def test_two_ways_in_one_flavor_contradict_each_other() -> None:
    def edit(made: dict[str, Document]) -> None:
        spec = made["InventorySnapshot/north"]["spec"]
        groups = spec["nodeGroups"]
        accelerator = {k: v for k, v in groups[0]["accelerator"].items() if k != "dra"}
        spec["nodeGroups"] = [*groups, {**groups[0], "name": "more", "accelerator": accelerator, "nodes": 0}]

    (found,) = [d for d in compile_documents(fleet(), [edit]).diagnostics if d.code == "SP0402"]
    assert "hand out their devices in two ways" in found.message


def test_classes_are_mapped_once() -> None:
    twice = [*MAPPING, {"resource": "example.com/other", "classes": [CLASS]}]
    (found,) = [
        d for d in compile_documents(fleet(), [kueue("north", deviceClasses=twice)]).diagnostics if d.code == "SP0317"
    ]
    assert CLASS in found.message


def test_a_runtime_of_the_users_takes_no_claims() -> None:
    def edit(made: dict[str, Document]) -> None:
        made["TrainingIntent/gang-trainjob"]["spec"]["options"] = {"runtime": "torch-distributed"}
        for name in ("hub", "north"):
            made[f"InventorySnapshot/{name}"]["spec"]["runtimes"] = ["torch-distributed"]

    found = [d.message for d in compile_documents(fleet(), [edit]).diagnostics if d.code == "SP2103"]
    assert len(found) == 1 and "no TrainJob can bring claims" in found[0]


TEMPLATE = "hubs/kueue/jobs/resourceclaimtemplate-speech-gang-job-accelerators-541ba6.yaml"
WORKERS = TEMPLATE.replace("hubs/kueue", "clusters/north")
JOB = "hubs/kueue/jobs/job-speech-gang-job.yaml"
REQUEST = ("spec", "spec", "devices", "requests", 0)
CONTAINER = ("spec", "template", "spec", "containers", 0, "resources", "requests")


def _shared(made: dict[str, Any]) -> None:
    made["spec"]["template"]["spec"]["resourceClaims"] = [{"name": "accelerators", "resourceClaimName": "one"}]


def _alternatives(made: dict[str, Any]) -> None:
    request = made["spec"]["spec"]["devices"]["requests"][0]
    request["firstAvailable"] = [{"name": "one", **request.pop("exactly")}]


PLANTED: dict[str, tuple[Callable[[Tree], None], str]] = {
    "template missing on the manager": (lambda tree: tree.drop(TEMPLATE), "which is not rendered in namespace `speech` for `hub`"),
    "template missing on the worker": (lambda tree: tree.drop(WORKERS), "which is not rendered in namespace `speech` for `north`"),
    "a claim that pods share": (lambda tree: tree.change(JOB, _shared), "share the ResourceClaim `one`"),
    "a class without mapping": (
        lambda tree: tree.change(TEMPLATE, set_at(*REQUEST, "exactly", "deviceClassName")("mig.nvidia.com")),
        "DeviceClass `mig.nvidia.com`, which Kueue 0.17.0 on `hub` maps to no resource",
    ),
    "all devices": (
        lambda tree: tree.change(TEMPLATE, set_at(*REQUEST, "exactly", "allocationMode")("All")), "asks for all devices that match",
    ),
    "admin access": (
        lambda tree: tree.change(TEMPLATE, set_at(*REQUEST, "exactly", "adminAccess")(True)), "asks for admin access",
    ),
    "selectors": (
        lambda tree: tree.change(TEMPLATE, set_at(*REQUEST, "exactly", "selectors")([{"cel": {"expression": "true"}}])),
        "has selectors, and Kueue 0.17.0 on `hub` admits no claims with selectors",
    ),
    "alternatives": (lambda tree: tree.change(TEMPLATE, _alternatives), "gives alternatives (`firstAvailable`)"),
    "constraints": (
        lambda tree: tree.change(
            TEMPLATE, set_at("spec", "spec", "devices", "constraints")([{"matchAttribute": "example.com/numa"}])
        ),
        "admits no job whose claims have `constraints`",
    ),
    "the extended resource besides": (
        lambda tree: tree.change(JOB, set_at(*CONTAINER, RESOURCE)("8")), f"claim devices and ask for `{RESOURCE}` besides",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", PLANTED)
def test_planted(case: str, dispatched: Compilation) -> None:
    plant, words = PLANTED[case]
    tree = Tree(dispatched)
    assert tree.findings() == []
    plant(tree)
    found = [message for code, message in tree.findings() if code == "SP2097"]
    assert any(words in message for message in found), found


def test_releases_that_take_more() -> None:
    """From 0.20 on admin access counts as nothing; from 0.18.2 constraints do no harm."""
    done = compile_documents(fleet("0.20.0", "direct"))
    tree = Tree(done)
    tree.change(WORKERS, set_at(*REQUEST, "exactly", "adminAccess")(True))
    tree.change(WORKERS, set_at("spec", "spec", "devices", "constraints")([{"matchAttribute": "example.com/numa"}]))
    assert [message for code, message in tree.findings() if code == "SP2097"] == []


def test_a_worker_that_does_not_cover_the_class_is_named(dispatched: Compilation) -> None:
    tree = Tree(dispatched)

    def uncover(made: dict[str, Any]) -> None:
        (group,) = made["spec"]["resourceGroups"]
        group["coveredResources"].remove(RESOURCE)
        for flavor in group["flavors"]:
            flavor["resources"] = [row for row in flavor["resources"] if row["name"] != RESOURCE]

    tree.change("clusters/north/kueue/clusterqueue-speech.yaml", uncover)
    found = [message for code, message in tree.findings() if code == "SP2050"]
    assert any(f"asks for `{RESOURCE}`, which its queue on `north` does not cover" in message for message in found)


def test_the_managers_quota_is_compared_in_what_counts_devices(dispatched: Compilation) -> None:
    """SP2055 goes by the fleet's accelerators, whatever they are called, and by nothing else."""

    def more(resource: str) -> list[str]:
        tree = Tree(dispatched)

        def change(made: dict[str, Any]) -> None:
            for flavor in made["spec"]["resourceGroups"][0]["flavors"]:
                for row in flavor["resources"]:
                    if row["name"] == resource:
                        row["nominalQuota"] = "100k"

        tree.change("hubs/kueue/kueue/clusterqueue-speech-north.yaml", change)
        return [message for code, message in tree.findings() if code == "SP2055"]

    (found,) = more(RESOURCE)
    assert f"of `{RESOURCE}`" in found
    assert more("cpu") == []


def test_topologies_take_no_claims(placed: Compilation) -> None:
    """The flavor loses its topology where its devices are claimed, and keeps it where they are not."""
    tree = objects(placed)
    assert "topologyName" not in tree["clusters/north/kueue/resourceflavor-h200.yaml"]["spec"]
    assert tree["clusters/south/kueue/resourceflavor-spot.yaml"]["spec"]["topologyName"] == "fabric"
    assert "podset-" not in str(tree["clusters/north/jobs/job-speech-gang-job.yaml"])


def test_a_gang_that_requires_a_level_goes_elsewhere() -> None:
    def edit(made: dict[str, Document]) -> None:
        made["TrainingIntent/gang-job"]["spec"]["topology"] = {"required": "block"}

    done = compile_documents(fleet(), [edit])
    assert done.plan is not None and not done.plan.placements["gang-job"].assignments
    messages = [r.reason.message for r in done.plan.placements["gang-job"].rejections]
    assert any("its topologies do not count them" in message for message in messages)


def test_a_topology_put_on_the_flavor_takes_nothing(dispatched: Compilation) -> None:
    tree = Tree(dispatched)
    tree.change("clusters/north/kueue/resourceflavor-h200.yaml", set_at("spec", "topologyName")("fabric"))
    found = [message for code, message in tree.findings() if code == "SP2093"]
    assert any("its topology takes no pods that claim devices" in message for message in found), tree.findings()


def test_a_job_of_the_gate_off_is_said_so(dispatched: Compilation) -> None:
    """A hand-written job on a cluster whose Kueue counts no claims runs past its quota."""
    tree = Tree(compile_documents(fleet(dispatch="direct")))
    spec = tree.fleet.clusters["north"].entity.spec
    settings = spec.kueue.model_copy(update={"feature_gates": {"DynamicResourceAllocation": False}})
    object.__setattr__(tree.fleet.clusters["north"].entity, "spec", spec.model_copy(update={"kueue": settings}))
    found = [message for code, message in tree.findings() if code == "SP2097"]
    assert any("gate DynamicResourceAllocation is off" in message for message in found)
