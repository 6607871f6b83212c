"""What one scheduler has decided about a piece of work, read off after it came to rest."""

from __future__ import annotations

from stowplan.kueue.admission import Preempted
from stowplan.kueue.residents import Scene
from stowplan.kueue.scheduling.assignment import Assignment, Mode
from stowplan.kueue.scheduling.flavors import assign
from stowplan.kueue.scheduling.preemption import Preemptor
from stowplan.kueue.scheduling.scheduler import Scheduler
from stowplan.kueue.scheduling.slices import work_of
from stowplan.kueue.scheduling.work import Ask, PodAsk
from stowplan.kueue.scheduling.world import Held

__all__ = ["flavor_of", "held_as", "kept_back", "main_podset", "preempted_by", "preempted_of"]

_COMMON = ("cpu", "memory", "pods", "ephemeral-storage")


def kept_back(
    scene: Scene, ask: Ask, *, stop: str | None, name: str | None = None
) -> tuple[str, tuple[str, ...], Assignment | None]:
    """Waiting or never, and why, for work that has no quota; with the assignment that it was refused.

    `stop` is the stop policy of its local queue; `name` is that which waits: the work itself, or the slice by which it would grow.
    """
    scheduler, waits = scene.scheduler, name or ask.name
    queue = scheduler.world.queues[ask.queue]
    if queue.stopped is not None or stop is not None:
        return "waiting", (queue.stopped or f"its local queue is stopped ({stop})",), None
    runs = scheduler.world.held.get(ask.name)
    only = (runs.flavors or None) if runs is not None else None
    alone = assign(scene.empty, scheduler.release, ask, Preemptor(scene.empty, scheduler.release), only=only)
    if alone.mode is not Mode.FIT:  # even if nothing else was there
        return "never", alone.why, None
    made = scheduler.refused.get(waits)
    if made is None:
        head = work_of(scheduler.head_of(ask.queue) or "")
        return "waiting", (f"the queue is strict, and `{head}` at its head waits",), None
    if made.is_broken:
        text = "this release of Kueue chooses a domain that has no room for leader and workers, and fails to admit them"
        return "waiting", (text,), made
    why = made.why or ("what it would take is kept for work that goes before it",)
    if waits in scheduler.restless:
        why = (*why, "Kueue would preempt it over and over")
    return "waiting", why, made


def preempted_of(scheduler: Scheduler, name: str) -> Preempted | None:
    """For whom work had to leave at last."""
    left = [row for row in scheduler.evictions if work_of(row.name) == name]
    return Preempted(work_of(left[-1].by), left[-1].reason) if left else None


def preempted_by(scheduler: Scheduler, name: str) -> tuple[str, ...]:
    """Who had to leave for it."""
    return tuple(dict.fromkeys(work_of(row.name) for row in scheduler.evictions if work_of(row.by) == name))


def held_as(scheduler: Scheduler, name: str) -> Held | None:
    """What work holds, by itself or as its last slice."""
    held = scheduler.world.held
    return held.get(scheduler.slice_of(name) or name) or held.get(name)


def main_podset(ask: Ask) -> PodAsk:
    """The workers, where there is a leader too."""
    return max(ask.podsets, key=lambda p: (p.count, p.name != "head"))


def flavor_of(made: Assignment, main: PodAsk) -> str | None:
    """The flavor of what the main pod set asks for beyond cores and memory, if any."""
    for podset in made.podsets:
        if podset.ask.name == main.name and podset.flavors:
            name = min(podset.flavors, key=lambda resource: (resource in _COMMON, resource))
            return podset.flavors[name].flavor
    return None
