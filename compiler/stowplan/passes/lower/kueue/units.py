"""The units of Kueue's objects and of jobs, on members and on the manager."""

from __future__ import annotations

from stowplan.model.manifest import Target, Unit

__all__ = ["jobs_unit", "kueue_unit"]


def kueue_unit(target: Target) -> Unit:
    """Queues, flavors, and what they refer to; after the namespaces that local queues live in."""
    return Unit(target, "kueue", 1, depends_on=("tenancy",))


def jobs_unit(target: Target) -> Unit:
    """Jobs; after the queues that hold them."""
    return Unit(target, "jobs", 3, depends_on=("kueue",))
