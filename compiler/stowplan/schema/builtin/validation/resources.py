"""Rules of resource names, quantities, requests and limits."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from .names import dns_label, qualified_name
from .quantities import is_whole, quantity
from .report import Report

__all__ = [
    "check_amount",
    "check_container_resources",
    "check_pod_resources",
    "container_name_complaints",
    "is_extended",
    "is_hugepages",
    "is_native",
    "resource_name_complaints",
]

INTEGER_RESOURCES = frozenset(
    (
        "pods",
        "services",
        "replicationcontrollers",
        "resourcequotas",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
        "services.nodeports",
        "services.loadbalancers",
    )
)
COMPUTE = frozenset(("cpu", "memory", "ephemeral-storage"))
STANDARD = COMPUTE | INTEGER_RESOURCES | {"storage", "requests.storage", "requests.cpu", "requests.memory"}
STANDARD |= {"requests.ephemeral-storage", "limits.cpu", "limits.memory", "limits.ephemeral-storage"}
POD_LEVEL = ("cpu", "hugepages-", "memory")
_NO_CLAIMS = "must be one of the names in pod.spec.resourceClaims"


def is_native(name: str) -> bool:
    """Whether the name belongs to Kubernetes itself."""
    return "/" not in name or "kubernetes.io/" in name


@lru_cache(maxsize=1024)
def is_hugepages(name: str) -> bool:
    """Whether the name is a size of huge pages."""
    return name.startswith("hugepages-")


@lru_cache(maxsize=1024)
def is_extended(name: str) -> bool:
    """Whether the name is an extended resource, like a device plugin's."""
    if is_native(name) or name.startswith("requests."):
        return False
    return not qualified_name("requests." + name)


def _is_integer(name: str) -> bool:
    return name in INTEGER_RESOURCES or is_extended(name)


@lru_cache(maxsize=1024)
def _may_overcommit(name: str) -> bool:
    return is_native(name) and not is_hugepages(name)


@lru_cache(maxsize=1024)
def resource_name_complaints(name: str) -> tuple[str, ...]:
    """What is wrong with the name of a resource of any use."""
    complaints = qualified_name(name)
    if complaints or "/" in name:
        return complaints
    if name in STANDARD or name.startswith(("hugepages-", "requests.hugepages-")):
        return ()
    return ("must be a standard resource type or fully qualified",)


@lru_cache(maxsize=1024)
def container_name_complaints(name: str) -> tuple[str, ...]:
    """What is wrong with the name of a resource of a container."""
    complaints = resource_name_complaints(name)
    if "/" not in name:
        if name not in COMPUTE and not is_hugepages(name):
            complaints += ("must be a standard resource for containers",)
    elif not is_native(name) and not is_extended(name):
        complaints += ("doesn't follow extended resource name standard",)
    return complaints


@lru_cache(maxsize=4096)
def _amount_complaints(name: str, amount: str) -> tuple[str, ...]:
    number = quantity(amount)
    found: tuple[str, ...] = ("must be greater than or equal to 0",) if number < 0 else ()
    if _is_integer(name) and not is_whole(amount):
        found += ("must be an integer",)
    return found


def check_amount(name: str, amount: str, path: str, report: Report) -> None:
    """A quantity of a resource: not negative, and whole where the resource is counted."""
    if complaints := _amount_complaints(name, amount):
        report.invalid_all(path, amount, complaints)


@lru_cache(maxsize=4096)
def _pair_complaint(name: str, amount: str, limit: str) -> str:
    """What is wrong with a request beside its limit."""
    requested, allowed = quantity(amount), quantity(limit)
    if requested != allowed and not _may_overcommit(name):
        return f"must be equal to {name} limit of {limit}"
    return f"must be less than or equal to {name} limit of {limit}" if requested > allowed else ""


def _check_hugepages(name: str, amount: str, path: str, report: Report) -> None:
    size = quantity(name[len("hugepages-") :])
    number = quantity(amount)
    if size <= 0 or number % size:
        report.invalid(path, amount, f"{amount} is not positive integer multiple of {name}")


def _check_one(name: str, amount: str, path: str, report: Report, pod_level: bool) -> None:
    complaints = resource_name_complaints(name) if pod_level else container_name_complaints(name)
    if complaints:
        report.invalid_all(path, name, complaints)
    elif pod_level and name not in ("cpu", "memory") and not is_hugepages(name):
        report.unsupported(path, name, POD_LEVEL)
    check_amount(name, amount, path, report)
    if is_hugepages(name):
        _check_hugepages(name, amount, path, report)


def check_requirements(requirements: Mapping[str, Any], path: str, report: Report, *, pod_level: bool = False) -> None:
    """Requests and limits, without claims."""
    limits: Mapping[str, str] = requirements.get("limits") or {}
    requests: Mapping[str, str] = requirements.get("requests") or {}
    for name, amount in limits.items():
        _check_one(name, amount, f"{path}.limits[{name}]", report, pod_level)
    for name, amount in requests.items():
        _check_one(name, amount, f"{path}.requests[{name}]", report, pod_level)
        if name in limits:
            if complaint := _pair_complaint(name, amount, limits[name]):
                report.invalid(f"{path}.requests", amount, complaint)
        elif not _may_overcommit(name):
            report.required(f"{path}.limits", "Limit must be set for non overcommitable resources")
    names = {**limits, **requests}
    if "cpu" not in names and "memory" not in names and any(is_hugepages(name) for name in names):
        report.forbidden(path, "HugePages require cpu or memory")


