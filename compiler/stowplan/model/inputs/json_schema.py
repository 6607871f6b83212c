"""The input language as JSON Schema, for editors."""

from __future__ import annotations

from typing import Any

from stowplan.model.inputs.base import API_VERSION
from stowplan.model.inputs.kinds import SPEC_BY_KIND

__all__ = ["json_schema"]

_METADATA = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": {
            "type": "string",
            "pattern": "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$",
            "description": "unique name of its kind",
        },
        "labels": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "labels that policies read",
        },
        "annotations": {"type": "object", "additionalProperties": {"type": "string"}, "description": "notes"},
    },
}


def json_schema(kind: str | None = None) -> dict[str, Any]:
    """The schema of one kind, or of any document (draft 2020-12)."""
    kinds = [kind] if kind else sorted(SPEC_BY_KIND)
    definitions: dict[str, Any] = {}
    documents = []
    for name in kinds:
        spec = SPEC_BY_KIND[name].model_json_schema(by_alias=True, ref_template="#/$defs/{model}")
        definitions.update(spec.pop("$defs", {}))
        documents.append(
            {
                "type": "object",
                "title": name,
                "description": (SPEC_BY_KIND[name].__doc__ or "").strip(),
                "required": ["apiVersion", "kind", "metadata", "spec"],
                "additionalProperties": False,
                "properties": {
                    "apiVersion": {"const": API_VERSION},
                    "kind": {"const": name},
                    "metadata": _METADATA,
                    "spec": spec,
                },
            }
        )
    top: dict[str, Any] = documents[0] if kind else {"oneOf": documents}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **top,
        "$defs": dict(sorted(definitions.items())),
    }
