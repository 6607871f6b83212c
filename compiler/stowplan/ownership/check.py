"""The static two-writers check: one writer per field of each object on each cluster, before anything is merged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from stowplan.diagnostics.model import Diagnostic, Outcome, error, warning
from stowplan.ownership.atlas import Atlas, AtlasRow, load_atlas
from stowplan.ownership.claims import claims_in, propagated_copies, retained_kinds
from stowplan.ownership.objects import ObjectConflicts
from stowplan.ownership.ownermap import ObjectOwnership, OwnershipMap
from stowplan.ownership.pattern import FieldPattern
from stowplan.ownership.places import Locate, located
from stowplan.ownership.rendered import ENGINE_MANAGERS, ClusterFacts, RenderedObject, SharedField
from stowplan.ownership.scalers import ScalerIndex
from stowplan.ownership.units import TypeLookup, Unit, UnitCache
from stowplan.ownership.writers import WriterIndex
from stowplan.source.span import Pointer

__all__ = ["OwnershipInput", "check_ownership"]


@dataclass(frozen=True, slots=True)
class OwnershipInput:
    """All that the check looks at; `planes` maps a plane (`traffic`, `workloadPlacement.training`) to its owner."""

    objects: Sequence[RenderedObject]
    clusters: Mapping[str, ClusterFacts]
    types: TypeLookup
    shared_fields: Sequence[SharedField] = ()
    planes: Mapping[str, str] | None = None
    atlas: Atlas | None = None
    locate: Locate | None = None


def check_ownership(given: OwnershipInput) -> Outcome[OwnershipMap]:
    """The ownership map of everything rendered, and all places where two writers meet.

    Work is done once for each shape; a conflict that is the same on many clusters is one diagnostic.
    """
    atlas = given.atlas or load_atlas()
    claims = claims_in(given.objects, given.clusters)
    everything = [*given.objects, *propagated_copies(claims)]
    scalers = ScalerIndex(everything)
    writers = WriterIndex(
        atlas, given.clusters, UnitCache(given.types), scalers, given.shared_fields, retained_kinds(given.objects)
    )
    everything.sort(key=lambda o: (o.target, o.unit, o.path, o.key))
    ownership = OwnershipMap(tuple(writers.ownership(candidate) for candidate in everything))
    findings = _Findings(given.locate)
    quiet: set[tuple[int, int, str]] = set()
    for entry in ownership.objects:
        key = (id(entry.rows), id(entry.shared), entry.object.delivered_by)
        if key in quiet:
            continue
        if _is_quiet(entry):
            quiet.add(key)
        else:
            _check_entry(entry, writers, findings)
    objects = ObjectConflicts(everything, claims, scalers, given.clusters, atlas, given.planes or {}, given.locate)
    unused = _unused_permissions(given.shared_fields, ownership)
    return Outcome(ownership, (*findings.diagnostics(), *objects.diagnostics(), *unused))


def _is_quiet(entry: ObjectOwnership) -> bool:
    """Whether these rows and shared units are no conflict, however the object is called and wherever it lands."""
    if entry.object.delivered_by == "karmada" or any(row.whole for row in entry.rows):
        return False
    return all(shared.reason or all(row.sharing != "never" for row in shared.rows) for shared in entry.shared)


def _check_entry(entry: ObjectOwnership, writers: WriterIndex, findings: _Findings) -> None:
    candidate = entry.object
    for row in entry.rows:
        if row.whole:
            findings.add_whole(candidate, row)
    for shared in entry.shared:
        if not shared.reason:
            for row in shared.rows:
                if row.sharing == "never":
                    findings.add_field(candidate, shared.unit, row)
    for row, pattern in writers.unrendered_conflicts(entry):
        findings.add_unrendered(candidate, pattern, row)


def _unused_permissions(rules: Iterable[SharedField], ownership: OwnershipMap) -> tuple[Diagnostic, ...]:
    used = {(e.object.kind, s.unit.text) for e, s in ownership.shared() if s.reason}
    return tuple(
        warning(
            "SP0908",
            f"nothing shares `{rule.field}` of {rule.kind}, yet the ownership policy allows it",
            rule.origin,
            "this permission is not used",
            helps=("remove the entry; a permission nobody needs hides the next conflict",),
        )
        for rule in rules
        if (rule.kind, rule.field) not in used
    )


class _Findings:
    """Collects equal conflicts of many clusters into one diagnostic each."""

    def __init__(self, locate: Locate | None) -> None:
        self._locate = locate
        self._first: dict[tuple[str, ...], tuple[str, RenderedObject, AtlasRow, Unit | FieldPattern | None]] = {}
        self._targets: dict[tuple[str, ...], set[str]] = {}

    def add_field(self, candidate: RenderedObject, unit: Unit, row: AtlasRow) -> None:
        """A field that Git and a controller both write."""
        self._add("SP0901", candidate, row, unit, unit.text)

    def add_unrendered(self, candidate: RenderedObject, pattern: FieldPattern, row: AtlasRow) -> None:
        """A field that Karmada's whole-object write takes from a member's controller."""
        self._add("SP0910", candidate, row, pattern, pattern.text)

    def add_whole(self, candidate: RenderedObject, row: AtlasRow) -> None:
        """An object that belongs to a controller as a whole."""
        self._add("SP0902", candidate, row, None, "")

    def _add(
        self, code: str, candidate: RenderedObject, row: AtlasRow, place: Unit | FieldPattern | None, text: str
    ) -> None:
        key = (code, candidate.kind, candidate.namespace, candidate.name, text, row.id)
        self._first.setdefault(key, (code, candidate, row, place))
        self._targets.setdefault(key, set()).add(candidate.target)

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """One diagnostic a conflict, sorted."""
        return tuple(
            self._diagnostic(*self._first[key], tuple(sorted(self._targets[key]))) for key in sorted(self._first)
        )

    def _diagnostic(
        self, code: str, candidate: RenderedObject, row: AtlasRow, place: Unit | FieldPattern | None,
        targets: tuple[str, ...],
    ) -> Diagnostic:  # fmt: skip
        engine = ENGINE_MANAGERS.get(candidate.engine, (candidate.engine,))[0]
        other = f"{row.controller} writes it too ({_how(row)}): {row.evidence}"
        pointer: Pointer = place.pointer if isinstance(place, Unit) else ()
        at, beside = located(self._locate, candidate, pointer)
        if code == "SP0902":
            message = f"{candidate.title} belongs to {row.controller} and may not be rendered"
        elif code == "SP0910" and isinstance(place, FieldPattern):
            message = (
                f"`{place.text}` of {candidate.title} is {row.controller}'s, "
                "and Karmada takes it away with every write of the whole object"
            )
        else:
            text = place.text if place is not None else ""
            message = f"`{text}` of {candidate.title} has two writers: {candidate.engine} and {row.controller}"
        return error(
            code, message, at, f"{row.controller} owns this" if at is not None else "",
            secondary=beside, notes=(f"{candidate.engine} writes it as `{engine}` from {candidate.path}", other),
            helps=(row.cure if code != "SP0910" else f"{_KARMADA_CURE}; {row.cure}",),
            subject=f"cluster/{targets[0]} {candidate.title}", targets=targets,
        )  # fmt: skip


_KARMADA_CURE = (
    "ship a ResourceInterpreterCustomization that retains the field, set the retain-replicas label on a Deployment, "
    "or deliver the object by another way than Karmada"
)


def _how(row: AtlasRow) -> str:
    managers = ", ".join(f"`{name}`" for name in row.managers)
    return f"{row.how} as {managers}" if managers else f"{row.how}, leaves no owner"
