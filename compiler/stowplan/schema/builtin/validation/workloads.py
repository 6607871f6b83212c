"""Rules of Deployment, ReplicaSet, StatefulSet, DaemonSet, ReplicationController and ControllerRevision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .claims import check_claim_spec
from .meta import check_annotations, check_labels, check_meta
from .names import dns_label, dns_subdomain
from .percentages import amount_of, check_at_most_all, check_number_or_percent
from .pods import check_template
from .report import Report, Struct
from .security import check_profile_annotations
from .selectors import check_label_selector, convertible, is_empty, matches, shown_selector

__all__ = [
    "check_daemon_set",
    "check_deployment",
    "check_pod_template",
    "check_replica_set",
    "check_replication_controller",
    "check_revision",
    "check_stateful_set",
    "check_stateful_set_spec",
]

Manifest = Mapping[str, Any]
_OVERWRITTEN = frozenset(("hostname", "subdomain"))
"""Members of a StatefulSet's template that its controller sets for each Pod, so that nobody looks at them."""
_MISMATCH = "`selector` does not match template `labels`"


def template_labels(spec: Manifest) -> Mapping[str, str] | None:
    """The labels of a workload's template, None when it has none."""
    labels: Mapping[str, str] | None = ((spec.get("template") or {}).get("metadata") or {}).get("labels")
    return labels


def _check_labels_match(spec: Manifest, report: Report, path: str = "spec") -> None:
    if not matches(spec.get("selector"), template_labels(spec)):
        report.invalid(f"{path}.template.metadata.labels", template_labels(spec), _MISMATCH)


def _check_selector(spec: Manifest, kind: str, report: Report) -> None:
    selector = spec.get("selector")
    if selector is None:
        report.required("spec.selector")
        return
    check_label_selector(selector, "spec.selector", report)
    if is_empty(selector):
        report.invalid("spec.selector", shown_selector(selector), f"empty selector is invalid for {kind}")


def _check_always(spec: Manifest, kind: str, report: Report) -> None:
    """Restart policy and deadline of templates whose Pods run for ever."""
    pod = (spec.get("template") or {}).get("spec") or {}
    if pod.get("restartPolicy") != "Always":
        report.unsupported("spec.template.spec.restartPolicy", pod.get("restartPolicy") or "", ("Always",))
    if pod.get("activeDeadlineSeconds") is not None:
        detail = f"activeDeadlineSeconds in {kind} is not Supported"
        report.forbidden("spec.template.spec.activeDeadlineSeconds", detail)


def _check_selected_template(spec: Manifest, kind: str, unconvertible: str, report: Report) -> None:
    selector = spec.get("selector")
    if selector is not None and not convertible(selector):
        report.invalid("spec.selector", shown_selector(selector), unconvertible)
        return
    if selector is None or not is_empty(selector):
        _check_matching(spec, report)
    check_template(spec.get("template") or {}, "spec.template", report)
    _check_always(spec, kind, report)


def _check_matching(spec: Manifest, report: Report) -> None:
    if spec.get("selector") is None:
        report.invalid("spec.template.metadata.labels", template_labels(spec), _MISMATCH)
    else:
        _check_labels_match(spec, report)


def check_deployment(manifest: Manifest, report: Report) -> None:
    """A Deployment."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, kube_finalizers=True)
    spec = manifest.get("spec") or {}
    report.non_negative("spec.replicas", spec.get("replicas"))
    _check_selector(spec, "deployment", report)
    _check_selected_template(spec, "ReplicaSet", "invalid label selector", report)
    _check_strategy(spec.get("strategy") or {}, report)
    report.non_negative("spec.minReadySeconds", spec.get("minReadySeconds"))
    report.non_negative("spec.revisionHistoryLimit", spec.get("revisionHistoryLimit"))
    deadline = spec.get("progressDeadlineSeconds")
    if deadline is not None:
        report.non_negative("spec.progressDeadlineSeconds", deadline)
        if deadline <= (spec.get("minReadySeconds") or 0):
            report.invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")


def _check_strategy(strategy: Manifest, report: Report) -> None:
    kind, rolling = strategy.get("type") or "", strategy.get("rollingUpdate")
    if kind == "Recreate":
        if rolling is not None:
            detail = "may not be specified when strategy `type` is 'Recreate'"
            report.forbidden("spec.strategy.rollingUpdate", detail)
    elif kind == "RollingUpdate":
        if rolling is None:
            report.required("spec.strategy.rollingUpdate", "this should be defaulted and never be nil")
        else:
            _check_rolling_update(rolling, report)
    else:
        shown = None
        if rolling is not None:
            shown = Struct(MaxUnavailable=rolling.get("maxUnavailable") or 0, MaxSurge=rolling.get("maxSurge") or 0)
        value = Struct(Type=kind, RollingUpdate=shown)
        report.unsupported("spec.strategy", value, ("Recreate", "RollingUpdate"))


def _check_rolling_update(rolling: Manifest, report: Report) -> None:
    path = "spec.strategy.rollingUpdate"
    unavailable, surge = rolling.get("maxUnavailable"), rolling.get("maxSurge")
    check_number_or_percent(unavailable, f"{path}.maxUnavailable", report)
    check_number_or_percent(surge, f"{path}.maxSurge", report)
    if amount_of(unavailable) == 0 and amount_of(surge) == 0:
        value = 0 if unavailable is None else unavailable
        report.invalid(f"{path}.maxUnavailable", value, "may not be 0 when `maxSurge` is 0")
    check_at_most_all(unavailable, f"{path}.maxUnavailable", report)


def check_replica_set(manifest: Manifest, report: Report) -> None:
    """A ReplicaSet."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, kube_finalizers=True)
    spec = manifest.get("spec") or {}
    report.non_negative("spec.replicas", spec.get("replicas"))
    report.non_negative("spec.minReadySeconds", spec.get("minReadySeconds"))
    _check_selector(spec, "deployment", report)
    _check_selected_template(spec, "ReplicaSet", "invalid label selector", report)


