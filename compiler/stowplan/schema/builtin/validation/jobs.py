"""Rules of Job and CronJob."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .cron import schedule_complaint, time_zone_complaints
from .meta import check_meta
from .names import dns_label, dns_subdomain, qualified_name
from .pods import check_template
from .report import Report, go_quote
from .selectors import check_label_selector, convertible, matches, shown_selector
from .success import check_success_policy

__all__ = [
    "adopt_generated",
    "check_cron_job",
    "check_cron_job_spec",
    "check_domain_path",
    "check_job",
    "check_job_replaced",
    "check_job_spec",
    "with_selector",
]

Manifest = Mapping[str, Any]
_UID = "00000000-0000-0000-0000-000000000000"
_NAME_LABELS = ("job-name", "batch.kubernetes.io/job-name")
_UID_LABELS = ("controller-uid", "batch.kubernetes.io/controller-uid")
_INDEXED_LIMIT = 100_000
_ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")
_NEVER = 'only "Never" is supported when podFailurePolicy is specified'


def with_selector(job: Manifest) -> dict[str, Any]:
    """The Job as the server completes it before it looks: labels and selector with a stand-in for its identity."""
    spec = dict(job.get("spec") or {})
    name = (job.get("metadata") or {}).get("name") or ""
    template = dict(spec.get("template") or {})
    meta = dict(template.get("metadata") or {})
    labels = {**dict.fromkeys(_NAME_LABELS, name), **dict.fromkeys(_UID_LABELS, _UID), **(meta.get("labels") or {})}
    selector = dict(spec.get("selector") or {})
    selector["matchLabels"] = {_UID_LABELS[1]: labels[_UID_LABELS[1]], **(selector.get("matchLabels") or {})}
    template["metadata"] = {**meta, "labels": labels}
    return {**job, "spec": {**spec, "template": template, "selector": selector}}


def check_job(job: Manifest, report: Report) -> None:
    """A Job to be created."""
    meta = job.get("metadata") or {}
    generated = not (job.get("spec") or {}).get("manualSelector")
    if generated:
        job = with_selector(job)
    spec = job.get("spec") or {}
    check_meta(meta, report, dns_subdomain, kube_finalizers=True)
    if generated:
        _check_generated(meta.get("name") or "", spec, _UID, report)
    check_job_spec(spec, "spec", report)
    _check_pod_names(meta.get("name") or "", spec, report)


def check_job_replaced(job: Manifest, uid: str, report: Report) -> None:
    """A Job that replaces another; `uid` is the identity the server gave it."""
    spec, name = job.get("spec") or {}, (job.get("metadata") or {}).get("name") or ""
    check_meta(job.get("metadata") or {}, report, dns_subdomain, kube_finalizers=True)
    if not spec.get("manualSelector") and spec.get("selector") is not None:
        _check_generated(name, spec, uid, report)
    check_job_spec(spec, "spec", report)


def _check_generated(name: str, spec: Manifest, uid: str, report: Report) -> None:
    labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels") or {}
    expected = {**dict.fromkeys(_NAME_LABELS, name), **dict.fromkeys(_UID_LABELS, uid)}
    for key in (_UID_LABELS[0], _NAME_LABELS[0], _UID_LABELS[1], _NAME_LABELS[1]):
        place = f"spec.template.metadata.labels[{key}]"
        if key not in labels:
            report.required(place, f"must be '{expected[key]}'")
        elif labels[key] != expected[key]:
            report.invalid(place, labels, f"must be '{expected[key]}'")
    if convertible(spec["selector"]) and not matches(spec["selector"], expected):
        report.invalid("spec.selector", shown_selector(spec["selector"]), "`selector` not auto-generated")


def adopt_generated(new: Manifest, live: Manifest) -> Manifest:
    """The Job with the selector and labels that the server made for the live one, as an apply leaves them."""
    spec, old = new.get("spec") or {}, live.get("spec") or {}
    if old.get("manualSelector") or "selector" not in old:
        return new
    kept = ((old.get("template") or {}).get("metadata") or {}).get("labels") or {}
    made = {key: kept[key] for key in (*_NAME_LABELS, *_UID_LABELS) if key in kept}
    template = spec.get("template") or {}
    meta = template.get("metadata") or {}
    labels = {**made, **(meta.get("labels") or {})}
    selector = spec.get("selector") or {}
    matching = {**(old["selector"].get("matchLabels") or {}), **(selector.get("matchLabels") or {})}
    template = {**template, "metadata": {**meta, "labels": labels}}
    return {**new, "spec": {**spec, "template": template, "selector": {**selector, "matchLabels": matching}}}


def _check_pod_names(name: str, spec: Manifest, report: Report) -> None:
    completions = spec.get("completions")
    if spec.get("completionMode") != "Indexed" or not completions or completions < 0:
        return
    pod = f"{name}-{completions - 1}"
    if dns_label(pod):
        report.invalid("metadata.name", name, f"will not able to create pod with invalid DNS label: {pod}")


def check_job_spec(spec: Manifest, path: str, report: Report) -> None:
    """The specification of a Job, with its selector."""
    _check_body(spec, path, report)
    selector = spec.get("selector")
    labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels")
    if selector is None:
        report.required(f"{path}.selector")
    else:
        check_label_selector(selector, f"{path}.selector", report)
    if selector is None or (convertible(selector) and not matches(selector, labels)):
        report.invalid(f"{path}.template.metadata.labels", labels, "`selector` does not match template `labels`")


def _check_body(spec: Manifest, path: str, report: Report) -> None:
    get = spec.get
    for member in (
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
    ):
        if get(member) is not None:
            report.non_negative(f"{path}.{member}", get(member))
    manager = get("managedBy")
    if manager is not None:
        check_domain_path(manager, f"{path}.managedBy", report)
        if len(manager.encode()) > 63:
            report.too_long(f"{path}.managedBy", 63)
    _check_completion(spec, path, report)
    if get("podFailurePolicy") is not None:
        _check_failure_policy(spec, f"{path}.podFailurePolicy", report)
    if get("successPolicy") is not None:
        check_success_policy(spec, f"{path}.successPolicy", report)
    _check_replacement(spec, path, report)
    check_template(get("template") or {}, f"{path}.template", report)
    _check_restart(spec, path, report)


def check_domain_path(text: str, path: str, report: Report) -> None:
    """A path behind a domain, as in `example.com/name`."""
    if not text:
        report.required(path)
        return
    domain, slash, rest = text.partition("/")
    if not slash or not domain or not rest:
        report.invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')
        return
    report.invalid_all(path, domain, dns_subdomain(domain))
    if not all(rune.isascii() and (rune.isalnum() or rune in "/-._~%!$&'()*+,;=:@") for rune in rest):
        detail = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"
        report.invalid(path, rest, detail)


def _check_completion(spec: Manifest, path: str, report: Report) -> None:
    get = spec.get
    mode = get("completionMode")
    if mode is not None:
        report.choice(f"{path}.completionMode", mode, ("NonIndexed", "Indexed"))
    if mode == "Indexed":
        _check_indexed(spec, path, report)
    if get("maxFailedIndexes") is not None and get("backoffLimitPerIndex") is None:
        report.required(f"{path}.backoffLimitPerIndex", "when maxFailedIndexes is specified")
    if mode in (None, "NonIndexed"):
        for member in ("backoffLimitPerIndex", "maxFailedIndexes"):
            if get(member) is not None:
                report.invalid(f"{path}.{member}", get(member), "requires indexed completion mode")


def _check_indexed(spec: Manifest, path: str, report: Report) -> None:
    get = spec.get
    completions, parallelism, failed = (get(key) for key in ("completions", "parallelism", "maxFailedIndexes"))
    if completions is None:
        report.required(f"{path}.completions", "when completion mode is Indexed")
    if (parallelism or 0) > _INDEXED_LIMIT:
        detail = f"must be less than or equal to {_INDEXED_LIMIT} when completion mode is Indexed"
        report.invalid(f"{path}.parallelism", parallelism, detail)
    if completions is None:
        return
    if failed is not None and failed > completions:
        report.invalid(f"{path}.maxFailedIndexes", failed, "must be less than or equal to completions")
    if failed is not None and failed > _INDEXED_LIMIT:
        report.invalid(f"{path}.maxFailedIndexes", failed, f"must be less than or equal to {_INDEXED_LIMIT}")
    if completions > _INDEXED_LIMIT and get("backoffLimitPerIndex") is not None:
        many = "when completions are above 100000 and used with backoff limit per index"
        if failed is None:
            report.required(f"{path}.maxFailedIndexes", f"must be specified {many}")
        if (parallelism or 0) > 10_000:
            report.invalid(f"{path}.parallelism", parallelism, f"must be less than or equal to 10000 {many}")
        if failed is not None and failed > 10_000:
            report.invalid(f"{path}.maxFailedIndexes", failed, f"must be less than or equal to 10000 {many}")


def _check_failure_policy(spec: Manifest, path: str, report: Report) -> None:
    rules = spec["podFailurePolicy"].get("rules") or ()
    pod = (spec.get("template") or {}).get("spec") or {}
    names = {
        container.get("name") for member in ("containers", "initContainers") for container in pod.get(member) or ()
    }
    if len(rules) > 20:
        report.too_many(f"{path}.rules", len(rules), 20)
    for position, rule in enumerate(rules):
        place = f"{path}.rules[{position}]"
        action = rule.get("action") or ""
        if not action:
            report.required(f"{place}.action", f"valid values: [{' '.join(go_quote(name) for name in _ACTIONS)}]")
        elif action == "FailIndex" and spec.get("backoffLimitPerIndex") is None:
            report.invalid(f"{place}.action", action, "requires the backoffLimitPerIndex to be set")
        elif action not in _ACTIONS:
            report.unsupported(f"{place}.action", action, _ACTIONS)
        codes, conditions = rule.get("onExitCodes"), rule.get("onPodConditions") or ()
        if codes is not None:
            _check_exit_codes(codes, names, f"{place}.onExitCodes", report)
        if conditions:
            _check_conditions(rule, f"{place}.onPodConditions", report)
        if codes is not None and conditions:
            report.add(
                place, "Invalid", "Invalid value: specifying both OnExitCodes and OnPodConditions is not supported"
            )
        elif codes is None and not conditions:
            report.add(place, "Invalid", "Invalid value: specifying one of OnExitCodes and OnPodConditions is required")


def _check_exit_codes(codes: Manifest, names: set[str], path: str, report: Report) -> None:
    operator, values = codes.get("operator") or "", codes.get("values")
    report.required_choice(f"{path}.operator", operator, ("In", "NotIn"), 'valid values: ["In" "NotIn"]')
    name = codes.get("containerName")
    if name is not None and name not in names:
        detail = "must be one of the container or initContainer names in the pod template"
        report.invalid(f"{path}.containerName", name, detail)
    if not values:
        report.invalid(f"{path}.values", values, "at least one value is required")
        return
    if len(values) > 255:
        report.too_many(f"{path}.values", len(values), 255)
    ordered = True
    seen: set[int] = set()
    for position, value in enumerate(values):
        if operator == "In" and value == 0:
            report.invalid(f"{path}.values[{position}]", value, "must not be 0 for the In operator")
        if value in seen:
            report.duplicate(f"{path}.values[{position}]", value)
        seen.add(value)
        ordered = ordered and (position == 0 or values[position - 1] <= value)
    if not ordered:
        report.invalid(f"{path}.values", list(values), "must be ordered")


def _check_conditions(rule: Manifest, path: str, report: Report) -> None:
    conditions = rule["onPodConditions"]
    if len(conditions) > 20:
        report.too_many(path, len(conditions), 20)
    for position, condition in enumerate(conditions):
        kind = condition.get("type") or ""
        report.invalid_all(f"{path}[{position}].type", kind, qualified_name(kind))
        statuses = ("False", "True", "Unknown")
        detail = f"valid values: [{' '.join(go_quote(name) for name in statuses)}]"
        report.required_choice(f"{path}[{position}].status", condition.get("status") or "", statuses, detail)


def _check_replacement(spec: Manifest, path: str, report: Report) -> None:
    policy = spec.get("podReplacementPolicy")
    if policy is None:
        return
    if spec.get("podFailurePolicy") is not None:
        report.choice(f"{path}.podReplacementPolicy", policy, ("Failed",))
    else:
        report.choice(f"{path}.podReplacementPolicy", policy, ("Failed", "TerminatingOrFailed"))


def _check_restart(spec: Manifest, path: str, report: Report) -> None:
    policy = ((spec.get("template") or {}).get("spec") or {}).get("restartPolicy") or ""
    place = f"{path}.template.spec.restartPolicy"
    if policy in ("Always", ""):
        report.required(place, 'valid values: "OnFailure", "Never"')
    elif policy not in ("OnFailure", "Never"):
        report.unsupported(place, policy, ("OnFailure", "Never"))
    elif spec.get("podFailurePolicy") is not None and policy != "Never":
        report.invalid(place, policy, _NEVER)


def check_cron_job(manifest: Manifest, report: Report) -> None:
    """A CronJob to be created; its Jobs add eleven characters to its name."""
    meta = manifest.get("metadata") or {}
    check_meta(meta, report, dns_subdomain, kube_finalizers=True)
    check_cron_job_spec(manifest.get("spec") or {}, report, schedule_changed=True)
    name = meta.get("name") or ""
    if len(name.encode()) > 52:
        report.invalid("metadata.name", name, "must be no more than 52 characters")


def check_cron_job_changed(manifest: Manifest, report: Report) -> None:
    """A CronJob that replaces another."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, kube_finalizers=True)
    check_cron_job_spec(manifest.get("spec") or {}, report, schedule_changed=True)


