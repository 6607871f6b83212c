"""What an update does to the new object before it is judged: a Service lets go of what it has no use for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from stowplan.schema.builtin.assigned import add_tolerations

__all__ = ["prepare_update"]

_Spec = Mapping[str, Any]


def _has_node_ports(spec: _Spec) -> bool:
    kind = spec.get("type")
    return kind == "NodePort" or (
        kind == "LoadBalancer" and spec.get("allocateLoadBalancerNodePorts", True) is not False
    )


def _has_traffic_policy(spec: _Spec) -> bool:
    return spec.get("type") in ("NodePort", "LoadBalancer") or bool(spec.get("externalIPs"))


def _has_health_check(spec: _Spec) -> bool:
    return spec.get("type") == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local"


def _is_balanced(spec: _Spec) -> bool:
    return spec.get("type") == "LoadBalancer"


def _has_address(spec: _Spec) -> bool:
    return spec.get("type") != "ExternalName"


# A member, and which Services have a use for it.
_DEPENDENT: Final[tuple[tuple[str, Callable[[_Spec], bool]], ...]] = (
    ("clusterIP", _has_address),
    ("clusterIPs", _has_address),
    ("healthCheckNodePort", _has_health_check),
    ("allocateLoadBalancerNodePorts", _is_balanced),
    ("loadBalancerClass", _is_balanced),
    ("externalTrafficPolicy", _has_traffic_policy),
)


def _node_ports(spec: _Spec) -> list[Any]:
    return [port.get("nodePort") for port in spec.get("ports", ())]


def _service(new: dict[str, Any], old: _Spec) -> None:
    """Members of the old type go if they still say what they said; saying something else is the user's mistake."""
    if _has_node_ports(old) and not _has_node_ports(new):
        kept = set(_node_ports(old))
        if all(port in kept for port in _node_ports(new) if port is not None):
            for port in new.get("ports", ()):
                port.pop("nodePort", None)
    for member, is_used in reversed(_DEPENDENT):
        if member in new and is_used(old) and not is_used(new) and new[member] == old.get(member):
            del new[member]


def _claim(new: dict[str, Any], old: _Spec, sent: Any) -> None:
    """The sources of a claim do not vanish, whatever they are, where the old claim has one."""
    if not isinstance(sent, Mapping):
        return
    known = {"dataSource": "dataSource" in old or "dataSourceRef" in old, "dataSourceRef": "dataSourceRef" in old}
    for member, is_kept in known.items():
        source = sent.get(member)
        if is_kept and isinstance(source, Mapping) and new.get(member) != source:
            empty = {"kind": "", "name": ""}
            new[member] = empty | {key: item for key, item in source.items() if item is not None}
    source, reference = new.get("dataSource"), new.get("dataSourceRef")
    if source is not None and reference is None:
        new["dataSourceRef"] = dict(source)
    elif source is not None and reference is not None and reference.get("namespace") and sent.get("dataSource") is None:
        del new["dataSource"]


def _pod(new: dict[str, Any], old: _Spec) -> None:
    """What admission gave the Pod stays if nothing else is said."""
    for member in ("priority", "preemptionPolicy"):
        if member in old:
            new.setdefault(member, old[member])
    add_tolerations(new)


def _namespace(new: dict[str, Any], old: _Spec) -> None:
    """What holds a Namespace back is not for its users to say."""
    if "finalizers" in old:
        new["finalizers"] = list(old["finalizers"])
    else:
        new.pop("finalizers", None)


def prepare_update(new: dict[str, Any], old: Mapping[str, Any], sent: Mapping[str, Any] | None = None) -> None:
    """Change the new stored object in place as the server does before it judges an update of `old`; `sent` is what came."""
    if new["apiVersion"] == "v1" and new["kind"] == "Service":
        _service(new["spec"], old.get("spec", {}))
    elif new["apiVersion"] == "v1" and new["kind"] == "Namespace":
        _namespace(new["spec"], old.get("spec") or {})
    elif new["apiVersion"] == "v1" and new["kind"] == "Pod":
        _pod(new["spec"], old.get("spec") or {})
    elif new["apiVersion"] == "v1" and new["kind"] == "PersistentVolumeClaim" and sent is not None:
        _claim(new["spec"], old.get("spec", {}), sent.get("spec"))
