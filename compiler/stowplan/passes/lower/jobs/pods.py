"""Pod templates of jobs: what all kinds share, with the server's defaults written out where the server would write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stowplan.model.fleet import Fleet
from stowplan.model.quantity import parse_quantity
from stowplan.model.workload import Workload
from stowplan.passes.lower.claims import PodClaim, pod_claim
from stowplan.passes.lower.jobs.environment import (
    OBJECT_STORE,
    Attempt,
    environment,
    job_image,
    mount_path,
    volume_name,
)
from stowplan.passes.lower.kueue.amounts import format_amount
from stowplan.passes.lower.kueue.dispatch import Dispatch
from stowplan.passes.lower.kueue.flavors import level_labels, tolerations, topology_name
from stowplan.passes.lower.tenancy import RUNNER_ACCOUNT

__all__ = [
    "PodOptions",
    "claimed",
    "container",
    "flavor_affinity",
    "pod_template",
    "requests",
    "topology_annotations",
    "work_labels",
    "worker_resources",
]

PREFIX = "kueue.x-k8s.io/"


@dataclass(frozen=True, slots=True)
class PodOptions:
    """How a kind wants its pod template.

    `container` is the name of the container that works; `attempt` where the attempt's identity comes from; `defaults`
    whether the API server fills in the template's defaults (it does for built-in kinds only); `restart` the restart
    policy, None where the kind sets it; `topology` whether the podset asks for the intent's place in the topology, or
    takes any.
    """

    container: str
    attempt: Attempt
    defaults: bool = False
    restart: str | None = "Never"
    topology: bool = True
    deadline_seconds: int | None = None


def work_labels(workload: Workload) -> dict[str, str]:
    """Labels of everything that belongs to an intent."""
    return {"stowplan.io/intent": workload.name, "stowplan.io/tenant": workload.tenant}


def requests(fleet: Fleet, dispatch: Dispatch) -> dict[str, str]:
    """What one worker asks for, by resource, canonical."""
    spec: Any = dispatch.workload.entity.spec
    part = spec.workers if dispatch.workload.training is not None else spec.shards
    made = {
        "cpu": format_amount("cpu", parse_quantity(part.cpu)),
        "memory": format_amount("memory", parse_quantity(part.memory)),
    }
    kind = fleet.flavors[dispatch.assignment.flavor].spec.accelerator
    if part.accelerators and kind is not None and claimed(fleet, dispatch) is None:
        made[kind.resource] = format_amount(kind.resource, part.accelerators)
    made.update(_rdma(fleet, dispatch, part.accelerators))
    return dict(sorted(made.items()))


def _rdma(fleet: Fleet, dispatch: Dispatch, accelerators: int) -> dict[str, str]:
    """RDMA devices: the worker's share of the node's; one where they are shared."""
    if not getattr(dispatch.workload.entity.spec, "rdma", False):
        return {}
    pool = fleet.clusters[dispatch.cluster].pools[dispatch.assignment.flavor]
    for group, _ in pool.groups:
        if group.rdma is not None:
            count = 1
            if group.rdma.per_node is not None and group.per_node.accelerators:
                count = max(1, group.rdma.per_node * accelerators // group.per_node.accelerators)
            return {group.rdma.resource: format_amount(group.rdma.resource, count)}
    return {}


def claimed(fleet: Fleet, dispatch: Dispatch) -> PodClaim | None:
    """What one worker claims, where Dynamic Resource Allocation hands out the devices."""
    return pod_claim(fleet, dispatch.workload, dispatch.cluster, dispatch.assignment.flavor)


def worker_resources(fleet: Fleet, dispatch: Dispatch) -> dict[str, Any]:
    """Requests, and as limits what must not be overcommitted: memory and devices; or a claim of the devices."""
    wanted = requests(fleet, dispatch)
    claim = claimed(fleet, dispatch)
    limits = {name: amount for name, amount in wanted.items() if name != "cpu"}
    return {**(claim.of_container if claim is not None else {}), "limits": limits, "requests": wanted}


def topology_annotations(fleet: Fleet, dispatch: Dispatch, *, anywhere: bool = False) -> dict[str, str]:
    """How close the pods must be, by the label of the level; a flavor with a topology takes no podset without a word."""
    cluster = fleet.clusters[dispatch.cluster]
    if topology_name(fleet, cluster, dispatch.assignment.flavor) is None or dispatch.queue is None:
        return {}
    need = dispatch.workload.training.topology if dispatch.workload.training is not None else None
    if need is None or anywhere:
        return {f"{PREFIX}podset-unconstrained-topology": "true"}
    names = cluster.pools[dispatch.assignment.flavor].levels
    level = need.required or need.preferred
    label = level_labels(cluster)[names.index(level)] if level in names else None
    if label is None:
        return {f"{PREFIX}podset-unconstrained-topology": "true"}
    word = "required" if need.required is not None else "preferred"
    return {f"{PREFIX}podset-{word}-topology": label}


def flavor_affinity(fleet: Fleet, dispatch: Dispatch) -> dict[str, Any] | None:
    """Required node affinity on the flavors that may run the work.

    Kueue compares it with each flavor's labels and so chooses none but these; it never writes affinity itself, while
    node selectors with the flavor's labels are what it injects.
    """
    values: dict[str, set[str]] = {}
    for flavor in dispatch.flavors:
        for key, value in fleet.flavors[flavor].spec.node_labels.items():
            values.setdefault(key, set()).add(value)
    shared = [k for k in sorted(values) if all(k in fleet.flavors[f].spec.node_labels for f in dispatch.flavors)]
    if not shared:
        return None
    expressions = [{"key": key, "operator": "In", "values": sorted(values[key])} for key in shared]
    terms = {"nodeSelectorTerms": [{"matchExpressions": expressions}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


def container(
    fleet: Fleet,
    dispatch: Dispatch,
    options: PodOptions,
    *,
    name: str | None = None,
    command: Sequence[str] | None = None,
    resources: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The container that works; the promotion's has another name, command, and size."""
    spec: Any = dispatch.workload.entity.spec
    made: dict[str, Any] = {
        "name": name or options.container,
        "image": job_image(fleet, dispatch),
        "command": list(command or spec.command),
        "env": environment(fleet, dispatch, options.attempt),
        "resources": dict(resources) if resources is not None else worker_resources(fleet, dispatch),
        "securityContext": {"allowPrivilegeEscalation": False},
    }
    mounts: list[dict[str, Any]] = [{"name": v["name"], "mountPath": v["path"]} for v in _volumes(dispatch.workload)]
    mounts += [{"name": f"secret-{s}", "mountPath": f"/stowplan/secrets/{s}", "readOnly": True} for s in spec.secrets]
    if mounts:
        made["volumeMounts"] = mounts
    if options.defaults:
        made["imagePullPolicy"] = "IfNotPresent"
        made["terminationMessagePath"] = "/dev/termination-log"
        made["terminationMessagePolicy"] = "File"
    return made


