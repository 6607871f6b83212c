"""Amounts in Kueue's whole units: thousandths of a core, and whole ones of everything else."""

from __future__ import annotations

import math
from fractions import Fraction

from stowplan.model.quantity import QuantityForm, format_quantity, parse_quantity

__all__ = ["show", "units_of"]


def units_of(name: str, amount: Fraction | int | str) -> int:
    """An amount of a resource in units, rounded up."""
    value = Fraction(parse_quantity(amount)) if isinstance(amount, str) else Fraction(amount)
    return math.ceil(value * 1000) if name == "cpu" else math.ceil(value)


def show(name: str, units: int) -> str:
    """Units as people write them: memory and storage in binary units, cores with their fraction, all else plain."""
    if "memory" in name or "storage" in name:
        return format_quantity(units, QuantityForm.BINARY)
    return f"{units / 1000:g}" if name == "cpu" else str(units)
