"""Work in queues: pod sets and what their pods ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Ask", "PodAsk"]

_P = "kueue.x-k8s.io/podset-"


@dataclass(frozen=True, slots=True)
class PodAsk:
    """A pod set: `count` pods of one template; `each` is what a pod asks of a node, `counted` what of it quota counts."""

    name: str
    count: int
    each: Mapping[str, int]
    counted: Mapping[str, int]
    pod: Mapping[str, Any] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    shape: str = ""
    """Equal for pods that every node treats alike."""

    @property
    def group(self) -> str | None:
        """The group of pod sets that get one flavor and one place."""
        return self.annotations.get(f"{_P}group-name")

    @property
    def asks_for_place(self) -> bool:
        """Whether the pods ask for a place in a topology by name."""
        keys = ("required-topology", "preferred-topology", "unconstrained-topology", "slice-required-topology")
        return any(f"{_P}{key}" in self.annotations for key in (*keys, "slice-required-topology-constraints"))


@dataclass(slots=True, eq=False)
class Ask:
    """Work in a queue; `created` orders equals, the earlier first.

    A slice of elastic work names with `replaces` the held work whose quota is its own to take.
    """

    name: str
    queue: str
    podsets: tuple[PodAsk, ...]
    priority: int = 0
    created: int = 0
    replaces: str | None = None
