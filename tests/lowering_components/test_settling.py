"""Plain manifests of components are completed to what the API server stores; what is wrong stays as it was written."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from test_components import BASE

from stowplan.diagnostics.placed import place_all
from stowplan.driver import Compilation, compile_workspace
from stowplan.source.files import SourceTree

COMPONENT = """apiVersion: stowplan.io/v1alpha1
kind: Component
metadata: {name: web}
spec:
  manifests: fleet/components/web
  selector: {roles: [training]}
"""
DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: monitoring}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: registry.example.com/web@sha256:0000000000000000000000000000000000000000000000000000000000000000
          ports: [{containerPort: 80}]
          resources: {requests: {cpu: 1000m, memory: 1024Mi}}
"""
QUEUED = """apiVersion: batch/v1
kind: Job
metadata:
  name: once
  namespace: research
  labels: {kueue.x-k8s.io/queue-name: research}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: one, image: "registry.example.com/one:1"}]
"""
FOLDER = "fleet/components/web"


def compiled(text: str, name: str = "all.yaml") -> Compilation:
    return compile_workspace(SourceTree.from_texts({**BASE, "fleet/web.yaml": COMPONENT, f"{FOLDER}/{name}": text}))


def made(done: Compilation, kind: str) -> dict[str, Any]:
    assert done.rendered is not None, done.diagnostics
    [found] = [o for o in done.rendered.objects if o.kind == kind and o.manifest.source == "component/web"]
    assert yaml.safe_load(found.text) == found.object
    return found.object


def codes(done: Compilation) -> set[str]:
    return {d.code for d in done.diagnostics if d.code.startswith("SP08")}


def test_defaults_are_stated_and_quantities_canonical() -> None:
    done = compiled(DEPLOYMENT)
    assert "SP0820" not in codes(done)
    pod = made(done, "Deployment")["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert container["resources"]["requests"] == {"cpu": "1", "memory": "1Gi"}
    assert container["ports"] == [{"containerPort": 80, "protocol": "TCP"}]
    assert container["imagePullPolicy"] == "IfNotPresent"
    assert pod["restartPolicy"] == "Always"


def test_what_others_write_is_not_filled_in() -> None:
    """An autoscaler has the replicas, and Kueue suspends: a default of ours would fight with both."""
    assert "replicas" not in made(compiled(DEPLOYMENT), "Deployment")["spec"]
    job = made(compiled(QUEUED), "Job")["spec"]
    assert job["completionMode"] == "NonIndexed"
    assert "suspend" not in job


def test_what_somebody_states_stays() -> None:
    stated = DEPLOYMENT.replace("spec:\n  selector", "spec:\n  replicas: 1\n  paused: false\n  selector")
    assert made(compiled(stated), "Deployment")["spec"]["replicas"] == 1


@pytest.mark.parametrize(
    ("old", "new", "code", "line"),
    [
        ("  selector: {matchLabels", "  colour: red\n  selector: {matchLabels", "SP0803", 5),
        ("cpu: 1000m", "cpu: much", "SP0802", 13),
    ],
)
def test_what_is_wrong_is_reported_as_it_was_written(old: str, new: str, code: str, line: int) -> None:
    assert old in DEPLOYMENT
    done = compiled(DEPLOYMENT.replace(old, new, 1))
    places = {
        (one.primary.place.path, one.primary.place.span and one.primary.place.span.line)
        for one in place_all(done.diagnostics, done.tree.locate)
        if one.diagnostic.code == code and one.primary.place is not None
    }
    assert places == {(f"{FOLDER}/all.yaml", line)}


def test_what_only_servers_write_is_left_out() -> None:
    exported = DEPLOYMENT.replace("spec:\n  selector", "status: {replicas: 3}\nspec:\n  selector", 1).replace(
        "{name: web, namespace",
        "{creationTimestamp: null, generation: 4, resourceVersion: '77', name: web, namespace",
        1,
    )
    assert made(compiled(exported), "Deployment") == made(compiled(DEPLOYMENT), "Deployment")


def test_an_object_without_namespace_is_not_put_into_default() -> None:
    done = compiled(DEPLOYMENT.replace(", namespace: monitoring", ""))
    assert "SP0742" in {d.code for d in done.diagnostics}


def test_templates_say_it_themselves() -> None:
    assert "SP0820" in codes(compiled(DEPLOYMENT, "all.yaml.j2"))
