"""Which versions of the gateway stack the templates are written for, and which image picks endpoints for them."""

from __future__ import annotations

from dataclasses import dataclass

from stowplan.diagnostics.model import Diagnostic, error
from stowplan.model.fleet import Cluster

__all__ = ["STACKS", "Stack", "stack_of"]


@dataclass(frozen=True, slots=True)
class Stack:
    """Versions that were seen to work together, by component, and the endpoint picker that belongs to them.

    `picker` is the image without its digest; a fleet may bring its own as the Artifact `endpoint-picker`.
    """

    gateway_class: str
    versions: tuple[tuple[str, str], ...]
    picker: str
    picker_digest: str


STACKS = (
    Stack(
        "istio",
        (("gateway-api", "1.5.1"), ("inference-extension", "1.5.0"), ("istio", "1.30.1")),
        "ghcr.io/llm-d/llm-d-router-endpoint-picker",
        "sha256:2e516fa1310da7be59b82beb1445362139597d6d553ef04d546716abe3aaaa70",
    ),
)
"""The picker is release 0.10.0 of llm-d's router, which is built against inference extension 1.5.0."""


def stack_of(cluster: Cluster) -> Stack | Diagnostic:
    """The stack of a cluster, or what is wrong with the versions it declares."""
    gateway = cluster.spec.gateway
    assert gateway is not None, "eligibility asks for a gateway"
    stack = next((s for s in STACKS if s.gateway_class == gateway.class_), None)
    if stack is None:
        known = ", ".join(f"`{s.gateway_class}`" for s in STACKS)
        return error(
            "SP0720",
            f"gateway class `{gateway.class_}` of cluster `{cluster.name}` is not supported",
            cluster.entity.at("gateway", "class"),
            "not known",
            helps=(f"supported: {known}",),
        )
    return _mismatch(cluster, stack) or stack


def _mismatch(cluster: Cluster, stack: Stack) -> Diagnostic | None:
    declared = cluster.spec.components
    vector = ", ".join(f"{name} {version}" for name, version in stack.versions)
    for name, version in stack.versions:
        found = declared.get(name)
        if found is not None and found.removeprefix("v") == version:
            continue
        at = cluster.entity.at("components", name) if found is not None else cluster.entity.at("components")
        return error(
            "SP0720",
            f"cluster `{cluster.name}` "
            + (f"has {name} {found}" if found is not None else f"declares no `{name}`")
            + f", but models are served with {name} {version}",
            at,
            "another version" if found is not None else "not among them",
            notes=(f"these versions are known to work together: {vector}",),
            helps=(f"bring the cluster to {name} {version}",),
            targets=(cluster.name,),
        )
    return None
