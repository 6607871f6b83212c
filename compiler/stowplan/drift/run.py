"""The drift command without its command line: reads rendered tree and clusters, compares, says how it went."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stowplan.diagnostics.model import Diagnostic
from stowplan.drift.findings import drift_diagnostics
from stowplan.drift.live import read_clusters
from stowplan.drift.model import ClusterStatus, DesiredObject, DriftReport, LiveCluster
from stowplan.drift.readers import read_exports
from stowplan.drift.rendered import read_rendered_tree
from stowplan.drift.report import DriftFacts, compare

__all__ = ["DriftOptions", "DriftOutcome", "run_drift"]


@dataclass(frozen=True, slots=True)
class DriftOptions:
    """What to compare with what.

    `live` is a folder of exports, `contexts` maps clusters to kubeconfig contexts; both may be given. `desired` are the
    rendered objects by target if they are at hand, else they are read from `rendered`. `engines` names who applies to
    each target (`*` for all others). `clusters` restricts the comparison. `earlier` is a folder of older exports, by which
    fights are seen. `check_tree` compares the rendered tree with its lock and returns what differs.
    """

    rendered: Path
    live: Path | None = None
    contexts: Mapping[str, str] = field(default_factory=dict)
    kubeconfig: str | None = None
    timeout: float = 20.0
    engines: Mapping[str, str] = field(default_factory=dict)
    clusters: frozenset[str] | None = None
    facts: DriftFacts = field(default_factory=DriftFacts)
    desired: Mapping[str, Sequence[DesiredObject]] | None = None
    earlier: Path | None = None
    check_tree: Callable[[Path], Sequence[Diagnostic]] | None = None


@dataclass(frozen=True, slots=True)
class DriftOutcome:
    """The report, what differs between tree and lock, and the exit code.

    0: clean; 1: drift, or a tree that is not what its lock says; 2: no drift seen, and some cluster is not fully known.
    """

    report: DriftReport
    tree: tuple[Diagnostic, ...]
    exit_code: int

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything as findings."""
        return (*self.tree, *drift_diagnostics(self.report))


def run_drift(options: DriftOptions) -> DriftOutcome:
    """Compare the rendered tree with the clusters and with its lock.

    Raises:
        OSError: the rendered tree or a folder of exports cannot be read.
        ValueError: a rendered file holds something else than objects.
    """
    desired = options.desired
    if desired is None:
        desired = read_rendered_tree(options.rendered, options.engines, options.clusters)
    live = _read_live(options, desired)
    if options.clusters is not None:
        desired = {name: objects for name, objects in desired.items() if name in options.clusters}
        live = {name: cluster for name, cluster in live.items() if name in options.clusters}
    facts = options.facts
    if options.earlier is not None:
        facts = _with_earlier(facts, read_exports(options.earlier))
    report = compare(desired, live, facts)
    tree = tuple(options.check_tree(options.rendered)) if options.check_tree is not None else ()
    return DriftOutcome(report, tree, _exit_code(report, tree))


def _read_live(options: DriftOptions, desired: Mapping[str, Sequence[DesiredObject]]) -> dict[str, LiveCluster]:
    live = read_exports(options.live) if options.live is not None else {}
    if options.contexts:
        wanted = {
            name: sorted({(str(o.object.get("apiVersion")), str(o.object.get("kind"))) for o in desired.get(name, ())})
            for name in options.contexts
        }
        live.update(read_clusters(options.contexts, wanted, kubeconfig=options.kubeconfig, timeout=options.timeout))
    return live


def _with_earlier(facts: DriftFacts, earlier: Mapping[str, LiveCluster]) -> DriftFacts:
    return DriftFacts(
        facts.clusters, facts.types, facts.normalise, facts.shared_fields, facts.atlas, facts.applications, earlier
    )


def _exit_code(report: DriftReport, tree: Sequence[Diagnostic]) -> int:
    drifted = any(difference.drift.is_drift for _, difference in report.differences())
    if drifted or tree:
        return 1
    return 2 if any(cluster.status is not ClusterStatus.COMPARED for cluster in report.clusters) else 0
