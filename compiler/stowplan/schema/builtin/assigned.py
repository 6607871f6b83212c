"""What the server or the cluster fills in when the user does not: never drift, and never rendered.

`assigned_paths` names such members. `admit` adds those that can be known without a cluster, and with `Surroundings`
those that depend on what the cluster holds; it is for showing an object as it would be read back, not for comparing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from stowplan.schema.builtin.neighbourhood import NOTHING_KNOWN, Neighbourhood
from stowplan.schema.builtin.table import kind_entry
from stowplan.source.span import Pointer

__all__ = [
    "SYSTEM_PRIORITIES",
    "PriorityClass",
    "RuntimeClass",
    "Surroundings",
    "add_tolerations",
    "admit",
    "assigned_members",
    "assigned_paths",
]


@dataclass(frozen=True, slots=True)
class PriorityClass:
    """What a Pod takes from its priority class."""

    value: int
    preemption_policy: str = "PreemptLowerPriority"


@dataclass(frozen=True, slots=True)
class RuntimeClass:
    """What a Pod takes from its runtime class."""

    overhead: Mapping[str, str] = field(default_factory=dict)
    node_selector: Mapping[str, str] = field(default_factory=dict)
    tolerations: tuple[Mapping[str, Any], ...] = ()


SYSTEM_PRIORITIES: Final = {
    "system-cluster-critical": PriorityClass(2_000_000_000),
    "system-node-critical": PriorityClass(2_000_001_000),
}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the cluster holds that admission looks at, as far as it is known; None: nothing is known of that.

    `admin_namespaces` are those that may ask for devices with administrators' access. Without the classes of a Pod
    (`has_classes` False) nothing is said of those it names.
    """

    priority_classes: Mapping[str, PriorityClass] = field(default_factory=dict)
    runtime_classes: Mapping[str, RuntimeClass] = field(default_factory=dict)
    workloads: Collection[str] | None = None
    admin_namespaces: Collection[str] | None = None
    namespaces: Mapping[str, Neighbourhood] = field(default_factory=dict)
    has_classes: bool = True

    def around(self, stored: Mapping[str, Any]) -> Neighbourhood:
        """What is in the namespace of an object."""
        return self.namespaces.get(stored["metadata"].get("namespace", ""), NOTHING_KNOWN)


# From `generateName`; and a LimitRange needs neither.
_EVERYWHERE: Final = ("metadata.name",)


def assigned_paths(kind: str) -> tuple[str, ...]:
    """The members of a kind (`v1/Service`) that are filled in when absent: `spec.ports[*].nodePort`, `a.b[key]`."""
    return (*_EVERYWHERE, *kind_entry(kind).get("assigned", ()))


def _steps(path: str) -> Iterator[str]:
    """The steps of a path; `*` for every item of a list."""
    while path:
        if path.startswith("["):
            step, _, path = path[1:].partition("]")
            yield step
            path = path.removeprefix(".")
            continue
        end = min((i for i in (path.find("."), path.find("[")) if i != -1), default=len(path))
        yield path[:end]
        path = path[end:].removeprefix(".")


def _missing(value: Any, live: Any, steps: tuple[str, ...], pointer: Pointer) -> Iterator[Pointer]:
    if not steps:
        return
    step, rest = steps[0], steps[1:]
    if step == "*":
        if isinstance(live, list):
            items = value if isinstance(value, list) else []
            for index, item in enumerate(live):
                mine = items[index] if index < len(items) else {}
                yield from _missing(mine, item, rest, (*pointer, index))
        return
    if not isinstance(live, dict) or step not in live:
        return
    mine = value.get(step) if isinstance(value, dict) else None
    if rest:
        yield from _missing(mine, live[step], rest, (*pointer, step))
    elif mine is None:
        yield (*pointer, step)


def assigned_members(kind: str, sent: Mapping[str, Any], live: Mapping[str, Any]) -> tuple[Pointer, ...]:
    """Places in `live` that the server filled in because `sent` is silent there; to be left out of a comparison."""
    found: list[Pointer] = []
    for path in assigned_paths(kind):
        found.extend(_missing(sent, live, tuple(_steps(path)), ()))
    return tuple(found)


