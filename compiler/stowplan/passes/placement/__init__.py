"""Books capacity for all workloads once: services first, then jobs by priority, and says why the rest does not fit."""

from stowplan.passes.placement.place import Placer, place

__all__ = ["Placer", "place"]
