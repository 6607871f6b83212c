"""A workspace on disk: reads its files and lock, compiles, and knows what is to be written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from stowplan.diagnostics.model import Diagnostic
from stowplan.driver import Compilation, Options, compile_workspace
from stowplan.emission.lock import LOCK_NAME, Lock, file_digests, parse_lock
from stowplan.emission.paths import OUTPUT
from stowplan.emission.previous import previous_tree
from stowplan.model.previous import PreviousTree
from stowplan.passes.placement.problem import Previous
from stowplan.passes.placement.settled import is_settled
from stowplan.source.faults import EnvironmentFault
from stowplan.source.files import SourceTree
from stowplan.source.inputs import Inputs, digest_of
from stowplan.version import __version__

__all__ = ["LOCK_NAME", "OUTPUT", "compile_directory", "make_lock", "read_lock", "says_the_same_again", "tree_of"]


def compile_directory(root: Path, options: Options | None = None, inputs: Inputs | None = None) -> Compilation:
    """Reads and compiles the workspace at `root`; the lock's assignments are preferred where there is one.

    `inputs` are the workspace's files where they have been read already.

    Raises:
        EnvironmentFault: a folder is missing, or something cannot be read.
    """
    options = options or Options()
    tree = SourceTree.read(root) if inputs is None else SourceTree.parse(inputs)
    lock, complaints = read_lock(root)
    if lock is not None and not options.previous:
        options = replace(options, previous=_previous(lock.assignments))
    if lock is not None and options.tree_before is None:
        options = replace(options, tree_before=previous_tree(root / OUTPUT, lock, OUTPUT))
    done = compile_workspace(tree, options)
    done.diagnostics.extend(complaints)
    done.lock_was_sound = not complaints
    return done


def says_the_same_again(done: Compilation, lock: Lock, *, upgrade: bool) -> bool:
    """Whether a compile that finds this lock, just written by `done`, would find nothing to write and say the same."""
    if done.fleet is None or done.placer is None or done.plan is None or not done.lock_was_sound:
        return False
    return is_settled(done.fleet, done.placer, done.plan, _previous(lock.assignments), upgrade=upgrade)


def tree_of(checkout: Path) -> PreviousTree:
    """The rendered tree of another checkout, or the one that `checkout` itself is.

    Raises:
        EnvironmentFault: there is no rendered tree, or its lock cannot be used.
    """
    root = checkout if (checkout / LOCK_NAME).is_file() else checkout / OUTPUT
    lock, complaints = _lock_in(root, str(root))
    if lock is None:
        why = complaints[0].message if complaints else "it has no lock"
        raise EnvironmentFault(f"`{root}` is no rendered tree: {why}")
    return previous_tree(root, lock, str(root))


def read_lock(root: Path) -> tuple[Lock | None, tuple[Diagnostic, ...]]:
    """The lock of the rendered tree, None where there is none yet."""
    return _lock_in(root / OUTPUT, OUTPUT)


def _lock_in(tree: Path, name: str) -> tuple[Lock | None, tuple[Diagnostic, ...]]:
    try:
        content = (tree / LOCK_NAME).read_bytes()
    except FileNotFoundError:
        return None, ()
    except OSError as problem:
        raise EnvironmentFault(f"cannot read {name}/{LOCK_NAME}: {problem.strerror}") from problem
    outcome = parse_lock(f"{name}/{LOCK_NAME}", content)
    return outcome.value, outcome.diagnostics


def make_lock(done: Compilation) -> Lock:
    """The lock of a compile: what it read and decided, and the digests of its files."""
    fleet, plan = done.fleet, done.plan
    assert fleet is not None
    assert plan is not None
    inputs = {file.path: file.digest for file in done.tree.files}
    inputs.update({template.path: template.digest for template in done.tree.templates})
    inputs.update({path: digest_of(raw) for path, raw in done.tree.packs.items()})
    snapshots = {c.name: c.observed.observed_at for c in fleet.clusters.values() if c.observed is not None}
    assignments: dict[str, list[dict[str, Any]]] = {}
    for placement in plan.placements.values():
        if placement.assignments:
            assignments[placement.workload] = [
                {
                    "cluster": a.cluster,
                    "flavor": a.flavor,
                    "domain": list(a.domain) if a.domain else None,
                    "units": a.units,
                }
                for a in placement.assignments
            ]
    return Lock(__version__, inputs, snapshots, assignments, file_digests(done.files or {}, done.digests))


def _previous(assignments: Mapping[str, Any]) -> dict[str, Sequence[Previous]]:
    """The lock's decisions; entries of another shape are ignored, as if the workload were new."""
    found: dict[str, Sequence[Previous]] = {}
    for name, rows in assignments.items():
        if not isinstance(rows, list):
            continue
        kept = []
        for row in rows:
            if isinstance(row, dict) and isinstance(row.get("cluster"), str) and isinstance(row.get("flavor"), str):
                domain = row.get("domain")
                path = tuple(map(str, domain)) if isinstance(domain, list) else None
                kept.append(Previous(row["cluster"], row["flavor"], path, int(row.get("units", 1))))
        found[name] = kept
    return found
