"""Rules on local queues and the borrowing tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from stowplan.diagnostics.suggest import did_you_mean
from stowplan.kueue.rules.base import Finding, problem, warn
from stowplan.kueue.tree import KueueTree, Side, amount_of, spec_of
from stowplan.model.rendered import RenderedObject

__all__ = ["SIDE_CHECKS"]


def local_targets(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2021: a LocalQueue leads to a ClusterQueue that there is, and lies in a namespace that there is."""
    for (namespace, name), made in side.local_queues.items():
        target = str(spec_of(made).get("clusterQueue"))
        if target not in side.queues:
            yield problem(
                "SP2021", made, ("spec", "clusterQueue"),
                f"LocalQueue `{namespace}/{name}` leads to ClusterQueue `{target}`, which there is not on `{side.name}`",
                *did_you_mean(target, side.queues),
            )  # fmt: skip
        if namespace not in side.namespaces and not _observed(side, namespace):
            yield problem(
                "SP2021", made, ("metadata", "namespace"),
                f"LocalQueue `{namespace}/{name}` lies in a namespace that there is not on `{side.name}`",
            )  # fmt: skip


def _observed(side: Side, namespace: str) -> bool:
    observed = side.cluster.observed
    return observed is not None and any(row.name == namespace for row in observed.namespaces)


def default_queue(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2022: a LocalQueue called `default` takes every job of its namespace that names none."""
    for (namespace, name), made in side.local_queues.items():
        if name == "default":
            yield warn(
                "SP2022", made, ("metadata", "name"),
                f"LocalQueue `default` of namespace `{namespace}`: Kueue puts every job made there without a queue into it, "
                "and suspends it",
                "call it otherwise, unless that is what you want",
            )  # fmt: skip


def _parent(made: Any) -> str | None:
    spec = spec_of(made)
    found = spec.get("parentName") if made.kind == "Cohort" else spec.get("cohortName") or spec.get("cohort")
    return str(found) if found else None


def cohorts(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2030: the tree has no circle, and no branch that is a misspelling."""
    members: dict[str, int] = {}
    for made in (*side.queues.values(), *side.cohorts.values()):
        name = _parent(made)
        if name is not None:
            members[name] = members.get(name, 0) + 1
    for made in (*side.queues.values(), *side.cohorts.values()):
        name = _parent(made)
        if name is not None and name not in side.cohorts and members[name] < 2:
            field = "parentName" if made.kind == "Cohort" else "cohortName"
            yield problem(
                "SP2030", made, ("spec", field),
                f"{made.reference} is alone in cohort `{name}`, which is rendered nowhere: Kueue makes a new, empty one of it",
                *did_you_mean(name, side.cohorts),
            )  # fmt: skip
    for made in side.cohorts.values():
        path = [made.name]
        while (above := _parent(side.cohorts[path[-1]])) in side.cohorts and above not in path:
            path.append(str(above))
        if above == made.name and made.name == min(path):
            yield problem(
                "SP2030", made, ("spec", "parentName"),
                f"cohorts are each other's parents: {' → '.join([*path, made.name])}; Kueue admits nothing in the whole tree",
            )  # fmt: skip


def cohort_quota(tree: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2032: a cohort's own quota comes on top of its members', and nodes stand behind both."""
    for flavor, pool in side.cluster.pools.items():
        resource = tree.fleet.flavors[flavor].spec.accelerator
        cohorts = _nominal(side.cohorts.values(), flavor, resource.resource) if resource is not None else {}
        if resource is None or not any(cohorts.values()):
            continue
        queues = sum(_nominal(side.queues.values(), flavor, resource.resource).values(), Fraction(0))
        total = queues + sum(cohorts.values(), Fraction(0))
        for made in side.cohorts.values() if total > pool.total_accelerators else ():
            if cohorts.get(made.name):
                yield warn(
                    "SP2032", made, ("spec", "resourceGroups"),
                    f"{made.reference} adds {cohorts[made.name]} {resource.resource} of `{flavor}` to what its queues have: "
                    f"{total} are promised on `{side.name}`, whose nodes have {pool.total_accelerators}",
                    "leave the cohort's quota out; queues of a cohort share what they have",
                )  # fmt: skip


def _nominal(objects: Iterable[RenderedObject], flavor: str, resource: str) -> dict[str, Fraction]:
    """Nominal quota of a resource in a flavor, by object."""
    found: dict[str, Fraction] = {}
    for made in objects:
        rows = [
            row
            for group in spec_of(made).get("resourceGroups") or []
            for one in group.get("flavors") or []
            for row in one.get("resources") or []
            if one.get("name") == flavor and row.get("name") == resource
        ]
        found[made.name] = sum((amount_of(row.get("nominalQuota")) or Fraction(0) for row in rows), Fraction(0))
    return found


def borrowing(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2031: a queue that may borrow of a flavor has somebody in its tree to borrow it from."""
    lenders: dict[tuple[str, str], list[str]] | None = None
    for made in side.queues.values():
        for g, group in enumerate(spec_of(made).get("resourceGroups") or []):
            for f, flavor in enumerate(group.get("flavors") or []):
                if not any(
                    "borrowingLimit" in r and _positive(r["borrowingLimit"]) for r in flavor.get("resources") or []
                ):
                    continue
                root = _root(side, made)
                lenders = _lenders(side) if lenders is None else lenders
                names = lenders.get((str(root), str(flavor.get("name"))), [])
                if root is not None and not [name for name in names if name != made.reference]:
                    yield warn(
                        "SP2031", made, ("spec", "resourceGroups", g, "flavors", f),
                        f"{made.reference} may borrow `{flavor.get('name')}` on `{side.name}`, but nobody in cohort `{root}` "
                        "has any to lend",
                    )  # fmt: skip


def _lenders(side: Side) -> dict[tuple[str, str], list[str]]:
    """Who has quota of a flavor, by the root of the tree and the flavor."""
    found: dict[tuple[str, str], list[str]] = {}
    for made in (*side.queues.values(), *side.cohorts.values()):
        root = _root(side, made)
        for group in spec_of(made).get("resourceGroups") or [] if root is not None else ():
            for flavor in group.get("flavors") or []:
                if any(_positive(row.get("nominalQuota")) for row in flavor.get("resources") or []):
                    found.setdefault((str(root), str(flavor.get("name"))), []).append(made.reference)
    return found


def _root(side: Side, made: Any) -> str | None:
    name, seen = _parent(made) or (made.name if made.kind == "Cohort" else None), set()
    while name in side.cohorts and name not in seen:
        seen.add(name)
        above = _parent(side.cohorts[name])
        if above is None:
            break
        name = above
    return name


def _positive(text: Any) -> bool:
    amount = amount_of(text)
    return amount is not None and amount > 0


SIDE_CHECKS = (local_targets, default_queue, cohorts, cohort_quota, borrowing)
