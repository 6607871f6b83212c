"""Reads live objects from exported files: a folder or a file for each cluster, Lists or documents, JSON or YAML."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from stowplan.drift.model import LiveCluster
from stowplan.source.canonical_yaml import NotCanonical, read_canonical

__all__ = ["MAX_FILE_BYTES", "objects_in", "read_exports", "read_rendered_text"]

MAX_FILE_BYTES: Final = 2 << 30
"""Larger exports are refused: two gibibytes of text hold more objects than one cluster."""

_SUFFIXES: Final = (".json", ".yaml", ".yml", ".jsonl")


def read_exports(folder: Path) -> dict[str, LiveCluster]:
    """Everything exported below `folder`: `CLUSTER/` or `CLUSTER.json|yaml|yml|jsonl`, by cluster.

    Raises:
        OSError: the folder itself cannot be read. A file that cannot be read is a problem of its cluster.
    """
    files: dict[str, list[Path]] = {}
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            files.setdefault(entry.name, []).extend(
                path for path in sorted(entry.rglob("*")) if path.suffix in _SUFFIXES and path.is_file()
            )
        elif entry.suffix in _SUFFIXES:
            files.setdefault(entry.stem, []).append(entry)
    return {cluster: _read_cluster(cluster, paths) for cluster, paths in sorted(files.items())}


def _read_cluster(cluster: str, paths: Iterable[Path]) -> LiveCluster:
    objects: list[Mapping[str, Any]] = []
    problems: list[str] = []
    n_read = 0
    for path in paths:
        try:
            objects.extend(objects_in(_parse(path)))
            n_read += 1
        except (OSError, ValueError, RecursionError) as problem:
            problems.append(f"{path.name}: {_one_line(problem)}")
    if not n_read:
        return LiveCluster(cluster, answered=False, problems=tuple(problems) or ("the folder has no export",))
    return LiveCluster(cluster, tuple(objects), True, tuple(problems))


def _parse(path: Path) -> list[Any]:
    """The documents of a file.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is neither JSON nor YAML, or too large.
    """
    if path.stat().st_size > MAX_FILE_BYTES:
        raise ValueError(f"larger than {MAX_FILE_BYTES >> 20} MiB")
    data = path.read_bytes()
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in data.splitlines() if line.strip()]
    if path.suffix == ".json" or data.lstrip()[:1] in (b"{", b"["):
        return _parse_json(data)
    return parse_yaml(data)


def _parse_json(data: bytes) -> list[Any]:
    """One JSON document, or several one after the other as `kubectl get -o json` prints for several calls."""
    text = data.decode("utf-8-sig")
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        pass
    decoder, position, documents = json.JSONDecoder(), 0, []
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        document, position = decoder.raw_decode(text, position)
        documents.append(document)
    return documents


def parse_yaml(data: bytes) -> list[Any]:
    """The YAML documents in `data`, by libyaml where it is there.

    Raises:
        ValueError: the text is no YAML.
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return [_plain(document) for document in yaml.load_all(data, Loader=loader) if document is not None]
    except yaml.YAMLError as problem:
        raise ValueError(_one_line(problem)) from None


def _plain(data: Any) -> Any:
    """Dates as the text they were, since an object of an API server holds no dates."""
    if isinstance(data, dict):
        return {str(key): _plain(inner) for key, inner in data.items()}
    if isinstance(data, list):
        return [_plain(inner) for inner in data]
    if hasattr(data, "isoformat"):
        return str(data.isoformat()).replace("+00:00", "Z")
    return data


def objects_in(documents: Iterable[Any]) -> Iterator[Mapping[str, Any]]:
    """The objects of these documents; Lists are opened, and items of a typed list get their kind from it.

    Raises:
        ValueError: a document is no object.
    """
    for document in documents:
        if not isinstance(document, dict):
            raise ValueError("a document is no Kubernetes object")
        kind = document.get("kind")
        if isinstance(kind, str) and kind.endswith("List") and isinstance(document.get("items"), list):
            yield from _items(document, kind)
        elif isinstance(kind, str) and isinstance(document.get("metadata"), dict):
            yield document
        else:
            raise ValueError("a document has no kind or no metadata")


def _items(document: Mapping[str, Any], kind: str) -> Iterator[Mapping[str, Any]]:
    item_kind = kind.removesuffix("List")
    for entry in document["items"]:
        if not isinstance(entry, dict):
            raise ValueError("an item of a List is no object")
        if "kind" in entry:
            yield entry
        elif item_kind:
            yield {"apiVersion": document.get("apiVersion", "v1"), "kind": item_kind, **entry}
        else:
            raise ValueError("an item of a List has no kind")


def read_rendered_text(data: bytes) -> list[Mapping[str, Any]]:
    """The objects of one rendered file, given its bytes.

    Raises:
        ValueError: it holds something else than objects.
    """
    try:
        return list(objects_in([read_canonical(data.decode("utf-8"))]))
    except NotCanonical:
        return list(objects_in(parse_yaml(data)))


def _one_line(problem: BaseException) -> str:
    return " ".join(str(problem).split())[:300] or type(problem).__name__
