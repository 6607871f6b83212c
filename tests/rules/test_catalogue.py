"""The catalogue and the code agree: every code that is used has a page, every page's code is used."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from stowplan.model.eligibility import Predicate
from stowplan.rules.markdown import catalogue_markdown
from stowplan.rules.model import FAMILIES, Status
from stowplan.rules.registry import REGISTRY

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "compiler" / "stowplan"
DOCUMENTATION = ROOT / "docs" / "rules.md"
CODE = re.compile(r"(?:error\[)?(SP\d{4})(?:\].*)?", re.DOTALL)


def codes_in(path: Path) -> Iterator[str]:
    """String literals that are a code, or a printed message that starts with one (`error[SPnnnn]: ...`)."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and (found := CODE.fullmatch(node.value)):
            yield found[1]


def used_codes() -> dict[str, str]:
    """Each code used in the compiler, with the first module that uses it."""
    used = {predicate.code: "model/eligibility.py" for predicate in Predicate}
    for path in sorted(SOURCE.rglob("*.py")):
        if path.parent != SOURCE / "rules" / "catalogue":
            for code in codes_in(path):
                used.setdefault(code, path.relative_to(SOURCE).as_posix())
    return used


def test_every_code_used_has_a_page() -> None:
    missing = {code: module for code, module in sorted(used_codes().items()) if code not in REGISTRY.names}
    listed = "\n".join(f"  {code}  {module}" for code, module in missing.items())
    assert not missing, f"{len(missing)} codes have no page in compiler/stowplan/rules/catalogue/:\n{listed}"


def test_every_page_is_of_a_code_in_use() -> None:
    used = used_codes()
    idle = [p.rule.code for p in REGISTRY.pages() if p.rule.status is not Status.REMOVED and p.rule.code not in used]
    assert not idle, f"nothing in the compiler reports {', '.join(idle)}"


def test_removed_codes_are_not_used_again() -> None:
    used = used_codes()
    assert not [p.rule.code for p in REGISTRY.pages() if p.rule.status is Status.REMOVED and p.rule.code in used]


def test_codes_belong_to_families() -> None:
    assert [page.rule.code for page in REGISTRY.pages() if page.rule.code[:4] not in FAMILIES] == []


def test_documentation_is_up_to_date() -> None:
    """With STOWPLAN_UPDATE_DOCS=1 the page is written instead."""
    text = catalogue_markdown()
    if os.environ.get("STOWPLAN_UPDATE_DOCS"):
        DOCUMENTATION.parent.mkdir(exist_ok=True)
        DOCUMENTATION.write_text(text, encoding="utf-8")
    current = DOCUMENTATION.read_text(encoding="utf-8") if DOCUMENTATION.exists() else ""
    hint = "docs/rules.md is stale: run `STOWPLAN_UPDATE_DOCS=1 pytest tests/rules`"
    assert current == text, hint


@pytest.mark.parametrize("name", ["SP0104", "sp0104", "ambiguous-plain-scalar"])
def test_find__by_code_and_name(name: str) -> None:
    page = REGISTRY.find(name)
    assert page is not None and page.rule.code == "SP0104"


def test_find__unknown_names_get_suggestions() -> None:
    assert REGISTRY.find("ambiguous-plain-scaler") is None
    assert REGISTRY.did_you_mean("ambiguous-plain-scaler") == ("did you mean `ambiguous-plain-scalar`?",)
    assert REGISTRY.did_you_mean("zebra") == ()


def test_listing_loads_no_rule() -> None:
    """Names come from file names: a listing of hundreds of rules stays cheap."""
    import subprocess
    import sys

    program = (
        "import sys; from stowplan.rules.registry import REGISTRY; assert len(REGISTRY.names) > 10;"
        "print(sorted(m for m in sys.modules if m.startswith('stowplan.rules.catalogue.')"
        " or m in ('pydantic', 'jinja2', 'kubernetes', 'ruamel')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
