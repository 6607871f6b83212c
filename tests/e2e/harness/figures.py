"""Figures that tests say, shown together at the end of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePath

import pytest

Say = Callable[[str], None]
"""Says one line."""

SECTION = "figures"


def sayer(item: pytest.Item) -> Say:
    """Keeps lines with the test, in whose report they travel."""
    properties: list[tuple[str, object]] = item.user_properties
    return lambda line: properties.append((SECTION, line))


def lines_of(reports: Iterable[pytest.TestReport]) -> Iterator[str]:
    """What was said, after the module's name, in the order of modules and of what was said in each."""
    said = sorted(((report.nodeid.partition("::")[0], report) for report in reports), key=lambda pair: pair[0])
    for path, report in said:
        module = PurePath(path).stem.removeprefix("test_").removeprefix("product_")
        for name, line in report.user_properties:
            if name == SECTION:
                yield f"{module:16} {line}"
