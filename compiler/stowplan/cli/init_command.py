"""`stowplan init`: a small workspace that compiles."""

from __future__ import annotations

from pathlib import Path

import click

from stowplan.cli.console import say, show
from stowplan.cli.exit_codes import NOT_DONE, OK

__all__ = ["command"]


@click.command("init")
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False), default=Path(), metavar="[dir]")
def command(directory: Path) -> int:
    """Make a small workspace; files that exist are never overwritten."""
    from stowplan.resources import builtin_folder
    from stowplan.source.faults import EnvironmentFault

    source = builtin_folder("init")
    files = sorted(p for p in source.rglob("*.yaml") if p.is_file())
    there = [p.relative_to(source) for p in files if (directory / p.relative_to(source)).exists()]
    if there:
        say(f"error: {directory / there[0]} exists already; nothing was written")
        return NOT_DONE
    try:
        for path in files:
            target = directory / path.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
            show(str(path.relative_to(source)))
    except OSError as problem:
        raise EnvironmentFault(f"cannot write {problem.filename}: {problem.strerror}") from problem
    say(f"{len(files)} files; next: stowplan compile -C {directory}")
    return OK
