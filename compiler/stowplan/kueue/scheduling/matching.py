"""Labels, selectors, affinity, taints, and tolerations, as the scheduler of Kubernetes matches them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["matches_affinity", "matches_flavor", "matches_labels", "untolerated"]

_HARD = ("NoSchedule", "NoExecute")


def untolerated(
    taints: Iterable[Mapping[str, Any]], tolerations: Iterable[Mapping[str, Any]]
) -> Mapping[str, Any] | None:
    """The first taint that keeps the pod out."""
    rows = tuple(tolerations)
    for taint in taints:
        if taint.get("effect") in _HARD and not any(_tolerates(row, taint) for row in rows):
            return taint
    return None


def _tolerates(row: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    if row.get("effect") not in (None, "", taint.get("effect")):
        return False
    if row.get("key") in (None, ""):
        return row.get("operator") == "Exists"
    if row.get("key") != taint.get("key"):
        return False
    return row.get("operator") == "Exists" or (row.get("value") or "") == (taint.get("value") or "")


def matches_labels(pod: Mapping[str, Any], labels: Mapping[str, str], known: frozenset[str] | None = None) -> bool:
    """Whether the pod's node selector matches; where `known` is given, other keys are not judged."""
    wanted = pod.get("nodeSelector") or {}
    return all(labels.get(key) == value for key, value in wanted.items() if known is None or key in known)


def matches_affinity(pod: Mapping[str, Any], labels: Mapping[str, str], known: frozenset[str] | None = None) -> bool:
    """Whether one term of the required node affinity matches; where `known` is given, other keys are not judged."""
    terms = _required(pod)
    if not terms:
        return True
    for term in terms:
        rows = term.get("matchExpressions") or []
        judged = [row for row in rows if known is None or row.get("key") in known]
        if rows and all(_holds(row, labels) for row in judged):
            return True
    return False


def matches_flavor(pod: Mapping[str, Any], labels: Mapping[str, str], keys: frozenset[str]) -> str | None:
    """What of the pod's selector or affinity a flavor's labels contradict; only `keys` count, and a term without any is no bar."""
    for key, value in (pod.get("nodeSelector") or {}).items():
        if key in keys and labels.get(key) != value:
            return f"node selector {key}={value} does not match"
    terms = []
    for term in _required(pod):
        rows = [row for row in term.get("matchExpressions") or [] if row.get("key") in keys]
        if not rows:
            return None
        terms.append(rows)
    if terms and not any(all(_holds(row, labels) for row in rows) for rows in terms):
        return "its labels do not match the pods' node affinity"
    return None


def _required(pod: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    affinity = (pod.get("affinity") or {}).get("nodeAffinity") or {}
    found = affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    return list(found.get("nodeSelectorTerms") or [])


def _holds(row: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    found, values = labels.get(str(row.get("key"))), row.get("values") or []
    operator = row.get("operator")
    if operator == "In":
        return found in values
    if operator == "NotIn":
        return found not in values
    if operator == "Exists":
        return found is not None
    if operator == "DoesNotExist":
        return found is None
    try:
        bound, number = int(values[0]), int(str(found))
    except (ValueError, IndexError):
        return False
    return number > bound if operator == "Gt" else number < bound
