"""The dialect of Kueue that a cluster speaks: which API version it serves, and what its release can do."""

from __future__ import annotations

import re
from dataclasses import dataclass

from stowplan.model.fleet import Cluster

__all__ = ["KUEUE_GROUP", "Dialect", "dialect_of", "version_of"]

KUEUE_GROUP = "kueue.x-k8s.io"
_ORDER_GATES = ("MultiKueueIncrementalDispatcherRespectConfigOrder", "MultiKueueIncrementalDispatcherConfig")
"""Gates, on by default, behind which clusters are asked in the order of the list, and one after the other."""

_NUMBERS = re.compile(r"v?(\d+)(?:\.(\d+))?(?:\.(\d+))?")


@dataclass(frozen=True, slots=True)
class Dialect:
    """`version` is the declared release as (major, minor, patch); `api` is the served version that is rendered.

    `no_order` is the gate that is turned off and without which clusters are not asked in their order.
    """

    version: tuple[int, int, int]
    api: str
    no_order: str | None = None

    @property
    def api_version(self) -> str:
        """Group and version of rendered objects."""
        return f"{KUEUE_GROUP}/{self.api}"

    @property
    def is_beta2(self) -> bool:
        """Whether fields are those of v1beta2."""
        return self.api == "v1beta2"

    def at_least(self, minor: int, patch: int = 0) -> bool:
        """Whether the release is 0.`minor`.`patch` or newer."""
        return self.version >= (0, minor, patch)

    @property
    def keeps_order(self) -> bool:
        """Whether a MultiKueueConfig's list of clusters is an order (Incremental dispatcher, from 0.19 on)."""
        return self.at_least(19) and self.no_order is None


def version_of(text: str) -> tuple[int, int, int]:
    """A declared version as numbers; missing parts count as 0."""
    match = _NUMBERS.match(text)
    if match is None:
        return (0, 0, 0)
    major, minor, patch = (int(part) if part else 0 for part in match.groups())
    return (major, minor, patch)


def dialect_of(cluster: Cluster) -> Dialect | None:
    """The cluster's dialect; None where no Kueue is declared.

    What the snapshot saw served decides; where it saw neither version, the declared release does.
    """
    declared = cluster.spec.components.get("kueue")
    if declared is None:
        return None
    version = version_of(declared)
    gates = cluster.spec.kueue.feature_gates
    no_order = next((gate for gate in _ORDER_GATES if gates.get(gate) is False), None)
    for api in ("v1beta2", "v1beta1"):
        if f"{KUEUE_GROUP}/{api}" in cluster.apis:
            return Dialect(version, api, no_order)
    return Dialect(version, "v1beta2" if version >= (0, 16, 0) else "v1beta1", no_order)
