"""CEL rules inside the schema of a CustomResourceDefinition: what they say of themselves, and whether they compile."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .crd_costs import Budget, Spending
from .report import Report, Struct

if TYPE_CHECKING:
    from stowplan.cel.types import Type

__all__ = ["check_rule_texts", "compile_rules", "field_at", "rule_type"]

Schema = Mapping[str, Any]
_REASONS = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")
_MEMBERS = ("rule", "message", "messageExpression", "reason", "fieldPath", "optionalOldSelf")
_uses_old_self = re.compile(r"\boldSelf\b").search
_has_breaks = re.compile("[\n\r]").search


def check_rule_texts(schema: Schema, path: str, report: Report) -> None:
    """All that can be said of rules without reading their expressions."""
    for position, rule in enumerate(schema.get("x-kubernetes-validations") or ()):
        place = f"{path}.x-kubernetes-validations[{position}]"
        text, message, generated = (rule.get(member) or "" for member in ("rule", "message", "messageExpression"))
        if not text.strip():
            report.required(f"{place}.rule", "rule is not specified")
        elif message and not message.strip():
            report.invalid(f"{place}.message", message, "must be non-empty if specified")
        elif _has_breaks(message.strip()):
            report.invalid(f"{place}.message", message, "must not contain line breaks")
        elif _has_breaks(text.strip()) and not message.strip():
            report.required(f"{place}.message", "message must be specified if rule contains line breaks")
        if generated and not generated.strip():
            report.required(f"{place}.messageExpression", "messageExpression must be non-empty if specified")
        if rule.get("reason") is not None and rule["reason"] not in _REASONS:
            report.unsupported(f"{place}.reason", rule["reason"], _REASONS)
        _check_field_path(schema, rule.get("fieldPath") or "", f"{place}.fieldPath", report)


def _check_field_path(schema: Schema, target: str, place: str, report: Report) -> None:
    if not target:
        return
    if not target.strip():
        report.invalid(place, target, "must be non-empty if specified")
    if _has_breaks(target):
        report.invalid(place, target, "must not contain line breaks")
    if field_at(schema, target) is None:
        report.invalid(place, target, "must be a valid path")


def compile_rules(
    schema: Schema, path: str, report: Report, spending: Spending, *, root: bool, loose: str, count: int | None
) -> None:
    """Compile rules against the schema they stand in; below `loose` no value is known to be that of before.

    There are at most `count` values to judge (None: as many as find room in a request).
    """
    if not schema.get("x-kubernetes-validations"):
        return
    kind = rule_type(schema, root=root)
    budget = spending.of(schema, root=root, count=count)
    for position, rule in enumerate(schema["x-kubernetes-validations"]):
        place = f"{path}.x-kubernetes-validations[{position}]"
        uses = _compile(rule, kind, place, report, budget) and bool(_uses_old_self(rule.get("rule") or ""))
        if uses and loose:
            detail = f"oldSelf cannot be used on the uncorrelatable portion of the schema within {loose}"
            report.invalid(f"{place}.rule", rule["rule"], detail)
        if not uses and rule.get("optionalOldSelf") is not None:
            detail = "may not be set if oldSelf is not used in rule"
            report.invalid(f"{place}.optionalOldSelf", rule["optionalOldSelf"], detail)


def rule_type(schema: Schema, *, root: bool) -> Type | None:
    """The type of `self` in a schema's rules; None where there is none."""
    from stowplan.schema.declared import cel_type
    from stowplan.schema.node import NodePool, intern_schema

    nodes: list[dict[str, Any]] = []
    try:
        index = intern_schema(schema, nodes, {})
        return cel_type(NodePool(nodes)[index], root=root)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None  # the schema itself is refused


def _compile(rule: Schema, kind: Type | None, place: str, report: Report, budget: Budget | None) -> bool:
    """Compile a rule and its message; whether the rule compiles, whatever it costs."""
    from stowplan.cel.declarations import Declarations
    from stowplan.cel.problem import CelCompileError
    from stowplan.cel.program import compile_expression
    from stowplan.cel.types import BOOL, OptionalType

    from .expressions import worded

    if kind is None:
        return True
    declared = Declarations({"self": kind, "oldSelf": OptionalType(kind) if rule.get("optionalOldSelf") else kind})
    shown = Struct({name[0].upper() + name[1:]: rule.get(name, _EMPTY.get(name, "")) for name in _MEMBERS})
    try:
        program = compile_expression(rule["rule"], declared, minor=report.minor, expect=BOOL)
    except CelCompileError as refusal:
        said = "\n".join(worded(problem, rule["rule"]) for problem in refusal.problems)
        report.invalid(f"{place}.rule", shown, f"compilation failed: {said}")
        return False  # its message is not looked at
    if budget is not None:
        budget.spend(program, f"{place}.rule", report)
    generated = rule.get("messageExpression") or ""
    if not generated.strip():
        return True
    try:
        program = compile_expression(generated, declared, minor=report.minor)
    except CelCompileError as refusal:
        said = "\n".join(worded(problem, generated) for problem in refusal.problems)
        report.invalid(f"{place}.messageExpression", shown, f"messageExpression compilation failed: {said}")
    else:
        if program.result_type.name != "string":
            report.invalid(f"{place}.messageExpression", shown, "messageExpression must evaluate to a string")
        elif budget is not None:
            budget.spend_on_message(program, f"{place}.messageExpression", report)
    return True


_EMPTY: Mapping[str, Any] = {"reason": None, "optionalOldSelf": None}


def field_at(schema: Schema, path: str) -> Schema | None:
    """The schema of the field a simple path like `.spec.n` leads to, or None."""
    current: Any = schema
    for step in re.findall(r"\.([^.\[\]]+)|\['([^']*)'\]", path):
        name = step[0] or step[1]
        properties = current.get("properties") if isinstance(current, Mapping) else None
        additional = current.get("additionalProperties") if isinstance(current, Mapping) else None
        if isinstance(properties, Mapping) and name in properties:
            current = properties[name]
        elif isinstance(additional, Mapping):
            current = additional
        else:
            return None
    return current if isinstance(current, Mapping) and current is not schema else None
