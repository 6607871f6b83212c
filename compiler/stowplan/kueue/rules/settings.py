"""Rules on how a cluster's Kueue is configured: it does not start with a gate or an integration that its release lacks."""

from __future__ import annotations

from collections.abc import Iterator

from stowplan.diagnostics.model import Severity
from stowplan.diagnostics.suggest import did_you_mean
from stowplan.kueue.releases import GROUPS, gate_words, gates_of, integrations_of, is_known
from stowplan.kueue.rules.base import Finding
from stowplan.kueue.tree import KueueTree
from stowplan.model.fleet import Cluster
from stowplan.passes.lower.kueue.dialect import dialect_of
from stowplan.source.span import Origin

__all__ = ["CHECKS"]


def known_settings(tree: KueueTree) -> Iterator[Finding]:
    """SP2096, further: gates and integrations that are stated are those of the declared release."""
    for cluster in tree.fleet.clusters.values():
        dialect = dialect_of(cluster)
        if dialect is not None and dialect.version[0] == 0 and is_known(dialect.version[1]):
            yield from _gates(cluster, dialect.version[1], dialect.version[2])
            yield from _integrations(cluster, dialect.version[1])


def _gates(cluster: Cluster, minor: int, patch: int) -> Iterator[Finding]:
    has_patch = cluster.spec.components["kueue"].count(".") > 1
    known = gates_of(minor, patch if has_patch else None)
    named = f"0.{minor}.{patch}" if has_patch else f"0.{minor}"
    for name, is_on in cluster.spec.kueue.feature_gates.items():
        at = cluster.entity.at("kueue", "featureGates", name)
        if name in GROUPS:
            continue
        if name not in known:
            helps = (*did_you_mean(name, known), *(filter(None, (gate_words(name, minor),))))
            yield _error(
                cluster,
                at,
                f"Kueue {named} on `{cluster.name}` knows no gate `{name}`, and does not start with it",
                helps,
            )
        elif known[name][1] and known[name][0] != is_on:
            fixed = "on" if known[name][0] else "off"
            yield _error(
                cluster, at, f"gate `{name}` is fixed to {fixed} in Kueue 0.{minor} on `{cluster.name}`, which does not start with "
                "another value",
                ("leave it out",),
            )  # fmt: skip


def _integrations(cluster: Cluster, minor: int) -> Iterator[Finding]:
    known = integrations_of(minor)
    for index, name in enumerate(cluster.spec.kueue.frameworks):
        if name not in known:
            yield _error(
                cluster, cluster.entity.at("kueue", "frameworks", index),
                f"Kueue 0.{minor} on `{cluster.name}` has no integration `{name}`, and does not start with it",
                did_you_mean(name, known),
            )  # fmt: skip


def _error(cluster: Cluster, at: Origin, message: str, helps: tuple[str, ...]) -> Finding:
    return Finding("SP2096", Severity.ERROR, message, origin=at, helps=helps, targets=(cluster.name,))


CHECKS = (known_settings,)
