"""Pods that their own rendered Namespace would not let in, at the field of the input."""

from __future__ import annotations

import pytest
import yaml

from stowplan.diagnostics.placed import place_all
from stowplan.driver import Compilation, compile_workspace
from stowplan.resources import builtin_folder
from stowplan.schema.builtin import normalise_builtin
from stowplan.source.files import SourceTree

INIT = builtin_folder("init")
COMPONENT = """apiVersion: stowplan.io/v1alpha1
kind: Component
metadata: {name: own}
spec:
  manifests: fleet/components/own
  selector: {clusters: [east]}
"""
MANIFEST = "fleet/components/own/a.yaml"


def compiled(spec: str, *, namespace: str = "research", kind: str = "Deployment") -> Compilation:
    """The workspace of `stowplan init` with a workload whose pods have this spec besides a container."""
    pod = {"containers": [{"name": "a", "image": "registry.example.com/a:1"}], **yaml.safe_load(spec)}
    template = {"metadata": {"labels": {"app": "a"}}, "spec": pod}
    made = {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "a", "namespace": namespace}}
    made["spec"] = {"selector": {"matchLabels": {"app": "a"}}, "template": template}
    files = {path.relative_to(INIT).as_posix(): path.read_text() for path in sorted(INIT.rglob("*.yaml"))}
    files |= {"fleet/own.yaml": COMPONENT, MANIFEST: yaml.safe_dump(normalise_builtin(made, 34), sort_keys=False)}
    return compile_workspace(SourceTree.from_texts(files))


@pytest.mark.parametrize(
    ("spec", "words", "line"),
    [
        ("hostPID: true", "host namespaces (hostPID=true)", "hostPID: true"),
        ("volumes: [{name: v, hostPath: {path: /a, type: ''}}]", 'hostPath volumes (volume "v")', "- name: v"),
        (
            "containers: [{name: a, image: 'registry.example.com/a:1', securityContext: {capabilities: {add: [SYS_ADMIN]}}}]",
            "non-default capabilities",
            "securityContext:",
        ),
    ],
)
def test_at_the_field(spec: str, words: str, line: str) -> None:
    done = compiled(spec)
    [finding] = [d for d in done.diagnostics if d.code == "SP0840"]
    assert finding.severity.word == "error"
    assert (
        "namespace `research` would not let in the pods of Deployment `a`: baseline:latest forbids" in finding.message
    )
    assert words in finding.message
    assert finding.targets == ("east",)
    place = place_all((finding,), done.tree.locate)[0].primary.place
    assert place is not None
    assert place.span is not None
    text = done.tree.excerpt(MANIFEST, place.span.line) or ""
    assert place.path == MANIFEST
    assert text.strip().startswith(line.split(":")[0]) or line in text


def test_nothing_is_said_of_what_is_let_in_or_of_namespaces_that_enforce_nothing() -> None:
    assert not [d for d in compiled("{}").diagnostics if d.code == "SP0840"]
    assert not [d for d in compiled("hostPID: true", namespace="monitoring").diagnostics if d.code == "SP0840"]


def test_pods_of_a_daemon_set() -> None:
    assert [d.code for d in compiled("hostIPC: true", kind="DaemonSet").diagnostics if d.code == "SP0840"]
