"""The model of the scheduler against Kueue itself: generated worlds, early and late jobs, who is admitted where, who must leave;
and stories, in which elastic jobs change their size, queues are stopped and started, and admission checks are answered.

A world that disagrees among the others is played once more alone, and for longer: on a busy machine a cycle takes so long that
what was set aside comes back (after a second) before a preempted job has left, and then Kueue itself decides otherwise; and beside
a job that fails to be admitted without end, others get their turn late.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from harness.bed import Bed
from harness.client import Client
from harness.crds import crds, install_crds
from harness.figures import Say

sys.path.append(str(Path(__file__).parents[1] / "kueue"))
from product.queue_play import LONG, QUIET, play
from product.releases import version
from product.story_play import play_stories
from queue_worlds import Foretold, QueueWorld, foretell, make_world
from story_worlds import FAMILIES, Family, foretell_story, make_story
from story_worlds import SEEDS as STORY_SEEDS

FRAMEWORKS = ("batch/job", "jobset.x-k8s.io/jobset")
ALL = os.environ.get("STOWPLAN_WORLDS") == "all"
STORIES = {family: seeds if ALL else seeds[:4] for family, seeds in STORY_SEEDS.items()}
SEEDS = (4, 14, 110, 217, *range(300, 334 if ALL else 316))
GATES = "VisibilityOnDemand=false,ElasticJobsViaWorkloadSlices=true"
FAIR = {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]}


def differences(world: QueueWorld, told: Sequence[tuple[str, Foretold, Foretold]]) -> list[str]:
    """Where the model and Kueue differ, in words, up to the first stage after which they do or never come to rest."""
    for when, mine, theirs in told:
        found = [f"after {when}: {row}" for row in _differences(world, mine, theirs)]
        if found or mine.restless:
            return found
    return []


def _differences(world: QueueWorld, model: Foretold, real: Foretold) -> Iterator[str]:
    if model.restless or real.restless:
        if model.restless != real.restless:
            yield f"preempts without end: model {model.restless}, Kueue {real.restless}"
        return
    for what in ("preempted", "admitted"):
        mine, theirs = getattr(model, what), getattr(real, what)
        if mine != theirs:
            yield f"{what}: model {sorted(mine)}, Kueue {sorted(theirs)}"
    for job in (*world.early, *world.late):
        name = job["metadata"]["name"]
        for what in ("flavors", "pods", "places", "checks"):
            mine, theirs = getattr(model, what).get(name), getattr(real, what).get(name)
            if mine != theirs:
                yield f"{what} of {name}: model {mine}, Kueue {theirs}"


@dataclass(frozen=True)
class Played:
    """How many worlds of each family were played, and the differences by family and seed: of all together, and of those alone."""

    totals: dict[str, int]
    first: dict[str, dict[int, list[str]]]
    second: dict[str, dict[int, list[str]]]


class _Run:
    """All worlds on one Kueue."""

    def __init__(self, client: Client, fair: bool) -> None:
        self.client, self.fair = client, fair

    def play(self) -> Played:
        first: dict[str, dict[int, list[str]]] = {"queues": self.worlds(SEEDS)}
        alone = [self.worlds((seed,), again=True) for seed in first["queues"]]
        second = {"queues": {seed: rows for found in alone for seed, rows in found.items()}}
        told = self.stories([(family, seed) for family in FAMILIES for seed in STORIES[family]])
        retold = self.stories(list(told), again=True) if told else {}
        for family in FAMILIES:
            first[family], second[family] = (
                {seed: rows for (of, seed), rows in all_rows.items() if of == family} for all_rows in (told, retold)
            )
        return Played({"queues": len(SEEDS)} | {f: len(STORIES[f]) for f in FAMILIES}, first, second)

    def worlds(self, seeds: Sequence[int], *, again: bool = False) -> dict[int, list[str]]:
        """Differences by seed."""
        worlds = [make_world(seed, fair=self.fair, again=again) for seed in seeds]
        real = play(self.client, worlds, LONG if again else QUIET)
        stages = ("the late jobs", "the end of a job")
        found = {
            w.seed: differences(w, list(zip(stages, foretell(w, version()), real[w.name], strict=True))) for w in worlds
        }
        return {seed: rows for seed, rows in found.items() if rows}

    def stories(
        self, chosen: Sequence[tuple[Family, int]], *, again: bool = False
    ) -> dict[tuple[Family, int], list[str]]:
        """Differences by family and seed."""
        stories = [make_story(family, seed, fair=self.fair, again=again) for family, seed in chosen]
        real = play_stories(self.client, stories)
        found = {}
        for story in stories:
            told = zip(story.stages, foretell_story(story, version()), real[story.world.name], strict=True)
            found[story.family, story.world.seed] = differences(story.world, list(told))
        return {key: rows for key, rows in found.items() if rows}


@pytest.fixture(scope="module")
def played(module_bed: Bed) -> dict[bool, Played]:
    """What became of all worlds, by whether Kueue shares fairly; two Kueues at the same time."""
    planes = {fair: module_bed.plane(name) for fair, name in ((False, "by-priority"), (True, "by-share"))}

    def run(fair: bool) -> Played:
        client = planes[fair].client()
        install_crds(client, crds("jobset"))
        settings = {"fairSharing": FAIR} if fair else None
        module_bed.kueue(planes[fair], frameworks=FRAMEWORKS, settings=settings, gates=GATES)
        return _Run(client, fair).play()

    with ThreadPoolExecutor(2) as pool:
        runs = {fair: pool.submit(run, fair) for fair in planes}
        return {fair: done.result() for fair, done in runs.items()}


@pytest.mark.parametrize("family", ["queues", *FAMILIES])
@pytest.mark.parametrize("fair", [False, True], ids=["by-priority", "by-share"])
def test_kueue_does_what_the_model_says(played: dict[bool, Played], fair: bool, family: str, say: Say) -> None:
    total, first, second = (part[family] for part in (played[fair].totals, played[fair].first, played[fair].second))
    sharing = "by share" if fair else "by priority"
    say(
        f"{family}, {sharing}: {total - len(second)}/{total} worlds agreed, {len(first) - len(second)} of them when played again"
    )
    assert not second, "\n".join(f"{seed}: {row}" for seed, rows in second.items() for row in rows)
