"""Each predicate fails alone where it is planted, names the two facts that disagree, and passes when it is cured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from stowplan.model.eligibility import Predicate, Reason
from stowplan.model.plan import PlacementPlan
from stowplan.passes.load import component_folders, load
from stowplan.passes.placement import place
from stowplan.passes.resolve import resolve
from stowplan.policies.placement import compile_placement
from stowplan.source.files import SourceTree
from stowplan.source.span import Origin

HERE = Path(__file__).parent
EXAMPLE = HERE.parent / "data" / "example"
BASE = {p.relative_to(EXAMPLE).as_posix(): p.read_text() for p in sorted(EXAMPLE.rglob("*")) if p.is_file()}
CASES = yaml.safe_load((HERE / "predicates.yaml").read_text())


def planned(edits: list[list[str]]) -> tuple[SourceTree, PlacementPlan]:
    """The plan of the edited workspace, by the passes up to placement."""
    files = dict(BASE)
    for path, before, after in edits:
        assert before in files[path], f"{path} does not hold {before!r}"
        files[path] = files[path].replace(before, after, 1)
    tree = SourceTree.from_texts(files)
    documents = [document for file in tree.files for document in file.documents]
    loaded = load(documents, component_folders(documents))
    resolved = resolve(loaded.value)
    assert not tree.problems and not loaded.diagnostics and resolved.value is not None
    assert {d.code for d in resolved.diagnostics} <= {"SP0401"}
    policy = compile_placement(resolved.value)
    assert not policy.diagnostics
    return tree, place(resolved.value, policy.value)


def reasons(plan: PlacementPlan, case: dict[str, Any]) -> list[Reason]:
    """Everything that speaks against the workload on this flavor of this cluster."""
    rejections = plan.placements[case["workload"]].rejections
    places = ((case["cluster"], None), (case["cluster"], case["flavor"]))
    return [r.reason for r in rejections if (r.cluster, r.flavor) in places]


def place_of(tree: SourceTree, origin: Origin | None) -> str | None:
    span = tree.locate(origin) if origin is not None else None
    return f"{span.path}:{span.line}" if span is not None else None


def label(case: dict[str, Any]) -> str:
    return f"{case['predicate']}: {case['case']}" if "case" in case else str(case["predicate"])


@pytest.mark.parametrize("case", CASES, ids=label)
def test_planted(case: dict[str, Any]) -> None:
    tree, plan = planned(case["edits"])
    found = reasons(plan, case)
    assert [reason.predicate.value for reason in found] == [case["predicate"]]
    assert (place_of(tree, found[0].need.origin), place_of(tree, found[0].found.origin)) == (
        case["need"],
        case["found"],
    )
    assert found[0].message and found[0].need.text and found[0].found.text


@pytest.mark.parametrize("case", CASES, ids=label)
def test_cured(case: dict[str, Any]) -> None:
    _, plan = planned(case.get("cured", []))
    assert reasons(plan, case) == []


def test_every_predicate_is_planted() -> None:
    assert {case["predicate"] for case in CASES} == {predicate.value for predicate in Predicate}


def test_codes_follow_the_order_of_predicates() -> None:
    assert [predicate.code for predicate in Predicate] == [f"SP{510 + index:04d}" for index in range(35)]
