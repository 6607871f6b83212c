"""Services without Karmada: every object of one cluster, and what changes it."""

from __future__ import annotations

from typing import Any

import pytest
from inference_fleet import SERVICE, Edit, compiled, findings, objects, sound, value

from stowplan.model.handedover import is_handed_over
from stowplan.schemas import fleet_schemas

UNIT, TRAFFIC = "clusters/north/inference", "clusters/north/traffic"
ASR = "fleet/asr.yaml"
ONE_MODEL = """  locations:
    - {cluster: north, uri: "oci://registry.north.example.com/models/asr"}
    - {cluster: south, uri: "oci://registry.south.example.com/models/asr"}
"""


def pod(done: Any, name: str = "Deployment/asr") -> dict[str, Any]:
    found: dict[str, Any] = value(done, UNIT, name)["spec"]["template"]["spec"]
    return found


def model_at(uri: str) -> Edit:
    return "fleet/fleet.yaml", ONE_MODEL, f'  locations:\n    - {{uri: "{uri}"}}\n'


def test_the_whole_unit() -> None:
    assert sorted(objects(sound(), UNIT)) == [
        "ConfigMap/asr-picker",
        "DaemonSet/asr-prewarm",
        "Deployment/asr",
        "Deployment/asr-picker",
        "HorizontalPodAutoscaler/asr",
        "InferencePool/asr",
        "NetworkPolicy/asr",
        "NetworkPolicy/asr-picker",
        "PodDisruptionBudget/asr",
        "Role/asr-picker",
        "RoleBinding/asr-picker",
        "Service/asr-picker",
        "ServiceAccount/asr-picker",
        "ServiceAccount/asr-server",
    ]
    assert sorted(objects(sound(), TRAFFIC)) == ["DestinationRule/asr-picker", "Gateway/inference", "HTTPRoute/asr"]


@pytest.mark.parametrize("dispatch", ["direct", "karmada"])
def test_every_object_is_accepted_and_comes_back_unchanged(dispatch: str) -> None:
    done = sound(dispatch=dispatch)
    assert done.rendered is not None and done.fleet is not None
    schemas_for = fleet_schemas(done.fleet)
    judged = 0
    for made in done.rendered.objects:
        if made.unit.name not in ("inference", "traffic"):
            continue
        kind = schemas_for(made.unit.target).kind(made.api_version, made.kind)
        assert kind is not None, made.reference
        verdict = kind.judge(made.object)
        assert verdict.accepted, (made.reference, verdict.errors)
        stored = kind.normalise(made.object)
        if "replicas" not in made.object.get("spec", {}) and is_handed_over(made.object, ("spec", "replicas")):
            stored["spec"].pop("replicas", None)
        assert stored == made.object, made.reference
        judged += 1
    assert judged > 15


def test_pool_picker_and_route_agree() -> None:
    done = sound()
    pool = value(done, UNIT, "InferencePool/asr")["spec"]
    server, picker = value(done, UNIT, "Deployment/asr"), value(done, UNIT, "Deployment/asr-picker")
    service = value(done, UNIT, "Service/asr-picker")["spec"]
    labels = server["spec"]["template"]["metadata"]["labels"]
    assert pool["selector"]["matchLabels"].items() <= labels.items()
    for other in ("Deployment/asr-picker", "DaemonSet/asr-prewarm"):
        theirs = value(done, UNIT, other)["spec"]["template"]["metadata"]["labels"]
        assert not pool["selector"]["matchLabels"].items() <= theirs.items()
    ports = [p["containerPort"] for p in pod(done)["containers"][0]["ports"]]
    assert [p["number"] for p in pool["targetPorts"]] == ports == [8000]
    assert pool["endpointPickerRef"]["name"] == "asr-picker"
    assert pool["endpointPickerRef"]["port"]["number"] in [p["port"] for p in service["ports"]]
    assert service["selector"].items() <= picker["spec"]["template"]["metadata"]["labels"].items()
    arguments = picker["spec"]["template"]["spec"]["containers"][0]["args"]
    assert {"--pool-name=asr", "--pool-namespace=speech", "--pool-group=inference.networking.k8s.io"} <= set(arguments)
    route = value(done, TRAFFIC, "HTTPRoute/asr")["spec"]
    assert route["rules"][0]["backendRefs"] == [
        {"group": "inference.networking.k8s.io", "kind": "InferencePool", "name": "asr", "weight": 1}
    ]
    rule = value(done, TRAFFIC, "DestinationRule/asr-picker")
    assert rule["spec"]["host"] == "asr-picker.speech.svc.cluster.local"


