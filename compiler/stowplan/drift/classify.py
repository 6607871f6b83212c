"""Turns raw differences of an object into classified ones: by live owner, atlas, and ownership policy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from stowplan.drift.compare import RawDifference
from stowplan.drift.model import ABSENT, Difference, DriftClass
from stowplan.drift.owners import LiveOwner, LiveOwners
from stowplan.drift.serverfields import is_server_default
from stowplan.ownership.atlas import AtlasRow
from stowplan.ownership.fieldpath import FieldPath, format_path
from stowplan.ownership.rendered import SharedField

__all__ = ["Classifier"]


@dataclass(frozen=True, slots=True)
class Classifier:
    """What is known about one live object when its differences are judged.

    `rows` are the atlas rows that select the object in its cluster; `earlier` are the owners in an older snapshot.
    """

    kind: str
    owners: LiveOwners
    rows: Sequence[AtlasRow] = ()
    shared: Sequence[SharedField] = ()
    earlier: LiveOwners | None = None

    def classify(self, raw: Iterable[RawDifference]) -> Iterator[Difference]:
        """The judged differences; what the API server is known to fill in is left out."""
        for path, desired, live in raw:
            found = self._added(path, live) if desired is ABSENT else self._changed(path, desired, live)
            if found is not None:
                yield found

    def taken_over(self, path: FieldPath, value: Any) -> Difference | None:
        """A unit whose value is as rendered and whose owner is another one; None where the engine owns it too."""
        owners = self.owners.owners_of(path)
        if not owners or any(self.owners.is_engine(owner) for owner in owners):
            return None
        return self._judge(DriftClass.TAKEN_OVER, path, value, value, owners)

    def _added(self, path: FieldPath, live: Any) -> Difference | None:
        owners = self.owners.owners_of(path)
        foreign = tuple(owner for owner in owners if not self.owners.is_engine(owner))
        text = format_path(path)
        if not foreign and is_server_default(self.kind, text, live) and not self.owners.owners_at(path):
            return None
        if owners and not foreign:
            reason = "not rendered any more, and still owned by the delivery engine"
            return Difference(DriftClass.MODIFIED, text, ABSENT, live, _texts(owners), reason)
        if row := self._row(path, foreign, ("never", "tolerated")):
            return Difference(DriftClass.IGNORED, text, ABSENT, live, _texts(owners), _expected(row))
        if foreign:
            return Difference(DriftClass.FOREIGN, text, ABSENT, live, _texts(foreign))
        if self.owners.is_tracked:
            reason = "owned by nobody: filled in by the API server or a webhook"
            return Difference(DriftClass.UNOWNED, text, ABSENT, live, "", reason)
        reason = "the export has no managedFields, hence no owner (kubectl get --show-managed-fields)"
        return Difference(DriftClass.FOREIGN, text, ABSENT, live, "", reason)

    def _changed(self, path: FieldPath, desired: Any, live: Any) -> Difference:
        return self._judge(DriftClass.MODIFIED, path, desired, live, self.owners.owners_of(path))

    def _judge(
        self, drift: DriftClass, path: FieldPath, desired: Any, live: Any, owners: tuple[LiveOwner, ...]
    ) -> Difference:
        text = format_path(path)
        foreign = tuple(owner for owner in owners if not self.owners.is_engine(owner))
        if rule := self._permission(text, foreign):
            return Difference(DriftClass.IGNORED, text, desired, live, _texts(owners), f"allowed: {rule.reason}")
        if row := self._row(path, foreign, ("tolerated",)):
            return Difference(DriftClass.IGNORED, text, desired, live, _texts(owners), _expected(row))
        if foreign and (row := self._row(path, foreign, ("never",))):
            reason = f"{row.controller} writes it and Git renders it: {row.cure}"
            return Difference(DriftClass.FIGHT, text, desired, live, _texts(foreign), reason)
        if foreign and self._alternates(path, foreign):
            reason = "two snapshots show it changing hands"
            return Difference(DriftClass.FIGHT, text, desired, live, _texts(foreign), reason)
        return Difference(drift, text, desired, live, _texts(foreign or owners))

    def _permission(self, text: str, foreign: Sequence[LiveOwner]) -> SharedField | None:
        for rule in self.shared:
            if rule.kind == self.kind and rule.field == text:
                allowed = {writer.casefold() for writer in rule.writers} | set(self._managers_of(rule))
                if all(owner.manager.casefold() in allowed for owner in foreign):
                    return rule
        return None

    def _managers_of(self, rule: SharedField) -> Iterator[str]:
        """Managers of the atlas rows that a permission names by id or controller."""
        wanted = {writer.casefold() for writer in rule.writers}
        for row in self.rows:
            if row.id.casefold() in wanted or row.controller.casefold() in wanted:
                yield from (manager.casefold() for manager in row.managers)

    def _row(self, path: FieldPath, foreign: Sequence[LiveOwner], sharing: Sequence[str]) -> AtlasRow | None:
        """The row that accounts for a difference: it writes this path, and under the name that is seen there."""
        for row in self.rows:
            if row.sharing not in sharing:
                continue
            if not any(not p.whole and (p.covers(path) or p.lies_below(path)) for p in row.patterns):
                continue
            if not foreign or not row.managers or any(owner.manager in row.managers for owner in foreign):
                return row
        return None

    def _alternates(self, path: FieldPath, foreign: Sequence[LiveOwner]) -> bool:
        """Whether the engine took the unit back between the two snapshots and has lost it again."""
        if self.earlier is None:
            return False
        before = self.earlier.owners_of(path)
        if not before:
            return False
        newest = max((owner.time for owner in foreign), default="")
        if all(self.earlier.is_engine(owner) for owner in before):
            return newest > max(owner.time for owner in before)
        lost_before = max(owner.time for owner in before if not self.earlier.is_engine(owner))
        return newest > lost_before and _engine_time(self.owners) > lost_before


def _engine_time(owners: LiveOwners) -> str:
    return max((owner.time for owner in owners.everybody() if owners.is_engine(owner)), default="")


def _texts(owners: Iterable[LiveOwner]) -> str:
    return ", ".join(dict.fromkeys(owner.text for owner in owners))


def _expected(row: AtlasRow) -> str:
    return f"{row.controller} writes it by {row.how} ({row.evidence})"
