"""Errors that are suppressed, exempt, or at a lower level: either the tree is written whole, or the error stands."""

from __future__ import annotations

from stowplan.driver import Compilation, compile_workspace
from stowplan.resources import builtin_folder
from stowplan.source.files import SourceTree

NOTE = "this cannot be allowed: the compile cannot go on from here"


def compiled(path: str, old: str, new: str, more: dict[str, str] | None = None) -> Compilation:
    """The workspace of `stowplan init` with one text in one file replaced."""
    folder = builtin_folder("init")
    files = {p.relative_to(folder).as_posix(): p.read_text() for p in sorted(folder.rglob("*.yaml"))}
    assert old in files[path]
    files[path] = files[path].replace(old, new)
    return compile_workspace(SourceTree.from_texts({**files, **(more or {})}))


def test_an_error_that_stops_a_pass_cannot_be_suppressed() -> None:
    """Else nothing would be written, and nothing said."""
    path, old = "fleet/intents/training.yaml", "tenant: research"
    done = compiled(path, old, "tenant: reserch  # stowplan: allow[SP0306] on holiday")
    assert [(d.code, d.notes) for d in done.diagnostics] == [("SP0306", (NOTE,))]
    assert done.failed() and done.files is None


def test_an_error_of_the_last_pass_at_a_lower_level_leaves_the_tree_whole() -> None:
    levels = {
        "policies/levels.yaml": "apiVersion: stowplan.io/v1alpha1\nkind: RuleLevels\nmetadata: {name: house}\n"
        "spec:\n  levels: {SP8005: warn, SP0840: warn}\n"
    }
    template = {"templates/tenancy/namespace.yaml.j2": POD}
    path, text = "policies/placement.yaml", "# What an hour"
    assert compiled(path, text, text, template).files is None
    done = compiled(path, text, text, {**levels, **template})
    assert {"SP8005", "SP0840"} <= {d.code for d in done.diagnostics}
    assert not done.failed() and done.files is not None
    assert "clusters/east/tenancy/pod-research-shell.yaml" in done.files


def test_an_object_that_the_server_would_refuse_cannot_be_suppressed() -> None:
    """Guardrails have not seen it."""
    path, text = "policies/placement.yaml", "# What an hour"
    allowed = POD.replace("hostNetwork: true", "colour: red  # stowplan: allow[SP0803] it is new")
    done = compiled(path, text, text, {"templates/tenancy/namespace.yaml.j2": allowed})
    assert {d.code for d in done.diagnostics if d.notes == (NOTE,)} == {"SP0803"}
    assert done.failed() and done.files is None


POD = """apiVersion: v1
kind: Namespace
metadata:
  name: {{ namespace }}
  labels: {{ labels }}
spec: {}
---
apiVersion: v1
kind: Pod
metadata:
  name: shell
  namespace: {{ namespace }}
spec:
  hostNetwork: true
  containers:
    - name: shell
      image: registry.example.com/shell@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
      imagePullPolicy: IfNotPresent
      resources: {}
      terminationMessagePath: /dev/termination-log
      terminationMessagePolicy: File
  dnsPolicy: ClusterFirst
  restartPolicy: Always
  enableServiceLinks: true
  schedulerName: default-scheduler
  securityContext: {}
  terminationGracePeriodSeconds: 30
"""
