"""Which rendered objects act on which others at run time: autoscalers, traffic shifters, automated quota."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from stowplan.ownership.rendered import ObjectKey, RenderedObject, group_of

__all__ = ["ScalerIndex"]

_TARGET_FIELDS: Final[Mapping[str, str]] = {
    "HorizontalPodAutoscaler": "scaleTargetRef",
    "ScaledObject": "scaleTargetRef",
    "FederatedHPA": "scaleTargetRef",
    "CronFederatedHPA": "scaleTargetRef",
    "VerticalPodAutoscaler": "targetRef",
}
"""Kinds that scale something, and the field of spec that names it."""

REPLICA_SCALERS: Final = ("HorizontalPodAutoscaler", "ScaledObject", "FederatedHPA", "CronFederatedHPA")


class ScalerIndex:
    """For each target's object, the rendered objects that act on it."""

    __slots__ = ("_by_object",)

    def __init__(self, objects: Iterable[RenderedObject]) -> None:
        self._by_object: dict[tuple[str, ObjectKey], list[RenderedObject]] = {}
        checks: dict[tuple[str, str], str] = {}
        automated: dict[tuple[str, str], RenderedObject] = {}
        queues: list[RenderedObject] = []
        for candidate in objects:
            for key in _acted_on(candidate):
                self._by_object.setdefault((candidate.target, key), []).append(candidate)
            if candidate.kind == "AdmissionCheck":
                checks[(candidate.target, candidate.name)] = _text(candidate.object, "spec", "parameters", "name")
            elif candidate.kind == "MultiKueueConfig" and (
                _text(candidate.object, "spec", "quotaManagement") == "Automated"
            ):
                automated[(candidate.target, candidate.name)] = candidate
            elif candidate.kind == "ClusterQueue":
                queues.append(candidate)
        if automated:
            self._add_automated(queues, checks, automated)

    def _add_automated(
        self,
        queues: Iterable[RenderedObject],
        checks: Mapping[tuple[str, str], str],
        automated: Mapping[tuple[str, str], RenderedObject],
    ) -> None:
        for queue in queues:
            strategy = _at(queue.object, "spec", "admissionChecksStrategy", "admissionChecks")
            for entry in strategy if isinstance(strategy, list) else ():
                config = checks.get((queue.target, _text(entry, "name")), "")
                if found := automated.get((queue.target, config)):
                    self._by_object.setdefault((queue.target, queue.key), []).append(found)

    def acting_on(self, candidate: RenderedObject) -> tuple[RenderedObject, ...]:
        """The objects that act on this one."""
        return tuple(self._by_object.get((candidate.target, candidate.key), ()))

    def doubly_scaled(self) -> Iterator[tuple[tuple[str, ObjectKey], tuple[RenderedObject, ...]]]:
        """What more than one autoscaler scales, with those autoscalers."""
        for place in sorted(self._by_object):
            scalers = tuple(s for s in self._by_object[place] if s.kind in REPLICA_SCALERS)
            if len({scaler.key for scaler in scalers}) > 1:
                yield place, scalers


def _acted_on(candidate: RenderedObject) -> Iterator[ObjectKey]:
    name = _TARGET_FIELDS.get(candidate.kind)
    if name is not None:
        reference = _at(candidate.object, "spec", name)
        if isinstance(reference, dict):
            api_version = _text(reference, "apiVersion") or "apps/v1"
            kind = _text(reference, "kind") or "Deployment"
            yield group_of(api_version), kind, candidate.namespace, _text(reference, "name")
    elif candidate.kind == "Rollout":
        for route in _shifted_routes(candidate):
            yield "gateway.networking.k8s.io", "HTTPRoute", candidate.namespace, route


def _shifted_routes(rollout: RenderedObject) -> Iterator[str]:
    plugins = _at(rollout.object, "spec", "strategy", "canary", "trafficRouting", "plugins")
    for settings in plugins.values() if isinstance(plugins, dict) else ():
        if name := _text(settings, "httpRoute"):
            yield name
        routes = _at(settings, "httpRoutes")
        for route in routes if isinstance(routes, list) else ():
            if name := _text(route, "name"):
                yield name


def _at(data: Any, *names: str) -> Any:
    for name in names:
        if not isinstance(data, dict):
            return None
        data = data.get(name)
    return data


def _text(data: Any, *names: str) -> str:
    found = _at(data, *names)
    return found if isinstance(found, str) else ""
