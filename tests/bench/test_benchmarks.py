"""The benchmarks run, at sizes that say nothing of speed: what they call changes with the program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

LEFT_OUT = ("STOWPLAN_CORPUS", "STOWPLAN_PEERS_BENCH")
"""What makes the benchmarks longer where it is there."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "figures"),
    [
        (
            ("bench.py", "--clusters", "2", "--tenants", "1", "--intents", "2", "--runs", "1", "--growth"),
            ("cold compile, everything on", "one intent changed", "drift of exported files", "times the CPU"),
        ),
        (("placement_bench.py", "20", "4"), ("20 workloads, 4 clusters", "gap ", "plan.json ")),
        (("schema_bench.py",), ("by shape, reference fleet", "full walk, reference fleet")),
    ],
    ids=lambda value: Path(value[0]).stem,
)
def test_it_runs(command: tuple[str, ...], figures: tuple[str, ...]) -> None:
    script = Path(__file__).with_name(command[0])
    environment = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
    done = subprocess.run(
        (sys.executable, str(script), *command[1:]), env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert [text for text in figures if text not in done.stdout] == []
