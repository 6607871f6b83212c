"""Refused changes as findings: one for all the targets that share it, at the input of the first field that is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from stowplan.diagnostics.model import Diagnostic, Label, Severity
from stowplan.model.previous import Changes, PreviousTree, RefusedChange
from stowplan.passes.differences import shown, value_at
from stowplan.passes.provenance import asked_for, origin_of_field
from stowplan.source.span import Origin, Pointer, format_pointer
from stowplan.templates.engine import TemplateSet

__all__ = ["change_findings"]

_MOST_TRACED: Final = 400
_MOST_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class _Finding:
    """What is refused of one change, so that many clusters make one finding."""

    code: str
    severity: Severity
    message: str
    origin: Origin
    label: str
    notes: tuple[str, ...]
    helps: tuple[str, ...]
    subject: str
    beside: tuple[Label, ...]


def change_findings(
    refused: Iterable[RefusedChange], changes: Changes, previous: PreviousTree | None, templates: TemplateSet
) -> tuple[Diagnostic, ...]:
    """Findings of refused changes, and of what could not be judged. Of two about one field the first counts."""
    targets: dict[_Finding, dict[str, None]] = {}
    for number, change in enumerate(_once(refused)):
        made = change.update.made
        is_traced = number < _MOST_TRACED
        origin = origin_of_field(made, change.pointers[0], templates) if is_traced else made.manifest.origins[()]
        targets.setdefault(_finding(change, origin), {})[made.unit.target.name] = None
    found = [
        Diagnostic(
            finding.code, finding.severity, finding.message, Label(finding.origin, finding.label), finding.beside,
            notes=finding.notes, helps=finding.helps, subject=finding.subject, targets=tuple(sorted(names)),
        )
        for finding, names in targets.items()
    ]  # fmt: skip
    return (*found, *(_unknown(changes.unknown, previous) if previous is not None and changes.unknown else ()))


def _once(refused: Iterable[RefusedChange]) -> Iterator[RefusedChange]:
    """The changes whose fields no earlier one is about, or is about a field around them."""
    told: dict[str, list[Pointer]] = {}
    for change in refused:
        known = told.setdefault(change.update.made.path, [])
        left = tuple(p for p in change.pointers if not any(_overlap(p, other) for other in known))
        if left:
            known.extend(left)
            yield replace(change, pointers=left)


def _overlap(one: Pointer, other: Pointer) -> bool:
    length = min(len(one), len(other))
    return one[:length] == other[:length]


def _finding(change: RefusedChange, origin: Origin) -> _Finding:
    made, update = change.update.made, change.update
    fields = [_told(update.old, made.object, pointer) for pointer in change.pointers[:_MOST_NAMED]]
    more = len(change.pointers) - _MOST_NAMED
    notes = (*fields, *((f"and {more} more fields",) if more > 0 else ()))
    if update.path != made.path:
        notes = (*notes, f"it was `{update.path}` before")
    accept = f"if you delete it yourself before the sync: `# stowplan: allow[{change.code}] REASON` on this line"
    return _Finding(
        change.code,
        Severity.ERROR if change.is_certain else Severity.WARNING,
        f"the change of {made.kind} `{_name(made.namespace, made.name)}` would be refused: "
        f"`{change.field}`: {change.reason}",
        origin,
        f"rendered by `{made.manifest.template}`",
        notes,
        (*((change.cure,) if change.cure else ()), accept),
        f"{made.namespace}/{made.kind}/{made.name}" if made.namespace else f"{made.kind}/{made.name}",
        asked_for(made.manifest, origin),
    )


def _name(namespace: str | None, name: str) -> str:
    return f"{namespace}/{name}" if namespace else name


def _told(old: Mapping[str, object], new: Mapping[str, object], pointer: Pointer) -> str:
    before, after = shown(value_at(old, pointer)), shown(value_at(new, pointer))
    return f"`{format_pointer(pointer)}` goes from {before} to {after}"


def _unknown(unknown: Mapping[str, str], previous: PreviousTree) -> Iterator[Diagnostic]:
    paths = sorted(unknown)
    named = tuple(f"`{previous.name}/{path}` {unknown[path]}" for path in paths[:_MOST_NAMED])
    more = len(paths) - _MOST_NAMED
    one = len(paths) == 1
    yield Diagnostic(
        "SP0831",
        Severity.NOTE,
        f"{len(paths)} change{'' if one else 's'} not judged: it is not known what was rendered before",
        notes=(*named, *((f"and {more} more",) if more > 0 else ())),
        helps=("put the rendered tree back as it was committed, and compile again",),
        subject=previous.name,
    )
