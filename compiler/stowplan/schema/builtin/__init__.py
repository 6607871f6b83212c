"""The offline API server for Kubernetes' built-in kinds: what it would accept, and what it would store.

Only what callers need is imported from here; `pack` and `table` are read when the first object is judged.
"""

from __future__ import annotations

from stowplan.schema.builtin.assigned import (
    PriorityClass,
    RuntimeClass,
    Surroundings,
    admit,
    assigned_members,
    assigned_paths,
)
from stowplan.schema.builtin.facts import PlaceFacts, field_facts
from stowplan.schema.builtin.judge import judge_builtin, judge_builtin_text, normalise_builtin
from stowplan.schema.builtin.pack import builtin_kinds, supported_minor
from stowplan.schema.builtin.table import is_namespaced
from stowplan.source.api_json import Decoded, JsonError, decode_json

__all__ = [
    "Decoded",
    "JsonError",
    "PlaceFacts",
    "PriorityClass",
    "RuntimeClass",
    "Surroundings",
    "admit",
    "assigned_members",
    "assigned_paths",
    "builtin_kinds",
    "decode_json",
    "field_facts",
    "is_namespaced",
    "judge_builtin",
    "judge_builtin_text",
    "normalise_builtin",
    "supported_minor",
]