def test_the_gateway_may_reach_what_it_routes_to() -> None:
    done = sound()
    gateway = value(done, TRAFFIC, "Gateway/inference")
    for policy, port in (("NetworkPolicy/asr", 8000), ("NetworkPolicy/asr-picker", 9002)):
        way = value(done, UNIT, policy)["spec"]["ingress"][0]
        assert way["ports"] == [{"port": port, "protocol": "TCP"}]
        source = way["from"][0]
        names = source["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"]
        assert names == gateway["metadata"]["namespace"]
        assert source["podSelector"]["matchLabels"]["gateway.networking.k8s.io/gateway-name"] == "inference"
    there = objects(done, "clusters/north/tenancy")
    assert "Namespace/inference-gateway" in there


def test_each_cluster_has_its_own_copy_registry_and_identity() -> None:
    done = sound(("fleet/south.yaml", "  storage:", "  identity: arn:aws:iam::1:role/models\n  storage:"))
    for cluster in ("north", "south"):
        made = value(done, f"clusters/{cluster}/inference", "Deployment/asr")["spec"]["template"]["spec"]
        registry = f"registry.{cluster}.example.com"
        assert made["containers"][0]["image"].startswith(f"{registry}/vllm@sha256:33")
        model = next(v for v in made["volumes"] if v["name"] == "model")
        assert model["image"]["reference"].startswith(f"{registry}/models/asr@sha256:11")
    account = value(done, "clusters/south/inference", "ServiceAccount/asr-server")
    assert account["metadata"]["annotations"] == {"eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/models"}
    assert "annotations" not in value(done, UNIT, "ServiceAccount/asr-server")["metadata"]


def test_scaling() -> None:
    scaler = value(sound(), UNIT, "HorizontalPodAutoscaler/asr")["spec"]
    assert (scaler["minReplicas"], scaler["maxReplicas"]) == (3, 6)
    assert "replicas" not in value(sound(), UNIT, "Deployment/asr")["spec"]
    fixed = sound((ASR, "by: hpa", "by: none"))
    assert "HorizontalPodAutoscaler/asr" not in objects(fixed, UNIT)
    assert value(fixed, UNIT, "Deployment/asr")["spec"]["replicas"] == 3
    more = compiled((ASR, "max: 6", "max: 2"))
    assert not more.failed()
    assert ("SP0730", ASR, 16) in findings(more)
    assert value(more, UNIT, "HorizontalPodAutoscaler/asr")["spec"]["maxReplicas"] == 3


def test_start_and_end() -> None:
    made = pod(sound((ASR, "limit: 10m", "limit: 25m")))
    container = made["containers"][0]
    probe = container["startupProbe"]
    assert probe["periodSeconds"] * probe["failureThreshold"] == 1500
    assert made["terminationGracePeriodSeconds"] > container["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert (
        value(sound((ASR, "limit: 10m", "limit: 25m")), UNIT, "Deployment/asr")["spec"]["progressDeadlineSeconds"]
        > 1500
    )


def test_engines_wait_as_long_as_a_start_takes() -> None:
    done = sound(("fleet/north.yaml", "engine: argocd", "engine: flux"), (ASR, "limit: 10m", "limit: 25m"))
    assert done.rendered is not None
    made = {o.name: o.object for o in done.rendered.objects if o.kind == "Kustomization" and "flux" in o.path}
    assert made["north-inference"]["spec"]["timeout"] == "30m"
    assert made["north-traffic"]["spec"]["dependsOn"] == [{"name": "north-inference"}]
    assert made["north-tenancy"]["spec"]["timeout"] == "5m"


