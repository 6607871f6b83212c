"""A reference fleet of any size, as the texts of a workspace: clusters, tenants, and intents that differ as real ones do."""

from __future__ import annotations

__all__ = ["reference_fleet"]

HEAD = "apiVersion: stowplan.io/v1alpha1\n"


def reference_fleet(clusters: int, tenants: int, intents: int) -> dict[str, str]:
    """Files by path: `clusters` members and a hub, `tenants` with quota on all of them, `intents` gangs and batches."""
    files = {"fleet/fleet.yaml": _fleet(), "fleet/tenants.yaml": "---\n".join(_tenant(i) for i in range(tenants))}
    files["fleet/artifacts.yaml"] = artifact()
    files["fleet/clusters/hub.yaml"] = _cluster("hub", 0, "[hub]", "argocd")
    files["fleet/inventory/hub.yaml"] = _snapshot("hub", 0, nodes=0)
    for i in range(clusters):
        name = f"c{i:04d}"
        files[f"fleet/clusters/{name}.yaml"] = _cluster(
            name, i, "[training, batch]", "flux" if i % 3 == 0 else "argocd"
        )
        files[f"fleet/inventory/{name}.yaml"] = _snapshot(name, i, nodes=32)
    files["fleet/intents/jobs.yaml"] = "---\n".join(_intent(i, tenants) for i in range(intents))
    files["policies/placement.yaml"] = _policy()
    return files


def _fleet() -> str:
    return (
        HEAD
        + """kind: Fleet
metadata: {name: reference}
spec:
  gitops: {repository: "https://git.example.com/fleet.git", engines: [argocd, flux]}
  hubs: {gitops: {cluster: hub}, kueue: {cluster: hub}}
  priorities: {high: 1000, normal: 100}
  defaultPriority: normal
  planes:
    clusterLifecycle: none
    inventory: stowplan
    workloadPlacement: {training: direct, batch: direct, inference: direct, interactive: direct, components: gitops}
    serviceDiscovery: none
    network: none
    traffic: none
    dataReplication: none
    policy: stowplan
---
"""
        + HEAD
        + """kind: Flavor
metadata: {name: h100}
spec:
  accelerator: {vendor: nvidia, model: H100, resource: nvidia.com/gpu}
  capacityType: on-demand
  nodeLabels: {stowplan.io/flavor: h100}
  topology: blocks
---
"""
        + HEAD
        + "kind: Cohort\nmetadata: {name: all}\nspec: {}\n"
    )


def _tenant(i: int) -> str:
    return (
        HEAD
        + f"""kind: Tenant
metadata: {{name: t{i:03d}}}
spec:
  namespaces: [t{i:03d}]
  groups: ["oidc:t{i:03d}"]
  cohort: all
  priorities: [high, normal]
  dataClasses: [public]
  quota:
    - {{flavor: h100, cluster: "*", nominal: {8 * (1 + i % 4)}}}
"""
    )


def artifact() -> str:
    return (
        HEAD
        + f"""kind: Artifact
metadata: {{name: image}}
spec:
  type: image
  version: "1"
  digest: sha256:{"ab" * 32}
  size: 10Gi
  locations:
    - {{uri: "oci://registry.example.com/image"}}
"""
    )


def _cluster(name: str, i: int, roles: str, engine: str) -> str:
    return (
        HEAD
        + f"""kind: Cluster
metadata: {{name: {name}, labels: {{tier: tier-{i % 3}}}}}
spec:
  owner: platform
  environment: production
  provider: provider-{i % 4}
  region: region-{i % 7}
  zone: z{i}
  failureDomain: f{i}
  jurisdiction: {"EU" if i % 2 else "US"}
  roles: {roles}
  delivery: {{engine: {engine}}}
  kubernetes: "1.{35 + i % 2}"
  components: {{kueue: 0.17.0, jobset: 0.11.1}}
  storage: {{objectStore: "s3://{name}"}}
  network: {{fabric: infiniband, mtu: 9000, wanGigabitsPerSecond: {10 + i % 5}}}
"""
    )


def _snapshot(name: str, i: int, nodes: int) -> str:
    text = (
        HEAD
        + f"""kind: InventorySnapshot
metadata: {{name: {name}}}
spec:
  cluster: {name}
  observedAt: "2026-11-29T06:00:00Z"
  kubernetes: v1.{35 + i % 2}.1
  health: {{ready: true}}
  apis: [kueue.x-k8s.io/v1beta2, jobset.x-k8s.io/v1alpha2]
"""
    )
    if not nodes:
        return text
    half = nodes // 2
    return (
        text
        + f"""  nodeGroups:
    - name: h100
      flavor: h100
      nodes: {nodes}
      perNode: {{cpu: 128, memory: 1024Gi, pods: 110, accelerators: 8}}
      accelerator: {{vendor: nvidia, model: H100, memory: 81559Mi}}
      driver: "570.1"
      powerKilowattsPerNode: 10
  topology:
    levels: [{{name: block, label: example.com/block}}, {{name: node, label: kubernetes.io/hostname}}]
    domains:
      - {{path: [b1], nodeGroup: h100, nodes: {half}, freeNodes: {half - i % 5}, freeAccelerators: {8 * (half - i % 5)}}}
      - {{path: [b2], nodeGroup: h100, nodes: {nodes - half}, freeNodes: {nodes - half}, freeAccelerators: {8 * (nodes - half)}}}
  queues: [{{flavor: h100, waitEstimate: {5 * (1 + i % 24)}m}}]
  prices: [{{flavor: h100, perAcceleratorHour: {2 + i % 9 / 10}}}]
  carbon: {{gramsPerKilowattHour: {50 + 37 * (i % 11)}}}
"""
    )


def _intent(i: int, tenants: int) -> str:
    gang = (1, 1, 2, 4)[i % 4]
    return (
        HEAD
        + f"""kind: TrainingIntent
metadata: {{name: job-{i:05d}}}
spec:
  tenant: t{i % tenants:03d}
  runtime: JobSet
  image: image
  command: [train, --seed, "{i}"]
  workers: {{count: {gang}, accelerators: 8, cpu: 96, memory: 800Gi}}
  accelerator: {{vendor: nvidia}}
  topology: {{required: block}}
  duration: {{expected: {4 + i % 20}h}}
  interruptible: {"true" if i % 2 else "false"}
  priority: {"high" if i % 5 == 0 else "normal"}
"""
    )


def _policy() -> str:
    return (
        HEAD
        + """kind: PlacementPolicy
metadata: {name: house}
spec:
  rules:
    - name: high-stays-off-tier-2
      when: "intent.priority == 'high'"
      require: "cluster.labels['tier'] != 'tier-2'"
      reason: high priority work avoids tier 2
  prefer:
    timeToResult: {weightPerHour: 3}
    cost: {weightPerCurrencyUnit: 0.01}
"""
    )
