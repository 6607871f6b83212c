"""What every rule shares: how it names a place, and how its findings become diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from stowplan.diagnostics.model import Diagnostic, Label, Severity
from stowplan.kueue.tree import KueueTree, Side
from stowplan.model.rendered import RenderedObject
from stowplan.passes.provenance import asked_for
from stowplan.source.span import Origin, Pointer

__all__ = ["Check", "Finding", "Locate", "SideCheck", "problem", "to_diagnostic", "warn"]

Locate = Callable[[RenderedObject, Pointer], Origin]
"""The input that a field of a rendered object came from."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding at a field of a rendered object, or at an input (`origin`).

    `also` are further objects to look at, `beside` further inputs.
    """

    code: str
    severity: Severity
    message: str
    made: RenderedObject | None = None
    pointer: Pointer = ()
    origin: Origin | None = None
    helps: tuple[str, ...] = ()
    also: tuple[tuple[RenderedObject, Pointer, str], ...] = ()
    beside: tuple[Label, ...] = ()
    targets: tuple[str, ...] = field(default=())


Check = Callable[[KueueTree], Iterator[Finding]]
SideCheck = Callable[[KueueTree, Side], Iterator[Finding]]


def problem(code: str, made: RenderedObject, pointer: Pointer, message: str, *helps: str) -> Finding:
    """An error at a field."""
    return Finding(code, Severity.ERROR, message, made, pointer, helps=helps, targets=(made.unit.target.name,))


def warn(code: str, made: RenderedObject, pointer: Pointer, message: str, *helps: str) -> Finding:
    """A warning at a field."""
    return Finding(code, Severity.WARNING, message, made, pointer, helps=helps, targets=(made.unit.target.name,))


def to_diagnostic(finding: Finding, locate: Locate) -> Diagnostic:
    """The finding with its places looked up."""
    origin = finding.origin
    if origin is None and finding.made is not None:
        origin = locate(finding.made, finding.pointer)
    rendered_for = asked_for(finding.made.manifest, origin) if finding.made is not None and origin is not None else ()
    secondary = (
        *rendered_for,
        *(Label(locate(made, pointer), text) for made, pointer, text in finding.also),
        *finding.beside,
    )
    subject = finding.made.reference if finding.made is not None else None
    return Diagnostic(
        finding.code, finding.severity, finding.message, Label(origin), secondary, helps=finding.helps, subject=subject,
        targets=finding.targets,
    )  # fmt: skip