def test_a_replica_on_several_nodes() -> None:
    done = sound((ASR, "accelerators: 2, cpu: 24, memory: 180Gi", "accelerators: 8, nodes: 2, cpu: 48, memory: 360Gi"))
    made = value(done, UNIT, "LeaderWorkerSet/asr")["spec"]
    assert "Deployment/asr" not in objects(done, UNIT)
    template = made["leaderWorkerTemplate"]
    assert template["size"] == 2
    for part in ("leaderTemplate", "workerTemplate"):
        container = template[part]["spec"]["containers"][0]
        assert container["resources"] == {
            "limits": {"memory": "180Gi", "nvidia.com/gpu": "4"},
            "requests": {"cpu": "24", "memory": "180Gi", "nvidia.com/gpu": "4"},
        }
        assert "--tensor-parallel-size=4" in container["args"]
    leader, worker = (template[p]["spec"]["containers"][0]["args"] for p in ("leaderTemplate", "workerTemplate"))
    assert "--headless" in worker and "--headless" not in leader
    pool = value(done, UNIT, "InferencePool/asr")["spec"]["selector"]["matchLabels"]
    assert pool["leaderworkerset.sigs.k8s.io/worker-index"] == "0"
    budget = value(done, UNIT, "PodDisruptionBudget/asr")["spec"]["selector"]["matchLabels"]
    assert not budget.items() <= template["workerTemplate"]["metadata"]["labels"].items()
    assert value(done, UNIT, "HorizontalPodAutoscaler/asr")["spec"]["scaleTargetRef"]["kind"] == "LeaderWorkerSet"


CLAIMED: Edit = (
    "fleet/inventory-north.yaml", "memory: 46068Mi}", "memory: 46068Mi, dra: {deviceClass: gpu.nvidia.com}}",
)  # fmt: skip


def claim_template(done: Any) -> dict[str, Any]:
    (found,) = [
        o for name, o in objects(done, UNIT).items() if name.startswith("ResourceClaimTemplate/asr-accelerators-")
    ]
    made: dict[str, Any] = found.object
    return made


@pytest.mark.parametrize("dispatch", ["direct", "karmada"])
def test_servers_claim_devices_where_they_are_handed_out_by_claims(dispatch: str) -> None:
    """The template comes by GitOps whoever carries the servers: the devices are the member's own. No Kueue is asked."""
    done = sound(CLAIMED, dispatch=dispatch)
    template = claim_template(done)
    assert template["apiVersion"] == "resource.k8s.io/v1"
    (request,) = template["spec"]["spec"]["devices"]["requests"]
    assert request["exactly"] == {"deviceClassName": "gpu.nvidia.com", "allocationMode": "ExactCount", "count": 2}
    if dispatch == "direct":
        spec = pod(done)
        assert spec["resourceClaims"] == [
            {"name": "accelerators", "resourceClaimTemplateName": template["metadata"]["name"]}
        ]
        (server,) = spec["containers"]
        assert server["resources"]["claims"] == [{"name": "accelerators"}]
        assert set(server["resources"]["limits"]) == {"memory"}
        assert "--tensor-parallel-size=2" in server["args"]
        south = value(done, "clusters/south/inference", "Deployment/asr")["spec"]["template"]["spec"]
        assert "resourceClaims" not in south and "nvidia.com/gpu" in south["containers"][0]["resources"]["limits"]


def test_every_node_of_a_replica_claims_its_share() -> None:
    done = sound(
        CLAIMED, (ASR, "accelerators: 2, cpu: 24, memory: 180Gi", "accelerators: 8, nodes: 2, cpu: 48, memory: 360Gi")
    )
    template = claim_template(done)
    assert template["spec"]["spec"]["devices"]["requests"][0]["exactly"]["count"] == 4
    group = value(done, UNIT, "LeaderWorkerSet/asr")["spec"]["leaderWorkerTemplate"]
    for part in ("leaderTemplate", "workerTemplate"):
        spec = group[part]["spec"]
        assert [row["resourceClaimTemplateName"] for row in spec["resourceClaims"]] == [template["metadata"]["name"]]
        assert spec["containers"][0]["resources"]["claims"] == [{"name": "accelerators"}]


def test_another_size_is_another_template() -> None:
    """A template can never be changed; servers roll over to the new one."""
    before, after = (
        claim_template(sound(CLAIMED, *more)) for more in ((), ((ASR, "accelerators: 2", "accelerators: 4"),))
    )
    assert before["metadata"]["name"] != after["metadata"]["name"]


def test_servers_that_cannot_claim_go_elsewhere() -> None:
    older: tuple[Edit, ...] = (
        CLAIMED, ("fleet/north.yaml", 'kubernetes: "1.36"', 'kubernetes: "1.33"'),
        ("fleet/inventory-north.yaml", "kubernetes: v1.36.3", "kubernetes: v1.33.4"),
    )  # fmt: skip
    done = compiled(*older)
    assert done.plan is not None
    messages = [r.reason.message for r in done.plan.placements["asr"].rejections if r.cluster == "north"]
    assert any("serves no version of `resource.k8s.io`" in message for message in messages)


