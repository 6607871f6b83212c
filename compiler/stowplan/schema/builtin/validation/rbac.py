"""Rules of roles and bindings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .meta import check_meta
from .names import dns_subdomain, path_segment
from .report import Report, Struct
from .selectors import check_label_selector, convertible

__all__ = ["check_binding", "check_binding_update", "check_cluster_role", "check_role"]

Manifest = Mapping[str, Any]
_GROUP = "rbac.authorization.k8s.io"


def check_role(manifest: Manifest, report: Report) -> None:
    """A Role."""
    check_meta(manifest.get("metadata") or {}, report, path_segment, kube_finalizers=True)
    _check_rules(manifest, report, namespaced=True)


def check_cluster_role(manifest: Manifest, report: Report) -> None:
    """A ClusterRole, perhaps gathered from others."""
    check_meta(manifest.get("metadata") or {}, report, path_segment, namespaced=False, kube_finalizers=True)
    _check_rules(manifest, report, namespaced=False)
    aggregation = manifest.get("aggregationRule")
    if aggregation is None:
        return
    path = "aggregationRule.clusterRoleSelectors"
    selectors = aggregation.get("clusterRoleSelectors") or ()
    if not selectors:
        report.required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil")
    for position, selector in enumerate(selectors):
        place = f"{path}[{position}]"
        check_label_selector(selector, place, report)
        if not convertible(selector):
            report.add(place, "Invalid", "Invalid value: null: invalid label selector.")


def _check_rules(manifest: Manifest, report: Report, *, namespaced: bool) -> None:
    for position, rule in enumerate(manifest.get("rules") or ()):
        path = f"rules[{position}]"
        addresses = rule.get("nonResourceURLs") or ()
        if not rule.get("verbs"):
            report.required(f"{path}.verbs", "verbs must contain at least one value")
        if addresses:
            value = list(addresses)
            if namespaced:
                detail = "namespaced rules cannot apply to non-resource URLs"
                report.invalid(f"{path}.nonResourceURLs", value, detail)
            if any(rule.get(member) for member in ("apiGroups", "resources", "resourceNames")):
                detail = "rules cannot apply to both regular resources and non-resource URLs"
                report.invalid(f"{path}.nonResourceURLs", value, detail)
            continue
        if not rule.get("apiGroups"):
            report.required(f"{path}.apiGroups", "resource rules must supply at least one api group")
        if not rule.get("resources"):
            report.required(f"{path}.resources", "resource rules must supply at least one resource")


def check_binding(manifest: Manifest, report: Report) -> None:
    """A RoleBinding or ClusterRoleBinding."""
    namespaced = manifest.get("kind") == "RoleBinding"
    check_meta(manifest.get("metadata") or {}, report, path_segment, namespaced=namespaced, kube_finalizers=True)
    role = manifest.get("roleRef") or {}
    if role.get("apiGroup") != _GROUP:
        report.unsupported("roleRef.apiGroup", role.get("apiGroup") or "", (_GROUP,), plain=True)
    kinds = ("Role", "ClusterRole") if namespaced else ("ClusterRole",)
    if role.get("kind") not in kinds:
        report.unsupported("roleRef.kind", role.get("kind") or "", kinds, plain=True)
    name = role.get("name") or ""
    if not name:
        report.required("roleRef.name")
    else:
        report.invalid_all("roleRef.name", name, path_segment(name))
    for position, subject in enumerate(manifest.get("subjects") or ()):
        _check_subject(subject, namespaced, f"subjects[{position}]", report)


def _check_subject(subject: Manifest, namespaced: bool, path: str, report: Report) -> None:
    kind, name, group = (subject.get(key) or "" for key in ("kind", "name", "apiGroup"))
    if not name:
        report.required(f"{path}.name")
    if kind == "ServiceAccount":
        if name:
            report.invalid_all(f"{path}.name", name, dns_subdomain(name))
        if group:
            report.unsupported(f"{path}.apiGroup", group, ("",), plain=True)
        if not namespaced and not subject.get("namespace"):
            report.required(f"{path}.namespace")
    elif kind in ("User", "Group"):
        if group != _GROUP:
            report.unsupported(f"{path}.apiGroup", group, (_GROUP,), plain=True)
    else:
        report.unsupported(f"{path}.kind", kind, ("ServiceAccount", "User", "Group"), plain=True)


def check_binding_update(new: Manifest, old: Manifest, report: Report) -> None:
    """The role a binding refers to stays."""
    after, before = ({k: v for k, v in (m.get("roleRef") or {}).items() if v} for m in (new, old))
    if after != before:
        order = (("APIGroup", "apiGroup"), ("Kind", "kind"), ("Name", "name"))
        value = Struct({shown: after.get(member) or "" for shown, member in order})
        report.invalid("roleRef", value, "cannot change roleRef")
