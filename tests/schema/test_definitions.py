"""Definitions from files and streams: what is taken, what is refused and where, and what hostile ones cost."""

from __future__ import annotations

import copy
import json
import time
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests_schema_samples import widget_crd

from stowplan.schema.diff import diff_packs
from stowplan.schema.findings import code_of, suggestion
from stowplan.schema.importing import import_crds, import_text
from stowplan.schema.pack import PackError, read_pack, write_pack
from stowplan.schema.sets import SchemaSet
from stowplan.schema.shipped import shipped_pack
from stowplan.schema.skew import unknown_in


def as_yaml(*documents: Any) -> str:
    return yaml.safe_dump_all(documents)


def schema_of(crd: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return found


@pytest.mark.parametrize("form", ["yaml", "json", "list", "json list", "stream"])
def test_forms(form: str) -> None:
    crd, other = widget_crd(), {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}
    listed = {"apiVersion": "v1", "kind": "List", "items": [other, crd]}
    text = {
        "yaml": as_yaml(crd), "json": json.dumps(crd), "list": as_yaml(listed), "json list": json.dumps(listed),
        "stream": as_yaml(other, crd, None),
    }[form]  # fmt: skip
    outcome = import_text(text)
    assert outcome.diagnostics == ()
    assert SchemaSet((outcome.value,)).scope("example.org/v1", "Widget") == "Namespaced"


def test_folders_are_read_in_order_and_the_last_definition_wins(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    first, second = widget_crd(), widget_crd(scope="Cluster")
    (tmp_path / "a.yaml").write_text(as_yaml(first))
    (tmp_path / "sub" / "b.json").write_text(json.dumps(second))
    (tmp_path / "notes.txt").write_text("not looked at: {")
    outcome = import_crds([tmp_path])
    assert [d.code for d in outcome.diagnostics] == ["SP0812"]
    assert SchemaSet((outcome.value,)).scope("example.org/v1", "Widget") == "Cluster"
    assert [d.code for d in import_crds([tmp_path / "sub" / "nothing.yaml"]).diagnostics] == ["SP0810"]


def broken(change: Any) -> dict[str, Any]:
    crd = widget_crd()
    change(crd, schema_of(crd)["properties"]["spec"]["properties"])
    return crd


@pytest.mark.parametrize(
    ("change", "says", "at"),
    [
        (lambda c, s: s.update(note={"type": "text"}), "unknown type `text`", "text"),
        (lambda c, s: s.update(note={"type": "string", "pattern": "("}), "not a regular expression", "("),
        (lambda c, s: s.update(note={"type": "string", "pattern": "(?=a)"}), "not a regular expression", "(?=a)"),
        (lambda c, s: s.update(note={}), "not structural", "{}"),
        (lambda c, s: s.update(note={"type": "string", "$ref": "#/x"}), "`$ref` is not allowed", "'#/x'"),
        (lambda c, s: s.update(note=7), "a schema must be a mapping", "7"),
        (lambda c, s: s["ports"].pop("x-kubernetes-list-map-keys"), "needs x-kubernetes-list-map-keys", None),
        (lambda c, s: s.update(note={"type": "string", "maxLength": "6"}), "must be an integer", "'6'"),
        (lambda c, s: c["spec"].pop("group"), "`spec.group` is missing", None),
        (lambda c, s: c["spec"].update(versions={}), "must list between 1", None),
        (lambda c, s: c["spec"]["versions"][0].pop("schema"), "has no schema", None),
        (lambda c, s: c.update(apiVersion="apiextensions.k8s.io/v1beta1"), "no longer served", "apiextensions.k8s.io/v1beta1"),
    ],
)  # fmt: skip
def test_malformed_definitions_are_named_with_their_place(change: Any, says: str, at: str | None) -> None:
    text = as_yaml({"kind": "Other"}, broken(change))
    outcome = import_text(text, "crds.yaml")
    assert outcome.value.kinds == ()
    first = outcome.diagnostics[0]
    assert (first.code, first.subject) == ("SP0810", "crd/widgets.example.org")
    assert says in first.message
    span: Any = first.primary.at
    assert span.path == "crds.yaml"
    if at is not None:
        line = text.splitlines()[span.line - 1]
        assert line[span.column - 1 :].startswith(at)


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


BOMB = "a: &a [x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [" + ", ".join([f"*{chr(97 + i)}"] * 8) + "]\n" for i in range(12)
)


def alias_bomb() -> str:
    """A definition whose schema holds itself eight-fold at each of twelve levels, through aliases."""
    levels = ["x0: &x0 {type: string}"]
    for i in range(12):
        members = ", ".join(f"p{j}: *x{i}" for j in range(8))
        levels.append(f"x{i + 1}: &x{i + 1} {{type: object, properties: {{{members}}}}}")
    crd = yaml.safe_dump(widget_crd())
    return "\n".join(levels) + "\n" + crd.replace("note:\n", "note: *x12\n                unused:\n")


@pytest.mark.parametrize(
    "text",
    [
        "---\n" + json.dumps(broken(lambda c, s: s.update(note=nested(300)))),
        json.dumps(broken(lambda c, s: s.update(note=nested(150)))),
        "[" * 100_000,
        "{" * 100_000,
        "a: " * 50_000,
        BOMB,
        alias_bomb(),
        as_yaml(broken(lambda c, s: s.update(note={"type": "string", "pattern": "(" * 5000 + "a" + ")*" * 5000}))),
        as_yaml(broken(lambda c, s: s.update(note={"type": "string", "pattern": "((a{1,900}){1,900}){1,900}"}))),
        "\x00",
        "!!python/object/apply:os.system ['true']",
        "? [a, b]\n: c\n",
    ],
    ids=[
        "deep",
        "deep json",
        "brackets",
        "braces",
        "keys",
        "bomb",
        "alias bomb",
        "parens",
        "repeats",
        "nul",
        "tag",
        "key",
    ],
)
def test_hostile_text_is_refused_in_bounded_time(text: str) -> None:
    start = time.process_time()
    outcome = import_text(text)
    assert outcome.value.kinds == ()
    assert outcome.diagnostics
    assert time.process_time() - start < 10


def test_a_pattern_that_backtracks_elsewhere_costs_nothing() -> None:
    crd = broken(lambda c, s: s.update(note={"type": "string", "pattern": "^(a+)+$"}))
    kind: Any = SchemaSet((import_text(as_yaml(crd)).value,)).kind("example.org/v1", "Widget")
    start = time.process_time()
    assert not kind.judge(
        {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"size": 1, "note": "a" * 9000 + "!"}}
    ).accepted  # fmt: skip
    assert time.process_time() - start < 10


