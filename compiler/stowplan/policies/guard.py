"""The guard pass: every guardrail on every rendered object it matches, exemptions applied, findings at the input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from stowplan.diagnostics.model import Diagnostic, Label, Outcome
from stowplan.model.fleet import Fleet
from stowplan.model.manifest import Target
from stowplan.model.previous import Changes
from stowplan.model.rendered import RenderedObject
from stowplan.passes.provenance import asked_for, origin_of_field
from stowplan.policies.cases import Cases
from stowplan.policies.culprits import culprit_notes, culprit_pointer
from stowplan.policies.evaluation import CheckOutcome, Outcome3, with_variables
from stowplan.policies.exemptions import Exemptions
from stowplan.policies.guardrails import Guardrail, compile_guardrail
from stowplan.policies.shipped import SHIPPED_CODES, shipped_guardrails
from stowplan.policies.skew import guardrail_skew
from stowplan.schema.sets import SchemaSet
from stowplan.source.span import Origin
from stowplan.templates.engine import TemplateSet

__all__ = ["GuardReport", "Guardrails", "compile_guardrails", "guard"]

_MOST_TRACED: Final = 400
_MOST_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class Guardrails:
    """All guardrails of a workspace: shipped ones in the order of their codes, then its own by name."""

    all: tuple[Guardrail, ...]
    schemas: tuple[SchemaSet, ...]

    def mandatory(self) -> dict[str, bool]:
        """Whether each guardrail, by name and by code of its own, is mandatory."""
        found = {guardrail.name: guardrail.mandatory for guardrail in self.all}
        found.update({guardrail.code: guardrail.mandatory for guardrail in self.all if guardrail.is_shipped})
        return found


@dataclass(frozen=True, slots=True)
class GuardReport:
    """How many objects had which outcome under each guardrail: pass, fail, not-applicable, exempt.

    `saw_changes` says that an expression could see what an object was before, where it was something else.
    """

    counts: Mapping[str, Mapping[str, int]]
    saw_changes: bool = False


@dataclass(slots=True)
class _Group:
    """Failures that make one finding: the same check, said in the same words, of one template and source."""

    guardrail: Guardrail
    index: int
    outcome: CheckOutcome
    first: RenderedObject
    names: dict[str, None] = field(default_factory=dict)
    targets: dict[str, None] = field(default_factory=dict)


def compile_guardrails(fleet: Fleet, schemas: Sequence[SchemaSet]) -> Outcome[Guardrails]:
    """The shipped guardrails and the workspace's own; expressions that are wrong are reported and left out.

    A policy of a shipped guardrail's name takes its place, code and all.
    """
    found: list[Diagnostic] = []
    distinct = tuple({id(one): one for one in schemas}.values())
    own = {entity.name for entity in fleet.policies.guardrails}
    made: list[Guardrail | None] = [
        compile_guardrail(entity, distinct, found, code=SHIPPED_CODES[entity.name], is_shipped=True)
        for entity in shipped_guardrails()
        if entity.name not in own
    ]
    for entity in fleet.policies.guardrails:
        code = SHIPPED_CODES.get(entity.name, "SP1211")
        made.append(compile_guardrail(entity, distinct, found, code=code))
    return Outcome(Guardrails(tuple(g for g in made if g is not None), distinct), tuple(found))


def guard(
    fleet: Fleet,
    objects: Sequence[RenderedObject],
    guardrails: Guardrails,
    exemptions: Exemptions,
    schemas_for: Callable[[Target], SchemaSet],
    templates: TemplateSet,
    changes: Changes | None = None,
) -> Outcome[GuardReport]:
    """Findings, one for all objects of a source and a template that fail in the same words; clusters are named."""
    cases = Cases(fleet, objects, changes)
    counts: dict[str, Counter[str]] = {guardrail.name: Counter() for guardrail in guardrails.all}
    groups: dict[tuple[str, int, str, str, str], _Group] = {}
    by_kind: dict[tuple[str, str], tuple[Guardrail, ...]] = {}
    for made in objects:
        kind = (made.api_version, made.kind)
        matching = by_kind.get(kind)
        if matching is None:
            matching = by_kind[kind] = tuple(g for g in guardrails.all if g.matches_kind(*kind))
        for guardrail in matching:
            word = _judge(guardrail, made, cases, exemptions, groups)
            counts[guardrail.name][word] += 1
    found = [*guardrail_skew(guardrails.all, objects, schemas_for)]
    found += _findings(groups.values(), cases, templates)
    report = {name: MappingProxyType(dict(count)) for name, count in counts.items()}
    return Outcome(GuardReport(MappingProxyType(report), cases.saw_changes), tuple(found))


def _judge(
    guardrail: Guardrail,
    made: RenderedObject,
    cases: Cases,
    exemptions: Exemptions,
    groups: dict[tuple[str, int, str, str, str], _Group],
) -> str:
    match = guardrail.match
    target = made.unit.target
    if match.namespaces or match.clusters or match.labels:
        metadata = made.object.get("metadata") or {}
        if not guardrail.selects(made.namespace, target.name, metadata.get("labels") or {}):
            return str(Outcome3.NOT_APPLICABLE.value)
    outcome = cases.judge(guardrail, made)
    if outcome.outcome is not Outcome3.FAIL:
        return str(outcome.outcome.value)
    names = (guardrail.name, guardrail.code) if guardrail.is_shipped else (guardrail.name,)
    if not guardrail.mandatory and exemptions.allows(names, made_subject(made), target.name):
        return "exempt"
    for index, check in enumerate(outcome.checks):
        if check.outcome is Outcome3.FAIL:
            key = (guardrail.name, index, check.message + check.problem, made.manifest.template, made.manifest.source)
            group = groups.setdefault(key, _Group(guardrail, index, check, made))
            group.names[made.reference] = None
            group.targets[target.name] = None
    return str(Outcome3.FAIL.value)


def made_subject(made: RenderedObject) -> str:
    """An object as exemptions name it: `NAMESPACE/KIND/NAME`, or `KIND/NAME` where it has no namespace."""
    return f"{made.namespace}/{made.kind}/{made.name}" if made.namespace else f"{made.kind}/{made.name}"


def _findings(groups: Iterable[_Group], cases: Cases, templates: TemplateSet) -> Iterator[Diagnostic]:
    merged: dict[tuple[str, int, str, Origin], tuple[_Group, tuple[str, ...]]] = {}
    for number, group in enumerate(groups):
        origin: Origin = group.first.manifest.origins[()]
        notes: tuple[str, ...] = ()
        if number < _MOST_TRACED and not group.outcome.exhausted:
            origin, notes = _explained(group, cases, templates)
        key = (group.guardrail.name, group.index, group.outcome.message + group.outcome.problem, origin)
        if key in merged:
            merged[key][0].names.update(group.names)
            merged[key][0].targets.update(group.targets)
        else:
            merged[key] = (group, notes)
    for (_, _, _, origin), (group, notes) in merged.items():
        yield _finding(group, origin, notes)


def _explained(group: _Group, cases: Cases, templates: TemplateSet) -> tuple[Origin, tuple[str, ...]]:
    """The input that the failing field came from, and the parts of the expression that are false."""
    made, guardrail = group.first, group.guardrail
    check = guardrail.checks[group.index]
    scope = with_variables(cases.values(made), guardrail.variables)
    explanation = check.program.explain(scope)
    pointer = culprit_pointer(check.program, explanation, made.object, guardrail.variables)
    return origin_of_field(made, pointer, templates), culprit_notes(explanation)


def _finding(group: _Group, origin: Origin, notes: tuple[str, ...]) -> Diagnostic:
    guardrail, outcome = group.guardrail, group.outcome
    names = list(group.names)
    what = f"`{names[0]}`" if len(names) == 1 else f"{len(names)} objects"
    told = [outcome.problem] if outcome.problem and outcome.problem != outcome.message else []
    if len(names) > 1:
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        told.append(f"objects: {', '.join(f'`{n}`' for n in names[:_MOST_NAMED])}{more}")
    secondary = asked_for(group.first.manifest, origin)
    if not guardrail.is_shipped:
        secondary = (*secondary, Label(guardrail.checks[group.index].origin, "required here"))
    return Diagnostic(
        guardrail.code,
        guardrail.severity,
        f"guardrail `{guardrail.name}`: {outcome.message}: {what}",
        Label(origin, f"rendered by `{group.first.manifest.template}`"),
        secondary,
        (*told, *notes),
        targets=tuple(sorted(group.targets)),
    )
