"""Guardrails as ValidatingAdmissionPolicies: the same expressions held at run time, or why a server cannot."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from stowplan.cel import CelCompileError, Declarations, compile_expression
from stowplan.cel.types import BOOL, STRING, Type
from stowplan.diagnostics.model import Diagnostic, Outcome, error
from stowplan.model.entity import Entity
from stowplan.model.inputs.policies import GuardrailPolicySpec
from stowplan.policies.guardrails import ALL_KINDS, POD_HOLDERS
from stowplan.policies.objecttypes import kinds_named
from stowplan.policies.pods import POD_KINDS, Steps
from stowplan.schema.builtin import judge_builtin, normalise_builtin
from stowplan.schema.builtin.table import plural_of
from stowplan.schema.sets import SchemaSet
from stowplan.source.span import Origin

__all__ = ["export_guardrail"]

_GROUP: Final = "admissionregistration.k8s.io"
_SINCE: Final = 30
"""The first minor that serves ValidatingAdmissionPolicy in version v1."""
_SERVER: Final = ("object", "oldObject", "request", "namespaceObject", "variables")
_ACTIONS: Final = {"error": ["Deny"], "warning": ["Warn"], "note": ["Audit"]}
_WORD: Final = re.compile(
    r"""r?'''.*?'''|r?\"\"\".*?\"\"\"|r?"(?:\\.|[^"\\\n])*"|r?'(?:\\.|[^'\\\n])*'|(?<![\w.?])pods(?!\w)""", re.DOTALL
)


def export_guardrail(
    entity: Entity[GuardrailPolicySpec], minors: Mapping[int, Sequence[str]], schemas: Sequence[SchemaSet]
) -> Outcome[tuple[dict[str, Any], ...]]:
    """The policy and its binding, in the form a server stores; nothing, and the reasons, where none can hold it.

    `minors` are the Kubernetes minors it is for, with the clusters of each.
    """
    found: list[Diagnostic] = [*_too_old(entity, minors), *_refusals(entity, minors)]
    rules = list(_resource_rules(entity, schemas, found))
    if found:
        return Outcome((), tuple(found))
    policy = normalise_builtin(_policy(entity, rules), max(minors))
    binding = normalise_builtin(_binding(entity), max(minors))
    for made in (policy, binding):
        for minor, clusters in sorted(minors.items()):
            verdict = judge_builtin(made, minor)
            if not verdict.accepted:
                text = f"Kubernetes 1.{minor} would refuse the {made['kind']}: {verdict.errors[0].message}"
                found.append(error("SP1231", text, entity.name_origin, targets=clusters))
    return Outcome(() if found else (policy, binding), tuple(found))


def _too_old(entity: Entity[GuardrailPolicySpec], minors: Mapping[int, Sequence[str]]) -> Iterator[Diagnostic]:
    lacking = sorted(cluster for minor, clusters in minors.items() if minor < _SINCE for cluster in clusters)
    if any(minor < _SINCE for minor in minors):
        text = f"ValidatingAdmissionPolicy is served from Kubernetes 1.{_SINCE} on"
        yield error("SP1231", text, entity.name_origin, targets=lacking)


def _expressions(entity: Entity[GuardrailPolicySpec]) -> Iterator[tuple[str, Origin, Type | None]]:
    spec = entity.spec
    for index, variable in enumerate(spec.variables):
        yield variable.expression, entity.at("variables", index, "expression"), None
    for index, condition in enumerate(spec.match_conditions):
        yield condition.expression, entity.at("matchConditions", index, "expression"), BOOL
    for index, validation in enumerate(spec.validations):
        yield validation.expression, entity.at("validations", index, "expression"), BOOL
        if validation.message_expression is not None:
            yield validation.message_expression, entity.at("validations", index, "messageExpression"), STRING


def _refusals(entity: Entity[GuardrailPolicySpec], minors: Mapping[int, Sequence[str]]) -> Iterator[Diagnostic]:
    """What an API server does not know, at its column; what only old ones lack, with their clusters."""
    declared = Declarations.dynamic(*_SERVER, "pods")
    for text, origin, expect in _expressions(entity):
        told: dict[tuple[int, int, str], tuple[Diagnostic, list[str]]] = {}
        for minor, clusters in sorted(minors.items()):
            try:
                compile_expression(text, declared, minor=minor, profile="kubernetes", expect=expect)
            except CelCompileError as problem:
                for p in problem.problems:
                    length = p.end_column - p.column if p.end_line == p.line else 1
                    at = origin.within(p.line, p.column, length)
                    message = p.message
                    if p.kind == "undeclared-variable":
                        message = f"{p.message.replace('unknown variable ', '')} is not known to an API server"
                    made = error("SP1231", f"cannot be exported: {message} (column {p.column})", at)
                    lacking = clusters if p.kind == "version" else ()
                    told.setdefault((p.line, p.column, p.kind), (made, []))[1].extend(lacking)
        for made, clusters in told.values():
            yield Diagnostic(made.code, made.severity, made.message, made.primary, targets=tuple(sorted(set(clusters))))


