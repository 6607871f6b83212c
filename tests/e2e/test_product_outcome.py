"""The model of the scheduler against Kueue itself: generated worlds, early and late jobs, who is admitted where, who must leave.

A world that disagrees among the others is played once more alone: on a busy machine a cycle takes so long that what was set aside
comes back (after a second) before a preempted job has left, and then Kueue itself decides otherwise.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from harness.bed import Bed
from harness.crds import crds, install_crds

sys.path.append(str(Path(__file__).parents[1] / "kueue"))
from product.queue_play import play
from queue_worlds import Foretold, QueueWorld, foretell, make_world

FRAMEWORKS = ("batch/job", "jobset.x-k8s.io/jobset")
SEEDS = (4, 14, 110, 217, *range(300, 334))
FAIR = {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]}


def differences(world: QueueWorld, real: tuple[Foretold, Foretold]) -> list[str]:
    """Where the model and Kueue differ, in words."""
    found = []
    for when, mine, theirs in zip(("", "after the end: "), foretell(world), real, strict=True):
        found += [f"{when}{row}" for row in _differences(world, mine, theirs)]
        if mine.restless:
            break
    return found


def _differences(world: QueueWorld, model: Foretold, real: Foretold) -> Iterator[str]:
    if model.restless or real.restless:
        if model.restless != real.restless:
            yield f"preempts without end: model {model.restless}, Kueue {real.restless}"
        return
    if model.preempted != real.preempted:
        yield f"preempted: model {sorted(model.preempted)}, Kueue {sorted(real.preempted)}"
    for job in (*world.early, *world.late):
        name = job["metadata"]["name"]
        for what in ("flavors", "places"):
            mine, theirs = getattr(model, what).get(name), getattr(real, what).get(name)
            if mine != theirs:
                yield f"{what} of {name}: model {mine}, Kueue {theirs}"


@dataclass(frozen=True)
class Played:
    """Differences by seed, of all worlds together and of those that differed alone."""

    first: dict[int, list[str]]
    second: dict[int, list[str]]


@pytest.fixture(scope="module")
def played(module_bed: Bed) -> dict[bool, Played]:
    """What became of all worlds, by whether Kueue shares fairly; two Kueues at the same time."""
    planes = {fair: module_bed.plane(name) for fair, name in ((False, "by-priority"), (True, "by-share"))}

    def run(fair: bool) -> Played:
        client = planes[fair].client()
        install_crds(client, crds("jobset"))
        settings = {"fairSharing": FAIR} if fair else None
        module_bed.kueue(planes[fair], frameworks=FRAMEWORKS, settings=settings)
        worlds = [make_world(seed, fair=fair) for seed in SEEDS]
        real = play(client, worlds)
        first = {world.seed: rows for world in worlds if (rows := differences(world, real[world.name]))}
        second = {}
        for seed in first:
            world = make_world(seed, fair=fair, again=True)
            if rows := differences(world, play(client, [world])[world.name]):
                second[seed] = rows
        return Played(first, second)

    with ThreadPoolExecutor(2) as pool:
        runs = {fair: pool.submit(run, fair) for fair in planes}
        return {fair: done.result() for fair, done in runs.items()}


@pytest.mark.parametrize("fair", [False, True], ids=["by-priority", "by-share"])
def test_kueue_does_what_the_model_says(
    played: dict[bool, Played], fair: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = played[fair].first, played[fair].second
    total, sharing = len(SEEDS), "by share" if fair else "by priority"
    with capsys.disabled():
        print(
            f"\n{sharing}: {total - len(second)}/{total} worlds agreed, {len(first) - len(second)} of them when played alone"
        )
    assert not second, "\n".join(f"{seed}: {row}" for seed, rows in second.items() for row in rows)