def check_stateful_set(manifest: Manifest, report: Report) -> None:
    """A StatefulSet to be created; its name becomes part of the names of Pods."""
    check_meta(manifest.get("metadata") or {}, report, dns_label, kube_finalizers=True)
    check_stateful_set_spec(manifest.get("spec") or {}, report, created=True)


def check_stateful_set_changed(manifest: Manifest, report: Report) -> None:
    """A StatefulSet that replaces another."""
    check_meta(manifest.get("metadata") or {}, report, dns_label, kube_finalizers=True)
    check_stateful_set_spec(manifest.get("spec") or {}, report, created=False)


def check_stateful_set_spec(spec: Manifest, report: Report, *, created: bool) -> None:
    """The specification of a StatefulSet; claim templates are looked at when it is `created`."""
    policy = spec.get("podManagementPolicy") or ""
    if not policy:
        report.required("spec.podManagementPolicy")
    elif policy not in ("OrderedReady", "Parallel"):
        report.invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'")
    _check_update_strategy(spec.get("updateStrategy") or {}, report)
    retention = spec.get("persistentVolumeClaimRetentionPolicy")
    if retention is not None:
        for member in ("whenDeleted", "whenScaled"):
            place = f"spec.persistentVolumeClaimRetentionPolicy.{member}"
            report.choice(place, retention.get(member) or "", ("Retain", "Delete"))
    report.non_negative("spec.replicas", spec.get("replicas"))
    report.non_negative("spec.minReadySeconds", spec.get("minReadySeconds"))
    report.non_negative("spec.ordinals.start", (spec.get("ordinals") or {}).get("start"))
    _check_selector(spec, "statefulset", report)
    if created and spec.get("serviceName"):
        report.invalid_all("spec.serviceName", spec["serviceName"], dns_label(spec["serviceName"]))
    if created:
        for position, template in enumerate(spec.get("volumeClaimTemplates") or ()):
            check_claim_spec(template.get("spec") or {}, f"spec.volumeClaimTemplates[{position}].spec", report)
    selector = spec.get("selector")
    if selector is not None and not convertible(selector):
        report.invalid("spec.selector", shown_selector(selector), "")
    else:
        _check_stateful_template(spec, report)
    _check_always(spec, "StatefulSet", report)


def _check_stateful_template(spec: Manifest, report: Report) -> None:
    """The template, with a volume for each claim as the controller will add them."""
    if spec.get("selector") is None or not is_empty(spec["selector"]):
        _check_matching(spec, report)
    template = spec.get("template") or {}
    meta = template.get("metadata") or {}
    check_labels(meta.get("labels"), "spec.template.labels", report)
    check_annotations(meta.get("annotations"), "spec.template.annotations", report)
    check_profile_annotations(meta.get("annotations"), template.get("spec") or {}, "spec.template.annotations", report)
    claims = sorted(
        {(claim.get("metadata") or {}).get("name") or "" for claim in spec.get("volumeClaimTemplates") or ()}
    )
    if claims:
        pod = template.get("spec") or {}
        added = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in claims]
        rest = [volume for volume in pod.get("volumes") or () if volume.get("name") not in claims]
        template = {**template, "spec": {**pod, "volumes": [*added, *rest]}}
    if not _OVERWRITTEN.isdisjoint(template.get("spec") or ()):
        kept = {key: value for key, value in template["spec"].items() if key not in _OVERWRITTEN}
        template = {**template, "spec": kept}
    check_template(template, "spec.template", report)