def check_container_resources(
    requirements: Mapping[str, Any] | None, claims: Collection[str], path: str, report: Report
) -> None:
    """The resources of a container; `claims` are the names of the Pod's resource claims."""
    if not requirements:
        return
    check_requirements(requirements, path, report)
    if requirements.get("claims"):
        _check_claims(requirements["claims"], claims, f"{path}.claims", report)


def _check_claims(claims: Sequence[Mapping[str, Any]], known: Collection[str], path: str, report: Report) -> None:
    seen: list[str] = []
    for position, claim in enumerate(claims):
        place = f"{path}[{position}]"
        name = claim.get("name") or ""
        if not name:
            report.required(place)
            continue
        _check_claim_repeat(name, claim.get("request") or "", seen, place, report)
        if name not in known:
            rest = ": " + ", ".join(sorted(known)) if known else " which is empty"
            report.not_found(place, name, _NO_CLAIMS + rest)


def _check_claim_repeat(name: str, request: str, seen: list[str], place: str, report: Report) -> None:
    if name in seen:
        report.duplicate(place, name)
        return
    key = name
    if request:
        report.invalid_all(f"{place}.request", request, dns_label(request))
        key = f"{name}/{request}"
    if key in seen:
        report.duplicate(place, key)
    elif not request:
        for other in seen:
            if other.partition("/")[0] == name:
                report.duplicate(place, name)
    seen.append(key)


def check_pod_resources(spec: Mapping[str, Any], path: str, report: Report) -> None:
    """The resources of a whole Pod, against those of its containers."""
    requirements = spec.get("resources")
    if not requirements:
        return
    if requirements.get("claims"):
        report.forbidden(f"{path}.claims", "claims may not be set for Resources at pod-level")
    check_requirements(requirements, path, report, pod_level=True)
    if requirements.get("claims"):
        known = [claim["name"] for claim in spec.get("resourceClaims") or () if claim.get("name")]
        _check_claims(requirements["claims"], known, f"{path}.claims", report)
    requests: Mapping[str, str] = requirements.get("requests") or {}
    for name, (total, text) in sorted(_aggregate(spec).items()):
        if name in requests and total > quantity(requests[name]):
            detail = f"must be greater than or equal to aggregate container requests of {text}"
            report.invalid(f"{path}.requests[{name}]", requests[name], detail)
    limits: Mapping[str, str] = requirements.get("limits") or {}
    for position, container in enumerate(spec.get("containers") or ()):
        for name, amount in ((container.get("resources") or {}).get("limits") or {}).items():
            if name in limits and quantity(amount) > quantity(limits[name]):
                place = f"{path}.containers[{position}][{name}].limits"
                report.invalid(place, amount, f"must be less than or equal to pod limits of {limits[name]}")


def _aggregate(spec: Mapping[str, Any]) -> dict[str, tuple[Fraction, str]]:
    """What the containers ask for together: the larger of the running ones and each step of the start."""
    running: dict[str, Fraction] = {}
    texts: dict[str, str] = {}
    for container in spec.get("containers") or ():
        _add(running, _requests(container), texts)
    sidecars: dict[str, Fraction] = {}
    peak: dict[str, Fraction] = {}
    for container in spec.get("initContainers") or ():
        asked = _requests(container)
        if container.get("restartPolicy") == "Always":
            _add(running, asked, texts)
            _add(sidecars, asked, {})
            step = dict(sidecars)
        else:
            step = dict(sidecars)
            _add(step, asked, {})
        for name, number in step.items():
            peak[name] = max(peak.get(name, Fraction(0)), number)
    for name, number in peak.items():
        if number > running.get(name, Fraction(0)):
            running[name] = number
            texts.pop(name, None)
    return {name: (number, texts.get(name) or _decimal(number)) for name, number in running.items()}


def _requests(container: Mapping[str, Any]) -> Mapping[str, str]:
    found: Mapping[str, str] = (container.get("resources") or {}).get("requests") or {}
    return found


def _add(total: dict[str, Fraction], asked: Mapping[str, str], texts: dict[str, str]) -> None:
    for name, amount in asked.items():
        texts[name] = amount if name not in total else ""
        total[name] = total.get(name, Fraction(0)) + quantity(amount)


def _decimal(number: Fraction) -> str:
    if number.denominator != 1:
        return f"{(number * 1000).__ceil__()}m"
    value = int(number)
    for power, suffix in ((3, "Gi"), (2, "Mi"), (1, "Ki")):
        if value and value % 1024**power == 0:
            return f"{value // 1024**power}{suffix}"
    return str(value)
