"""Times eligibility and placement of many workloads on many clusters: `python tests/bench/placement_bench.py 10000 200`.

Prints CPU seconds by pass, peak memory, the gap to the bound, how many are placed, and the size of plan.json. The fleet is the same
on every machine: sizes are skewed as in published traces of training clusters (most gangs small, most accelerators in few
large ones), demand is a stated share of what the fleet has.
"""

from __future__ import annotations

import argparse
import gc
import random
import resource
import time
from collections.abc import Iterator

from reference import HEAD, artifact

from stowplan.passes.load import load
from stowplan.passes.placement import place
from stowplan.passes.placement.findings import findings
from stowplan.passes.resolve import resolve
from stowplan.policies.placement import compile_placement
from stowplan.profile import Profile
from stowplan.source.files import SourceTree
from stowplan.source.limits import Limits
from stowplan.views.plan_json import plan_document, plan_text

MODELS = (("h100", "H100", 81559), ("a100", "A100", 81920), ("l40s", "L40S", 46068))
GANGS = (1, 1, 1, 1, 1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 16, 32)
"""Nodes of 8 accelerators a gang; those of 1 may ask for fewer accelerators."""
REGIONS = 6
TENANTS = 12


def workspace(workloads: int, clusters: int, load_share: float) -> dict[str, str]:
    """Files of a fleet with `clusters` members of one to three flavors, and gangs that ask for `load_share` of them."""
    dice = random.Random(workloads * 31 + clusters)
    gangs = [_gang(dice, i) for i in range(workloads)]
    demand = sum(nodes * accelerators for _, nodes, accelerators in gangs)
    nodes = max(clusters, int(demand / 8 / load_share))
    shares = [dice.lognormvariate(0, 0.8) for _ in range(clusters)]
    files = {
        "fleet/fleet.yaml": _fleet(),
        "fleet/tenants.yaml": "---\n".join(_tenant(i, nodes * 8) for i in range(TENANTS)),
    }
    for i, share in enumerate(shares):
        files[f"fleet/clusters/c{i:04d}.yaml"] = "---\n".join(
            _cluster(dice, i, max(3, round(nodes * share / sum(shares))))
        )
    files["fleet/artifacts.yaml"] = artifact()
    files["fleet/intents.yaml"] = "---\n".join(text for text, _, _ in gangs)
    return files


def _fleet() -> str:
    flavors = "".join(
        f"---\n{HEAD}kind: Flavor\nmetadata: {{name: {name}}}\nspec:\n"
        f"  accelerator: {{vendor: nvidia, model: {model}, resource: nvidia.com/gpu}}\n"
        f"  capacityType: on-demand\n  nodeLabels: {{stowplan.io/flavor: {name}}}\n  topology: blocks\n"
        for name, model, _ in MODELS
    )
    return f"""{HEAD}kind: Fleet
metadata: {{name: placement}}
spec:
  gitops: {{repository: "https://git.example.com/fleet.git", engines: [argocd]}}
  hubs: {{gitops: {{cluster: c0000}}}}
  priorities: {{high: 1000, normal: 100, low: 10}}
  defaultPriority: normal
  planes:
    clusterLifecycle: none
    inventory: stowplan
    workloadPlacement: {{training: direct, batch: direct, inference: direct, interactive: direct, components: gitops}}
    serviceDiscovery: none
    network: none
    traffic: none
    dataReplication: none
    policy: stowplan
{flavors}---
{HEAD}kind: Cohort
metadata: {{name: all}}
spec: {{}}
---
{HEAD}kind: PlacementPolicy
metadata: {{name: house}}
spec:
  rules:
    - name: high-stays-off-tier-2
      when: "intent.priority == 'high'"
      require: "cluster.labels['tier'] != 'tier-2'"
      reason: high priority work avoids tier 2
  prefer:
    timeToResult: {{weightPerHour: 3}}
    cost: {{weightPerCurrencyUnit: 0.01}}
    carbon: {{weightPerKilogram: 0.01}}
"""


def _tenant(i: int, accelerators: int) -> str:
    quota = "".join(
        f'    - {{flavor: {name}, cluster: "*", nominal: {max(8, accelerators // TENANTS)}}}\n' for name, _, _ in MODELS
    )
    return f"""{HEAD}kind: Tenant
metadata: {{name: t{i:02d}}}
spec:
  namespaces: [t{i:02d}]
  cohort: all
  priorities: [high, normal, low]
  dataClasses: [public]
  quota:
{quota}"""


