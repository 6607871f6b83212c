"""Which objects of built-in kinds are accepted and refused, and for what causes, against a live server's answers."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import Any

from corpus_files import remark, rows, told

from stowplan.schema.builtin import Surroundings, judge_builtin, judge_builtin_text
from stowplan.schema.builtin.assigned import PriorityClass, RuntimeClass
from stowplan.schema.builtin.neighbourhood import Neighbourhood
from stowplan.schema.verdict import Verdict

FILE = "builtin-verdicts.jsonl.xz"
MINOR = 36
NAMESPACE = "team-a"
VERDICT_SHARE = 0.997
CAUSE_SHARE = 0.995
TEXT_SHARE = 0.98
ALL_GATES = "all alpha and beta"
# Some set-ups had a namespace of their own.
SET_UPS = {"LimitRange": "team-lr", "ResourceQuota": "team-q", "namespace label": "team-ps"}
# What the recording server held, by the corpus' own description.
SURROUNDINGS = Surroundings(
    {"gpu-high": PriorityClass(100_000), "gpu-low": PriorityClass(-5, "Never")},
    {
        "nvidia": RuntimeClass(),
        "kata": RuntimeClass(
            {"cpu": "250m", "memory": "120Mi"}, {"kata": "true"}, ({"key": "kata", "operator": "Exists"},)
        ),
    },
    (),
)
# Kinds that the rendered manifests consist of: no miss at all is allowed here.
RENDERED = (
    "ClusterRole",
    "ClusterRoleBinding",
    "ConfigMap",
    "HorizontalPodAutoscaler",
    "Job",
    "LimitRange",
    "Namespace",
    "NetworkPolicy",
    "PodDisruptionBudget",
    "ResourceQuota",
    "Role",
    "RoleBinding",
    "ServiceAccount",
    "ValidatingAdmissionPolicy",
)


LIMITS = {
    "metadata": {"name": "limits"},
    "spec": {
        "limits": [
            {
                "type": "Container",
                "max": {"cpu": "8", "memory": "64Gi"},
                "default": {"cpu": "1", "memory": "1Gi"},
                "defaultRequest": {"cpu": "100m", "memory": "1Gi"},
            }
        ]
    },
}
RESTRICTED_LABELS = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "warn")}
# What the namespaces of the set-ups held; the quota had no controller, and so no status.
IN_NAMESPACES = {
    "LimitRange": ("team-lr", Neighbourhood(limits=(LIMITS,))),
    "namespace label": ("team-ps", Neighbourhood(RESTRICTED_LABELS)),
    "ServiceAccount": (NAMESPACE, Neighbourhood(accounts=("default", "trainer"))),
}


def surroundings_of(row: dict[str, Any]) -> Surroundings:
    """What the server held when it was asked."""
    context = row.get("ctx") or ""
    held = [dict([pair]) for beginning, pair in IN_NAMESPACES.items() if context.startswith(beginning)]
    return replace(SURROUNDINGS, namespaces=held[0]) if held else SURROUNDINGS


def excluded(row: dict[str, Any]) -> str:
    """Why a row says nothing about the rules of objects, or nothing."""
    if row["code"] not in (200, 201, 400, 403, 404, 422, 500):
        return "the server gave no answer"
    if row["code"] == 500:
        return "the server failed"
    return ""


def namespace_of(row: dict[str, Any]) -> str:
    """The namespace of the recorded request: that of the set-up."""
    context = row.get("ctx") or ""
    return next((name for beginning, name in SET_UPS.items() if context.startswith(beginning)), NAMESPACE)


def judged(row: dict[str, Any]) -> Verdict:
    strict = row["fv"] == "Strict"
    if "raw" in row:
        body = row["raw"].encode("utf-8", "surrogatepass")
        return judge_builtin_text(body, MINOR, strict=strict, namespace=NAMESPACE)
    namespace = namespace_of(row)
    gates = ALL_GATES in (row.get("ctx") or "")
    value = row["object"]
    around = surroundings_of(row)
    return judge_builtin(value, MINOR, strict=strict, namespace=namespace, all_gates=gates, surroundings=around)


def without_positions(text: str) -> str:
    return re.sub(r"\[\d+\]", "[*]", text)[:160]


def described(row: dict[str, Any], verdict: Verdict) -> str:
    """A miss by its cause, the same for all rows that miss for the same cause."""
    kind = row["gvk"].rpartition("/")[2]
    if verdict.accepted:
        theirs = row.get("errors") or [{"field": "", "message": row.get("message", "")}]
        return f"{kind}: accepted, but {row['code']} {theirs[0]['field']} {without_positions(theirs[0]['message'])}"
    mine = verdict.errors[0]
    return f"{kind}: refused for {without_positions(mine.field)} {without_positions(mine.message)}, but {row['code']}"


def counted(misses: Counter[str]) -> list[str]:
    return [f"{count} {text}" for text, count in misses.most_common()]


def test_verdicts() -> None:
    agreed = total = 0
    misses: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    rendered: list[str] = []
    for row in rows(FILE):
        if reason := excluded(row):
            left_out[reason] += 1
            continue
        total += 1
        verdict = judged(row)
        if verdict.accepted == (row["code"] in (200, 201)):
            agreed += 1
            continue
        text = described(row, verdict)
        misses[text] += 1
        if row["gvk"].rpartition("/")[2] in RENDERED:
            rendered.append(text)
    for reason in counted(left_out):
        remark(f"left out: {reason}")
    told(FILE, agreed, total, VERDICT_SHARE, counted(misses))
    assert not rendered


def test_causes() -> None:
    """Of the rows that both refuse for the object's fields: the fields and reasons, and with them the texts."""
    agreed = worded = ordered = total = 0
    misses: Counter[str] = Counter()
    for row in rows(FILE):
        if row["code"] != 422 or not row.get("errors") or excluded(row):
            continue
        total += 1
        mine = [(error.field, error.reason, error.message) for error in judged(row).errors]
        theirs = [(error["field"], error["reason"], error["message"]) for error in row["errors"]]
        ordered += [cause[:2] for cause in mine] == [cause[:2] for cause in theirs]
        worded += sorted(mine) == sorted(theirs)
        extra = Counter(cause[:2] for cause in mine)
        extra.subtract(cause[:2] for cause in theirs)
        if not any(extra.values()):
            agreed += 1
            continue
        kind = row["gvk"].rpartition("/")[2]
        parts = [f"{count:+d} {without_positions(field)} {reason}" for (field, reason), count in extra.items() if count]
        misses[f"{kind}: {', '.join(parts[:3])}"] += 1
    told(f"{FILE} causes", agreed, total, CAUSE_SHARE, counted(misses))
    told(f"{FILE} causes in order", ordered, total, CAUSE_SHARE)
    told(f"{FILE} causes with all texts", worded, total, TEXT_SHARE)


