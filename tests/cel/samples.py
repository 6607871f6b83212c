"""The object that the case files talk about, plain and typed."""

from __future__ import annotations

from typing import Any

from stowplan.cel import Declarations
from stowplan.cel.types import DYN, INT, STRING, TIMESTAMP, ListType, MapType, object_type

OBJECT: dict[str, Any] = {
    "name": "gpu-pool-a",
    "key": "a",
    "pattern": "(",
    "replicas": 3,
    "minimum": -(2**63),
    "surge": "25%",
    "nothing": None,
    "labels": {"app": "x", "tier": "gpu"},
    "ports": [{"name": "http", "port": 80}, {"name": "https", "port": 443}],
    "resources": {},
}
VARIABLES: dict[str, Any] = {"self": OBJECT}

PORT = object_type("port", {"name": STRING, "port": INT})
SPEC = object_type("spec", {"limit": INT, "when": TIMESTAMP, "tags": ListType(STRING, "set")})
TYPED = Declarations(
    {
        "self": object_type(
            "self",
            {
                "name": STRING,
                "replicas": INT,
                "surge": DYN,
                "labels": MapType(STRING, STRING),
                "ports": ListType(PORT, "map", ("port",)),
                "spec": SPEC,
            },
        )
    }
)
