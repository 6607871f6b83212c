"""Rules of FlowSchema and PriorityLevelConfiguration."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from .meta import check_meta
from .names import dns_label, dns_subdomain
from .report import Report, Struct

__all__ = ["check_flow_schema", "check_priority_level"]

Manifest = Mapping[str, Any]
_MAXIMUM_BITS = 60
_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch")
_SUBJECTS = {"Group": "group", "ServiceAccount": "serviceAccount", "User": "user"}
_MEMBER_RULE = "each member of this list must be '*' or a DNS-1123 label; "


def check_flow_schema(manifest: Manifest, report: Report) -> None:
    """A FlowSchema."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, namespaced=False, kube_finalizers=True)
    spec = manifest.get("spec") or {}
    precedence = spec.get("matchingPrecedence") or 0
    if precedence <= 0:
        report.invalid("spec.matchingPrecedence", precedence, "must be a positive value")
    if precedence > 10000:
        report.invalid("spec.matchingPrecedence", precedence, "must not be greater than 10000")
    if precedence == 1 and (manifest.get("metadata") or {}).get("name") != "exempt":
        detail = "only the schema named 'exempt' may have matchingPrecedence 1"
        report.invalid("spec.matchingPrecedence", precedence, detail)
    method = spec.get("distinguisherMethod")
    if method is not None and method.get("type") not in ("ByNamespace", "ByUser"):
        value = Struct(Type=method.get("type") or "")
        report.unsupported("spec.distinguisherMethod.type", value, ("ByNamespace", "ByUser"))
    name = (spec.get("priorityLevelConfiguration") or {}).get("name") or ""
    if not name:
        report.required("spec.priorityLevelConfiguration.name", "must reference a priority level")
    else:
        report.invalid_all("spec.priorityLevelConfiguration.name", name, dns_subdomain(name))
    for position, rule in enumerate(spec.get("rules") or ()):
        _check_rule(rule, f"spec.rules[{position}]", report)


def _check_rule(rule: Manifest, path: str, report: Report) -> None:
    subjects = rule.get("subjects") or ()
    if not subjects:
        report.required(f"{path}.subjects", "subjects must contain at least one value")
    for position, subject in enumerate(subjects):
        _check_subject(subject, f"{path}.subjects[{position}]", report)
    resources, others = rule.get("resourceRules") or (), rule.get("nonResourceRules") or ()
    if not resources and not others:
        report.required(path, "at least one of resourceRules and nonResourceRules has to be non-empty")
    for position, entry in enumerate(resources):
        _check_resource_rule(entry, f"{path}.resourceRules[{position}]", report)
    for position, entry in enumerate(others):
        _check_other_rule(entry, f"{path}.nonResourceRules[{position}]", report)


def _check_subject(subject: Manifest, path: str, report: Report) -> None:
    kind = subject.get("kind") or ""
    if kind in _SUBJECTS:
        member = _SUBJECTS[kind]
        value = subject.get(member)
        if value is None:
            report.required(f"{path}.{member}", f"{member} is required when subject kind is '{kind}'")
        elif kind == "ServiceAccount":
            _check_account(value, f"{path}.serviceAccount", report)
        elif not value.get("name"):
            report.required(f"{path}.{member}.name")
        for other_kind, other in sorted(_SUBJECTS.items(), key=lambda item: item[1] != "user"):
            if other != member and subject.get(other) is not None:
                detail = f"{other} is forbidden when subject kind is not '{other_kind}'"
                report.forbidden(f"{path}.{other}", detail)
    else:
        report.unsupported(f"{path}.kind", kind, tuple(_SUBJECTS))


def _check_account(account: Manifest, path: str, report: Report) -> None:
    name, namespace = account.get("name") or "", account.get("namespace") or ""
    if not name:
        report.required(f"{path}.name")
    elif name != "*":
        report.invalid_all(f"{path}.name", name, dns_subdomain(name))
    if not namespace:
        report.required(f"{path}.namespace", "must specify namespace for service account")
    else:
        report.invalid_all(f"{path}.namespace", namespace, dns_label(namespace))


def _check_verbs(verbs: Sequence[str], path: str, report: Report) -> None:
    if not verbs:
        report.required(path, "verbs must contain at least one value")
    elif "*" in verbs:
        if len(verbs) > 1:
            report.invalid(path, list(verbs), "if '*' is present, must not specify other verbs")
    elif any(verb not in _VERBS for verb in verbs):
        report.unsupported(path, list(verbs), _VERBS)


def _check_resource_rule(rule: Manifest, path: str, report: Report) -> None:
    _check_verbs(rule.get("verbs") or (), f"{path}.verbs", report)
    for member, noun in (("apiGroups", "api group"), ("resources", "resource")):
        values = rule.get(member) or ()
        if not values:
            report.required(f"{path}.{member}", f"resource rules must supply at least one {noun}")
        elif len(values) > 1 and "*" in values:
            detail = f"if '*' is present, must not specify other {noun}s"
            report.invalid(f"{path}.{member}", list(values), detail)
    namespaces = rule.get("namespaces") or ()
    if not namespaces and not rule.get("clusterScope"):
        detail = "resource rules that are not cluster scoped must supply at least one namespace"
        report.required(f"{path}.namespaces", detail)
    elif len(namespaces) > 1 and "*" in namespaces:
        detail = "if '*' is present, must not specify other namespaces"
        report.invalid(f"{path}.namespaces", list(namespaces), detail)
    else:
        for position, namespace in enumerate(namespaces):
            if namespace != "*":
                for complaint in dns_label(namespace):
                    report.invalid(f"{path}.namespaces[{position}]", namespace, _MEMBER_RULE + complaint)


