"""Policies on Karmada's API server: one that claims each template by name, and overrides of one object each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from stowplan.model.fleet import Fleet
from stowplan.model.manifest import Manifest
from stowplan.model.quantity import parse_duration
from stowplan.source.span import Origin

__all__ = ["Claimed", "override_policy", "propagation_policies"]

_SILENT = ("cluster.karmada.io/not-ready", "cluster.karmada.io/unreachable")
_LONGEST = 63
_MARKS = ("stowplan.io/intent", "stowplan.io/tenant")


@dataclass(frozen=True, slots=True)
class Claimed:
    """A template: its apiVersion, kind, namespace, and name; the members it goes to; the name of its override policy."""

    reference: tuple[str, str, str | None, str]
    members: tuple[str, ...]
    override: str | None
    manifest: Manifest


def override_policy(
    manifest: Manifest,
    reference: tuple[str, str, str | None, str],
    rules: list[Any],
    origins: Mapping[Any, Origin],
) -> Manifest:
    """The overrides of one object; a policy for several kinds would fail on what one of them lacks."""
    _, kind, namespace, name = reference
    variables = {
        "kind": "ClusterOverridePolicy" if namespace is None else "OverridePolicy",
        "name": _short(f"{kind.lower()}-{name.replace(':', '-')}"),
        "namespace": namespace,
        "labels": _labels(manifest),
        "selector": _selector(reference),
        "rules": rules,
    }
    return _policy(manifest, "karmada/overridepolicy", variables, origins)


def propagation_policies(fleet: Fleet, source: str, claimed: Sequence[Claimed]) -> Iterator[Manifest]:
    """One policy for each namespace and set of members; where objects are cluster-wide, a cluster-wide one.

    Placement is `Duplicated` on named clusters: the plan has chosen, and numbers of replicas are overrides or the
    members' autoscalers'. Nothing is left to dependencies: every template is selected by name.
    """
    groups: dict[tuple[str | None, tuple[str, ...]], list[Claimed]] = {}
    for one in claimed:
        groups.setdefault((one.reference[2], one.members), []).append(one)
    most = max((len(members) for _, members in groups), default=0)
    name = source.replace("/", "-", 1) if source.startswith("component/") else source.partition("/")[2]
    for (namespace, members), group in groups.items():
        whole = len(members) == most and sum(n == namespace and len(m) == most for n, m in groups) == 1
        variables: dict[str, Any] = {
            "kind": "ClusterPropagationPolicy" if namespace is None else "PropagationPolicy",
            "name": name if whole else _short(f"{name}-{'-'.join(members)}"),
            "namespace": namespace,
            "labels": _labels(group[0].manifest),
            "selectors": [_selector(one.reference) for one in sorted(group, key=lambda c: _order(c.reference))],
            "overrides": sorted({one.override for one in group if one.override is not None}),
            "clusters": list(members),
            **_failover(fleet),
        }
        yield _policy(group[0].manifest, "karmada/propagationpolicy", variables)


def _failover(fleet: Fleet) -> dict[str, Any]:
    """How long a member may be silent, and how its copy goes; nothing where the fleet has no such policy."""
    if not fleet.policies.failover:
        return {"tolerations": [], "purge": None}
    spec = fleet.policies.failover[0].spec
    forever = spec.purge == "Never"
    patience = {} if forever else {"tolerationSeconds": int(parse_duration(spec.toleration))}
    tolerations = [{"key": key, "operator": "Exists", "effect": "NoExecute", **patience} for key in _SILENT]
    return {"tolerations": tolerations, "purge": None if forever else spec.purge}


def _policy(
    manifest: Manifest, template: str, variables: dict[str, Any], origins: Mapping[Any, Origin] | None = None
) -> Manifest:
    places = {(): manifest.origins[()], **(origins or {})}
    return Manifest(manifest.unit, template, variables, places, manifest.source, "gitops")


def _selector(reference: tuple[str, str, str | None, str]) -> dict[str, str]:
    api_version, kind, namespace, name = reference
    made = {"apiVersion": api_version, "kind": kind, "name": name}
    return made if namespace is None else {**made, "namespace": namespace}


def _order(reference: tuple[str, str, str | None, str]) -> tuple[str, ...]:
    return tuple(part or "" for part in reference)


def _labels(manifest: Manifest) -> dict[str, str]:
    given = manifest.variables.get("labels")
    return {key: given[key] for key in _MARKS if key in given} if isinstance(given, dict) else {}


def _short(name: str) -> str:
    if len(name) <= _LONGEST:
        return name
    return f"{name[: _LONGEST - 9].rstrip('-.')}-{sha256(name.encode()).hexdigest()[:8]}"
