"""What a user does about a field that cannot change, by kind."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

__all__ = ["cure_of"]

_AGAIN: Final = "give it another name; or take it out in one commit, sync, and put it in again in the next"
_JOB: Final = (
    "what runs keeps its template: end it (`state: done`), compile and sync, and bring it back; "
    "or give the intent another name"
)
_ROLLS: Final = "give it another name: what refers to it then rolls over to the new one"
_CURES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "ConfigMap": _ROLLS,
        "Secret": _ROLLS,
        "Deployment": "a selector is for life: give it another name, and take the old one out when the new one is ready",
        "DaemonSet": "a selector is for life: give it another name, and take the old one out in the same commit",
        "StatefulSet": (
            "delete it with `kubectl delete --cascade=orphan` right before the sync, so that its pods live on; "
            "or give it another name"
        ),
        "PersistentVolumeClaim": "only a larger size is taken: make a claim of another name and move the data",
        "RoleBinding": "make a binding of another name in the same commit: a binding is to one role for life",
        "ClusterRoleBinding": "make a binding of another name in the same commit: a binding is to one role for life",
        "Service": "take the Service out in one commit and put it in again in the next; its address changes",
        "StorageClass": "make a class of another name; claims keep the class that they were made with",
        "PriorityClass": "make a class of another name, and name it in what is new",
    }
)


def cure_of(kind: str, *, is_custom: bool, is_work: bool) -> str:
    """What to do. `is_custom` says that the kind is no built-in one, whatever its name; `is_work`, that it runs an intent."""
    if is_work and kind in ("Job", "Pod"):
        return _JOB
    return _AGAIN if is_custom else _CURES.get(kind, _AGAIN)
