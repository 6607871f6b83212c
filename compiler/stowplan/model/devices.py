"""Devices that pods claim (Dynamic Resource Allocation): what a claim of a pool asks for, and how Kueue counts it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from stowplan.model.fleet import Cluster, Pool
from stowplan.model.inputs.inventory import ClaimedDevices
from stowplan.model.inputs.kueue import KueueSettings
from stowplan.source.span import Origin

__all__ = [
    "ADMIN_ACCESS",
    "CLAIMS_GROUP",
    "CONSTRAINTS",
    "COUNTS_CLAIMS",
    "READS_V1",
    "SELECTORS",
    "DeviceClaim",
    "claim_of",
    "claims_api",
    "counted_as",
    "gate_off",
]

CLAIMS_GROUP = "resource.k8s.io"
Release = tuple[int, int, int]
COUNTS_CLAIMS: Release = (0, 14, 0)
"""The first release of Kueue that counts claims."""
READS_V1: Release = (0, 15, 0)
"""The first that reads them as `resource.k8s.io/v1`; before it was v1beta2."""
SELECTORS: Release = (0, 18, 0)
"""The first that admits requests with selectors, if enough devices of the same API server match; and the first that
counts claims without a gate being turned on."""
CONSTRAINTS: Release = (0, 18, 2)
"""The first that admits claims with constraints or driver configuration."""
ADMIN_ACCESS: Release = (0, 20, 0)
"""The first that admits requests with admin access, which count as nothing."""
_SERVED_FROM = 34
"""The minor from which `resource.k8s.io/v1` is served by default; the betas before it must be switched on."""


@dataclass(frozen=True, slots=True)
class DeviceClaim:
    """What a claim names: the class, and CEL selectors that tell the devices from others of the class."""

    device_class: str
    selectors: tuple[str, ...]
    origin: Origin = field(compare=False)


def claim_of(pool: Pool) -> DeviceClaim | None:
    """The claim of the pool's devices; None where a device plugin hands them out. Groups of a pool agree (SP0402)."""
    for group, origin in pool.groups:
        if group.accelerator is not None and group.accelerator.dra is not None:
            given = group.accelerator.dra
            return DeviceClaim(given.device_class, _selectors(given), origin / "accelerator" / "dra")
    return None


def _selectors(given: ClaimedDevices) -> tuple[str, ...]:
    """The driver's name first, then one selector an attribute or capacity; a device without it is none of these."""
    driver = given.driver or given.device_class
    made = []
    for name, value in sorted(given.attributes.items()):
        field = f"device.attributes{_path(driver, name)}"
        made.append(f"has({field}) && {field} == {_literal(value)}")
    for name, amount in sorted(given.capacity.items()):
        field = f"device.capacity{_path(driver, name)}"
        made.append(f"has({field}) && {field}.compareTo(quantity({_literal(amount)})) >= 0")
    is_driver = f"device.driver == {_literal(driver)}"
    return (is_driver, *made) if made else ()


def _path(driver: str, name: str) -> str:
    domain, _, plain = name.rpartition("/")
    return f"[{_literal(domain or driver)}].{plain}"


def _literal(value: str | int | bool) -> str:
    """A CEL literal: JSON's forms of text, whole numbers, and truth values are CEL's too."""
    return json.dumps(value, ensure_ascii=False)


def claims_api(cluster: Cluster) -> str | None:
    """The API of claims that is rendered for a cluster: the newest that was seen served, else what its minor serves."""
    for version in ("v1", "v1beta2", "v1beta1"):
        if f"{CLAIMS_GROUP}/{version}" in cluster.apis:
            return f"{CLAIMS_GROUP}/{version}"
    return f"{CLAIMS_GROUP}/v1" if cluster.minor >= _SERVED_FROM else None


def counted_as(settings: KueueSettings, device_class: str) -> str | None:
    """The resource that a DeviceClass counts as in the quotas of a cluster's Kueue; None where no mapping names it."""
    return next((row.resource for row in settings.device_classes if device_class in row.classes), None)


def gate_off(cluster: Cluster, release: Release) -> str | None:
    """The gate that keeps a cluster's Kueue from counting claims; None where it counts them.

    Rendered configurations with device classes turn it on themselves.
    """
    settings, observed = cluster.spec.kueue, cluster.observed
    is_on = release >= SELECTORS
    name = "KueueDRAIntegration" if is_on else "DynamicResourceAllocation"
    seen = observed.kueue.feature_gates if observed is not None and observed.kueue is not None else {}
    is_rendered = settings.configuration == "rendered"
    known = {**({} if is_rendered else seen), **settings.feature_gates}
    return None if known.get(name, is_on or is_rendered) else name
