"""Find the files that ship with the program: at the top of a checkout, or inside the package in a wheel."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from stowplan.source.faults import EnvironmentFault

__all__ = ["builtin_folder", "builtin_templates"]

_PACKAGE = Path(__file__).resolve().parent


@cache
def builtin_folder(name: str) -> Path:
    """The folder `name` (`templates`, `policies`, ...) that ships with the program.

    Raises:
        EnvironmentFault: the installation lacks it.
    """
    in_wheel = _PACKAGE / "data" / name
    checkout = _PACKAGE.parent.parent
    if (checkout / "pyproject.toml").is_file() and (checkout / name).is_dir():
        return checkout / name
    if in_wheel.is_dir():
        return in_wheel
    raise EnvironmentFault(f"this installation of stowplan lacks its folder `{name}`")


def builtin_templates() -> dict[str, str]:
    """The built-in templates by name: the path below `templates/` with forward slashes (`kueue/cohort.yaml.j2`)."""
    folder = builtin_folder("templates")
    try:
        return {
            path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
            for path in sorted(folder.rglob("*.j2"))
            if path.is_file()
        }
    except OSError as problem:
        raise EnvironmentFault(f"cannot read the built-in templates: {problem}") from problem
