"""Which schemas count for which target: the shipped packs, a cluster's own, and the built-in kinds of its minor."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

from stowplan.diagnostics.model import Diagnostic, Outcome, error
from stowplan.model.devices import CLAIMS_GROUP
from stowplan.model.fleet import Fleet
from stowplan.model.manifest import Target
from stowplan.resources import builtin_folder
from stowplan.schema.definitions import whole_pack
from stowplan.schema.pack import Pack, PackError, read_pack
from stowplan.schema.sets import SchemaSet
from stowplan.source.files import SourceTree
from stowplan.source.inputs import PACK_SUFFIX
from stowplan.source.span import Origin

__all__ = ["fleet_schemas", "own_packs", "schema_sets", "shipped_packs"]


@cache
def shipped_packs() -> tuple[Pack, ...]:
    """The packs of custom kinds that ship with the compiler, by file name."""
    folder = builtin_folder("packs")
    return tuple(read_pack(path.read_bytes(), path.stem) for path in sorted(folder.glob("*.pack")))


def fleet_schemas(fleet: Fleet, own: dict[str, tuple[Pack, ...]] | None = None) -> Callable[[Target], SchemaSet]:
    """Schema sets by target, shared by targets of one minor, packs, and betas; `own` are clusters' packs by name."""
    made: dict[tuple[int, frozenset[str], tuple[int, ...]], SchemaSet] = {}

    def schemas_for(target: Target) -> SchemaSet:
        hub = fleet.spec.hubs.karmada
        if target.is_karmada and hub is not None:
            minor, served = int(hub.kubernetes.split(".")[1]), frozenset(hub.apis)
        else:
            minor, served = fleet.clusters[target.cluster].minor, fleet.clusters[target.cluster].apis
        betas = frozenset(api for api in served if api.startswith(f"{CLAIMS_GROUP}/") and "beta" in api)
        packs = (*(own or {}).get(target.name, ()), *shipped_packs())
        key = (minor, betas, tuple(map(id, packs)))
        if key not in made:
            made[key] = SchemaSet(packs, minor, betas)
        return made[key]

    return schemas_for


def schema_sets(fleet: Fleet, schemas_for: Callable[[Target], SchemaSet]) -> tuple[SchemaSet, ...]:
    """The sets of all clusters, each once, whether something is rendered for them or not."""
    targets = (Target(f"clusters/{name}", name, name, "") for name in fleet.clusters)
    return tuple({id(one): one for one in map(schemas_for, targets)}.values())


def own_packs(fleet: Fleet, tree: SourceTree) -> Outcome[dict[str, tuple[Pack, ...]]]:
    """The packs that clusters' snapshots name, by cluster; a pack that several clusters name is read once."""
    found: list[Diagnostic] = []
    known: dict[str, Pack | None] = {}
    own: dict[str, tuple[Pack, ...]] = {}
    for cluster in fleet.clusters.values():
        snapshot = cluster.snapshot
        packs = []
        for index, path in enumerate(snapshot.spec.crds if snapshot is not None else ()):
            assert snapshot is not None
            if path not in known:
                known[path] = _own_pack(path, tree, snapshot.at("crds", index), found)
            packs.append(known[path])
        if any(packs):
            own[cluster.name] = tuple(pack for pack in packs if pack is not None)
    return Outcome(own, tuple(found))


def _own_pack(path: str, tree: SourceTree, at: Origin, found: list[Diagnostic]) -> Pack | None:
    """The pack in a file of the workspace, or of the definitions in a file or folder of it."""
    name = path.strip("/")
    if name.endswith(PACK_SUFFIX) and name in tree.packs:
        try:
            return whole_pack(read_pack(tree.packs[name], name))
        except (PackError, ValueError) as problem:
            found.append(error("SP0816", f"`{path}` cannot be used: {problem}", at))
            return None
    texts = {file.path: file.text for file in tree.files if file.path == name or file.path.startswith(name + "/")}
    if not texts:
        helps = (
            "paths start at the workspace's root; files are looked for below `fleet`, `policies`, and `templates`",
        )
        found.append(error("SP0816", f"no schema pack or definition file `{path}`", at, helps=helps))
        return None
    return _imported(texts.items(), name, found)


def _imported(texts: Iterable[tuple[str, str]], name: str, found: list[Diagnostic]) -> Pack:
    from stowplan.schema.importing import import_texts

    outcome = import_texts(texts, name)
    found.extend(outcome.diagnostics)
    return outcome.value
