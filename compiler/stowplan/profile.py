"""Time and memory by pass, for `compile --profile`; the only place that reads a clock, and never for the output."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

__all__ = ["Profile", "Step"]


@dataclass(frozen=True, slots=True)
class Step:
    """One measured pass: CPU and wall seconds, and the process's peak memory after it in MiB."""

    name: str
    cpu: float
    wall: float
    peak_mebibytes: float


@dataclass(slots=True)
class Profile:
    """Steps in the order they ran."""

    steps: list[Step] = field(default_factory=list)

    @contextmanager
    def measure(self, name: str) -> Iterator[None]:
        """Measures what runs inside."""
        cpu, wall = time.process_time(), time.perf_counter()
        try:
            yield
        finally:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            self.steps.append(Step(name, time.process_time() - cpu, time.perf_counter() - wall, peak))

    def text(self) -> str:
        """A table for people."""
        lines = [f"{'pass':<14}{'cpu ms':>10}{'wall ms':>10}{'peak MiB':>10}"]
        lines += [f"{s.name:<14}{s.cpu * 1e3:>10.1f}{s.wall * 1e3:>10.1f}{s.peak_mebibytes:>10.0f}" for s in self.steps]
        return "\n".join(lines) + "\n"
