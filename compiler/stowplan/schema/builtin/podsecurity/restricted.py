"""The restricted standard: what is left of the rights of a process that needs none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from stowplan.schema.builtin.podsecurity.baseline import seccomp
from stowplan.schema.builtin.podsecurity.pod import Container, Pod, Violation, named, plural, quoted, setters

__all__ = ["capabilities", "non_root", "non_root_user", "privilege_escalation", "seccomp_required", "volumes"]

Found = Violation | None
_VOLUMES: Final = frozenset(
    (
        "configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim", "projected", "secret",
    )
)  # fmt: skip
_BAD_VOLUMES: Final = (
    "hostPath", "gcePersistentDisk", "awsElasticBlockStore", "gitRepo", "nfs", "iscsi", "glusterfs", "rbd", "flexVolume",
    "cinder", "cephfs", "flocker", "fc", "azureFile", "vsphereVolume", "quobyte", "azureDisk", "photonPersistentDisk",
    "portworxVolume", "scaleIO", "storageos",
)  # fmt: skip
_WINDOWS_SINCE: Final = 25
_USERS_SINCE: Final = 35


def _first(bad: list[Container]) -> Any:
    return (*bad[0].pointer, "securityContext")


def privilege_escalation(pod: Pod, minor: int) -> Found:
    """Every container says that no process of it gets more rights than its parent."""
    if minor >= _WINDOWS_SINCE and pod.is_windows:
        return None
    bad = [one for one in pod.containers if one.security.get("allowPrivilegeEscalation") is not False]
    detail = f"{named(bad)} must set securityContext.allowPrivilegeEscalation=false"
    return Violation("allowPrivilegeEscalation != false", detail, _first(bad)) if bad else None


def capabilities(pod: Pod, minor: int) -> Found:
    """Every container drops all capabilities; the one to bind low ports may come back."""
    if minor >= _WINDOWS_SINCE and pod.is_windows:
        return None
    keeping = [one for one in pod.containers if "ALL" not in (_stated(one).get("drop") or ())]
    adding = [one for one in pod.containers if _added(one)]
    told = []
    if keeping:
        told.append(f'{named(keeping)} must set securityContext.capabilities.drop=["ALL"]')
    if adding:
        names = quoted(sorted({name for one in adding for name in _added(one)}))
        told.append(f"{named(adding)} must not include {names} in securityContext.capabilities.add")
    return Violation("unrestricted capabilities", "; ".join(told), _first(keeping or adding)) if told else None


def _stated(one: Container) -> Mapping[str, Any]:
    found: Mapping[str, Any] = one.security.get("capabilities") or {}
    return found


def _added(one: Container) -> list[str]:
    return [name for name in _stated(one).get("add") or () if name != "NET_BIND_SERVICE"]


def volumes(pod: Pod, _: int) -> Found:
    """Only volumes that come from the cluster, not from a node or a server by its address."""
    bad = [
        (n, one)
        for n, one in enumerate(pod.spec.get("volumes") or ())
        if not any(one.get(k) is not None for k in _VOLUMES)
    ]
    if not bad:
        return None
    kinds = sorted({next((kind for kind in _BAD_VOLUMES if one.get(kind) is not None), "unknown") for _, one in bad})
    names = quoted(str(one.get("name", "")) for _, one in bad)
    detail = (
        f"{plural(len(bad), 'volume', 'volumes')} {names} {plural(len(bad), 'uses', 'use')} "
        f"{plural(len(kinds), 'restricted volume type', 'restricted volume types')} {quoted(kinds)}"
    )
    return Violation("restricted volume types", detail, ("spec", "volumes", bad[0][0]))


def non_root(pod: Pod, minor: int) -> Found:
    """Every container says that it does not run as root, or the Pod does for all."""
    if minor >= _USERS_SINCE and pod.has_own_users:
        return None
    mine = pod.security.get("runAsNonRoot")
    denying = [one for one in pod.containers if one.security.get("runAsNonRoot") is False]
    if mine is False or denying:
        detail = f"{setters(mine is False, denying)} must not set securityContext.runAsNonRoot=false"
        at = ("spec", "securityContext") if mine is False else _first(denying)
        return Violation("runAsNonRoot != true", detail, at)
    silent = [one for one in pod.containers if mine is not True and one.security.get("runAsNonRoot") is None]
    detail = f"pod or {named(silent)} must set securityContext.runAsNonRoot=true"
    return Violation("runAsNonRoot != true", detail, _first(silent)) if silent else None


def non_root_user(pod: Pod, minor: int) -> Found:
    """Nobody says that he runs as root."""
    if minor >= _USERS_SINCE and pod.has_own_users:
        return None
    mine = pod.security.get("runAsUser") == 0
    bad = [one for one in pod.containers if one.security.get("runAsUser") == 0]
    at = ("spec", "securityContext") if mine or not bad else _first(bad)
    return Violation("runAsUser=0", f"{setters(mine, bad)} must not set runAsUser=0", at) if mine or bad else None


def seccomp_required(pod: Pod, minor: int) -> Found:
    """Every container has a profile of seccomp, or the Pod has for all."""
    if minor >= _WINDOWS_SINCE and pod.is_windows:
        return None
    bad = seccomp(pod, minor)
    if bad is not None or pod.security.get("seccompProfile") is not None:
        return bad
    silent = [one for one in pod.containers if one.security.get("seccompProfile") is None]
    detail = f'pod or {named(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'
    return Violation("seccompProfile", detail, _first(silent)) if silent else None
