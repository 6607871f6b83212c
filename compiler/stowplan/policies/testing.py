"""Unit tests of policies: PolicyTest documents, each with objects or intents and the outcomes they must have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Self

from pydantic import BeforeValidator, Field, ValidationError, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from stowplan.cel import CelEvaluationError
from stowplan.diagnostics.model import Diagnostic, Outcome, error
from stowplan.diagnostics.suggest import did_you_mean
from stowplan.model.inputs.base import API_VERSION, InputModel, Text, seq
from stowplan.passes.input_errors import explain_errors
from stowplan.policies.evaluation import LazyValues, Outcome3, evaluate_guardrail
from stowplan.policies.guardrails import Guardrail
from stowplan.policies.placement import RuleView
from stowplan.policies.pods import pod_templates
from stowplan.source.document import Document
from stowplan.source.files import SourceTree
from stowplan.source.span import Origin

__all__ = ["PolicyTestSpec", "TestSubjects", "TestSummary", "run_policy_tests"]

_WORDS: Final = ("pass", "fail", "not-applicable")


def _expectation(value: Any) -> Any:
    """One word, words in order, or words by name."""
    words = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else [value]
    if not words or any(word not in _WORDS for word in words):
        raise ValueError(f"expected {', '.join(f'`{word}`' for word in _WORDS)}, a list of them, or a mapping to them")
    return tuple(value) if isinstance(value, list) else value


Expectation = Annotated[
    Any,
    BeforeValidator(_expectation),
    WithJsonSchema(
        {
            "anyOf": [
                {"enum": list(_WORDS)},
                {"type": "array", "items": {"enum": list(_WORDS)}, "minItems": 1},
                {"type": "object", "additionalProperties": {"enum": list(_WORDS)}, "minProperties": 1},
            ]
        }
    ),
]
"""What a case must come to."""


class PolicyTestCase(InputModel):
    """One case: what the policy sees, and what it must say."""

    name: Text = Field(description="name of the case")
    object: dict[str, Any] | None = Field(default=None, description="the object that is judged (guardrails)")
    old_object: dict[str, Any] | None = Field(default=None, description="the object as it is now; absent: it is new")
    neighbours: tuple[dict[str, Any], ...] = seq("other objects of the same namespace and target")
    cluster: Text | dict[str, Any] | None = Field(default=None, description="a Cluster of the workspace, or its values")
    tenant: Text | dict[str, Any] | None = Field(default=None, description="a Tenant of the workspace, or its values")
    intent: Text | dict[str, Any] | None = Field(default=None, description="an intent of the workspace, or its values")
    flavor: Text | dict[str, Any] | None = Field(default=None, description="a Flavor of the workspace, or its values")
    fleet: dict[str, Any] | None = Field(default=None, description="values of the fleet; absent: the workspace's")
    target: dict[str, Any] = Field(default_factory=dict, description="name, folder, engine and unit of the target")
    expect: Expectation = Field(description="outcome of the policy, of each validation in order, or of rules by name")
    message: Text | None = Field(default=None, description="text that a failure's message must contain")

    @model_validator(mode="after")
    def _sees_something(self) -> Self:
        if self.object is None and self.intent is None and self.cluster is None:
            raise PydanticCustomError("lacks", "a case needs an `object`, or an `intent` and a `cluster`", {})
        return self


class PolicyTestSpec(InputModel):
    """Cases of one policy."""

    policy: Text = Field(description="name of a GuardrailPolicy or PlacementPolicy, or of a shipped guardrail")
    cases: tuple[PolicyTestCase, ...] = Field(strict=False, min_length=1, description="the cases")


@dataclass(frozen=True, slots=True)
class TestSubjects:
    """What tests may name: policies, and entities of the workspace as the values that expressions see."""

    __test__ = False

    guardrails: Mapping[str, Guardrail]
    placement: Mapping[str, Sequence[RuleView]]
    values: Mapping[str, Mapping[str, dict[str, Any]]]
    fleet: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class TestSummary:
    """How many cases were run and how many of them failed."""

    __test__ = False

    n_cases: int
    n_failed: int


def run_policy_tests(tree: SourceTree, subjects: TestSubjects) -> Outcome[TestSummary]:
    """Runs every PolicyTest document; a failure is a finding at the case's expectation."""
    found: list[Diagnostic] = []
    n_cases = n_failed = 0
    for document in (document for file in tree.files for document in file.documents):
        spec = _spec(document, found)
        if spec is None:
            continue
        origin = Origin(document.path, document.index, ("spec",))
        if spec.policy not in subjects.guardrails and spec.policy not in subjects.placement:
            helps = did_you_mean(spec.policy, [*subjects.guardrails, *subjects.placement])
            found.append(error("SP1241", f"test of unknown policy `{spec.policy}`", origin / "policy", helps=helps))
            n_failed += len(spec.cases)
            n_cases += len(spec.cases)
            continue
        for index, case in enumerate(spec.cases):
            failures = list(_run(spec.policy, case, subjects, origin / "cases" / index))
            n_cases += 1
            n_failed += bool(failures)
            found.extend(failures)
    return Outcome(TestSummary(n_cases, n_failed), tuple(found))


