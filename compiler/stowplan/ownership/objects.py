"""Conflicts over whole objects: two units, engines, policies, dispatchers, autoscalers, or plane owners."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final

from stowplan.diagnostics.model import Diagnostic, Label, error
from stowplan.model.handedover import QUEUE_LABEL
from stowplan.ownership.atlas import Atlas
from stowplan.ownership.claims import Claim
from stowplan.ownership.places import Locate, located
from stowplan.ownership.rendered import ClusterFacts, ObjectKey, RenderedObject
from stowplan.ownership.scalers import ScalerIndex

__all__ = ["ObjectConflicts"]

_MULTIKUEUE: Final = "kueue.x-k8s.io/multikueue"
_NO_OWNER: Final = "none"
_GENERIC_OWNERS: Final = frozenset({"stowplan", "gitops", "external"})
"""Owners that say who writes the objects, not with which kinds; any kind may serve them."""


class ObjectConflicts:
    """Looks for objects that more than one party holds to be its own."""

    def __init__(
        self,
        objects: Sequence[RenderedObject],
        claims: Sequence[Claim],
        scalers: ScalerIndex,
        clusters: Mapping[str, ClusterFacts],
        atlas: Atlas,
        planes: Mapping[str, str],
        locate: Locate | None,
    ) -> None:
        self._objects = objects
        self._claims = claims
        self._scalers = scalers
        self._clusters = clusters
        self._atlas = atlas
        self._planes = planes
        self._locate = locate
        self._planes_of_kind: dict[tuple[str, str], tuple[tuple[str, tuple[str, ...]], ...]] = {}

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All object-level findings, in a fixed order."""
        found = [
            *self._repeated(), *self._claimed_twice(), *self._dispatched_twice(), *self._scaled_twice(),
            *self._planes_violated(),
        ]  # fmt: skip
        return tuple(found)

    def _finding(
        self, code: str, message: str, parties: Sequence[RenderedObject], notes: Iterable[str], cure: str,
        targets: Iterable[str],
    ) -> Diagnostic:  # fmt: skip
        places = [(party, *located(self._locate, party)) for party in parties]
        others = [Label(at, f"{party.engine} takes it from {party.path}") for party, at, _ in places[:-1] if at]
        return error(
            code, message, places[-1][1],
            secondary=(*places[-1][2], *others),
            notes=tuple(notes), helps=(cure,),
            subject=f"cluster/{parties[-1].target} {parties[-1].title}", targets=tuple(sorted(set(targets))),
        )  # fmt: skip

    def _repeated(self) -> Iterator[Diagnostic]:
        """The same object twice in one cluster: SP0904 where two engines hold it, else SP0903."""
        by_place: dict[tuple[str, ObjectKey], list[RenderedObject]] = {}
        for candidate in self._objects:
            by_place.setdefault((candidate.target, candidate.key), []).append(candidate)
        grouped: dict[tuple[str, ...], tuple[list[RenderedObject], set[str]]] = {}
        for place in sorted(by_place):
            parties = by_place[place]
            if len(parties) < 2:
                continue
            engines = {party.engine for party in parties}
            code = "SP0904" if len(engines) > 1 else "SP0903"
            key = (code, *place[1], *sorted({f"{p.engine}:{p.unit}" for p in parties}))
            grouped.setdefault(key, (parties, set()))[1].add(place[0])
        for key in sorted(grouped):
            parties, targets = grouped[key]
            yield self._repetition(key[0], parties, targets)

    def _repetition(self, code: str, parties: Sequence[RenderedObject], targets: set[str]) -> Diagnostic:
        parties = sorted(parties, key=lambda party: party.workload_class == "components")  # the users' own at last
        first, last = parties[0], parties[-1]
        notes = [f"{party.engine} takes it from {party.path} (unit `{party.unit}`)" for party in parties]
        if code == "SP0904":
            message = f"{last.title} has two engines in one cluster: {first.engine} and {last.engine}"
            cure = "deliver the object by one of them; each would take the other's fields back at every sync"
        else:
            message = f"{last.title} is rendered twice for one cluster, in `{first.unit}` and `{last.unit}`"
            cure = "render it in one unit; the engine would take it over, or prune it, at every sync"
        return self._finding(code, message, parties, notes, cure, targets)

    def _claimed_twice(self) -> Iterator[Diagnostic]:
        for claim in self._claims:
            if len(claim.policies) < 2:
                continue
            names = " and ".join(f"`{policy.name}`" for policy in claim.policies)
            message = f"{claim.template.title} is claimed by {len(claim.policies)} Karmada policies: {names}"
            notes = [f"{policy.title} selects it ({policy.path})" for policy in claim.policies]
            cure = "select templates by name and in one policy only; which policy wins depends on history"
            parties = (*claim.policies, claim.template)
            yield self._finding("SP0905", message, parties, notes, cure, [claim.template.target])

    def _dispatched_twice(self) -> Iterator[Diagnostic]:
        claimed = {id(claim.template): claim for claim in self._claims}
        on_manager: dict[ObjectKey, RenderedObject] = {}
        for candidate in self._objects:
            dispatcher = self._multikueue(candidate)
            claim = claimed.get(id(candidate))
            if dispatcher and (claim is not None or candidate.delivered_by == "karmada"):
                yield self._two_dispatchers(candidate, claim, dispatcher)
            if dispatcher and not candidate.delivered_by:
                on_manager.setdefault(candidate.key, candidate)
        for candidate in self._objects:
            source = on_manager.get(candidate.key)
            if source is not None and source.target != candidate.target and not candidate.delivered_by:
                yield self._clash(source, candidate)

    def _multikueue(self, candidate: RenderedObject) -> str:
        """Why MultiKueue dispatches this object, empty if it does not."""
        if managed_by(candidate.object) == _MULTIKUEUE:
            return f"`managedBy` is `{_MULTIKUEUE}`"
        facts = self._clusters.get(candidate.target)
        if facts is not None and facts.hub == "kueue" and QUEUE_LABEL in candidate.metadata_map("labels"):
            return f"label `{QUEUE_LABEL}` on the manager cluster"
        return ""

    def _two_dispatchers(self, candidate: RenderedObject, claim: Claim | None, why: str) -> Diagnostic:
        policy = f"policy `{claim.policies[0].name}` propagates it" if claim else "Karmada delivers it"
        return self._finding(
            "SP0906", f"{candidate.title} has two dispatchers: MultiKueue and Karmada", (candidate,),
            (f"MultiKueue: {why}", f"Karmada: {policy}"),
            "let one of them choose the cluster: take the job out of the policy, or queue it in the members only",
            [candidate.target],
        )  # fmt: skip

    def _clash(self, source: RenderedObject, candidate: RenderedObject) -> Diagnostic:
        return self._finding(
            "SP0906", f"{candidate.title} is dispatched by MultiKueue and rendered for a member as well",
            (source, candidate),
            (f"MultiKueue makes its copy from {source.path}", f"{candidate.engine} applies {candidate.path}"),
            "render the job for the manager cluster or for the member, not for both; MultiKueue never adopts an object",
            [candidate.target],
        )  # fmt: skip

    def _scaled_twice(self) -> Iterator[Diagnostic]:
        for (target, key), scalers in self._scalers.doubly_scaled():
            names = " and ".join(scaler.title for scaler in scalers)
            message = f"{key[1]} {key[2]}/{key[3]} is scaled by {len(scalers)} autoscalers: {names}"
            notes = [f"{scaler.title} from {scaler.path}" for scaler in scalers]
            cure = "keep one autoscaler; a ScaledObject makes its own HorizontalPodAutoscaler"
            yield self._finding("SP0909", message, scalers, notes, cure, [target])

    def _planes_violated(self) -> Iterator[Diagnostic]:
        grouped: dict[tuple[str, ...], tuple[RenderedObject, str, set[str]]] = {}
        for candidate in self._objects:
            for plane, found in self._planes_of(candidate):
                owner = self._planes.get(plane, "")
                if owner and owner not in found:
                    key = (plane, candidate.kind, candidate.namespace, candidate.name)
                    text = " or ".join(f"`{name}`" for name in found)
                    grouped.setdefault(key, (candidate, text, set()))[2].add(candidate.target)
        for plane, *rest in sorted(grouped):
            candidate, text, targets = grouped[(plane, *rest)]
            owner = self._planes[plane]
            message = f"{candidate.title} speaks for {text}, but the plane `{plane}` is owned by `{owner}`"
            notes = (f"rendered from {candidate.path}", "each plane has exactly one owner")
            cure = f"leave the object out, or give `{plane}` to another owner in the planes table"
            yield self._finding("SP0907", message, (candidate,), notes, cure, targets)

    def _planes_of(self, candidate: RenderedObject) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The planes that an object takes part in, with the owners that would render it."""
        kind = candidate.api_version, candidate.kind
        found = self._planes_of_kind.get(kind)
        if found is None:
            found = self._planes_of_kind[kind] = self._kind_planes(f"{candidate.key[0]}/{candidate.kind}")
        yield from found
        if candidate.workload_class and _is_workload(candidate):
            yield f"workloadPlacement.{candidate.workload_class}", (self._dispatcher(candidate),)

    def _kind_planes(self, name: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        by_plane: dict[str, tuple[str, ...]] = {}
        for row in self._atlas.planes:
            if any(fnmatchcase(name, pattern) for pattern in row.kinds):
                by_plane[row.plane] = (*by_plane.get(row.plane, ()), *row.owners)
        return tuple(
            (plane, owners)
            for plane, owners in sorted(by_plane.items())
            if self._planes.get(plane) not in _GENERIC_OWNERS
        )

    def _dispatcher(self, candidate: RenderedObject) -> str:
        if self._multikueue(candidate):
            return "multikueue"
        facts = self._clusters.get(candidate.target)
        if candidate.delivered_by == "karmada" or (facts is not None and facts.hub == "karmada"):
            return "karmada"
        return "gitops" if candidate.workload_class == "components" else "direct"


_WORKLOADS: Final = frozenset(
    {"Job", "JobSet", "TrainJob", "PyTorchJob", "TFJob", "MPIJob", "RayJob", "RayCluster", "Deployment", "StatefulSet",
     "LeaderWorkerSet", "LLMInferenceService", "InferenceService", "Pod"}
)  # fmt: skip


def _is_workload(candidate: RenderedObject) -> bool:
    return candidate.kind in _WORKLOADS


def managed_by(data: Mapping[str, Any]) -> str:
    """The `managedBy` of a job, wherever its kind has it; empty if it has none."""
    spec = data.get("spec")
    if not isinstance(spec, dict):
        return ""
    policy = spec.get("runPolicy")
    for holder in (spec, policy if isinstance(policy, dict) else {}):
        if isinstance(holder.get("managedBy"), str):
            return str(holder["managedBy"])
    return ""