def test_several_nodes_need_leaderworkersets_in_the_cluster() -> None:
    edits: tuple[Edit, ...] = (
        (ASR, "accelerators: 2, cpu", "accelerators: 8, nodes: 2, cpu"),
        ("fleet/south.yaml", ", lws: 0.10.0", ""),
    )
    done = compiled(*edits)
    assert done.plan is not None
    assert "south" not in [a.cluster for a in done.plan.placements["asr"].assignments]
    said = {r.reason.predicate.value for r in done.plan.placements["asr"].rejections if r.cluster == "south"}
    assert "runtime" in said


MODELS = {
    "pvc://models/asr/3": ("/models/model/asr/3", {"persistentVolumeClaim": {"claimName": "models", "readOnly": True}}),
    "hf://example/asr-large": ("example/asr-large", None),
    "s3://bucket/asr": ("s3://bucket/asr", None),
    "registry.example.com/models/asr": (
        "/models/model",
        {"image": {"pullPolicy": "IfNotPresent", "reference": f"registry.example.com/models/asr@sha256:{'1' * 64}"}},
    ),
}


@pytest.mark.parametrize("uri", MODELS)
def test_where_the_model_lies(uri: str) -> None:
    argument, volume = MODELS[uri]
    made = pod(sound(model_at(uri)))
    assert made["containers"][0]["args"][0] == argument
    found = [{k: v for k, v in one.items() if k != "name"} for one in made["volumes"] if one["name"] == "model"]
    assert found == ([] if volume is None else [volume])


def test_prewarming_pulls_what_the_servers_need() -> None:
    done = sound()
    warm, server = pod(done, "DaemonSet/asr-prewarm"), pod(done)
    pulled = {v["image"]["reference"] for v in warm["volumes"]}
    assert pulled == {server["containers"][0]["image"], server["volumes"][2]["image"]["reference"]}
    assert warm["nodeSelector"] == server["nodeSelector"] and warm["tolerations"] == server["tolerations"]
    assert "nvidia.com/gpu" not in warm["containers"][0]["resources"]["limits"]
    lost = compiled(model_at("hf://example/asr"))
    assert ("SP0731", ASR, 15) in findings(lost) and not lost.failed()
    assert "DaemonSet/asr-prewarm" not in objects(sound((ASR, "  prewarm: true\n", "")), UNIT)


def test_older_clusters_pull_the_image_by_running_it() -> None:
    old = [(f"fleet/{c}.yaml", 'kubernetes: "1.36"', 'kubernetes: "1.34"') for c in ("north", "south")]
    seen = [(f"fleet/inventory-{c}.yaml", "v1.36.3", "v1.34.1") for c in ("north", "south")]
    warm = pod(sound(*old, *seen, model_at("pvc://models/asr")), "DaemonSet/asr-prewarm")
    assert warm["initContainers"][0]["command"] == ["true"] and "volumes" not in warm


def test_other_engines() -> None:
    done = sound((ASR, "type: vllm", "type: sglang"), (ASR, ', args: [--max-model-len, "8192"]', ""))
    container = pod(done)["containers"][0]
    assert container["command"] == ["python3", "-m", "sglang.launch_server"]
    assert "--model-path=/models/model" in container["args"] and "--tp-size=2" in container["args"]
    assert "defaultEngine: sglang" in value(done, UNIT, "ConfigMap/asr-picker")["data"]["picker.yaml"]
    triton = sound((ASR, "type: vllm", "type: triton"), (ASR, ', args: [--max-model-len, "8192"]', ""))
    assert "passthrough-parser" in value(triton, UNIT, "ConfigMap/asr-picker")["data"]["picker.yaml"]
    assert value(triton, UNIT, "NetworkPolicy/asr")["spec"]["ingress"][1]["ports"][0]["port"] == 8002
    rewrite = value(triton, TRAFFIC, "HTTPRoute/asr")["spec"]["rules"][0]["filters"][0]["urlRewrite"]["path"]
    assert rewrite["replacePrefixMatch"] == "/v2"


def test_a_picker_of_ones_own() -> None:
    own = """apiVersion: stowplan.io/v1alpha1
kind: Artifact
metadata:
  name: endpoint-picker
spec:
  type: image
  version: 9.9.9
  digest: sha256:9999999999999999999999999999999999999999999999999999999999999999
  size: 100Mi
  locations: [{uri: "oci://registry.example.com/mine/picker"}]
"""
    made = pod(sound(more={"fleet/picker.yaml": own}), "Deployment/asr-picker")
    assert made["containers"][0]["image"] == f"registry.north.example.com/mine/picker@sha256:{'9' * 64}"