def _spec(document: Document, found: list[Diagnostic]) -> PolicyTestSpec | None:
    """The test in a document; None where it is no test (which is reported)."""
    data, origin = document.data, Origin(document.path, document.index)
    if not isinstance(data, dict) or data.get("kind") != "PolicyTest" or data.get("apiVersion") != API_VERSION:
        text = f"this is no test: `apiVersion: {API_VERSION}` and `kind: PolicyTest` are expected"
        found.append(error("SP1241", text, origin))
        return None
    spec = data.get("spec")
    if not isinstance(spec, dict):
        found.append(error("SP0202", "the PolicyTest lacks `spec`", origin))
        return None
    try:
        return PolicyTestSpec.model_validate(spec)
    except ValidationError as problem:
        found.extend(explain_errors(problem, PolicyTestSpec, origin / "spec"))
        return None


def _run(policy: str, case: PolicyTestCase, subjects: TestSubjects, at: Origin) -> Iterator[Diagnostic]:
    unknown = list(_unknown_names(case, subjects, at))
    if unknown:
        yield from unknown
    elif policy in subjects.guardrails:
        yield from _run_guardrail(subjects.guardrails[policy], case, subjects, at)
    else:
        yield from _run_placement(subjects.placement[policy], case, subjects, at)


def _unknown_names(case: PolicyTestCase, subjects: TestSubjects, at: Origin) -> Iterator[Diagnostic]:
    for kind in ("cluster", "tenant", "intent", "flavor"):
        name = getattr(case, kind)
        known = subjects.values.get(kind, {})
        if isinstance(name, str) and name not in known:
            helps = did_you_mean(name, known)
            yield error("SP1241", f"case `{case.name}` names an unknown {kind} `{name}`", at / kind, helps=helps)


def _value(case: PolicyTestCase, kind: str, subjects: TestSubjects) -> Any:
    given = getattr(case, kind)
    if isinstance(given, str):
        return subjects.values[kind][given]
    if given is None:
        return None
    return {"labels": {}, "annotations": {}, **given}


def _run_guardrail(
    guardrail: Guardrail, case: PolicyTestCase, subjects: TestSubjects, at: Origin
) -> Iterator[Diagnostic]:
    value = case.object
    if value is None:
        yield error("SP1241", f"case `{case.name}` of a guardrail needs an `object`", at)
        return
    outcomes, message = _guardrail_outcomes(guardrail, case, value, subjects)
    expected = case.expect
    if isinstance(expected, dict):
        yield error("SP1241", "a guardrail's validations have no names: expect one word, or a list", at / "expect")
        return
    if isinstance(expected, str):
        whole = "fail" if "fail" in outcomes else outcomes[0] if set(outcomes) != {"pass"} else "pass"
        if whole != expected:
            yield _mismatch(case.name, expected, whole, message, at)
            return
    elif tuple(expected) != outcomes:
        yield _mismatch(case.name, ", ".join(expected), ", ".join(outcomes), message, at)
        return
    if case.message is not None and case.message not in message:
        text = f"case `{case.name}`: the message does not contain what is expected"
        yield error("SP1242", text, at / "message", notes=(f"it is: {message or 'nothing'}",))


