"""Rules of placement: affinity, spreading, tolerations, gates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .meta import check_labels
from .names import dns_label, label_value, qualified_name
from .report import Report
from .selectors import check_label_selector, check_node_selector, check_node_term

__all__ = ["check_affinity", "check_gates", "check_spread", "check_tolerations"]

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_WEIGHT = "must be in the range 1-100"
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_NO_SELECTOR = "must not be specified when labelSelector is not set"
_BOTH = "exists in both matchLabelKeys and labelSelector"


def check_affinity(affinity: Mapping[str, Any], path: str, report: Report) -> None:
    """Affinity to nodes and to other Pods."""
    if node := affinity.get("nodeAffinity"):
        if node.get(_REQUIRED) is not None:
            check_node_selector(node[_REQUIRED], f"{path}.nodeAffinity.{_REQUIRED}", report)
        for position, term in enumerate(node.get(_PREFERRED) or ()):
            place = f"{path}.nodeAffinity.{_PREFERRED}[{position}]"
            _check_weight(term, place, report)
            check_node_term(term.get("preference") or {}, f"{place}.preference", report, lax=True)
    for member in ("podAffinity", "podAntiAffinity"):
        pods = affinity.get(member)
        if not pods:
            continue
        for position, term in enumerate(pods.get(_REQUIRED) or ()):
            _check_pod_term(term, f"{path}.{member}.{_REQUIRED}[{position}]", report)
        for position, weighted in enumerate(pods.get(_PREFERRED) or ()):
            place = f"{path}.{member}.{_PREFERRED}[{position}]"
            _check_weight(weighted, place, report)
            _check_pod_term(weighted.get("podAffinityTerm") or {}, f"{place}.podAffinityTerm", report)


def _check_weight(term: Mapping[str, Any], path: str, report: Report) -> None:
    weight = term.get("weight") or 0
    if not 1 <= weight <= 100:
        report.invalid(f"{path}.weight", weight, _WEIGHT)


def _check_pod_term(term: Mapping[str, Any], path: str, report: Report) -> None:
    selector = term.get("labelSelector")
    check_label_selector(selector, f"{path}.labelSelector", report)
    check_label_selector(term.get("namespaceSelector"), f"{path}.namespaceSelector", report)
    for namespace in term.get("namespaces") or ():
        report.invalid_all(f"{path}.namespace", namespace, dns_label(namespace))
    match, mismatch = term.get("matchLabelKeys") or (), term.get("mismatchLabelKeys") or ()
    if match or mismatch:
        _check_label_keys(match, selector, f"{path}.matchLabelKeys", report)
        _check_label_keys(mismatch, selector, f"{path}.mismatchLabelKeys", report)
        if selector is not None:
            _check_repeated_keys(match, selector, path, report)
        for position, key in enumerate(match):
            if key in mismatch:
                detail = "exists in both matchLabelKeys and mismatchLabelKeys"
                report.invalid(f"{path}.matchLabelKeys[{position}]", key, detail)
    topology = term.get("topologyKey") or ""
    if not topology:
        report.required(f"{path}.topologyKey", "can not be empty")
    report.invalid_all(f"{path}.topologyKey", topology, qualified_name(topology))


def _check_label_keys(keys: Sequence[str], selector: object, path: str, report: Report) -> None:
    if keys and selector is None:
        report.forbidden(path, _NO_SELECTOR)
        return
    for position, key in enumerate(keys):
        report.invalid_all(f"{path}[{position}]", key, qualified_name(key))


def _check_repeated_keys(keys: Sequence[str], selector: Mapping[str, Any], path: str, report: Report) -> None:
    positions = {key: position for position, key in enumerate(keys)}
    seen = set(selector.get("matchLabels") or ())
    for requirement in selector.get("matchExpressions") or ():
        key = requirement.get("key") or ""
        if key in positions and key in seen:
            report.invalid(f"{path}[{positions[key]}]", key, _BOTH)
        seen.add(key)


def check_spread(constraints: Sequence[Mapping[str, Any]], path: str, report: Report) -> None:
    """Topology spread constraints."""
    for position, constraint in enumerate(constraints):
        get = constraint.get
        place = f"{path}[{position}]"
        if (get("maxSkew") or 0) <= 0:
            report.invalid(f"{place}.maxSkew", get("maxSkew") or 0, "must be greater than zero")
        if not get("topologyKey"):
            report.required(f"{place}.topologyKey", "can not be empty")
        action = get("whenUnsatisfiable") or ""
        report.choice(f"{place}.whenUnsatisfiable", action, ("DoNotSchedule", "ScheduleAnyway"))
        _check_repeated_spread(constraint, constraints[position + 1 :], place, report)
        domains = get("minDomains")
        if domains is not None:
            if domains <= 0:
                report.invalid(f"{place}.minDomains", domains, "must be greater than zero")
            if action != "DoNotSchedule":
                detail = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
                report.invalid(f"{place}.minDomains", domains, detail)
        for member in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            if get(member) is not None:
                report.choice(f"{place}.{member}", get(member), ("Honor", "Ignore"))
        _check_spread_keys(constraint, place, report)
        check_label_selector(get("labelSelector"), f"{place}.labelSelector", report)


def _check_repeated_spread(
    constraint: Mapping[str, Any], rest: Sequence[Mapping[str, Any]], path: str, report: Report
) -> None:
    pair = (constraint.get("topologyKey") or "", constraint.get("whenUnsatisfiable") or "")
    if any((other.get("topologyKey") or "", other.get("whenUnsatisfiable") or "") == pair for other in rest):
        report.duplicate(f"{path}.{{topologyKey, whenUnsatisfiable}}", f"{{{pair[0]}, {pair[1]}}}")


def _check_spread_keys(constraint: Mapping[str, Any], path: str, report: Report) -> None:
    keys = constraint.get("matchLabelKeys") or ()
    if not keys:
        return
    selector = constraint.get("labelSelector")
    place = f"{path}.matchLabelKeys"
    _check_label_keys(keys, selector, place, report)
    if selector is not None:
        _check_repeated_keys(keys, selector, path, report)


def check_tolerations(tolerations: Sequence[Mapping[str, Any]], path: str, report: Report) -> None:
    """Tolerations of taints."""
    for position, toleration in enumerate(tolerations):
        place = f"{path}[{position}]"
        key, operator = toleration.get("key") or "", toleration.get("operator") or ""
        value, effect = toleration.get("value") or "", toleration.get("effect") or ""
        if key:
            report.invalid_all(f"{place}.key", key, qualified_name(key))
        elif operator != "Exists":
            detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
            report.invalid(f"{place}.operator", operator, detail)
        if toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
            detail = "effect must be 'NoExecute' when `tolerationSeconds` is set"
            report.invalid(f"{place}.effect", effect, detail)
        if operator in ("Equal", ""):
            if complaints := label_value(value):
                report.invalid(f"{place}.operator", value, ";".join(complaints))
        elif operator == "Exists":
            if value:
                report.invalid(f"{place}.operator", value, "value must be empty when `operator` is 'Exists'")
        else:
            report.unsupported(f"{place}.operator", operator, ("Equal", "Exists"))
        if effect:
            report.choice(f"{place}.effect", effect, _EFFECTS)


def check_gates(gates: Sequence[Mapping[str, Any]], path: str, report: Report) -> None:
    """Gates that hold back scheduling."""
    seen: set[str] = set()
    for position, gate in enumerate(gates):
        name = gate.get("name") or ""
        report.invalid_all(f"{path}[{position}]", name, qualified_name(name))
        if name in seen:
            report.duplicate(f"{path}[{position}]", name)
        seen.add(name)


def check_node_labels(labels: Mapping[str, str] | None, path: str, report: Report) -> None:
    """The labels a node must have (`nodeSelector`)."""
    check_labels(labels, path, report)