def check_cron_job_spec(spec: Manifest, report: Report, *, schedule_changed: bool) -> None:
    """The specification of a CronJob; an unchanged schedule may keep its old form."""
    schedule = spec.get("schedule") or ""
    zone = spec.get("timeZone")
    if not schedule:
        report.required("spec.schedule")
    else:
        _check_schedule(schedule, report, schedule_changed)
    report.non_negative("spec.startingDeadlineSeconds", spec.get("startingDeadlineSeconds"))
    if zone is not None:
        report.invalid_all("spec.timeZone", zone, time_zone_complaints(zone))
    policies = ("Allow", "Forbid", "Replace")
    report.required_choice("spec.concurrencyPolicy", spec.get("concurrencyPolicy"), policies)
    template = (spec.get("jobTemplate") or {}).get("spec") or {}
    _check_body(template, "spec.jobTemplate.spec", report)
    if template.get("selector") is not None:
        report.invalid(
            "spec.jobTemplate.spec.selector", shown_selector(template["selector"]), "`selector` will be auto-generated"
        )
    if template.get("manualSelector"):
        report.unsupported("spec.jobTemplate.spec.manualSelector", True, ("nil", "false"))
    report.non_negative("spec.successfulJobsHistoryLimit", spec.get("successfulJobsHistoryLimit"))
    report.non_negative("spec.failedJobsHistoryLimit", spec.get("failedJobsHistoryLimit"))


def _check_schedule(schedule: str, report: Report, changed: bool) -> None:
    bare = schedule
    if "TZ" in schedule:
        if changed:
            detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
            report.invalid("spec.schedule", schedule, detail)
        prefix, _, bare = schedule.partition(" ")
        if not prefix.startswith(("TZ=", "CRON_TZ=")):
            bare = schedule
    if complaint := schedule_complaint(bare.strip()):
        report.invalid("spec.schedule", schedule, complaint)
