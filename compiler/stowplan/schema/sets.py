"""The schemas that count for one cluster: layered packs and the built-in kinds of its Kubernetes version."""

from __future__ import annotations

from collections.abc import Iterable

from stowplan.schema.custom import CustomKind
from stowplan.schema.engine import Engine
from stowplan.schema.kind import KindSchema
from stowplan.schema.pack import KindFacts, Pack

__all__ = ["SchemaSet"]


class SchemaSet:
    """The kinds that a cluster of Kubernetes 1.`minor` serves.

    The first pack that has a kind (by group and name) settles which versions of it there are: put a cluster's own
    pack before the one that ships with the compiler. Built-in kinds come last. Sets with the same pack and minor give
    the same `KindSchema` objects for custom kinds, so what is worked out by kind can be kept by its identity.
    `switched_on` are API versions that the cluster serves beside those that its minor serves by default.
    """

    __slots__ = ("_kinds", "minor", "packs", "switched_on")

    def __init__(self, packs: Iterable[Pack] = (), minor: int = 36, switched_on: frozenset[str] = frozenset()) -> None:
        self.packs = tuple(packs)
        self.minor = minor
        self.switched_on = switched_on
        self._kinds: dict[tuple[str, str], KindSchema | None] = {}

    def kind(self, api_version: str, kind: str) -> KindSchema | None:
        """The schema of a kind, or None if no such kind or version is served."""
        key = (api_version, kind)
        if key not in self._kinds:
            self._kinds[key] = self._find(api_version, kind)
        return self._kinds[key]

    def scope(self, api_version: str, kind: str) -> str | None:
        """`Namespaced` or `Cluster`; None if the kind is not known."""
        found = self.kind(api_version, kind)
        return None if found is None else "Namespaced" if found.namespaced else "Cluster"

    def versions(self, group: str, kind: str) -> tuple[str, ...]:
        """The served versions of a custom kind, in the pack's order; empty if no pack has the kind."""
        for pack in self.packs:
            found = pack.by_kind.get((group, kind))
            if found:
                return tuple(facts.version for facts in found if facts.served)
        return ()

    def custom_kinds(self) -> tuple[CustomKind, ...]:
        """Every served version of every custom kind, by group, kind and version; the winning pack's only."""
        names = sorted({key for pack in self.packs for key in pack.by_kind})
        found = (self._custom(group, version, kind) for group, kind in names for version in self.versions(group, kind))
        return tuple(kind for kind in found if kind is not None)

    def _find(self, api_version: str, kind: str) -> KindSchema | None:
        group, _, version = api_version.rpartition("/")
        custom = self._custom(group, version, kind)
        if custom is not None:
            return custom
        from stowplan.schema.builtin.kind import builtin_kind

        return builtin_kind(api_version, kind, self.minor, switched_on=api_version in self.switched_on)

    def _custom(self, group: str, version: str, kind: str) -> CustomKind | None:
        for pack in self.packs:
            versions = pack.by_kind.get((group, kind))
            if versions:
                for facts in versions:
                    if facts.version == version and facts.served:
                        return _shared_kind(facts, pack, self.minor)
                return None
        return None


def _shared_kind(facts: KindFacts, pack: Pack, minor: int) -> CustomKind:
    """The kind as compiled for a minor: one for all sets that hold the pack, so clusters that are alike share it."""
    shared = pack.pool.shared
    kind: CustomKind | None = shared.get((facts, minor))
    if kind is None:
        engine = shared.get(minor)
        if engine is None:
            engine = shared[minor] = Engine(pack.pool, minor)
        kind = shared[facts, minor] = CustomKind(facts, pack, engine)
    return kind
