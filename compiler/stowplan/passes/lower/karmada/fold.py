"""Fold what each member is to have into one template an object, its overrides, and the policies that claim it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from stowplan.diagnostics.model import Diagnostic, Outcome, error
from stowplan.model.fleet import Fleet
from stowplan.model.manifest import Manifest, Unit
from stowplan.passes.lower.karmada.differences import differing, overriders
from stowplan.passes.lower.karmada.origins import FieldOrigins
from stowplan.passes.lower.karmada.policies import Claimed, override_policy, propagation_policies
from stowplan.passes.provenance import template_file
from stowplan.passes.render import no_object
from stowplan.schema.builtin.kind import builtin_kind
from stowplan.source.span import Origin
from stowplan.templates.engine import Rendered, TemplateSet

__all__ = ["PLAIN", "fold"]

PLAIN = "components/manifest"
"""The template that yields its variable `object` as it is."""

Reference = tuple[str, str, str | None, str]


@dataclass(frozen=True, slots=True)
class _Copy:
    """One object as one member is to have it: one of the `n_documents` that its template yields."""

    member: str
    manifest: Manifest
    rendered: Rendered
    document: int
    n_documents: int

    @property
    def object(self) -> dict[str, Any]:
        """The object as plain data; read-only."""
        found: dict[str, Any] = self.rendered.object
        return found


def fold(fleet: Fleet, manifests: Iterable[Manifest], templates: TemplateSet) -> Outcome[tuple[Manifest, ...]]:
    """The manifests for Karmada's API server.

    The template is the first member's object; every field in which members differ is overridden for each of them.
    """
    found: list[Diagnostic] = []
    groups: dict[tuple[Unit, str], dict[Reference, list[_Copy]]] = {}
    for manifest in manifests:
        copies = groups.setdefault((manifest.unit, manifest.source), {})
        for reference, copy in _render(manifest, templates, found):
            copies.setdefault(reference, []).append(copy)
    made: list[Manifest] = []
    fields = FieldOrigins(templates)
    for (_, source), copies in groups.items():
        found.extend(_unserved(fleet, copies))
        made.extend(_fold_group(fleet, source, copies, fields))
    return Outcome(tuple(made), tuple(dict.fromkeys(found)))


def _render(manifest: Manifest, templates: TemplateSet, found: list[Diagnostic]) -> Iterator[tuple[Reference, _Copy]]:
    outcome = templates.render(template_file(manifest.template), manifest.variables)
    found.extend(outcome.diagnostics)
    for document, rendered in enumerate(outcome.value):
        value = rendered.object
        reference = _reference(value)
        if reference is None:
            found.append(no_object(manifest, document, templates))
            continue
        yield reference, _Copy(manifest.member, manifest, rendered, document, len(outcome.value))


def _reference(value: Any) -> Reference | None:
    metadata = value.get("metadata") if isinstance(value, dict) else None
    if not isinstance(metadata, dict):
        return None
    api_version, kind, name = value.get("apiVersion"), value.get("kind"), metadata.get("name")
    namespace = metadata.get("namespace")
    if not (isinstance(api_version, str) and isinstance(kind, str) and isinstance(name, str) and name):
        return None
    return api_version, kind, namespace if isinstance(namespace, str) else None, name


def _unserved(fleet: Fleet, copies: dict[Reference, list[_Copy]]) -> Iterator[Diagnostic]:
    """Kinds that Karmada's API server does not know cannot be templates there."""
    hub = fleet.spec.hubs.karmada
    assert hub is not None
    minor = int(hub.kubernetes.split(".")[1])
    for (api_version, kind, _, name), found in copies.items():
        if (api_version, kind) == ("v1", "Namespace"):
            yield _carried_namespace(name, found[0])
        if api_version not in hub.apis and builtin_kind(api_version, kind, minor) is None:
            yield error(
                "SP0735",
                f"Karmada cannot carry {kind} `{name}`: its API server does not serve `{api_version}`",
                found[0].manifest.origins[()],
                "delivered by Karmada",
                helps=(
                    f"install the definition there and add `{api_version}` to the hub's `apis`, or deliver it by GitOps",
                ),
            )


def _carried_namespace(name: str, copy: _Copy) -> Diagnostic:
    return error(
        "SP0748",
        f"namespace `{name}` cannot be left to Karmada, which would put it into every cluster",
        copy.manifest.origins[()],
        "delivered by Karmada",
        helps=("leave it out: the namespaces that a component needs are rendered where it goes",),
    )


def _fold_group(
    fleet: Fleet, source: str, copies: dict[Reference, list[_Copy]], fields: FieldOrigins
) -> Iterator[Manifest]:
    """Templates and overrides of one workload or component, then its policies."""
    claimed: list[Claimed] = []
    for reference, unsorted in copies.items():
        found = sorted(unsorted, key=lambda copy: copy.member)
        first = found[0]
        yield _template(first)
        rules, origins = _rules(found, fields)
        name = None
        if rules:
            policy = override_policy(first.manifest, reference, rules, origins)
            name = str(policy.variables["name"])
            yield policy
        claimed.append(Claimed(reference, tuple(copy.member for copy in found), name, first.manifest))
    yield from propagation_policies(fleet, source, claimed)


def _template(copy: _Copy) -> Manifest:
    if copy.n_documents == 1:
        return replace(copy.manifest, member="")
    origins = {(): copy.manifest.origins[()]}
    return replace(copy.manifest, template=PLAIN, variables={"object": copy.object}, origins=origins, member="")


def _rules(copies: list[_Copy], fields: FieldOrigins) -> tuple[list[dict[str, Any]], dict[Any, Origin]]:
    """Override rules with where their values came from; members that need the same share one."""
    base = copies[0].object
    paths = list(differing([copy.object for copy in copies]))
    rules: list[dict[str, Any]] = []
    origins: dict[Any, Origin] = {}
    for copy in copies if paths else ():
        made, about = overriders(base, copy.object, paths)
        if not made:
            continue
        same = next((rule for rule in rules if rule["overriders"] == made), None)
        if same is not None:
            same["targetCluster"]["clusterNames"].append(copy.member)
            continue
        for place, field in about.items():
            origin = fields.of(copy.manifest, copy.rendered, copy.document, field)
            origins["rules", len(rules), "overriders", *place] = origin
        rules.append({"targetCluster": {"clusterNames": [copy.member]}, "overriders": made})
    return rules, origins
