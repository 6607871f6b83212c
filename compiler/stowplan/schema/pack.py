"""The pack format: kinds with their versions over a pool of shared schema nodes, as compressed lines of JSON.

The first line holds the kinds and sources, each further line one node; nodes are parsed when first used.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any

from stowplan.schema.node import NodePool

__all__ = ["KindFacts", "Pack", "PackError", "PackSource", "read_pack", "write_pack"]

_FORMAT = 1
_LARGEST = 64 << 20


class PackError(ValueError):
    """The bytes are not a pack that this version can read."""


@dataclass(frozen=True, slots=True)
class PackSource:
    """Where a pack's schemas come from: a project and its version, or a file."""

    project: str
    version: str = ""
    licence: str = ""


@dataclass(frozen=True, slots=True)
class KindFacts:
    """One version of one kind, as its CustomResourceDefinition states it. `root` is a number in the pack's pool.

    `storage` is the name of the version that is stored; `conversion` is `None` or `Webhook`; `scale` gives the JSON
    paths of replicas in spec and status and of the selector; `source` is a number in the pack's sources.
    """

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool
    root: int
    served: bool = True
    storage: str = ""
    conversion: str = "None"
    status: bool = False
    scale: tuple[str, str, str] | None = None
    deprecation: str = ""
    source: int = 0

    @property
    def api_version(self) -> str:
        """Group and version as manifests write them."""
        return f"{self.group}/{self.version}" if self.group else self.version


@dataclass(frozen=True)
class Pack:
    """Kinds and the schema nodes they share. `digest` is the SHA-256 of the pack's bytes."""

    kinds: tuple[KindFacts, ...]
    pool: NodePool
    sources: tuple[PackSource, ...] = ()
    digest: str = ""
    name: str = ""

    @cached_property
    def by_kind(self) -> Mapping[tuple[str, str], tuple[KindFacts, ...]]:
        """The versions of each (group, kind), in the pack's order."""
        table: dict[tuple[str, str], list[KindFacts]] = {}
        for facts in self.kinds:
            table.setdefault((facts.group, facts.kind), []).append(facts)
        return {key: tuple(versions) for key, versions in table.items()}


def write_pack(
    kinds: Iterable[KindFacts], nodes: list[dict[str, Any]], sources: Iterable[PackSource] = (), *, fast: bool = False
) -> bytes:
    """The bytes of a pack: the same content gives the same bytes. `fast` packs with zlib instead of xz."""
    ordered = sorted(kinds, key=lambda k: (k.group, k.kind, k.version))
    content = {
        "format": _FORMAT,
        "kinds": [{key: value for key, value in asdict(k).items() if value not in (None, "")} for k in ordered],
        "sources": [asdict(source) for source in sources],
    }
    text = "\n".join(json.dumps(line, separators=(",", ":")) for line in (content, *nodes)).encode()
    if fast:
        return b"Z" + zlib.compress(text, 6)
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 1 << 22}]
    return b"X" + lzma.compress(text, format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC32, filters=filters)


def read_pack(data: bytes, name: str = "") -> Pack:
    """The pack in `data`; raises `PackError`."""
    text = _unpack(data)
    try:
        head, *nodes = text.decode("ascii").split("\n")
        content = json.loads(head)
        if content["format"] != _FORMAT:
            raise PackError(f"pack format {content['format']} is not known; this version reads {_FORMAT}")
        kinds = tuple(map(_kind, content["kinds"]))
        sources = tuple(PackSource(**source) for source in content["sources"])
    except (ValueError, KeyError, TypeError) as problem:
        raise PackError(f"the pack is damaged: {problem}") from None
    if any(not 0 <= facts.root < len(nodes) for facts in kinds):
        raise PackError("the pack is damaged: a schema refers to one that is not there")
    return Pack(kinds, NodePool(nodes), sources, hashlib.sha256(data).hexdigest(), name)


def _unpack(data: bytes) -> bytes:
    try:
        if data[:1] == b"X":
            decoder: Any = lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=256 << 20)
        elif data[:1] == b"Z":
            decoder = zlib.decompressobj()
        else:
            raise PackError("this is not a schema pack")
        text: bytes = decoder.decompress(data[1:], _LARGEST)
    except (lzma.LZMAError, zlib.error) as problem:
        raise PackError(f"the pack is damaged: {problem}") from None
    if not decoder.eof:
        raise PackError("the pack is damaged: it is cut short or too large")
    return text


_FIELDS = frozenset(field.name for field in fields(KindFacts))


def _kind(raw: dict[str, Any]) -> KindFacts:
    if not raw.keys() <= _FIELDS:
        raise PackError(f"the pack is damaged: unknown facts {sorted(raw.keys() - _FIELDS)}")
    scale = raw.get("scale")
    return KindFacts(**{**raw, "scale": None if scale is None else (scale[0], scale[1], scale[2])})