def test_packs_round_trip_and_equal_content_gives_equal_bytes() -> None:
    pack = import_text(as_yaml(widget_crd())).value
    nodes = [pack.pool.facts(i) for i in range(len(pack.pool))]
    for fast in (False, True):
        data = write_pack(pack.kinds, nodes, pack.sources, fast=fast)
        assert data == write_pack(reversed(pack.kinds), copy.deepcopy(nodes), pack.sources, fast=fast)
        back = read_pack(data)
        assert back.kinds == pack.kinds
        assert [back.pool.facts(i) for i in range(len(back.pool))] == nodes
        with pytest.raises(PackError):
            read_pack(data[:-7])
    with pytest.raises(PackError):
        read_pack(b"PK\x03\x04")


def test_a_clusters_own_pack_wins_whole_kinds() -> None:
    own, shipped = widget_crd(), widget_crd(scope="Cluster")
    shipped["spec"]["versions"].append({**shipped["spec"]["versions"][0], "name": "v2", "storage": False})
    packs = [import_text(as_yaml(crd)).value for crd in (own, shipped)]
    schemas = SchemaSet(packs)
    assert schemas.scope("example.org/v1", "Widget") == "Namespaced"
    assert schemas.kind("example.org/v2", "Widget") is None
    assert SchemaSet(packs[1:]).kind("example.org/v2", "Widget") is not None


def test_clusters_that_are_alike_share_what_is_compiled() -> None:
    pack = import_text(as_yaml(widget_crd())).value
    one, two, older = SchemaSet((pack,), 36), SchemaSet((pack,), 36), SchemaSet((pack,), 34)
    name = ("example.org/v1", "Widget")
    assert one.kind(*name) is two.kind(*name)
    assert one.kind(*name) is not older.kind(*name)


def test_diff_names_what_changed() -> None:
    old = import_text(as_yaml(widget_crd())).value
    changed = broken(lambda c, s: (s.pop("note"), s["size"].update(maximum=12), s["mode"].update(enum=["Fast"])))
    schema_of(changed)["properties"]["spec"]["x-kubernetes-validations"].pop()
    new = import_text(as_yaml(changed)).value
    found = {(c.field, c.what, c.fact) for c in diff_packs(old, new)}
    assert found == {
        ("spec", "removed", "rule"), ("spec.mode", "changed", "enum"), ("spec.note", "removed", "field"),
        ("spec.size", "changed", "maximum"),
    }  # fmt: skip
    assert diff_packs(old, old) == ()


def test_skew_names_clusters_fields_and_kinds() -> None:
    full = SchemaSet((import_text(as_yaml(widget_crd())).value,))
    older = SchemaSet((import_text(as_yaml(broken(lambda c, s: s.pop("share")))).value,))
    value = {
        "apiVersion": "example.org/v1",
        "kind": "Widget",
        "metadata": {"name": "a"},
        "spec": {"size": 1, "share": 1},
    }
    targets = {"east": older, "north": SchemaSet(()), "south": full, "west": older}
    found = unknown_in(value, targets, lambda _pointer: None)
    assert [(d.code, d.targets) for d in found] == [("SP0801", ("north",)), ("SP0803", ("east", "west"))]
    assert "spec.share" in found[1].message
    assert "on 2 of 4 clusters" in found[1].message


def test_findings_point_at_the_field_and_suggest_names() -> None:
    kind: Any = SchemaSet((import_text(as_yaml(widget_crd())).value,)).kind("example.org/v1", "Widget")
    value = {
        "apiVersion": "example.org/v1",
        "kind": "Widget",
        "metadata": {"name": "a"},
        "spec": {"size": 1, "moed": "x"},
    }
    (cause,) = kind.judge(value).errors
    assert (code_of(cause), suggestion(kind, cause.pointer)) == ("SP0803", "mode")


def test_the_shipped_pack_has_facts_only() -> None:
    pack = shipped_pack()
    assert {"kueue.x-k8s.io", "policy.karmada.io", "gateway.networking.k8s.io", "keda.sh", "cert-manager.io"} <= {
        facts.group for facts in pack.kinds
    }
    words = {key for i in range(len(pack.pool)) for key in pack.pool.facts(i)}
    assert not words & {"description", "title", "example", "x-kubernetes-validations"}
    assert all(source.project and source.version for source in pack.sources)
    assert SchemaSet((pack,)).scope("kueue.x-k8s.io/v1beta2", "ClusterQueue") == "Cluster"


def test_the_shipped_pack_loads_quickly() -> None:
    data = (resources.files("stowplan") / "data" / "packs" / "custom.pack").read_bytes()
    assert len(data) < 80_000
    spent = []
    for _ in range(5):
        start = time.process_time()
        read_pack(data)
        spent.append(time.process_time() - start)
    assert min(spent) < 0.03, "the budget is 15 ms on a quiet machine"
