"""`stowplan schemas`: packs of custom kinds, imported from definitions, listed, and compared."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stowplan.cli.console import say, show
from stowplan.cli.exit_codes import FINDINGS, NOT_DONE, OK

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stowplan.diagnostics.model import Diagnostic
    from stowplan.schema.pack import Pack

__all__ = ["command"]


@click.group("schemas")
def command() -> None:
    """Import, list, and compare schemas of custom kinds.

    \b
    kubectl get crds -o yaml | stowplan schemas import - -o fleet/crds/east.pack
    stowplan schemas list fleet/crds/east.pack
    stowplan schemas diff shipped fleet/crds/east.pack
    """


@command.command("import")
@click.argument("sources", nargs=-1, metavar="<source>...")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="<file>",
    help="The pack to write.",
)
@click.option("--context", "contexts", multiple=True, metavar="<name>", help="Read a cluster by kubeconfig context.")
@click.option("--kubeconfig", envvar="KUBECONFIG", metavar="<file>", help="The kubeconfig to look contexts up in.")
def import_command(sources: tuple[str, ...], output: Path, contexts: tuple[str, ...], kubeconfig: str | None) -> int:
    """Make a pack of CustomResourceDefinitions: files, folders, `-` for standard input, or a cluster.

    A definition with faults is named and left out; the exit code is 1 then, and the pack holds the rest.
    """
    from stowplan.diagnostics.model import Severity
    from stowplan.source.faults import EnvironmentFault
    from stowplan.validation.packs import cluster_definitions, import_sources, pack_bytes

    if not sources and not contexts:
        raise click.UsageError("name a file, a folder, `-`, or a --context")
    stdin = sys.stdin.read() if "-" in sources else None
    texts = [(context, cluster_definitions(context, kubeconfig)) for context in contexts]
    outcome = import_sources(sources, stdin, texts)
    _tell(outcome.diagnostics)
    failed = any(d.severity is Severity.ERROR for d in outcome.diagnostics)
    if not outcome.value.kinds:
        say("error: no definition could be used; nothing was written")
        return NOT_DONE
    data = pack_bytes(outcome.value)
    staged = output.with_name(f".{output.name}.stowplan")
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        staged.write_bytes(data)
        staged.replace(output)
    except OSError as problem:
        raise EnvironmentFault(f"cannot write `{output}`: {problem.strerror}") from problem
    n_kinds = len({(k.group, k.kind) for k in outcome.value.kinds})
    say(f"{output}: {n_kinds} kinds, {len(outcome.value.kinds)} versions, {len(data):,} bytes")
    return FINDINGS if failed else OK


@command.command("list")
@click.argument("pack", default="shipped", metavar="[pack]")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def list_command(pack: str, format_: str) -> int:
    """List the kinds of a pack: `shipped` (the default), a pack file, or definitions in a file or folder."""
    from stowplan.validation.packs import pack_rows

    found = _pack(pack)
    if found is None:
        return NOT_DONE
    rows = pack_rows(found)
    if format_ == "json":
        import json

        show(json.dumps({"schemaVersion": 1, "digest": found.digest, "kinds": rows}, indent=1, ensure_ascii=False))
        return OK
    for row in rows:
        marks = [word for word, said in (("storage", row["storage"]), ("deprecated", row["deprecated"])) if said]
        marks += [] if row["served"] else ["not served"]
        marks += [f"{row['rules']} rules"] if row["rules"] else []
        name = f"{row['group']}/{row['version']}"
        show(f"{name:<48}  {row['kind']:<34}  {row['scope']:<10}  {', '.join(marks)}".rstrip())
    say(f"{len(rows)} versions of {len({(r['group'], r['kind']) for r in rows})} kinds")
    return OK


@command.command("diff")
@click.argument("before", metavar="<before>")
@click.argument("after", metavar="<after>")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def diff_command(before: str, after: str, format_: str) -> int:
    """Compare two packs; exit code 1 when they differ.

    \b
    stowplan schemas diff fleet/crds/east.pack fleet/crds/west.pack
    """
    from dataclasses import asdict

    from stowplan.schema.diff import diff_packs

    first, second = _pack(before), _pack(after)
    if first is None or second is None:
        return NOT_DONE
    changes = diff_packs(first, second)
    if format_ == "json":
        import json

        rows = [asdict(change) for change in changes]
        show(json.dumps({"schemaVersion": 1, "changes": rows}, indent=1, ensure_ascii=False))
    else:
        for change in changes:
            what = f"{change.what} {change.fact}".strip()
            values = (
                f": {change.before or 'nothing'} -> {change.after or 'nothing'}" if change.what == "changed" else ""
            )
            show(f"{change.api_version} {change.kind}  {change.field or '-'}  {what}{values}")
    say(f"{len(changes)} differences")
    return FINDINGS if changes else OK


def _pack(name: str) -> Pack | None:
    from stowplan.validation.packs import find_pack

    outcome = find_pack(name)
    _tell(outcome.diagnostics)
    return outcome.value


def _tell(diagnostics: Iterable[Diagnostic]) -> None:
    from stowplan.diagnostics.render import render
    from stowplan.validation.reporting import TextExcerpts

    text = render(diagnostics, "concise", TextExcerpts())
    if text:
        say(text)
