"""What the offline server stores of built-in kinds, and what it cannot decode, against a live server's answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from corpus_files import rows as all_rows
from corpus_files import told

from stowplan.schema.builtin import (
    Surroundings,
    admit,
    assigned_members,
    decode_json,
    is_namespaced,
)
from stowplan.schema.builtin.assigned import PriorityClass, RuntimeClass
from stowplan.schema.builtin.decode import explain_undecodable
from stowplan.schema.builtin.objects import Undecodable, kind_plan
from stowplan.schema.builtin.pack import kind_type
from stowplan.schema.builtin.update import prepare_update
from stowplan.source.api_json import JsonError

FILE = "builtin-verdicts.jsonl.xz"
UPDATES = "builtin-updates.jsonl.xz"
MINOR = 36
REQUEST_NAMESPACE = "team-a"
SHARE = 0.997
# What the recording server held, by the corpus' own description.
SURROUNDINGS = Surroundings(
    {"gpu-high": PriorityClass(100_000), "gpu-low": PriorityClass(-5, "Never")},
    {
        "nvidia": RuntimeClass(),
        "kata": RuntimeClass(
            {"cpu": "250m", "memory": "120Mi"}, {"kata": "true"}, ({"key": "kata", "operator": "Exists"},)
        ),
    },
)


def rows() -> Iterator[dict[str, Any]]:
    """The rows of the plain server; others have admission plugins and gates of their own."""
    return (row for row in all_rows(FILE) if not row.get("ctx"))


def body(row: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
    if "raw" in row:
        decoded = decode_json(row["raw"].encode("utf-8", "surrogatepass"))
        return decoded.value, decoded.duplicates
    return row["object"], ()


def without(value: Any, pointer: tuple[str | int, ...]) -> None:
    """Remove a place, and the map of labels that is empty then."""
    holder = value
    for step in pointer[:-1]:
        holder = holder[step]
    del holder[pointer[-1]]
    if not holder and pointer[-2] in ("labels", "annotations"):
        without(value, pointer[:-1])


def predicted(
    row: dict[str, Any], value: Any, *, lenient: bool = False, gates: bool = False, complete: bool = True
) -> dict[str, Any]:
    api_version, _, kind = row["gvk"].rpartition("/")
    plan = kind_plan(api_version, kind, MINOR, lenient=lenient, gates=gates)
    assert plan is not None
    stored = plan.store(value)
    if is_namespaced(row["gvk"]):
        stored["metadata"].setdefault(
            "namespace", row.get("stored", {}).get("metadata", {}).get("namespace", REQUEST_NAMESPACE)
        )
    if complete:
        admit(stored, SURROUNDINGS)
    return stored


def difference(mine: Any, theirs: Any, path: str = "") -> list[str]:
    """Where two stored objects differ, types included."""
    if isinstance(mine, dict) and isinstance(theirs, dict):
        found = []
        for key in sorted(mine.keys() | theirs.keys()):
            missing, extra = key not in mine, key not in theirs
            if missing or extra:
                found.append(f"{path}.{key} {'missing' if missing else 'extra'}")
            else:
                found += difference(mine[key], theirs[key], f"{path}.{key}")
        return found
    if isinstance(mine, list) and isinstance(theirs, list) and len(mine) == len(theirs):
        return [d for i, pair in enumerate(zip(mine, theirs, strict=True)) for d in difference(*pair, f"{path}[{i}]")]
    return [] if mine == theirs and type(mine) is type(theirs) else [f"{path}: {mine!r} is stored as {theirs!r}"]


def test_stored_objects() -> None:
    agreed = total = 0
    misses = []
    for row in rows():
        if "stored" not in row:
            continue
        total += 1
        value, _ = body(row)
        try:
            stored = predicted(row, value, lenient=row["fv"] != "Strict")
        except Undecodable:
            misses.append(f"{row['id']} {row['gvk']} {row['mut']}: refused")
            continue
        live = row["stored"]
        for pointer in assigned_members(row["gvk"], stored, live):
            without(live, pointer)
        found = difference(stored, live)
        agreed += not found
        misses += [f"{row['id']} {row['gvk']} {row['mut']}: {d}" for d in found]
    told(f"{FILE} stored", agreed, total, SHARE, misses)


def unassigned_difference(row: dict[str, Any], stored: dict[str, Any]) -> list[str]:
    """Where a stored object differs from the row's, less what only the server can fill in."""
    live = row["stored"]
    for pointer in assigned_members(row["gvk"], stored, live):
        without(live, pointer)
    return difference(stored, live)


