"""Plays stories of queues on a real Kueue: worlds in which jobs change their size, queues stop and start, and checks are answered."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from harness.client import Client, Object, condition, reference
from queue_worlds import Foretold, QueueWorld, gate, shared
from story_worlds import Act, Story

from product.queue_play import APART, API, SECOND, each, end_job, gated, join, outcomes, rest, submit, wait_active

_OFTEN = 8
"""Evictions of one job, beyond which a world is left alone: here queues and checks evict as well."""


def play_stories(client: Client, stories: Sequence[Story]) -> dict[str, list[Foretold]]:
    """What really became of the worlds, by name: at rest after each stage of their stories."""
    play = _Play(client, stories)
    return play.run()


class _Play:
    """Stories go on side by side, each act when all are at rest."""

    def __init__(self, client: Client, stories: Sequence[Story]) -> None:
        self.client, self.stories = client, stories
        self.worlds = [story.world for story in stories]
        self.told: dict[str, list[Foretold]] = {world.name: [] for world in self.worlds}
        self.stopped: set[str] = set()
        """ClusterQueues."""

    def run(self) -> dict[str, list[Foretold]]:
        self._make()
        for number in range(max(len(world.early) for world in self.worlds)):
            submit(self.client, [world.early[number] for world in self.worlds if number < len(world.early)])
            self._rest()
        self._acts([story.before for story in self.stories])
        self._late()
        self._tell(self.stories)
        self._acts([story.acts for story in self.stories])
        self._end()
        self._tell(self.stories)
        return self.told

    def _make(self) -> None:
        each(self.client.apply, [*shared(), *(part for world in self.worlds for part in world.parts)])
        each(self._activate, [one for world in self.worlds for one in world.of_kind("AdmissionCheck").values()])
        each(lambda node: join(self.client, node), [node for world in self.worlds for node in world.nodes])
        wait_active(self.client, self._queues(), "True")

    def _activate(self, check: Object) -> None:
        """As the check's controller would say that it is there."""
        active = {
            "type": "Active",
            "status": "True",
            "reason": "Active",
            "message": "played",
            "lastTransitionTime": _now(),
        }
        self.client.patch_status(check, {"conditions": [active]})

    def _queues(self) -> list[Object]:
        queues = [queue for world in self.worlds for queue in world.of_kind("ClusterQueue").values()]
        return [queue for queue in queues if queue["metadata"]["name"] not in self.stopped]

    def _late(self) -> None:
        """All late jobs at once: while they are made, the queues are inactive."""
        pairs = [(world, queue) for world in self.worlds for queue in world.of_kind("ClusterQueue").values()]
        each(self.client.apply, [gated(world, queue) for world, queue in pairs])
        wait_active(self.client, self._queues(), "False")
        for number in range(max(len(world.late) for world in self.worlds)):
            submit(self.client, [world.late[number] for world in self.worlds if number < len(world.late)])
        time.sleep(SECOND)
        for world in self.worlds:
            self.client.apply(gate(f"gate-{world.name}", is_placing=world.is_placing))
            time.sleep(APART)
        wait_active(self.client, self._queues(), "True")

    def _rest(self) -> None:
        rest(self.client, often=_OFTEN)

    def _tell(self, stories: Sequence[Story]) -> None:
        self._rest()
        worlds = [story.world for story in stories]
        for name, found in outcomes(self.client, worlds, _OFTEN).items():
            self.told[name].append(found)

    def _acts(self, acts: Sequence[Sequence[Act]]) -> None:
        """The first act of every story, the second, and so on."""
        for number in range(max(len(rows) for rows in acts)):
            time.sleep(SECOND)
            mine = [(story, rows[number]) for story, rows in zip(self.stories, acts, strict=True) if number < len(rows)]
            for story, act in mine:
                {"resize": self._resize, "stop": self._stop, "answer": self._answer}[act.kind](story.world, act)
                time.sleep(APART)
            self._tell([story for story, _ in mine])

    def _resize(self, world: QueueWorld, act: Act) -> None:
        self.client.patch(reference("batch/v1", "Job", act.name, world.name), {"spec": {"parallelism": act.value}})

    def _stop(self, world: QueueWorld, act: Act) -> None:
        kind, _, name = act.name.partition("/")
        if kind == "ClusterQueue":
            self.stopped = self.stopped | {name} if act.value != "None" else self.stopped - {name}
        queue = reference(API, kind, name, world.name if kind == "LocalQueue" else "")
        self.client.patch(queue, {"spec": {"stopPolicy": act.value}}, manager="stopping")

    def _answer(self, world: QueueWorld, act: Act) -> None:
        """What the checks' controller says of a job that has quota: all are ready, or the first is not."""
        for workload in self._workloads(world, act.name):
            rows = workload.get("status", {}).get("admissionChecks", [])
            if condition(workload, "QuotaReserved").get("status") != "True" or not rows:
                continue
            chosen = rows if act.value == "Ready" else rows[:1]
            for row in chosen:
                row.update({"state": act.value, "message": "played", "lastTransitionTime": _now()})
            self.client.patch_status(workload, {"admissionChecks": rows})

    def _workloads(self, world: QueueWorld, job: str) -> Iterator[Object]:
        for workload in self.client.list(API, "Workload", world.name):
            (owner,) = workload["metadata"]["ownerReferences"]
            if owner["name"] == job:
                yield workload

    def _newest(self, world: QueueWorld, job: str) -> Object:
        """A job that waits to grow has two: the older is not finished, and holds its quota for good."""
        return max(self._workloads(world, job), key=lambda one: str(one["metadata"]["creationTimestamp"]))

    def _end(self, timeout: float = 60) -> None:
        ending = [(world, world.ending) for world in self.worlds if world.ending is not None]
        for _, job in ending:
            end_job(self.client, job)
            time.sleep(APART)
        deadline = time.monotonic() + timeout
        while late := [
            world.name
            for world, job in ending
            if not condition(self._newest(world, job["metadata"]["name"]), "Finished")
        ]:
            assert time.monotonic() < deadline, f"Kueue does not see the end of jobs in {late}"
            time.sleep(0.2)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
