"""`stowplan rules`: the catalogue."""

from __future__ import annotations

import click

from stowplan.cli.console import show
from stowplan.cli.exit_codes import OK

__all__ = ["command"]


@click.command("rules")
@click.option(
    "--format", "format_", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True, help="How the list looks.",
)  # fmt: skip
def command(format_: str) -> int:
    """List all rules with their default levels; `stowplan explain SPnnnn` shows one.

    \b
    stowplan rules --format markdown > docs/rules.md
    """
    from stowplan.rules.registry import REGISTRY

    if format_ == "markdown":
        from stowplan.rules.markdown import catalogue_markdown

        show(catalogue_markdown())
        return OK
    if format_ == "json":
        import json

        rows = [
            {"code": p.rule.code, "name": p.rule.name, "level": p.rule.level_word, "summary": p.summary}
            for p in REGISTRY.pages()
        ]
        show(json.dumps({"schemaVersion": 1, "rules": rows}, indent=1, ensure_ascii=False))
        return OK
    for page in REGISTRY.pages():
        show(f"{page.rule.code}  {page.rule.level_word:<6}  {page.rule.name:<38}  {page.summary}")
    return OK
