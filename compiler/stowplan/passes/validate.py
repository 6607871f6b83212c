"""The validate pass: every object as its own API server would judge it, and whether it would come back unchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from stowplan.diagnostics.model import Diagnostic, Label, Severity
from stowplan.model.handedover import is_handed_over
from stowplan.model.manifest import Target
from stowplan.model.rendered import RenderedObject
from stowplan.passes.differences import differences
from stowplan.passes.provenance import asked_for, origin_of_field, stated_at
from stowplan.schema.findings import code_of, suggestion
from stowplan.schema.kind import KindSchema, ShapeCheck
from stowplan.schema.sets import SchemaSet
from stowplan.schema.verdict import FieldError
from stowplan.source.span import Origin, format_pointer
from stowplan.templates.engine import Rendered, TemplateSet

__all__ = ["SchemasFor", "validate"]

SchemasFor = Callable[[Target], SchemaSet]


@dataclass(frozen=True, slots=True)
class _Finding:
    """What is wrong in one field of one template, so that many clusters make one finding."""

    code: str
    message: str
    origin: Origin
    label: str
    helps: tuple[str, ...] = ()
    beside: tuple[Label, ...] = ()


def validate(
    objects: Iterable[RenderedObject], schemas_for: SchemasFor, templates: TemplateSet
) -> tuple[Diagnostic, ...]:
    """Findings, one for all the targets that share it; the input line of the field where one is known."""
    targets: dict[_Finding, dict[str, None]] = {}
    checker = _Checker(schemas_for, templates)
    for made in objects:
        if checker.is_settled(made):
            continue
        for finding in checker.check(made):
            targets.setdefault(finding, {})[made.unit.target.name] = None
    return tuple(
        Diagnostic(
            code=finding.code,
            severity=Severity.ERROR,
            message=finding.message,
            primary=Label(finding.origin, finding.label),
            secondary=finding.beside,
            helps=finding.helps,
            targets=tuple(sorted(names)),
        )
        for finding, names in targets.items()
    )


class _Checker:
    """Judges objects; work is done once for equal shapes on equal schemas, and once for equal values of a shape."""

    def __init__(self, schemas_for: SchemasFor, templates: TemplateSet) -> None:
        self._schemas_for = schemas_for
        self._templates = templates
        self._schemas: dict[int, tuple[Target, SchemaSet]] = {}
        self._kinds: dict[tuple[int, str, str], KindSchema | None] = {}
        self._checks: dict[tuple[int, int], ShapeCheck] = {}
        self._settled: set[tuple[int, int, Any]] = set()
        self._seen: dict[tuple[int, int], Rendered] = {}

    def is_settled(self, made: RenderedObject) -> bool:
        """Whether the same document was found to be well for the same schema."""
        return (id(self._kind_of(made, self._schemas_of(made))), id(made.rendered)) in self._seen

    def _schemas_of(self, made: RenderedObject) -> SchemaSet:
        target = made.unit.target
        known = self._schemas.get(id(target))
        if known is None:
            # The target is kept beside its schemas, so that its id stays its own.
            known = self._schemas[id(target)] = (target, self._schemas_for(target))
        return known[1]

    def _kind_of(self, made: RenderedObject, schemas: SchemaSet) -> KindSchema | None:
        key = (id(schemas), made.api_version, made.kind)
        if key not in self._kinds:
            self._kinds[key] = schemas.kind(made.api_version, made.kind)
        return self._kinds[key]

    def check(self, made: RenderedObject) -> Iterator[_Finding]:
        """Everything that the target's API server would complain of, or change."""
        schemas = self._schemas_of(made)
        kind = self._kind_of(made, schemas)
        if kind is None:
            yield self._unknown_kind(made, schemas)
            return
        rendered = made.rendered
        document = (id(kind), id(rendered))
        key = (id(kind), id(rendered.shape), _hashable(rendered.values))
        if key in self._settled:
            self._seen[document] = rendered
            return
        check = self._checks.get(key[:2])
        if check is None:
            check = self._checks[key[:2]] = kind.specialise(rendered.shape)
        errors = check.check(rendered.values)
        told = [error for error in errors if error.pointer or error.reason == "DecodeError"] or errors
        for error in told:
            yield self._refused(made, kind, error)
        if errors:
            return
        if check.is_fixed_point(rendered.values):
            self._settled.add(key)
            self._seen[document] = rendered
        else:
            yield from self._changes(made, kind)

    def _unknown_kind(self, made: RenderedObject, schemas: SchemaSet) -> _Finding:
        group = made.api_version.rpartition("/")[0]
        served = schemas.versions(group, made.kind) if group else ()
        helps = (f"served versions: {', '.join(served)}",) if served else ()
        origin = stated_at(made.manifest, made.document, ("apiVersion",), self._templates)
        return _Finding(
            "SP0801",
            f"`{made.api_version}` {made.kind} is not served, but template `{made.manifest.template}` renders it",
            origin,
            "asked for here",
            helps,
            asked_for(made.manifest, origin),
        )

    def _refused(self, made: RenderedObject, kind: KindSchema, error: FieldError) -> _Finding:
        origin = origin_of_field(made, error.pointer, self._templates)
        field = error.field if error.field and error.field != "<nil>" else format_pointer(error.pointer) or "the object"
        helps: tuple[str, ...] = ()
        if error.reason == "UnknownField":
            meant = suggestion(kind, error.pointer)
            helps = (f"did you mean `{meant}`?",) if meant else ()
        return _Finding(
            code_of(error),
            f"the API server would refuse {made.kind} `{made.name}`: `{field}`: {error.message}",
            origin,
            f"rendered by `{made.manifest.template}`",
            helps,
            asked_for(made.manifest, origin),
        )

    def _changes(self, made: RenderedObject, kind: KindSchema) -> Iterator[_Finding]:
        stored = kind.normalise(made.object)
        if stored == made.object:
            return
        for one in differences(made.object, stored):
            if one.is_new and is_handed_over(made.object, one.pointer):
                continue
            origin = origin_of_field(made, one.pointer, self._templates)
            before, after = _shown(one.old, one.is_new), _shown(one.new, one.is_gone)
            yield _Finding(
                "SP0820",
                f"{made.kind} `{made.name}` is no fixed point: the API server turns `{format_pointer(one.pointer)}` from "
                f"{before} into {after}",
                origin,
                f"rendered by `{made.manifest.template}`",
                ("the template must render the value that is stored, or the engines never settle",),
                asked_for(made.manifest, origin),
            )


def _shown(value: Any, is_absent: bool) -> str:
    return "nothing" if is_absent else f"`{value!r}`"[:120]


def _hashable(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple((k, _hashable(v)) for k, v in value.items())
    if isinstance(value, list | tuple):
        return tuple(map(_hashable, value))
    return (type(value).__name__, value) if isinstance(value, bool | float) else value
