"""Components: who gets them, with which values, in which order, and what is wrong with them at which line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

from stowplan.driver import Compilation, compile_workspace
from stowplan.model.rendered import RenderedObject
from stowplan.resources import builtin_folder
from stowplan.source.files import SourceTree
from stowplan.source.span import Span

INIT = builtin_folder("init")
BASE = {p.relative_to(INIT).as_posix(): p.read_text() for p in sorted(INIT.rglob("*.yaml"))}
EAST = BASE["fleet/clusters/east.yaml"]
WEST = EAST.replace("east", "west").replace("roles: [training, batch, interactive]", "roles: [batch]")
WEST = WEST.replace("environment: production", "environment: staging").replace(
    "name: west", "name: west\n  labels: {tier: gold}"
)
SEEN = BASE["fleet/inventory/east.yaml"].replace("east", "west")

COMPONENT = """apiVersion: stowplan.io/v1alpha1
kind: Component
metadata:
  name: alerts
spec:
  manifests: fleet/components/alerts
  selector: SELECTOR
  values: {severity: page, team: platform}
  overrides:
    - {clusters: [west], values: {severity: ticket}}
"""
TEMPLATE = """apiVersion: v1
kind: ConfigMap
metadata:
  name: alerts
  namespace: monitoring
data:
  severity: {{ values.severity }}
  team: {{ values.team }}
  where: {{ cluster.name }} in {{ cluster.region }}
  fleet: {{ fleet.name }}
"""
PLAIN = """apiVersion: v1
kind: ConfigMap
metadata:
  name: rules
  namespace: monitoring
data:
  expression: "{{ $labels.instance }} is {% down %}"
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: scraper
rules:
  - {apiGroups: [""], resources: [pods], verbs: [get]}
