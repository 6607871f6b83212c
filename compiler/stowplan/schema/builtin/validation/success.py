"""Rules of the success policy of an indexed Job, and of index lists like `0-3,7`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .report import Report, Struct, go_quote

__all__ = ["check_success_policy"]

_LIST_BYTES = 64 * 1024


class _Unreadable(Exception):
    pass


def check_success_policy(spec: Mapping[str, Any], path: str, report: Report) -> None:
    """The success policy of a Job."""
    rules = spec["successPolicy"].get("rules")
    if spec.get("completionMode") != "Indexed":
        report.invalid(path, Struct(Rules=_shown(rules)), "requires indexed completion mode")
        return
    if not rules:
        detail = "at least one rules must be specified when the successPolicy is specified"
        report.required(f"{path}.rules", detail)
        return
    if len(rules) > 20:
        report.too_many(f"{path}.rules", len(rules), 20)
    for position, rule in enumerate(rules):
        _check_rule(rule, spec.get("completions"), f"{path}.rules[{position}]", report)


def _shown(rules: Sequence[Mapping[str, Any]] | None) -> Any:
    if rules is None:
        return None
    members = ("succeededIndexes", "succeededCount")
    return [Struct({key[0].upper() + key[1:]: rule.get(key) for key in members}) for rule in rules]


def _check_rule(rule: Mapping[str, Any], completions: int | None, path: str, report: Report) -> None:
    count, indexes = rule.get("succeededCount"), rule.get("succeededIndexes")
    if count is None and indexes is None:
        report.required(path, "at least one of succeededCount or succeededIndexes must be specified")
    total = 0
    if indexes is not None:
        place = f"{path}.succeededIndexes"
        if len(indexes.encode()) > _LIST_BYTES:
            report.too_long(place, _LIST_BYTES)
        else:
            try:
                total = _count(indexes, completions or 0)
            except _Unreadable as refusal:
                report.invalid(place, indexes, f"error parsing succeededIndexes: {refusal}")
    if count is None:
        return
    place = f"{path}.succeededCount"
    report.non_negative(place, count)
    if completions is not None and count > completions:
        detail = f"must be less than or equal to {completions} (the number of specified completions)"
        report.invalid(place, count, detail)
    if indexes is not None and count > total:
        detail = (
            f"must be less than or equal to {total} (the number of indexes in the specified succeededIndexes field)"
        )
        report.invalid(place, count, detail)


def _count(text: str, completions: int) -> int:
    """How many indexes the list names; raises when it cannot be read."""
    if not text:
        return 0
    total, previous = 0, -1
    for fragment in text.split(","):
        ends = fragment.split("-")
        if len(ends) > 2:
            raise _Unreadable(
                f"the fragment {go_quote(fragment)} violates the requirement that an index interval can have at most "
                "two parts separated by '-'"
            )
        first = _index(ends[0], completions)
        if first <= previous:
            raise _Unreadable(f"non-increasing order, previous: {previous}, current: {first}")
        last = first
        if len(ends) == 2:
            last = _index(ends[1], completions)
            if last <= first:
                raise _Unreadable(f"non-increasing order, previous: {first}, current: {last}")
        total += last - first + 1
        previous = last
    return total


def _index(text: str, completions: int) -> int:
    if not re.fullmatch("[+-]?[0-9]{1,18}", text):
        raise _Unreadable(f"cannot convert string to integer for index: {go_quote(text)}")
    number = int(text)
    if number >= completions:
        raise _Unreadable(f"too large index: {go_quote(text)}")
    return number
