"""The CEL engine against recorded answers of other engines, as far as STOWPLAN_CORPUS has them.

Fails below the shares stated here. Files may be partial.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import pytest
from corpus_files import document as load
from corpus_files import remark, told

from stowplan.cel import CelCompileError, CelEvaluationError, Declarations, Program, TypeValue, UInt, compile_expression
from stowplan.cel.types import BOOL, INT, STRING, ListType, MapType, Type, object_type

RULE_SHARE = 1.0
KUBERNETES_SHARE = 1.0
# Known misses of the official cases, by a part of the expression. Anything else that misses counts against the share.
SPEC_SHARE = 1650 / 1676
SPEC_MISSES = {
    "ndexOf('a', 30)": "Kubernetes' releases of the library give -1 beyond the end, later ones fail",
    "::ffff:c0a8:1": "Kubernetes refuses IPv4 addresses mapped into IPv6, in either spelling; so do we",
    "b''' ? ": "the recorded bytes hold a backslash that the recorded expression does not have",
    'b""" ? ': "the recorded bytes hold a backslash that the recorded expression does not have",
}


# Official cases


def decode(value: list[Any]) -> Any:
    kind, content = value
    if kind == "list":
        return [decode(item) for item in content]
    if kind == "map":
        return {decode(key): decode(item) for key, item in content}
    readers: dict[str, Callable[[Any], Any]] = {"double": float, "uint": UInt, "bytes": bytes.fromhex}
    return readers[kind](content) if kind in readers else content


def same(got: Any, wanted: Any) -> bool:
    if isinstance(wanted, float):
        return type(got) is float and (got == wanted or (math.isnan(got) and math.isnan(wanted)))
    if isinstance(wanted, list):
        return isinstance(got, list) and len(got) == len(wanted) and all(map(same, got, wanted))
    if isinstance(wanted, dict):
        return (
            isinstance(got, dict)
            and len(got) == len(wanted)
            and all(key in got and same(got[key], item) for key, item in wanted.items())
        )
    return type(got) is type(wanted) and bool(got == wanted)


def official_case(case: dict[str, Any]) -> str | None:
    """None when the case agrees, otherwise what was found instead."""
    names = [*case["decls"], *case["vars"]]
    declarations = Declarations.unchecked(*names) if case["nocheck"] else Declarations.dynamic(*names)
    kind, wanted = case["want"][0], case["want"]
    try:
        program = compile_expression(case["expr"], declarations, profile="policy")
        got = program.evaluate({name: decode(value) for name, value in case["vars"].items()})
    except (CelCompileError, CelEvaluationError) as error:
        return None if kind == "error" else str(error)
    if kind == "error":
        return repr(got)
    agrees = got == TypeValue(wanted[1]) if kind == "type" else same(got, decode(wanted))
    return None if agrees else repr(got)


def test_official_cases() -> None:
    cases = load("cel-spec-tests.json.xz")
    misses = []
    for case in cases:
        found = official_case(case)
        if found is not None:
            cause = next((why for part, why in SPEC_MISSES.items() if part in case["expr"]), "NOT LISTED")
            misses.append(f"{case['id']}: {case['expr'][:100]} gave {found[:80]} ({cause})")
    listed = sum("NOT LISTED" not in miss for miss in misses)
    share = SPEC_SHARE - listed / len(cases) if cases else SPEC_SHARE
    told("cel-spec-tests.json.xz", len(cases) - len(misses), len(cases), share, misses)


# Rules of real CRDs


def test_rules_of_real_crds() -> None:
    rules = load("cel-rule-cases.json.xz")
    recorded = load("cel-rule-results-cel-cpp.json.xz")["res"]
    if len(rules) != len(recorded):
        pytest.skip("the rules and the results are of different lengths, which go together by their order")
    agreed = total = 0
    misses: list[str] = []
    spent = evaluations = 0.0
    for rule, expected in zip(rules, recorded, strict=False):
        program = compile_expression(rule["rule"], Declarations.dynamic("self", "oldSelf"))
        got = [verdict(program, case) for case in rule["cases"]]
        started = time.process_time()
        for case in rule["cases"]:
            verdict(program, case)
        spent += time.process_time() - started
        evaluations += len(got)
        # "C": the other engine could not compile the rule, so there is nothing to compare with.
        pairs = [(a, b) for a, b in zip(got, expected, strict=False) if b != "C"]
        total += len(pairs)
        agreed += sum(a == b for a, b in pairs)
        misses += [f"{rule['where']}: {rule['rule'][:100]}: {a} for {b}" for a, b in pairs if a != b]
    told("cel-rule-cases.json.xz", agreed, total, RULE_SHARE, misses)
    remark(f"mean {spent / evaluations * 1e6:.2f} us a rule evaluation over {evaluations:.0f}")


