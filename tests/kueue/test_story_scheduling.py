"""The scheduler's model over stories: sizes that change, queues that stop and start, checks that are answered."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from queue_worlds import ask_in, scheduler_of, submit, told
from story_worlds import FAMILIES, SEEDS, Family, Story, foretell_story, make_story

from stowplan.kueue.scheduling.scheduler import Scheduler
from stowplan.kueue.scheduling.slices import work_of

MORE = range(600, 660)


def stories(family: Family) -> list[Story]:
    """Those that are held to a real Kueue, and more."""
    seeds = sorted({*SEEDS[family], *MORE})
    return [make_story(family, seed, fair=fair) for fair in (False, True) for seed in seeds]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_story_is_the_same_every_time(family: Family) -> None:
    for first, second in zip(stories(family)[:20], stories(family)[:20], strict=True):
        assert first == second
        assert foretell_story(first) == foretell_story(second)


def test_the_stories_are_worth_it() -> None:
    """What is held to a real Kueue has growth that is admitted, that waits, and that preempts; and so on."""
    seen: Counter[str] = Counter()
    for family in FAMILIES:
        for fair in (False, True):
            for seed in SEEDS[family]:
                story = make_story(family, seed, fair=fair)
                for (_, before), (stage, after) in pairwise(zip(story.stages, foretell_story(story), strict=True)):
                    what, _, rest = stage.partition(" ")
                    name = rest.split(" ")[0]
                    if what == "resize" and name in before.pods:
                        sizes = [sum(one.pods[name].values()) if name in one.pods else 0 for one in (before, after)]
                        wanted = int(rest.split(" ")[1])
                        seen["grows" if sizes[1] > sizes[0] else "shrinks" if sizes[1] < sizes[0] else "waits"] += 1
                        seen["grows by preemption"] += sizes[1] > sizes[0] and after.preempted > before.preempted
                        seen["gives back to others"] += wanted < sizes[0] and bool(set(after.pods) - set(before.pods))
                    elif what in ("stop", "answer"):
                        gone, come = set(before.pods) - set(after.pods), set(after.pods) - set(before.pods)
                        word = rest.split(" ")[1]
                        seen[f"{word} lets go"] += bool(gone)
                        seen[f"{word} lets in"] += bool(come)
                        seen[f"{word} admits"] += bool(after.admitted - before.admitted)
    least = {
        "grows": 12, "shrinks": 6, "waits": 8, "grows by preemption": 2, "gives back to others": 2, "HoldAndDrain lets go": 12,
        "None lets in": 12, "Ready admits": 4, "Rejected lets go": 4, "Rejected lets in": 1, "HoldAndDrain lets in": 2,
    }  # fmt: skip
    assert {name: seen[name] for name, n in least.items() if seen[name] < n} == {}, dict(seen)


@pytest.mark.parametrize("fair", [False, True])
def test_when_all_ends_nothing_is_left(fair: bool) -> None:
    """However often work grew, shrank, left, and came back."""
    for seed in MORE:
        story = make_story("sizes", seed, fair=fair)
        scheduler = scheduler_of(story.world)
        for created, job in enumerate((*story.world.early, *story.world.late)):
            submit(scheduler, job, created)
            scheduler.settle()
        for created, act in enumerate(story.acts, 100):
            job = story.job(act.name)
            scheduler.resize(ask_in(job | {"spec": job["spec"] | {"parallelism": act.value}}, created))
            scheduler.settle()
        works = Counter(work_of(name) for name in scheduler.world.held)
        assert set(works.values()) <= {1}, (seed, works)
        for job in (*story.world.early, *story.world.late) * 2:  # the first end is that of a slice that waits
            scheduler.end(job["metadata"]["name"])
        assert not scheduler.world.held and not scheduler.waiting(), seed
        roots = {id(queue.node.root): queue.node.root for queue in scheduler.world.queues.values()}
        assert not any(n for root in roots.values() for n in root.usage.values()), seed


def grown(scheduler: Scheduler, story: Story, name: str, pods: int) -> int:
    """Pods of a job after it was given another size."""
    job = story.job(name)
    scheduler.resize(ask_in(job | {"spec": job["spec"] | {"parallelism": pods}}, 100))
    scheduler.settle()
    found = told(scheduler).pods.get(name)
    return sum(found.values()) if found is not None else 0


def test_a_size_that_is_taken_back() -> None:
    """Whoever waits to grow may go back to its size. It is younger then: equals that are older may preempt it, where a queue lets them."""
    kept, left = 0, 0
    for seed in MORE:
        story = make_story("sizes", seed, fair=False)
        scheduler = scheduler_of(story.world)
        for created, job in enumerate(story.world.early):
            submit(scheduler, job, created)
            scheduler.settle()
        for job in story.world.early:
            name, pods = job["metadata"]["name"], job["spec"].get("parallelism", 0)
            if "annotations" not in job["metadata"] or name not in scheduler.world.held:
                continue
            if grown(scheduler, story, name, 6) == pods:
                after = grown(scheduler, story, name, pods)
                queue = scheduler.world.queues[job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"]]
                assert after == pods or queue.rules.within_queue == "LowerOrNewerEqualPriority", (seed, name)
                kept, left = kept + (after == pods), left + (after != pods)
    assert kept > 10 and left > 0
