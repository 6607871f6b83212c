"""Imports point down: each package may import those of the layers below it, and of its own layer in one direction."""

from __future__ import annotations

from collections import defaultdict

import pytest
from sources import modules, own_imports

LAYERS = (
    ("__init__", "version"),
    ("source", "profile", "process"),
    ("model", "resources"),
    ("diagnostics",),
    ("cel", "emission", "templates"),
    ("schema",),
    ("ownership",),
    ("schemas",),
    ("passes", "policies", "rules", "kueue"),
    ("driver", "views", "validation", "drift", "inventory", "recall"),
    ("workspace",),
    ("drifting",),
    ("cli", "__main__"),
)
"""From the bottom to the top. Whoever adds a package gives it a place here and in docs/architecture.md."""

RANK = {package: rank for rank, layer in enumerate(LAYERS) for package in layer}


def edges() -> dict[tuple[str, str], set[str]]:
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for module in modules():
        for name in own_imports(module):
            package = name.split(".")[0]
            if package != module.package:
                found[module.package, package].add(module.where)
    return found


def test_every_package_has_a_layer() -> None:
    assert {module.package for module in modules()} - RANK.keys() == set()


def test_imports_point_down() -> None:
    assert {pair: sorted(places) for pair, places in edges().items() if RANK[pair[0]] < RANK[pair[1]]} == {}


def test_packages_of_one_layer_do_not_import_each_other_in_a_circle() -> None:
    pairs = edges().keys()
    assert {pair for pair in pairs if pair[::-1] in pairs} == set()


def test_no_module_is_imported_in_a_circle() -> None:
    """Imports at the head of modules, those of packages' `__init__` included."""
    graph = {module.name: sorted(own_imports(module, lazy=False)) for module in modules()}
    done: set[str] = set()

    def walk(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, f"imported in a circle: {' -> '.join((*path[path.index(name) :], name))}"
        if name not in done:
            for other in graph[name]:
                walk(other, (*path, name))
            done.add(name)

    for name in graph:
        walk(name, ())


PLACES = {
    "kubernetes": ("drift", "inventory"),
    "click": ("cli",),
    "pydantic": ("model", "passes", "policies"),
    "pydantic_core": ("model", "policies"),
    "jinja2": ("templates",),
    "ruamel": ("source",),
    "socket": (),
    "urllib.request": (),
    "http": (),
    "random": (),
    "pickle": (),
    "subprocess": (),
}
"""Libraries that only these packages import."""


@pytest.mark.parametrize("library", PLACES)
def test_libraries_stay_in_their_place(library: str) -> None:
    found = {
        module.where
        for module in modules()
        for name in module.imports()
        if (name == library or name.startswith(library + ".")) and module.package not in PLACES[library]
    }
    assert found == set()
