"""`stowplan drift`: the rendered tree against live clusters and against its lock."""

from __future__ import annotations

from pathlib import Path

import click

from stowplan.cli.console import say, show
from stowplan.cli.options import directory_option, quiet_option

__all__ = ["command"]


@click.command("drift")
@directory_option
@click.option(
    "--live",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="<dir>",
    help="Exports: a folder CLUSTER/ or a file CLUSTER.yaml|json for each cluster.",
)
@click.option(
    "--context",
    "contexts",
    multiple=True,
    metavar="<cluster=context>",
    help="Read a cluster through the Kubernetes API; repeat for more.",
)
@click.option("--kubeconfig", envvar="KUBECONFIG", metavar="<file>", help="Kubeconfig of the contexts.")
@click.option("--cluster", "clusters", multiple=True, metavar="<name>", help="Only this cluster; repeat for more.")
@click.option(
    "--earlier",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="<dir>",
    help="Older exports, by which fights are seen.",
)
@click.option(
    "--timeout", type=float, default=20.0, show_default=True, help="Seconds that an API server may take to answer."
)
@click.option("--all", "all_classes", is_flag=True, help="Show what is ignored, too.")
@click.option(
    "--format", "format_", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True, help="How the report looks.",
)  # fmt: skip
@quiet_option
def command(
    directory: Path,
    live: Path | None,
    contexts: tuple[str, ...],
    kubeconfig: str | None,
    clusters: tuple[str, ...],
    earlier: Path | None,
    timeout: float,
    all_classes: bool,
    format_: str,
    quiet: int,
) -> int:
    """Compare rendered/ with its lock and with live clusters; say which fields differ and who owns them.

    \b
    kubectl get deploy,svc -A -o yaml > live/eu-west.yaml
    stowplan drift --live live
    stowplan drift --context eu-west=admin@eu-west --format markdown

    Exit 0 when clean, 1 on drift, 2 when some cluster is not fully known. A cluster that does not answer is unknown,
    never clean.
    """
    from stowplan.drift.views import to_json, to_markdown, to_text
    from stowplan.drifting import DriftRequest, drift_workspace

    pairs = dict(pair.partition("=")[::2] for pair in contexts)
    if any(not context for context in pairs.values()):
        raise click.UsageError("a context is given as CLUSTER=CONTEXT")
    request = DriftRequest(
        live=live,
        contexts=pairs,
        kubeconfig=kubeconfig,
        timeout=timeout,
        clusters=frozenset(clusters) or None,
        earlier=earlier,
    )
    outcome, done = drift_workspace(directory, request)
    for finding in outcome.tree:
        say(f"{finding.severity.word}[{finding.code}]: {finding.message}")
    if live is None and not pairs:
        if not quiet:
            say(
                "rendered/ is what its lock says"
                if not outcome.tree
                else f"{len(outcome.tree)} files differ from the lock"
            )
            say("no cluster was looked at: give --live or --context")
        return 1 if outcome.tree else 0
    if format_ == "json":
        show(to_json(outcome.report))
    elif format_ == "markdown":
        show(to_markdown(outcome.report, all_classes=all_classes))
    else:
        show(to_text(outcome.report, all_classes=all_classes))
    del done
    return outcome.exit_code
