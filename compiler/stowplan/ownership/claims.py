"""Which Karmada policies claim which templates, and into which members they carry them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from stowplan.ownership.rendered import ClusterFacts, RenderedObject

__all__ = ["Claim", "claims_in", "propagated_copies", "retained_kinds"]

_POLICIES: Final = ("PropagationPolicy", "ClusterPropagationPolicy")
_OWN_GROUPS: Final = ("policy.karmada.io", "work.karmada.io", "cluster.karmada.io", "config.karmada.io")


@dataclass(frozen=True, slots=True)
class Claim:
    """A template, all policies that select it, and the members that the first of them names."""

    template: RenderedObject
    policies: tuple[RenderedObject, ...]
    members: tuple[str, ...]


def claims_in(objects: Iterable[RenderedObject], clusters: Mapping[str, ClusterFacts]) -> tuple[Claim, ...]:
    """All claims of templates by policies, for every target that is a Karmada API server."""
    by_target: dict[str, list[RenderedObject]] = {}
    for candidate in objects:
        facts = clusters.get(candidate.target)
        if facts is not None and facts.hub == "karmada":
            by_target.setdefault(candidate.target, []).append(candidate)
    return tuple(claim for target in sorted(by_target) for claim in _claims(by_target[target], clusters))


def _claims(objects: Sequence[RenderedObject], clusters: Mapping[str, ClusterFacts]) -> Iterator[Claim]:
    policies = [candidate for candidate in objects if candidate.kind in _POLICIES]
    by_kind: dict[tuple[str, str], list[tuple[RenderedObject, Mapping[str, Any]]]] = {}
    for policy in policies:
        for selector in _dicts(_at(policy.object, "spec", "resourceSelectors")):
            kind = (str(selector.get("apiVersion", "")), str(selector.get("kind", "")))
            by_kind.setdefault(kind, []).append((policy, selector))
    for template in objects:
        if template.key[0] in _OWN_GROUPS:
            continue
        found: dict[int, RenderedObject] = {}
        for policy, selector in by_kind.get((template.api_version, template.kind), ()):
            if _selects(policy, selector, template):
                found.setdefault(id(policy), policy)
        if found:
            claiming = tuple(found.values())
            yield Claim(template, claiming, _members(claiming[0], clusters))


def _selects(policy: RenderedObject, selector: Mapping[str, Any], template: RenderedObject) -> bool:
    if policy.kind == "PropagationPolicy":
        if policy.namespace != template.namespace:
            return False
    elif selector.get("namespace") and selector["namespace"] != template.namespace:
        return False
    if selector.get("name"):
        return bool(selector["name"] == template.name)
    return matches_labels(selector.get("labelSelector"), template.metadata_map("labels"))


def matches_labels(selector: Any, labels: Mapping[str, Any]) -> bool:
    """Whether a label selector takes these labels; an absent one takes all."""
    if not isinstance(selector, dict):
        return True
    wanted = selector.get("matchLabels") or {}
    if any(labels.get(key) != value for key, value in wanted.items()):
        return False
    return all(_matches_expression(expression, labels) for expression in _dicts(selector.get("matchExpressions")))


def _matches_expression(expression: Mapping[str, Any], labels: Mapping[str, Any]) -> bool:
    key, operator = str(expression.get("key", "")), expression.get("operator")
    values = expression.get("values") or ()
    if operator == "In":
        return labels.get(key) in values
    if operator == "NotIn":
        return labels.get(key) not in values
    return (key in labels) is (operator == "Exists")


def _members(policy: RenderedObject, clusters: Mapping[str, ClusterFacts]) -> tuple[str, ...]:
    """Members that the policy's placement may choose; all of them where it names none."""
    placement = _at(policy.object, "spec", "placement")
    placement = placement if isinstance(placement, dict) else {}
    terms = (*_dicts([placement.get("clusterAffinity")]), *_dicts(placement.get("clusterAffinities")))
    chosen: set[str] = set()
    for term in terms or ({},):
        chosen.update(_term_members(term, clusters))
    return tuple(sorted(chosen))


def _term_members(term: Mapping[str, Any], clusters: Mapping[str, ClusterFacts]) -> Iterator[str]:
    names, excluded = term.get("clusterNames") or (), term.get("exclude") or ()
    for name, facts in clusters.items():
        if facts.hub or name in excluded or (names and name not in names):
            continue
        if matches_labels(term.get("labelSelector"), facts.labels):
            yield name


def propagated_copies(claims: Iterable[Claim]) -> tuple[RenderedObject, ...]:
    """The templates as they arrive in members; path and unit stay those of the template."""
    return tuple(
        replace(claim.template, target=member, engine="karmada", delivered_by="karmada")
        for claim in claims
        for member in claim.members
    )


def retained_kinds(objects: Iterable[RenderedObject]) -> frozenset[tuple[str, str]]:
    """The (apiVersion, kind) pairs for which a rendered ResourceInterpreterCustomization has a retention script."""
    found = set()
    for candidate in objects:
        if candidate.kind != "ResourceInterpreterCustomization":
            continue
        if _at(candidate.object, "spec", "customizations", "retention"):
            target = _at(candidate.object, "spec", "target")
            if isinstance(target, dict):
                found.add((str(target.get("apiVersion", "")), str(target.get("kind", ""))))
    return frozenset(found)


def _at(data: Any, *names: str) -> Any:
    for name in names:
        if not isinstance(data, dict):
            return None
        data = data.get(name)
    return data


def _dicts(data: Any) -> tuple[Mapping[str, Any], ...]:
    return tuple(entry for entry in data if isinstance(entry, dict)) if isinstance(data, list) else ()
