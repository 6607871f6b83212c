"""Claims of devices: the template that pods refer to, where Dynamic Resource Allocation hands out a pool's devices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stowplan.model.devices import DeviceClaim, claim_of, claims_api
from stowplan.model.fleet import Cluster, Fleet
from stowplan.model.manifest import Manifest, Unit
from stowplan.model.workload import Workload
from stowplan.passes.lower.kueue.names import digest_of, joined_name
from stowplan.source.span import Origin

__all__ = ["CLAIM", "PodClaim", "claim_template", "pod_claim"]

CLAIM = "accelerators"
"""What pods call their claim, and the claim its only request."""


@dataclass(frozen=True, slots=True)
class PodClaim:
    """What each pod of a workload claims: so many devices of a class. `template` is the name of its template.

    The name has a digest of all that is claimed: a template can never be changed, and pods that ask for something else
    need another one.
    """

    template: str
    claim: DeviceClaim
    count: int

    @property
    def of_container(self) -> dict[str, Any]:
        """The part of a container's resources that gives it the devices."""
        return {"claims": [{"name": CLAIM}]}

    @property
    def of_pod(self) -> list[dict[str, str]]:
        """The pod's claims."""
        return [{"name": CLAIM, "resourceClaimTemplateName": self.template}]


def pod_claim(fleet: Fleet, workload: Workload, cluster: str, flavor: str) -> PodClaim | None:
    """What a pod of the workload claims on a flavor of a cluster; None where it asks for an extended resource, or nothing."""
    pool = fleet.clusters[cluster].pools.get(flavor)
    claim = claim_of(pool) if pool is not None else None
    count = workload.unit.accelerators
    if claim is None or not count:
        return None
    name = joined_name((workload.name, CLAIM, digest_of(claim.device_class, str(count), *claim.selectors)))
    return PodClaim(name, claim, count)


def claim_template(workload: Workload, claim: PodClaim, unit: Unit, place: Cluster, *, size: Origin) -> Manifest:
    """The template on one API server, in the version that it serves; `size` is where the intent states the count."""
    api = claims_api(place)
    assert api is not None, "eligibility asks for it"
    labels = {"stowplan.io/intent": workload.name, "stowplan.io/tenant": workload.tenant}
    entity = workload.entity
    variables = {
        "api_version": api,
        "name": claim.template,
        "namespace": workload.namespace,
        "labels": labels,
        "requests": [_request(claim, api)],
    }
    origins = {
        (): entity.origin,
        ("name",): entity.name_origin,
        ("namespace",): entity.at("namespace") if entity.spec.namespace else entity.at("tenant"),
        ("labels", "stowplan.io/tenant"): entity.at("tenant"),
        ("requests",): claim.claim.origin,
        ("requests", 0, "count"): size,
        ("requests", 0, "exactly", "count"): size,
    }
    return Manifest(unit, "jobs/resourceclaimtemplate", variables, origins, f"workload/{workload.name}")


def _request(claim: PodClaim, api: str) -> dict[str, Any]:
    """One request, with the server's defaults; v1beta1 has its parts in the request itself."""
    asked: dict[str, Any] = {
        "deviceClassName": claim.claim.device_class,
        "allocationMode": "ExactCount",
        "count": claim.count,
    }
    if claim.claim.selectors:
        asked["selectors"] = [{"cel": {"expression": text}} for text in claim.claim.selectors]
    return {"name": CLAIM, **asked} if api.endswith("/v1beta1") else {"name": CLAIM, "exactly": asked}
