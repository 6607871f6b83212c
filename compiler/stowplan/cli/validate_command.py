"""`stowplan validate`: any manifests judged as the API server would judge them."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stowplan.cli.console import say, show, wants_color
from stowplan.cli.exit_codes import FINDINGS, NOT_DONE, OK
from stowplan.cli.options import color_option, format_option, quiet_option

if TYPE_CHECKING:
    from stowplan.diagnostics.model import Diagnostic
    from stowplan.schema.sets import SchemaSet
    from stowplan.validation.judging import Judge

__all__ = ["command"]

_STREAMED = ("text", "concise")


@click.command("validate")
@click.argument("files", nargs=-1, required=True, metavar="<file>...")
@click.option(
    "--crds",
    multiple=True,
    type=click.Path(path_type=Path, exists=True),
    metavar="<path>",
    help="File or folder of CustomResourceDefinitions, or a schema pack; may be repeated.",
)
@click.option("--kubernetes", default="1.36", show_default=True, metavar="<version>", help="The server's version.")
@click.option("--namespace", default="default", show_default=True, help="For objects that name none.")
@click.option(
    "--field-validation",
    type=click.Choice(["strict", "ignore"]),
    default="strict",
    show_default=True,
    help="What unknown and repeated fields are.",
)
@click.option(
    "--old",
    type=click.Path(exists=True, dir_okay=False),
    metavar="<file>",
    help="Objects as they are now: what is in it is judged as an update.",
)
@click.option(
    "--context",
    multiple=True,
    type=click.Path(exists=True),
    metavar="<path>",
    help="Objects that the cluster has: its namespaces, limits, and quotas count. May be repeated.",
)
@click.option("--output-objects", is_flag=True, help="With json: the object as it would be stored.")
@format_option
@color_option
@quiet_option
def command(
    files: tuple[str, ...], crds: tuple[Path, ...], kubernetes: str, namespace: str, field_validation: str,
    old: str | None, context: tuple[str, ...], output_objects: bool, format_: str, color: str, quiet: int,
) -> int:  # fmt: skip
    """Judge manifests as an API server of that version would: schema, defaults, rules, update.

    \b
    stowplan validate deploy/ --kubernetes 1.35
    kustomize build . | stowplan validate - --crds crds/ --format json --output-objects

    With json or jsonl, one JSON object a line for every object judged. Exit code 0 when all would be accepted, 1 when
    not, 2 when something could not be read.
    """
    from stowplan.schema.builtin.neighbourhood import CONTEXT_KINDS
    from stowplan.validation.judging import Judge
    from stowplan.validation.reading import read_context, read_paths

    schemas, complaints = _schemas(kubernetes, crds)
    before = read_paths([old], sys.stdin.buffer) if old else ()
    around, beside = read_context(context, CONTEXT_KINDS), read_context(files, CONTEXT_KINDS)
    strict = field_validation == "strict"
    judge = Judge(schemas, namespace=namespace, strict=strict, old=before, context=around, beside=beside)
    counts = _run(judge, files, format_, output_objects, color)
    if not quiet:
        unknown = f", {counts['unknown-kind']} of unknown kinds" if counts["unknown-kind"] else ""
        total = sum(counts.values())
        say(
            f"{total} object{'' if total == 1 else 's'}: {counts['accepted']} accepted, {counts['refused']} refused{unknown}"
        )
    if complaints:
        return NOT_DONE
    return OK if counts["accepted"] == sum(counts.values()) else FINDINGS


def _schemas(kubernetes: str, crds: tuple[Path, ...]) -> tuple[SchemaSet, bool]:
    """The server's kinds, and whether a definition could not be used (which is told on stderr)."""
    from stowplan.diagnostics.model import Severity
    from stowplan.diagnostics.render import render
    from stowplan.schema.builtin.pack import MINORS
    from stowplan.schema.definitions import read_definitions
    from stowplan.schema.sets import SchemaSet
    from stowplan.schema.shipped import shipped_pack
    from stowplan.validation.reporting import TextExcerpts

    match = re.fullmatch(r"v?1\.(\d{1,3})(?:\.\d+)?(?:[-+].*)?", kubernetes)
    if match is None or int(match[1]) not in MINORS:
        known = f"1.{MINORS[0]} to 1.{MINORS[-1]}"
        raise click.BadParameter(f"`{kubernetes}` is no version that is known here: {known}", param_hint="--kubernetes")
    outcome = read_definitions(crds)
    if outcome.diagnostics:
        say(render(outcome.diagnostics, "concise", TextExcerpts()))
    failed = any(d.severity is Severity.ERROR for d in outcome.diagnostics)
    return SchemaSet((*outcome.value, shipped_pack()), int(match[1])), failed


def _run(judge: Judge, files: tuple[str, ...], format_: str, output_objects: bool, color: str) -> dict[str, int]:
    """Judge everything, print as it goes (formats with a frame come at the end), and count."""
    import json

    from stowplan.diagnostics.render import render
    from stowplan.rules.registry import REGISTRY
    from stowplan.validation.reading import read_paths
    from stowplan.validation.reporting import TextExcerpts, findings, record

    counts = {"accepted": 0, "refused": 0, "unknown-kind": 0}
    excerpts = TextExcerpts()
    kept: list[Diagnostic] = []
    colored = wants_color(color)
    for result in judge.results(read_paths(files, sys.stdin.buffer)):
        counts[result.verdict] += 1
        if format_ in ("json", "jsonl"):
            show(json.dumps(record(result, with_object=output_objects), ensure_ascii=False, default=_number))
            continue
        found = tuple(findings(result))
        if format_ not in _STREAMED:
            kept.extend(found)
        elif found:
            excerpts.hold(result.item.source)
            show(render(found, format_, excerpts, color=colored, catalogue=REGISTRY))
    if format_ not in ("json", "jsonl", *_STREAMED):
        show(render(kept, format_, TextExcerpts(), catalogue=REGISTRY))
    return counts


def _number(value: Any) -> Any:
    return float(value)
