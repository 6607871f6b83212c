"""What changes against the revision that was compiled before, where Kueue lets nothing change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from stowplan.diagnostics.model import Diagnostic, Label
from stowplan.kueue.changes import KINDS, ObjectName, immutable_changes
from stowplan.model.fleet import Fleet
from stowplan.model.rendered import RenderedObject
from stowplan.passes.lower.kueue.dialect import dialect_of
from stowplan.passes.provenance import origin_of_field
from stowplan.templates.engine import TemplateSet

__all__ = ["Earlier", "change_findings", "nothing_before"]

Earlier = Callable[[str, str], str | None]
"""The text that the last compile wrote at a path below `rendered/`; None where there was none, or it was this text."""


def nothing_before(_path: str, _text: str) -> str | None:
    """A workspace that has not been compiled before."""
    return None


def change_findings(
    fleet: Fleet, objects: Iterable[RenderedObject], earlier: Earlier, templates: TemplateSet
) -> Iterator[Diagnostic]:
    """Findings at the inputs of the fields that cannot change."""
    before: dict[ObjectName, dict[str, Any]] = {}
    after: dict[ObjectName, RenderedObject] = {}
    for made in objects:
        if made.kind not in KINDS or made.unit.target.is_karmada:
            continue
        text = earlier(made.path, made.text)
        if text is not None:
            name = (made.unit.target.name, made.kind, made.namespace or "", made.name)
            before[name], after[name] = _read(text), made
    dialects = {name: dialect_of(cluster) for name, cluster in fleet.clusters.items()}
    versions = {name: dialect.version for name, dialect in dialects.items() if dialect is not None}
    for change in immutable_changes(before, {name: made.object for name, made in after.items()}, versions):
        made = after[change.name]
        at = Label(origin_of_field(made, change.pointer, templates), "differs from what was compiled before")
        yield Diagnostic(
            change.code, change.severity, change.message, at, helps=(change.cure,), subject=made.reference,
            targets=(made.unit.target.name,),
        )  # fmt: skip


def _read(text: str) -> dict[str, Any]:
    """An object as the compiler wrote it."""
    import yaml

    found: dict[str, Any] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return found
