"""Rules on what a MultiKueue manager connects to: its configurations, and how it reaches its workers."""

from __future__ import annotations

from collections.abc import Iterator

from stowplan.kueue.rules.base import Finding, problem, warn
from stowplan.kueue.tree import KueueTree, Side, spec_of
from stowplan.passes.lower.kueue.dialect import dialect_of

__all__ = ["SIDE_CHECKS"]


def automated(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2056: quota that Kueue writes itself cannot stand in Git."""
    for made in side.configs.values():
        if spec_of(made).get("quotaManagement") == "Automated":
            yield problem(
                "SP2056", made, ("spec", "quotaManagement"),
                f"{made.reference} lets Kueue overwrite the quota of its queues, which Git holds: the two never settle",
                "leave it to Manual; the rendered quota is the sum of the workers'",
            )  # fmt: skip


def kubeconfigs(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2058: connections by reference only, from places that Kueue takes."""
    secrets = side.cluster.observed.secrets if side.cluster.observed is not None else None
    namespace = side.cluster.spec.kueue.namespace
    for made in side.workers.values():
        source = spec_of(made).get("clusterSource") or spec_of(made)
        given = source.get("kubeConfig") or {}
        settings = side.cluster.spec.kueue
        if (
            "clusterProfileRef" in source
            and settings.configuration == "rendered"
            and not settings.credentials_providers
        ):
            yield warn(
                "SP2058", made, ("spec",),
                f"{made.reference} names a ClusterProfile, but the rendered configuration of `{side.name}` has no provider of "
                "credentials for it",
                f"name one in `kueue.credentialsProviders` of cluster `{side.name}`",
            )  # fmt: skip
        location = str(given.get("location", ""))
        if given.get("locationType", "Secret") == "Path":
            if not location.startswith("/etc/multikueue/kubeconfigs/"):
                yield warn(
                    "SP2058",
                    made,
                    ("spec",),
                    f"{made.reference} reads `{location}`, outside /etc/multikueue/kubeconfigs",
                )
        elif given and secrets is not None and f"{namespace}/{location}" not in secrets:
            yield warn(
                "SP2058", made, ("spec",),
                f"Secret `{namespace}/{location}` of {made.reference} was not seen on `{side.name}`",
                "the platform's owners make it: key `kubeconfig`, the token of the worker's service account",
            )  # fmt: skip
    for made in side.others:
        if made.kind == "Secret" and made.namespace == namespace and made.name.startswith("multikueue-"):
            yield problem("SP2058", made, (), f"{made.reference} holds a worker's credentials and may not be rendered")


def too_many(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2091: clusters of one configuration, and their order."""
    dialect = dialect_of(side.cluster)
    most = 10 if dialect is not None and not dialect.at_least(16) else 20
    for made in side.configs.values():
        names = spec_of(made).get("clusters") or []
        if len(names) > most:
            yield problem(
                "SP2091",
                made,
                ("spec", "clusters"),
                f"{made.reference} names {len(names)} clusters; Kueue takes {most}",
            )
        if len(set(names)) < len(names):
            yield problem("SP2091", made, ("spec", "clusters"), f"{made.reference} names a cluster twice")


SIDE_CHECKS = (automated, kubeconfigs, too_many)
