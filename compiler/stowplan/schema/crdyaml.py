"""YAML as definitions are written: plain data through libyaml, with dates and `=` left as the strings they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

__all__ = ["compose_documents", "load_documents"]

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Base):  # type: ignore[misc]
    """The safe loader, less the scalars that JSON does not know."""


for _tag in ("tag:yaml.org,2002:value", "tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:binary"):
    _Loader.add_constructor(_tag, yaml.SafeLoader.construct_yaml_str)


def load_documents(text: str) -> Iterator[Any]:
    """The documents of a stream as plain data; raises `yaml.YAMLError`."""
    yield from yaml.load_all(text, Loader=_Loader)


def compose_documents(text: str) -> Iterator[Any]:
    """The documents of a stream as nodes with their marks."""
    yield from yaml.compose_all(text, Loader=_Loader)
