"""`stowplan validate`: what stands beside an object in its namespace counts, wherever among the files it stands."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from stowplan.cli.main import run

SPACE = (
    "apiVersion: v1\nkind: Namespace\nmetadata: {name: team, labels: {pod-security.kubernetes.io/enforce: baseline}}\n"
)
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: team}\nspec: {hostPID: true, containers: [{name: a, image: 'a:1'}]}\n"
LIMITS = (
    "apiVersion: v1\nkind: LimitRange\nmetadata: {name: l, namespace: team}\n"
    "spec: {limits: [{type: Container, default: {memory: 1Gi}}]}\n"
)


def verdicts(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    capsys.readouterr()
    code = run(["validate", *arguments, "--format", "json", "--output-objects"])
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_namespace_among_the_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.yaml").write_text(POD)
    (tmp_path / "b.yaml").write_text(SPACE)
    code, [pod, space] = verdicts(capsys, str(tmp_path))
    assert code == 1
    assert (pod["code"], space["code"]) == (403, 201)
    assert "violates PodSecurity" in pod["errors"][0]["message"]
    assert verdicts(capsys, str(tmp_path / "a.yaml"))[0] == 0


def test_limits_among_the_files__count_with_their_namespace_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.yaml").write_text(POD.replace("hostPID: true, ", ""))
    (tmp_path / "limits.yaml").write_text(LIMITS)
    resources = []
    for _ in range(2):
        _, rows = verdicts(capsys, str(tmp_path))
        resources.append(rows[0]["object"]["spec"]["containers"][0]["resources"])
        (tmp_path / "space.yaml").write_text(SPACE)
    assert resources == [{}, {"limits": {"memory": "1Gi"}, "requests": {"memory": "1Gi"}}]


def test_context(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.yaml").write_text(POD.replace("hostPID: true, ", ""))
    (tmp_path / "cluster").mkdir()
    listed = [{"apiVersion": "v1", "kind": "List", "items": []}]
    (tmp_path / "cluster" / "list.json").write_text(json.dumps(listed[0]))
    (tmp_path / "cluster" / "limits.yaml").write_text(f"{SPACE}---\n{LIMITS}")
    code, [pod] = verdicts(capsys, str(tmp_path / "a.yaml"), "--context", str(tmp_path / "cluster"))
    assert code == 0
    assert pod["object"]["spec"]["containers"][0]["resources"]["limits"] == {"memory": "1Gi"}
    assert "limit-ranger" in json.dumps(pod["object"]["metadata"])


def test_standard_input__in_its_order(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    class Stream:
        buffer: io.BytesIO

    codes = []
    for text in (f"{SPACE}---\n{POD}", f"{POD}---\n{SPACE}"):
        Stream.buffer = io.BytesIO(text.encode())
        monkeypatch.setattr(sys, "stdin", Stream)
        codes.append([row["code"] for row in verdicts(capsys, "-")[1]])
    assert codes == [[201, 403], [201, 201]]


@pytest.mark.parametrize(
    "text",
    [
        SPACE.replace("labels: {pod-security.kubernetes.io/enforce: baseline}", "labels: []"),
        SPACE.replace("baseline", "[1]"),
        LIMITS.replace("1Gi", "much"),
        LIMITS.replace("[{type: Container, default: {memory: 1Gi}}]", "x"),
        "kind: Namespace\n",
        "Namespace\n",
        "{",
    ],
)
def test_what_is_no_context(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    (tmp_path / "a.yaml").write_text(POD)
    (tmp_path / "bad.yaml").write_text(text)
    code, rows = verdicts(capsys, str(tmp_path / "a.yaml"), "--context", str(tmp_path / "bad.yaml"))
    assert (code, rows[0]["code"]) == (0, 201)
