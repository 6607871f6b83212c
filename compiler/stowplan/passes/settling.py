"""Plain manifests of components in the form that their API server stores: with its defaults, and canonical.

Nobody writes out every default, least of all those who ship manifests. What is rendered must be what comes back, so the
compiler completes what it takes as data. A component's templates are text of somebody's own: they are only judged.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from stowplan.model.handedover import is_handed_over
from stowplan.model.manifest import Manifest
from stowplan.passes.lower.components import PLAIN
from stowplan.passes.validate import SchemasFor
from stowplan.schema.kind import KindSchema
from stowplan.source.span import Pointer

__all__ = ["settled"]


def settled(manifests: Iterable[Manifest], schemas_for: SchemasFor) -> tuple[Manifest, ...]:
    """The manifests, with the objects of plain ones completed for their targets; equal work is done once.

    An object that the API server would refuse stays as it is: it is reported as the user wrote it.
    """
    known: dict[tuple[int, int], tuple[Any, Any]] = {}
    return tuple(
        _settled(manifest, schemas_for, known) if manifest.template == PLAIN else manifest for manifest in manifests
    )


def _settled(manifest: Manifest, schemas_for: SchemasFor, known: dict[tuple[int, int], tuple[Any, Any]]) -> Manifest:
    value = manifest.variables["object"]
    kind = _kind_of(value, manifest, schemas_for)
    if kind is None:
        return manifest
    key = (id(kind), id(value))
    if key not in known:
        # The value is kept beside its form, so that its id stays its own.
        known[key] = (value, _stored(value, kind))
    completed = known[key][1]
    return manifest if completed is value else replace(manifest, variables={**manifest.variables, "object": completed})


def _kind_of(value: Any, manifest: Manifest, schemas_for: SchemasFor) -> KindSchema | None:
    if not isinstance(value, dict) or not isinstance(value.get("metadata"), dict):
        return None
    api_version, kind = value.get("apiVersion"), value.get("kind")
    if not isinstance(api_version, str) or not isinstance(kind, str):
        return None
    return schemas_for(manifest.unit.target).kind(api_version, kind)


def _stored(value: dict[str, Any], kind: KindSchema) -> dict[str, Any]:
    """The object as it is stored, less what only servers write; the same one where nothing changes.

    Fields of other writers are not filled in.
    """
    if not kind.judge(value).accepted:
        return value
    stored = kind.normalise(value)
    if stored == value:
        return value
    made: dict[str, Any] = _without_handed_over(value, stored, value, ())
    if "namespace" not in value["metadata"] and "namespace" in made["metadata"]:
        made["metadata"] = {key: one for key, one in made["metadata"].items() if key != "namespace"}
    return made


def _without_handed_over(whole: dict[str, Any], stored: Any, given: Any, pointer: Pointer) -> Any:
    """What is stored, less defaults of fields that belong to somebody else."""
    if isinstance(stored, dict):
        before = given if isinstance(given, dict) else {}
        return {
            key: _without_handed_over(whole, value, before.get(key), (*pointer, key))
            for key, value in stored.items()
            if key in before or not is_handed_over(whole, (*pointer, key))
        }
    if isinstance(stored, list):
        items = given if isinstance(given, list) and len(given) == len(stored) else [None] * len(stored)
        return [
            _without_handed_over(whole, value, item, (*pointer, index))
            for index, (value, item) in enumerate(zip(stored, items, strict=True))
        ]
    return stored
