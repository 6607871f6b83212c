"""What may change in a Pod and in a Job that exist."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .containers import check_image_padding
from .jobs import check_job_replaced, check_job_spec
from .names import range_error
from .report import Report
from .scheduling import check_tolerations
from .selectors import shown_selector

__all__ = ["check_job_update", "check_pod_update"]

Manifest = Mapping[str, Any]
_LATEST = 2**31 - 1
_POD = (
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)
_IMMUTABLE = "field is immutable"
_NEVER = ("completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy")


def check_pod_update(new: Manifest, old: Manifest, report: Report) -> None:
    """Of a Pod only images, tolerations, gates and the deadline may change, and those in one direction."""
    after, before = new.get("spec") or {}, old.get("spec") or {}
    for member in ("containers", "initContainers"):
        containers = after.get(member) or ()
        if len(containers) != len(before.get(member) or ()):
            report.forbidden(f"spec.{member}", "pod updates may not add or remove containers")
            return
        for position, container in enumerate(containers):
            if not container.get("image"):
                report.required(f"spec.{member}[{position}].image")
            check_image_padding(container, f"spec.{member}[{position}]", report)
    if not _check_deadline(after, before, report):
        return
    _check_tolerations(after.get("tolerations") or (), before.get("tolerations") or (), report)
    _check_gates(after.get("schedulingGates") or (), before.get("schedulingGates") or (), report)
    if after != before:
        _check_rest(after, before, report)


def _check_deadline(after: Manifest, before: Manifest, report: Report) -> bool:
    """Whether the comparison goes on."""
    path = "spec.activeDeadlineSeconds"
    seconds, was = after.get("activeDeadlineSeconds"), before.get("activeDeadlineSeconds")
    if seconds is not None:
        if not 0 <= seconds <= _LATEST:
            report.invalid(path, seconds, range_error(0, _LATEST))
            return False
        if was is not None and was < seconds:
            report.invalid(path, seconds, "must be less than or equal to previous value")
            return False
    elif was is not None:
        report.invalid(path, None, "must not update from a positive integer to nil value")
    return True


def _check_tolerations(after: Sequence[Manifest], before: Sequence[Manifest], report: Report) -> None:
    def bare(toleration: Manifest) -> dict[str, Any]:
        return {key: value for key, value in toleration.items() if key != "tolerationSeconds"}

    kept = [bare(toleration) for toleration in after]
    if any(bare(toleration) not in kept for toleration in before):
        detail = "existing toleration can not be modified except its tolerationSeconds"
        report.forbidden("spec.tolerations", detail)
        return
    check_tolerations(after, "spec.tolerations", report)


def _check_gates(after: Sequence[Manifest], before: Sequence[Manifest], report: Report) -> None:
    known = {gate.get("name") or "" for gate in before}
    added = {gate.get("name") or "": position for position, gate in enumerate(after)}
    for name, position in added.items():
        if name not in known:
            detail = f"only deletion is allowed, but found new scheduling gate '{name}'"
            report.forbidden(f"spec.schedulingGates[{position}].name", detail)


def _check_rest(after: Manifest, before: Manifest, report: Report) -> None:
    rest = {
        **after,
        **{key: before[key] for key in ("activeDeadlineSeconds", "schedulingGates", "tolerations") if key in before},
    }
    for key in ("activeDeadlineSeconds", "schedulingGates", "tolerations"):
        if key not in before:
            rest.pop(key, None)
    for member in ("containers", "initContainers"):
        if member in rest and member in before:
            rest[member] = [
                {**container, "image": was.get("image")}
                for container, was in zip(rest[member], before[member], strict=True)
            ]
    if before.get("schedulingGates"):
        _forgive_gated(rest, before, report)
    grace = before.get("terminationGracePeriodSeconds")
    if grace is not None and grace < 0 and rest.get("terminationGracePeriodSeconds") == 1:
        rest["terminationGracePeriodSeconds"] = grace
    if rest != before:
        report.forbidden("spec", _POD)


def _forgive_gated(rest: dict[str, Any], before: Manifest, report: Report) -> None:
    """A gated Pod may be narrowed to fewer nodes."""
    selector, was = rest.get("nodeSelector") or {}, before.get("nodeSelector") or {}
    if any(selector.get(key) != value for key, value in was.items()):
        detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
        report.invalid("spec.nodeSelector", dict(selector), detail)
    _take(rest, before, "nodeSelector")
    affinity, affinity_was = dict(rest.get("affinity") or {}), before.get("affinity") or {}
    _check_node_affinity(affinity.get("nodeAffinity") or {}, affinity_was.get("nodeAffinity") or {}, report)
    _take(affinity, affinity_was, "nodeAffinity")
    if affinity:
        rest["affinity"] = affinity
    else:
        _take(rest, before, "affinity")


def _take(target: dict[str, Any], source: Manifest, member: str) -> None:
    if member in source:
        target[member] = source[member]
    else:
        target.pop(member, None)


def _check_node_affinity(affinity: Manifest, was: Manifest, report: Report) -> None:
    member = "requiredDuringSchedulingIgnoredDuringExecution"
    path = f"spec.affinity.nodeAffinity.{member}.nodeSelectorTerms"
    old = (was.get(member) or {}).get("nodeSelectorTerms") or ()
    new = (affinity.get(member) or {}).get("nodeSelectorTerms") or ()
    if not old:
        return
    if len(old) != len(new):
        detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
        report.invalid(path, list(new), detail)
        return
    for position, (term, term_was) in enumerate(zip(new, old, strict=True)):
        for key in ("matchExpressions", "matchFields"):
            kept, known = term.get(key) or [], term_was.get(key) or []
            if kept[: len(known)] != known or (not term_was and term):
                detail = "only additions are allowed (no mutations or deletions)"
                report.invalid(f"{path}[{position}]", dict(term), detail)
                break


def check_job_update(new: Manifest, old: Manifest, report: Report) -> None:
    """A Job that exists: counts and deadlines may change, of the template little and only before the start."""
    after, before = new.get("spec") or {}, old.get("spec") or {}
    labels = ((before.get("template") or {}).get("metadata") or {}).get("labels") or {}
    uid = (old.get("metadata") or {}).get("uid") or labels.get("batch.kubernetes.io/controller-uid") or ""
    check_job_replaced(new, uid, report)
    check_job_spec(after, "spec", report)
    _check_completions(after, before, report)
    if after.get("selector") != before.get("selector"):
        report.invalid("spec.selector", shown_selector(after.get("selector")), _IMMUTABLE)
    _check_template(after, before, old.get("status") or {}, report)
    for member in _NEVER:
        if after.get(member) != before.get(member):
            report.invalid(f"spec.{member}", after.get(member), _IMMUTABLE)


def _check_completions(after: Manifest, before: Manifest, report: Report) -> None:
    completions, was = after.get("completions"), before.get("completions")
    if completions == was:
        return
    if after.get("completionMode") != "Indexed":
        report.invalid("spec.completions", completions, _IMMUTABLE)
    elif completions is not None and completions != after.get("parallelism"):
        report.invalid("spec.completions", completions, "can only be modified in tandem with spec.parallelism")


def _check_template(after: Manifest, before: Manifest, status: Manifest, report: Report) -> None:
    template, was = after.get("template") or {}, before.get("template") or {}
    if not (before.get("suspend") and status.get("startTime") is None):
        if template != was:
            report.invalid("spec.template", dict(template), _IMMUTABLE)
        return
    pod, pod_was = dict(template.get("spec") or {}), dict(was.get("spec") or {})
    for member in ("nodeSelector", "tolerations", "schedulingGates", "affinity"):
        _take(pod_was, pod, member)
    for member in ("containers", "initContainers"):
        containers, known = pod.get(member) or (), pod_was.get(member) or ()
        if len(containers) == len(known):
            changed = [dict(container) for container in known]
            for container, now in zip(changed, containers, strict=True):
                _take(container, now, "resources")
            if changed:
                pod_was[member] = changed
    if pod != pod_was:
        report.invalid("spec.template.spec", pod, _IMMUTABLE)
