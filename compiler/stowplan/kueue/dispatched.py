"""What MultiKueue dispatches: each job's part on the manager and its copies on the clusters of its set, and what becomes of both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from stowplan.kueue.admission import OnManager, Option
from stowplan.kueue.elastic import ask_that_runs
from stowplan.kueue.podsets import podsets_of
from stowplan.kueue.residents import Scene, flavors_of, shares_of
from stowplan.kueue.scheduling.dispatching import Dispatcher, Sent
from stowplan.kueue.scheduling.documents import ask_of
from stowplan.kueue.scheduling.quota import Cell
from stowplan.kueue.scheduling.scheduler import Scheduler
from stowplan.kueue.scheduling.slices import quota_of
from stowplan.kueue.scheduling.work import Ask
from stowplan.kueue.scheduling.world import Held
from stowplan.kueue.tree import KueueTree, Side, labels_of, spec_of
from stowplan.kueue.verdicts import flavor_of, held_as, kept_back, main_podset, preempted_by, preempted_of
from stowplan.kueue.worlds import counting_of
from stowplan.model.handedover import QUEUE_LABEL
from stowplan.model.inputs.inventory import Running
from stowplan.model.rendered import RenderedObject
from stowplan.model.workload import Workload
from stowplan.passes.lower.kueue.configuration import round_size
from stowplan.passes.lower.kueue.dialect import version_of
from stowplan.passes.lower.kueue.manager import hub_variants

__all__ = [
    "Managed",
    "dispatcher_of",
    "hold_on_manager",
    "managed_of",
    "on_manager",
    "options_of",
    "read_ask",
    "stop_of",
]

_TAKES_BACK = "MultiKueueRedoAdmissionOnEvictionInWorker"
_KEEPS_ORDER = "MultiKueueIncrementalDispatcherRespectConfigOrder"


@dataclass(slots=True)
class Managed:
    """One intent's part on the manager. `check` is MultiKueue's; `stopped` are clusters whose local queue takes nothing."""

    side: Side
    sent: Sent
    runs: Ask
    """What the manager has admitted of what runs: with another number of pods where elastic work changes its size."""
    check: str
    clusters: tuple[str, ...]
    stopped: Mapping[str, str]
    stop: str | None
    """The stop policy of its local queue on the manager."""


def dispatcher_of(tree: KueueTree) -> Dispatcher:
    """How the fleet's manager nominates clusters, by its settings and its release."""
    hub, manager = tree.fleet.spec.hubs.kueue, tree.manager
    if hub is None or manager is None:
        return Dispatcher()
    gates = manager.cluster.spec.kueue.feature_gates
    version = version_of(manager.cluster.spec.components.get("kueue", ""))
    takes_back = version >= (0, 16, 0) and gates.get(_TAKES_BACK, True)
    if hub.dispatcher != "Incremental":
        return Dispatcher(takes_back=takes_back)
    keeps_order = version >= (0, 19, 0) and gates.get(_KEEPS_ORDER, True)
    return Dispatcher(round_size(manager.cluster), keeps_order, takes_back)


def read_ask(
    side: Side, name: str, objects: Sequence[RenderedObject], *, priority: int, created: int
) -> tuple[Ask, RenderedObject] | None:
    """An intent's objects as one API server's Kueue counts them, and their LocalQueue; None where they have no queue there."""
    local = side.local_queues.get((objects[0].namespace or "", labels_of(objects[0]).get(QUEUE_LABEL, "")))
    queue = str(spec_of(local).get("clusterQueue")) if local is not None else ""
    podsets = tuple(p for made in objects for p in podsets_of(made, side))
    if local is None or queue not in side.queues or not podsets:
        return None
    return ask_of(name, queue, podsets, counting_of(side), priority=priority, created=created), local


def stop_of(local: RenderedObject) -> str | None:
    """The stop policy of a LocalQueue, if it stops anything."""
    stop = spec_of(local).get("stopPolicy")
    return None if stop == "None" else stop