def test_monitors_only_where_they_are_known() -> None:
    edit = ("fleet/inventory-north.yaml", "apis: [", "apis: [monitoring.coreos.com/v1, ")
    done = sound(edit)
    assert "PodMonitor/asr" in objects(done, UNIT)
    assert "PodMonitor/asr" not in objects(done, "clusters/south/inference")


def test_tls_once_the_certificate_is_there() -> None:
    edit = ("fleet/inventory-north.yaml", "  apis:", "  secrets: [inference-gateway/inference-gateway-tls]\n  apis:")
    done = sound(edit)
    listener = value(done, TRAFFIC, "Gateway/inference")["spec"]["listeners"][0]
    assert (listener["name"], listener["port"], listener["protocol"]) == ("https", 443, "HTTPS")
    assert value(done, TRAFFIC, "HTTPRoute/asr")["spec"]["parentRefs"][0]["sectionName"] == "https"
    plain = compiled(("fleet/inventory-north.yaml", "  apis:", "  secrets: []\n  apis:"))
    assert ("SP0733", "fleet/north.yaml", 18) in findings(plain) and not plain.failed()


SECOND = SERVICE.replace("name: asr", "name: other")
MISTAKES: dict[str, tuple[tuple[Edit, ...], dict[str, str], tuple[str, str, int]]] = {
    "gateway-version": ((("fleet/north.yaml", "gateway-api: 1.5.1", "gateway-api: 1.4.0"),), {}, ("SP0720", "fleet/north.yaml", 16)),
    "no-istio": ((("fleet/north.yaml", ", istio: 1.30.1", ""),), {}, ("SP0720", "fleet/north.yaml", 16)),
    "gateway-class": ((("fleet/north.yaml", "class: istio", "class: nginx"),), {}, ("SP0720", "fleet/north.yaml", 18)),
    "image-volumes": (
        (
            ("fleet/north.yaml", 'kubernetes: "1.36"', 'kubernetes: "1.33"'),
            ("fleet/inventory-north.yaml", "v1.36.3", "v1.33.1"),
        ),
        {},
        ("SP0722", "fleet/fleet.yaml", 57),
    ),
    "model-uri": ((model_at("https://example.com/asr.tar"),), {}, ("SP0723", "fleet/fleet.yaml", 57)),
    "own-flag": (((ASR, "--max-model-len", "--port=9000"),), {}, ("SP0724", ASR, 8)),
    "served-name": (((ASR, "type: vllm", "type: tgi"), (ASR, "  model: model", "  model: model\n  servedName: x")), {}, ("SP0725", ASR, 8)),
    "nodes": (((ASR, "type: vllm", "type: tgi"), (ASR, "accelerators: 2,", "accelerators: 2, nodes: 2,")), {}, ("SP0726", ASR, 9)),
    "keda": (((ASR, "by: hpa", "by: keda"),), {}, ("SP0729", ASR, 16)),
    "metric": (((ASR, "type: vllm", "type: tgi"), (ASR, "by: hpa", "by: hpa, metric: kv-cache")), {}, ("SP0729", ASR, 16)),
    "bad-path": (((ASR, "/v1/asr", "/v1//asr"),), {}, ("SP0732", ASR, 17)),
    "same-path": ((), {"fleet/other.yaml": SECOND}, ("SP0732", "fleet/other.yaml", 17)),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str) -> None:
    edits, more, expected = MISTAKES[name]
    done = compiled(*edits, more=more)
    assert done.failed() and done.files is None
    assert expected in findings(done)


def test_long_names_stay_labels() -> None:
    name = "a" * 63
    done = sound((ASR, "name: asr", f"name: {name}"))
    made = objects(done, UNIT)
    assert f"Deployment/{name}" in made
    names = [o.name for o in made.values()]
    assert max(map(len, names)) <= 63 and len(set(names)) == len({n.lower() for n in names})
    pickers = [n for n in names if n.endswith("-picker")]
    assert pickers and all(len(n) <= 63 for n in pickers)


def test_nothing_is_rendered_for_what_is_suspended() -> None:
    done = sound((ASR, "  tenant: speech", "  tenant: speech\n  state: suspended"))
    assert objects(done, UNIT) == {} and objects(done, TRAFFIC) == {}
