"""Paths of rendered objects: readable, and never one for two objects."""

from __future__ import annotations

from stowplan.model.manifest import Manifest, Target, Unit
from stowplan.passes.render import render
from stowplan.source.span import Origin
from stowplan.templates.engine import TemplateSet

UNIT = Unit(Target("clusters/east", "east", "east", "argocd"), "kueue", 1)
TEMPLATES = TemplateSet(
    {"x.yaml.j2": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ name }}, namespace: {{ namespace }}}\n"}
)


def manifest(namespace: str, name: str) -> Manifest:
    return Manifest(UNIT, "x", {"name": name, "namespace": namespace}, {(): Origin("a.yaml")}, "tenant/a")


def test_names_that_read_alike_get_paths_of_their_own() -> None:
    outcome = render([manifest("a-b", "c"), manifest("a", "b-c"), manifest("x", "y")], TEMPLATES)
    assert outcome.diagnostics == ()
    assert [made.path.rpartition("/")[2] for made in outcome.value] == [
        "configmap-a--b-c.yaml",
        "configmap-a-b--c.yaml",
        "configmap-x-y.yaml",
    ]


def test_the_same_object_twice_is_an_error() -> None:
    outcome = render([manifest("a", "b"), manifest("a", "b")], TEMPLATES)
    assert [found.code for found in outcome.diagnostics] == ["SP0708"]
