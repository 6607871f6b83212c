"""The rules of the built-in kinds that their schemas do not say: syntax of names, pairs, ranges, what may change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stowplan.schema.verdict import FieldError

from .config import check_frozen_empties
from .empties import as_sent, check_empties
from .pointers import with_pointers
from .registry import CREATE, update
from .report import Report

__all__ = ["validate_create", "validate_update"]


def validate_create(value: Mapping[str, Any], minor: int, sent: Mapping[str, Any] | None = None) -> list[FieldError]:
    """The causes for which the server refuses to create the defaulted object, in its order; none when it is well.

    `sent` is the object before it was defaulted, for the few rules that look at empty values.
    """
    check = CREATE.get(f"{value.get('apiVersion')}/{value.get('kind')}")
    if check is None:
        return []
    report = Report(minor)
    check(value, report)
    if sent is not None:
        check_empties(sent, report)
        report.errors = [as_sent(error, sent) for error in report.errors]
    return with_pointers(value, report.errors) if report.errors else []


def validate_update(
    new: Mapping[str, Any], old: Mapping[str, Any], minor: int, sent: Mapping[str, Any] | None = None
) -> list[FieldError]:
    """The causes for which the server refuses to put `new` in the place of `old`, both defaulted."""
    report = Report(minor)
    update(f"{new.get('apiVersion')}/{new.get('kind')}", new, old, report)
    if sent is not None:
        check_frozen_empties(sent, old, report)
        check_empties(sent, report)
        report.errors = [as_sent(error, sent) for error in report.errors]
    return with_pointers(new, report.errors) if report.errors else []
