"""All rules on what is rendered for Kueue, as one pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from stowplan.diagnostics.model import Diagnostic
from stowplan.kueue.outcome import admissions
from stowplan.kueue.rules import (
    claims,
    connections,
    dispatching,
    fit,
    jobs,
    objects,
    queues,
    settings,
    sharing,
    syncing,
    topology,
    workers,
)
from stowplan.kueue.rules.base import Check, Finding, SideCheck, to_diagnostic
from stowplan.kueue.tree import KueueTree, build_tree
from stowplan.model.fleet import Fleet
from stowplan.model.plan import PlacementPlan
from stowplan.model.rendered import RenderedObject
from stowplan.passes.provenance import origin_of_field
from stowplan.source.span import Origin, Pointer
from stowplan.templates.engine import TemplateSet

__all__ = ["judged_tree", "kueue_findings"]

_SIDE_CHECKS: tuple[SideCheck, ...] = (
    *objects.SIDE_CHECKS, *queues.SIDE_CHECKS, *sharing.SIDE_CHECKS, *dispatching.SIDE_CHECKS, *connections.SIDE_CHECKS,
    *topology.SIDE_CHECKS, *jobs.SIDE_CHECKS, *fit.SIDE_CHECKS, *syncing.SIDE_CHECKS,
)  # fmt: skip
_CHECKS: tuple[Check, ...] = (*dispatching.CHECKS, *workers.CHECKS, *claims.CHECKS, *settings.CHECKS, *fit.CHECKS)


def judged_tree(fleet: Fleet, plan: PlacementPlan, objects: Iterable[RenderedObject]) -> KueueTree:
    """What is rendered for Kueue by API server, with what Kueue would do with it."""
    tree = build_tree(fleet, plan, objects)
    return replace(tree, admissions=admissions(tree))


def kueue_findings(tree: KueueTree, templates: TemplateSet | None = None) -> Iterator[Diagnostic]:
    """Findings at the user's lines; equal ones on several API servers are one. `templates` find lines of fields."""

    def locate(made: RenderedObject, pointer: Pointer) -> Origin:
        return origin_of_field(made, pointer, templates) if templates is not None else made.manifest.origins[()]

    found: dict[tuple[object, ...], Diagnostic] = {}
    for finding in _without_echoes(tuple(_findings(tree))):
        made = to_diagnostic(finding, locate)
        key = (made.code, made.primary.at, made.message)
        before = found.get(key)
        if before is not None:
            targets = tuple(sorted({*before.targets, *made.targets}))
            found[key] = replace(before, targets=targets)
        else:
            found[key] = made
    yield from found.values()


_NO_FLAVOR = "SP2080"
_NO_LEVEL = ("SP2061", "SP2063")
"""That no flavor takes a job is no news where none has the place that it asks for."""


def _without_echoes(given: tuple[Finding, ...]) -> Iterator[Finding]:
    placeless = {id(finding.made) for finding in given if finding.code in _NO_LEVEL}
    return (f for f in given if f.code != _NO_FLAVOR or id(f.made) not in placeless)


def _findings(tree: KueueTree) -> Iterator[Finding]:
    for side in tree.sides.values():
        for check in _SIDE_CHECKS:
            yield from check(tree, side)
    for whole in _CHECKS:
        yield from whole(tree)
