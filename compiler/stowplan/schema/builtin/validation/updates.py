"""What may not change once an object exists, for all kinds but Pod, Job and Service."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .config import check_config_map_update, check_secret_update
from .definitions import check_definition_update
from .quantities import quantity
from .quotas import check_resource_quota_update
from .rbac import check_binding_update
from .report import Report

__all__ = ["AFTER", "BEFORE", "immutable"]

Manifest = Mapping[str, Any]
Compare = Callable[[Manifest, Manifest, Report], None]
_IMMUTABLE = "field is immutable"
_STATEFUL_MUTABLE = frozenset(
    (
        "replicas",
        "ordinals",
        "template",
        "updateStrategy",
        "revisionHistoryLimit",
        "persistentVolumeClaimRetentionPolicy",
        "minReadySeconds",
    )
)
_STATEFUL = (
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "
    "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
)
_CLAIM = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
_BETA_KEYS = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
    "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
}
_VOLUME_SPEC = frozenset(
    (
        "capacity",
        "accessModes",
        "claimRef",
        "persistentVolumeReclaimPolicy",
        "storageClassName",
        "mountOptions",
        "volumeMode",
        "nodeAffinity",
        "volumeAttributesClassName",
    )
)


def _at(value: Any, path: Sequence[str]) -> Any:
    for step in path:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def immutable(*paths: str, shown: str = "", empty: str | None = None) -> Compare:
    """A comparison that refuses any change at `paths`.

    `shown` is the server's name of the field if another, `empty` what it shows for a field that is not there.
    """
    split = [tuple(path.split(".")) for path in paths]

    def compare(new: Manifest, old: Manifest, report: Report) -> None:
        for path, steps in zip(paths, split, strict=True):
            value = _at(new, steps)
            if value != _at(old, steps):
                report.invalid(shown or path, empty if value is None else value, _IMMUTABLE)

    return compare


def _all_of(*comparisons: Compare) -> Compare:
    def compare(new: Manifest, old: Manifest, report: Report) -> None:
        for part in comparisons:
            part(new, old, report)

    return compare


def _stateful_set(new: Manifest, old: Manifest, report: Report) -> None:
    after, before = new.get("spec") or {}, old.get("spec") or {}
    members = sorted({*after, *before} - _STATEFUL_MUTABLE)
    if any(after.get(member) != before.get(member) for member in members):
        report.forbidden("spec", _STATEFUL)


def _priority_class(new: Manifest, old: Manifest, report: Report) -> None:
    if (new.get("value") or 0) != (old.get("value") or 0):
        report.forbidden("value", "may not be changed in an update.")
    immutable("preemptionPolicy")(new, old, report)


def _attributes_class(new: Manifest, old: Manifest, report: Report) -> None:
    for member in ("driverName", "parameters"):
        if new.get(member) != old.get(member):
            report.forbidden(member, f"updates to {member} are forbidden.")


def _source_of(spec: Manifest) -> dict[str, Any]:
    return {member: value for member, value in spec.items() if member not in _VOLUME_SPEC}


def _volume(new: Manifest, old: Manifest, report: Report) -> None:
    after, before = new.get("spec") or {}, old.get("spec") or {}
    source, was = _source_of(after), _source_of(before)
    csi, csi_was = source.get("csi"), was.get("csi")
    if csi and csi_was and "controllerExpandSecretRef" not in csi_was:
        source["csi"] = {key: value for key, value in csi.items() if key != "controllerExpandSecretRef"}
    if source != was:
        report.forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation")
    if after.get("volumeMode") != before.get("volumeMode"):
        report.invalid("volumeMode", after.get("volumeMode"), _IMMUTABLE)
    affinity, affinity_was = after.get("nodeAffinity"), before.get("nodeAffinity")
    if affinity_was is not None and not _same_affinity(affinity, affinity_was):
        detail = f"{_IMMUTABLE}, except for updating from beta label to GA"
        report.invalid("nodeAffinity", affinity, detail)
    if before.get("volumeAttributesClassName") is not None and after.get("volumeAttributesClassName") is None:
        report.forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden")


def _same_affinity(new: Any, old: Any) -> bool:
    """Equal but for keys that were replaced by their final names."""
    if isinstance(new, Mapping) and isinstance(old, Mapping):
        if new.keys() != old.keys():
            return False
        for key in new:
            if key == "key" and _BETA_KEYS.get(old[key]) == new[key]:
                continue
            if not _same_affinity(new[key], old[key]):
                return False
        return True
    if isinstance(new, list) and isinstance(old, list):
        return len(new) == len(old) and all(_same_affinity(a, b) for a, b in zip(new, old, strict=True))
    return bool(new == old)


def _claim(new: Manifest, old: Manifest, report: Report) -> None:
    after, before = dict(new.get("spec") or {}), dict(old.get("spec") or {})
    status = old.get("status") or {}
    sizes = [((spec.get("resources") or {}).get("requests") or {}).get("storage") for spec in (after, before)]
    if not before.get("volumeName"):
        before["volumeName"] = after.get("volumeName")
    if after.get("storageClassName") is not None and before.get("storageClassName") is None:
        before["storageClassName"] = after["storageClassName"]
    if status.get("phase") == "Bound":
        _forgive_bound(after, before, sizes[1])
    if any(after.get(member) != before.get(member) for member in sorted({*after, *before})):
        report.forbidden("spec", _CLAIM)
    if quantity(sizes[0]) < quantity(sizes[1]) and quantity(sizes[0]) <= quantity(
        (status.get("capacity") or {}).get("storage")
    ):
        report.forbidden("spec.resources.requests.storage", "field can not be less than status.capacity")
    mode, was = ((manifest.get("spec") or {}).get("volumeMode") for manifest in (new, old))
    if mode != was:
        report.invalid("volumeMode", mode, _IMMUTABLE)
    _check_attributes_change(new, old, report)


def _forgive_bound(after: dict[str, Any], before: Manifest, size: str | None) -> None:
    resources = dict(after.get("resources") or {})
    if resources.get("requests"):
        resources["requests"] = {**resources["requests"], "storage": size}
        after["resources"] = resources
    if after.get("volumeAttributesClassName") is not None:
        after["volumeAttributesClassName"] = before.get("volumeAttributesClassName")


def _check_attributes_change(new: Manifest, old: Manifest, report: Report) -> None:
    name, was = ((manifest.get("spec") or {}).get("volumeAttributesClassName") for manifest in (new, old))
    if was is not None and name is None:
        report.forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden")
    elif was is not None and name == "" and was != "":
        detail = "update from non-nil value to an empty string is forbidden"
        report.forbidden("spec.volumeAttributesClassName", detail)


def _ranges(new: Manifest, old: Manifest, report: Report) -> None:
    after, before = (list((manifest.get("spec") or {}).get("cidrs") or ()) for manifest in (new, old))
    for position, value in enumerate(before):
        if position >= len(after):
            report.invalid("spec.cidrs", after or None, _IMMUTABLE)
            return
        if after[position] != value:
            report.invalid(f"spec.cidrs[{position}]", after[position], _IMMUTABLE)


def _definition(new: Manifest, old: Manifest, report: Report) -> None:
    stored = any(
        condition.get("type") == "Established" and condition.get("status") == "True"
        for condition in (old.get("status") or {}).get("conditions") or ()
    )
    after, before = new.get("spec") or {}, old.get("spec") or {}
    paths = ["group", "names.plural"]
    if stored or "status" not in old:
        paths = ["group", "scope", "names.kind", "names.plural"]
    for path in paths:
        steps = path.split(".")
        value = _at(after, steps)
        if value != _at(before, steps):
            report.invalid(f"spec.{path}", value or "", _IMMUTABLE)
    check_definition_update(new, old, report)


_CSI_DRIVER = _all_of(
    immutable("spec.attachRequired", shown="spec.attachedRequired"),
    immutable("spec.volumeLifecycleModes"),
)

BEFORE: dict[str, Compare] = {
    "v1/ConfigMap": check_config_map_update,
    "v1/Secret": check_secret_update,
    "networking.k8s.io/v1/IngressClass": immutable("spec.controller", empty=""),
    "apps/v1/DaemonSet": immutable("spec.selector"),
    "storage.k8s.io/v1/VolumeAttributesClass": _attributes_class,
}
"""Comparisons that come before the rules of creation."""

AFTER: dict[str, Compare] = {
    "apps/v1/Deployment": immutable("spec.selector"),
    "apps/v1/ReplicaSet": immutable("spec.selector"),
    "apps/v1/StatefulSet": _stateful_set,
    "apps/v1/ControllerRevision": immutable("data"),
    "v1/ResourceQuota": check_resource_quota_update,
    "v1/PersistentVolume": _volume,
    "v1/PersistentVolumeClaim": _claim,
    "scheduling.k8s.io/v1/PriorityClass": _priority_class,
    "node.k8s.io/v1/RuntimeClass": immutable("handler"),
    "storage.k8s.io/v1/StorageClass": immutable("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"),
    "storage.k8s.io/v1/CSIDriver": _CSI_DRIVER,
    "rbac.authorization.k8s.io/v1/RoleBinding": check_binding_update,
    "rbac.authorization.k8s.io/v1/ClusterRoleBinding": check_binding_update,
    "resource.k8s.io/v1/ResourceClaim": immutable("spec"),
    "resource.k8s.io/v1/ResourceClaimTemplate": immutable("spec"),
    "discovery.k8s.io/v1/EndpointSlice": immutable("addressType"),
    "networking.k8s.io/v1/ServiceCIDR": _ranges,
    "resource.k8s.io/v1/ResourceSlice": immutable("spec.pool.name", "spec.driver", "spec.nodeName"),
    "apiextensions.k8s.io/v1/CustomResourceDefinition": _definition,
}
"""Comparisons that come after the rules of creation."""
