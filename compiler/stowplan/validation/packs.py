"""Packs made from definitions: collected from files, streams and clusters, written, listed, compared."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from stowplan.diagnostics.model import Diagnostic, Outcome, error
from stowplan.schema.definitions import pack_of, read_definitions
from stowplan.schema.importing import import_text
from stowplan.schema.node import NodePool
from stowplan.schema.pack import KindFacts, Pack, PackSource, write_pack
from stowplan.schema.shipped import shipped_pack
from stowplan.source.faults import EnvironmentFault
from stowplan.source.inputs import PACK_SUFFIX

__all__ = ["SHIPPED", "cluster_definitions", "find_pack", "import_sources", "pack_bytes", "pack_rows"]

SHIPPED = "shipped"
"""The name of the pack that comes with the compiler."""
_ONE = ("items", "additionalProperties", "not")
_MANY = ("allOf", "anyOf", "oneOf")
_CRDS = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")


def import_sources(paths: Iterable[str], stdin: str | None, contexts: Iterable[tuple[str, str]]) -> Outcome[Pack]:
    """One pack of all definitions: of files and folders, of standard input, and of clusters (context and text)."""
    found: list[Diagnostic] = []
    packs: list[Pack] = []
    for path in paths:
        if path == "-":
            outcome = import_text(stdin or "", "<stdin>")
            packs.append(outcome.value)
            found.extend(outcome.diagnostics)
            continue
        if not Path(path).exists():
            found.append(error("SP0810", f"`{path}` does not exist"))
            continue
        several = read_definitions([Path(path)])
        packs.extend(several.value)
        found.extend(several.diagnostics)
    for context, text in contexts:
        outcome = import_text(text, f"context {context}")
        packs.append(outcome.value)
        found.extend(outcome.diagnostics)
    return Outcome(_joined(packs), tuple(found))


def _joined(packs: Sequence[Pack]) -> Pack:
    """One pack; of a kind that several have, the last one's versions count."""
    if len(packs) == 1:
        return packs[0]
    nodes: list[dict[str, Any]] = []
    sources: list[PackSource] = []
    kinds: dict[tuple[str, str], list[KindFacts]] = {}
    for pack in packs:
        shift, first = len(nodes), len(sources)
        nodes += [_shifted(pack.pool.facts(index), shift) for index in range(len(pack.pool))]
        sources += list(pack.sources)
        for key, versions in pack.by_kind.items():
            kinds[key] = [replace(k, root=k.root + shift, source=k.source + first) for k in versions]
    return Pack(tuple(k for versions in kinds.values() for k in versions), NodePool(nodes), tuple(sources))


def _shifted(raw: Mapping[str, Any], shift: int) -> dict[str, Any]:
    """A node with the numbers of its children moved."""
    out: dict[str, Any] = dict(raw)
    if "properties" in out:
        out["properties"] = {name: index + shift for name, index in out["properties"].items()}
    for key in _ONE:
        if type(out.get(key)) is int:
            out[key] += shift
    for key in _MANY:
        if key in out:
            out[key] = [index + shift for index in out[key]]
    return out


def pack_bytes(pack: Pack) -> bytes:
    """The pack as a file: the same definitions give the same bytes."""
    return write_pack(pack.kinds, [pack.pool.facts(index) for index in range(len(pack.pool))], pack.sources, fast=True)


def cluster_definitions(context: str, kubeconfig: str | None) -> str:
    """The definitions that a cluster serves, as JSON text.

    Raises:
        EnvironmentFault: the cluster does not answer, or does not let us read them.
    """
    from stowplan.drift.live import ApiError, connect, read_cluster

    try:
        live = read_cluster(context, [_CRDS], connect(context, kubeconfig))
    except ApiError as problem:
        raise EnvironmentFault(str(problem)) from problem
    if not live.answered or live.problems:
        raise EnvironmentFault(f"context `{context}`: {'; '.join(live.problems) or 'the cluster does not answer'}")
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(live.objects)})


def find_pack(name: str) -> Outcome[Pack | None]:
    """A pack by what users call it: `shipped`, a pack file, or definitions in a file or folder."""
    path = Path(name)
    if name == SHIPPED and not path.exists():
        return Outcome(shipped_pack())
    if not path.exists():
        return Outcome(None, (error("SP0810", f"`{name}` does not exist", helps=("`shipped` is the built-in pack",)),))
    if path.suffix == PACK_SUFFIX:
        return pack_of(path)
    outcome = read_definitions([path])
    return Outcome(outcome.value[0] if outcome.value else None, outcome.diagnostics)


def pack_rows(pack: Pack) -> tuple[dict[str, object], ...]:
    """The kinds of a pack as records, by group, kind and version."""
    ordered = sorted(pack.kinds, key=lambda facts: (facts.group, facts.kind, facts.version))
    return tuple(
        {
            "group": facts.group,
            "version": facts.version,
            "kind": facts.kind,
            "scope": "Namespaced" if facts.namespaced else "Cluster",
            "served": facts.served,
            "storage": facts.storage == facts.version,
            "deprecated": bool(facts.deprecation),
            "rules": sum(1 for _ in _rules(pack, facts.root)),
            "source": _source(pack, facts.source),
        }
        for facts in ordered
    )


def _rules(pack: Pack, root: int) -> Iterable[object]:
    seen: set[int] = set()
    waiting = [pack.pool[root]]
    while waiting:
        node = waiting.pop()
        if node.index in seen or not node.has_rules_below:
            continue
        seen.add(node.index)
        yield from node.rules
        waiting += [child for _, child in node.properties()]
        waiting += [child for child in (node.items, node.additional) if child is not None]
        waiting += node.alternatives("allOf")


def _source(pack: Pack, number: int) -> str:
    if number >= len(pack.sources):
        return ""
    source = pack.sources[number]
    return f"{source.project}@{source.version}" if source.version else source.project
