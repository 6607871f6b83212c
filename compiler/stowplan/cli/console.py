"""What goes to the terminal: data on stdout, talk on stderr, colour where it is wanted."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from stowplan.diagnostics.model import Diagnostic, Severity
from stowplan.source.faults import EnvironmentFault

__all__ = ["drop_output", "say", "show", "summarise", "wants_color"]


def wants_color(choice: str, *, error_stream: bool = False) -> bool:
    """Whether to colour: `always`, `never`, or `auto` (a terminal, NO_COLOR and FORCE_COLOR respected)."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return (sys.stderr if error_stream else sys.stdout).isatty()


def show(text: str) -> None:
    """Data, to stdout, as it is: whether it has colours was decided before.

    Raises:
        EnvironmentFault: stdout takes nothing (a full disk).
    """
    try:
        click.echo(text, nl=not text.endswith("\n"), color=True)
    except BrokenPipeError:
        raise
    except OSError as problem:
        drop_output()
        raise EnvironmentFault(f"cannot write to standard output: {problem.strerror}") from problem


def drop_output() -> None:
    """Lets what is still to be written, where nothing can be written any more, go nowhere."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:  # None where the caller has closed it
                stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def say(text: str) -> None:
    """Talk, to stderr, as it is."""
    click.echo(text, err=True, nl=not text.endswith("\n"), color=True)


def summarise(diagnostics: Sequence[Diagnostic], n_files: int) -> str:
    """The last line of a check: `checked 42 files: 2 errors, 1 warning`."""
    counts = []
    for severity in (Severity.ERROR, Severity.WARNING, Severity.NOTE):
        n = sum(d.severity is severity for d in diagnostics)
        if n:
            counts.append(f"{n} {severity.word}{'' if n == 1 else 's'}")
    files = "1 file" if n_files == 1 else f"{n_files} files"
    return f"checked {files}: {', '.join(counts) or 'nothing to report'}"
