"""The static two-writers check: a planted second writer is found, and nothing else is."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from ownership_fleet import CLUSTERS, QUEUE, check, healthy, pod, policy, rendered, types

from stowplan.ownership.check import OwnershipInput, check_ownership
from stowplan.ownership.ignore import argocd_ignore_differences, flux_ignore, ignore_rules
from stowplan.ownership.rendered import RenderedObject, SharedField
from stowplan.source.span import Origin


def test_a_healthy_fleet_has_one_writer_a_field() -> None:
    outcome = check(healthy())
    assert outcome.diagnostics == ()
    assert any(entry.object.delivered_by == "karmada" for entry in outcome.value.objects)


SCALED_DEPLOYMENT = rendered("east", "apps/v1", "Deployment", "api", {"spec": {"replicas": 3, **pod()}})
SCALER: dict[str, Any] = {"spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "api"}}}

PLANTED: dict[str, tuple[str, list[RenderedObject], str]] = {
    "replicas beside an autoscaler": (
        "SP0901",
        [SCALED_DEPLOYMENT, rendered("east", "autoscaling/v2", "HorizontalPodAutoscaler", "api", SCALER)],
        "`spec.replicas` of Deployment team/api has two writers: argocd and HorizontalPodAutoscaler",
    ),
    "suspend of a queued job": (
        "SP0901",
        [rendered("east", "batch/v1", "Job", "held", {"spec": {"suspend": True, **pod()}}, labels=QUEUE)],
        "`spec.suspend` of Job team/held has two writers: argocd and Kueue",
    ),
    "node selector that a flavor injects": (
        "SP0901",
        [rendered("east", "batch/v1", "Job", "picky", {"spec": pod(nodeSelector={"gpu": "h100"})}, labels=QUEUE)],
        "`spec.template.spec.nodeSelector` of Job team/picky has two writers",
    ),
    "aggregated rules": (
        "SP0901",
        [
            rendered(
                "west", "rbac.authorization.k8s.io/v1", "ClusterRole", "readers",
                {"aggregationRule": {"clusterRoleSelectors": []}, "rules": [{"verbs": ["get"]}]}, namespace="",
            )
        ],
        "`rules` of ClusterRole readers has two writers",
    ),
    "a tracking annotation": (
        "SP0901",
        [rendered("west", "v1", "ConfigMap", "notes", {"data": {"a": "b"}},
                  annotations={"argocd.argoproj.io/tracking-id": "app:/ConfigMap:team/notes"})],
        '`metadata.annotations["argocd.argoproj.io/tracking-id"]` of ConfigMap team/notes',
    ),
    "an object that a controller makes": (
        "SP0902",
        [rendered("east", "kueue.x-k8s.io/v1beta2", "Workload", "job-train", {"spec": {"active": True}})],
        "Workload team/job-train belongs to Kueue",
    ),
    "one object in two units": (
        "SP0903",
        [rendered("west", "apps/v1", "Deployment", "web", {"spec": pod()}, unit="extra")],
        "Deployment team/web is rendered twice for one cluster, in `extra` and `workloads`",
    ),
    "one object under two engines": (
        "SP0904",
        [rendered("west", "apps/v1", "Deployment", "web", {"spec": pod()}, unit="zz", engine="flux")],
        "Deployment team/web has two engines in one cluster: argocd and flux",
    ),
    "a template that Karmada propagates, rendered for a member too": (
        "SP0904",
        [rendered("east", "apps/v1", "Deployment", "asr", {"spec": pod()}, unit="aa")],
        "Deployment team/asr has two engines in one cluster: argocd and karmada",
    ),
    "two policies for one template": (
        "SP0905",
        [policy("asr-again", "Deployment", "asr", ["west"])],
        "Deployment team/asr is claimed by 2 Karmada policies: `asr` and `asr-again`",
    ),
    "two dispatchers": (
        "SP0906",
        [
            rendered("karmada", "batch/v1", "Job", "both",
                     {"spec": {"managedBy": "kueue.x-k8s.io/multikueue", **pod()}}),
            policy("both", "Job", "both", ["hub"], "batch/v1"),
        ],
        "Job team/both has two dispatchers: MultiKueue and Karmada",
    ),
    "a dispatched job rendered for a member too": (
        "SP0906",
        [rendered("west", "batch/v1", "Job", "gang", {"spec": pod()})],
        "Job team/gang is dispatched by MultiKueue and rendered for a member as well",
    ),
    "another owner's kind in a plane": (
        "SP0907",
        [rendered("west", "networking.k8s.io/v1", "Ingress", "web", {"spec": {"rules": []}})],
        "the plane `traffic` is owned by `gateway-api`",
    ),
    "a workload dispatched against the planes table": (
        "SP0907",
        [rendered("west", "batch/v1", "Job", "loose", {"spec": pod()}, workload_class="training")],
        "Job team/loose speaks for `direct`, but the plane `workloadPlacement.training` is owned by `multikueue`",
    ),
    "two autoscalers": (
        "SP0909",
        [rendered("east", "keda.sh/v1alpha1", "ScaledObject", "web",
                  {"spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}}})],
        "Deployment team/web is scaled by 2 autoscalers",
    ),
    "a queued job that Karmada puts as a whole": (
        "SP0910",
        [rendered("karmada", "batch/v1", "Job", "carried", {"spec": pod()}, labels=QUEUE),
         policy("carried", "Job", "carried", ["east", "west"], "batch/v1")],
        "`spec.suspend` of Job team/carried is Kueue's",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_second_writer_is_found(name: str) -> None:
    code, objects, text = PLANTED[name]
    found = check([*healthy(), *objects]).diagnostics
    hits = [d for d in found if d.code == code and text in d.message]
    assert hits, [f"{d.code} {d.message}" for d in found]
    assert hits[0].helps
    assert hits[0].targets
    assert hits[0].notes
    assert {d.code for d in found} == {code}, [f"{d.code} {d.message}" for d in found]


def test_the_same_conflict_on_two_clusters_is_one_diagnostic() -> None:
    twins = [
        rendered(target, "batch/v1", "Job", "held", {"spec": {"suspend": True, **pod()}}, labels=QUEUE)
        for target in ("east", "west")
    ]
    found = check([*healthy(), *twins]).diagnostics
    assert [(d.code, d.targets) for d in found] == [("SP0901", ("east", "west"))]


def test_both_writers_the_evidence_and_the_cure_are_named() -> None:
    (finding,) = check(
        [rendered("east", "batch/v1", "Job", "j", {"spec": {"suspend": True}}, labels=QUEUE)]
    ).diagnostics
    assert "argocd writes it as `argocd-controller`" in finding.notes[0]
    assert "kueue 0.19.2" in finding.notes[1]
    assert "do not render `spec.suspend`" in finding.helps[0]


def test_a_controller_that_is_not_there_does_not_write() -> None:
    job = rendered("karmada", "batch/v1", "Job", "held", {"spec": {"suspend": True, **pod()}}, labels=QUEUE)
    assert check([job]).diagnostics == ()


def test_a_permitted_shared_field_is_no_conflict_and_becomes_an_ignore_rule() -> None:
    job = rendered("east", "batch/v1", "Job", "held", {"spec": {"suspend": True, **pod()}}, labels=QUEUE)
    rule = SharedField("Job", "spec.suspend", ("argocd", "kueue"), "the queue wins while it runs")
    outcome = check([job], (rule,))
    assert outcome.diagnostics == ()
    rules = ignore_rules(outcome.value, "east", "workloads")
    assert argocd_ignore_differences(rules) == [
        {"kind": "Job", "name": "held", "group": "batch", "namespace": "team", "jsonPointers": ["/spec/suspend"]}
    ]
    assert flux_ignore(rules) == [
        {"paths": ["/spec/suspend"],
         "target": {"kind": "Job", "name": "^held$", "group": "batch", "namespace": "^team$"}}
    ]  # fmt: skip


def test_what_writers_only_put_back_is_not_ignored() -> None:
    """An ignored quota would keep its old value when Git changes it."""
    groups = [{"coveredResources": ["cpu"], "flavors": []}]
    queue = rendered("east", "kueue.x-k8s.io/v1beta2", "ClusterQueue", "team", {"spec": {"resourceGroups": groups}})
    job = rendered("east", "batch/v1", "Job", "held", {"spec": {"managedBy": "x/y", **pod()}}, labels=QUEUE)
    outcome = check([queue, job])
    assert {row.id for _, shared in outcome.value.shared() for row in shared.rows} == {
        "kueue-queue-quantities", "kueue-managed-by",
    }  # fmt: skip
    assert ignore_rules(outcome.value, "east", "workloads") == ()


def test_a_permission_nobody_needs_is_reported_at_its_line() -> None:
    origin = Origin("policies/ownership.yaml", 0, ("spec", "sharedFields", 0))
    rule = SharedField("Job", "spec.suspend", ("argocd", "kueue"), "left over", origin)
    (finding,) = check(healthy(), (rule,)).diagnostics
    assert (finding.code, finding.primary.at) == ("SP0908", origin)


def test_a_finding_points_at_the_input_line() -> None:
    job = rendered("east", "batch/v1", "Job", "held", {"spec": {"suspend": True}}, labels=QUEUE)
    given = OwnershipInput([job], CLUSTERS, types, locate=lambda o, p: (Origin("fleet/jobs.yaml", 2, p), ()))
    (finding,) = check_ownership(given).diagnostics
    assert finding.primary.at == Origin("fleet/jobs.yaml", 2, ("spec", "suspend"))


def test_the_order_of_objects_changes_nothing() -> None:
    objects = [*healthy(), *PLANTED["suspend of a queued job"][1], *PLANTED["one object in two units"][1]]
    assert check(objects).diagnostics == check(objects[::-1]).diagnostics


def test_equal_shapes_are_walked_once() -> None:
    calls = []

    def counting(target: str, api_version: str, kind: str) -> Any:
        calls.append(target)
        return types(target, api_version, kind)

    from dataclasses import replace

    job = rendered("east", "batch/v1", "Job", "a", {"spec": {"suspend": True, **pod()}}, labels=QUEUE)
    many = [replace(job, target=t, shape_key="job") for t in ("east", "west") for _ in range(1)]
    outcome = check_ownership(OwnershipInput(many, CLUSTERS, counting))
    assert len(calls) == 1
    assert [d.targets for d in outcome.diagnostics] == [("east", "west")]
