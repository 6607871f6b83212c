"""The plan to manifests: which objects go to which API server, with every decision taken and nothing formatted."""

from stowplan.passes.lower.lower import lower, units_of

__all__ = ["lower", "units_of"]
