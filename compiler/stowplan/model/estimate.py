"""What running somewhere would take: hours to result as a path, money, and carbon."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MONTH_HOURS", "Estimate"]

MONTH_HOURS = 730.0
"""Hours that a service's monthly cost and carbon stand for."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Hours, fleet currency, and kilograms of CO2 equivalent.

    The path is wait, then staging (data and image in parallel, so the longer of both), run, rework after expected
    interruptions, and waits for requeueing. A service has no result: its hours are 0, its cost and carbon are a
    month's. `at_home` tells whether all its data lies there already.
    """

    wait_hours: float
    data_hours: float
    image_hours: float
    run_hours: float
    rework_hours: float
    requeue_hours: float
    interruptions: float
    compute_cost: float
    transfer_cost: float
    carbon_kilograms: float
    at_home: bool

    @property
    def staging_hours(self) -> float:
        """The longer of data and image."""
        return max(self.data_hours, self.image_hours)

    @property
    def hours(self) -> float:
        """Hours to result."""
        return self.wait_hours + self.staging_hours + self.run_hours + self.rework_hours + self.requeue_hours

    @property
    def cost(self) -> float:
        """Money in all."""
        return self.compute_cost + self.transfer_cost
