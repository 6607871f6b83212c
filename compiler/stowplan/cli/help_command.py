"""`stowplan help`: the page of a command."""

from __future__ import annotations

import click

from stowplan.cli.console import show
from stowplan.cli.exit_codes import OK

__all__ = ["command"]


@click.command("help")
@click.argument("names", nargs=-1, metavar="[<command>]...")
def command(names: tuple[str, ...]) -> int:
    """Show the help of a command, or of stowplan.

    \b
    stowplan help compile
    stowplan help policy test
    """
    from stowplan.cli.main import cli

    page = click.Context(cli, info_name="stowplan", **cli.context_settings)
    for name in names:
        group = page.command
        if not isinstance(group, click.Group):
            raise click.UsageError(f"`{page.command_path}` has no commands of its own.")
        _, found, _ = group.resolve_command(page, [name])
        assert found is not None
        page = click.Context(found, info_name=name, parent=page, **found.context_settings)
    show(page.get_help())
    return OK
