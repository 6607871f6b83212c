"""docs/architecture.md names what is there: every package, and no path that does not exist."""

from __future__ import annotations

import re

from sources import ROOT, modules

REPOSITORY = ROOT.parents[1]
PAGE = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
OTHERS = {"__init__", "__main__", "version", "profile", "process", "resources", "driver", "inventory"}
"""Packages that the code map need not name in a row of their own."""


def test_every_package_has_a_row() -> None:
    rows = "\n".join(line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `"))
    packages = {module.package for module in modules()} - OTHERS
    assert sorted(p for p in packages if not re.search(rf"`{p}(/|\.py)`", rows)) == []


def test_paths_exist() -> None:
    paths = set(re.findall(r"`([a-z_]+(?:/[a-z_.]+)+/?|[a-z_]+/|[a-z_]+\.py)`", PAGE)) - {"rendered/"}
    missing = [p for p in sorted(paths) if not (ROOT / p).exists() and not (REPOSITORY / p).exists()]
    assert len(paths) > 30
    assert missing == []