"""
FOLDER = {"fleet/components/alerts/a.yaml.j2": TEMPLATE, "fleet/components/alerts/b.yaml": PLAIN}
TWO = {"fleet/clusters/west.yaml": WEST, "fleet/inventory/west.yaml": SEEN}


def compiled(files: Mapping[str, str], selector: str = "{}", component: str = COMPONENT) -> Compilation:
    given = {**BASE, **TWO, "fleet/alerts.yaml": component.replace("SELECTOR", selector), **files}
    return _compiled(tuple(given.items()))


@cache
def _compiled(files: tuple[tuple[str, str], ...]) -> Compilation:
    return compile_workspace(SourceTree.from_texts(dict(files)))


def sound(files: Mapping[str, str] = FOLDER, selector: str = "{}", component: str = COMPONENT) -> Compilation:
    done = compiled(files, selector, component)
    assert not done.failed(), [f"{d.code} {d.message}" for d in done.diagnostics]
    return done


def objects(done: Compilation, folder: str) -> dict[str, RenderedObject]:
    assert done.rendered is not None
    return {f"{o.kind}/{o.name}": o for o in done.rendered.objects if o.unit.folder == folder}


def data(done: Compilation, cluster: str, name: str = "alerts") -> Any:
    return objects(done, f"clusters/{cluster}/component-alerts")[f"ConfigMap/{name}"].object["data"]


def findings(done: Compilation) -> list[tuple[str, str, int]]:
    found = []
    for one in done.diagnostics:
        at = one.primary.at
        span = at if isinstance(at, Span) or at is None else done.tree.locate(at)
        found.append((one.code, span.path if span else "", span.line if span else 0))
    return found


def test_values_by_cluster() -> None:
    done = sound()
    assert data(done, "east") == {"severity": "page", "team": "platform", "where": "east in east", "fleet": "demo"}
    assert data(done, "west") == {"severity": "ticket", "team": "platform", "where": "west in west", "fleet": "demo"}


def test_plain_manifests_are_no_templates() -> None:
    assert data(sound(), "east", "rules") == {"expression": "{{ $labels.instance }} is {% down %}"}
    assert "ClusterRole/scraper" in objects(sound(), "clusters/east/component-alerts")


@pytest.mark.parametrize(
    ("selector", "clusters"),
    [
        ("{}", ["east", "west"]),
        ("{roles: [training]}", ["east"]),
        ("{roles: [training, batch]}", ["east", "west"]),
        ("{labels: {tier: gold}}", ["west"]),
        ("{environments: [production]}", ["east"]),
        ("{clusters: [hub, west]}", ["hub", "west"]),
        ("{roles: [hub]}", ["hub"]),
        ("{roles: [batch], environments: [staging]}", ["west"]),
    ],
)
def test_who_gets_it(selector: str, clusters: list[str]) -> None:
    done = sound(selector=selector)
    assert done.files is not None
    plan = json.loads(done.files["plan.json"])
    assert plan["components"] == [{"name": "alerts", "clusters": clusters}]
    assert [c for c in ("east", "hub", "west") if objects(done, f"clusters/{c}/component-alerts")] == clusters


def test_namespaces_come_first_and_stay() -> None:
    done = sound()
    made = objects(done, "clusters/east/tenancy")["Namespace/monitoring"]
    assert made.unit.protected
    assert made.object["metadata"]["annotations"] == {
        "argocd.argoproj.io/sync-options": "Prune=false",
        "kustomize.toolkit.fluxcd.io/prune": "disabled",
    }
    unit = objects(done, "clusters/east/component-alerts")["ConfigMap/alerts"].unit
    assert "tenancy" in unit.depends_on
    own = {
        **FOLDER,
        "fleet/components/alerts/c.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: monitoring}\nspec: {}\n",
    }
    done = sound(own)
    assert "Namespace/monitoring" not in objects(done, "clusters/east/tenancy")
    tenants = {"fleet/components/alerts/b.yaml": PLAIN.replace("namespace: monitoring", "namespace: research")}
    assert list(objects(sound(tenants), "clusters/east/tenancy")).count("Namespace/research") == 1
    system = {"fleet/components/alerts/b.yaml": PLAIN.replace("namespace: monitoring", "namespace: kube-system")}
    assert "Namespace/kube-system" not in objects(sound(system), "clusters/east/tenancy")


def test_a_namespace_of_two_components_is_rendered_once() -> None:
    other = COMPONENT.replace("name: alerts", "name: boards").replace("components/alerts", "components/boards")
    more = {
        **FOLDER,
        "fleet/boards.yaml": other.replace("SELECTOR", "{}"),
        "fleet/components/boards/x.yaml": PLAIN.replace("name: rules", "name: boards").replace("scraper", "boards"),
    }
    done = sound(more)
    assert done.rendered is not None
    spaces = [o for o in done.rendered.objects if o.kind == "Namespace" and o.name == "monitoring"]
    assert [o.unit.folder for o in spaces] == ["clusters/east/tenancy", "clusters/west/tenancy"]


def test_waves() -> None:
    files = dict(FOLDER)
    for name, wave in (("first", 0), ("second", 2), ("third", 5)):
        text = COMPONENT.replace("name: alerts", f"name: {name}").replace("components/alerts", f"components/{name}")
        files[f"fleet/{name}.yaml"] = text.replace("SELECTOR", "{}").replace("spec:\n", f"spec:\n  wave: {wave}\n")
        files[f"fleet/components/{name}/x.yaml"] = PLAIN.replace("rules\n", f"{name}\n").replace("scraper", name)
    done = sound(files)
    units = (
        {o.unit.name: o.unit for o in done.rendered.objects if o.unit.target.name == "east"} if done.rendered else {}
    )
    assert units["component-alerts"].depends_on == ("tenancy",)
    assert units["component-second"].depends_on == ("tenancy", "component-alerts", "component-first")
    assert units["component-third"].depends_on == ("tenancy", "component-second")
    assert units["component-third"].wave == 5


def test_a_file_and_a_list() -> None:
    listed = "apiVersion: v1\nkind: List\nitems:\n" + "".join(
        f"  - apiVersion: v1\n    kind: ConfigMap\n    metadata: {{name: {name}, namespace: default}}\n"
        for name in "ab"
    )
    component = COMPONENT.replace("components/alerts", "components/one.yaml")
    done = sound({"fleet/components/one.yaml": listed}, component=component)
    assert sorted(objects(done, "clusters/east/component-alerts")) == ["ConfigMap/a", "ConfigMap/b"]


KARMADA = COMPONENT.replace("spec:\n", "spec:\n  delivery: karmada\n")
MEMBERS = {
    "fleet/clusters/east.yaml": EAST + "  karmada: {mode: push}\n",
    "fleet/clusters/west.yaml": WEST + "  karmada: {mode: push}\n",
    "fleet/clusters/hub.yaml": BASE["fleet/clusters/hub.yaml"].replace(
        "components: {", "components: {karmada: 1.19.0, "
    ),
    "fleet/fleet.yaml": BASE["fleet/fleet.yaml"].replace(
        "  hubs:\n",
        "  hubs:\n    karmada: {cluster: hub, version: 1.19.0, apis: [policy.karmada.io/v1alpha1]}\n",
    ),
}


def test_through_karmada() -> None:
    done = sound({**FOLDER, **MEMBERS}, component=KARMADA)
    hub = objects(done, "hubs/karmada/component-alerts")
    assert objects(done, "clusters/east/component-alerts") == {}
    assert hub["ConfigMap/alerts"].object["data"]["severity"] == "page"
    rules = hub["OverridePolicy/configmap-alerts"].object["spec"]["overrideRules"]
    west = next(r for r in rules if r["targetCluster"]["clusterNames"] == ["west"])["overriders"]["plaintext"]
    assert west == [
        {"path": "/data/severity", "operator": "replace", "value": "ticket"},
        {"path": "/data/where", "operator": "replace", "value": "west in west"},
    ]
    wide = hub["ClusterPropagationPolicy/component-alerts"].object["spec"]["resourceSelectors"]
    assert [s["name"] for s in wide] == ["scraper"]
    mine = hub["PropagationPolicy/component-alerts"].object["spec"]["resourceSelectors"]
    assert [s["name"] for s in mine] == ["alerts", "rules"]
    space = objects(done, "hubs/karmada/tenancy")["Namespace/monitoring"].object["metadata"]
    assert space["labels"] == {"namespace.karmada.io/skip-auto-propagation": "true"}
    for cluster in ("east", "west"):
        assert "Namespace/monitoring" in objects(done, f"clusters/{cluster}/tenancy")


def test_through_karmada_what_only_some_members_have() -> None:
    some = {
        **MEMBERS,
        "fleet/components/alerts/a.yaml.j2": "{% if cluster.name == 'west' %}\n" + TEMPLATE + "{% endif %}\n",
    }
    done = sound({**some, "fleet/components/alerts/b.yaml": PLAIN}, component=KARMADA)
    hub = objects(done, "hubs/karmada/component-alerts")
    policies = {n: o.object["spec"] for n, o in hub.items() if o.kind == "PropagationPolicy"}
    assert {n: p["placement"]["clusterAffinity"]["clusterNames"] for n, p in policies.items()} == {
        "PropagationPolicy/component-alerts": ["east", "west"],
        "PropagationPolicy/component-alerts-west": ["west"],
    }
    assert not [n for n in hub if n.startswith("OverridePolicy")]


A, B = "fleet/components/alerts/a.yaml.j2", "fleet/components/alerts/b.yaml"
NOBODY = BASE["fleet/fleet.yaml"].replace("components: gitops", "components: none")
MISTAKES: dict[str, tuple[dict[str, str], str, tuple[str, str, int]]] = {
    "no-folder": ({}, COMPONENT, ("SP0740", "fleet/alerts.yaml", 6)),
    "not-read": ({}, COMPONENT.replace("fleet/components", "components"), ("SP0740", "fleet/alerts.yaml", 6)),
    "outside": ({}, COMPONENT.replace("fleet/components", "../components"), ("SP0741", "fleet/alerts.yaml", 6)),
    "absolute": ({}, COMPONENT.replace("fleet/components/alerts", "/etc"), ("SP0741", "fleet/alerts.yaml", 6)),
    "roundabout": (FOLDER, COMPONENT.replace("fleet/components", "fleet/x/../components"), ("SP0741", "fleet/alerts.yaml", 6)),
    "no-namespace": ({B: PLAIN.replace("  namespace: monitoring\n", "")}, COMPONENT, ("SP0742", B, 3)),
    "template-no-namespace": ({A: TEMPLATE.replace("  namespace: monitoring\n", "")}, COMPONENT, ("SP0742", A, 3)),
    "no-name": ({B: PLAIN.replace("name: scraper", "labels: {}")}, COMPONENT, ("SP0745", B, 9)),
    "kustomize": ({B: "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: []\n"}, COMPONENT, ("SP0745", B, 2)),
    "undefined": ({A: TEMPLATE.replace("values.team", "values.teem")}, COMPONENT, ("SP0712", A, 8)),
    "syntax": ({A: TEMPLATE.replace("{{ values.team }}", "{{ values.team")}, COMPONENT, ("SP0711", A, 9)),
    "refused": ({B: PLAIN.replace("verbs: [get]", "verbs: []")}, COMPONENT, ("SP0804", B, 14)),
    "no-karmada": (FOLDER, KARMADA, ("SP0746", "fleet/alerts.yaml", 6)),
    "no-member": ({**FOLDER, **MEMBERS, "fleet/clusters/west.yaml": WEST}, KARMADA, ("SP0746", "fleet/alerts.yaml", 6)),
    "namespace": (
        {**FOLDER, **MEMBERS, "fleet/components/alerts/c.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\nspec: {}\n"},
        KARMADA,
        ("SP0748", "fleet/components/alerts/c.yaml", 1),
    ),
    "unserved": (
        {**MEMBERS, B: "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: x}\nspec: {}\n"},
        KARMADA,
        ("SP0735", B, 1),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str) -> None:
    files, component, expected = MISTAKES[name]
    done = compiled(files, component=component)
    assert done.failed() and done.files is None
    assert expected in findings(done), findings(done)


WARNINGS = {
    "nobody-selected": (FOLDER, "{environments: [nowhere]}", ("SP0743", "fleet/alerts.yaml", 7)),
    "override-unused": (FOLDER, "{clusters: [east]}", ("SP0744", "fleet/alerts.yaml", 10)),
    "nobody-delivers": ({**FOLDER, "fleet/fleet.yaml": NOBODY}, "{}", ("SP0747", "fleet/alerts.yaml", 4)),
}


@pytest.mark.parametrize("name", WARNINGS)
def test_warnings(name: str) -> None:
    files, selector, expected = WARNINGS[name]
    assert expected in findings(sound(files, selector))


def test_every_field_knows_its_input() -> None:
    from stowplan.driver import template_set
    from stowplan.passes.provenance import origin_of_field

    done = sound()
    assert done.lowered is not None
    templates = template_set(done.tree, done.lowered.component_templates)
    west = objects(done, "clusters/west/component-alerts")
    places = {
        ("ConfigMap/alerts", ("data", "severity")): ("fleet/alerts.yaml", 10),
        ("ConfigMap/alerts", ("data", "team")): ("fleet/alerts.yaml", 8),
        ("ConfigMap/alerts", ("data", "fleet")): ("fleet/fleet.yaml", 5),
        ("ConfigMap/rules", ("data", "expression")): (B, 7),
        ("ClusterRole/scraper", ("rules", 0, "verbs")): (B, 14),
    }
    for (name, pointer), expected in places.items():
        span = done.tree.locate(origin_of_field(west[name], pointer, templates))
        assert span is not None and (span.path, span.line) == expected, (name, pointer)


def test_templates_of_components_run_in_the_sandbox() -> None:
    nosy = TEMPLATE.replace("values.team", "values.__class__")
    done = compiled({A: nosy})
    assert done.failed() and any(path == A and line == 8 for _, path, line in findings(done))