def _guardrail_outcomes(
    guardrail: Guardrail, case: PolicyTestCase, value: dict[str, Any], subjects: TestSubjects
) -> tuple[tuple[str, ...], str]:
    metadata = value.get("metadata")
    meta: dict[str, Any] = metadata if isinstance(metadata, dict) else {}
    cluster = _value(case, "cluster", subjects) or {}
    skipped = (Outcome3.NOT_APPLICABLE.value,) * len(guardrail.checks)
    if not guardrail.matches_kind(str(value.get("apiVersion")), str(value.get("kind"))):
        return skipped, ""
    if not guardrail.selects(meta.get("namespace"), str(cluster.get("name", "")), meta.get("labels") or {}):
        return skipped, ""
    outcome = evaluate_guardrail(guardrail, _scope(case, value, meta, subjects))
    messages = [f"{check.message} {check.problem}".strip() for check in outcome.checks if check.message]
    return tuple(check.outcome.value for check in outcome.checks), "; ".join(messages)


def _scope(case: PolicyTestCase, value: dict[str, Any], meta: Mapping[str, Any], subjects: TestSubjects) -> LazyValues:
    neighbours: dict[str, list[dict[str, Any]]] = {}
    for other in case.neighbours:
        neighbours.setdefault(str(other.get("kind")), []).append(other)
    group, _, version = str(value.get("apiVersion")).rpartition("/")
    name, namespace = str(meta.get("name", "")), str(meta.get("namespace", ""))
    kind = {"group": group, "version": version, "kind": str(value.get("kind"))}
    target = {"name": "", "folder": "", "engine": "", "unit": "", **case.target}
    request = {
        "operation": "UPDATE" if case.old_object else "CREATE",
        "name": name,
        "namespace": namespace,
        "kind": kind,
    }
    fixed: dict[str, Any] = {
        "object": value, "oldObject": case.old_object, "target": target, "request": request,
        "namespaceObject": {"metadata": {"name": namespace, "labels": {}}} if namespace else None,
        "fleet": case.fleet if case.fleet is not None else subjects.fleet, "neighbours": neighbours,
        **{kind_: _value(case, kind_, subjects) for kind_ in ("cluster", "tenant", "intent")},
    }  # fmt: skip
    makers = {key: _constant(item) for key, item in fixed.items()}
    return LazyValues({**makers, "pods": lambda: pod_templates(value)})


def _constant(value: Any) -> Any:
    return lambda: value


def _run_placement(
    rules: Iterable[RuleView], case: PolicyTestCase, subjects: TestSubjects, at: Origin
) -> Iterator[Diagnostic]:
    values = {kind: _value(case, kind, subjects) for kind in ("intent", "cluster", "flavor", "tenant")}
    values["fleet"] = case.fleet if case.fleet is not None else subjects.fleet
    outcomes = {rule.name: _rule_outcome(rule, values) for rule in rules}
    expected = case.expect
    if isinstance(expected, tuple):
        expected = dict(zip(outcomes, expected, strict=False))
    if isinstance(expected, str):
        words = [word for word, _ in outcomes.values()]
        whole = "fail" if "fail" in words else "pass" if "pass" in words else "not-applicable"
        if whole != expected:
            yield _mismatch(case.name, expected, whole, "; ".join(m for _, m in outcomes.values() if m), at)
        return
    for name, word in expected.items():
        if name not in outcomes:
            helps = did_you_mean(name, outcomes)
            yield error("SP1241", f"the policy has no rule `{name}`", at / "expect" / name, helps=helps)
        elif outcomes[name][0] != word:
            yield _mismatch(f"{case.name}, rule {name}", word, outcomes[name][0], outcomes[name][1], at)


def _rule_outcome(rule: RuleView, values: Mapping[str, Any]) -> tuple[str, str]:
    try:
        if rule.when is not None and not rule.when.evaluate_bool(values):
            return "not-applicable", ""
        return ("pass", "") if rule.require.evaluate_bool(values) else ("fail", rule.reason)
    except CelEvaluationError as problem:
        return "fail", f"cannot be evaluated: {problem.message}"


def _mismatch(name: str, expected: str, found: str, message: str, at: Origin) -> Diagnostic:
    notes = (f"message: {message}",) if message else ()
    return error("SP1242", f"case `{name}`: expected {expected}, found {found}", at / "expect", notes=notes)
