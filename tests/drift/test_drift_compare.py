"""Drift: a clean cluster shows none, each planted edit is found with its path, class and live owner."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from drift_fleet import (
    FACTS,
    RENDERED,
    SharedField,
    clean_cluster,
    differences,
    disown,
    entry,
    live_form,
    only,
    report_of,
)

from stowplan.diagnostics.model import Severity
from stowplan.drift.canonical import same_value
from stowplan.drift.findings import drift_diagnostics
from stowplan.drift.model import ABSENT, ClusterStatus, DesiredObject, DriftClass, LiveCluster
from stowplan.drift.report import compare

Cluster = dict[str, dict[str, Any]]
APP = 'k:{"name":"app"}'


def test_a_clean_cluster_has_no_drift() -> None:
    report = report_of([*clean_cluster().values()])
    assert differences(report) == []
    assert report.is_clean
    assert report.clusters[0].n_rendered == 3


def container(live: dict[str, Any]) -> dict[str, Any]:
    containers = live["spec"]["template"]["spec"]["containers"]
    return next(found for found in containers if found["name"] == "app")


def pod_fields(fields: dict[str, Any]) -> dict[str, Any]:
    return {"f:spec": {"f:template": {"f:spec": {"f:containers": {APP: fields}}}}}


def change_image(cluster: Cluster) -> None:
    container(cluster["Deployment"])["image"] = "registry.example.com/app:2"
    disown(cluster["Deployment"], "kubectl-set", pod_fields({"f:image": {}}))


def scale(cluster: Cluster) -> None:
    cluster["Deployment"]["spec"]["replicas"] = 5
    disown(cluster["Deployment"], "kubectl", {"f:spec": {"f:replicas": {}}})


def drop_label(cluster: Cluster) -> None:
    del cluster["Deployment"]["metadata"]["labels"]["app"]


def add_env(cluster: Cluster) -> None:
    container(cluster["Deployment"])["env"].append({"name": "DEBUG", "value": "1"})
    disown(
        cluster["Deployment"], "kubectl-edit",
        pod_fields({"f:env": {'k:{"name":"DEBUG"}': {".": {}, "f:name": {}, "f:value": {}}}}),
    )  # fmt: skip


def add_sidecar(cluster: Cluster) -> None:
    cluster["Deployment"]["spec"]["template"]["spec"]["containers"].insert(0, {"name": "agent", "image": "a"})
    fields: dict[str, Any] = {
        "f:spec": {"f:template": {"f:spec": {"f:containers": {'k:{"name":"agent"}': {".": {}, "f:image": {}}}}}}
    }
    disown(cluster["Deployment"], "agent-operator", fields, "Apply")


def add_annotation(cluster: Cluster) -> None:
    cluster["Service"]["metadata"]["annotations"]["example.com/owner"] = "me"
    disown(cluster["Service"], "kubectl-annotate", {"f:metadata": {"f:annotations": {"f:example.com/owner": {}}}})


def take_over_quota(cluster: Cluster) -> None:
    disown(cluster["ClusterQueue"], "quota-bot", {"f:spec": {"f:resourceGroups": {}}}, "Apply")


def change_quota(cluster: Cluster) -> None:
    groups = cluster["ClusterQueue"]["spec"]["resourceGroups"]
    groups[0]["flavors"][0]["resources"][0]["nominalQuota"] = "13"


def change_toleration(cluster: Cluster) -> None:
    cluster["Deployment"]["spec"]["template"]["spec"]["tolerations"].append({"operator": "Exists"})


def remove_service(cluster: Cluster) -> None:
    del cluster["Service"]


def leave_orphan(cluster: Cluster) -> None:
    old = copy.deepcopy(cluster["Service"])
    old["metadata"]["name"] = "old"
    old["metadata"]["annotations"]["argocd.argoproj.io/tracking-id"] = "app:/Service:team/old"
    cluster["old"] = old


def change_request(cluster: Cluster) -> None:
    container(cluster["Deployment"])["resources"]["requests"]["cpu"] = "2500m"


IMAGE = "spec.template.spec.containers[name=app].image"
PLANTED: dict[str, tuple[Callable[[Cluster], None], tuple[str, str, str, str]]] = {
    "image": (change_image, ("modified", "Deployment team/web", IMAGE, "kubectl-set (Update)")),
    "replicas": (scale, ("modified", "Deployment team/web", "spec.replicas", "kubectl (Update)")),
    "label gone": (drop_label, ("modified", "Deployment team/web", "metadata.labels.app", "argocd-controller (Apply)")),
    "env added": (
        add_env,
        ("foreign addition", "Deployment team/web", "spec.template.spec.containers[name=app].env[name=DEBUG]",
         "kubectl-edit (Update)"),
    ),
    "sidecar": (
        add_sidecar,
        ("foreign addition", "Deployment team/web", "spec.template.spec.containers[name=agent]",
         "agent-operator (Apply)"),
    ),
    "annotation": (
        add_annotation,
        ("foreign addition", "Service team/web", 'metadata.annotations["example.com/owner"]',
         "kubectl-annotate (Update)"),
    ),
    "quota taken over": (
        take_over_quota, ("taken over", "ClusterQueue gpu", "spec.resourceGroups", "quota-bot (Apply)"),
    ),
    "toleration": (
        change_toleration,
        ("modified", "Deployment team/web", "spec.template.spec.tolerations", "argocd-controller (Apply)"),
    ),
    "removed": (remove_service, ("missing", "Service team/web", "", "")),
    "orphan": (leave_orphan, ("orphaned", "Service team/old", "", "")),
    "request": (
        change_request,
        ("modified", "Deployment team/web", "spec.template.spec.containers[name=app].resources.requests.cpu",
         "argocd-controller (Apply)"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_edit_is_found_and_named(name: str) -> None:
    edit, expected = PLANTED[name]
    cluster = clean_cluster()
    edit(cluster)
    report = report_of([*cluster.values()])
    assert differences(report) == [expected]
    assert not report.is_clean


CODES = {
    "missing": "SP1101", "modified": "SP1102", "foreign addition": "SP1103", "taken over": "SP1104", "orphaned": "SP1105",
    "fight": "SP1106",
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_edit_is_a_finding_with_the_code_of_its_class(name: str) -> None:
    edit, (kind, title, path, owner) = PLANTED[name]
    cluster = clean_cluster()
    edit(cluster)
    (found,) = drift_diagnostics(report_of([*cluster.values()]))
    assert (found.code, found.severity, found.targets) == (CODES[kind], Severity.ERROR, ("east",))
    assert title in found.message and path in found.message
    assert not owner or f"live owner: {owner}" in found.notes


def test_all_planted_edits_together_are_all_found() -> None:
    cluster = clean_cluster()
    for edit, _ in PLANTED.values():
        if edit is not remove_service:
            edit(cluster)
    found = differences(report_of([*cluster.values()]))
    assert set(found) == {expected for edit, expected in PLANTED.values() if edit is not remove_service}


def test_a_quota_that_differs_is_found_under_its_tolerated_writer() -> None:
    cluster = clean_cluster()
    change_quota(cluster)
    disown(cluster["ClusterQueue"], "kubectl-edit", {"f:spec": {"f:resourceGroups": {}}})
    assert differences(report_of([*cluster.values()])) == [
        ("modified", "ClusterQueue gpu", "spec.resourceGroups", "kubectl-edit (Update)")
    ]


@pytest.mark.parametrize(
    ("path", "spelling"),
    [("cpu", "2000m"), ("cpu", 2), ("memory", "1024Mi"), ("memory", 1073741824)],
)
def test_another_spelling_of_a_quantity_is_no_drift(path: str, spelling: Any) -> None:
    cluster = clean_cluster()
    container(cluster["Deployment"])["resources"]["requests"][path] = spelling
    assert differences(report_of([*cluster.values()])) == []


@pytest.mark.parametrize(
    ("rendered", "live", "name", "same"),
    [
        ("1", "1000m", "cpu", True), ("1", "1000m", "note", False), (1, 1.0, "x", True), (True, 1, "x", False),
        ("2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00", "x", True), ("a", "b", "cpu", False),
        ({"a": None}, {}, "x", True), ({"a": 1}, {}, "x", False), ([1, 2], [2, 1], "x", False),
        ([{"nominalQuota": "12"}], [{"nominalQuota": "12000m"}], "x", True), (1, "1", "x", False),
    ],
)  # fmt: skip
def test_same_value(rendered: Any, live: Any, name: str, same: bool) -> None:
    assert same_value(rendered, live, name) is same


def test_another_order_of_keyed_items_is_no_drift() -> None:
    cluster = clean_cluster()
    env = container(cluster["Deployment"])["env"]
    rendered = copy.deepcopy(RENDERED[0])
    container(rendered)["env"] = [{"name": "A", "value": "1"}, {"name": "MODE", "value": "prod"}]
    env.append({"name": "A", "value": "1"})
    desired = {"east": [DesiredObject(rendered, "argocd")]}
    live = {"east": LiveCluster("east", (cluster["Deployment"],))}
    report = compare(desired, live, FACTS)
    assert differences(report) == []


def test_defaults_known_to_the_caller_are_no_drift() -> None:
    cluster = clean_cluster()
    cluster["Deployment"]["spec"]["revisionHistoryLimit"] = 10
    assert only(report_of([*cluster.values()])).drift is DriftClass.UNOWNED

    def normalise(api_version: str, kind: str, data: Mapping[str, Any]) -> Mapping[str, Any]:
        return {**data, "spec": {"revisionHistoryLimit": 10, **data["spec"]}} if kind == "Deployment" else data

    assert differences(report_of([*cluster.values()], replace(FACTS, normalise=normalise))) == []


def test_a_default_that_nobody_owns_does_not_make_a_cluster_unclean() -> None:
    cluster = clean_cluster()
    cluster["Deployment"]["spec"]["revisionHistoryLimit"] = 10
    assert report_of([*cluster.values()]).is_clean


def test_a_controller_of_the_atlas_that_writes_what_git_renders_is_a_fight() -> None:
    rendered = {
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"name": "j", "namespace": "team", "labels": {"kueue.x-k8s.io/queue-name": "q"}},
        "spec": {"suspend": True},
    }  # fmt: skip
    live = live_form(rendered)
    live["spec"]["suspend"] = False
    disown(live, "kueue", {"f:spec": {"f:suspend": {}}})
    report = compare({"east": [DesiredObject(rendered, "argocd")]}, {"east": LiveCluster("east", (live,))}, FACTS)
    difference = only(report)
    assert difference.drift is DriftClass.FIGHT
    assert "do not render `spec.suspend`" in difference.reason
    allowed = replace(FACTS, shared_fields=(SharedField("Job", "spec.suspend", ("argocd", "kueue"), "queue wins"),))
    report = compare({"east": [DesiredObject(rendered, "argocd")]}, {"east": LiveCluster("east", (live,))}, allowed)
    assert (only(report).drift, only(report).reason) == (DriftClass.IGNORED, "allowed: queue wins")
    assert report.is_clean


def test_two_snapshots_show_a_fight() -> None:
    cluster = clean_cluster()
    before = copy.deepcopy([*cluster.values()])
    scale(cluster)
    earlier = {"east": LiveCluster("east", tuple(before))}
    report = report_of([*cluster.values()], replace(FACTS, earlier=earlier))
    assert only(report).drift is DriftClass.FIGHT
    assert [d.code for d in drift_diagnostics(report)] == [CODES["fight"]]


def test_a_field_that_git_dropped_and_the_engine_still_owns_is_named() -> None:
    cluster = clean_cluster()
    deployment = cluster["Deployment"]
    deployment["spec"]["paused"] = True
    deployment["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]["f:paused"] = {}
    difference = only(report_of([*cluster.values()]))
    assert (difference.drift, difference.path) == (DriftClass.MODIFIED, "spec.paused")
    assert "not rendered any more" in difference.reason


def test_a_field_that_both_own_is_shared_and_no_drift() -> None:
    cluster = clean_cluster()
    cluster["Deployment"]["metadata"]["managedFields"].append(entry("other", "Apply", {"f:spec": {"f:replicas": {}}}))
    assert differences(report_of([*cluster.values()])) == []


def test_a_cluster_that_was_not_read_is_unknown_and_never_clean() -> None:
    desired = {"east": [DesiredObject(data, "argocd") for data in RENDERED]}
    report = compare(desired, {}, FACTS)
    assert report.clusters[0].status is ClusterStatus.UNKNOWN
    assert not report.is_clean
    assert differences(report) == []
    gone = compare(desired, {"east": LiveCluster("east", answered=False, problems=("timed out",))}, FACTS)
    assert (gone.clusters[0].status, gone.is_clean) == (ClusterStatus.UNKNOWN, False)


def test_a_kind_that_could_not_be_listed_is_not_called_missing() -> None:
    cluster = clean_cluster()
    del cluster["Service"]
    report = report_of(
        [*cluster.values()], kinds_failed=frozenset({("", "Service")}), problems=("v1 Service: forbidden (HTTP 403)",)
    )
    assert differences(report) == []
    assert report.clusters[0].status is ClusterStatus.PARTIAL
    assert not report.is_clean
    (found,) = drift_diagnostics(report)
    assert (found.code, found.severity) == ("SP1108", Severity.WARNING)
    assert found.notes == ("v1 Service: forbidden (HTTP 403)",)


def test_foreign_marks_and_children_are_no_orphans() -> None:
    cluster = clean_cluster()
    copied = copy.deepcopy(cluster["Service"])
    copied["metadata"]["name"] = "copied"  # its tracking id still describes `web`
    child = live_form({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "team",
                       "labels": {"app.kubernetes.io/managed-by": "stowplan"}}, "spec": {}})  # fmt: skip
    child["metadata"]["ownerReferences"] = [{"controller": True, "uid": "u"}]
    assert differences(report_of([*cluster.values(), copied, child])) == []
    other = replace(FACTS, applications=frozenset({"app"}))
    leave_orphan(cluster)
    assert only(report_of([*cluster.values()], other)).drift is DriftClass.ORPHANED
    assert differences(report_of([*cluster.values()], replace(FACTS, applications=frozenset({"elsewhere"})))) == []


def test_an_export_without_managed_fields_says_so() -> None:
    cluster = clean_cluster()
    for live in cluster.values():
        del live["metadata"]["managedFields"]
    cluster["Deployment"]["spec"]["paused"] = True
    difference = only(report_of([*cluster.values()]))
    assert difference.drift is DriftClass.FOREIGN
    assert "--show-managed-fields" in difference.reason
    assert difference.rendered is ABSENT


def test_damaged_managed_fields_do_no_harm() -> None:
    cluster = clean_cluster()
    cluster["Deployment"]["metadata"]["managedFields"] = [{"manager": "x", "fieldsV1": {"bad": {}}}, 3, {"fieldsV1": 1}]
    assert report_of([*cluster.values()]).clusters[0].status is ClusterStatus.COMPARED
