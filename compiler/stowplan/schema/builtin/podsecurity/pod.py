"""A Pod as the standards look at it, and how a violation is worded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from stowplan.source.span import Pointer

__all__ = ["Container", "Pod", "Violation", "named", "plural", "quoted", "setters"]


@dataclass(frozen=True, slots=True)
class Violation:
    """What a Pod breaks, in the server's words; `pointer` leads to the first place of it, below the Pod (or template)."""

    reason: str
    detail: str
    pointer: Pointer = ()

    def __str__(self) -> str:
        return f"{self.reason} ({self.detail})"


@dataclass(frozen=True, slots=True)
class Container:
    """One container of any sort, with its security context."""

    name: str
    value: Mapping[str, Any]
    pointer: Pointer

    @property
    def security(self) -> Mapping[str, Any]:
        """Its security context, empty where there is none."""
        found: Mapping[str, Any] = self.value.get("securityContext") or {}
        return found


@dataclass(frozen=True, slots=True)
class Pod:
    """A Pod or the template of one."""

    annotations: Mapping[str, str]
    spec: Mapping[str, Any]
    containers: tuple[Container, ...]

    @classmethod
    def of(cls, manifest: Mapping[str, Any]) -> Pod:
        """From metadata and spec; containers in the server's order."""
        spec = manifest.get("spec") or {}
        annotations = (manifest.get("metadata") or {}).get("annotations") or {}
        return cls(annotations, spec, tuple(_containers(spec)))

    @property
    def security(self) -> Mapping[str, Any]:
        """The security context of all containers."""
        found: Mapping[str, Any] = self.spec.get("securityContext") or {}
        return found

    @property
    def is_windows(self) -> bool:
        """Whether it says that it is for Windows, where Linux' settings do not exist."""
        return bool((self.spec.get("os") or {}).get("name") == "windows")

    @property
    def has_own_users(self) -> bool:
        """Whether it runs in a user namespace."""
        return self.spec.get("hostUsers") is False


def _containers(spec: Mapping[str, Any]) -> Iterator[Container]:
    for member in ("initContainers", "containers", "ephemeralContainers"):
        for index, value in enumerate(spec.get(member) or ()):
            yield Container(value.get("name", ""), value, ("spec", member, index))


def plural(count: int, one: str, many: str) -> str:
    """The word for this many."""
    return one if count == 1 else many


def quoted(names: Iterable[str]) -> str:
    """Names in quotes, with commas."""
    return ", ".join(f'"{name}"' for name in names)


def named(containers: list[Container]) -> str:
    """`container "a"`, `containers "a", "b"`."""
    return f"{plural(len(containers), 'container', 'containers')} {quoted(one.name for one in containers)}"


def setters(pod_does: bool, containers: list[Container]) -> str:
    """Who sets something: the Pod, containers, or both."""
    return " and ".join([*(["pod"] if pod_does else []), *([named(containers)] if containers else [])])
