"""PlacementPolicy: hard rules as the `policy` predicate, and score terms, compiled once and evaluated in place."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

from stowplan.cel import CelEvaluationError, Declarations, Program
from stowplan.cel.types import BOOL, DYN
from stowplan.diagnostics.model import Diagnostic, Outcome, error
from stowplan.model.eligibility import Fact, Predicate, Reason
from stowplan.model.entity import Entity
from stowplan.model.exposed import cluster_value, flavor_value, fleet_value, intent_value, tenant_value
from stowplan.model.fleet import Cluster, Fleet, Pool
from stowplan.model.inputs.policies import PlacementPolicySpec
from stowplan.model.workload import Workload
from stowplan.passes.eligibility.context import ClusterCase, PoolCase
from stowplan.policies.compiling import compile_policy
from stowplan.policies.scope import CLUSTER, FLAVOR, FLEET, INTENT, TENANT
from stowplan.source.span import Origin

__all__ = ["PlacementRules", "RuleView", "compile_placement"]

_SCOPE = Declarations({"intent": INTENT, "cluster": CLUSTER, "flavor": FLAVOR, "tenant": TENANT, "fleet": FLEET})
_IDENTITY = {("intent", "name"), ("intent", "labels"), ("intent", "annotations"), ("intent",)}


@dataclass(frozen=True, slots=True)
class _Rule:
    name: str
    policy: str
    when: Program | None
    require: Program
    reason: str
    origin: Origin
    reads_flavor: bool


@dataclass(frozen=True, slots=True)
class RuleView:
    """A hard rule as its unit tests see it."""

    name: str
    when: Program | None
    require: Program
    reason: str


@dataclass(frozen=True, slots=True)
class _Term:
    program: Program
    weight: float


def compile_placement(fleet: Fleet) -> Outcome[PlacementRules]:
    """All placement policies; expressions that do not compile are reported and left out."""
    found: list[Diagnostic] = []
    rules: list[_Rule] = []
    terms: list[_Term] = []
    for policy in fleet.policies.placement:
        rules.extend(_rules(policy, found))
        terms.extend(_terms(policy, found))
    return Outcome(PlacementRules(fleet, tuple(rules), tuple(terms)), tuple(found))


def _rules(policy: Entity[PlacementPolicySpec], found: list[Diagnostic]) -> Iterator[_Rule]:
    for index, rule in enumerate(policy.spec.rules):
        at = policy.at("rules", index)
        when = compile_policy(rule.when, _SCOPE, at / "when", BOOL, found) if rule.when is not None else None
        require = compile_policy(rule.require, _SCOPE, at / "require", BOOL, found)
        if require is None or (rule.when is not None and when is None):
            continue
        reads = require.reads | (when.reads if when else frozenset())
        reads_flavor = any(path[:1] == ("flavor",) for path in reads)
        yield _Rule(rule.name, policy.name, when, require, rule.reason, at / "require", reads_flavor)


def _terms(policy: Entity[PlacementPolicySpec], found: list[Diagnostic]) -> Iterator[_Term]:
    for index, term in enumerate(policy.spec.prefer.terms if policy.spec.prefer else ()):
        origin = policy.at("prefer", "terms", index, "expression")
        program = compile_policy(term.expression, _SCOPE, origin, DYN, found)
        if program is None:
            continue
        if program.result_type.name not in ("int", "uint", "double", "dyn"):
            found.append(error("SP1201", f"a score term must be a number, this is {program.result_type}", origin))
            continue
        yield _Term(program, term.weight)


class PlacementRules:
    """The `policy` predicate and the extra score. Values are made once a workload, cluster, and flavor.

    Rules that fail to evaluate count as not met, and say so.
    """

    def __init__(self, fleet: Fleet, rules: tuple[_Rule, ...], terms: tuple[_Term, ...]) -> None:
        """See `compile_placement`."""
        self._fleet = fleet
        self._rules = rules
        self._terms = terms
        self._values: dict[tuple[str, str], dict[str, Any]] = {}
        self._fields_read: tuple[str, ...] | None = None
        programs = [p for r in rules for p in (r.when, r.require) if p is not None] + [t.program for t in terms]
        self.reads_identity = any(path[:2] in _IDENTITY for program in programs for path in program.reads)

    def reads_of(self, _fleet: Fleet, workload: Workload) -> Hashable:
        """What the rules read of a workload and its tenant, as text; the workload's name where that may be anything."""
        if self._fields_read is None:
            paths = [path for rule in self._rules for p in (rule.when, rule.require) if p for path in p.reads]
            self._fields_read = tuple(
                sorted({path[1] if len(path) > 1 else "" for path in paths if path[0] == "intent"})
            )
        if "" in self._fields_read:
            return workload.name
        value = self._memo("intent", workload.name, lambda: intent_value(workload))
        return workload.tenant, repr([value.get(name) for name in self._fields_read])

    @property
    def has_terms(self) -> bool:
        """Whether any policy adds a score term."""
        return bool(self._terms)

    def by_policy(self) -> dict[str, tuple[RuleView, ...]]:
        """The hard rules of each policy, in order; policies without any are left out."""
        found: dict[str, list[RuleView]] = {}
        for rule in self._rules:
            found.setdefault(rule.policy, []).append(RuleView(rule.name, rule.when, rule.require, rule.reason))
        return {policy: tuple(rules) for policy, rules in found.items()}

    def cluster_reasons(self, case: ClusterCase) -> Iterator[Reason]:
        """Rules that do not read `flavor` and fail."""
        variables = self._variables(case.workload, case.cluster)
        for rule in self._rules:
            if not rule.reads_flavor:
                yield from self._judge(rule, variables, case)

    def pool_reasons(self, case: PoolCase) -> Iterator[Reason]:
        """Rules that read `flavor` and fail."""
        variables: dict[str, Any] | None = None
        for rule in self._rules:
            if rule.reads_flavor:
                variables = variables or self._variables(case.workload, case.cluster, case.pool)
                yield from self._judge(rule, variables, case)

    def extra_score(self, workload: Workload, cluster: Cluster, pool: Pool) -> float:
        """The weighted sum of the score terms; a term that cannot be evaluated counts nothing."""
        variables = self._variables(workload, cluster, pool)
        total = 0.0
        for term in self._terms:
            try:
                value = term.program.evaluate(variables)
            except CelEvaluationError:
                continue
            if isinstance(value, int | float) and not isinstance(value, bool):
                total += term.weight * float(value)
        return total

    def _variables(self, workload: Workload, cluster: Cluster, pool: Pool | None = None) -> dict[str, Any]:
        variables = {
            "intent": self._memo("intent", workload.name, lambda: intent_value(workload)),
            "cluster": self._memo("cluster", cluster.name, lambda: cluster_value(cluster)),
            "tenant": self._memo("tenant", workload.tenant, lambda: tenant_value(self._fleet, workload.tenant)),
            "fleet": self._memo("fleet", "", lambda: fleet_value(self._fleet)),
        }
        if pool is not None:
            variables["flavor"] = self._memo("flavor", pool.flavor, lambda: flavor_value(self._fleet, pool.flavor))
        return variables

    def _memo(self, kind: str, name: str, make: Any) -> dict[str, Any]:
        key = (kind, name)
        if key not in self._values:
            self._values[key] = make()
        return self._values[key]

    def _judge(self, rule: _Rule, variables: dict[str, Any], case: ClusterCase) -> Iterator[Reason]:
        try:
            if rule.when is not None and not rule.when.evaluate_bool(variables):
                return
            if rule.require.evaluate_bool(variables):
                return
            found = "does not hold"
        except CelEvaluationError as problem:
            found = f"cannot be evaluated: {problem.message}"
        yield Reason(
            Predicate.POLICY,
            f"policy `{rule.policy}`, rule `{rule.name}`: {rule.reason}"
            + ("" if found == "does not hold" else f" ({found})"),
            Fact(rule.require.text, rule.origin),
            Fact(f"{case.cluster.name}: {found}", case.cluster.entity.name_origin),
        )
