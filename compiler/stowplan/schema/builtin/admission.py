"""What admission refuses of a Pod: priorities and overheads that its classes do not allow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final

from stowplan.model.quantity import parse_quantity
from stowplan.schema.builtin.assigned import SYSTEM_PRIORITIES, PriorityClass, RuntimeClass, Surroundings
from stowplan.schema.builtin.limits import limit_refusal
from stowplan.schema.builtin.quota import quota_refusal
from stowplan.schema.verdict import FieldError
from stowplan.source.span import Pointer

__all__ = ["admission_refusal", "later_refusal", "security_warnings", "unauthorised"]

_CLAIMS: Final = ("ResourceClaim", "ResourceClaimTemplate")
_ADMIN: Final = (
    "admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace"
)
_COMPUTED: Final = "must not be provided in pod spec; priority admission controller computed"


def _priority(spec: Mapping[str, Any], surroundings: Surroundings) -> Iterator[str]:
    name = spec.get("priorityClassName", "")
    known = PriorityClass(0) if not name else surroundings.priority_classes.get(name) or SYSTEM_PRIORITIES.get(name)
    if known is None:
        yield f"no PriorityClass with name {name} was found"
        return
    source = "from the given PriorityClass name"
    if spec.get("priority", known.value) != known.value:
        yield f"the integer value of priority ({spec['priority']}) {_COMPUTED} {known.value} {source}"
    policy = spec.get("preemptionPolicy", known.preemption_policy)
    if policy != known.preemption_policy:
        yield f"the string value of PreemptionPolicy ({policy}) {_COMPUTED} {known.preemption_policy} {source}"


def _overhead(spec: Mapping[str, Any], defined: Mapping[str, str]) -> Iterator[str]:
    given = spec.get("overhead")
    if (
        given
        and defined
        and {k: parse_quantity(v) for k, v in given.items()} != {k: parse_quantity(v) for k, v in defined.items()}
    ):
        yield "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"


def _runtime(spec: Mapping[str, Any], surroundings: Surroundings) -> Iterator[str]:
    name = spec.get("runtimeClassName")
    known = surroundings.runtime_classes.get(name) if name else RuntimeClass()
    if known is None:
        yield f'pod rejected: RuntimeClass "{name}" not found'
        return
    yield from _overhead(spec, known.overhead)
    selector = spec.get("nodeSelector", {})
    for key, value in known.node_selector.items():
        if selector.get(key, value) != value:
            given = selector[key]
            yield f"conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value}; pod.spec.nodeSelector[{key}] = {given}"


def _overhead_alone(spec: Mapping[str, Any], surroundings: Surroundings | None) -> Iterator[str]:
    """Whether there is an overhead that no runtime class asks for."""
    name = spec.get("runtimeClassName")
    if spec.get("overhead") is None or (name and surroundings is None):
        return
    known = surroundings.runtime_classes.get(name) if name and surroundings is not None else None
    if known is None or not known.overhead:
        yield "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"


def _group(spec: Mapping[str, Any], surroundings: Surroundings) -> Iterator[str]:
    name = spec.get("priorityClassName", "")
    if name and name not in surroundings.priority_classes and name not in SYSTEM_PRIORITIES:
        yield f"no PriorityClass with name {name} was found"


def _group_of_nothing(spec: Mapping[str, Any], surroundings: Surroundings) -> Iterator[str]:
    workload = ((spec.get("podGroupTemplateRef") or {}).get("workload") or {}).get("workloadName", "")
    if workload and surroundings.workloads is not None and workload not in surroundings.workloads:
        yield f'PodGroup rejected: Workload "{workload}" not found'


_TEMPLATES: Final[Mapping[str, tuple[str, ...]]] = {
    "apps/v1/DaemonSet": ("spec", "template"),
    "apps/v1/Deployment": ("spec", "template"),
    "apps/v1/ReplicaSet": ("spec", "template"),
    "apps/v1/StatefulSet": ("spec", "template"),
    "batch/v1/CronJob": ("spec", "jobTemplate", "spec", "template"),
    "batch/v1/Job": ("spec", "template"),
    "v1/PodTemplate": ("template",),
    "v1/ReplicationController": ("spec", "template"),
}
"""Where the kinds that Pod security warns of hold their Pods."""


def _account(stored: Mapping[str, Any], surroundings: Surroundings) -> Iterator[str]:
    accounts = surroundings.around(stored).accounts
    spec = stored["spec"]
    if accounts is None or "kubernetes.io/config.mirror" in (stored["metadata"].get("annotations") or {}):
        return
    name, space = spec.get("serviceAccountName") or "default", stored["metadata"].get("namespace", "")
    if name not in accounts:
        yield f'error looking up service account {space}/{name}: serviceaccount "{name}" not found'


def _standard(stored: Mapping[str, Any], surroundings: Surroundings, minor: int) -> Iterator[str]:
    from stowplan.schema.builtin.podsecurity import evaluate, levels_of

    standard = levels_of(surroundings.around(stored).labels).enforce
    found = evaluate(stored, standard, minor)
    if found:
        yield f'violates PodSecurity "{standard}": {", ".join(map(str, found))}'


def security_warnings(stored: Mapping[str, Any], surroundings: Surroundings | None, minor: int) -> tuple[str, ...]:
    """What the namespace's Pod security says of a Pod, or of a template, that is accepted."""
    labels = surroundings.around(stored).labels if surroundings is not None else {}
    path = () if (kind := f"{stored['apiVersion']}/{stored['kind']}") == "v1/Pod" else _TEMPLATES.get(kind)
    if not labels or path is None:
        return ()
    from stowplan.schema.builtin.podsecurity import evaluate, levels_of

    pod: Any = stored
    for step in path:
        pod = pod.get(step) or {}
    standard = levels_of(labels).warn
    found = evaluate(pod, standard, minor)
    return (f'would violate PodSecurity "{standard}": {", ".join(map(str, found))}',) if found else ()


