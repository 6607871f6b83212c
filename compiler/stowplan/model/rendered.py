"""What rendering makes: objects with their text, shape, target, and the manifest they came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stowplan.model.manifest import Manifest, Unit

if TYPE_CHECKING:
    from stowplan.templates.engine import Rendered

__all__ = ["RenderedObject", "RenderedTree"]


@dataclass(frozen=True, slots=True)
class RenderedObject:
    """One object of one unit, and the file it goes to (below `rendered/`)."""

    manifest: Manifest
    rendered: Rendered
    path: str
    api_version: str
    kind: str
    namespace: str | None
    name: str
    document: int = 0
    """Which of the template's documents it is, from 0."""

    @property
    def unit(self) -> Unit:
        """The unit it is synced with."""
        return self.manifest.unit

    @property
    def object(self) -> dict[str, Any]:
        """The object as plain data; read-only."""
        found: dict[str, Any] = self.rendered.object
        return found

    @property
    def text(self) -> str:
        """Its canonical text."""
        return self.rendered.text

    @property
    def reference(self) -> str:
        """`Kind/namespace/name`, or `Kind/name` where it has no namespace."""
        return f"{self.kind}/{self.namespace}/{self.name}" if self.namespace else f"{self.kind}/{self.name}"


@dataclass(frozen=True, slots=True)
class RenderedTree:
    """All units and objects in the order of their paths, and files that hold no object of a target (kustomizations)."""

    units: tuple[Unit, ...]
    objects: tuple[RenderedObject, ...]
    files: Mapping[str, str]
    """Text by path below `rendered/`, the lock and the plan aside."""
