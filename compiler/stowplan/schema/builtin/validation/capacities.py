"""Rules of a device's capacities: what may be asked of one that several claims share."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from stowplan.model.quantity import format_quantity, read_quantity

from .devices import check_set
from .quantities import quantity, whole
from .report import Report

__all__ = ["check_capacity"]

Manifest = Mapping[str, Any]
_BOTH = 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time'


def check_capacity(capacity: Manifest, many: bool, path: str, report: Report) -> None:
    """One capacity; `many` if its device can be allocated more than once."""
    policy = capacity.get("requestPolicy")
    if policy is None:
        return
    place, value = f"{path}.requestPolicy", capacity.get("value") or "0"
    if not many:
        report.forbidden(place, "allowMultipleAllocations must be true")
        return
    default, values, between = policy.get("default"), policy.get("validValues") or (), policy.get("validRange")
    if values and between is not None:
        report.forbidden(place, _BOTH)
        return
    if not values and between is None:
        return
    member = "validValues" if values else "validRange"
    if default is None:
        report.required(f"{place}.default", f"required when {member} is defined")
    elif values:
        _check_values(values, default, value, f"{place}.{member}", report)
    else:
        _check_range(between, default, value, f"{place}.{member}", report)


def _check_values(values: list[str], default: str, value: str, path: str, report: Report) -> None:
    for position, (one, other) in enumerate(pairwise(values), 1):
        if quantity(one) > quantity(other):
            report.invalid(f"{path}[{position}]", other, "values must be sorted in ascending order")

    def check_option(option: str, place: str, inner: Report) -> None:
        if quantity(option) > quantity(value):
            inner.invalid(place, option, f"option is larger than capacity value: {value}")

    check_set(values, path, report, check_option, lambda option: str(whole(option)), 10)
    if len(values) > 10 or quantity(default) not in [quantity(option) for option in values]:
        report.invalid(path, default, "default value is not valid according to the requestPolicy")


def _check_range(between: Manifest, default: str, value: str, path: str, report: Report) -> None:
    low, high, step = between.get("min"), between.get("max"), between.get("step")
    if low is None:
        report.required(f"{path}.min", "required when validRange is defined")
        return
    if quantity(low) > quantity(value):
        report.invalid(f"{path}.min", low, f"min is larger than capacity value: {value}")
    if quantity(default) < quantity(low):
        report.invalid(f"{path}.min", default, f"default is less than min: {low}")
    if high is not None:
        if quantity(low) > quantity(high):
            report.invalid(f"{path}.max", low, f"min is larger than max: {high}")
        if quantity(high) > quantity(value):
            report.invalid(f"{path}.max", high, f"max is larger than capacity value: {value}")
        if quantity(default) > quantity(high):
            report.invalid(f"{path}.max", default, f"default is more than max: {high}")
    if step is None:
        return
    if quantity(low) + quantity(step) > quantity(value):
        detail = f"one step {_sum(low, step)} is larger than capacity value: {value}"
        report.invalid(f"{path}.step", step, detail)
    if whole(step) == 0:  # by which the server would divide
        report.invalid(f"{path}.step", step, "must not be zero")
        return
    for reached in (default,) if high is None else (default, high):
        if (whole(reached) - whole(low)) % whole(step):
            report.invalid(f"{path}.step", reached, f"value is not a multiple of a given step ({step}) from ({low})")


def _sum(low: str, step: str) -> str:
    """Two quantities added, written in the form of the first that is not zero."""
    one, other = read_quantity(low), read_quantity(step)
    return format_quantity(one.value + other.value, one.form if one.value else other.form)
