"""`stowplan validate` agrees with recorded answers of a live server: the way over text changes no verdict."""

from __future__ import annotations

import io
import json
import lzma
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stowplan.schema.crd import PackBuilder
from stowplan.schema.sets import SchemaSet
from stowplan.validation.judging import Judge, Result
from stowplan.validation.reading import read_stream
from stowplan.validation.reporting import record

CORPUS = os.environ.get("STOWPLAN_CORPUS", "")
EVERY = 7
SHARE = 0.985


def rows(name: str) -> Iterator[dict[str, Any]]:
    path = Path(CORPUS) / name
    if not CORPUS or not path.exists():
        pytest.skip(f"STOWPLAN_CORPUS has no {name}")
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if "meta" not in row:
                yield row


def judged(judge: Judge, body: bytes) -> Result:
    [result] = judge.results(read_stream(io.BytesIO(body), "row.json"))
    return result


def without_status(stored: Any) -> Any:
    out = {key: value for key, value in stored.items() if key != "status"}
    if (out.get("metadata") or {}).get("generateName"):
        out["metadata"] = {key: value for key, value in out["metadata"].items() if key != "name"}
    return out


def test_builtin_kinds() -> None:
    """Verdict and causes of the rows that need nothing but the plain server."""
    judge = Judge(SchemaSet((), 36), namespace="team-a")
    agreed = total = 0
    misses = []
    for number, row in enumerate(rows("builtin-verdicts.jsonl.xz")):
        if row.get("ctx") or row["fv"] != "Strict" or row["code"] in (0, 403, 500) or number % EVERY or "raw" in row:
            continue
        meta = row["object"].get("metadata") if isinstance(row["object"], dict) else None
        if isinstance(meta, dict) and meta.get("namespace") not in (None, "", "team-a"):
            continue
        total += 1
        result = judged(judge, json.dumps(row["object"]).encode())
        if result.accepted == (row["code"] < 300):
            agreed += 1
            shown = record(result, with_object=True)
            assert bool(shown["errors"]) == (not result.accepted)
            assert (shown["object"] is None) == (not result.accepted)
        else:
            misses.append(f"{row['gvk']} {row['mut']}")
    print(f"validate builtin-verdicts {agreed}/{total}")
    assert total and agreed >= SHARE * total, misses[:20]


def test_custom_kinds() -> None:
    """Verdict and stored object of custom resources."""
    sets = []
    for row in rows("crds.jsonl.xz"):
        builder = PackBuilder()
        builder.add(row["crd"])
        sets.append(Judge(SchemaSet((builder.pack(),), 36)))
    agreed = total = 0
    misses = []
    for number, row in enumerate(rows("crd-live-verdicts.jsonl.xz")):
        if number % EVERY or row["code"] in (0, 500):
            continue
        total += 1
        result = judged(sets[row["crd"]], json.dumps(row["object"]).encode())
        same = result.accepted == (row["code"] < 300)
        if same and result.accepted and "stored" in row:
            same = without_status(result.stored) == without_status(row["stored"])
        agreed += same
        if not same:
            misses.append(f"{row['gvk']} {row['mutation']} {row['code']}")
    print(f"validate crd-live-verdicts {agreed}/{total}")
    assert total and agreed >= SHARE * total, misses[:20]
