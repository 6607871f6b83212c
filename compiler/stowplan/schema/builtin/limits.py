"""What the LimitRanges of a namespace put into a Pod, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

from stowplan.model.quantity import QuantityForm, format_quantity, parse_quantity, read_quantity

__all__ = ["apply_defaults", "limit_refusal"]

_ANNOTATION: Final = "kubernetes.io/limit-ranger"
_KINDS: Final = (("containers", "container"), ("initContainers", "init container"))
Amounts = Mapping[str, str]


def _rows(limits: Mapping[str, Any], kind: str) -> Iterator[Mapping[str, Any]]:
    return (row for row in (limits.get("spec") or {}).get("limits") or () if row.get("type") == kind)


def apply_defaults(pod: dict[str, Any], ranges: Iterable[Mapping[str, Any]]) -> None:
    """Give containers of a stored Pod the requests and limits that they lack, in place, with the server's note of it.

    The note of a later LimitRange takes the place of an earlier one's.
    """
    for limits in ranges:
        requests: dict[str, str] = {}
        most: dict[str, str] = {}
        for row in _rows(limits, "Container"):
            requests |= row.get("defaultRequest") or {}
            most |= row.get("default") or {}
        notes: list[str] = []
        for member, word in _KINDS:
            for container in pod["spec"].get(member) or ():
                given = container.setdefault("resources", {})
                for part, said, defaults in (("requests", "request", requests), ("limits", "limit", most)):
                    added = sorted(name for name in defaults if name not in (given.get(part) or {}))
                    if added:
                        given[part] = {**(given.get(part) or {}), **{name: defaults[name] for name in added}}
                        notes.append(f"{', '.join(added)} {said} for {word} {container.get('name', '')}")
        if notes:
            annotations = pod["metadata"].setdefault("annotations", {})
            annotations[_ANNOTATION] = f"LimitRanger plugin set: {'; '.join(notes)}"


def limit_refusal(stored: Mapping[str, Any], ranges: Iterable[Mapping[str, Any]]) -> str:
    """Why the first LimitRange that does not take a Pod or claim refuses it; nothing where all take it."""
    for limits in ranges:
        found = list(_pod(stored, limits) if stored["kind"] == "Pod" else _claim(stored, limits))
        if found:
            told = list(dict.fromkeys(found))
            return told[0] if len(told) == 1 else f"[{', '.join(told)}]"
    return ""


def _pod(pod: Mapping[str, Any], limits: Mapping[str, Any]) -> Iterator[str]:
    spec = pod["spec"]
    for row in _rows(limits, "Container"):
        for member, _ in _KINDS:
            for container in spec.get(member) or ():
                given = container.get("resources") or {}
                yield from _checked(row, "Container", given.get("requests") or {}, given.get("limits") or {})
    for row in _rows(limits, "Pod"):
        yield from _checked(row, "Pod", _total(spec, "requests"), _total(spec, "limits"))


def _claim(claim: Mapping[str, Any], limits: Mapping[str, Any]) -> Iterator[str]:
    kind = "PersistentVolumeClaim"
    asked = ((claim.get("spec") or {}).get("resources") or {}).get("requests") or {}
    for row in _rows(limits, kind):
        yield from _each(row.get("min"), kind, asked, {}, _least)
        yield from _each(row.get("max"), kind, asked, {}, _most_asked)


def _checked(row: Mapping[str, Any], kind: str, asked: Amounts, most: Amounts) -> Iterator[str]:
    yield from _each(row.get("min"), kind, asked, most, _least)
    yield from _each(row.get("max"), kind, asked, most, _most)
    yield from _each(row.get("maxLimitRequestRatio"), kind, asked, most, _ratio)


Rule = Callable[[str, str | None, str | None, str], str]


def _each(bounds: Amounts | None, kind: str, asked: Amounts, most: Amounts, rule: Rule) -> Iterator[str]:
    for name in sorted(bounds or {}):
        said = rule((bounds or {})[name], asked.get(name), most.get(name), f"{name}\0{kind}")
        if said:
            yield said


def _least(bound: str, asked: str | None, most: str | None, what: str) -> str:
    name, kind = what.split("\0")
    head = f"minimum {name} usage per {kind} is {bound}"
    if asked is None:
        return f"{head}.  No request is specified"
    if parse_quantity(asked) < parse_quantity(bound):
        return f"{head}, but request is {asked}"
    return f"{head}, but limit is {most}" if most is not None and parse_quantity(most) < parse_quantity(bound) else ""


def _most(bound: str, asked: str | None, most: str | None, what: str) -> str:
    name, kind = what.split("\0")
    head = f"maximum {name} usage per {kind} is {bound}"
    if most is None:
        return f"{head}.  No limit is specified"
    if parse_quantity(most) > parse_quantity(bound):
        return f"{head}, but limit is {most}"
    return (
        f"{head}, but request is {asked}" if asked is not None and parse_quantity(asked) > parse_quantity(bound) else ""
    )


def _most_asked(bound: str, asked: str | None, _: str | None, what: str) -> str:
    name, kind = what.split("\0")
    head = f"maximum {name} usage per {kind} is {bound}"
    if asked is None:
        return f"{head}.  No request is specified"
    return f"{head}, but request is {asked}" if parse_quantity(asked) > parse_quantity(bound) else ""


def _ratio(bound: str, asked: str | None, most: str | None, what: str) -> str:
    name, kind = what.split("\0")
    head = f"{name} max limit to request ratio per {kind} is {bound}"
    if asked is None or not parse_quantity(asked):
        return f"{head}, but no request is specified or request is 0"
    if most is None or not parse_quantity(most):
        return f"{head}, but no limit is specified or limit is 0"
    ratio = Fraction(parse_quantity(most)) / Fraction(parse_quantity(asked))
    return f"{head}, but provided ratio is {float(ratio):.6f}" if ratio > parse_quantity(bound) else ""


def _total(spec: Mapping[str, Any], part: str) -> dict[str, str]:
    """What a Pod asks for as a whole; what it says for itself counts before the sum of its containers."""
    running: dict[str, Fraction] = {}
    forms: dict[str, QuantityForm] = {}
    for container in spec.get("containers") or ():
        _add(running, _amounts(container, part, forms))
    sidecars: dict[str, Fraction] = {}
    peak: dict[str, Fraction] = {}
    for container in spec.get("initContainers") or ():
        mine = _amounts(container, part, forms)
        if container.get("restartPolicy") == "Always":
            _add(running, mine)
            _add(sidecars, mine)
            mine = sidecars
        else:
            _add(mine, sidecars)
        for name, value in mine.items():
            peak[name] = max(peak.get(name, Fraction(0)), value)
    totals = {name: max(running.get(name, Fraction(0)), peak.get(name, Fraction(0))) for name in {**running, **peak}}
    told = {name: format_quantity(value, forms[name]) for name, value in totals.items()}
    own = (spec.get("resources") or {}).get(part) or {}
    return told | {name: own[name] for name in own if name in ("cpu", "memory") or name.startswith("hugepages-")}


def _amounts(container: Mapping[str, Any], part: str, forms: dict[str, QuantityForm]) -> dict[str, Fraction]:
    found = {}
    for name, text in ((container.get("resources") or {}).get(part) or {}).items():
        quantity = read_quantity(text)
        forms.setdefault(name, quantity.form)
        found[name] = Fraction(quantity.value)
    return found


def _add(target: dict[str, Fraction], more: Mapping[str, Fraction]) -> None:
    for name, value in more.items():
        target[name] = target.get(name, Fraction(0)) + value
