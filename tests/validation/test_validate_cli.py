"""`stowplan validate` and `stowplan schemas` from the command line: output, exit codes, hostile input."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from stowplan.cli.main import run
from stowplan.diagnostics.render import FORMATS

GOOD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}\n"
BAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndatta: {k: v}\n"
FOO = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: a}\nspec: {size: 3}\n"


def crd(kind: str = "Foo", schema: Any = None, **more: Any) -> dict[str, Any]:
    plural = kind.lower() + "s"
    spec = {"type": "object", "properties": {"size": {"type": "integer", "maximum": 5}, "mode": {"type": "string", "default": "slow"}},
            "x-kubernetes-validations": [{"rule": "self.size != 4", "message": "no fours"}]}  # fmt: skip
    schema = schema or {"type": "object", "properties": {"spec": spec}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, **more}
    return {
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": f"{plural}.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": {"kind": kind, "plural": plural}, "versions": [version]},
    }  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.yaml").write_text(GOOD, encoding="utf-8")
    (tmp_path / "bad.yaml").write_text(BAD, encoding="utf-8")
    (tmp_path / "foo.yaml").write_text(FOO, encoding="utf-8")
    (tmp_path / "crds").mkdir()
    (tmp_path / "crds" / "foo.json").write_text(json.dumps(crd()), encoding="utf-8")
    return tmp_path


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_accepted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", str(folder / "good.yaml"), "--format", "json", "--output-objects"]) == 0
    [row] = lines(capsys)
    assert row["verdict"] == "accepted" and row["errors"] == [] and row["namespace"] == "default"
    assert row["object"]["metadata"] == {"name": "a", "namespace": "default"}


def test_refused__has_field_reason_message_and_place(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", str(folder / "bad.yaml"), "--format", "jsonl"]) == 1
    [row] = lines(capsys)
    assert row["verdict"] == "refused" and row["code"] == 400 and "object" not in row
    [error] = row["errors"]
    assert (
        error["field"] == "datta" and error["reason"] == "UnknownField" and (error["line"], error["column"]) == (4, 1)
    )


def test_unknown_kind(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", str(folder / "foo.yaml"), "--format", "json"]) == 1
    assert lines(capsys)[0]["verdict"] == "unknown-kind"


@pytest.mark.parametrize(
    ("spec", "code", "says"),
    [
        ("{size: 3}", 0, None),
        ("{size: 6}", 1, "should be less than or equal to 5"),
        ("{size: 4}", 1, "no fours"),
        ("{sice: 4}", 1, 'unknown field "spec.sice"'),
        ("{size: 1, size: 2}", 1, 'duplicate field "spec.size"'),
        ("{size: 2.0}", 0, None),
        ("{size: big}", 1, "must be of type integer"),
    ],
)
def test_crds__rules_defaults_and_strictness(
    spec: str, code: int, says: str | None, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "foo.yaml").write_text(FOO.replace("{size: 3}", spec), encoding="utf-8")
    arguments = [
        "validate",
        str(folder / "foo.yaml"),
        "--crds",
        str(folder / "crds"),
        "--format",
        "json",
        "--output-objects",
    ]
    assert run(arguments) == code
    [row] = lines(capsys)
    if says is None:
        assert row["object"]["spec"]["mode"] == "slow" and row["object"]["metadata"]["namespace"] == "default"
        assert type(row["object"]["spec"]["size"]) is int
    else:
        assert any(says in error["message"] and error["line"] == 4 for error in row["errors"])


def test_field_validation__ignore(folder: Path) -> None:
    assert run(["validate", str(folder / "bad.yaml"), "--field-validation", "ignore"]) == 0


def test_old__judges_an_update(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec:\n  completions: 2\n  template: {spec: {restartPolicy: Never, containers: [{name: c, image: a}]}}\n"
    (folder / "old.yaml").write_text(old, encoding="utf-8")
    (folder / "new.yaml").write_text(old.replace("image: a", "image: b"), encoding="utf-8")
    assert run(["validate", str(folder / "new.yaml"), "--format", "json"]) == 0
    capsys.readouterr()
    assert run(["validate", str(folder / "new.yaml"), "--old", str(folder / "old.yaml"), "--format", "json"]) == 1
    [row] = lines(capsys)
    assert row["code"] == 422 and any("immutable" in error["message"] for error in row["errors"])


def test_versions(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "x.yaml").write_text(
        "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n", encoding="utf-8"
    )
    assert run(["validate", str(folder / "x.yaml"), "--kubernetes", "1.36", "--format", "json"]) == 1
    assert lines(capsys)[0]["verdict"] == "unknown-kind"
    for wrong in ("1.2", "2.0", "latest"):
        assert run(["validate", str(folder / "x.yaml"), "--kubernetes", wrong]) == 2


def test_folders__leave_out_what_is_no_manifest(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "deploy").mkdir()
    for name in ("kustomization.yaml", ".hidden.yaml", "notes.txt"):
        (folder / "deploy" / name).write_text("a: b\n", encoding="utf-8")
    (folder / "deploy" / "deep").mkdir()
    (folder / "deploy" / "deep" / "x.yml").write_text(GOOD, encoding="utf-8")
    assert run(["validate", str(folder / "deploy"), "--format", "json"]) == 0
    assert len(lines(capsys)) == 1
    assert run(["validate", str(folder / "deploy" / "kustomization.yaml")]) == 1


def test_standard_input(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"{GOOD}---\n{BAD}".encode())))
    assert run(["validate", "-", "--format", "json"]) == 1
    rows = lines(capsys)
    assert [row["file"] for row in rows] == ["<stdin>"] * 2 and rows[1]["errors"][0]["line"] == 9


@pytest.mark.parametrize("format_", FORMATS)
def test_formats(format_: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", str(folder / "bad.yaml"), "--format", format_]) == 1
    assert "datta" in capsys.readouterr().out


def test_files_that_are_not_there(folder: Path) -> None:
    assert run(["validate", str(folder / "nope.yaml")]) == 2
    assert run(["validate", str(folder / "good.yaml"), "--crds", str(folder / "nope")]) == 2


HOSTILE = {
    "not-a-schema": crd(schema={"type": "object", "properties": {"spec": 7}}),
    "pattern": crd(schema={"type": "object", "properties": {"spec": {"type": "string", "pattern": "(((("}}}),
    "no-versions": {**crd(), "spec": {**crd()["spec"], "versions": []}},
    "list-of-names": {**crd(), "spec": {**crd()["spec"], "names": ["x"]}},
    "old-api": {**crd(), "apiVersion": "apiextensions.k8s.io/v1beta1"},
}


@pytest.mark.parametrize("name", HOSTILE)
def test_definitions__that_cannot_be_used(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "hostile.json"
    path.write_text(json.dumps(HOSTILE[name]), encoding="utf-8")
    assert run(["validate", str(folder / "good.yaml"), "--crds", str(path)]) == 2
    assert "SP0810" in capsys.readouterr().err
    assert run(["schemas", "import", str(path), "-o", str(folder / "x.pack")]) == 2
    assert not (folder / "x.pack").exists()


def test_definitions__deep_and_damaged(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nested = '{"type":"object","properties":{"a":' * 400 + '{"type":"string"}' + "}}" * 400
    whole = json.dumps(crd(schema={"type": "object", "title": "HERE"}))
    (folder / "nested.json").write_text(whole.replace('{"type": "object", "title": "HERE"}', nested), encoding="utf-8")
    assert run(["validate", str(folder / "good.yaml"), "--crds", str(folder / "nested.json")]) == 2
    assert "SP0810" in capsys.readouterr().err
    deep = (
        '{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","a":' + "[" * 5000 + "]" * 5000 + "}"
    )
    for name, text in (("deep.json", deep), ("broken.yaml", "a: [\n"), ("x.pack", "X" + "garbage")):
        (folder / name).write_text(text, encoding="utf-8")
        assert run(["validate", str(folder / "good.yaml"), "--crds", str(folder / name)]) == 2
        assert "SP0810" in capsys.readouterr().err


def test_deep_object__is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":' + '{"a":' * 4000 + "1" + "}" * 4001
    (folder / "deep.json").write_text(text, encoding="utf-8")
    assert run(["validate", str(folder / "deep.json"), "--format", "json"]) == 1
    assert lines(capsys)[0]["verdict"] == "refused"


def test_schemas__import_list_diff(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pack, other = folder / "p.pack", folder / "q.pack"
    assert run(["schemas", "import", str(folder / "crds"), "-o", str(pack)]) == 0
    assert run(["schemas", "list", str(pack), "--format", "json"]) == 0
    [row] = json.loads(capsys.readouterr().out)["kinds"]
    assert row["kind"] == "Foo" and row["rules"] == 1 and row["scope"] == "Namespaced"
    assert run(["schemas", "diff", str(pack), str(folder / "crds")]) == 0
    changed = crd()
    changed["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["size"][
        "maximum"
    ] = 9
    (folder / "other.json").write_text(json.dumps({"kind": "List", "items": [changed, crd("Bar")]}), encoding="utf-8")
    assert run(["schemas", "import", str(folder / "other.json"), "-o", str(other)]) == 0
    capsys.readouterr()
    assert run(["schemas", "diff", str(pack), str(other)]) == 1
    told = capsys.readouterr().out
    assert "spec.size  changed maximum: 5 -> 9" in told and "Bar" in told
    assert run(["validate", str(folder / "foo.yaml"), "--crds", str(pack)]) == 0


def test_schemas__several_sources_make_one_pack(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bar.json").write_text(json.dumps(crd("Bar")), encoding="utf-8")
    both = folder / "both.pack"
    assert run(["schemas", "import", str(folder / "crds"), str(folder / "bar.json"), "-o", str(both)]) == 0
    (folder / "o.yaml").write_text(FOO + "---\n" + FOO.replace("Foo", "Bar").replace("3", "4"), encoding="utf-8")
    capsys.readouterr()
    assert run(["validate", str(folder / "o.yaml"), "--crds", str(both), "--format", "json"]) == 1
    assert [row["verdict"] for row in lines(capsys)] == ["accepted", "refused"]
