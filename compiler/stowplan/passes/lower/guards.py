"""Annotations that keep both GitOps engines from pruning what takes others along when it goes."""

from __future__ import annotations

from types import MappingProxyType

__all__ = ["PRUNE_GUARDS"]

PRUNE_GUARDS = MappingProxyType(
    {"argocd.argoproj.io/sync-options": "Prune=false", "kustomize.toolkit.fluxcd.io/prune": "disabled"}
)
"""Argo CD's and Flux's guard, side by side: one tree serves both."""