def _volumes(workload: Workload) -> list[dict[str, str]]:
    """Volumes of storage classes: (name in the pod, claim, mount path)."""
    spec: Any = workload.entity.spec
    made = []
    for purpose in ("checkpoint", "output"):
        place = getattr(spec, purpose)
        if place is not None and place.storage != OBJECT_STORE:
            claim = volume_name(workload.name, purpose)
            made.append({"name": purpose, "claim": claim, "path": mount_path(purpose)})
    return made


def pod_template(
    fleet: Fleet,
    dispatch: Dispatch,
    options: PodOptions,
    *,
    containers: Sequence[dict[str, Any]] | None = None,
    first: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """The whole template; `containers` replaces the one that works, `first` are containers that run before."""
    workload, spec = dispatch.workload, dispatch.workload.entity.spec
    metadata: dict[str, Any] = {"labels": work_labels(workload)}
    annotations = topology_annotations(fleet, dispatch, anywhere=not options.topology)
    if annotations:
        metadata["annotations"] = annotations
    pod: dict[str, Any] = {
        "containers": list(containers) if containers is not None else [container(fleet, dispatch, options)],
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "serviceAccountName": RUNNER_ACCOUNT,
    }
    claim = claimed(fleet, dispatch)
    if claim is not None and any("claims" in row["resources"] for row in (*first, *pod["containers"])):
        pod["resourceClaims"] = claim.of_pod
    if first:
        pod["initContainers"] = list(first)
    if options.restart is not None:
        pod["restartPolicy"] = options.restart
    if options.deadline_seconds is not None:
        pod["activeDeadlineSeconds"] = options.deadline_seconds
    tolerated = tolerations(spec.tolerations)
    if dispatch.queue is not None:
        affinity = flavor_affinity(fleet, dispatch)
        if affinity is not None:
            pod["affinity"] = affinity
    else:
        flavor = fleet.flavors[dispatch.assignment.flavor]
        pod["nodeSelector"] = dict(sorted(flavor.spec.node_labels.items()))
        tolerated = [*tolerations(flavor.spec.tolerations), *tolerated]
    if tolerated:
        pod["tolerations"] = tolerated
    volumes = _pod_volumes(workload, defaults=options.defaults)
    if volumes:
        pod["volumes"] = volumes
    if options.defaults:
        pod.update(_DEFAULTS)
        pod["serviceAccount"] = RUNNER_ACCOUNT
    return {"metadata": metadata, "spec": pod}


_DEFAULTS = {"dnsPolicy": "ClusterFirst", "schedulerName": "default-scheduler", "terminationGracePeriodSeconds": 30}


def _pod_volumes(workload: Workload, *, defaults: bool) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = [
        {"name": v["name"], "persistentVolumeClaim": {"claimName": v["claim"]}} for v in _volumes(workload)
    ]
    for secret in workload.entity.spec.secrets:
        source: dict[str, Any] = {"secretName": secret}
        if defaults:
            source["defaultMode"] = 420
        made.append({"name": f"secret-{secret}", "secret": source})
    return made
