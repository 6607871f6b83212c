"""What is equal on many clusters is worked out once: counted, not timed."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stowplan.ownership.units
import stowplan.ownership.writers
import stowplan.passes.validate
import stowplan.templates.engine
from stowplan.driver import Compilation, compile_workspace
from stowplan.passes.eligibility.questions import CLUSTER_QUESTIONS, POOL_QUESTIONS
from stowplan.passes.eligibility.sieve import Sieve
from stowplan.source.files import SourceTree

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))

from reference import reference_fleet

INTENTS = 12


def counted(monkeypatch: pytest.MonkeyPatch, clusters: int) -> tuple[Compilation, Counter[str]]:
    """A compile of the reference fleet, and how often the costly steps ran."""
    counts: Counter[str] = Counter()

    def count(holder: Any, name: str, label: str) -> None:
        original: Callable[..., Any] = getattr(holder, name)

        def counting(*arguments: Any, **named: Any) -> Any:
            counts[label] += 1
            return original(*arguments, **named)

        monkeypatch.setattr(holder, name, counting)

    count(stowplan.templates.engine, "Shape", "shapes compiled")
    count(stowplan.templates.engine.TemplateSet, "_render", "documents rendered")
    count(stowplan.ownership.units, "units_of", "objects walked for ownership")
    count(stowplan.ownership.writers, "_writes", "units matched with atlas rows")
    count(stowplan.passes.validate._Checker, "check", "documents validated")
    count(Sieve, "_ask_clusters", "questions put to clusters")
    count(Sieve, "_ask_pools", "questions put to pools")
    done = compile_workspace(SourceTree.from_texts(reference_fleet(clusters, 3, INTENTS)))
    monkeypatch.undo()
    assert not done.failed() and done.rendered is not None
    return done, counts


@pytest.fixture(scope="module")
def runs() -> tuple[tuple[Compilation, Counter[str]], tuple[Compilation, Counter[str]]]:
    patch = pytest.MonkeyPatch()
    return counted(patch, 6), counted(patch, 18)


Runs = tuple[tuple[Compilation, Counter[str]], tuple[Compilation, Counter[str]]]


@pytest.mark.parametrize("what", ["shapes compiled", "objects walked for ownership", "units matched with atlas rows"])
def test_three_times_the_clusters_cost_no_more_of_what_is_done_once_a_shape(runs: Runs, what: str) -> None:
    (small, few), (large, many) = runs
    assert small.rendered is not None and large.rendered is not None
    assert len(large.rendered.objects) > 2.5 * len(small.rendered.objects)
    assert 0 < many[what] <= few[what]


def test_equal_documents_are_rendered_and_validated_once(runs: Runs) -> None:
    for done, counts in runs:
        assert done.rendered is not None
        distinct = {id(made.rendered) for made in done.rendered.objects}
        assert counts["documents rendered"] <= len(distinct)
        assert {len({made.text for made in done.rendered.objects})} == {len(distinct)}
        kinds = {(id(m.rendered), m.unit.target.cluster[-1:] in "02468") for m in done.rendered.objects}
        assert counts["documents validated"] <= 2 * len(kinds)
        assert len(distinct) < 0.6 * len(done.rendered.objects)


def test_questions_are_asked_once_for_equal_readings(runs: Runs) -> None:
    for _, counts in runs:
        most = (len(CLUSTER_QUESTIONS) + len(POOL_QUESTIONS)) * INTENTS
        assert 0 < counts["questions put to clusters"] + counts["questions put to pools"] < 0.6 * most
