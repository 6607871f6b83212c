"""Build the pack of custom kinds that ships with the compiler, from definitions of the projects that own them.

    python -m stowplan.schema.building.custom_pack [--output FILE] [--onto PACK] SOURCE...

A source is `PROJECT@VERSION=PATH`, where PATH is a file or a folder with definitions, or the path of a `.jsonl.xz` file
of rows with `repo`, `commit` and `crd`. Only facts are kept: names, types, enums, bounds, patterns, formats, defaults, list types;
descriptions, CEL rules and deprecation texts are left out. Of a version that several sources define, the first counts.
With `--onto` the kinds of an earlier pack come first, so that a few may be added without having all sources at hand.
The output depends on the input only: running the tool twice gives the same bytes.
"""

from __future__ import annotations

import argparse
import json
import lzma
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from stowplan.schema.crd import PackBuilder, is_crd
from stowplan.schema.crdyaml import load_documents
from stowplan.schema.pack import Pack, PackSource, read_pack, write_pack

__all__ = ["build_pack", "main"]

_OUTPUT: Final = Path(__file__).parents[2] / "data" / "packs" / "custom.pack"


class _Given(NamedTuple):
    source: PackSource
    crd: dict[str, Any]


def build_pack(arguments: Iterable[str], onto: Pack | None = None) -> tuple[bytes, list[str]]:
    """The pack's bytes, and what could not be used; `onto` is the pack that is added to."""
    builder = PackBuilder(rules=False)
    if onto is not None:
        builder.extend(onto)
    seen = {(facts.group, facts.kind, facts.version) for facts in builder.kinds}
    problems: list[str] = []
    for argument in arguments:
        for given in _read(argument):
            crd = _without_seen(given.crd, seen)
            if not crd["spec"]["versions"]:
                continue
            found = builder.add(crd, builder.source(given.source))
            problems += [f"{crd['metadata']['name']}: {c.message} at {'.'.join(map(str, c.pointer))}" for c in found]
    return write_pack(builder.kinds, builder.nodes, builder.sources), problems


def _without_seen(crd: dict[str, Any], seen: set[tuple[str, str, str]]) -> dict[str, Any]:
    """The definition without versions that an earlier source gave."""
    spec = crd["spec"]
    kept = []
    for version in spec["versions"]:
        key = (spec["group"], spec["names"]["kind"], version["name"])
        if key not in seen:
            seen.add(key)
            kept.append(version)
    return {**crd, "spec": {**spec, "versions": kept}}


def _read(argument: str) -> Iterator[_Given]:
    name, _, path = argument.partition("=")
    if argument.endswith(".jsonl.xz"):
        with lzma.open(argument, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        for row in sorted(rows, key=lambda row: bool(row.get("channel"))):  # a project's main channel first
            yield _Given(PackSource(row["repo"], row["commit"][:12]), row["crd"])
        return
    project, _, version = name.partition("@")
    source = PackSource(project, version)
    files = sorted(Path(path).rglob("*.yaml")) if Path(path).is_dir() else [Path(path)]
    for file in files:
        for document in load_documents(file.read_text(encoding="utf-8")):
            if is_crd(document):
                yield _Given(source, document)


def main(arguments: list[str]) -> int:
    """Write the pack; 1 if a definition could not be used."""
    parser = argparse.ArgumentParser(description="Build the pack of custom kinds.")
    parser.add_argument("--output", type=Path, default=_OUTPUT)
    parser.add_argument("--onto", type=Path, help="a pack to add to")
    parser.add_argument("sources", nargs="+", metavar="SOURCE")
    given = parser.parse_args(arguments)
    data, problems = build_pack(given.sources, read_pack(given.onto.read_bytes()) if given.onto else None)
    given.output.write_bytes(data)
    sys.stderr.write("".join(f"{problem}\n" for problem in problems))
    sys.stderr.write(f"{len(data)} bytes\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
