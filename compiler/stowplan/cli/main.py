"""The `stowplan` command: a group whose commands load when they are called, and one place that sets exit codes."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any, Final

import click

from stowplan.cli.console import drop_output
from stowplan.cli.exit_codes import INTERRUPTED, NOT_DONE, OK
from stowplan.process import finish, prepare
from stowplan.version import __version__

__all__ = ["cli", "main"]

_COMMANDS: Final = {
    "init": "make a small workspace that compiles",
    "check": "all findings, writes nothing",
    "compile": "check, place, render, and write rendered/",
    "drift": "compare rendered/ with live clusters and with its lock",
    "validate": "judge any manifests as the API server would",
    "policy": "test, evaluate, and export policies",
    "explain": "why a workload is where it is, what a rule means, where a file came from",
    "rules": "list the rules",
    "schemas": "import, list, and compare the schemas of custom kinds",
    "schema": "export JSON Schema of the input kinds for editors",
    "fmt": "format input files, comments kept",
    "completion": "print the completion script of a shell",
    "help": "show the help of a command",
    "version": "print the version",
}
"""Commands in the order of the help, with one line each, so that `--help` loads none of them."""

_EPILOG: Final = """\b
Exit codes:
  0    nothing to report, no difference
  1    findings at or above --fail-on, or a difference
  2    the job could not be done (usage, unreadable input, internal error)
  130  interrupted
"""


class LazyGroup(click.Group):
    """Imports a command's module when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the help."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"stowplan.cli.{cmd_name.replace('-', '_')}_command").command
        return command

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **extra: Any) -> click.Context:
        """As click does it; what options print may find its reader gone."""
        try:
            return super().make_context(info_name, args, *rest, **extra)
        except BrokenPipeError as gone:
            raise _without_reader() from gone

    def invoke(self, ctx: click.Context) -> Any:
        """As click does it; what is printed may find its reader gone."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as gone:
            raise _without_reader() from gone

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without loading any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """As click does it, with a suggestion for a mistyped name."""
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in _COMMANDS:
            from stowplan.diagnostics.suggest import suggest

            close = suggest(name, _COMMANDS)
            hint = f" Did you mean {' or '.join(f'`{c}`' for c in close)}?" if close else ""
            raise click.UsageError(f"No such command `{name}`.{hint}", ctx)
        return super().resolve_command(ctx, args)


def _without_reader() -> click.exceptions.Exit:
    """How to end where whoever read the output has seen enough: well, and without another word."""
    drop_output()
    return click.exceptions.Exit(OK)


@click.command(cls=LazyGroup, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "--version", prog_name="stowplan", message="%(prog)s %(version)s")
def cli() -> None:
    """Compile a fleet spec, intents, and inventory into manifests that Argo CD or Flux sync.

    \b
    stowplan compile             compile the workspace of this folder
    stowplan check --format github
    stowplan explain workload/NAME
    """


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line and exits; nothing else ends the process."""
    prepare()
    try:
        code = run(arguments)
    except BrokenPipeError:  # nobody reads any more why it could not be done
        drop_output()
        code = NOT_DONE
    finish(code)


def run(arguments: list[str] | None = None) -> int:
    """Runs the command line and returns the exit code."""
    try:
        result = cli.main(args=arguments, prog_name="stowplan", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as problem:
        click.echo(problem.format_message(), err=True)
        return NOT_DONE
    except click.ClickException as problem:
        problem.show(sys.stderr)
        return NOT_DONE
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except Exception as problem:  # noqa: BLE001 - the last line of defence: a bug must not look like a finding
        return _crashed(problem)
    return result if isinstance(result, int) else OK


def _crashed(problem: Exception) -> int:
    from stowplan.source.faults import EnvironmentFault

    if isinstance(problem, EnvironmentFault):
        click.echo(f"error: {problem}", err=True)
        return NOT_DONE
    if os.environ.get("STOWPLAN_TRACEBACK"):
        import traceback

        traceback.print_exception(problem)
    click.echo(
        f"error[SP9901]: internal error: {type(problem).__name__}: {problem}\n"
        "  = note: this is a bug in stowplan, not in your files; nothing was written\n"
        "  = help: run again with STOWPLAN_TRACEBACK=1 in the environment and report what it prints",
        err=True,
    )
    return NOT_DONE
