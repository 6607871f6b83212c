"""An input document that passed its model: kind, name, and spec, with where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from stowplan.model.inputs.base import InputModel
from stowplan.source.span import Origin

__all__ = ["Entity"]

S = TypeVar("S", bound=InputModel, covariant=True)


@dataclass(frozen=True, slots=True)
class Entity(Generic[S]):
    """One document. `origin` is the document itself; `at` steps into its spec."""

    kind: str
    name: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    spec: S
    origin: Origin

    def at(self, *steps: str | int) -> Origin:
        """The place of a field of the spec, by the names users write."""
        return self.origin.below(("spec", *steps))

    @property
    def name_origin(self) -> Origin:
        """The place of the name."""
        return self.origin.below(("metadata", "name"))

    @property
    def key(self) -> str:
        """How messages call it: `cluster/eu-west`."""
        return f"{self.kind.lower()}/{self.name}"
