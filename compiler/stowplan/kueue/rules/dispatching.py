"""Rules on MultiKueue: chains of checks, what workers must have, and what two clusters must not both hold."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from stowplan.kueue.claims import claimed_amounts
from stowplan.kueue.podsets import podsets_of
from stowplan.kueue.rules.base import Finding, problem, warn
from stowplan.kueue.rules.queues import inactive_reasons
from stowplan.kueue.tree import (
    JOB_KINDS,
    MULTIKUEUE,
    KueueTree,
    Side,
    amount_of,
    check_names,
    group_of,
    labels_of,
    spec_of,
)
from stowplan.model.handedover import QUEUE_LABEL
from stowplan.model.rendered import RenderedObject
from stowplan.passes.lower.kueue.amounts import accelerator_names

__all__ = ["CHECKS", "SIDE_CHECKS", "managed_by"]

_PROVISIONING = "kueue.x-k8s.io/provisioning-request"
_KINDS = {MULTIKUEUE: "MultiKueueConfig", _PROVISIONING: "ProvisioningRequestConfig"}
_LONGEST = 63
_MANAGED_BY: dict[str, tuple[str, ...]] = {
    "Job": ("spec", "managedBy"),
    "JobSet": ("spec", "managedBy"),
    "TrainJob": ("spec", "managedBy"),
    "RayJob": ("spec", "managedBy"),
    "RayCluster": ("spec", "managedBy"),
    "PyTorchJob": ("spec", "runPolicy", "managedBy"),
    "MPIJob": ("spec", "runPolicy", "managedBy"),
}


def chains(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2040: a check's parameters name something that there is, in a form that Kueue takes."""
    for made in side.checks.values():
        spec = spec_of(made)
        given, controller = spec.get("parameters") or {}, spec.get("controllerName")
        name, kind = str(given.get("name", "")), given.get("kind")
        at = ("spec", "parameters", "name")
        if len(name) > _LONGEST or "." in name:
            yield problem(
                "SP2040",
                made,
                at,
                f"`{name}` in {made.reference} is longer than {_LONGEST} or has a dot; Kueue refuses that",
            )
        wanted = _KINDS.get(str(controller))
        if wanted is None:
            continue
        book = side.configs if controller == MULTIKUEUE else side.provisioning
        if kind != wanted or name not in book:
            yield problem(
                "SP2040",
                made,
                at,
                f"{made.reference} names {kind} `{name}`; its controller wants a {wanted} that there is",
            )
    for made in side.configs.values():
        for index, name in enumerate(spec_of(made).get("clusters") or []):
            if name not in side.workers:
                yield problem(
                    "SP2040",
                    made,
                    ("spec", "clusters", index),
                    f"{made.reference} names no MultiKueueCluster: `{name}`",
                )


