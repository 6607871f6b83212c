"""The catalogue as one Markdown page."""

from __future__ import annotations

import re
from itertools import groupby

from stowplan.rules.model import Stage, Status
from stowplan.rules.page import Page
from stowplan.rules.registry import REGISTRY, Registry

__all__ = ["catalogue_markdown"]

_TITLE = """# Rules

Every complaint of the compiler has a code. `stowplan rules` lists the codes, `stowplan explain CODE` prints one page.
A rule whose level is *fixed* cannot be switched off: the compiler needs what it asks for. A level of `off`, `note`,
`warn` or `error` can be chosen for all others. A *reason* is no finding: it says in the plan, and in what
`stowplan explain workload/NAME` prints, why a workload cannot run on a cluster.

In the examples `# error` marks the lines at which the rule is reported, and `# reason` those of the facts that
disagree. The examples are part of a workspace as `stowplan init` makes it, and tests run them. Those on Kueue and on
manifests are part of the workspace in `tests/data/kueue/`, where `fleet/components/CLUSTER/` holds the platform's own
manifests for a cluster; files marked `before` are those of the revision that was compiled before.

*This page is generated from `compiler/stowplan/rules/catalogue/`; a test fails where the two differ.*
"""


def catalogue_markdown(registry: Registry = REGISTRY) -> str:
    """The table of all rules and the page of each, in the order of codes."""
    pages = list(registry.pages())
    parts = [_TITLE]
    for family, members in groupby(pages, key=lambda page: page.rule.family):
        rows = "\n".join(map(_row, members))
        parts.append(f"## {family}\n\n| code | name | level | what |\n|---|---|---|---|\n{rows}\n")
    parts += map(_page, pages)
    return "\n".join(parts)


def _row(page: Page) -> str:
    rule = page.rule
    return f"| [{rule.code}](#{rule.code.lower()}) | {rule.name} | {_level(page)} | {page.summary} |"


def _level(page: Page) -> str:
    rule = page.rule
    return rule.level_word if rule.configurable or rule.stage is Stage.PLAN else f"{rule.level_word}, fixed"


def _page(page: Page) -> str:
    rule = page.rule
    facts = f"`{rule.name}`, {_level(page)}, since {rule.since}"
    if rule.status is not Status.STABLE:
        facts += f", {rule.status.value}" + (f", see {rule.successor}" if rule.successor else "")
    body = re.sub(r"^## ", "### ", page.markdown, flags=re.MULTILINE)
    return f'<a id="{rule.code.lower()}"></a>\n\n## {rule.code}\n\n{facts}\n\n{body}\n'
