"""`stowplan version`."""

from __future__ import annotations

import click

from stowplan.cli.console import show
from stowplan.cli.exit_codes import OK
from stowplan.version import __version__

__all__ = ["command"]


@click.command("version")
def command() -> int:
    """Print the version."""
    show(f"stowplan {__version__}")
    return OK
