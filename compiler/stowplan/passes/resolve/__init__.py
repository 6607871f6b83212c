"""Entities to the bound fleet: names looked up, defaults filled in, facts checked against each other."""

from stowplan.passes.resolve.fleet import resolve

__all__ = ["resolve"]
