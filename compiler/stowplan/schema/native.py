"""Built-in kinds behind the same face as custom ones."""

from __future__ import annotations

from stowplan.schema.kind import KindSchema

__all__ = ["native_kind"]


def native_kind(api_version: str, kind: str, minor: int) -> KindSchema | None:
    """The face of a built-in kind of Kubernetes 1.`minor`, or None if there is no such kind."""
    return None
