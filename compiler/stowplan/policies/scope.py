"""What policy expressions see: the types of `intent`, `cluster`, `flavor`, `tenant`, and `fleet`.

Their values are those of `model/exposed.py`.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel

from stowplan.cel.types import BOOL, DOUBLE, DYN, INT, STRING, ListType, MapType, ObjectField, ObjectType, Type
from stowplan.model.inputs.cluster import ClusterSpec
from stowplan.model.inputs.fleet import FlavorSpec, FleetSpec
from stowplan.model.inputs.intents import BatchIntentSpec, InferenceIntentSpec, TrainingIntentSpec, WorkspaceIntentSpec
from stowplan.model.inputs.inventory import InventorySnapshotSpec
from stowplan.model.inputs.tenant import TenantSpec

__all__ = [
    "CLUSTER",
    "FLAVOR",
    "FLEET",
    "INTENT",
    "TENANT",
]

_SIMPLE: dict[Any, Type] = {str: STRING, int: INT, float: DOUBLE, bool: BOOL, Any: DYN}


class ModelFields:
    """Fields of one or several input models (a name in several must mean the same type, else it is `dyn`), and more."""

    def __init__(self, models: Iterable[type[BaseModel]], extra: Mapping[str, Type]) -> None:
        """`extra` adds names that no model declares and wins over them."""
        self._models = tuple(models)
        self._extra = dict(extra)
        self._known: dict[str, ObjectField | None] = {}

    def field(self, name: str) -> ObjectField | None:
        """The field users write as `name`."""
        if name not in self._known:
            self._known[name] = self._find(name)
        return self._known[name]

    def _find(self, name: str) -> ObjectField | None:
        if name in self._extra:
            return ObjectField(self._extra[name], name)
        found = {
            _type_of(field.annotation)
            for model in self._models
            for python_name, field in model.model_fields.items()
            if (field.alias or python_name) == name
        }
        if not found:
            return None
        return ObjectField(found.pop() if len(found) == 1 else DYN, name)

    def names(self) -> Iterable[str]:
        """All names, for suggestions."""
        declared = {field.alias or name for model in self._models for name, field in model.model_fields.items()}
        return sorted(declared | set(self._extra))


@cache
def _model_type(model: type[BaseModel]) -> ObjectType:
    return ObjectType(model.__name__, ModelFields((model,), {}))


def _type_of(annotation: Any) -> Type:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _type_of(arguments[0])
    if origin is typing.Literal:
        return STRING
    if origin in (typing.Union, types.UnionType):
        kinds = [a for a in arguments if a is not type(None)]
        return _type_of(kinds[0]) if len(kinds) == 1 else DYN
    if origin in (tuple, list):
        return ListType(_type_of(arguments[0]))
    if origin is dict:
        return MapType(STRING, _type_of(arguments[1]))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _model_type(annotation)
    return _SIMPLE.get(annotation, DYN)


_NAMED: dict[str, Type] = {"name": STRING, "labels": MapType(STRING, STRING), "annotations": MapType(STRING, STRING)}
_INTENTS = (TrainingIntentSpec, BatchIntentSpec, InferenceIntentSpec, WorkspaceIntentSpec)

INTENT = ObjectType("Intent", ModelFields(_INTENTS, {**_NAMED, "kind": STRING, "totalAccelerators": INT}))
"""Any intent: fields of all kinds (test with `has` where a kind lacks them), `kind`, defaults filled in."""
CLUSTER = ObjectType("Cluster", ModelFields((ClusterSpec,), {**_NAMED, "observed": _model_type(InventorySnapshotSpec)}))
"""A cluster, with the snapshot's facts as `observed`."""
FLAVOR = ObjectType("Flavor", ModelFields((FlavorSpec,), _NAMED))
TENANT = ObjectType("Tenant", ModelFields((TenantSpec,), _NAMED))
FLEET = ObjectType("Fleet", ModelFields((FleetSpec,), _NAMED))
