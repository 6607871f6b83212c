"""Pair rendered objects with what they were before: by API server, group, kind, namespace, and name, as a server does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from stowplan.model.previous import Changes, PreviousTree, Update
from stowplan.model.rendered import RenderedObject

__all__ = ["find_changes", "updates_in_place"]

_Key = tuple[str, str, str, str, str]
_KUSTOMIZATION = "kustomization.yaml"


def find_changes(
    objects: Sequence[RenderedObject], digests: Mapping[str, str], previous: PreviousTree | None
) -> Changes:
    """The changes from `previous` to `objects`, whose files have these `digests`; without a tree before, all are new.

    Of the old tree only files are read whose text is another one now. An object that lies elsewhere now, in another
    unit of the same API server, is still the same object.
    """
    if previous is None:
        return Changes(added=frozenset(made.path for made in objects))
    before = previous.digests
    changed = [made for made in objects if before.get(made.path) != digests[made.path]]
    if not changed:
        return Changes()
    moved = [made for made in changed if made.path not in before]
    left = _left_over(objects, moved, before) if moved else {}
    stay = {(server, before[path]): path for path, server in left.items()}
    gone = [made for made in moved if (made.unit.target.name, digests[made.path]) in stay]
    for made in gone:
        left.pop(stay[made.unit.target.name, digests[made.path]], None)
    kept = {made.path for made in gone}
    return _paired([made for made in changed if made.path not in kept], left, previous)


def updates_in_place(changes: Changes) -> tuple[Update, ...]:
    """The updates that the engines do in place; objects that they are told to make anew, or to leave, are left out."""
    return tuple(update for update in changes.updates.values() if not _is_made_anew(update.made))


def _is_made_anew(made: RenderedObject) -> bool:
    """Whether its engine has been told to delete and create the object where it cannot be changed, or to leave it."""
    annotations = made.object["metadata"].get("annotations") or {}
    if made.unit.target.engine == "argocd":
        options = {word.strip() for word in str(annotations.get("argocd.argoproj.io/sync-options", "")).split(",")}
        return {"Replace=true", "Force=true"} <= options
    return str(annotations.get("kustomize.toolkit.fluxcd.io/force", "")).lower() == "enabled" or str(
        annotations.get("kustomize.toolkit.fluxcd.io/ssa", "")
    ).lower() in ("ifnotpresent", "ignore")


def _left_over(
    objects: Iterable[RenderedObject], moved: Iterable[RenderedObject], before: Mapping[str, str]
) -> dict[str, str]:
    """Files of objects that are not rendered there any more, and their API server, where that has new objects."""
    paths = {made.path for made in objects}
    folders = {made.unit.target.folder: made.unit.target.name for made in objects}
    servers = {made.unit.target.name for made in moved}
    found = {}
    for path in sorted(before.keys() - paths):
        server = _server(path, folders)
        if server in servers and path.endswith(".yaml") and not path.endswith(f"/{_KUSTOMIZATION}"):
            found[path] = server
    return found


def _server(path: str, folders: Mapping[str, str]) -> str:
    """The API server that a file's objects go to; hubs are taken to be where they are now."""
    steps = path.split("/")
    if steps[0] == "clusters" and len(steps) > 2:
        return steps[1]
    if steps[:2] == ["gitops", "flux"] and len(steps) > 3:
        return steps[2]
    if steps[:2] == ["hubs", "karmada"]:
        return "karmada"
    return folders.get("/".join(steps[:2]), "") if steps[0] == "hubs" else folders.get(steps[0], "")


def _paired(changed: Iterable[RenderedObject], left: Mapping[str, str], previous: PreviousTree) -> Changes:
    waiting = list(changed)
    old: dict[_Key, tuple[Mapping[str, Any], str]] = {}
    unknown: dict[str, str] = {}
    servers = {made.path: made.unit.target.name for made in waiting if made.path in previous.digests}
    for path, server in {**servers, **left}.items():
        file = previous.read(path)
        if file.object is None:
            unknown[path] = file.problem
        else:
            old.setdefault(_old_key(server, file.object), (file.object, path))
    updates: dict[str, Update] = {}
    added, blind = set(), set()
    for made in waiting:
        found = old.get(_key(made))
        if found is not None:
            updates[made.path] = Update(made, *found)
        elif made.path in unknown:
            blind.add(made.path)
        else:
            added.add(made.path)
    return Changes(updates, frozenset(added), unknown, frozenset(blind))


def _key(made: RenderedObject) -> _Key:
    group = made.api_version.rpartition("/")[0]
    return made.unit.target.name, group, made.kind, made.namespace or "", made.name


def _old_key(server: str, old: Mapping[str, Any]) -> _Key:
    metadata = old["metadata"]
    group = str(old["apiVersion"]).rpartition("/")[0]
    return server, group, old["kind"], metadata.get("namespace") or "", metadata["name"]
