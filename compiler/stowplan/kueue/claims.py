"""Claims of devices as Kueue counts them: templates that pods refer to, and the resources that their classes count as."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from stowplan.kueue.podsets import PodSet
from stowplan.kueue.tree import Side, spec_of
from stowplan.model.devices import counted_as
from stowplan.model.rendered import RenderedObject
from stowplan.passes.lower.kueue.amounts import Amounts
from stowplan.source.span import Pointer

__all__ = ["DeviceRequest", "claimed_amounts", "requests_of", "templates_of"]


@dataclass(frozen=True, slots=True)
class DeviceRequest:
    """One request of a template: `exactly` is what it asks for, None where it has alternatives (`firstAvailable`)."""

    exactly: Mapping[str, Any] | None
    pointer: Pointer

    @property
    def device_class(self) -> str:
        """The class."""
        return str((self.exactly or {}).get("deviceClassName", ""))

    @property
    def counts(self) -> int:
        """Devices that count in quota: none with admin access, and none where their number is open."""
        asked = self.exactly or {}
        if asked.get("adminAccess") or asked.get("allocationMode", "ExactCount") != "ExactCount":
            return 0
        count = asked.get("count", 1)
        return count if isinstance(count, int) else 0


def requests_of(template: RenderedObject) -> Iterator[DeviceRequest]:
    """The requests of a ResourceClaimTemplate of any version."""
    devices = (spec_of(template).get("spec") or {}).get("devices") or {}
    for index, row in enumerate(devices.get("requests") or []):
        at: Pointer = ("spec", "spec", "devices", "requests", index)
        if row.get("firstAvailable"):
            yield DeviceRequest(None, (*at, "firstAvailable"))
        elif "exactly" in row:
            yield DeviceRequest(row["exactly"] or {}, (*at, "exactly"))
        else:
            yield DeviceRequest(row, at)


def templates_of(side: Side, podset: PodSet) -> Iterator[tuple[str, RenderedObject | None]]:
    """Templates that a pod set names, by name; None for what is not rendered there."""
    for row in podset.pod.get("resourceClaims") or []:
        name = row.get("resourceClaimTemplateName")
        if name is not None:
            yield str(name), side.claim_templates.get((podset.namespace, str(name)))


def claimed_amounts(side: Side, podset: PodSet) -> Amounts:
    """What the claims of one pod count as on an API server, by resource; classes without a mapping count as nothing."""
    made: Amounts = {}
    for _, template in templates_of(side, podset):
        for request in requests_of(template) if template is not None else ():
            resource = counted_as(side.cluster.spec.kueue, request.device_class)
            if resource is not None and request.counts:
                made[resource] = made.get(resource, Fraction(0)) + request.counts
    return made
