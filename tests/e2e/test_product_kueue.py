"""Kueue runs what the compiler rendered: queues turn active, jobs go where the plan says, and stay there."""

from __future__ import annotations

import pytest
from harness.bed import Bed
from product.live import LiveFleet, live_fleet, wait_queues_active


@pytest.fixture(scope="module")
def fleet(session_bed: Bed) -> LiveFleet:
    return live_fleet(session_bed)


@pytest.mark.parametrize("target", ["hub", "eu-west-h200", "eu-west-l40s", "us-east-spot"])
def test_every_queue_turns_active(fleet: LiveFleet, target: str) -> None:
    print(fleet.timings)
    assert wait_queues_active(fleet, target) == {}
