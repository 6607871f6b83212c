"""What may be put in the place of an object of a built-in kind, against a live server's answers."""

from __future__ import annotations

import copy
import re
from collections import Counter
from typing import Any

from corpus_files import rows, told

from stowplan.schema.builtin import judge_builtin, normalise_builtin
from stowplan.schema.builtin.validation.jobs import adopt_generated
from stowplan.schema.verdict import Verdict

FILE = "builtin-updates.jsonl.xz"
MINOR = 36
NAMESPACE = "scratch"
VERDICT_SHARE = 0.99
APPLY_SHARE = 0.97
CAUSE_SHARE = 0.975
IDENTITY = "11111111-2222-3333-4444-555555555555"
NAME_LABELS = ("job-name", "batch.kubernetes.io/job-name")
IDENTITY_LABELS = ("controller-uid", "batch.kubernetes.io/controller-uid")
STATUS: dict[str, dict[str, Any]] = {
    "started": {"startTime": "2026-01-01T00:00:00Z", "active": 1},
    "suspended again": {"conditions": [{"type": "Suspended", "status": "True"}]},
}


def stored_job(job: dict[str, Any]) -> dict[str, Any]:
    """A Job with the labels and the selector its creation gave it."""
    spec = job["spec"]
    if spec.get("manualSelector"):
        return job
    name = job["metadata"]["name"]
    labels = spec["template"].setdefault("metadata", {}).setdefault("labels", {})
    for keys, value in ((NAME_LABELS, name), (IDENTITY_LABELS, IDENTITY)):
        for key in keys:
            labels.setdefault(key, value)
    identity = IDENTITY_LABELS[1]
    spec.setdefault("selector", {}).setdefault("matchLabels", {}).setdefault(identity, labels[identity])
    return job


def live(row: dict[str, Any]) -> dict[str, Any]:
    """The object of the row as the server held it."""
    old = normalise_builtin(row["old"], MINOR)
    state = row.get("old_status") or ""
    if bound := re.match(r"bound.*capacity (\w+)", state):
        old["status"] = {"phase": "Bound", "capacity": {"storage": bound[1]}}
    for beginning, status in STATUS.items():
        if state.startswith(beginning):
            old["status"] = copy.deepcopy(status)
    if "namespace" in row["old"]["metadata"]:
        old["metadata"].setdefault("namespace", NAMESPACE)
    return stored_job(old) if row["gvk"] == "batch/v1/Job" else old


def replaced(row: dict[str, Any], old: dict[str, Any]) -> Verdict:
    """The answer to sending the new object as a whole; Jobs carry what the server added unless sent raw."""
    new = row["new"]
    if row["gvk"] == "batch/v1/Job" and row.get("put"):
        new = carried_over(new, old)
    return judge_builtin(new, MINOR, old=old, namespace=NAMESPACE)


def carried_over(new: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """A Job with the labels and the selector of the live one, as one that reads before it writes sends it."""
    spec = new.get("spec")
    if not isinstance(spec, dict) or not isinstance(spec.get("template", {}), dict):
        return new
    return dict(adopt_generated(new, old))


def counted(misses: Counter[str]) -> list[str]:
    return [f"{count} {text}" for text, count in misses.most_common()]


def described(row: dict[str, Any], verdict: Verdict, code: int, errors: list[dict[str, Any]]) -> str:
    kind = row["gvk"].rpartition("/")[2]
    if verdict.accepted:
        cause = errors[0]["field"] + " " + errors[0]["message"] if errors else row.get("message", "")
        return f"{kind}: accepted, but {code} {cause}"[:170]
    return f"{kind}: refused for {verdict.errors[0].field} {verdict.errors[0].message}, but {code}"[:170]


def test_replacing() -> None:
    agreed = total = causes = refused = 0
    misses: Counter[str] = Counter()
    cause_misses: Counter[str] = Counter()
    for row in rows(FILE):
        total += 1
        verdict = replaced(row, live(row))
        if verdict.accepted == (row["code"] in (200, 201)):
            agreed += 1
        else:
            misses[described(row, verdict, row["code"], row.get("errors") or [])] += 1
        if row["code"] != 422:
            continue
        refused += 1
        extra = Counter((error.field, error.reason) for error in verdict.errors)
        extra.subtract((error["field"], error["reason"]) for error in row["errors"])
        if any(extra.values()):
            parts = [f"{count:+d} {field} {reason}" for (field, reason), count in extra.items() if count]
            cause_misses[f"{row['gvk'].rpartition('/')[2]}: {', '.join(parts[:2])}"] += 1
        else:
            causes += 1
    told(FILE, agreed, total, VERDICT_SHARE, counted(misses))
    told(f"{FILE} causes", causes, refused, CAUSE_SHARE, counted(cause_misses))


def applied(row: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """What an apply by the sole manager sends on: the new object, with what others than it own of the live one."""
    merged: dict[str, Any] = copy.deepcopy(row["new"])
    if row["gvk"] == "batch/v1/Job":
        return carried_over(merged, old)
    return merged


def test_applying() -> None:
    agreed = total = 0
    misses: Counter[str] = Counter()
    for row in rows(FILE):
        answer = row.get("apply")
        if answer is None:
            continue
        total += 1
        code, errors = row["code"], row.get("errors") or []
        if isinstance(answer, dict) and "code" in answer:
            code, errors = answer["code"], answer.get("errors") or []
        old = live(row)
        verdict = judge_builtin(applied(row, old), MINOR, old=old, namespace=NAMESPACE)
        if verdict.accepted == (code in (200, 201)):
            agreed += 1
        else:
            misses[described(row, verdict, code, errors)] += 1
    told(f"{FILE} apply", agreed, total, APPLY_SHARE, counted(misses))
