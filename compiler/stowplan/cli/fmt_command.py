"""`stowplan fmt`: formats input files, comments kept."""

from __future__ import annotations

from pathlib import Path

import click

from stowplan.cli.console import say, show
from stowplan.cli.exit_codes import FINDINGS, OK
from stowplan.cli.options import directory_option

__all__ = ["command"]


@click.command("fmt")
@directory_option
@click.option("--check", is_flag=True, help="Write nothing; exit 1 when a file would change.")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="[file]...")
def command(directory: Path, check: bool, files: tuple[Path, ...]) -> int:
    """Format the workspace's YAML files, or the files given; data never changes."""
    from stowplan.source.faults import EnvironmentFault
    from stowplan.source.formatting import try_format

    names = files or tuple(
        sorted(p for f in ("fleet", "policies") for p in (directory / f).rglob("*.y*ml") if p.is_file())
    )
    changed = 0
    left = 0
    for path in names:
        try:
            before = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            raise EnvironmentFault(f"cannot read {path}: {problem}") from problem
        outcome = try_format(before)
        if outcome.left_because is not None or outcome.problems:
            left += 1
            say(f"{path}: left alone: {outcome.left_because or 'not readable as YAML; `stowplan check` says why'}")
        elif outcome.text != before:
            changed += 1
            show(str(path))
            if not check:
                staged = path.with_name(f".{path.name}.stowplan")
                staged.write_text(outcome.text, encoding="utf-8")
                staged.replace(path)
    verb = "would change" if check else "changed"
    say(f"{len(names)} files, {changed} {verb}" + (f", {left} left alone" if left else ""))
    return FINDINGS if check and changed else OK