def _check_other_rule(rule: Manifest, path: str, report: Report) -> None:
    _check_verbs(rule.get("verbs") or (), f"{path}.verbs", report)
    addresses = rule.get("nonResourceURLs") or ()
    if not addresses:
        report.required(f"{path}.nonResourceURLs", "nonResourceURLs must contain at least one value")
    elif len(addresses) > 1 and "*" in addresses:
        detail = "if '*' is present, must not specify other non-resource URLs"
        report.invalid(f"{path}.nonResourceURLs", list(addresses), detail)
    else:
        for position, address in enumerate(addresses):
            _check_address(address, f"{path}.nonResourceURLs[{position}]", report)


def _check_address(text: str, path: str, report: Report) -> None:
    if text in ("/", "*"):
        return
    if not text:
        report.invalid(path, text, "nonResourceURL must not be empty")
    elif text == "//":
        report.invalid(path, text, "double slash('//') is not allowed in the path")
    elif not text.startswith("/"):
        report.invalid(path, text, "must start with slash")
    elif " " in text:
        report.invalid(path, text, "must not contain white-space")
    elif "//" in text:
        report.invalid(path, text, "must not contain double slash")
    elif "*" in text and not (text.endswith("/*") and text.count("*") == 1):
        report.invalid(path, text, "wildcard can only do suffix matching")


def check_priority_level(manifest: Manifest, report: Report) -> None:
    """A PriorityLevelConfiguration."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, namespaced=False, kube_finalizers=True)
    spec = manifest.get("spec") or {}
    kind, limited, exempt = spec.get("type") or "", spec.get("limited"), spec.get("exempt")
    if kind == "Exempt":
        if limited is not None:
            report.forbidden("spec.limited", "must be nil if the type is not Limited")
    elif kind == "Limited":
        if exempt is not None:
            report.forbidden("spec.exempt", "must be nil if the type is Limited")
        if limited is None:
            report.required("spec.limited", "must not be empty when type is Limited")
        else:
            _check_limited(limited, "spec.limited", report)
    else:
        report.required_choice("spec.type", kind, ("Exempt", "Limited"))


def _check_limited(limited: Manifest, path: str, report: Report) -> None:
    shares = limited.get("nominalConcurrencyShares")
    if shares is not None and shares < 0:
        report.invalid(f"{path}.nominalConcurrencyShares", shares, "must be a non-negative integer")
    response = limited.get("limitResponse") or {}
    place = f"{path}.limitResponse"
    kind, queuing = response.get("type") or "", response.get("queuing")
    if kind == "Reject":
        if queuing is not None:
            detail = "must be nil if limited.limitResponse.type is not Limited"
            report.forbidden(f"{place}.queuing", detail)
    elif kind == "Queue":
        if queuing is None:
            detail = "must not be empty if limited.limitResponse.type is Limited"
            report.required(f"{place}.queuing", detail)
        else:
            _check_queuing(queuing, f"{place}.queuing", report)
    else:
        report.required_choice(f"{place}.type", kind, ("Queue", "Reject"))
    percent = limited.get("lendablePercent")
    if percent is not None and not 0 <= percent <= 100:
        report.invalid(f"{path}.lendablePercent", percent, "must be between 0 and 100, inclusive")
    borrowing = limited.get("borrowingLimitPercent")
    if borrowing is not None and borrowing < 0:
        detail = "if specified, must be a non-negative integer"
        report.invalid(f"{path}.borrowingLimitPercent", borrowing, detail)


def _check_queuing(queuing: Manifest, path: str, report: Report) -> None:
    queues, hand = queuing.get("queues") or 0, queuing.get("handSize") or 0
    if (queuing.get("queueLengthLimit") or 0) <= 0:
        report.invalid(f"{path}.queueLengthLimit", queuing.get("queueLengthLimit") or 0, "must be positive")
    if queues <= 0:
        report.invalid(f"{path}.queues", queues, "must be positive")
    elif queues > 10_000_000:
        report.invalid(f"{path}.queues", queues, "must not be greater than 10000000")
    if hand <= 0:
        report.invalid(f"{path}.handSize", hand, "must be positive")
    elif queues and hand > queues:
        report.invalid(f"{path}.handSize", hand, f"should not be greater than queues ({queues})")
    elif queues > 0 and math.ceil(math.log2(queues) * hand) > _MAXIMUM_BITS:
        detail = (
            f"required entropy bits of deckSize {queues} and handSize {hand} should not be greater than {_MAXIMUM_BITS}"
        )
        report.invalid(f"{path}.handSize", hand, detail)
