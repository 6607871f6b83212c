"""Elastic capacity: a check on every flavor whose nodes are provisioned on request, and how the request is made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stowplan.model.entity import Entity
from stowplan.model.fleet import Cluster, Fleet
from stowplan.model.inputs.fleet import FlavorSpec
from stowplan.model.manifest import Manifest, Unit
from stowplan.model.quantity import parse_duration
from stowplan.passes.lower.kueue.dialect import Dialect
from stowplan.passes.lower.kueue.names import limited_name

__all__ = ["PROVISIONING_CONTROLLER", "check_name", "provisioning_checks", "provisioning_manifests"]

PROVISIONING_CONTROLLER = "kueue.x-k8s.io/provisioning-request"


def check_name(flavor: str) -> str:
    """Name of the flavor's AdmissionCheck and ProvisioningRequestConfig."""
    return limited_name(f"provision-{flavor}")


def _elastic(fleet: Fleet, flavors: list[str]) -> Iterator[Entity[FlavorSpec]]:
    return (fleet.flavors[flavor] for flavor in flavors if fleet.flavors[flavor].spec.provisioning is not None)


def provisioning_checks(fleet: Fleet, flavors: list[str]) -> list[dict[str, Any]]:
    """The checks of a queue with these flavors: each asks for its own flavor only."""
    return [{"name": check_name(e.name), "onFlavors": [e.name]} for e in _elastic(fleet, flavors)]


def provisioning_manifests(fleet: Fleet, unit: Unit, dialect: Dialect, cluster: Cluster) -> Iterator[Manifest]:
    """Config and check for each elastic flavor of the cluster."""
    for entity in _elastic(fleet, list(cluster.pools)):
        given = entity.spec.provisioning
        assert given is not None
        spec: dict[str, Any] = {
            "provisioningClassName": given.class_name,
            "retryStrategy": {
                "backoffLimitCount": given.retries,
                "backoffBaseSeconds": int(parse_duration(given.retry_after)),
                "backoffMaxSeconds": int(parse_duration(given.retry_at_most)),
            },
        }
        if given.parameters:
            spec["parameters"] = dict(sorted(given.parameters.items()))
        if given.managed_resources:
            spec["managedResources"] = list(given.managed_resources)
        names = {"api_version": dialect.api_version, "name": check_name(entity.name)}
        origins = {(): entity.at("provisioning"), ("name",): entity.name_origin}
        source = f"flavor/{entity.name}"
        yield Manifest(unit, "kueue/provisioningrequestconfig", {**names, "spec": spec}, origins, source)
        check = {
            "controller": PROVISIONING_CONTROLLER,
            "retry": None if dialect.is_beta2 else 15,
            "parameters_kind": "ProvisioningRequestConfig",
            "parameters_name": check_name(entity.name),
        }
        yield Manifest(unit, "kueue/admissioncheck", {**names, **check}, origins, source)