def _append(holder: dict[str, Any], key: str, value: Any) -> None:
    items = holder.setdefault(key, [])
    if value not in items:
        items.append(value)


def _finalizer(name: str) -> Callable[[dict[str, Any], Surroundings], None]:
    return lambda stored, _: _append(stored["metadata"], "finalizers", name)


def _namespace(stored: dict[str, Any], _: Surroundings) -> None:
    _append(stored["spec"], "finalizers", "kubernetes")
    name = stored["metadata"].get("name")
    if name:
        stored["metadata"].setdefault("labels", {})["kubernetes.io/metadata.name"] = name


def _daemon_set(stored: dict[str, Any], _: Surroundings) -> None:
    annotations = stored["metadata"].setdefault("annotations", {})
    annotations["deprecated.daemonset.template.generation"] = "1"


def _stateful_set(stored: dict[str, Any], _: Surroundings) -> None:
    for claim in stored["spec"].get("volumeClaimTemplates", ()):
        claim.setdefault("status", {}).setdefault("phase", "Pending")


def add_tolerations(spec: dict[str, Any]) -> None:
    """Add the tolerations that every Pod gets unless it has the like."""
    tolerations = list(spec.get("tolerations", ()))
    for name in ("not-ready", "unreachable"):
        key = f"node.kubernetes.io/{name}"
        if not any(_tolerates(toleration, key) for toleration in tolerations):
            added = {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
            spec.setdefault("tolerations", []).append(added)


def _tolerates(toleration: Mapping[str, Any], key: str) -> bool:
    named = toleration.get("key", "") in ("", key)
    return named and toleration.get("effect", "") in ("", "NoExecute")


def _runtime_class(spec: dict[str, Any], surroundings: Surroundings) -> None:
    runtime = surroundings.runtime_classes.get(spec.get("runtimeClassName", ""))
    if runtime is None:
        return
    if runtime.overhead:
        spec.setdefault("overhead", dict(runtime.overhead))
    if runtime.node_selector:
        spec["nodeSelector"] = {**runtime.node_selector, **spec.get("nodeSelector", {})}
    for toleration in runtime.tolerations:
        _append(spec, "tolerations", dict(toleration))


def _pod(stored: dict[str, Any], surroundings: Surroundings) -> None:
    spec = stored["spec"]
    name = spec.get("priorityClassName", "")
    known = surroundings.priority_classes.get(name) or SYSTEM_PRIORITIES.get(name)
    if known is not None or not name:
        priority = known or PriorityClass(0)
        spec.setdefault("priority", priority.value)
        spec.setdefault("preemptionPolicy", priority.preemption_policy)
    add_tolerations(spec)
    _runtime_class(spec, surroundings)


_ADMISSION: Final[dict[str, Callable[[dict[str, Any], Surroundings], None]]] = {
    "apps/v1/DaemonSet": _daemon_set,
    "apps/v1/StatefulSet": _stateful_set,
    "scheduling.k8s.io/v1alpha2/PodGroup": _finalizer("scheduling.k8s.io/podgroup-protection"),
    "storage.k8s.io/v1/VolumeAttributesClass": _finalizer("kubernetes.io/vac-protection"),
    "v1/Namespace": _namespace,
    "v1/PersistentVolume": _finalizer("kubernetes.io/pv-protection"),
    "v1/PersistentVolumeClaim": _finalizer("kubernetes.io/pvc-protection"),
    "v1/Pod": _pod,
}


def admit(stored: dict[str, Any], surroundings: Surroundings | None = None) -> None:
    """Add in place what a cluster would fill in and can be known: finalizers, tolerations, priority, labels."""
    function = _ADMISSION.get(f"{stored['apiVersion']}/{stored['kind']}")
    if function is not None:
        function(stored, surroundings or Surroundings())
