"""What a component's own template, or one in `templates/`, states is reported at the template's line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from stowplan.diagnostics.fingerprint import fingerprints
from stowplan.diagnostics.placed import place_all
from stowplan.diagnostics.render.json import as_record
from stowplan.driver import Compilation, compile_workspace, template_set
from stowplan.passes.provenance import origin_of_field
from stowplan.resources import builtin_folder
from stowplan.source.files import SourceTree
from stowplan.source.span import Pointer

INIT = builtin_folder("init")
BASE = {p.relative_to(INIT).as_posix(): p.read_text() for p in sorted(INIT.rglob("*.yaml"))}
COMPONENT = """apiVersion: stowplan.io/v1alpha1
kind: Component
metadata:
  name: web
spec:
  manifests: fleet/components/web
  selector: {clusters: [east]}
  values: {replicas: 2, image: IMAGE}
""".replace("IMAGE", "registry.example.com/web@sha256:" + "a" * 64)
AT = "fleet/components/web/web.yaml.j2"
WEB = """{# the front of it all #}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: web
spec:
  replicas: {{ values.replicas }}
  progressDeadlineSeconds: 600
  revisionHistoryLimit: 10
  strategy:
    type: RollingUpdate
    rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      restartPolicy: Always
      terminationGracePeriodSeconds: 30
      dnsPolicy: ClusterFirst
      schedulerName: default-scheduler
      automountServiceAccountToken: false
      securityContext: {}
      containers:
        {% for name in ['web', 'log'] %}
        - name: {{ name }}
          image: {{ values.image }}
          imagePullPolicy: IfNotPresent
          terminationMessagePath: /dev/termination-log
          terminationMessagePolicy: File
          securityContext: {allowPrivilegeEscalation: false}
          resources:
            requests: {cpu: 100m, memory: 64Mi}
            limits: {memory: 64Mi}
          readinessProbe:
            httpGet: {path: /ready, port: 8080, scheme: HTTP}
            timeoutSeconds: 1
            periodSeconds: 10
            successThreshold: 1
            failureThreshold: 3
        {% endfor %}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: web
  namespace: web
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      app: web
"""


def compiled(template: str = WEB, files: Mapping[str, str] | None = None) -> Compilation:
    given = {**BASE, "fleet/web.yaml": COMPONENT, AT: template, **(files or {})}
    return compile_workspace(SourceTree.from_texts(given))


def places(done: Compilation) -> list[tuple[str, str]]:
    """Each finding's code with the text of its line."""
    found = []
    for one in place_all(done.diagnostics, done.tree.locate):
        at = one.primary.place
        line = done.tree.excerpt(at.path, at.span.line) if at and at.span else ""
        found.append((one.diagnostic.code, f"{at.path if at else ''}: {(line or '').strip()}"))
    return found


def test_the_template_itself_is_well() -> None:
    done = compiled()
    assert not done.failed(), places(done)
    assert not [place for place in places(done) if AT in place[1]]


FAULTS = {
    "unknown field": ("progressDeadlineSeconds: 600", "progressDeadline: 600", "SP0803", "progressDeadline: 600"),
    "wrong type": ("terminationGracePeriodSeconds: 30", "terminationGracePeriodSeconds: soon", "SP0802", "terminationGracePeriodSeconds: soon"),
    "unknown value": ("dnsPolicy: ClusterFirst", "dnsPolicy: Nearest", "SP0806", "dnsPolicy: Nearest"),
    "in a flow mapping": ("scheme: HTTP}", "scheme: GOPHER}", "SP0806", "httpGet: {path: /ready, port: 8080, scheme: GOPHER}"),
    "in a loop": ("periodSeconds: 10", "periodSeconds: -10", "SP0807", "periodSeconds: -10"),
    "lacks a field": ("  selector:\n    matchLabels:\n      app: web\n  template", "  template", "SP0804", "spec:"),
    "pair of fields": ("      app: web\n  template", "      app: wep\n  template", "SP0807", "labels:"),
    "rewritten": ("memory: 64Mi}\n            limits", "memory: 0.0625Gi}\n            limits", "SP0820", "requests: {cpu: 100m, memory: 0.0625Gi}"),
    "left to defaults": ("      schedulerName: default-scheduler\n", "", "SP0820", "spec:"),
    "unserved": ("apps/v1", "apps/v1beta1", "SP0801", "apiVersion: apps/v1beta1"),
    "second document": ("maxUnavailable: 1", "maxUnavailable: -1", "SP0807", "maxUnavailable: -1"),
    "no object": ("kind: PodDisruptionBudget\n", "", "SP0706", "apiVersion: policy/v1"),
    "a name that is none": ("  name: web\n  namespace: web\nspec:\n  max", "  name: ../web\n  namespace: web\nspec:\n  max", "SP0807", "name: ../web"),
    "no namespace": ("  name: web\n  namespace: web\nspec:\n  max", "  name: web\nspec:\n  max", "SP0742", "metadata:"),
    "guardrail": ("securityContext: {}", "securityContext: {}\n      hostNetwork: true", "SP8005", "hostNetwork: true"),
    "written by the server": ("  name: web\n  namespace: web\nspec:\n  rep", "  name: web\n  namespace: web\n  generation: 4\nspec:\n  rep", "SP0820", "generation: 4"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_faults_in_what_the_template_states(name: str) -> None:
    before, after, code, line = FAULTS[name]
    assert before in WEB
    done = compiled(WEB.replace(before, after, 1))
    assert (code, f"{AT}: {line}") in places(done), places(done)


def test_guardrails_point_to_what_they_read() -> None:
    stated = WEB.replace("{allowPrivilegeEscalation: false}", "{allowPrivilegeEscalation: true}")
    assert ("SP8004", f"{AT}: securityContext: {{allowPrivilegeEscalation: true}}") in places(compiled(stated))
    absent = WEB.replace("          securityContext: {allowPrivilegeEscalation: false}\n", "")
    assert ("SP8004", f"{AT}: - name: {{{{ name }}}}") in places(compiled(absent))


SUBMITTER = """apiVersion: batch/v1
kind: Job
metadata:
  name: web
  namespace: web
  labels:
    kueue.x-k8s.io/queue-name: nowhere
spec:
  suspend: true
  backoffLimit: 6
  completionMode: NonIndexed
  completions: 1
  parallelism: 1
  manualSelector: false
  podReplacementPolicy: TerminatingOrFailed
  template:
    metadata:
      labels: {app: web}
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 30
      dnsPolicy: ClusterFirst
      schedulerName: default-scheduler
      automountServiceAccountToken: false
      securityContext: {}
      containers:
        - name: web
          image: {{ values.image }}
          imagePullPolicy: IfNotPresent
          terminationMessagePath: /dev/termination-log
          terminationMessagePolicy: File
          securityContext: {allowPrivilegeEscalation: false}
          resources:
            requests: {cpu: 100m, memory: 64Mi}
            limits: {memory: 64Mi}
"""


def test_kueue_and_two_writers() -> None:
    found = places(compiled(SUBMITTER))
    assert ("SP2070", f"{AT}: kueue.x-k8s.io/queue-name: nowhere") in found
    assert ("SP2090", f"{AT}: apiVersion: batch/v1") in found
    assert ("SP2071", f"{AT}: suspend: true") in found
    scaled = WEB.replace("replicas: {{ values.replicas }}", "replicas: 2") + SCALER
    assert ("SP0901", f"{AT}: replicas: 2") in places(compiled(scaled))


SCALER = """---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: web
  namespace: web
spec:
  minReplicas: 2
  maxReplicas: 4
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  metrics:
    - type: Resource
      resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}
"""
REFUSED = WEB.replace("progressDeadlineSeconds: 600", "progressDeadline: 600")


def test_what_it_was_rendered_for_is_named() -> None:
    [one] = [d for d in compiled(REFUSED).diagnostics if d.code == "SP0803"]
    [label] = one.secondary
    assert label.at is not None and label.at.path == "fleet/web.yaml" and label.text == "rendered for this"


def test_a_hole_that_reads_nothing_is_stated_by_its_line() -> None:
    found = places(compiled(WEB.replace("progressDeadlineSeconds: 600", "progressDeadlineSeconds: {{ 'soon' }}")))
    assert ("SP0802", f"{AT}: progressDeadlineSeconds: {{{{ 'soon' }}}}") in found


def test_a_value_stays_the_users() -> None:
    found = places(compiled(WEB, {"fleet/web.yaml": COMPONENT.replace("replicas: 2", "replicas: -2")}))
    assert ("SP0807", "fleet/web.yaml: values: {replicas: -2, image: " + COMPONENT.split("image: ")[1].strip()) in found


def test_included_text() -> None:
    part = "templates/ours/part.j2"
    text = WEB.replace("  progressDeadlineSeconds: 600\n", "  {% include 'ours/part.j2' %}\n\n")
    assert ("SP0803", f"{part}: progressDeadline: 600") in places(compiled(text, {part: "  progressDeadline: 600\n"}))


def test_templates_of_the_workspace_in_place_of_shipped_ones() -> None:
    at = "templates/tenancy/namespace.yaml.j2"
    text = (builtin_folder("templates") / "tenancy/namespace.yaml.j2").read_text()
    assert "spec: {}\n" in text
    found = places(compiled(WEB, {at: text.replace("spec: {}\n", "spec:\n  colour: red\n")}))
    assert ("SP0803", f"{at}: colour: red") in found


EXEMPTION = """apiVersion: stowplan.io/v1alpha1
kind: Exemption
metadata:
  name: web
spec:
  exemptions:
    - rule: SP2090
      subject: Component/web
      reason: it is old
      expires: "2030-01-01T00:00:00Z"
"""


def test_exempt_is_the_component_it_was_rendered_for() -> None:
    assert "SP2090" in [code for code, _ in places(compiled(SUBMITTER))]
    found = places(compiled(SUBMITTER, {"policies/exemptions.yaml": EXEMPTION}))
    assert not [code for code, _ in found if code in ("SP2090", "SP1222")], found


def test_suppressed_on_the_templates_line() -> None:
    host = WEB.replace(
        "securityContext: {}", "securityContext: {}\n      hostNetwork: true  # stowplan: allow[SP8005] it routes"
    )
    assert not [code for code, _ in places(compiled(host)) if code in ("SP8005", "SP0105")]
    unused = WEB.replace("securityContext: {}", "securityContext: {}  # stowplan: allow[SP8005] it routes")
    assert [place for code, place in places(compiled(unused)) if code == "SP0105"] == [
        f"{AT}: securityContext: {{}}  # stowplan: allow[SP8005] it routes"
    ]


def test_programs_get_the_line_and_no_pointer() -> None:
    done = compiled(REFUSED)
    [one] = [p for p in place_all(done.diagnostics, done.tree.locate) if p.diagnostic.code == "SP0803"]
    record = as_record(one, None)["primary"]
    assert (record["path"], record["document"], record["pointer"]) == (AT, None, None)
    assert record["span"] == {"line": 9, "column": 3, "end_line": 9, "end_column": 24}


def test_a_finding_keeps_its_fingerprint_when_lines_move() -> None:
    marks = []
    for text in (REFUSED, "{# moved #}\n" + REFUSED):
        done = compiled(text)
        placed = place_all(done.diagnostics, done.tree.locate)
        marks.append(list(fingerprints(placed, done.tree)))
    assert marks[0] == marks[1]


def _leaves(value: Any, pointer: Pointer) -> Iterator[Pointer]:
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    yield pointer
    for step, below in steps:
        yield from _leaves(below, (*pointer, step))


def test_every_field_is_found_on_a_line_that_says_it() -> None:
    done = compiled()
    assert done.rendered is not None and done.lowered is not None
    templates = template_set(done.tree, done.lowered.component_templates)
    made = [o for o in done.rendered.objects if o.unit.name == "component-web"]
    assert {o.kind for o in made} == {"Deployment", "PodDisruptionBudget"}
    seen = 0
    for one in made:
        for pointer in _leaves(one.object, ()):
            span = done.tree.locate(origin_of_field(one, pointer, templates))
            assert span is not None
            line = done.tree.excerpt(span.path, span.line) or ""
            names = [step for step in pointer if isinstance(step, str)][-1:]
            read = span.path == "fleet/web.yaml" or "{{ name }}" in line
            assert read or not names or names[0] in line or isinstance(_value(one.object, pointer), dict | list), (
                pointer
            )
            seen += 1
    assert seen > 80


def _value(value: Any, pointer: Pointer) -> Any:
    for step in pointer:
        value = value[step]
    return value
