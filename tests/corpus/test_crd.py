"""Custom resources against recorded verdicts: the API server's library, and a live server where it differs."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Any

import pytest
from corpus_files import remark, told
from corpus_files import rows as rows_of

from stowplan.schema.crd import PackBuilder
from stowplan.schema.metadata import SERVER_ASSIGNED
from stowplan.schema.sets import SchemaSet
from stowplan.schema.verdict import FieldError, Verdict
from stowplan.schema.walk import judge_fully

NUMBER_RANGE = "Checked value must be of type "
NOT_CHECKED = "some validation rules were not checked"


@lru_cache(maxsize=2)
def schema_sets(*, all_served: bool = False) -> tuple[SchemaSet, ...]:
    """A set for each definition; the library judges versions that no server would serve, too."""
    found = []
    for row in rows_of("crds.jsonl.xz"):
        builder = PackBuilder()
        for version in row["crd"]["spec"]["versions"]:
            version["served"] = version["served"] or all_served
        assert builder.add(row["crd"]) == ()
        found.append(SchemaSet((builder.pack(),), 36))
    return tuple(found)


# --- the live server ---------------------------------------------------------------------------------------------------


def causes(errors: Any) -> Counter[tuple[str, str, str]]:
    if errors and isinstance(errors[0], FieldError):
        return Counter((error.field, error.reason, error.message) for error in errors)
    return Counter((error["field"], error["reason"], error["message"]) for error in errors or ())


def live_difference(verdict: Verdict, want: dict[str, Any]) -> str:
    """How a verdict differs from a live one, or nothing."""
    if want["code"] == 400:
        said = ", ".join(error.message for error in verdict.errors)
        return "" if verdict.code == 400 and want["message"].endswith(said) else f"400 {want['message'][:120]}"
    if verdict.accepted != (want["code"] < 300):
        return f"verdict {verdict.code} instead of {want['code']}: {[e.message for e in verdict.errors][:2]}"
    if causes(verdict.errors) != causes(want.get("errors")):
        return f"causes {causes(verdict.errors) - causes(want.get('errors'))}"
    if sorted(verdict.warnings) != sorted(want.get("warnings") or ()):
        return f"warnings {verdict.warnings}"
    if verdict.accepted and "stored" in want and without_chosen(verdict.stored) != without_chosen(want["stored"]):
        return "stored object"
    return ""


def without_chosen(stored: Any) -> Any:
    """The stored object without status and without the name that the server makes up from `generateName`."""
    out = {key: value for key, value in stored.items() if key != "status"}
    meta = out.get("metadata") or {}
    if meta.get("generateName"):
        out["metadata"] = {key: value for key, value in meta.items() if key != "name"}
    return out


def test_live_server() -> None:
    agreed = total = 0
    misses: list[str] = []
    for row in rows_of("crd-live-verdicts.jsonl.xz"):
        total += 1
        schema = schema_sets()[row["crd"]].kind(row["object"]["apiVersion"], row["object"]["kind"])
        if row["code"] == 404 or schema is None:
            difference = "" if row["code"] == 404 and schema is None else "whether the version is served"
        else:
            difference = live_difference(schema.judge(row["object"]), row)
            if not difference and "ignore" in row:
                difference = live_difference(schema.judge(row["object"], strict=False), row["ignore"])
        agreed += not difference
        if difference:
            misses.append(f"{row['row']} {row['gvk']} {row['mutation'] or 'as found'}: {difference}")
    told("crd-live-verdicts.jsonl.xz", agreed, total, 0.999, misses)


# --- the library -------------------------------------------------------------------------------------------------------


def library_text(error: FieldError) -> str:
    """A cause as the recording writes it: reason, field and detail without the value."""
    message = error.message
    for head in (
        "Invalid value: ",
        "Unsupported value: ",
        "Required value",
        "Duplicate value: ",
        "Too long: ",
        "Too many: ",
    ):
        message = message.removeprefix(head)
    return f"{error.reason}|{error.field}|{message}"


def split(text: str) -> tuple[str, str]:
    """Reason and field of a recorded cause; `list:` marks those of list topology."""
    reason, field, _ = text.removeprefix("list:").split("|", 2)
    return reason, field


def fields(errors: list[FieldError]) -> set[tuple[str, str]]:
    return {(error.reason, error.field) for error in errors}


EXPLAINED: Counter[str] = Counter()
"""Rows where we follow the live server against the library, by cause."""


def explained(extra: list[FieldError], missing: set[tuple[str, str]]) -> bool:
    """Whether a difference is one of those where the live server disagrees with the library's verdict as well.

    Integers outside the range of their format (`<nil>`, "Checked value ...") are refused by the live server only, and so
    are floats and huge numbers in the `replicas` path of a scale subresource.
    """
    if missing:
        return False
    for error in extra:
        if NUMBER_RANGE in error.message:
            EXPLAINED["number outside its format's range"] += 1
        elif error.field.startswith(".") and ("accessor error" in error.message or "2147483647" in error.message):
            EXPLAINED["number in the replicas path of a scale subresource"] += 1
        else:
            return False
    return True


def library_difference(row: dict[str, Any]) -> str:
    """How our verdict differs from the library's, or nothing."""
    want = row["verdict"]
    schema: Any = schema_sets(all_served=True)[row["crd"]].kind(row["object"]["apiVersion"], row["object"]["kind"])
    grounds = schema.grounds._replace(storage=None)  # the library judged one version and stored nothing
    strict = judge_fully(row["object"], grounds, keep_status=True)
    unknown = {error.field for error in strict.errors if error.reason == "UnknownField"}
    if unknown != set(want["unknown"] or ()):
        return f"unknown fields {sorted(unknown ^ set(want['unknown'] or ()))}"
    lax = judge_fully(row["object"], grounds, strict=False, keep_status=True)
    recorded = {split(text) for text in [*(want["errs"] or ()), *(want["cel"] or ())]}
    ours = [
        error for error in lax.errors if NOT_CHECKED not in error.message and not error.field.startswith("metadata.")
    ]
    if want["errs"]:  # rules were recorded for clean objects only
        ours = [error for error in ours if not is_rule(error)]
    missing = recorded - fields(ours)
    extra = [error for error in ours if (error.reason, error.field) not in recorded]
    if (extra or missing) and not explained(extra, missing):
        return f"causes missing {sorted(missing)}, not recorded {[library_text(error) for error in extra]}"
    if lax.stored is not None and without_assigned(lax.stored) != without_assigned(normal_numbers(want["obj"])):
        return "stored object"
    return ""


