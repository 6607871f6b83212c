"""`stowplan schema`: JSON Schema of the input kinds."""

from __future__ import annotations

import click

from stowplan.cli.console import say, show
from stowplan.cli.exit_codes import NOT_DONE, OK

__all__ = ["command"]


@click.command("schema")
@click.argument("kind", required=False, metavar="[kind]")
def command(kind: str | None) -> int:
    """Print the JSON Schema of one input kind, or of all of them.

    \b
    stowplan schema > .stowplan.schema.json
    # yaml-language-server: $schema=.stowplan.schema.json
    """
    import json

    from stowplan.diagnostics.suggest import did_you_mean
    from stowplan.model.inputs.json_schema import json_schema
    from stowplan.model.inputs.kinds import SPEC_BY_KIND

    if kind is not None and kind not in SPEC_BY_KIND:
        say(f"error: unknown kind `{kind}`" + "".join(f"\n  = help: {h}" for h in did_you_mean(kind, SPEC_BY_KIND)))
        return NOT_DONE
    show(json.dumps(json_schema(kind), indent=1, ensure_ascii=False))
    return OK
