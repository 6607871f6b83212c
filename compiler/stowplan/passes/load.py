"""Documents to entities: every document is checked against the model of its kind, and every mistake is reported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from stowplan.diagnostics.model import Diagnostic, Label, Outcome, error
from stowplan.diagnostics.suggest import did_you_mean
from stowplan.model.entity import Entity
from stowplan.model.inputs.base import API_VERSION, InputModel, Name
from stowplan.model.inputs.kinds import SPEC_BY_KIND
from stowplan.passes.input_errors import explain_errors
from stowplan.source.document import Document
from stowplan.source.span import Origin

__all__ = ["ANY_KIND", "ANY_NAME", "Loaded", "component_folders", "definition_paths", "load"]

_NAME: TypeAdapter[str] = TypeAdapter(Name)
ANY_NAME = "*"
"""Stands for the name of a broken document whose name cannot be told."""
ANY_KIND = "*"
"""Stands for the kind of a broken document whose kind cannot be told."""
_TOP = ("apiVersion", "kind", "metadata", "spec")
_METADATA = ("name", "labels", "annotations")


@dataclass(frozen=True, slots=True)
class Loaded:
    """Entities by kind and name.

    `poisoned` holds (kind, name) of documents that had an error (`*` where one of them cannot be told, never both):
    whoever refers to them stays silent.
    """

    entities: Mapping[str, tuple[Entity[Any], ...]]
    poisoned: frozenset[tuple[str, str]]

    def may_have(self, kind: str) -> bool:
        """Whether a broken document may be of that kind, so that nothing can be said of what is missing."""
        return any(of in (kind, ANY_KIND) for of, _ in self.poisoned)


def load(documents: Iterable[Document], component_folders: Iterable[str] = ()) -> Outcome[Loaded]:
    """Checks every document; those below `component_folders` are plain manifests and skipped."""
    entities: dict[str, list[Entity[Any]]] = {kind: [] for kind in SPEC_BY_KIND}
    first: dict[tuple[str, str], Entity[Any]] = {}
    poisoned: set[tuple[str, str]] = set()
    found: list[Diagnostic] = []
    folders = tuple(f.rstrip("/") for f in component_folders)
    for document in documents:
        if any(document.path == f or document.path.startswith(f + "/") for f in folders):
            continue
        entity, diagnostics, name = _load_one(document)
        found.extend(diagnostics)
        if entity is None:
            poisoned.update([name] if name is not None else [])
            continue
        before = first.setdefault((_namespace_of(entity.kind), entity.name), entity)
        if before is entity:
            entities[entity.kind].append(entity)
        else:
            found.append(_duplicate(entity, before))
    by_kind = {kind: tuple(sorted(of_kind, key=lambda e: e.name)) for kind, of_kind in entities.items()}
    return Outcome(Loaded(by_kind, frozenset(poisoned)), tuple(found))


def definition_paths(documents: Iterable[Document]) -> tuple[str, ...]:
    """The paths that InventorySnapshot documents name as schemas of their cluster, as far as they can be read."""
    paths: dict[str, None] = {}
    for document in documents:
        data = document.data
        if isinstance(data, dict) and data.get("kind") == "InventorySnapshot" and isinstance(data.get("spec"), dict):
            crds = data["spec"].get("crds")  # type: ignore[union-attr]
            if isinstance(crds, list):
                paths.update(dict.fromkeys(path for path in crds if isinstance(path, str) and path.strip("/")))
    return tuple(paths)


def component_folders(documents: Iterable[Document]) -> tuple[str, ...]:
    """The paths that hold no input documents: manifests of Components, and definitions that snapshots name."""
    documents = tuple(documents)
    folders = list(definition_paths(documents))
    for document in documents:
        data = document.data
        if isinstance(data, dict) and data.get("kind") == "Component" and isinstance(data.get("spec"), dict):
            manifests = data["spec"].get("manifests")  # type: ignore[union-attr]
            if isinstance(manifests, str) and manifests.strip("/"):
                folders.append(manifests)
    return tuple(folders)


def _namespace_of(kind: str) -> str:
    return "Intent" if kind.endswith("Intent") else kind


def _duplicate(entity: Entity[Any], before: Entity[Any]) -> Diagnostic:
    what = "intent" if entity.kind.endswith("Intent") else entity.kind
    return error(
        "SP0303",
        f"the {what} `{entity.name}` is stated twice",
        entity.name_origin,
        "stated again here",
        secondary=(Label(before.name_origin, "first stated here"),),
        helps=("rename one of them, or remove it",),
    )


def _load_one(document: Document) -> tuple[Entity[Any] | None, list[Diagnostic], tuple[str, str] | None]:
    origin = Origin(document.path, document.index)
    data = document.data
    if not isinstance(data, dict):
        return (
            None,
            [error("SP0203", "a document must be a mapping with apiVersion, kind, metadata, and spec", origin)],
            None,
        )
    found = _check_envelope(data, origin)
    kind, metadata = data.get("kind"), data.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    model = SPEC_BY_KIND.get(kind) if isinstance(kind, str) else None
    known = _identity(str(kind) if model is not None else ANY_KIND, name)
    if model is None or any(d.code in ("SP0205", "SP0206") for d in found):
        return None, found, known
    spec = data.get("spec")
    if not isinstance(spec, dict):
        if "spec" in data:
            found.append(error("SP0203", f"`spec` of {kind} must be a mapping", origin / "spec"))
        return None, found, known
    validated = _validate_spec(model, spec, origin, found)
    if found or validated is None or not isinstance(metadata, dict) or not isinstance(name, str):
        return None, found, known
    labels: Any = metadata.get("labels") or {}
    annotations: Any = metadata.get("annotations") or {}
    return Entity(str(kind), name, labels, annotations, validated, origin), found, None


def _identity(kind: str, name: Any) -> tuple[str, str] | None:
    """Whom a broken document would have been; None where neither kind nor name can be told."""
    if isinstance(name, str):
        return kind, name
    return None if kind == ANY_KIND else (kind, ANY_NAME)


def _validate_spec(model: type[InputModel], spec: Any, origin: Origin, found: list[Diagnostic]) -> InputModel | None:
    try:
        return model.model_validate(spec)
    except ValidationError as problem:
        found.extend(explain_errors(problem, model, origin / "spec"))
        return None


def _check_envelope(data: dict[str, Any], origin: Origin) -> list[Diagnostic]:
    found: list[Diagnostic] = []
    version, kind = data.get("apiVersion"), data.get("kind")
    if "apiVersion" not in data or "kind" not in data:
        missing = "apiVersion" if "apiVersion" not in data else "kind"
        found.append(
            error("SP0202", f"the document lacks `{missing}`", origin, helps=(f"Stowplan's is `{API_VERSION}`",))
        )
        return found
    if version != API_VERSION:
        help_text = (
            f"the input language is `{API_VERSION}`",
            "plain manifests belong in a folder that a Component names as `manifests`",
        )
        found.append(error("SP0206", f"unknown API version `{version}`", origin / "apiVersion", helps=help_text))
        return found
    if not isinstance(kind, str) or kind not in SPEC_BY_KIND:
        found.append(
            error("SP0205", f"unknown kind `{kind}`", origin / "kind", helps=did_you_mean(str(kind), SPEC_BY_KIND))
        )
        return found
    for key in data:
        if key not in _TOP:
            found.append(error("SP0201", f"unknown field `{key}`", (origin / key).key(), helps=did_you_mean(key, _TOP)))
    if "spec" not in data:
        found.append(error("SP0202", f"the {kind} lacks `spec`", origin))
    found.extend(_check_metadata(kind, data.get("metadata"), "metadata" in data, origin))
    return found


def _check_metadata(kind: str, metadata: Any, present: bool, origin: Origin) -> list[Diagnostic]:
    if not isinstance(metadata, dict):
        where = origin / "metadata" if present else origin
        return [error("SP0203" if present else "SP0202", f"the {kind} needs `metadata` with a `name`", where)]
    found = []
    at = origin / "metadata"
    for key in metadata:
        if key not in _METADATA:
            helps = did_you_mean(key, _METADATA)
            found.append(error("SP0201", f"unknown field `metadata.{key}`", (at / key).key(), helps=helps))
    if "name" not in metadata:
        found.append(error("SP0202", f"the {kind} lacks `metadata.name`", at))
    else:
        try:
            _NAME.validate_python(metadata["name"])
        except ValidationError as problem:
            reason = problem.errors()[0]["msg"].removeprefix("Value error, ")
            found.append(error("SP0204", f"`{metadata['name']}` cannot be a name: {reason}", at / "name"))
    for part in ("labels", "annotations"):
        entries = metadata.get(part)
        if entries is not None and not isinstance(entries, dict):
            found.append(error("SP0203", f"`metadata.{part}` must be a mapping of text", at / part))
            continue
        for key, value in (entries or {}).items():
            if not isinstance(value, str):
                found.append(
                    error("SP0203", f"`metadata.{part}.{key}` must be text; put it in quotes", at / part / key)
                )
    return found
