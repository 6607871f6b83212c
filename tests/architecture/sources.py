"""The modules of the compiler as syntax trees, parsed once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2] / "compiler" / "stowplan"


@dataclass(frozen=True)
class Module:
    """One module; `name` is dotted, without `stowplan.`."""

    name: str
    path: Path
    tree: ast.Module

    @property
    def package(self) -> str:
        """The folder below the root, or the module itself where it lies at the root."""
        return self.name.split(".")[0]

    @property
    def where(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    def imports(self, *, lazy: bool = True) -> Iterator[str]:
        """Modules imported at run time, dotted, without `stowplan.` for our own; `lazy` ones lie inside functions."""
        folder = self.path.parent.relative_to(ROOT.parent).parts
        yield from _imports(self.tree.body, lazy, folder)


def _imports(body: list[ast.stmt], lazy: bool, folder: tuple[str, ...]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from _imports(node.orelse, lazy, folder)
        elif isinstance(node, ast.ImportFrom):
            yield from _from(node, folder)
        elif isinstance(node, ast.Import):
            yield from (_own(alias.name) for alias in node.names)
        elif lazy or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for field in ("body", "orelse", "finalbody"):
                yield from _imports(getattr(node, field, None) or [], lazy, folder)
            for handler in getattr(node, "handlers", ()):
                yield from _imports(handler.body, lazy, folder)


def _from(node: ast.ImportFrom, folder: tuple[str, ...]) -> Iterator[str]:
    above = folder[: len(folder) - node.level + 1] if node.level else ()
    module = ".".join((*above, *([node.module] if node.module else [])))
    yield _own(module)
    if module == "stowplan" or module.startswith("stowplan."):
        yield from (_own(f"{module}.{alias.name}") for alias in node.names)


def _own(name: str) -> str:
    return "." + name.removeprefix("stowplan").removeprefix(".") if name.split(".")[0] == "stowplan" else name


@cache
def modules() -> tuple[Module, ...]:
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts) or "__init__"
        found.append(Module(name, path, ast.parse(path.read_text(encoding="utf-8"))))
    return tuple(found)


def own_imports(module: Module, *, lazy: bool = True) -> set[str]:
    """Modules of ours that it imports, without itself and the packages that it lies in.

    Names that are no module (functions, classes) are left out.
    """
    found = {name[1:] for name in module.imports(lazy=lazy) if name.startswith(".")}
    return {name for name in found & known_names() if not f"{module.name}.".startswith(f"{name}.")}


@cache
def known_names() -> frozenset[str]:
    """Dotted names of all modules."""
    return frozenset(module.name for module in modules())
