"""The example workspace of the input language compiles, and everything goes where a correct compiler puts it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stowplan.driver import Compilation, compile_workspace
from stowplan.source.files import SourceTree

EXAMPLE = Path(__file__).parent.parent / "data" / "example"


@pytest.fixture(scope="module")
def done() -> Compilation:
    return compile_workspace(SourceTree.read(EXAMPLE))


@pytest.mark.skipif(
    "STOWPLAN_EXAMPLES" not in os.environ, reason="STOWPLAN_EXAMPLES names no folder with the example workspace"
)
def test_the_workspace_as_handed_over_compiles_alike(done: Compilation) -> None:
    other = compile_workspace(SourceTree.read(Path(os.environ["STOWPLAN_EXAMPLES"]) / "workspace"))
    assert other.files == done.files


def test_compiles(done: Compilation) -> None:
    assert not done.failed(), done.diagnostics
    assert done.files


EXPECTED = {
    "asr": ("placed", [("eu-west-l40s", "l40s", None, 12, 6, 4), ("us-east-spot", "l40s", None, 4, 2, 12)]),
    "asr-giant": ("unplaced", []),
    "asr-pretrain": ("placed", [("eu-west-h200", "h200-sxm", ("b1",), 40, None, 0)]),
    "augment-images": ("placed", [("eu-west-l40s", "l40s", None, 6, None, 0)]),
    "detector-finetune": ("placed", [("us-east-spot", "a100-spot", ("nn-2",), 32, None, 0)]),
    "nightly-eval": ("routed", [("eu-west-l40s", "l40s", None, 4, None, 0)]),
    "notebooks": ("placed", [("eu-west-h200", "h200-sxm", ("b2", "r3"), 8, None, 0)]),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_placement(done: Compilation, name: str) -> None:
    assert done.plan is not None
    placement = done.plan.placements[name]
    found = [(a.cluster, a.flavor, a.domain, a.accelerators, a.replicas, a.reserved) for a in placement.assignments]
    assert (placement.status, found) == EXPECTED[name]
