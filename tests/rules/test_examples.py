"""Every rule's documentation is run: the example is reported where it says so, the cure is clean.

A rule file in `rules/catalogue/` is picked up by being there. Rules of stage `COMPILE` need a function that compiles
the example laid over a small workspace: `compile_overlay` in `rules_overlay.py` beside this file.
"""

from __future__ import annotations

import pytest
from rules_overlay import compile_overlay, kueue_overlay, plan_overlay, revision_overlay

from stowplan.model.eligibility import Predicate
from stowplan.rules.examples import check_examples, earlier_files, example_files
from stowplan.rules.model import Level, Stage
from stowplan.rules.page import SECTIONS, Page, read_page
from stowplan.rules.registry import REGISTRY

PAGES = list(REGISTRY.pages())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.rule.code)
def test_page__has_every_section(page: Page) -> None:
    assert tuple(page.sections) == SECTIONS
    assert page.summary and page.summary.endswith(".")
    assert all(page.sections.values())
    assert (REGISTRY.names[page.rule.code]) == page.rule.name


@pytest.mark.parametrize("page", [p for p in PAGES if p.rule.stage is Stage.SOURCE], ids=lambda page: page.rule.code)
def test_examples__source(page: Page) -> None:
    assert check_examples(page) == []


@pytest.mark.parametrize("page", [p for p in PAGES if p.rule.stage is Stage.COMPILE], ids=lambda page: page.rule.code)
def test_examples__compile(page: Page) -> None:
    if compile_overlay is None:
        pytest.skip("nothing compiles an overlay yet")
    assert check_examples(page, compile_overlay) == []


@pytest.mark.parametrize("page", [p for p in PAGES if p.rule.stage is Stage.PLAN], ids=lambda page: page.rule.code)
def test_examples__plan(page: Page) -> None:
    assert check_examples(page, plan_overlay=plan_overlay) == []


@pytest.mark.parametrize("page", [p for p in PAGES if p.rule.stage is Stage.KUEUE], ids=lambda page: page.rule.code)
def test_examples__kueue(page: Page) -> None:
    assert check_examples(page, kueue_overlay) == []


@pytest.mark.parametrize("page", [p for p in PAGES if p.rule.stage is Stage.REVISION], ids=lambda page: page.rule.code)
def test_examples__revision(page: Page) -> None:
    assert check_examples(page, revision_overlay(earlier_files(page))) == []


def test_the_workspace_of_kueues_examples_is_clean() -> None:
    assert list(kueue_overlay({})) == []


def test_every_rule_on_kueue_has_an_example_that_runs() -> None:
    """What is rendered for Kueue is made of inputs, so that each of its rules can be met by some input."""
    family = [page.rule for page in PAGES if page.rule.family == "Kueue"]
    assert len(family) > 50
    assert [rule.code for rule in family if rule.stage is Stage.ELSEWHERE] == []


def test_reasons__one_page_a_predicate_under_its_own_name() -> None:
    pages = {page.rule.code: page.rule.name for page in PAGES if page.rule.stage is Stage.PLAN}
    assert pages == {predicate.code: predicate.value for predicate in Predicate}


def test_check_examples__finds_a_page_that_lies() -> None:
    """The harness itself: a marker on a clean line, a missing marker, a cure that is no cure."""
    page = REGISTRY.find("SP0104")
    assert page is not None
    head = "A.\n\n## Example\n\n```yaml a.yaml\n"
    cure = "## Use instead\n\n```yaml a.yaml\na: true\n```\n"
    lies = {
        f"{head}a: true  # error\n```\n{cure}": "reported is []",
        f"{head}a: yes\n```\n{cure}": "no line of `Example` is marked",
        f"{head}a: yes  # error\nb: no\n```\n{cure}": "('a.yaml', 2)]",
        f"{head}a: yes  # error\n```\n{cure.replace('true', 'off')}": "`Use instead` is reported as well",
        f"{head}a: yes  # error\n```\n## Use instead\n\nNothing.\n": "has no `yaml` block",
    }
    for text, complaint in lies.items():
        assert complaint in "; ".join(check_examples(read_page(page.rule, text)))


def test_check_examples__nothing_else_may_be_wrong_on_kueue() -> None:
    page = REGISTRY.find("SP2022")
    assert page is not None
    wrong = page.markdown.replace("clusterQueue: speech", "clusterQueue: spech", 1)
    with pytest.raises(AssertionError, match=r"'SP2021': 'LocalQueue .* leads to ClusterQueue `spech`"):
        check_examples(read_page(page.rule, wrong), kueue_overlay)
    stated = wrong.replace("name: default  # error", "name: default  # error, SP2021", 1)
    assert check_examples(read_page(page.rule, stated), kueue_overlay) == []


def test_example_files__escapes_and_markers() -> None:
    page = REGISTRY.find("invalid-encoding")
    assert page is not None and page.rule.default is Level.ERROR
    [file] = example_files(page, "Example")
    assert file.content == b"owner: J\xf6rg\n"
    assert file.lines == (1,)
