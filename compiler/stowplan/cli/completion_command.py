"""`stowplan completion`: the script that makes a shell complete commands, options, and names."""

from __future__ import annotations

import click

from stowplan.cli.console import show
from stowplan.cli.exit_codes import OK

__all__ = ["command"]


@click.command("completion")
@click.argument("shell", metavar="<shell>", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> int:
    """Print the completion script of bash, zsh, or fish.

    \b
    eval "$(stowplan completion bash)"                                    in ~/.bashrc
    eval "$(stowplan completion zsh)"                                     in ~/.zshrc
    stowplan completion fish > ~/.config/fish/completions/stowplan.fish
    """
    from click.shell_completion import get_completion_class

    from stowplan.cli.main import cli

    script = get_completion_class(shell)
    assert script is not None
    show(script(cli, {}, "stowplan", "_STOWPLAN_COMPLETE").source())
    return OK