def admission_refusal(stored: Mapping[str, Any], surroundings: Surroundings | None) -> str:
    """Why admission refuses to create an object before it is looked at, or nothing."""
    if surroundings is None:
        return ""
    if stored["kind"] == "PodGroup" and surroundings.has_classes:
        return _refusal("podgroups.scheduling.k8s.io", stored, _group(stored["spec"], surroundings))
    if stored["kind"] != "Pod" or stored["apiVersion"] != "v1":
        return ""
    checks = (_priority, _runtime) if surroundings.has_classes else ()
    found = (reason for check in checks for reason in check(stored["spec"], surroundings))
    return _refusal("pods", stored, chain(_account(stored, surroundings), found))


def later_refusal(
    stored: Mapping[str, Any], surroundings: Surroundings | None, minor: int, sent: Mapping[str, Any] | None = None
) -> str:
    """Why admission refuses an object that is valid, or nothing.

    Without `surroundings` only what holds in every cluster is refused: an overhead without a runtime class.
    """
    if surroundings is not None and (stored["apiVersion"], stored["kind"]) == ("v1", "PersistentVolumeClaim"):
        refused = limit_refusal(stored, surroundings.around(stored).limits)
        return _refusal("persistentvolumeclaims", stored, iter([refused] if refused else []))
    if stored["kind"] == "PodGroup" and surroundings is not None:
        return _refusal("podgroups.scheduling.k8s.io", stored, _group_of_nothing(stored["spec"], surroundings))
    if stored["kind"] != "Pod" or stored["apiVersion"] != "v1":
        return ""
    spec = stored["spec"]
    if sent is not None and (sent.get("spec") or {}).get("overhead") == {}:
        spec = {**spec, "overhead": {}}  # which is not stored, and still one
    known = surroundings if surroundings is None or surroundings.has_classes else None
    return _refusal("pods", stored, chain(_in_namespace(stored, surroundings, minor), _overhead_alone(spec, known)))


def _in_namespace(stored: Mapping[str, Any], surroundings: Surroundings | None, minor: int) -> Iterator[str]:
    """What the namespace of a Pod has against it, in the order of the server's plugins."""
    if surroundings is None:
        return
    around = surroundings.around(stored)
    yield from filter(None, (limit_refusal(stored, around.limits),))
    yield from _standard(stored, surroundings, minor)
    yield from filter(None, (quota_refusal(stored, around.quotas),))


def unauthorised(stored: Mapping[str, Any], surroundings: Surroundings | None) -> tuple[FieldError, ...]:
    """Why a claim for devices may not ask for access as an administrator, or nothing."""
    if surroundings is None or surroundings.admin_namespaces is None or stored["kind"] not in _CLAIMS:
        return ()
    if stored["metadata"].get("namespace") in surroundings.admin_namespaces:
        return ()
    spec = stored["spec"] if stored["kind"] == _CLAIMS[0] else stored["spec"].get("spec") or {}
    for position, request in enumerate((spec.get("devices") or {}).get("requests") or ()):
        if (request.get("exactly") or {}).get("adminAccess"):
            pointer = ("spec", "devices", "requests", position, "adminAccess")
            return (FieldError(_pathed(pointer), "FieldValueForbidden", f"Forbidden: {_ADMIN}", pointer),)
    return ()


def _pathed(pointer: Pointer) -> str:
    """A place as the server names it."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in pointer).removeprefix(".")


def _refusal(resource: str, stored: Mapping[str, Any], reasons: Iterator[str]) -> str:
    reason, name = next(reasons, ""), stored["metadata"].get("name", "")
    return f'{resource} "{name}" is forbidden: {reason}' if reason else ""
