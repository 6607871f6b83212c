"""Rules on ClusterQueues: what Kueue's webhook refuses, and what makes a queue inactive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from stowplan.diagnostics.model import Label
from stowplan.kueue.rules.base import Finding, problem, warn
from stowplan.kueue.tree import MULTIKUEUE, KueueTree, Side, amount_of, check_names, labels_of, spec_of
from stowplan.model.rendered import RenderedObject
from stowplan.passes.lower.kueue.dialect import dialect_of
from stowplan.source.span import Pointer

__all__ = ["SIDE_CHECKS"]

_PROVISIONING = "kueue.x-k8s.io/provisioning-request"
_NANO = Fraction(1, 10**9)


def structure(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2010: names once, resources in one order, and counts within Kueue's limits."""
    for made in (*side.queues.values(), *side.cohorts.values()):
        groups = spec_of(made).get("resourceGroups") or []
        at = ("spec", "resourceGroups")
        if len(groups) > 16:
            yield problem("SP2010", made, at, f"{made.reference} has {len(groups)} resource groups; Kueue takes 16")
        flavors: dict[str, int] = {}
        resources: dict[str, int] = {}
        for g, group in enumerate(groups):
            yield from _group(made, g, group)
            for name in group.get("coveredResources") or []:
                if resources.setdefault(name, g) != g:
                    yield problem("SP2010", made, (*at, g), f"`{name}` of {made.reference} is in two resource groups")
            for row in group.get("flavors") or []:
                if flavors.setdefault(row.get("name"), g) != g:
                    yield problem(
                        "SP2010", made, (*at, g), f"flavor `{row.get('name')}` of {made.reference} is in two groups"
                    )
        for what, book in (("flavors", flavors), ("resources", resources)):
            if len(book) > 256:
                yield problem("SP2010", made, at, f"{made.reference} has {len(book)} {what}; Kueue takes 256")


def _group(made: RenderedObject, index: int, group: dict[str, Any]) -> Iterator[Finding]:
    covered = list(group.get("coveredResources") or [])
    flavors = group.get("flavors") or []
    at = ("spec", "resourceGroups", index)
    if len(covered) > 64 or len(flavors) > 64 or len(covered) * len(flavors) > 512:
        yield problem(
            "SP2010", made, at,
            f"group {index} of {made.reference} has {len(flavors)} flavors of {len(covered)} resources; Kueue takes 64 of 64, "
            "and 512 pairs",
        )  # fmt: skip
    for f, row in enumerate(flavors):
        named = [r.get("name") for r in row.get("resources") or []]
        if named != covered:
            yield problem(
                "SP2010", made, (*at, "flavors", f, "resources"),
                f"flavor `{row.get('name')}` of {made.reference} lists {', '.join(map(str, named)) or 'nothing'}; the group "
                f"covers {', '.join(covered)}, in this order",
                "list the covered resources in each flavor, in the same order",
            )  # fmt: skip
        for r, cell in enumerate(row.get("resources") or []):
            for field in ("nominalQuota", "borrowingLimit", "lendingLimit"):
                amount = amount_of(cell.get(field))
                if amount is not None and amount < 0:
                    yield problem(
                        "SP2010", made, (*at, "flavors", f, "resources", r, field),
                        f"`{field}` of `{cell.get('name')}` in {made.reference} is {cell[field]}, less than nothing",
                    )  # fmt: skip


