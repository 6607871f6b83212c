"""A small fleet for the tests of Kueue: a hub, three members, two tenants, and one intent of every runtime."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

import yaml

from stowplan.driver import Compilation, compile_workspace
from stowplan.source.files import SourceTree

Document = dict[str, Any]
Edit = Callable[[dict[str, Document]], None]

DIGEST = "sha256:" + "2" * 64
COMPONENTS = {
    "jobset": "0.11.1", "trainer": "2.2.0", "training-operator": "1.9.3", "mpi-operator": "0.8.0", "kuberay": "1.6.0",
    "lws": "0.8.0", "volcano": "1.12.0",
}  # fmt: skip
APIS = [
    "jobset.x-k8s.io/v1alpha2", "trainer.kubeflow.org/v1alpha1", "kubeflow.org/v1", "kubeflow.org/v2beta1", "ray.io/v1",
    "leaderworkerset.x-k8s.io/v1", "batch.volcano.sh/v1alpha1",
]  # fmt: skip


def _document(kind: str, name: str, spec: Document) -> Document:
    return {"apiVersion": "stowplan.io/v1alpha1", "kind": kind, "metadata": {"name": name}, "spec": spec}


def _cluster(name: str, kueue: str, **more: Any) -> Document:
    spec = {
        "owner": "platform", "environment": "production", "provider": "onprem", "region": "eu-west", "zone": "a",
        "failureDomain": name, "jurisdiction": "EU", "roles": ["training", "batch", "interactive"],
        "delivery": {"engine": "argocd"}, "kubernetes": "1.36", "components": {"kueue": kueue, **COMPONENTS},
        "storage": {"objectStore": f"s3://{name}", "classes": {"fast": "nvme"}},
    }  # fmt: skip
    return _document("Cluster", name, spec | more)


def _snapshot(name: str, api: str, groups: list[Document], topology: Document | None, **more: Any) -> Document:
    spec: Document = {
        "cluster": name, "observedAt": "2026-11-29T06:00:00Z", "kubernetes": "v1.36.3", "health": {"ready": True},
        "nodeGroups": groups, "prices": [{"flavor": g["flavor"], "perAcceleratorHour": 2.0} for g in groups],
        "apis": [f"kueue.x-k8s.io/{api}", *APIS],
    }  # fmt: skip
    if topology is not None:
        spec["topology"] = topology
    return _document("InventorySnapshot", name, spec | more)


def _group(flavor: str, nodes: int, model: str, memory: str, **more: Any) -> Document:
    return {
        "name": flavor, "flavor": flavor, "nodes": nodes,
        "perNode": {"cpu": 96, "memory": "768Gi", "pods": 110, "accelerators": 8},
        "accelerator": {"vendor": "nvidia", "model": model, "memory": memory}, "driver": "580.1", "cuda": "13.0",
    } | more  # fmt: skip


def _domains(group: str, *blocks: tuple[str, int]) -> Document:
    levels = [
        {"name": "block", "label": "fabric.example.com/block"},
        {"name": "node", "label": "kubernetes.io/hostname"},
    ]
    rows = [
        {"path": [path], "nodeGroup": group, "nodes": n, "freeNodes": n, "freeAccelerators": 8 * n}
        for path, n in blocks
    ]
    return {"levels": levels, "domains": rows}


def _flavor(name: str, model: str, capacity: str, topology: str | None, **more: Any) -> Document:
    spec: Document = {
        "accelerator": {"vendor": "nvidia", "model": model, "resource": "nvidia.com/gpu"}, "capacityType": capacity,
        "nodeLabels": {"example.com/flavor": name},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
    }  # fmt: skip
    if topology is not None:
        spec["topology"] = topology
    return _document("Flavor", name, spec | more)


def training(name: str, runtime: str, **more: Any) -> Document:
    """A gang of two workers of eight accelerators, in one block."""
    spec = {
        "tenant": "speech", "runtime": runtime, "image": "trainer", "command": ["python", "train.py"],
        "workers": {"count": 2, "accelerators": 8, "cpu": 64, "memory": "512Gi"}, "accelerator": {"minMemory": "100Gi"},
        "topology": {"required": "block"}, "duration": {"expected": "10h", "limit": "20h"}, "interruptible": True,
        "attempts": 3, "checkpoint": {"storage": "objectStore", "path": name, "every": "30m"},
    }  # fmt: skip
    return _document("TrainingIntent", name, spec | more)


def batch(name: str, runtime: str = "Job", **more: Any) -> Document:
    """Eight shards, four at a time."""
    spec = {
        "tenant": "vision", "runtime": runtime, "image": "trainer", "command": ["python", "shard.py"],
        "shards": {"count": 8, "parallelism": 4, "accelerators": 1, "cpu": 8, "memory": "64Gi"},
        "duration": {"expectedPerShard": "1h", "limitPerShard": "2h"}, "interruptible": True,
        "output": {"storage": "objectStore", "path": name},
    }  # fmt: skip
    return _document("BatchIntent", name, spec | more)


GANGS = ("Job", "JobSet", "TrainJob", "PyTorchJob", "MPIJob", "RayJob", "RayCluster", "LeaderWorkerSet", "Pods")


def documents(kueue: str = "0.17.0", api: str = "v1beta2", dispatch: str = "multikueue") -> dict[str, Document]:
    """The fleet by `kind/name`, with a gang of every runtime and two batches."""
    planes = {
        "clusterLifecycle": "cluster-api", "inventory": "stowplan", "serviceDiscovery": "none", "network": "cilium",
        "traffic": "gateway-api", "dataReplication": "external", "policy": "stowplan",
        "workloadPlacement": {
            "training": dispatch, "batch": dispatch, "inference": "none", "interactive": "direct", "components": "gitops",
        },
    }  # fmt: skip
    fleet = {
        "gitops": {"repository": "https://git.example.com/fleet.git", "engines": ["argocd"]},
        "hubs": {"gitops": {"cluster": "hub"}, "kueue": {"cluster": "hub"}},
        "priorities": {"high": 1000, "normal": 100}, "defaultPriority": "normal", "planes": planes,
    }  # fmt: skip
    tenants = {
        "speech": [
            {"flavor": "h200", "cluster": "*", "nominal": 160},
            {"flavor": "spot", "cluster": "*", "nominal": 32},
        ],
        "vision": [
            {"flavor": "h200", "cluster": "*", "nominal": 16},
            {"flavor": "l40s", "cluster": "*", "nominal": 16},
        ],
    }
    made = [
        _document("Fleet", "test", fleet),
        _document("Cohort", "research", {"fairSharing": {"weight": 1}}),
        *(
            _document(
                "Tenant", name,
                {"namespaces": [name], "cohort": "research", "priorities": ["high", "normal"], "quota": rows},
            )
            for name, rows in tenants.items()
        ),
        _document(
            "Artifact", "trainer",
            {
                "type": "image", "version": "1", "digest": DIGEST, "size": "10Gi",
                "locations": [{"uri": "oci://registry.example.com/trainer"}],
            },
        ),
        _flavor("h200", "H200", "reserved", "fabric"),
        _flavor("spot", "A100", "spot", "fabric"),
        _flavor("l40s", "L40S", "on-demand", None),
        _cluster("hub", kueue, roles=["hub"]),
        _cluster("north", kueue),
        _cluster("south", kueue),
        _cluster("west", kueue),
        _snapshot("hub", api, [], None),
        _snapshot(
            "north", api, [_group("h200", 24, "H200", "140Gi", rdma={"resource": "rdma/hca", "gigabitsPerSecondPerNode": 400})],
            _domains("h200", ("b1", 12), ("b2", 12)),
        ),
        _snapshot("south", api, [_group("spot", 4, "A100", "80Gi")], _domains("spot", ("b1", 4))),
        _snapshot("west", api, [_group("l40s", 4, "L40S", "48Gi")], None),
        *(training(f"gang-{runtime.lower()}", runtime) for runtime in GANGS),
        batch("shards"),
        batch("shards-set", "JobSet"),
    ]  # fmt: skip
    found = {f"{d['kind']}/{d['metadata']['name']}": d for d in made}
    if kueue < "0.17" and dispatch == "multikueue":  # MultiKueue knows LeaderWorkerSets from 0.17 on
        found["TrainingIntent/gang-leaderworkerset"]["spec"]["dispatch"] = "direct"
    return found


def compile_documents(made: dict[str, Document], edits: Iterable[Edit] = ()) -> Compilation:
    """Compiles them, one file a document, after the edits."""
    mine = copy.deepcopy(made)
    for edit in edits:
        edit(mine)
    texts = {
        f"fleet/{key.replace('/', '-').lower()}.yaml": yaml.safe_dump(d, sort_keys=False) for key, d in mine.items()
    }
    return compile_workspace(SourceTree.from_texts(texts))


def objects(done: Compilation, folder: str = "") -> dict[str, Document]:
    """Rendered objects by path below the folder."""
    assert done.rendered is not None, [d.message for d in done.diagnostics]
    return {o.path: o.object for o in done.rendered.objects if o.path.startswith(folder)}


def gang(name: str, count: int, **more: Any) -> Document:
    """A JobSet of workers with eight accelerators each."""
    return training(name, "JobSet", workers={"count": count, "accelerators": 8, "cpu": 64, "memory": "512Gi"}, **more)
