"""Rules of admission policies and their bindings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .expressions import PolicyExpressions
from .meta import check_meta
from .names import dns_label_1035, dns_subdomain, path_segment, qualified_name
from .report import Report
from .selectors import check_label_selector
from .webhooks import check_match_conditions, check_named_rule

__all__ = ["check_binding", "check_mutating_policy", "check_validating_policy"]

Manifest = Mapping[str, Any]
_NOTHING = "validations or auditAnnotations must contain at least one item"
_REASONS = ("Forbidden", "Invalid", "RequestEntityTooLarge")
_ACTIONS = ("Audit", "Deny", "Warn")
_MAXIMUM_VALUE_BYTES = 5 * 1024


def check_validating_policy(manifest: Manifest, report: Report) -> None:
    """A ValidatingAdmissionPolicy."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, namespaced=False)
    spec = manifest.get("spec") or {}
    expressions = PolicyExpressions(spec)
    _check_common(spec, expressions, report)
    validations, annotations = spec.get("validations") or (), spec.get("auditAnnotations") or ()
    if not validations and not annotations:
        report.required("spec.validations", _NOTHING)
        report.required("spec.auditAnnotations", _NOTHING)
        return
    for position, validation in enumerate(validations):
        _check_validation(validation, expressions, f"spec.validations[{position}]", report)
    name = (manifest.get("metadata") or {}).get("name") or ""
    keys: set[str] = set()
    if len(annotations) > 20:
        report.too_many("spec.auditAnnotations", len(annotations), 20)
    for position, annotation in enumerate(annotations):
        place = f"spec.auditAnnotations[{position}]"
        _check_annotation(annotation, name, expressions, place, report)
        key = annotation.get("key") or ""
        if key in keys:
            report.duplicate(f"{place}.key", key)
        keys.add(key)


def _check_common(spec: Manifest, expressions: PolicyExpressions, report: Report, *, mutating: bool = False) -> None:
    if spec.get("failurePolicy") is None:
        report.required("spec.failurePolicy")
    else:
        report.choice("spec.failurePolicy", spec["failurePolicy"], ("Fail", "Ignore"))
    if (kind := spec.get("paramKind")) is not None:
        _check_parameter_kind(kind, report)
    constraints = spec.get("matchConstraints")
    if constraints is None:
        report.required("spec.matchConstraints")
    else:
        _check_match(constraints, "spec.matchConstraints", report)
        rules = constraints.get("resourceRules") or ()
        if not rules:
            report.required("spec.matchConstraints.resourceRules")
        if mutating:
            for rule in rules:
                for operation in rule.get("operations") or ():
                    path = "spec.matchConstraints.resourceRules.operations"
                    report.choice(path, operation, ("*", "CONNECT", "CREATE", "UPDATE"))
    conditions = spec.get("matchConditions") or ()
    check_match_conditions(conditions, "spec.matchConditions", report, expressions.check_condition)
    for position, variable in enumerate(spec.get("variables") or ()):
        _check_variable(variable, expressions, f"spec.variables[{position}]", report)


def _check_parameter_kind(kind: Manifest, report: Report) -> None:
    version, name = kind.get("apiVersion") or "", kind.get("kind") or ""
    path = "spec.paramKind"
    if not version:
        report.required(f"{path}.apiVersion")
    elif version.count("/") > 1:
        report.invalid(f"{path}.apiVersion", version, f"unexpected GroupVersion string: {version}")
    else:
        group, _, short = version.rpartition("/")
        if group:
            report.invalid_all(f"{path}.apiVersion", group, dns_subdomain(group))
        report.invalid_all(f"{path}.apiVersion", short, dns_label_1035(short))
    if not name:
        report.required(f"{path}.kind")
    elif complaints := dns_label_1035(name.lower()):
        detail = "may have mixed case, but should otherwise match: " + ",".join(complaints)
        report.invalid(f"{path}.kind", name, detail)


def _check_match(match: Manifest, path: str, report: Report) -> None:
    for member in ("namespaceSelector", "objectSelector"):
        if match.get(member) is None:
            report.required(f"{path}.{member}")
        else:
            check_label_selector(match[member], f"{path}.{member}", report)
    for member in ("resourceRules", "excludeResourceRules"):
        for position, rule in enumerate(match.get(member) or ()):
            check_named_rule(rule, f"{path}.{member}[{position}]", report)
    policy = match.get("matchPolicy")
    if policy is None:
        report.required(f"{path}.matchPolicy")
    else:
        report.choice(f"{path}.matchPolicy", policy, ("Equivalent", "Exact"))


def _check_variable(variable: Manifest, expressions: PolicyExpressions, path: str, report: Report) -> None:
    name, expression = variable.get("name") or "", variable.get("expression") or ""
    if not name.strip():
        report.required(f"{path}.name", "name is not specified")
    elif not expressions.is_identifier(name):
        report.invalid(f"{path}.name", name, "must be a valid CEL identifier")
    if not expression.strip():
        report.required(f"{path}.expression", "expression is not specified")
    else:
        expressions.add_variable(name, expression, f"{path}.expression", report)


