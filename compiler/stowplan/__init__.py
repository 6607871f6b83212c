"""Stowplan: a GitOps manifest compiler for multi-cluster GPU fleets."""

from stowplan.version import __version__

__all__ = ["__version__"]
