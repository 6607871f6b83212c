"""Defaults that only a Pod gets, never a Pod template."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final

from stowplan.model.quantity import QuantityForm, format_quantity, read_quantity

__all__ = ["FUNCTIONS"]

_CONTAINERS: Final = ("containers", "initContainers", "ephemeralContainers")
_APPARMOR: Final = "container.apparmor.security.beta.kubernetes.io/"


def _containers(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for kind in _CONTAINERS:
        yield from spec.get(kind, ())


def pod_requests(pod: dict[str, Any]) -> None:
    """Every limit of a container without a request becomes the request."""
    for container in _containers(pod["spec"]):
        limits = container["resources"].get("limits")
        if limits:
            requests = container["resources"].setdefault("requests", {})
            for name, limit in limits.items():
                requests.setdefault(name, limit)


def _is_pod_level(resource: str) -> bool:
    return resource in ("cpu", "memory") or resource.startswith("hugepages-")


class _Total:
    """A sum or maximum of quantities that keeps the suffix family of its first non-zero part."""

    __slots__ = ("form", "value")

    def __init__(self, value: int | Fraction = 0, form: QuantityForm | None = None) -> None:
        self.value, self.form = value, form

    def plus(self, other: _Total) -> _Total:
        return _Total(self.value + other.value, self.form or other.form)

    def most(self, other: _Total) -> _Total:
        return other if other.value > self.value else self

    def text(self) -> str:
        return format_quantity(self.value, self.form or QuantityForm.DECIMAL)


def _requests(container: dict[str, Any]) -> dict[str, _Total]:
    totals = {}
    for name, text in container["resources"].get("requests", {}).items():
        quantity = read_quantity(text)
        totals[name] = _Total(quantity.value, quantity.form if quantity.value else None)
    return totals


def _combine(left: dict[str, _Total], right: dict[str, _Total], *, maximum: bool = False) -> dict[str, _Total]:
    result = dict(left)
    for name, total in right.items():
        mine = result.get(name, _Total())
        result[name] = mine.most(total) if maximum else mine.plus(total)
    return result


def _container_requests(spec: dict[str, Any]) -> dict[str, _Total]:
    """What all containers together ask for: the sum of those that run, or an init container if it asks for more."""
    running: dict[str, _Total] = {}
    for container in spec.get("containers", ()):
        running = _combine(running, _requests(container))
    sidecars: dict[str, _Total] = {}
    peak: dict[str, _Total] = {}
    for container in spec.get("initContainers", ()):
        mine = _requests(container)
        if container.get("restartPolicy") == "Always":
            running, sidecars = _combine(running, mine), _combine(sidecars, mine)
            mine = sidecars
        else:
            mine = _combine(mine, sidecars)
        peak = _combine(peak, mine, maximum=True)
    return _combine(running, peak, maximum=True)


def pod_level_requests(pod: dict[str, Any]) -> None:
    """With limits for the Pod as a whole, its requests are those of the containers, else the limits."""
    resources = pod["spec"].get("resources")
    if not resources or not resources.get("limits"):
        return
    requests = dict(resources.get("requests", {}))
    for name, total in _container_requests(pod["spec"]).items():
        if _is_pod_level(name) and not name.startswith("hugepages-"):
            requests.setdefault(name, total.text())
    for name, limit in resources["limits"].items():
        if _is_pod_level(name):
            requests.setdefault(name, limit)
    if requests:
        resources["requests"] = requests


def host_ports(pod: dict[str, Any]) -> None:
    """On the host's network a container port is the host port."""
    if not pod["spec"].get("hostNetwork"):
        return
    for container in _containers(pod["spec"]):
        for port in container.get("ports", ()):
            if not port.get("hostPort"):
                port["hostPort"] = port["containerPort"]


def _merge_keys(term: dict[str, Any], labels: dict[str, str]) -> None:
    """Append the label keys of a term to its selector, with the Pod's own values."""
    selector = term.get("labelSelector")
    if selector is None:
        return
    for member, operator in (("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")):
        for key in term.get(member, ()):
            if key in labels:
                expression = {"key": key, "operator": operator, "values": [labels[key]]}
                selector.setdefault("matchExpressions", []).append(expression)


def match_label_keys(pod: dict[str, Any]) -> None:
    """`matchLabelKeys` and `mismatchLabelKeys` become expressions over the Pod's own labels."""
    labels = pod["metadata"].get("labels", {})
    spec = pod["spec"]
    for constraint in spec.get("topologySpreadConstraints", ()):
        _merge_keys(constraint, labels)
    for kind in ("podAffinity", "podAntiAffinity"):
        affinity = spec.get("affinity", {}).get(kind, {})
        for term in affinity.get("requiredDuringSchedulingIgnoredDuringExecution", ()):
            _merge_keys(term, labels)
        for weighted in affinity.get("preferredDuringSchedulingIgnoredDuringExecution", ()):
            _merge_keys(weighted["podAffinityTerm"], labels)


def _apparmor_profile(text: str) -> dict[str, str] | None:
    if text == "runtime/default":
        return {"type": "RuntimeDefault"}
    if text == "unconfined":
        return {"type": "Unconfined"}
    if text.startswith("localhost/") and text != "localhost/":
        return {"type": "Localhost", "localhostProfile": text.removeprefix("localhost/")}
    return None


def apparmor_annotations(pod: dict[str, Any]) -> None:
    """The old annotation for a container becomes its profile, unless it has one."""
    annotations = pod["metadata"].get("annotations", {})
    for container in _containers(pod["spec"]):
        profile = _apparmor_profile(annotations.get(_APPARMOR + container["name"], ""))
        if profile is not None:
            container.setdefault("securityContext", {}).setdefault("appArmorProfile", profile)


FUNCTIONS: Final = (
    pod_requests,
    pod_level_requests,
    host_ports,
    match_label_keys,
    apparmor_annotations,
)