def _check_validation(validation: Manifest, expressions: PolicyExpressions, path: str, report: Report) -> None:
    expression, message = validation.get("expression") or "", validation.get("message") or ""
    generated = validation.get("messageExpression") or ""
    if not expression.strip():
        report.required(f"{path}.expression", "expression is not specified")
    else:
        expressions.check_rule(expression, f"{path}.expression", report)
    if generated and not generated.strip():
        report.invalid(f"{path}.messageExpression", generated, "must be non-empty if specified")
    elif generated:
        expressions.check_message(generated, f"{path}.messageExpression", report)
    if message and not message.strip():
        report.invalid(f"{path}.message", message, "message must be non-empty if specified")
    elif "\n" in message.strip() or "\r" in message.strip():
        report.invalid(f"{path}.message", message, "must not contain line breaks")
    elif ("\n" in expression.strip() or "\r" in expression.strip()) and not message:
        report.required(f"{path}.message", "message must be specified if expression contains line breaks")
    if validation.get("reason") is not None:
        report.choice(f"{path}.reason", validation["reason"], _REASONS)


def _check_annotation(
    annotation: Manifest, policy: str, expressions: PolicyExpressions, path: str, report: Report
) -> None:
    key, expression = annotation.get("key") or "", annotation.get("valueExpression") or ""
    if policy:
        whole = f"{policy}/{key}"
        report.invalid_all(f"{path}.key", whole, qualified_name(whole))
    else:
        report.invalid(f"{path}.key", key, "requires metadata.name be non-empty")
    if not expression.strip():
        report.required(f"{path}.valueExpression", "valueExpression is not specified")
    elif len(expression.strip().encode()) > _MAXIMUM_VALUE_BYTES:
        report.required(f"{path}.valueExpression", f"must not exceed {_MAXIMUM_VALUE_BYTES} bytes in length")
    else:
        expressions.check_annotation(expression, f"{path}.valueExpression", report)


def check_mutating_policy(manifest: Manifest, report: Report) -> None:
    """A MutatingAdmissionPolicy."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, namespaced=False)
    spec = manifest.get("spec") or {}
    expressions = PolicyExpressions(spec, mutating=True)
    _check_common(spec, expressions, report, mutating=True)
    mutations = spec.get("mutations") or ()
    if not mutations:
        report.required("spec.mutations", "mutations must contain at least one item")
    for position, mutation in enumerate(mutations):
        _check_mutation(mutation, expressions, f"spec.mutations[{position}]", report)
    policies = ("IfNeeded", "Never")
    report.required_choice("spec.reinvocationPolicy", spec.get("reinvocationPolicy"), policies)


def _check_mutation(mutation: Manifest, expressions: PolicyExpressions, path: str, report: Report) -> None:
    kind = mutation.get("patchType") or ""
    members = {"ApplyConfiguration": "applyConfiguration", "JSONPatch": "jsonPatch"}
    report.required_choice(f"{path}.patchType", kind, tuple(members))
    if kind not in members:
        return
    wanted = members[kind]
    other = next(member for member in members.values() if member != wanted)
    if mutation.get(wanted) is None:
        report.required(f"{path}.{wanted}", f"must be specified when patchType is {kind}")
    else:
        expression = mutation[wanted].get("expression") or ""
        if not expression.strip():
            report.required(f"{path}.{wanted}.expression")
        else:
            expressions.check_patch(expression, kind, f"{path}.{wanted}.expression", report)
    if mutation.get(other) is not None:
        report.invalid(f"{path}.{other}", f"{{{other}}}", f"must not be specified when patchType is {kind}")


def check_binding(manifest: Manifest, report: Report) -> None:
    """The binding of a validating or mutating admission policy."""
    check_meta(manifest.get("metadata") or {}, report, dns_subdomain, namespaced=False)
    spec = manifest.get("spec") or {}
    name = spec.get("policyName") or ""
    if not name:
        report.required("spec.policyName")
    else:
        report.invalid_all("spec.policyName", name, dns_subdomain(name))
    if (reference := spec.get("paramRef")) is not None:
        _check_parameter_reference(reference, report)
    if (match := spec.get("matchResources")) is not None:
        _check_match(match, "spec.matchResources", report)
    if manifest.get("kind") == "ValidatingAdmissionPolicyBinding":
        _check_actions(spec.get("validationActions") or (), report)


def _check_parameter_reference(reference: Manifest, report: Report) -> None:
    path = "spec.paramRef"
    name, selector = reference.get("name") or "", reference.get("selector")
    if name:
        report.invalid_all(f"{path}.name", name, path_segment(name))
        if selector is not None:
            report.forbidden(f"{path}.name", "name and selector are mutually exclusive")
    if selector is not None:
        check_label_selector(selector, f"{path}.selector", report)
        if name:
            report.forbidden(f"{path}.selector", "name and selector are mutually exclusive")
    if not name and selector is None:
        report.required(path, "one of name or selector must be specified")
    action = reference.get("parameterNotFoundAction")
    report.required_choice(f"{path}.parameterNotFoundAction", action, ("Deny", "Allow"))


def _check_actions(actions: Any, report: Report) -> None:
    path = "spec.validationActions"
    if not actions:
        report.required(path, "at least one validation action is required")
        return
    seen: set[str] = set()
    for position, action in enumerate(actions):
        report.choice(f"{path}[{position}]", action, _ACTIONS)
        if action in seen:
            report.duplicate(f"{path}[{position}]", action)
        seen.add(action)
    if "Deny" in seen and "Warn" in seen:
        detail = (
            "must not contain both Deny and Warn (repeating the same validation failure information in the API "
            "response and headers serves no purpose)"
        )
        report.invalid(path, list(actions), detail)