def managed_of(
    tree: KueueTree, workload: Workload, objects: Sequence[RenderedObject], runs_on: str | None
) -> Managed | None:
    """The part on the manager of what MultiKueue dispatches; None for what starts where it is."""
    manager = tree.manager
    if manager is None or objects[0].unit.target.name != manager.name:
        return None
    queue = manager.queue_of(objects[0])
    check = manager.multikueue_check(queue) if queue is not None else None
    created, priority = (0 if runs_on is not None else 1), workload.priority_value
    read = read_ask(manager, workload.name, objects, priority=priority, created=created)
    if queue is None or check is None or read is None:
        return None
    clusters, stop = manager.candidates(queue), stop_of(read[1])
    copies: dict[str, Ask] = {}
    stopped: dict[str, str] = {}
    for name in clusters:
        side = tree.sides.get(name)
        found = side and read_ask(side, workload.name, objects, priority=priority, created=created)
        if not found:
            continue
        policy = stop_of(found[1])
        if policy is None or (name == runs_on and policy == "Hold"):
            copies[name] = found[0]
        else:
            stopped[name] = policy
    home = runs_on if runs_on in copies and stop != "HoldAndDrain" else None
    runs = ask_that_runs(tree.fleet, tree.sides[home], objects, read[0]) if home is not None else read[0]
    return Managed(manager, Sent(read[0], copies, home=home), runs, check.name, clusters, stopped, stop)


def hold_on_manager(tree: KueueTree, manager: Scheduler, running: Sequence[Managed]) -> None:
    """Books on the manager what its workers run, in its own names of their flavors."""
    assert tree.manager is not None, "only what it dispatches gets here"
    clusters = {name for managed in running for name in managed.clusters if name in tree.fleet.clusters}
    variants = hub_variants(tree.fleet, tree.manager.cluster, sorted(clusters))
    for managed in running:
        ask, home = managed.runs, tree.sides[managed.sent.home or ""]
        queue, rows = manager.world.queues[ask.queue], _seen(home, ask.name)
        quota: dict[Cell, int] = {}
        flavors: dict[tuple[str, str], str] = {}
        for row in rows:
            variant = variants.get((home.name, row.flavor))
            name = row.flavor if variant is None else variant.name
            mine = flavors_of(tree.fleet, home, queue, ask, row, name) if len(rows) == 1 else {}
            flavors.update(mine)
            counts = quota_of(queue, ask.podsets, mine) or shares_of(tree.fleet, home, row, name)
            for cell, amount in counts.items():
                quota[cell] = quota.get(cell, 0) + amount
        manager.hold(Held(ask, quota, flavors=flavors))


def _seen(side: Side, intent: str) -> list[Running]:
    observed = side.cluster.observed
    return [row for row in observed.running if row.intent == intent] if observed is not None else []


def on_manager(scene: Scene, managed: Managed) -> OnManager:
    """What becomes of the part on the manager."""
    scheduler, ask = scene.scheduler, managed.sent.ask
    preempts, preempted = preempted_by(scheduler, ask.name), preempted_of(scheduler, ask.name)
    held = held_as(scheduler, ask.name)
    if held is None:
        state, why, _ = kept_back(scene, ask, stop=managed.stop)
        return OnManager(managed.side.name, ask.queue, state, why=why, preempts=preempts, preempted=preempted)
    made = scheduler.admitted.get(held.ask.name)
    checks = scheduler.world.queues[ask.queue].checks_of(flavor for flavor, _ in held.quota)
    return OnManager(
        managed.side.name, ask.queue, "reserved",
        flavor=None if made is None else flavor_of(made, main_podset(ask)),
        borrows=made is not None and made.height > 0, preempts=preempts, preempted=preempted,
        checks=tuple(name for name in checks if name != managed.check),
    )  # fmt: skip


def options_of(scenes: Mapping[str, Scene], managed: Managed) -> Iterator[Option]:
    """What each cluster of the set would do, where there are several."""
    sent = managed.sent
    for cluster in managed.clusters if len(managed.clusters) > 1 else ():
        ask = sent.copies.get(cluster)
        if cluster == sent.home:
            yield Option(cluster, "takes")
        elif cluster in sent.takers:
            yield Option(cluster, "could")
        elif cluster in managed.stopped:
            yield Option(cluster, "waiting", (f"its local queue is stopped ({managed.stopped[cluster]})",))
        elif ask is None:
            yield Option(cluster, "never", ("it has no queue for it",))
        elif cluster not in sent.asked:
            yield Option(cluster, "later")
        else:
            state, why, _ = kept_back(scenes[cluster], ask, stop=None)
            yield Option(cluster, state, why)