def verdict(program: Program, variables: dict[str, Any]) -> bool | str:
    try:
        return program.evaluate_bool(variables)
    except CelEvaluationError:
        return "E"


# Kubernetes-style expressions

OBJECT: dict[str, Any] = {
    "name": "gpu-pool-a",
    "__namespace__": "ns1",
    "image": "registry.example.com/team/app:v1.2.3",
    "url": "https://user@[::1]:8443/a%20b?k=v1&k=v2",
    "created": "2026-01-02T03:04:05Z",
    "timeout": "90s",
    "unicode": "h\u00e9llo",
    "replicas": 3,
    "minReplicas": 1,
    "ratio": 1.5,
    "maxSurge": "25%",
    "maxUnavailable": 0,
    "nothing": None,
    "empty": [],
    "labels": {"app": "x", "tier": "gpu", "topology.kubernetes.io/zone": "z1"},
    "hosts": ["*.example.com", "a.example.org"],
    "ports": [{"name": n, "port": p, "protocol": "TCP"} for n, p in (("http", 80), ("https", 443))],
    "resources": {
        "requests": {"cpu": "500m", "memory": "2Gi", "nvidia.com/gpu": 8},
        "limits": {"cpu": 2, "memory": "4Gi"},
    },
    "device": {
        "attributes": {"gpu.nvidia.com": {"productName": "H200", "index": 0}},
        "capacity": {"gpu.nvidia.com": {"memory": "141Gi"}},
    },
}
VARIABLES = {"self": OBJECT, "oldSelf": {"replicas": 2, "name": "gpu-pool-a", "hosts": ["a.example.org"]}}


def type_of(name: str, value: Any) -> Type:
    """The type a schema written for `value` would declare."""
    from stowplan.cel.types import DOUBLE, DYN

    simple = {bool: BOOL, int: INT, float: DOUBLE, str: STRING, type(None): STRING}.get(type(value))
    if name in ("maxSurge", "maxUnavailable", "nvidia.com/gpu"):
        return DYN
    if simple is not None:
        return simple
    if isinstance(value, list):
        return ListType(type_of(f"{name}[]", value[0]) if value else STRING)
    if name in ("labels", "attributes", "capacity"):
        return MapType(STRING, type_of(f"{name}.*", next(iter(value.values()))))
    if name in ("requests", "limits"):
        return MapType(STRING, DYN)
    return object_type(name, {key: type_of(key, item) for key, item in value.items()})


def declared() -> Declarations:
    fields = {key: type_of(key, item) for key, item in OBJECT.items()}
    resources = object_type("resources", {
        "requests": MapType(STRING, type_of("maxSurge", 0)), "limits": MapType(STRING, type_of("maxSurge", 0)),
        "claims": STRING,
    })  # fmt: skip
    kind = object_type("self", {**fields, "absent": INT, "resources": resources})
    return Declarations({"self": kind, "oldSelf": kind})


def server_verdict(expression: str, expected: Any) -> str:
    """What the server says of the rule that the expression gives what is expected, or where it fails."""
    try:
        program = compile_expression(expression, declared(), minor=36)
    except CelCompileError:
        return "compile error"
    try:
        return "holds" if same_or_error(program.evaluate(VARIABLES), expected) else "does not hold"
    except CelEvaluationError:
        return "evaluation error"


def value_of(expression: str) -> Any:
    try:
        return compile_expression(expression, Declarations.dynamic("self", "oldSelf"), profile="policy").evaluate(
            VARIABLES
        )
    except (CelCompileError, CelEvaluationError):
        return "error"


def test_kubernetes_expressions() -> None:
    rows = load("k8s_cel_verdicts.json")
    values = [row["id"] for row in rows if not same_or_error(value_of(row["expression"]), row["expected"])]
    found = [(row, server_verdict(row["expression"], row["expected"])) for row in rows]
    verdicts = [f"{row['id']}: {got} for {row['kubernetes']}" for row, got in found if got != row["kubernetes"]]
    told("k8s_cel_verdicts.json", len(rows) - len(values), len(rows), KUBERNETES_SHARE, values)
    told(
        "k8s_cel_verdicts.json (server's verdict)",
        len(rows) - len(verdicts),
        len(rows),
        KUBERNETES_SHARE,
        verdicts,
    )


def same_or_error(got: Any, wanted: Any) -> bool:
    return type(got) is type(wanted) and bool(got == wanted)
