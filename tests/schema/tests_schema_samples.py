"""A made-up kind with one of everything, for the tests of this folder."""

from __future__ import annotations

from typing import Any


def widget_schema() -> dict[str, Any]:
    text = {"type": "string"}
    return {
        "type": "object",
        "required": ["spec"],
        "properties": {
            "apiVersion": text,
            "kind": text,
            "metadata": {"type": "object"},
            "spec": {
                "type": "object",
                "required": ["size"],
                "x-kubernetes-validations": [
                    {"rule": "!has(self.low) || !has(self.high) || self.low <= self.high", "message": "low above high"},
                    {"rule": "self.size < 10 || self.mode == 'Slow'", "messageExpression": "'size ' + string(self.size)"},
                ],
                "properties": {
                    "size": {"type": "integer", "format": "int32", "minimum": 0, "maximum": 11},
                    "low": {"type": "integer"},
                    "high": {"type": "integer", "format": "int64"},
                    "mode": {"type": "string", "enum": ["Fast", "Slow"], "default": "Fast"},
                    "note": {"type": "string", "maxLength": 6, "pattern": "^[a-z]*-?[a-z0-9]*$"},
                    "share": {
                        "x-kubernetes-int-or-string": True,
                        "anyOf": [{"type": "integer"}, {"type": "string"}],
                        "pattern": "^[0-9]+%?$",
                    },
                    "ports": {
                        "type": "array",
                        "maxItems": 4,
                        "x-kubernetes-list-type": "map",
                        "x-kubernetes-list-map-keys": ["name"],
                        "items": {
                            "type": "object",
                            "required": ["name", "port"],
                            "properties": {
                                "name": {"type": "string", "minLength": 1},
                                "port": {"type": "integer", "minimum": 1, "maximum": 65535},
                                "protocol": {"type": "string", "default": "TCP"},
                            },
                        },
                    },
                    "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": text},
                    "selector": {"type": "object", "additionalProperties": text, "maxProperties": 2},
                    "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                    "frozen": {
                        "type": "string",
                        "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "frozen is immutable"}],
                    },
                    "limits": {
                        "type": "object",
                        "default": {},
                        "properties": {"cpu": {"type": "integer", "default": 1}, "nothing": {"type": "string", "nullable": True}},
                    },
                    "object": {
                        "type": "object",
                        "x-kubernetes-embedded-resource": True,
                        "x-kubernetes-preserve-unknown-fields": True,
                    },
                },
            },
            "status": {"type": "object", "properties": {"phase": text}},
        },
    }  # fmt: skip


def widget_crd(**spec: Any) -> dict[str, Any]:
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": widget_schema()},
        "subresources": {"status": {}},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.org"},
        "spec": {
            "group": "example.org",
            "scope": "Namespaced",
            "names": {"kind": "Widget", "plural": "widgets"},
            "versions": [version],
            **spec,
        },
    }
