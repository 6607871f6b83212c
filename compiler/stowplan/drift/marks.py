"""Whether a live object is one of ours: by the marks that the compiler and the GitOps engines leave."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from stowplan.ownership.rendered import group_of

__all__ = ["mark_of_ours"]

_MANAGED_BY: Final = "app.kubernetes.io/managed-by"
_OWN_PREFIX: Final = "stowplan.io/"
_TRACKING: Final = "argocd.argoproj.io/tracking-id"
_FLUX_NAME: Final = "kustomize.toolkit.fluxcd.io/name"
_NOT_OURS: Final = frozenset({"Node", "Event", "Endpoints", "EndpointSlice", "Lease"})
"""Kinds that carry our label keys as facts about machines, or copies of a parent's labels."""


def mark_of_ours(live: Mapping[str, Any], applications: frozenset[str] | None) -> str:
    """The mark that says the object came from the rendered tree; empty if there is none.

    `applications` are the names of our Argo CD Applications and Flux Kustomizations; None takes every engine's mark. An
    Argo CD mark that describes another object was copied by some operator and says nothing.
    """
    metadata = live.get("metadata")
    if not isinstance(metadata, dict) or live.get("kind") in _NOT_OURS or _has_controller(metadata):
        return ""
    labels, annotations = _map(metadata, "labels"), _map(metadata, "annotations")
    if labels.get("karmada.io/managed") == "true":
        return ""
    tracking = annotations.get(_TRACKING)
    if isinstance(tracking, str) and _describes(tracking, live, metadata):
        application = tracking.partition(":")[0]
        if applications is None or application in applications:
            return f"tracked by the Argo CD application `{application}`"
    flux = labels.get(_FLUX_NAME)
    if isinstance(flux, str) and (applications is None or flux in applications):
        return f"labelled by the Flux Kustomization `{flux}`"
    if labels.get(_MANAGED_BY) == "stowplan":
        return f"label `{_MANAGED_BY}: stowplan`"
    own = next((key for key in (*labels, *annotations) if key.startswith(_OWN_PREFIX)), "")
    return f"marked `{own}`" if own else ""


def _map(metadata: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = metadata.get(name)
    return found if isinstance(found, dict) else {}


def _has_controller(metadata: Mapping[str, Any]) -> bool:
    owners = metadata.get("ownerReferences")
    return isinstance(owners, list) and any(isinstance(o, dict) and o.get("controller") for o in owners)


def _describes(tracking: str, live: Mapping[str, Any], metadata: Mapping[str, Any]) -> bool:
    _, _, rest = tracking.partition(":")
    kind, _, place = rest.partition(":")
    wanted = f"{group_of(str(live.get('apiVersion', '')))}/{live.get('kind')}"
    return kind == wanted and place.rpartition("/")[2] == metadata.get("name")
