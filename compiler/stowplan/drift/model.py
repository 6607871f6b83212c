"""What a drift comparison finds: differences of objects, grouped by cluster, with their classes."""

from __future__ import annotations

import enum
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

__all__ = [
    "ABSENT", "ClusterDrift", "ClusterStatus", "DesiredObject", "Difference", "DriftClass", "DriftReport",
    "LiveCluster", "ObjectDrift",
]  # fmt: skip


class DriftClass(enum.Enum):
    """What a difference means."""

    MISSING = "missing"
    """Rendered, and not in the cluster."""
    MODIFIED = "modified"
    """The live value is another one, or is gone."""
    FOREIGN = "foreign addition"
    """Not rendered; another writer put it there."""
    TAKEN_OVER = "taken over"
    """Rendered, and owned by another writer now, whatever its value."""
    ORPHANED = "orphaned"
    """Ours by its marks, and not rendered any more."""
    FIGHT = "fight"
    """A controller and the delivery engine both write it; it will go to and fro."""
    UNOWNED = "unowned"
    """Not rendered and owned by nobody: an API server's default, or a mutating webhook."""
    IGNORED = "ignored"
    """A difference that the atlas or the ownership policy expects; the reason is given."""

    @property
    def is_drift(self) -> bool:
        """Whether such a difference makes a cluster unclean."""
        return self not in (DriftClass.UNOWNED, DriftClass.IGNORED)


class _Absent:
    """The type of `ABSENT`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "(absent)"


ABSENT: Final = _Absent()
"""Stands for a value that is not there, since null is one."""


@dataclass(frozen=True, slots=True)
class DesiredObject:
    """A rendered object and who applies it; `file` is where the rendered tree has it."""

    object: Mapping[str, Any]
    engine: str
    unit: str = ""
    file: str = ""
    delivered_by: str = ""


@dataclass(frozen=True, slots=True)
class LiveCluster:
    """What a cluster showed. `answered` is false for a cluster that could not be read at all.

    `problems` names what could not be read of it; `kinds_failed` are the (group, kind) pairs that could not be listed.
    """

    name: str
    objects: tuple[Mapping[str, Any], ...] = ()
    answered: bool = True
    problems: tuple[str, ...] = ()
    kinds_failed: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference of one object; `path` is empty where the object as a whole is meant."""

    drift: DriftClass
    path: str
    rendered: Any = ABSENT
    live: Any = ABSENT
    owner: str = ""
    reason: str = ""

    def grouping(self) -> Hashable:
        """Equal for differences that are one change on several clusters."""
        return self.drift.value, self.path, repr(self.rendered), repr(self.live), self.owner, self.reason


@dataclass(frozen=True, slots=True)
class ObjectDrift:
    """The differences of one object in one cluster."""

    cluster: str
    unit: str
    file: str
    api_version: str
    kind: str
    namespace: str
    name: str
    differences: tuple[Difference, ...]

    @property
    def title(self) -> str:
        """Kind, namespace and name as people write them."""
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"


class ClusterStatus(enum.Enum):
    """How much is known of a cluster."""

    COMPARED = "compared"
    PARTIAL = "partly compared"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ClusterDrift:
    """One cluster: how much of it was compared, and what differs. `n_rendered` and `n_live` count objects."""

    name: str
    status: ClusterStatus
    objects: tuple[ObjectDrift, ...] = ()
    problems: tuple[str, ...] = ()
    n_rendered: int = 0
    n_live: int = 0

    @property
    def is_clean(self) -> bool:
        """Whether all was compared and nothing differs that should not."""
        return self.status is ClusterStatus.COMPARED and not any(
            difference.drift.is_drift for entry in self.objects for difference in entry.differences
        )


@dataclass(frozen=True, slots=True)
class DriftReport:
    """All clusters, sorted by name."""

    clusters: tuple[ClusterDrift, ...]

    @property
    def is_clean(self) -> bool:
        """Whether every cluster answered fully and shows no drift."""
        return all(cluster.is_clean for cluster in self.clusters)

    def differences(self) -> Iterator[tuple[ObjectDrift, Difference]]:
        """Every difference with its object, in order."""
        for cluster in self.clusters:
            for entry in cluster.objects:
                for difference in entry.differences:
                    yield entry, difference

    def counts(self) -> Mapping[DriftClass, int]:
        """How many differences of each class there are."""
        counted = dict.fromkeys(DriftClass, 0)
        for _, difference in self.differences():
            counted[difference.drift] += 1
        return counted
