"""What the ResourceQuotas of a namespace ask of a Pod: that its containers state what is counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

__all__ = ["quota_refusal"]

_COUNTED: Final = ("cpu", "memory")


def quota_refusal(pod: Mapping[str, Any], quotas: Iterable[Mapping[str, Any]]) -> str:
    """Why the first quota that covers a stored Pod refuses it: a container states no request or limit that is counted."""
    spec = pod["spec"]
    if any((spec.get("resources") or {}).get(part) for part in ("requests", "limits")):
        return ""
    for quota in quotas:
        hard = (quota.get("status") or {}).get("hard") or {}
        missing = _missing(spec, hard) if hard and _covers(quota, spec) else {}
        if missing:
            told = "; ".join(f"{name} for: {','.join(sorted(missing[name]))}" for name in sorted(missing))
            return f"failed quota: {quota['metadata'].get('name', '')}: must specify {told}"
    return ""


def _missing(spec: Mapping[str, Any], hard: Mapping[str, Any]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for container in (*(spec.get("containers") or ()), *(spec.get("initContainers") or ())):
        given = container.get("resources") or {}
        for name in _COUNTED:
            for counted, part in ((name, "requests"), (f"requests.{name}", "requests"), (f"limits.{name}", "limits")):
                if counted in hard and name not in (given.get(part) or {}):
                    found.setdefault(counted, set()).add(container.get("name", ""))
    return found


def _covers(quota: Mapping[str, Any], spec: Mapping[str, Any]) -> bool:
    """Whether all scopes of a quota hold of a Pod."""
    said = quota.get("spec") or {}
    selected = (said.get("scopeSelector") or {}).get("matchExpressions") or ()
    return all(_holds(name, "Exists", (), spec) for name in said.get("scopes") or ()) and all(
        _holds(one.get("scopeName", ""), one.get("operator", ""), one.get("values") or (), spec) for one in selected
    )


def _holds(scope: str, operator: str, values: Iterable[str], spec: Mapping[str, Any]) -> bool:
    if scope in ("Terminating", "NotTerminating"):
        return (spec.get("activeDeadlineSeconds") is not None) is (scope == "Terminating")
    if scope in ("BestEffort", "NotBestEffort"):
        return _asks_for_nothing(spec) is (scope == "BestEffort")
    if scope == "PriorityClass":
        name = spec.get("priorityClassName") or ""
        if operator in ("In", "NotIn"):
            return (bool(name) and name in values) is (operator == "In")
        return bool(name) is (operator != "DoesNotExist")
    return scope == "CrossNamespacePodAffinity" and _reaches_out(spec)


def _asks_for_nothing(spec: Mapping[str, Any]) -> bool:
    for container in (*(spec.get("containers") or ()), *(spec.get("initContainers") or ())):
        given = container.get("resources") or {}
        if any(
            amount not in ("0", 0) for part in ("requests", "limits") for amount in (given.get(part) or {}).values()
        ):
            return False
    return True


def _reaches_out(spec: Mapping[str, Any]) -> bool:
    for kind in ("podAffinity", "podAntiAffinity"):
        affinity = (spec.get("affinity") or {}).get(kind) or {}
        weighted = affinity.get("preferredDuringSchedulingIgnoredDuringExecution") or ()
        terms = [*(affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or ())]
        terms += [one.get("podAffinityTerm") or {} for one in weighted]
        if any(term.get("namespaces") or term.get("namespaceSelector") is not None for term in terms):
            return True
    return False