def test_stored_objects_with_every_feature_on() -> None:
    chosen = [row for row in all_rows(FILE) if "gates" in (row.get("ctx") or "") and "stored" in row]
    misses = {row["id"]: unassigned_difference(row, predicted(row, row["object"], gates=True)) for row in chosen}
    agreed = sum(not found for found in misses.values())
    told(f"{FILE} stored-all-gates", agreed, len(chosen), SHARE, [str(entry) for entry in misses.items() if entry[1]])


def test_stored_objects_after_an_update() -> None:
    misses = {}
    for row in all_rows(UPDATES):
        if "stored" not in row:
            continue
        # Only Pods are completed on an update as on a create; the rest keeps what the server filled in before.
        complete = row["gvk"] == "v1/Pod"
        stored, old = predicted(row, row["new"], complete=complete), predicted(row, row["old"])
        prepare_update(stored, old)
        misses[row["id"]] = unassigned_difference(row, stored)
    agreed = sum(not found for found in misses.values())
    told(f"{UPDATES} stored", agreed, len(misses), SHARE, [str(entry) for entry in misses.items() if entry[1]])


def refusal(row: dict[str, Any]) -> str:
    """The recorded complaint about decoding, or nothing."""
    message = row.get("message", "")
    return message if row["code"] == 400 and "does not match the namespace" not in message else ""


def complaint(row: dict[str, Any]) -> str:
    """Our complaint, in one text as the server gives it."""
    try:
        value, duplicates = body(row)
    except JsonError as problem:
        return f"json parse error: {problem}"
    api_version, _, kind = row["gvk"].rpartition("/")
    if kind_type(api_version, kind, MINOR) is None or value.get("kind") != kind:
        return ""
    errors = explain_undecodable(value, MINOR, duplicates, strict=row["fv"] == "Strict")
    prefix, marker = "", "strict decoding error: "
    texts = []
    for error in errors:
        before, found, after = error.message.partition(marker)
        prefix = before + found if found else ""
        texts.append(after or before)
    return prefix + ", ".join(texts)


def test_refusals_by_decoding() -> None:
    agreed = total = worded = refused = 0
    misses = []
    for row in rows():
        recorded, mine = refusal(row), complaint(row)
        total += 1
        agreed += bool(recorded) == bool(mine)
        refused += bool(recorded)
        same = mine == recorded or (mine.startswith("json parse error") and mine in recorded)
        worded += bool(recorded) and same
        if bool(recorded) != bool(mine) or not same:
            misses.append(f"{row['id']} {row['gvk']} {row['mut']}: {mine!r} for {recorded!r}")
    told(f"{FILE} decoding", agreed, total, SHARE, misses)
    told(f"{FILE} decoding-texts", worded, refused, 0.97)


def test_the_store_refuses_what_decoding_refuses() -> None:
    """The fast path and the explaining path agree on what can be decoded."""
    for row in rows():
        if "raw" in row or row["code"] == 0:
            continue
        api_version, _, kind = row["gvk"].rpartition("/")
        plan = kind_plan(api_version, kind, MINOR)
        if plan is None:
            continue
        try:
            plan.store(row["object"])
            decodable = True
        except Undecodable:
            decodable = False
        assert decodable == (not explain_undecodable(row["object"], MINOR)), row["id"]


def test_stored_objects_are_fixed_points() -> None:
    for row in rows():
        if "stored" not in row or "raw" in row:
            continue
        api_version, _, kind = row["gvk"].rpartition("/")
        plan = kind_plan(api_version, kind, MINOR)
        assert plan is not None
        once = plan.store(row["stored"])
        if row["gvk"] == "v1/Pod" and "abelKeys" in json.dumps(once):
            continue  # bare Pods with label keys grow with every round trip, on the server too
        assert plan.store(once) == once, row["id"]
