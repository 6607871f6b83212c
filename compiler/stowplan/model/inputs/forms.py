"""Text of a known form: label keys and values, resource names, API versions, locations, currencies."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Final

from pydantic import AfterValidator, PlainValidator, WithJsonSchema

from stowplan.model.inputs.base import Text

__all__ = [
    "ApiVersion",
    "Currency",
    "DeviceProperty",
    "DeviceValue",
    "KubernetesVersion",
    "LabelKey",
    "LabelValue",
    "ResourceName",
    "Subdomain",
    "Uri",
]

_PART: Final = r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?"
_SUBDOMAIN: Final = r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*"
_PROPERTY: Final = r"[A-Za-z_][A-Za-z0-9_]{0,31}"
_LOCATION: Final = r"([a-z][a-z0-9+.-]*://|[a-z0-9][a-z0-9-]*[.:][a-z0-9.:-]*/)[^\s\x00-\x1f\x7f]+"


def _form(pattern: str, message: str, longest: int) -> Callable[[str], str]:
    matcher = re.compile(pattern + r"\Z")

    def check(text: str) -> str:
        if len(text) > longest or not matcher.match(text):
            raise ValueError(message)
        return text

    return check


LabelKey = Annotated[
    Text,
    AfterValidator(
        _form(
            rf"({_SUBDOMAIN}/)?{_PART}",
            "a label key is letters, digits, `-`, `_`, and `.`, with a domain and `/` before it where it has one, "
            "such as `topology.kubernetes.io/zone`",
            317,
        )
    ),
    WithJsonSchema({"type": "string"}),
]
"""The key of a label or taint."""

LabelValue = Annotated[
    Text,
    AfterValidator(
        _form(
            rf"({_PART})?",
            "a label value has at most 63 letters, digits, `-`, `_`, and `.`, and starts and ends with a letter or digit",
            63,
        )
    ),
    WithJsonSchema({"type": "string"}),
]
"""The value of a label."""

ResourceName = Annotated[
    Text,
    AfterValidator(
        _form(
            rf"{_SUBDOMAIN}/{_PART}", "an extended resource is a domain, `/`, and a name, such as `nvidia.com/gpu`", 317
        )
    ),
    WithJsonSchema({"type": "string"}),
]
"""The name of an extended resource."""

Subdomain = Annotated[
    Text,
    AfterValidator(
        _form(
            _SUBDOMAIN, "this is a DNS name of lower-case letters, digits, `-`, and `.`, such as `gpu.nvidia.com`", 253
        )
    ),
    WithJsonSchema({"type": "string"}),
]
"""A name in the manner of a DNS subdomain: a DeviceClass, a driver."""

DeviceProperty = Annotated[
    Text,
    AfterValidator(
        _form(
            rf"({_SUBDOMAIN}/)?{_PROPERTY}",
            "an attribute or capacity of a device has at most 32 letters, digits, and `_`, with a domain and `/` before it "
            "where that is not the driver's, such as `productName`",
            96,
        )
    ),
    WithJsonSchema({"type": "string"}),
]
"""The name of an attribute or of a capacity of a device, as ResourceSlices have it."""


def _device_value(value: object) -> str | int | bool:
    if isinstance(value, bool) or (isinstance(value, int) and abs(value) < 2**63):
        return value
    if isinstance(value, str) and len(value) <= 64 and value.isprintable():
        return value
    raise ValueError("an attribute of a device is text of at most 64 characters, a whole number, or true or false")


DeviceValue = Annotated[
    str | int | bool,
    PlainValidator(_device_value),
    WithJsonSchema({"type": ["string", "integer", "boolean"]}),
]
"""The value of an attribute of a device."""

ApiVersion = Annotated[
    Text,
    AfterValidator(
        _form(
            rf"({_SUBDOMAIN}/)?v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?",
            "an API is a group, `/`, and a version, such as `kueue.x-k8s.io/v1beta2`",
            317,
        )
    ),
    WithJsonSchema({"type": "string"}),
]
"""An API group with its version."""

KubernetesVersion = Annotated[
    Text,
    AfterValidator(_form(r"v?1\.[0-9]{1,3}(\.[0-9]+)?([-+][0-9A-Za-z.+-]+)?", "a version is written as `v1.36.3`", 63)),
    WithJsonSchema({"type": "string"}),
]
"""The version that an API server reports."""

Uri = Annotated[
    Text,
    AfterValidator(
        _form(
            _LOCATION,
            "a location is a URI such as `s3://bucket/path`, or an image such as `registry.example.com/name`",
            2048,
        )
    ),
    WithJsonSchema({"type": "string"}),
]
"""Where bytes lie."""

Currency = Annotated[
    Text,
    AfterValidator(_form(r"[A-Z]{3}", "a currency is three capital letters, such as `USD`", 3)),
    WithJsonSchema({"type": "string"}),
]
"""A currency by its ISO 4217 code."""