def _cluster(dice: random.Random, i: int, nodes: int) -> Iterator[str]:
    name, region = f"c{i:04d}", dice.randrange(REGIONS)
    yield f"""{HEAD}kind: Cluster
metadata: {{name: {name}, labels: {{tier: tier-{i % 3}}}}}
spec:
  owner: platform
  environment: production
  provider: provider-{i % 4}
  region: region-{region}
  zone: z{i}
  failureDomain: f{i}
  jurisdiction: {"EU" if region % 2 else "US"}
  roles: [training, batch]
  delivery: {{engine: argocd}}
  kubernetes: "1.35"
  components: {{kueue: 0.17.0, jobset: 0.11.1}}
  storage: {{objectStore: "s3://{name}"}}
  network: {{fabric: infiniband, mtu: 9000, wanGigabitsPerSecond: 10}}
"""
    chosen = sorted(dice.sample(range(3), dice.choice((1, 1, 2, 3))))
    groups, domains, prices, queues = [], [], [], []
    for model in chosen:
        flavor, title, memory = MODELS[model]
        part = max(1, nodes // len(chosen))
        size = dice.choice((8, 16, 32))
        rdma = ", rdma: {resource: rdma/ib, gigabitsPerSecondPerNode: 3200}" if dice.random() < 0.7 else ""
        groups.append(
            f"    - {{name: {flavor}, flavor: {flavor}, nodes: {part}, "
            "perNode: {cpu: 128, memory: 1024Gi, pods: 110, accelerators: 8}, "
            f"accelerator: {{vendor: nvidia, model: {title}, memory: {memory}Mi}}, "
            f'driver: "570.1", powerKilowattsPerNode: 10{rdma}}}\n'
        )
        for block, start in enumerate(range(0, part, size)):
            here = min(size, part - start)
            free = here if dice.random() < 0.4 else max(1, int(here * (0.3 + 0.7 * dice.random())))
            domains.append(
                f"      - {{path: [{flavor}-b{block}], nodeGroup: {flavor}, nodes: {here}, "
                f"freeNodes: {free}, freeAccelerators: {8 * free}}}\n"
            )
        prices.append(
            f"{{flavor: {flavor}, perAcceleratorHour: {round((4.2, 2.6, 1.2)[model] * (0.6 + 0.8 * dice.random()), 2)}}}"
        )
        queues.append(f"{{flavor: {flavor}, waitEstimate: {int(dice.expovariate(1 / 60))}m}}")
    yield f"""{HEAD}kind: InventorySnapshot
metadata: {{name: {name}}}
spec:
  cluster: {name}
  observedAt: "2026-11-29T06:00:00Z"
  kubernetes: v1.35.1
  health: {{ready: true}}
  apis: [kueue.x-k8s.io/v1beta2, jobset.x-k8s.io/v1alpha2]
  nodeGroups:
{"".join(groups)}  topology:
    levels: [{{name: block, label: example.com/block}}, {{name: node, label: kubernetes.io/hostname}}]
    domains:
{"".join(domains)}  queues: [{", ".join(queues)}]
  prices: [{", ".join(prices)}]
  carbon: {{gramsPerKilowattHour: {dice.randrange(20, 700)}}}
"""


def _gang(dice: random.Random, i: int) -> tuple[str, int, int]:
    nodes = dice.choice(GANGS)
    accelerators = dice.choice((1, 2, 4, 8)) if nodes == 1 else 8
    models = sorted(dice.sample([title for _, title, _ in MODELS], dice.choice((1, 1, 2, 3))))
    regions = sorted(dice.sample(range(REGIONS), dice.choice((2, 3, 4, 6))))
    level = "topology: {required: block}" if nodes > 1 and dice.random() < 0.7 else "topology: {preferred: block}"
    rdma = "true" if nodes > 1 and dice.random() < 0.5 else "false"
    text = f"""{HEAD}kind: TrainingIntent
metadata: {{name: w{i:06d}}}
spec:
  tenant: t{dice.randrange(TENANTS):02d}
  runtime: JobSet
  image: image
  command: [train, --seed, "{i}"]
  workers: {{count: {nodes}, accelerators: {accelerators}, cpu: {12 * accelerators}, memory: {100 * accelerators}Gi}}
  accelerator: {{vendor: nvidia, models: [{", ".join(models)}]}}
  regions: [{", ".join(f"region-{r}" for r in regions)}]
  {level}
  rdma: {rdma}
  duration: {{expected: {dice.randrange(1, 400)}h}}
  interruptible: {"true" if dice.random() < 0.5 else "false"}
  priority: {dice.choice(("high", "normal", "normal", "low"))}
"""
    return text, nodes, accelerators


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workloads", type=int, nargs="?", default=1000)
    parser.add_argument("clusters", type=int, nargs="?", default=50)
    parser.add_argument("--load", type=float, default=0.95)
    options = parser.parse_args()
    gc.disable()
    profile = Profile()
    files = workspace(options.workloads, options.clusters, options.load)
    with profile.measure("read"):
        tree = SourceTree.from_texts(files, Limits(file_bytes=2**28, total_bytes=2**30))
        assert not tree.problems, tree.problems[0]
    with profile.measure("load"):
        loaded = load([document for file in tree.files for document in file.documents], ())
        assert not loaded.diagnostics, loaded.diagnostics[0]
    with profile.measure("resolve"):
        fleet = resolve(loaded.value, None).value
    assert fleet is not None
    with profile.measure("policies"):
        policy = compile_placement(fleet).value
    with profile.measure("placement"):
        plan = place(fleet, policy, {})
    with profile.measure("findings"):
        found = list(findings(fleet, plan))
    with profile.measure("plan.json"):
        text = plan_text(plan_document(fleet, plan, {}, {}, {}))
    statuses: dict[str, int] = {}
    for placement in plan.placements.values():
        statuses[placement.status] = statuses.get(placement.status, 0) + 1
    print(f"{options.workloads} workloads, {options.clusters} clusters, load {options.load}")
    print(profile.text(), end="")
    print(f"CPU {time.process_time():.1f} s, peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
    print(", ".join(f"{n} {status}" for status, n in sorted(statuses.items())), f"; {len(found)} findings")
    print(f"bound {plan.bound.best:.1f}, gap {100 * plan.bound.gap:.2f} %, plan.json {len(text) / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
