"""GuardrailPolicy documents compiled: which objects they match, and their expressions as programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from stowplan.cel import Declarations, Program, Type
from stowplan.cel.types import BOOL, DYN, STRING, ListType, MapType, object_type
from stowplan.diagnostics.model import Diagnostic, Severity, error
from stowplan.model.entity import Entity
from stowplan.model.inputs.policies import GuardrailMatch, GuardrailPolicySpec
from stowplan.policies.compiling import compile_policy
from stowplan.policies.objecttypes import KindName, builtin_type, kinds_named, object_type_of, pod_template_type
from stowplan.policies.pods import POD_KINDS, is_pod_kind
from stowplan.policies.scope import CLUSTER, FLEET, INTENT, TENANT
from stowplan.schema.builtin.pack import supported_minor
from stowplan.schema.sets import SchemaSet
from stowplan.source.span import Origin

__all__ = ["ALL_KINDS", "POD_HOLDERS", "Check", "Condition", "Guardrail", "compile_guardrail"]

POD_HOLDERS: Final = "pods"
"""As a kind of a match: every kind that holds pod templates."""
ALL_KINDS: Final = "*"
"""As a kind of a match: every kind."""

_TARGET: Final = object_type("target", {"name": STRING, "folder": STRING, "engine": STRING, "unit": STRING})
_KIND: Final = object_type("kind", {"group": STRING, "version": STRING, "kind": STRING})
_REQUEST: Final = object_type("request", {"operation": STRING, "name": STRING, "namespace": STRING, "kind": _KIND})
_SEVERITIES: Final = {"error": Severity.ERROR, "warning": Severity.WARNING, "note": Severity.NOTE}


@dataclass(frozen=True, slots=True)
class Condition:
    """A named match condition."""

    name: str
    program: Program


@dataclass(frozen=True, slots=True)
class Check:
    """One validation: what must hold, and what a person reads when it does not."""

    program: Program
    message: str
    message_program: Program | None
    origin: Origin


@dataclass(frozen=True, slots=True)
class Guardrail:
    """A policy ready to run. `code` is its own for shipped guardrails; `reads` are the paths of all its expressions."""

    name: str
    code: str
    severity: Severity
    mandatory: bool
    match: GuardrailMatch
    conditions: tuple[Condition, ...]
    variables: Mapping[str, Program]
    checks: tuple[Check, ...]
    entity: Entity[GuardrailPolicySpec]
    is_shipped: bool
    reads: frozenset[tuple[str, ...]]

    def matches_kind(self, api_version: str, kind: str) -> bool:
        """Whether it looks at objects of a kind at all."""
        group = api_version.rpartition("/")[0]
        if self.match.groups and group not in self.match.groups:
            return False
        kinds = self.match.kinds
        return kind in kinds or ALL_KINDS in kinds or (POD_HOLDERS in kinds and is_pod_kind(api_version, kind))

    def selects(self, namespace: str | None, cluster: str, labels: Mapping[str, Any]) -> bool:
        """Whether it applies to an object of a matching kind with these properties."""
        match = self.match
        if match.namespaces and (namespace or "") not in match.namespaces:
            return False
        if match.clusters and cluster not in match.clusters:
            return False
        return all(labels.get(key) == value for key, value in match.labels.items())


def compile_guardrail(
    entity: Entity[GuardrailPolicySpec],
    schemas: Sequence[SchemaSet],
    found: list[Diagnostic],
    *,
    code: str = "SP1211",
    is_shipped: bool = False,
) -> Guardrail | None:
    """The guardrail; None where an expression is wrong, with one diagnostic a problem added to `found`."""
    spec, before = entity.spec, len(found)
    kinds = _kinds(entity, schemas, found)
    minor = max((known.minor for known in schemas), default=36)
    scope = _scope(DYN if ALL_KINDS in spec.match.kinds else object_type_of(kinds, schemas), minor)
    variables: dict[str, Program] = {}
    types: dict[str, Type] = {}
    for index, variable in enumerate(spec.variables):
        inner = _with_variables(scope, types)
        program = compile_policy(variable.expression, inner, entity.at("variables", index, "expression"), None, found)
        if variable.name in variables:
            at = entity.at("variables", index, "name")
            found.append(error("SP1202", f"the variable `{variable.name}` is defined twice", at))
        if program is not None:
            variables[variable.name], types[variable.name] = program, program.result_type
        else:
            types[variable.name] = DYN
    scope = _with_variables(scope, types)
    conditions = []
    for index, condition in enumerate(spec.match_conditions):
        at = entity.at("matchConditions", index, "expression")
        program = compile_policy(condition.expression, scope, at, BOOL, found)
        if program is not None:
            conditions.append(Condition(condition.name, program))
    checks = tuple(_checks(entity, scope, found))
    if len(found) > before:
        return None
    programs = [*variables.values(), *(c.program for c in conditions), *(c.program for c in checks)]
    programs += [c.message_program for c in checks if c.message_program is not None]
    reads = frozenset(path for program in programs for path in program.reads)
    severity = _SEVERITIES[spec.level]
    return Guardrail(
        entity.name, code, severity, spec.mandatory, spec.match, tuple(conditions), variables, checks, entity,
        is_shipped, reads,
    )  # fmt: skip


def _checks(entity: Entity[GuardrailPolicySpec], scope: Declarations, found: list[Diagnostic]) -> Iterable[Check]:
    for index, validation in enumerate(entity.spec.validations):
        at = entity.at("validations", index, "expression")
        program = compile_policy(validation.expression, scope, at, BOOL, found)
        told = None
        if validation.message_expression is not None:
            place = entity.at("validations", index, "messageExpression")
            told = compile_policy(validation.message_expression, scope, place, STRING, found)
        if program is not None:
            message = validation.message or f"failed expression: {' '.join(validation.expression.split())}"
            yield Check(program, message, told, at)


def _kinds(
    entity: Entity[GuardrailPolicySpec], schemas: Sequence[SchemaSet], found: list[Diagnostic]
) -> tuple[KindName, ...]:
    """The kinds that the match names; a name that no schema knows is reported unless a group says where it is from."""
    match = entity.spec.match
    kinds: dict[KindName, None] = {}
    for index, name in enumerate(match.kinds):
        if name == ALL_KINDS:
            continue
        names = sorted({kind for _, kind in POD_KINDS}) if name == POD_HOLDERS else [name]
        named = [key for one in names for key in kinds_named(one, match.groups, schemas)]
        if name == POD_HOLDERS:
            named = [key for key in named if is_pod_kind(*key)]
        if not named and not match.groups:
            from stowplan.diagnostics.suggest import did_you_mean

            text = f"no kind `{name}` is known"
            helps = did_you_mean(name, _all_kinds(schemas)) or (
                "name its API group under `groups` if it has no schema",
            )
            found.append(error("SP1203", text, entity.at("match", "kinds", index), helps=helps))
        kinds.update(dict.fromkeys(named))
    return tuple(kinds)


def _all_kinds(schemas: Sequence[SchemaSet]) -> list[str]:
    from stowplan.schema.builtin.pack import builtin_kinds

    found = {kind for known in schemas for pack in known.packs for _, kind in pack.by_kind}
    found |= {entry.rpartition("/")[2] for known in schemas for entry in builtin_kinds(known.minor)}
    return sorted(found)


def _scope(object_kind: Type, minor: int) -> Declarations:
    return Declarations(
        {
            "object": object_kind,
            "oldObject": object_kind,
            "cluster": CLUSTER,
            "fleet": FLEET,
            "tenant": TENANT,
            "intent": INTENT,
            "target": _TARGET,
            "request": _REQUEST,
            "namespaceObject": builtin_type("core.v1.Namespace", supported_minor(minor)),
            "pods": ListType(pod_template_type(supported_minor(minor))),
            "neighbours": MapType(STRING, ListType(DYN)),
        }
    )


def _with_variables(scope: Declarations, types: Mapping[str, Type]) -> Declarations:
    return scope.extended({"variables": object_type("variables", types)})
