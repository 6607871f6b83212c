"""A rule as data: its code, its name, its level and where its examples are run."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final

from stowplan.diagnostics.model import Severity

__all__ = ["FAMILIES", "Level", "Rule", "Stage", "Status"]


class Level(enum.Enum):
    """What the user makes of a rule."""

    OFF = "off"
    NOTE = "note"
    WARN = "warn"
    ERROR = "error"

    @property
    def severity(self) -> Severity | None:
        """The severity of a finding at this level; None where it is dropped."""
        return _SEVERITIES[self]


_SEVERITIES: Final[dict[Level, Severity | None]] = {
    Level.OFF: None,
    Level.NOTE: Severity.NOTE,
    Level.WARN: Severity.WARNING,
    Level.ERROR: Severity.ERROR,
}


class Stage(enum.Enum):
    """What it takes to run a rule's examples."""

    SOURCE = "source"
    """Reading the files of the example is enough."""
    COMPILE = "compile"
    """The example is laid over a workspace that compiles, and the whole is compiled."""
    PLAN = "plan"
    """Likewise, but the code is no finding: it is a reason of the plan, why a workload cannot run somewhere."""
    KUEUE = "kueue"
    """Likewise, over a workspace of a hub with a MultiKueue manager and two members; the code is the only error."""
    REVISION = "revision"
    """Likewise, and what is reported is a change: blocks with the option `before` were compiled and rendered first."""
    ELSEWHERE = "elsewhere"
    """The cause is no text of a workspace (a file's permission, a live cluster); the rule has tests of its own."""


class Status(enum.Enum):
    """How settled a rule is. A removed rule keeps its code for ever."""

    PREVIEW = "preview"
    STABLE = "stable"
    DEPRECATED = "deprecated"
    REMOVED = "removed"


FAMILIES: Final = {
    "SP00": "Command line and settings",
    "SP01": "Files and YAML",
    "SP02": "Shape of input documents",
    "SP03": "Names and references",
    "SP04": "Inventory",
    "SP05": "Eligibility",
    "SP06": "Placement",
    "SP07": "Lowering and templates",
    "SP08": "Rendered manifests",
    "SP09": "Field ownership",
    "SP10": "Emission and lock",
    "SP11": "Drift",
    "SP12": "Policies and CEL",
    **{f"SP{number}": "Kueue" for number in range(20, 30)},
    **{f"SP{number}": "Guardrails" for number in range(80, 90)},
    "SP99": "Internal errors",
}
"""Families of codes by their first four characters."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. Its module is named `spNNNN_name_with_underscores`, its module docstring is its documentation.

    `since` is the first version that had it. A rule that is not `configurable` is always at its default level:
    the compiler cannot go on without what it asks for. `successor` is the code that took over from a removed rule.
    """

    code: str
    name: str
    default: Level
    since: str
    stage: Stage = Stage.COMPILE
    configurable: bool = False
    status: Status = Status.STABLE
    successor: str | None = None

    @property
    def family(self) -> str:
        """What the code's first two digits stand for."""
        return FAMILIES.get(self.code[:4], "Other")

    @property
    def level_word(self) -> str:
        """The default level; `reason` for the codes that are no findings but reasons of the plan."""
        return "reason" if self.stage is Stage.PLAN else self.default.value
