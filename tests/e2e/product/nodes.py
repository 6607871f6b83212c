"""Nodes without machines: what an inventory describes, kept ready by lease and status as kubelets would."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.client import HTTPException
from typing import Any

from harness.client import ApiError, Client, Object, reference

from stowplan.model.fleet import Fleet, Pool

LEASES = "kube-node-lease"
_MANAGER = "kubelet"
_RENEWAL_SECONDS = 10


@dataclass
class Nodes:
    """The nodes of one cluster; a thread renews their leases until `stop`."""

    client: Client
    names: tuple[str, ...]
    _end: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def stop(self) -> None:
        """Let them go silent."""
        self._end.set()
        if self._thread is not None:
            self._thread.join(timeout=10)

    def start(self) -> Nodes:
        """Keep the nodes alive."""
        self._thread = threading.Thread(target=self._renew, daemon=True)
        self._thread.start()
        return self

    def _renew(self) -> None:
        while not self._end.wait(_RENEWAL_SECONDS):
            for name in self.names:
                if self._end.is_set():
                    return
                lease = reference("coordination.k8s.io/v1", "Lease", name, LEASES)
                try:
                    self.client.patch(lease, {"spec": {"renewTime": _now(micro=True)}}, manager=_MANAGER)
                except ApiError:
                    continue  # the next round renews it
                except (OSError, HTTPException):
                    return


def join_nodes(client: Client, fleet: Fleet, cluster: str) -> Nodes:
    """Create the nodes that a cluster's inventory describes, ready and alive."""
    client.apply(reference("v1", "Namespace", LEASES))
    names = []
    for document, status in node_objects(fleet, cluster):
        client.create(document, manager=_MANAGER)
        client.patch_status(document, status, manager=_MANAGER)
        lease = reference("coordination.k8s.io/v1", "Lease", document["metadata"]["name"], LEASES)
        holder = {
            "holderIdentity": document["metadata"]["name"],
            "leaseDurationSeconds": 40,
            "renewTime": _now(micro=True),
        }
        client.create(lease | {"spec": holder}, manager=_MANAGER)
        names.append(document["metadata"]["name"])
    return Nodes(client, tuple(names)).start()


def node_objects(fleet: Fleet, cluster: str) -> Iterator[tuple[Object, Object]]:
    """Every node of a cluster with its status: labels of flavor and topology, allocatable of its group."""
    for pool in fleet.clusters[cluster].pools.values():
        for number, (path, group) in enumerate(_places(pool)):
            name = "-".join((group, *path, str(number)))
            labels = dict(fleet.flavors[pool.flavor].spec.node_labels) | _topology(fleet, cluster, path, name)
            document = reference("v1", "Node", name)
            document["metadata"]["labels"] = labels
            given = next(one for one, _ in pool.groups if one.name == group)
            taints = [one.model_dump(by_alias=True, exclude_none=True, mode="json") for one in given.taints]
            document["spec"] = {"taints": taints} if taints else {}
            yield document, _status(_allocatable(fleet, pool, group))


def _places(pool: Pool) -> Iterator[tuple[tuple[str, ...], str]]:
    for leaf in pool.leaves:
        for _ in range(leaf.nodes):
            yield leaf.path, leaf.group


def _topology(fleet: Fleet, cluster: str, path: tuple[str, ...], name: str) -> dict[str, str]:
    observed = fleet.clusters[cluster].observed
    levels = observed.topology.levels if observed is not None and observed.topology is not None else ()
    labels = {level.label: domain for level, domain in zip(levels, path, strict=False)}
    return labels | {"kubernetes.io/hostname": name}


def _allocatable(fleet: Fleet, pool: Pool, group: str) -> dict[str, str]:
    given = next(one for one, _ in pool.groups if one.name == group)
    per = given.per_node
    found = {"cpu": str(per.cpu), "memory": str(per.memory), "pods": str(per.pods or 110)}
    accelerator = fleet.flavors[pool.flavor].spec.accelerator
    if accelerator is not None:
        found[accelerator.resource] = str(per.accelerators)
    if given.rdma is not None:
        found[given.rdma.resource] = str(given.rdma.per_node or per.accelerators)
    return found


def _status(allocatable: dict[str, str]) -> dict[str, Any]:
    now = _now()
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "ready"}
    times = {"lastHeartbeatTime": now, "lastTransitionTime": now}
    return {"capacity": allocatable, "allocatable": allocatable, "conditions": [ready | times]}


def _now(*, micro: bool = False) -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S" + (".%fZ" if micro else "Z"))
