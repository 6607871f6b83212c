"""Rules of label selectors and node selectors, and whether a label selector matches labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .meta import check_labels
from .names import dns_subdomain, label_value, qualified_name
from .report import Report, Struct, Word

__all__ = [
    "check_label_selector",
    "check_node_selector",
    "check_node_term",
    "is_empty",
    "matches",
    "shown_selector",
    "shown_terms",
]

_LISTED = "must be specified when `operator` is 'In' or 'NotIn'"
_UNLISTED = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"


def check_label_selector(selector: Mapping[str, Any] | None, path: str, report: Report, *, lax: bool = False) -> None:
    """A label selector; `lax` leaves the values of its expressions unchecked."""
    if not selector:
        return
    check_labels(selector.get("matchLabels"), f"{path}.matchLabels", report)
    for position, requirement in enumerate(selector.get("matchExpressions") or ()):
        _check_requirement(requirement, f"{path}.matchExpressions[{position}]", report, lax)


def _check_requirement(requirement: Mapping[str, Any], path: str, report: Report, lax: bool) -> None:
    operator = requirement.get("operator") or ""
    values = requirement.get("values") or ()
    _check_values(operator, values, path, report, numeric=False)
    report.invalid_all(f"{path}.key", requirement.get("key") or "", qualified_name(requirement.get("key") or ""))
    if not lax:
        _check_label_values(values, path, report)


def _check_label_values(values: Sequence[str], path: str, report: Report) -> None:
    for position, value in enumerate(values):
        report.invalid_all(f"{path}.values[{position}]", value or "", label_value(value or ""))


def _check_values(operator: str, values: Sequence[str], path: str, report: Report, *, numeric: bool) -> None:
    if operator in ("In", "NotIn"):
        if not values:
            report.required(f"{path}.values", _LISTED)
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            report.forbidden(f"{path}.values", _UNLISTED)
    elif numeric and operator in ("Gt", "Lt"):
        if len(values) != 1:
            report.required(f"{path}.values", "must be specified single value when `operator` is 'Lt' or 'Gt'")
    else:
        report.invalid(f"{path}.operator", Word(operator), "not a valid selector operator")


def check_node_selector(selector: Mapping[str, Any], path: str, report: Report) -> None:
    """A node selector: at least one term, each well formed."""
    terms = selector.get("nodeSelectorTerms") or ()
    if not terms:
        report.required(f"{path}.nodeSelectorTerms", "must have at least one node selector term")
    for position, term in enumerate(terms):
        check_node_term(term, f"{path}.nodeSelectorTerms[{position}]", report)


def check_node_term(term: Mapping[str, Any], path: str, report: Report, *, lax: bool = False) -> None:
    """One term of a node selector; preferences are `lax` about values."""
    for position, requirement in enumerate(term.get("matchExpressions") or ()):
        place = f"{path}.matchExpressions[{position}]"
        values = requirement.get("values") or ()
        _check_values(requirement.get("operator") or "", values, place, report, numeric=True)
        key = requirement.get("key") or ""
        report.invalid_all(f"{place}.key", key, qualified_name(key))
        if not lax:
            _check_label_values(values, place, report)
    for position, requirement in enumerate(term.get("matchFields") or ()):
        _check_field_requirement(requirement, f"{path}.matchFields[{position}]", report)


def _check_field_requirement(requirement: Mapping[str, Any], path: str, report: Report) -> None:
    operator = requirement.get("operator") or ""
    values = requirement.get("values") or ()
    if operator not in ("In", "NotIn"):
        report.invalid(f"{path}.operator", Word(operator), "not a valid selector operator")
    elif len(values) != 1:
        text = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        report.required(f"{path}.values", text)
    if requirement.get("key") != "metadata.name":
        report.invalid(f"{path}.key", requirement.get("key") or "", "not a valid field selector key")
        return
    for position, value in enumerate(values):
        report.invalid_all(f"{path}.values[{position}]", value or "", dns_subdomain(value or ""))


def is_empty(selector: Mapping[str, Any] | None) -> bool:
    """Whether the selector says nothing (and so selects everything)."""
    return not selector or not (selector.get("matchLabels") or selector.get("matchExpressions"))


def convertible(selector: Mapping[str, Any] | None) -> bool:
    """Whether the server can turn the selector into its matching form (valid keys, operators and values)."""
    report = Report()
    check_label_selector(selector, "", report)
    return not report.errors


def matches(selector: Mapping[str, Any] | None, labels: Mapping[str, str] | None) -> bool:
    """Whether labels satisfy the selector."""
    labels = labels or {}
    selector = selector or {}
    wanted = selector.get("matchLabels") or {}
    if any(labels.get(key) != value for key, value in wanted.items()):
        return False
    return all(_satisfied(requirement, labels) for requirement in selector.get("matchExpressions") or ())


def _satisfied(requirement: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    key, values = requirement.get("key") or "", requirement.get("values") or ()
    match requirement.get("operator"):
        case "In":
            return key in labels and labels[key] in values
        case "NotIn":
            return key not in labels or labels[key] not in values
        case "Exists":
            return key in labels
        case "DoesNotExist":
            return key not in labels
    return False


def _shown_expressions(requirements: Sequence[Mapping[str, Any]]) -> list[Struct]:
    return [_ordered(requirement, ("key", "operator", "values")) for requirement in requirements]


def _ordered(value: Mapping[str, Any], members: tuple[str, ...]) -> Struct:
    return Struct({member: value[member] for member in members if member in value})


def shown_selector(selector: Mapping[str, Any] | None) -> Struct | None:
    """A label selector as refusals print it: members in the order of its type."""
    if selector is None:
        return None
    shown = _ordered(selector, ("matchLabels", "matchExpressions"))
    if "matchExpressions" in shown:
        shown["matchExpressions"] = _shown_expressions(shown["matchExpressions"])
    return shown


def shown_terms(terms: Sequence[Mapping[str, Any]] | None) -> list[Struct] | None:
    """The terms of a node selector as refusals print them: under the names that Go has for their members."""
    if terms is None:
        return None
    members = ("matchExpressions", "matchFields")
    return [Struct({_upper(member): _shown_requirements(term.get(member)) for member in members}) for term in terms]


def _shown_requirements(requirements: Sequence[Mapping[str, Any]] | None) -> list[Struct] | None:
    if requirements is None:
        return None
    empty = {"key": "", "operator": "", "values": None}
    return [Struct({_upper(key): one.get(key, zero) for key, zero in empty.items()}) for one in requirements]


def _upper(member: str) -> str:
    return member[0].upper() + member[1:]