def _check_update_strategy(strategy: Manifest, report: Report) -> None:
    kind, rolling = strategy.get("type") or "", strategy.get("rollingUpdate")
    shown = None
    if rolling is not None:
        shown = Struct(Partition=rolling.get("partition") or 0, MaxUnavailable=rolling.get("maxUnavailable"))
    if not kind:
        report.required("spec.updateStrategy")
    elif kind == "OnDelete":
        if rolling is not None:
            detail = "only allowed for updateStrategy 'RollingUpdate'"
            report.invalid("spec.updateStrategy.rollingUpdate", shown, detail)
    elif kind == "RollingUpdate":
        if rolling is not None:
            report.non_negative("spec.updateStrategy.rollingUpdate.partition", rolling.get("partition"))
    else:
        value = Struct(Type=kind, RollingUpdate=shown)
        report.invalid("spec.updateStrategy", value, "must be 'RollingUpdate' or 'OnDelete'")


def check_daemon_set(manifest: Manifest, report: Report) -> None:
    """A DaemonSet."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, kube_finalizers=True)
    spec = manifest.get("spec") or {}
    selector = spec.get("selector")
    check_label_selector(selector, "spec.selector", report)
    if selector is None:
        _check_matching(spec, report)
    elif convertible(selector):
        _check_labels_match(spec, report)
    if selector is not None and is_empty(selector):
        report.invalid("spec.selector", shown_selector(selector), "empty selector is invalid for daemonset")
    check_template(spec.get("template") or {}, "spec.template", report)
    _check_always(spec, "DaemonSet", report)
    report.non_negative("spec.minReadySeconds", spec.get("minReadySeconds"))
    _check_daemon_strategy(spec.get("updateStrategy") or {}, report)
    report.non_negative("spec.revisionHistoryLimit", spec.get("revisionHistoryLimit"))


def _check_daemon_strategy(strategy: Manifest, report: Report) -> None:
    kind, rolling = strategy.get("type") or "", strategy.get("rollingUpdate")
    path = "spec.updateStrategy.rollingUpdate"
    if kind == "OnDelete":
        return
    if kind != "RollingUpdate":
        shown = None
        if rolling is not None:
            shown = Struct(MaxUnavailable=rolling.get("maxUnavailable") or 0, MaxSurge=rolling.get("maxSurge") or 0)
        value = Struct(Type=kind, RollingUpdate=shown)
        report.unsupported("spec.updateStrategy", value, ("RollingUpdate", "OnDelete"))
    elif rolling is None:
        report.required(path)
    else:
        unavailable, surge = rolling.get("maxUnavailable"), rolling.get("maxSurge")
        for member, value in (("maxUnavailable", unavailable), ("maxSurge", surge)):
            check_number_or_percent(value, f"{path}.{member}", report)
            check_at_most_all(value, f"{path}.{member}", report)
        if amount_of(unavailable) and amount_of(surge):
            report.invalid(f"{path}.maxSurge", surge, "may not be set when maxUnavailable is non-zero")
        elif not amount_of(unavailable) and not amount_of(surge):
            report.required(f"{path}.maxUnavailable", "cannot be 0 when maxSurge is 0")


def check_replication_controller(manifest: Manifest, report: Report) -> None:
    """A ReplicationController, whose selector is a plain map."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, kube_finalizers=True)
    spec = manifest.get("spec") or {}
    report.non_negative("spec.minReadySeconds", spec.get("minReadySeconds"))
    selector = spec.get("selector") or {}
    if not selector:
        report.required("spec.selector")
    report.non_negative("spec.replicas", spec.get("replicas"))
    template = spec.get("template")
    if template is None:
        report.required("spec.template")
        return
    labels = template_labels(spec)
    if any((labels or {}).get(key) != value for key, value in selector.items()):
        report.invalid("spec.template.metadata.labels", labels, _MISMATCH)
    check_template(template, "spec.template", report)
    _check_always(spec, "ReplicationController", report)


def check_revision(manifest: Manifest, report: Report) -> None:
    """A ControllerRevision."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, kube_finalizers=True)
    if manifest.get("data") is None:
        report.required("data", "data is mandatory")
    report.non_negative("revision", manifest.get("revision"))


def check_pod_template(manifest: Manifest, report: Report) -> None:
    """A PodTemplate, the kind."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, kube_finalizers=True)
    template = manifest.get("template") or {}
    check_template(template, "template", report)
