"""Shows at the end of the run how much of each recorded file agrees, also without `-s`."""

from __future__ import annotations

import pytest
from corpus_files import LINES


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line `FILE AGREED/TOTAL` for each result, the misses indented below it."""
    if LINES:
        terminalreporter.section("recorded verdicts")
        for line in LINES:
            terminalreporter.write_line(line)