def is_rule(error: FieldError) -> bool:
    """Whether a cause comes from a CEL rule: schema checks of a value name it with `in body` or have their own reason."""
    plain = error.reason in ("FieldValueInvalid",) and " in body " not in error.message and error.field != "<nil>"
    return plain and "must be an object for an array" not in error.message


def without_assigned(value: dict[str, Any]) -> dict[str, Any]:
    """An object without the metadata that a server assigns; the library left it as it was."""
    dropped = (*SERVER_ASSIGNED, "namespace")
    return {**value, "metadata": {k: v for k, v in (value.get("metadata") or {}).items() if k not in dropped}}


def normal_numbers(value: Any) -> Any:
    """The recorded object with whole floats as integers, as JSON does not tell them apart."""
    if isinstance(value, dict):
        return {key: normal_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [normal_numbers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@pytest.mark.slow
def test_library() -> None:
    agreed = total = 0
    misses: list[str] = []
    for number, row in enumerate(rows_of("crd-verdicts.jsonl.xz")):
        total += 1
        difference = library_difference(row)
        agreed += not difference
        if difference:
            misses.append(f"{number} {row['gvk']} {row['mutation'] or 'as found'}: {difference}")
    told("crd-verdicts.jsonl.xz", agreed, total, 0.999, misses)
    for cause, count in sorted(EXPLAINED.items()):
        remark(f"live server wins: {cause}: {count}")
