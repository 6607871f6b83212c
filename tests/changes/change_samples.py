"""Compiles the workspace of `stowplan init` twice, the second time as a change of what the first made."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import yaml

from stowplan.diagnostics.model import Diagnostic
from stowplan.diagnostics.placed import place_all
from stowplan.driver import Compilation, Options, compile_workspace
from stowplan.emission.lock import file_digests
from stowplan.model.previous import PreviousFile, PreviousTree
from stowplan.resources import builtin_folder
from stowplan.source.files import SourceTree

DATA = Path(__file__).parents[1] / "data"
INIT = builtin_folder("init")
BASE = {p.relative_to(INIT).as_posix(): p.read_text() for p in sorted(INIT.rglob("*.yaml"))}

COMPONENT = """apiVersion: stowplan.io/v1alpha1
kind: Component
metadata: {name: own}
spec:
  manifests: fleet/components/own
  selector: {clusters: [east]}
"""
MANIFEST = "fleet/components/own/a.yaml"


def component(text: str, crds: str = "") -> dict[str, str]:
    """Files of a workspace that renders these manifests for cluster `east`; `crds` are definitions of that cluster."""
    files = {"fleet/own.yaml": COMPONENT, MANIFEST: text}
    if crds:
        inventory = "fleet/inventory/east.yaml"
        files |= {inventory: BASE[inventory] + "  crds: [fleet/crds]\n", "fleet/crds/own.yaml": crds}
    return files


@cache
def _compiled(files: tuple[tuple[str, str], ...]) -> Compilation:
    return compile_workspace(SourceTree.from_texts(dict(files)))


def tree_of(done: Compilation) -> PreviousTree:
    """What a compile rendered, as the tree before the next one."""
    assert done.rendered is not None, [f"{d.code} {d.message}" for d in done.diagnostics]
    files = {made.path: made.text for made in done.rendered.objects}
    return PreviousTree("rendered", file_digests(files), lambda path: PreviousFile(yaml.safe_load(files[path])))


def compile_change(before: Mapping[str, str], after: Mapping[str, str]) -> Compilation:
    """The compile of `after` where `before` was rendered; both are laid over the small workspace."""
    tree = tree_of(_compiled(tuple({**BASE, **before}.items())))
    return compile_workspace(SourceTree.from_texts({**BASE, **after}), Options(tree_before=tree))


def told(done: Compilation, *codes: str) -> list[Diagnostic]:
    """The findings about changes, or those of these codes."""
    wanted = codes or ("SP0830", "SP0831", "SP2020", "SP2064", "SP2075")
    return [d for d in done.diagnostics if d.code in wanted]


def line_of(done: Compilation, diagnostic: Diagnostic) -> str:
    """`path:line` of a finding."""
    place = place_all((diagnostic,), done.tree.locate)[0].primary.place
    assert place is not None
    assert place.span is not None
    return f"{place.path}:{place.span.line}"