def _resource_rules(
    entity: Entity[GuardrailPolicySpec], schemas: Sequence[SchemaSet], found: list[Diagnostic]
) -> Iterator[dict[str, Any]]:
    match = entity.spec.match
    if ALL_KINDS in match.kinds:
        yield _rule(list(match.groups) or ["*"], ["*"], ["*"])
        return
    for index, name in enumerate(match.kinds):
        names = sorted({kind for _, kind in POD_KINDS}) if name == POD_HOLDERS else [name]
        kinds = [key for one in names for key in kinds_named(one, match.groups, schemas)]
        if name == POD_HOLDERS:
            kinds = [key for key in kinds if (key[0].rpartition("/")[0], key[1]) in POD_KINDS]
        if not kinds:
            text = f"cannot be exported: no schema says what resource the kind `{name}` is"
            found.append(error("SP1231", text, entity.at("match", "kinds", index)))
        by_resource: dict[tuple[str, str], list[str]] = {}
        for api_version, kind in kinds:
            group, _, version = api_version.rpartition("/")
            by_resource.setdefault((group, _plural(group, kind, schemas)), []).append(version)
        for (group, plural), versions in by_resource.items():
            yield _rule([group], sorted(set(versions)), [plural])


def _rule(groups: list[str], versions: list[str], resources: list[str]) -> dict[str, Any]:
    return {"apiGroups": groups, "apiVersions": versions, "operations": ["CREATE", "UPDATE"], "resources": resources}


def _plural(group: str, kind: str, schemas: Iterable[SchemaSet]) -> str:
    for known in schemas:
        for pack in known.packs:
            for facts in pack.by_kind.get((group, kind), ()):
                return facts.plural
    return plural_of(kind)


def _policy(entity: Entity[GuardrailPolicySpec], rules: list[dict[str, Any]]) -> dict[str, Any]:
    spec, match = entity.spec, entity.spec.match
    constraints: dict[str, Any] = {"resourceRules": rules}
    if match.labels:
        constraints["objectSelector"] = {"matchLabels": dict(match.labels)}
    if match.namespaces:
        names = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": sorted(match.namespaces)}
        constraints["namespaceSelector"] = {"matchExpressions": [names]}
    variables = [{"name": v.name, "expression": _renamed(v.expression)} for v in spec.variables]
    if any(_renamed(text) != text for text, _, _ in _expressions(entity)):
        variables.insert(0, {"name": "pods", "expression": _pods_expression(entity)})
    made: dict[str, Any] = {
        "failurePolicy": "Fail",
        "matchConstraints": constraints,
        "validations": [_validation(v) for v in spec.validations],
    }
    if spec.match_conditions:
        made["matchConditions"] = [
            {"name": c.name, "expression": _renamed(c.expression)} for c in spec.match_conditions
        ]
    if variables:
        made["variables"] = variables
    return _envelope("ValidatingAdmissionPolicy", entity.name, made)


def _validation(validation: Any) -> dict[str, Any]:
    message = validation.message or "failed expression: " + " ".join(validation.expression.split())
    made = {"expression": _renamed(validation.expression), "message": " ".join(message.split())}
    if validation.message_expression is not None:
        made["messageExpression"] = _renamed(validation.message_expression)
    if validation.reason is not None:
        made["reason"] = validation.reason
    return made


def _binding(entity: Entity[GuardrailPolicySpec]) -> dict[str, Any]:
    actions = _ACTIONS[entity.spec.level]
    spec = {"policyName": _name(entity.name), "validationActions": actions}
    return _envelope("ValidatingAdmissionPolicyBinding", entity.name, spec)


def _envelope(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": f"{_GROUP}/v1", "kind": kind, "metadata": {"name": _name(name)}, "spec": spec}


def _name(name: str) -> str:
    return f"stowplan-{name}"


def _renamed(text: str) -> str:
    """The expression with `pods` read from the policy's variables; strings are left alone."""
    return _WORD.sub(lambda found: "variables.pods" if found[0] == "pods" else found[0], text)


def _pods_expression(entity: Entity[GuardrailPolicySpec]) -> str:
    """All pod templates of an object, by its kind."""
    match = entity.spec.match
    wanted = [
        (key, paths)
        for key, paths in POD_KINDS.items()
        if (POD_HOLDERS in match.kinds or key[1] in match.kinds) and (not match.groups or key[0] in match.groups)
    ]
    branches: dict[str, list[str]] = {}
    for (group, kind), paths in wanted:
        branches.setdefault(" + ".join(map(_path_expression, paths)), []).append(_is_kind(group, kind))
    parts = [f"{' || '.join(tests)} ? {expression} : " for expression, tests in branches.items()]
    return "".join(parts) + "[]"


def _is_kind(group: str, kind: str) -> str:
    test = f"object.apiVersion.startsWith('{group}/')" if group else "!object.apiVersion.contains('/')"
    return f"({test} && object.kind == '{kind}')"


def _path_expression(steps: Steps) -> str:
    """A list of what stands at a path; nothing where a part of it is absent."""
    if "*" not in steps:
        plain = ".".join(("object", *steps))
        guard = _guard(steps)
        return f"({guard} ? [{plain}] : [])" if guard else f"[{plain}]"
    star = steps.index("*")
    plain, rest = ".".join(("object", *steps[:star])), steps[star + 1 :]
    source = f"({plain}.map(k, {plain}[k]))" if _is_map(steps[:star]) else plain
    inner = f"{source}.map(r, r.{'.'.join(rest)})" if rest else source
    return f"({_guard(steps[:star])} ? {inner} : [])"


def _is_map(steps: Steps) -> bool:
    return steps[-1].endswith("ReplicaSpecs")


def _guard(steps: Steps) -> str:
    return " && ".join(f"has({'.'.join(('object', *steps[: n + 1]))})" for n in range(len(steps)))
