"""A fleet of two clusters that serve models, as texts, for tests that change one thing about it."""

from __future__ import annotations

from functools import cache
from typing import Any

from stowplan.driver import Compilation, compile_workspace
from stowplan.model.rendered import RenderedObject
from stowplan.source.files import SourceTree
from stowplan.source.span import Span

FLEET = """apiVersion: stowplan.io/v1alpha1
kind: Fleet
metadata:
  name: duo
spec:
  gitops: {repository: "https://git.example.com/duo.git", engines: [argocd]}
  hubs:
    gitops: {cluster: hub}
    karmada:
      cluster: hub
      version: 1.19.0
      apis: [policy.karmada.io/v1alpha1]
  priorities: {normal: 100}
  defaultPriority: normal
  planes:
    clusterLifecycle: none
    inventory: stowplan
    workloadPlacement: {training: none, batch: none, inference: DISPATCH, interactive: direct, components: gitops}
    serviceDiscovery: none
    network: none
    traffic: gateway-api
    dataReplication: none
    policy: stowplan
---
apiVersion: stowplan.io/v1alpha1
kind: Flavor
metadata:
  name: l40s
spec:
  accelerator: {vendor: nvidia, model: L40S, resource: nvidia.com/gpu}
  capacityType: on-demand
  nodeLabels: {stowplan.io/flavor: l40s}
  tolerations:
    - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
---
apiVersion: stowplan.io/v1alpha1
kind: Tenant
metadata:
  name: speech
spec:
  namespaces: [speech]
  priorities: [normal]
  dataClasses: [public]
  quota:
    - {flavor: l40s, cluster: "*", nominal: 64}
---
apiVersion: stowplan.io/v1alpha1
kind: Artifact
metadata:
  name: model
spec:
  type: model
  version: "3"
  digest: sha256:1111111111111111111111111111111111111111111111111111111111111111
  size: 60Gi
  locations:
    - {cluster: north, uri: "oci://registry.north.example.com/models/asr"}
    - {cluster: south, uri: "oci://registry.south.example.com/models/asr"}
---
apiVersion: stowplan.io/v1alpha1
kind: Artifact
metadata:
  name: server
spec:
  type: image
  version: 0.12.0
  digest: sha256:3333333333333333333333333333333333333333333333333333333333333333
  size: 9Gi
  locations:
    - {uri: "oci://registry.example.com/vllm"}
"""

CLUSTER = """apiVersion: stowplan.io/v1alpha1
kind: Cluster
metadata:
  name: NAME
spec:
  owner: platform
  environment: production
  provider: aws
  region: NAME
  zone: NAME-a
  failureDomain: NAME
  jurisdiction: EU
  roles: [inference]
  delivery: {engine: argocd}
  kubernetes: "1.36"
  components: {gateway-api: 1.5.1, inference-extension: 1.5.0, istio: 1.30.1, lws: 0.10.0}
  karmada: {mode: push}
  gateway: {class: istio, host: models.NAME.example.com}
  storage: {registry: registry.NAME.example.com}
"""

SNAPSHOT = """apiVersion: stowplan.io/v1alpha1
kind: InventorySnapshot
metadata:
  name: NAME
spec:
  cluster: NAME
  observedAt: "2026-11-29T06:00:00Z"
  kubernetes: v1.36.3
  health: {ready: true}
  nodeGroups:
    - name: l40s
      flavor: l40s
      nodes: 16
      perNode: {cpu: 96, memory: 768Gi, pods: 110, accelerators: 4}
      accelerator: {vendor: nvidia, model: L40S, memory: 46068Mi}
      driver: 570.148.08
      cuda: "12.8"
  topology:
    levels: [{name: node, label: kubernetes.io/hostname}]
    domains:
      - {path: [], nodeGroup: l40s, nodes: 16, freeNodes: 16, freeAccelerators: 64}
  prices:
    - {flavor: l40s, perAcceleratorHour: 1.4}
  apis: [gateway.networking.k8s.io/v1, inference.networking.k8s.io/v1, leaderworkerset.x-k8s.io/v1]
"""

HUB = """apiVersion: stowplan.io/v1alpha1
kind: Cluster
metadata:
  name: hub
spec:
  owner: platform
  environment: production
  provider: aws
  region: north
  zone: north-a
  failureDomain: north-a
  jurisdiction: EU
  roles: [hub]
  delivery: {engine: argocd}
  kubernetes: "1.36"
  components: {argocd: 3.6.1, karmada: 1.19.0}
"""

SERVICE = """apiVersion: stowplan.io/v1alpha1
kind: InferenceIntent
metadata:
  name: asr
spec:
  tenant: speech
  model: model
  engine: {type: vllm, image: server, args: [--max-model-len, "8192"]}
  replica: {accelerators: 2, cpu: 24, memory: 180Gi}
  accelerator: {vendor: nvidia}
  regions:
    - {region: north, replicas: 3}
    - {region: south, replicas: 2}
  coldStart: {limit: 10m}
  prewarm: true
  scaling: {by: hpa, min: 1, max: 6}
  gateway: {path: /v1/asr}
"""

Edit = tuple[str, str, str]
"""A file, a text in it, and what takes its place."""


def texts(dispatch: str = "direct") -> dict[str, str]:
    """The workspace's files."""
    files = {
        "fleet/fleet.yaml": FLEET.replace("DISPATCH", dispatch),
        "fleet/hub.yaml": HUB,
        "fleet/asr.yaml": SERVICE,
    }
    for name in ("north", "south"):
        files[f"fleet/{name}.yaml"] = CLUSTER.replace("NAME", name)
        files[f"fleet/inventory-{name}.yaml"] = SNAPSHOT.replace("NAME", name)
    return files


def compiled(*edits: Edit, dispatch: str = "direct", more: dict[str, str] | None = None) -> Compilation:
    """The compiled workspace after the edits; equal ones are compiled once."""
    return _compiled(edits, dispatch, tuple((more or {}).items()))


@cache
def _compiled(edits: tuple[Edit, ...], dispatch: str, more: tuple[tuple[str, str], ...]) -> Compilation:
    files = {**texts(dispatch), **dict(more)}
    for path, old, new in edits:
        assert old in files[path], (path, old)
        files[path] = files[path].replace(old, new)
    return compile_workspace(SourceTree.from_texts(files))


def sound(*edits: Edit, dispatch: str = "direct", more: dict[str, str] | None = None) -> Compilation:
    """Likewise, and nothing is wrong with it: what is rendered was judged by the schemas as well."""
    done = compiled(*edits, dispatch=dispatch, more=more)
    assert not done.failed(), [f"{d.code} {d.message}" for d in done.diagnostics]
    return done


def objects(done: Compilation, folder: str) -> dict[str, RenderedObject]:
    """Objects of one unit's folder, by `Kind/name`."""
    assert done.rendered is not None
    return {f"{o.kind}/{o.name}": o for o in done.rendered.objects if o.unit.folder == folder}


def value(done: Compilation, folder: str, name: str) -> dict[str, Any]:
    """One object as plain data."""
    return objects(done, folder)[name].object


def findings(done: Compilation) -> list[tuple[str, str, int]]:
    """Code, file, and line of every finding of the families on lowering."""
    found = []
    for one in done.diagnostics:
        if not one.code.startswith("SP07"):
            continue
        at = one.primary.at
        span = at if isinstance(at, Span) or at is None else done.tree.locate(at)
        found.append((one.code, span.path if span else "", span.line if span else 0))
    return sorted(found)