def one_check(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2041: one MultiKueue check a queue, for all its flavors, and no provisioning beside it."""
    for made in side.queues.values():
        names = check_names(made)
        kinds = {n: spec_of(side.checks[n]).get("controllerName") for n in names if n in side.checks}
        remote = [n for n, controller in kinds.items() if controller == MULTIKUEUE]
        at = ("spec", "admissionChecksStrategy")
        if len(remote) > 1:
            yield problem("SP2041", made, at, f"{made.reference} has {len(remote)} MultiKueue checks: Kueue stops it")
        if remote and _PROVISIONING in kinds.values():
            yield problem(
                "SP2041", made, at, f"{made.reference} has a MultiKueue check and a provisioning check: Kueue stops it",
                "provision on the workers, in their own queues",
            )  # fmt: skip
        flavors = {f.get("name") for g in spec_of(made).get("resourceGroups") or [] for f in g.get("flavors") or []}
        for row in (spec_of(made).get("admissionChecksStrategy") or {}).get("admissionChecks") or []:
            if row.get("name") in remote and row.get("onFlavors") and set(row["onFlavors"]) != flavors:
                yield problem("SP2041", made, at, f"the MultiKueue check of {made.reference} is on some flavors only")


def mirrors(tree: KueueTree) -> Iterator[Finding]:
    """SP2050: namespace, local queue, coverage, and runtime of a dispatched job on every worker of its set."""
    manager = tree.manager
    if manager is None:
        return
    for job in manager.jobs:
        queue = manager.queue_of(job)
        for name in manager.candidates(queue) if queue is not None else ():
            worker = tree.sides.get(name)
            if worker is None:
                yield problem("SP2050", job, (), f"{job.reference} may go to `{name}`, for which no queue is rendered")
                continue
            yield from _mirror(job, manager, worker)


def _mirror(job: RenderedObject, manager: Side, worker: Side) -> Iterator[Finding]:
    namespace, label = job.namespace or "", labels_of(job).get(QUEUE_LABEL, "")
    at = ("metadata", "labels", QUEUE_LABEL)
    if namespace not in worker.namespaces and not _seen(worker, namespace):
        yield problem(
            "SP2050", job, ("metadata", "namespace"),
            f"{job.reference} may go to `{worker.name}`, which has no namespace `{namespace}`: it would wait for ever",
        )  # fmt: skip
        return
    local = worker.local_queues.get((namespace, label))
    queue = None if local is None else worker.queues.get(str(spec_of(local).get("clusterQueue")))
    if queue is None:
        yield problem(
            "SP2050", job, at,
            f"{job.reference} may go to `{worker.name}`, which has no LocalQueue `{namespace}/{label}` before a ClusterQueue: "
            "it would hold the manager's quota and wait for ever",
            "the worker needs a LocalQueue of the same name in the same namespace",
        )  # fmt: skip
        return
    if worker.multikueue_check(queue) is not None:
        yield problem("SP2050", job, at, f"{job.reference} would be dispatched again by `{worker.name}`")
    covered = {r for g in spec_of(queue).get("resourceGroups") or [] for r in g.get("coveredResources") or []}
    sets = podsets_of(job, worker)
    asked = {name for pods in sets for name in (*pods.requests(), *claimed_amounts(worker, pods))}
    missing = sorted(name for name in asked - covered if name != "pods")
    if missing:
        names = ", ".join(f"`{name}`" for name in missing)
        yield problem(
            "SP2050",
            job,
            ("spec",),
            f"{job.reference} asks for {names}, which its queue on `{worker.name}` does not cover",
        )
    if job.kind == "TrainJob":
        yield from _runtime(job, manager, worker)


def _seen(side: Side, namespace: str) -> bool:
    observed = side.cluster.observed
    return observed is not None and any(row.name == namespace for row in observed.namespaces)


def _runtime(job: RenderedObject, manager: Side, worker: Side) -> Iterator[Finding]:
    name = (spec_of(job).get("runtimeRef") or {}).get("name")
    for side in (manager, worker):
        rendered = any(o.kind in ("ClusterTrainingRuntime", "TrainingRuntime") and o.name == name for o in side.others)
        observed = side.cluster.observed
        if not rendered and not (observed is not None and name in observed.runtimes):
            yield problem(
                "SP2050", job, ("spec", "runtimeRef", "name"),
                f"{job.reference} names runtime `{name}`, which is neither rendered for `{side.name}` nor seen there",
            )  # fmt: skip


def managed_by(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2052: MultiKueue's name in the right field, rendered and not left to a webhook; and only where it dispatches."""
    for job in side.jobs:
        path = _MANAGED_BY.get(job.kind)
        queue = side.queue_of(job)
        if path is None or queue is None:
            continue
        found: Any = job.object
        for step in path:
            found = found.get(step, {}) if isinstance(found, dict) else None
        is_dispatched = side.multikueue_check(queue) is not None
        if is_dispatched and found != MULTIKUEUE:
            yield problem(
                "SP2052", job, path,
                f"{job.reference} goes through MultiKueue, but `{'.'.join(path)}` is not `{MULTIKUEUE}`: Kueue sets it only if "
                "it knows queue and check already, and rejects the job for good otherwise",
                f"render `{'.'.join(path)}: {MULTIKUEUE}`",
            )  # fmt: skip
        if not is_dispatched and found == MULTIKUEUE:
            yield problem(
                "SP2052",
                job,
                path,
                f"{job.reference} is left to MultiKueue, but its queue dispatches nothing: it never runs",
            )


def clashes(tree: KueueTree) -> Iterator[Finding]:
    """SP2054: what MultiKueue will make on a worker is not rendered there too."""
    manager = tree.manager
    if manager is None:
        return
    for job in manager.jobs:
        queue = manager.queue_of(job)
        for name in manager.candidates(queue) if queue is not None else ():
            worker = tree.sides.get(name)
            for other in (*worker.jobs, *worker.others) if worker is not None else ():
                if (other.kind, other.namespace, other.name) == (job.kind, job.namespace, job.name):
                    yield problem(
                        "SP2054", other, ("metadata", "name"),
                        f"{other.reference} on `{name}` has the name of a job that MultiKueue would bring there: it takes over "
                        "neither, and the job waits for ever",
                        "rename one of the two",
                    )  # fmt: skip


def ledger(tree: KueueTree) -> Iterator[Finding]:
    """SP2055: the manager's quota is what its workers have, each counted once."""
    manager = tree.manager
    if manager is None:
        return
    given: dict[str, Fraction] = {}
    workers: dict[tuple[str, str], RenderedObject] = {}
    first: RenderedObject | None = None
    for queue in manager.queues.values():
        names = manager.candidates(queue)
        if not names:
            continue
        first = first or queue
        _total(given, queue)
        locals_ = [
            key for key, local in manager.local_queues.items() if spec_of(local).get("clusterQueue") == queue.name
        ]
        for name in names:
            side = tree.sides.get(name)
            for key in locals_ if side is not None else ():
                local = side.local_queues.get(key)  # type: ignore[union-attr]
                target = side.queues.get(str(spec_of(local).get("clusterQueue"))) if local is not None else None  # type: ignore[union-attr]
                if target is not None:
                    workers[name, target.name] = target
    wanted: dict[str, Fraction] = {}
    for target in workers.values():
        _total(wanted, target)
    counted = accelerator_names(tree.fleet)
    for resource in sorted(given):
        if first is not None and resource in counted and given[resource] > wanted.get(resource, Fraction(0)):
            yield warn(
                "SP2055", first, ("spec", "resourceGroups"),
                f"the manager's queues have {_plain(given[resource])} of `{resource}`, their workers' queues "
                f"{_plain(wanted.get(resource, Fraction(0)))}: jobs hold the manager's quota that no worker can run",
            )  # fmt: skip


def _plain(amount: Fraction) -> str:
    return str(amount.numerator) if amount.denominator == 1 else f"{float(amount):g}"


def _total(book: dict[str, Fraction], queue: RenderedObject) -> None:
    for group in spec_of(queue).get("resourceGroups") or []:
        for flavor in group.get("flavors") or []:
            for row in flavor.get("resources") or []:
                amount = amount_of(row.get("nominalQuota")) or Fraction(0)
                book[row.get("name")] = book.get(row.get("name"), Fraction(0)) + amount


def deployments(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2092: a Deployment through MultiKueue is torn apart, pod by pod."""
    for made in side.jobs:
        queue = side.queue_of(made)
        if made.kind == "Deployment" and queue is not None and side.multikueue_check(queue) is not None:
            yield problem(
                "SP2092", made, ("metadata", "labels", QUEUE_LABEL),
                f"{made.reference} goes through MultiKueue, which places its pods one by one: they may land on several clusters",
                "use a LeaderWorkerSet or a JobSet, or deliver it to one cluster directly",
            )  # fmt: skip


def mutating(tree: KueueTree) -> Iterator[Finding]:
    """SP2059: nothing on a worker changes the pods of mirrored jobs."""
    manager = tree.manager
    workers = {n for q in manager.queues.values() for n in manager.candidates(q)} if manager is not None else set()
    for name in sorted(workers):
        for made in tree.sides[name].others if name in tree.sides else ():
            if _changes_jobs(made):
                yield warn(
                    "SP2059", made, (),
                    f"{made.reference} changes jobs on worker `{name}`: a mirrored job that differs from its Workload is "
                    "evicted and started again without end",
                    "leave out what carries the label `kueue.x-k8s.io/multikueue-origin`",
                )  # fmt: skip


def _changes_jobs(made: RenderedObject) -> bool:
    text = str(made.object)
    if "multikueue-origin" in text:
        return False
    kinds = {kind for _, kind in JOB_KINDS if kind not in ("Deployment", "StatefulSet", "Pod")}
    if group_of(made) == "kyverno.io" and made.kind in ("ClusterPolicy", "Policy"):
        rules = spec_of(made).get("rules") or []
        return any("mutate" in rule and kinds.intersection(_kyverno_kinds(rule)) for rule in rules)
    if made.kind == "MutatingWebhookConfiguration":
        hooks = made.object.get("webhooks") or []
        plurals = {f"{kind.lower()}s" for kind in kinds}
        return any(plurals.intersection(r.get("resources") or []) for h in hooks for r in h.get("rules") or [])
    if made.kind == "MutatingAdmissionPolicy":
        rules = (spec_of(made).get("matchConstraints") or {}).get("resourceRules") or []
        plurals = {f"{kind.lower()}s" for kind in kinds}
        return any(plurals.intersection(rule.get("resources") or []) for rule in rules)
    return False


def _kyverno_kinds(rule: dict[str, Any]) -> set[str]:
    match = rule.get("match") or {}
    rows = [match, *(match.get("any") or []), *(match.get("all") or [])]
    return {str(kind).rpartition("/")[2] for row in rows for kind in (row.get("resources") or {}).get("kinds") or []}


def inactive_workers(tree: KueueTree) -> Iterator[Finding]:
    """SP2050, further: a worker's queue that is stopped takes nothing for now."""
    manager = tree.manager
    if manager is None:
        return
    for job in manager.jobs:
        queue = manager.queue_of(job)
        for name in manager.candidates(queue) if queue is not None else ():
            worker = tree.sides.get(name)
            target = _worker_queue(worker, job) if worker is not None else None
            if worker is None or target is None:
                continue
            if "Stopped" in [reason for reason, *_ in inactive_reasons(worker, target)]:
                yield warn(
                    "SP2050", job, (), f"{job.reference} may go to `{name}`, whose queue `{target.name}` is stopped"
                )


def _worker_queue(worker: Side, job: RenderedObject) -> RenderedObject | None:
    local = worker.local_queues.get((job.namespace or "", labels_of(job).get(QUEUE_LABEL, "")))
    return None if local is None else worker.queues.get(str(spec_of(local).get("clusterQueue")))


CHECKS = (mirrors, clashes, ledger, mutating, inactive_workers)
SIDE_CHECKS = (chains, one_check, managed_by, deployments)