def limits(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2011: limits need somebody to share with, and nobody lends more than it has."""
    for made in (*side.queues.values(), *side.cohorts.values()):
        spec = spec_of(made)
        shares = spec.get("cohortName") or spec.get("cohort") if made.kind == "ClusterQueue" else spec.get("parentName")
        for g, group in enumerate(spec.get("resourceGroups") or []):
            for f, flavor in enumerate(group.get("flavors") or []):
                for r, row in enumerate(flavor.get("resources") or []):
                    at = ("spec", "resourceGroups", g, "flavors", f, "resources", r)
                    for name in ("borrowingLimit", "lendingLimit"):
                        if name in row and not shares:
                            yield problem(
                                "SP2011", made, (*at, name), f"`{name}` of {made.reference} without a cohort: Kueue refuses it",
                                "name a cohort, or drop the limit",
                            )  # fmt: skip
                    lending, nominal = amount_of(row.get("lendingLimit")), amount_of(row.get("nominalQuota"))
                    is_queue = made.kind == "ClusterQueue"
                    if is_queue and "lendingLimit" in row and lending and nominal is not None and lending > nominal:
                        yield problem(
                            "SP2011", made, (*at, "lendingLimit"),
                            f"{made.reference} lends {row['lendingLimit']} of `{row.get('name')}` but has {row['nominalQuota']}",
                        )  # fmt: skip


def selector(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2012: the queue takes work of the namespaces whose local queues stand before it."""
    leading: dict[str, list[tuple[str, str]]] = {}
    for place, local in side.local_queues.items():
        leading.setdefault(str(spec_of(local).get("clusterQueue")), []).append(place)
    for made in side.queues.values():
        spec = spec_of(made)
        if spec.get("namespaceSelector") is None:
            yield problem(
                "SP2012", made, ("spec",), f"{made.reference} has no namespaceSelector: no namespace may submit to it",
                "select the namespaces, or write `{}` for all",
            )  # fmt: skip
            continue
        for namespace, name in leading.get(made.name, ()):
            space = side.namespaces.get(namespace)
            if space is None:
                continue
            if not selects(spec["namespaceSelector"], {**labels_of(space), "kubernetes.io/metadata.name": namespace}):
                yield problem(
                    "SP2012", made, ("spec", "namespaceSelector"),
                    f"{made.reference} does not select namespace `{namespace}`, whose LocalQueue `{name}` leads to it: its "
                    "work is never admitted",
                )  # fmt: skip


def selects(given: dict[str, Any], labels: dict[str, str]) -> bool:
    """Whether a label selector takes these labels; an empty one takes all."""
    if any(labels.get(key) != value for key, value in (given.get("matchLabels") or {}).items()):
        return False
    return all(_expression(row, labels) for row in given.get("matchExpressions") or [])


def _expression(row: dict[str, Any], labels: dict[str, str]) -> bool:
    found, values = labels.get(str(row.get("key"))), row.get("values") or []
    operator = row.get("operator")
    if operator == "In":
        return found in values
    if operator == "NotIn":
        return found not in values
    return (found is not None) is (operator == "Exists")


def preemption(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2013: combinations that Kueue refuses, or that do nothing."""
    for made in side.queues.values():
        spec = spec_of(made)
        given = spec.get("preemption") or {}
        reclaim, borrow = given.get("reclaimWithinCohort", "Never"), given.get("borrowWithinCohort") or {}
        in_cohort = bool(spec.get("cohortName") or spec.get("cohort"))
        at = ("spec", "preemption")
        if reclaim == "Never" and borrow.get("policy", "Never") != "Never":
            yield problem(
                "SP2013", made, at, f"{made.reference} borrows by preemption but never reclaims: Kueue refuses that",
                "set `reclaim` to LowerPriority or Any, or `borrow.policy` to Never",
            )  # fmt: skip
        elif borrow.get("policy", "Never") != "Never" and side.cluster.spec.kueue.fair_sharing:
            yield warn("SP2013", made, at, f"`borrowWithinCohort` of {made.reference} does nothing under fair sharing")
        if in_cohort and reclaim == "Never" and _has_nominal(spec):
            yield warn(
                "SP2013", made, at, f"{made.reference} lends quota but never reclaims it: it may wait behind its borrowers",
                "set `queueing.preemption.reclaim` to Any",
            )  # fmt: skip


def crashing(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2019: no queue that takes down the scheduler of its release.

    With fair sharing, the search for whom to preempt goes on in the cohort when the queue's own work is used up, and 0.11
    to 0.17 do not look whether there is one.
    """
    cluster = side.cluster
    dialect = dialect_of(cluster)
    if dialect is None or not cluster.spec.kueue.fair_sharing or not dialect.at_least(11) or dialect.at_least(18):
        return
    causes = (
        Label(cluster.entity.at("kueue", "fairSharing"), "fair sharing is on"),
        Label(cluster.entity.at("components", "kueue"), "repaired in 0.18"),
    )
    for made in side.queues.values():
        spec = spec_of(made)
        within = (spec.get("preemption") or {}).get("withinClusterQueue", "Never")
        if within != "Never" and not (spec.get("cohortName") or spec.get("cohort")):
            message = (
                f"{made.reference} is in no cohort and may preempt: Kueue {cluster.spec.components['kueue']} on "
                f"`{side.name}` dies, again and again, once all of its own work that may be preempted is not enough for "
                "what waits"
            )
            found = warn(
                "SP2019", made, ("spec", "preemption"), message,
                "name a cohort, set `queueing.preemption.withinQueue` to Never, or run Kueue 0.18 or newer",
            )  # fmt: skip
            yield replace(found, beside=causes)


def _has_nominal(spec: dict[str, Any]) -> bool:
    rows = [
        r for g in spec.get("resourceGroups") or [] for f in g.get("flavors") or [] for r in f.get("resources") or []
    ]
    return any(amount_of(row.get("nominalQuota")) for row in rows)


def preference(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2014: a preference between borrowing and preempting needs both to look at every flavor first."""
    for made in side.queues.values():
        given = spec_of(made).get("flavorFungibility") or {}
        both = (given.get("whenCanBorrow"), given.get("whenCanPreempt")) == ("TryNextFlavor", "TryNextFlavor")
        if given.get("preference") is not None and not both:
            yield problem(
                "SP2014", made, ("spec", "flavorFungibility", "preference"),
                f"`preference` of {made.reference} needs `whenCanBorrow` and `whenCanPreempt` to be TryNextFlavor",
            )  # fmt: skip


def active(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2015: every reference of a queue is there, so that Kueue activates it."""
    for made in side.queues.values():
        for reason, message, at in inactive_reasons(side, made):
            if reason != "Stopped":
                text = f"{made.reference} would be inactive on `{side.name}` ({reason}): {message}"
                yield problem("SP2015", made, at, text)


def inactive_reasons(side: Side, made: RenderedObject) -> Iterator[tuple[str, str, Pointer]]:
    """Kueue's reasons for not activating a queue, each with its cause and the field that has it."""
    spec = spec_of(made)
    if spec.get("stopPolicy", "None") != "None":
        yield "Stopped", f"stopPolicy is {spec['stopPolicy']}", ("spec", "stopPolicy")
    is_dispatched = side.multikueue_check(made) is not None
    for g, group in enumerate(spec.get("resourceGroups") or []):
        for f, row in enumerate(group.get("flavors") or []):
            flavor = side.flavors.get(str(row.get("name")))
            at: Pointer = ("spec", "resourceGroups", g, "flavors", f, "name")
            if flavor is None:
                yield "FlavorNotFound", f"there is no ResourceFlavor `{row.get('name')}`", at
                continue
            topology = spec_of(flavor).get("topologyName")
            if topology is not None and topology not in side.topologies and not is_dispatched:
                yield "TopologyNotFound", f"there is no Topology `{topology}` for flavor `{flavor.name}`", at
    for index, name in enumerate(check_names(made)):
        check = side.checks.get(name)
        at = ("spec", "admissionChecksStrategy", "admissionChecks", index, "name")
        if check is None:
            yield "AdmissionCheckNotFound", f"there is no AdmissionCheck `{name}`", at
        elif not _resolves(side, check):
            parameters = spec_of(check).get("parameters") or {}
            yield "AdmissionCheckInactive", f"check `{name}` names no {parameters.get('kind')} that there is", at


def _resolves(side: Side, check: RenderedObject) -> bool:
    spec = spec_of(check)
    name = (spec.get("parameters") or {}).get("name")
    if spec.get("controllerName") == MULTIKUEUE:
        config = side.configs.get(str(name))
        return config is not None and any(c in side.workers for c in spec_of(config).get("clusters") or [])
    if spec.get("controllerName") == _PROVISIONING:
        return str(name) in side.provisioning
    return True


def on_flavors(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2016: a check on flavors names flavors of the queue."""
    for made in side.queues.values():
        spec = spec_of(made)
        mine = {f.get("name") for g in spec.get("resourceGroups") or [] for f in g.get("flavors") or []}
        for index, row in enumerate((spec.get("admissionChecksStrategy") or {}).get("admissionChecks") or []):
            for name in row.get("onFlavors") or []:
                if name not in mine:
                    at = ("spec", "admissionChecksStrategy", "admissionChecks", index, "onFlavors")
                    yield problem(
                        "SP2016",
                        made,
                        at,
                        f"check `{row.get('name')}` of {made.reference} is on `{name}`, no flavor of it",
                    )


def weights(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2017: a weight is nothing, or large enough to count."""
    for made in (*side.queues.values(), *side.cohorts.values()):
        weight = amount_of((spec_of(made).get("fairSharing") or {}).get("weight", 1))
        if weight is not None and (weight < 0 or 0 < weight <= _NANO):
            yield problem(
                "SP2017", made, ("spec", "fairSharing", "weight"),
                f"the weight of {made.reference} is {spec_of(made)['fairSharing']['weight']}: Kueue refuses what is negative, or "
                "a thousand millionth and less",
            )  # fmt: skip


SIDE_CHECKS = (structure, limits, selector, preemption, crashing, preference, active, on_flavors, weights)
