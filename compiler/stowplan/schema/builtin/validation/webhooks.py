"""Rules of webhooks, and of the matching rules that admission policies share with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .meta import check_meta
from .names import dns_label_1035, dns_subdomain, path_segment, port_number, qualified_name
from .report import Report
from .selectors import check_label_selector

__all__ = [
    "CheckExpression",
    "check_client",
    "check_match_conditions",
    "check_review_versions",
    "check_rule",
    "check_webhooks",
]

Manifest = Mapping[str, Any]
CheckExpression = Callable[[str, str, Report], None]
"""Checks a CEL expression: text, path, report."""

OPERATIONS = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
SCOPES = ("*", "Cluster", "Namespaced")
_FORM = "; desired format: https://host[/path]"


def check_webhooks(manifest: Manifest, report: Report, check_expression: CheckExpression) -> None:
    """A validating or mutating webhook configuration."""
    mutating = manifest.get("kind") == "MutatingWebhookConfiguration"
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, namespaced=False)
    names: set[str] = set()
    for position, webhook in enumerate(manifest.get("webhooks") or ()):
        path = f"webhooks[{position}]"
        _check_webhook(webhook, mutating, path, report, check_expression)
        versions = webhook.get("admissionReviewVersions")
        check_review_versions(versions, f"{path}.admissionReviewVersions", report, "must specify one of v1, v1beta1")
        name = webhook.get("name") or ""
        if name and name in names:
            report.duplicate(f"{path}.name", name)
        names.add(name)


def _check_webhook(
    webhook: Manifest, mutating: bool, path: str, report: Report, check_expression: CheckExpression
) -> None:
    get = webhook.get
    _check_name(get("name") or "", f"{path}.name", report)
    for position, rule in enumerate(get("rules") or ()):
        check_rule(rule, f"{path}.rules[{position}]", report)
    if get("failurePolicy") is not None:
        report.choice(f"{path}.failurePolicy", get("failurePolicy"), ("Fail", "Ignore"))
    if get("matchPolicy") is not None:
        report.choice(f"{path}.matchPolicy", get("matchPolicy"), ("Equivalent", "Exact"))
    if get("sideEffects") is None:
        report.required(f"{path}.sideEffects", "must specify one of None, NoneOnDryRun")
    else:
        report.choice(f"{path}.sideEffects", get("sideEffects"), ("None", "NoneOnDryRun"))
    seconds = get("timeoutSeconds")
    if seconds is not None and not 1 <= seconds <= 30:
        detail = "the timeout value must be between 1 and 30 seconds"
        report.invalid(f"{path}.timeoutSeconds", seconds, detail)
    check_label_selector(get("namespaceSelector"), f"{path}.namespaceSelector", report)
    check_label_selector(get("objectSelector"), f"{path}.objectSelector", report)
    if mutating and get("reinvocationPolicy") is not None:
        report.choice(f"{path}.reinvocationPolicy", get("reinvocationPolicy"), ("IfNeeded", "Never"))
    check_client(get("clientConfig") or {}, f"{path}.clientConfig", report)
    check_match_conditions(get("matchConditions") or (), f"{path}.matchConditions", report, check_expression)


def _check_name(name: str, path: str, report: Report) -> None:
    if not name:
        report.required(path)
    elif complaints := dns_subdomain(name):
        report.invalid_all(path, name, complaints)
    elif name.count(".") < 2:
        report.invalid(path, name, "should be a domain with at least three segments separated by dots")


def check_client(client: Manifest, path: str, report: Report) -> None:
    """Where a webhook is called: an address or a Service, one of them."""
    url, service = client.get("url"), client.get("service")
    if (url is None) == (service is None):
        report.required(path, "exactly one of url or service is required")
    elif url is not None:
        _check_url(url, f"{path}.url", report)
    elif service is not None:
        _check_service(service, f"{path}.service", report)


def _check_url(url: str, path: str, report: Report) -> None:
    found = re.fullmatch(r"(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", url, re.S)
    if found is None or any(rune < " " or rune == "\x7f" for rune in url):
        report.required(path, f"url must be a valid URL: {url}{_FORM}")
        return
    scheme, authority, _, query, fragment = found.groups()
    user, _, host = (authority or "").rpartition("@")
    if scheme != "https":
        detail = f"'https' is the only allowed URL scheme{_FORM}"
        report.invalid(path, (scheme or "").lower(), detail)
    if not host:
        report.invalid(path, host, f"host must be specified{_FORM}")
    if user:
        report.invalid(path, user, f"user information is not permitted in the URL{_FORM}")
    if fragment:
        report.invalid(path, fragment, f"fragments are not permitted in the URL{_FORM}")
    if query:
        report.invalid(path, query, f"query parameters are not permitted in the URL{_FORM}")


def _check_service(service: Manifest, path: str, report: Report) -> None:
    for member, named in (("namespace", "name"), ("name", "namespace")):  # the server mixes the two up
        if not service.get(member):
            report.required(f"{path}.{named}")
    port = service.get("port") or 0
    for complaint in port_number(port):
        report.invalid(f"{path}.port", port, f"port is not valid: {complaint}")
    target = service.get("path")
    if target is not None:
        _check_path(target, f"{path}.path", report)


def _check_path(target: str, path: str, report: Report) -> None:
    if target in ("/", ""):
        return
    if target == "//":
        report.invalid(path, target, "segment[0] may not be empty")
        return
    if not target.startswith("/"):
        report.invalid(path, target, "must start with a '/'")
    segments = target[1:].removesuffix("/").split("/")
    for position, segment in enumerate(segments):
        if not segment:
            report.invalid(path, target, f"segment[{position}] may not be empty")
        for complaint in dns_subdomain(segment):
            report.invalid(path, target, f"segment[{position}]: {complaint}")


def check_review_versions(versions: Sequence[str] | None, path: str, report: Report, *missing: str) -> None:
    """The versions of reviews a webhook understands; one that the server sends must be among them.

    `missing` is what is said where there are none.
    """
    if not versions:
        report.required(path, *missing)
        return
    seen: set[str] = set()
    for position, version in enumerate(versions):
        if version in seen:
            report.invalid(f"{path}[{position}]", version, "duplicate version")
            continue
        seen.add(version)
        report.invalid_all(f"{path}[{position}]", version, dns_label_1035(version))
    if not seen & {"v1", "v1beta1"}:
        report.invalid(path, list(versions), "must include at least one of v1, v1beta1")


def check_rule(rule: Manifest, path: str, report: Report) -> None:
    """Which operations on which resources are meant."""
    operations = rule.get("operations") or ()
    if not operations:
        report.required(f"{path}.operations")
    if len(operations) > 1 and "*" in operations:
        detail = "if '*' is present, must not specify other operations"
        report.invalid(f"{path}.operations", list(operations), detail)
    for position, operation in enumerate(operations):
        report.choice(f"{path}.operations[{position}]", operation, OPERATIONS)
    groups, versions = rule.get("apiGroups") or (), rule.get("apiVersions") or ()
    if not groups:
        report.required(f"{path}.apiGroups")
    if len(groups) > 1 and "*" in groups:
        detail = "if '*' is present, must not specify other API groups"
        report.invalid(f"{path}.apiGroups", list(groups), detail)
    if not versions:
        report.required(f"{path}.apiVersions")
    if len(versions) > 1 and "*" in versions:
        detail = "if '*' is present, must not specify other API versions"
        report.invalid(f"{path}.apiVersions", list(versions), detail)
    for position, version in enumerate(versions):
        if not version:
            report.required(f"{path}.apiVersions[{position}]")
    _check_resources(rule.get("resources") or (), f"{path}.resources", report)
    if rule.get("scope") is not None:
        report.choice(f"{path}.scope", rule["scope"], SCOPES)


def _check_resources(resources: Sequence[str], path: str, report: Report) -> None:
    if not resources:
        report.required(path)
    whole: list[str] = []
    starred: set[str] = set()
    starring: set[str] = set()
    for position, name in enumerate(resources):
        place = f"{path}[{position}]"
        if not name:
            report.required(place)
            continue
        resource, slash, part = name.partition("/")
        if not slash:
            whole.append(name)
            continue
        if resource in starred:
            report.invalid(place, name, f"if '{resource}/*' is present, must not specify {name}")
        if part in starring:
            report.invalid(place, name, f"if '*/{part}' is present, must not specify {name}")
        if part == "*":
            starred.add(resource)
        if resource == "*":
            starring.add(part)
    if len(resources) > 1 and "*/*" in resources:
        report.invalid(path, list(resources), "if '*/*' is present, must not specify other resources")
    if "*" in resources and len(whole) > 1:
        detail = "if '*' is present, must not specify other resources without subresources"
        report.invalid(path, list(resources), detail)


def check_named_rule(rule: Manifest, path: str, report: Report) -> None:
    """A rule that may name single objects."""
    seen: set[str] = set()
    for position, name in enumerate(rule.get("resourceNames") or ()):
        place = f"{path}.resourceNames[{position}]"
        report.invalid_all(place, name, path_segment(name))
        if name in seen:
            report.duplicate(place, name)
        seen.add(name)
    check_rule(rule, path, report)


def check_match_conditions(
    conditions: Sequence[Manifest], path: str, report: Report, check_expression: CheckExpression
) -> None:
    """Named CEL conditions under which a webhook or policy applies."""
    if len(conditions) > 64:
        report.too_many(path, len(conditions), 64)
    names: set[str] = set()
    for position, condition in enumerate(conditions):
        place = f"{path}[{position}]"
        expression = (condition.get("expression") or "").strip()
        if not expression:
            report.required(f"{place}.expression")
        else:
            check_expression(condition["expression"], f"{place}.expression", report)
        name = condition.get("name") or ""
        if not name:
            report.required(f"{place}.name")
            continue
        report.invalid_all(f"{place}.name", name, qualified_name(name))
        if name in names:
            report.duplicate(f"{place}.name", name)
        names.add(name)