def test_admission() -> None:
    """Of the rows whose namespace has limits, a standard of Pod security, or accounts: refusals, warnings, what is stored."""
    agreed = total = 0
    misses: Counter[str] = Counter()
    for row in rows(FILE):
        context = row.get("ctx") or ""
        if not context.startswith(tuple(IN_NAMESPACES)) or excluded(row):
            continue
        total += 1
        verdict = judged(row)
        theirs = [text for text in row.get("warnings") or () if "PodSecurity" in text]
        same = [text for text in verdict.warnings if "PodSecurity" in text] == theirs
        if row["code"] == 403:
            same = verdict.code == 403 and [error.message for error in verdict.errors] == [row["message"]]
        elif row["code"] == 201 and context.startswith("LimitRange") and row["gvk"] == "v1/Pod":
            same = same and resources_of(verdict.stored) == resources_of(row["stored"])
        agreed += same
        if not same:
            misses[f"{row['id']} {described(row, verdict) if verdict.errors else verdict.warnings}"] += 1
    told(f"{FILE} admission", agreed, total, 1.0, counted(misses))


def resources_of(pod: dict[str, Any] | None) -> Any:
    """What a LimitRange puts into a Pod: resources of its containers, and the note of it."""
    assert pod is not None
    containers = [*pod["spec"].get("containers", ()), *pod["spec"].get("initContainers", ())]
    note = (pod["metadata"].get("annotations") or {}).get("kubernetes.io/limit-ranger")
    return note, [one.get("resources") for one in containers]
