"""Figures that tests say are shown at the end of a run, module by module."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from harness.figures import SECTION, Say, lines_of

ASKED = "STOWPLAN_TEST_SPEAKS"


def _report(node: str, *lines: str) -> pytest.TestReport:
    said = [("other", "not a figure"), *((SECTION, line) for line in lines)]
    return pytest.TestReport(node, (node, 0, ""), {}, "passed", None, "call", user_properties=said)


def test_figures_come_in_the_order_of_modules_and_of_what_each_said() -> None:
    reports = [
        _report("tests/e2e/test_product_owners.py::test_z", "3 of 3"),
        _report("tests/e2e/test_bed_flux.py::test_y", "two", "one"),
        _report("tests/e2e/test_bed_flux.py::test_x", "zero"),
        _report("tests/e2e/test_bed_argocd.py::test_w"),
    ]
    shown = [line.split(maxsplit=1) for line in lines_of(reports)]
    assert shown == [["bed_flux", "two"], ["bed_flux", "one"], ["bed_flux", "zero"], ["owners", "3 of 3"]]


def test_one_that_speaks_where_it_is_asked_to(say: Say) -> None:
    if os.environ.get(ASKED):
        say("said where it is shown")


def test_they_are_shown_at_the_end_of_a_run() -> None:
    command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    speaker = f"{Path(__file__)}::{test_one_that_speaks_where_it_is_asked_to.__name__}"
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run((*command, speaker), env={**clean, ASKED: "1"}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    before, _, after = done.stdout.partition(f" {SECTION} ")
    assert after, done.stdout
    assert "bed_figures      said where it is shown\n1 passed" in after
    assert "said where" not in before
