"""Diagnostics as data: code, severity, labels, notes, helps and suggested edits."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from stowplan.source.span import Origin, Span

__all__ = ["Applicability", "Diagnostic", "Label", "Outcome", "Severity", "Suggestion", "error", "warning"]

T = TypeVar("T")


class Severity(enum.IntEnum):
    """How much a finding weighs; the level at which a run fails is the user's to choose."""

    NOTE = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> str:
        """The severity in lower case, as every output format spells it."""
        return self.name.lower()


class Applicability(enum.Enum):
    """Whether a suggested edit may be made without a person looking at it."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    DISPLAY_ONLY = "display-only"


@dataclass(frozen=True, slots=True)
class Label:
    """A place and what is to be seen there. `at` is an input place, an exact span, or None for no text at all."""

    at: Origin | Span | None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Replacement text for a place, with how safe it is to apply."""

    at: Origin | Span
    replacement: str
    applicability: Applicability = Applicability.DISPLAY_ONLY


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    `code` is `SPnnnn` and never reused; the severity is not part of it. `message` stands alone: lower-case start, no
    full stop, backticks round what the user typed. `subject` names an object when no text is at hand
    (`cluster/eu-west node/gpu-17`). `target` names the clusters concerned.
    """

    code: str
    severity: Severity
    message: str
    primary: Label = Label(None)
    secondary: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    helps: tuple[str, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    subject: str | None = None
    targets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """What a pass returns: its value and the findings made on the way. Passes never raise for user mistakes."""

    value: T
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether any finding is an error."""
        return any(d.severity is Severity.ERROR for d in self.diagnostics)


def error(
    code: str,
    message: str,
    at: Origin | Span | None = None,
    label: str = "",
    *,
    secondary: Iterable[Label] = (),
    notes: Iterable[str] = (),
    helps: Iterable[str] = (),
    suggestions: Iterable[Suggestion] = (),
    subject: str | None = None,
    targets: Iterable[str] = (),
) -> Diagnostic:
    """A diagnostic of severity error."""
    return Diagnostic(
        code, Severity.ERROR, message, Label(at, label), tuple(secondary), tuple(notes), tuple(helps),
        tuple(suggestions), subject, tuple(targets),
    )  # fmt: skip


def warning(
    code: str,
    message: str,
    at: Origin | Span | None = None,
    label: str = "",
    *,
    secondary: Iterable[Label] = (),
    notes: Iterable[str] = (),
    helps: Iterable[str] = (),
    suggestions: Iterable[Suggestion] = (),
    subject: str | None = None,
    targets: Iterable[str] = (),
) -> Diagnostic:
    """A diagnostic of severity warning."""
    return Diagnostic(
        code, Severity.WARNING, message, Label(at, label), tuple(secondary), tuple(notes), tuple(helps),
        tuple(suggestions), subject, tuple(targets),
    )  # fmt: skip
