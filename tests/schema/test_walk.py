"""The server's steps on a made-up kind: what is pruned, filled in, refused, and in which words."""

from __future__ import annotations

from typing import Any

import pytest
from tests_schema_samples import widget_crd

from stowplan.schema.crd import PackBuilder
from stowplan.schema.sets import SchemaSet
from stowplan.schema.skew import rules_out_of_reach

INVALID, MISSING, TYPE = "FieldValueInvalid", "FieldValueRequired", "FieldValueTypeInvalid"


def kind(minor: int = 36) -> Any:
    builder = PackBuilder()
    assert builder.add(widget_crd()) == ()
    return SchemaSet((builder.pack(),), minor).kind("example.org/v1", "Widget")


KIND = kind()


def widget(metadata: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    meta = {"name": "one"} if metadata is None else metadata
    return {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": meta, "spec": {"size": 1, **spec}}


def test_stored_object_has_defaults_and_nothing_else() -> None:
    given = widget(ports=[{"name": "a", "port": 1}], low=None, limits=None)
    verdict = KIND.judge(given)
    assert verdict.accepted
    assert verdict.stored["spec"] == {
        "size": 1, "mode": "Fast", "limits": {"cpu": 1}, "ports": [{"name": "a", "port": 1, "protocol": "TCP"}]
    }  # fmt: skip
    assert KIND.normalise(verdict.stored) == verdict.stored
    assert given["spec"]["low"] is None, "the given object is not touched"


def test_status_of_a_create_is_dropped_but_its_fields_must_be_known() -> None:
    assert "status" not in KIND.judge({**widget(), "status": {"phase": 3}}).stored
    assert KIND.judge({**widget(), "status": {"fase": "x"}}).errors[0].field == "status.fase"


CASES: list[tuple[dict[str, Any], list[tuple[str, str, str]]]] = [
    (widget(size="1"), [("spec.size", TYPE, 'Invalid value: "string": spec.size in body must be of type integer: "string"')]),
    (widget(size=1.5), [("spec.size", TYPE, 'Invalid value: "float64": spec.size in body must be of type int32: "float64"'),
                        ("<nil>", INVALID, 'Invalid value: "": Checked value must be of type integer with format int32 in spec.size')]),
    (widget(size=12, mode="Slow"), [("spec.size", INVALID, "Invalid value: 12: spec.size in body should be less than or equal to 11")]),
    (widget(mode="Odd"), [("spec.mode", "FieldValueNotSupported", 'Unsupported value: "Odd": supported values: "Fast", "Slow"')]),
    (widget(note="toolong"), [("spec.note", "FieldValueTooLong", "Too long: may not be more than 6 bytes")]),
    (widget(note="É"), [("spec.note", INVALID, "Invalid value: \"É\": spec.note in body should match '^[a-z]*-?[a-z0-9]*$'")]),
    (widget(ports=[{"name": "a", "port": 1}] * 2), [("spec.ports[1]", "FieldValueDuplicate", 'Duplicate value: {"name":"a"}')]),
    (widget(tags=["a", "b", "a"]), [("spec.tags[2]", "FieldValueDuplicate", 'Duplicate value: "a"')]),
    (widget(selector={"a": "1", "b": "2", "c": "3"}), [("spec.selector", "FieldValueTooMany", "Too many: 3: must have at most 2 items")]),
    (widget(ports=[{"port": 1}]), [("spec.ports[0].name", MISSING, "Required value")]),
    (widget(low=2, high=1), [("spec", INVALID, "Invalid value: low above high")]),
    (widget(size=10), [("spec", INVALID, "Invalid value: size 10")]),
    (widget(share=1.5), [
        ("spec.share", TYPE, 'Invalid value: "number": spec.share in body must be of type integer,string: "number"'),
        ("<nil>", INVALID, 'Invalid value: "": "spec.share" must validate at least one schema (anyOf)'),
        ("spec.share", TYPE, 'Invalid value: "number": spec.share in body must be of type integer: "number"'),
        ("<nil>", INVALID, 'Invalid value: "": Checked value must be of type integer (default format) in spec.share'),
    ]),
    (widget(metadata={}), [("metadata.name", MISSING, "Required value: name or generateName is required")]),
    (widget(object={"apiVersion": "v1"}), [("spec.object.kind", MISSING, "Required value")]),
]  # fmt: skip


@pytest.mark.parametrize(("value", "causes"), CASES, ids=[str(c[1][0][:2]) for c in CASES])
def test_causes(value: dict[str, Any], causes: list[tuple[str, str, str]]) -> None:
    verdict = KIND.judge(value)
    told = [(e.field, e.reason, e.message) for e in verdict.errors if "were not checked" not in e.message]
    assert verdict.code == 422
    assert told == causes


def test_blocking_causes_stop_the_rules_and_others_do_not() -> None:
    stopped = KIND.judge(widget(low=2, high=1, mode="Odd")).errors
    assert [e.field for e in stopped] == ["spec.mode", "<nil>"]
    assert "some validation rules were not checked" in stopped[1].message
    both = KIND.judge(widget(low=2, high=1, tags=["a", "a"])).errors
    assert [e.field for e in both] == ["spec.tags[1]", "spec"]


def test_unknown_fields_hide_other_faults_when_strict() -> None:
    value = widget(size="x", moed="Slow", limits={"cppu": 1})
    strict = KIND.judge(value)
    assert (strict.code, [e.field for e in strict.errors]) == (400, ["spec.limits.cppu", "spec.moed"])
    assert strict.errors[1].pointer == ("spec", "moed")
    assert [e.field for e in KIND.judge(value, strict=False).errors] == ["spec.size", "<nil>"]


def test_whole_floats_are_stored_as_integers_unless_a_rule_reads_them() -> None:
    assert KIND.judge(widget(ports=[{"name": "a", "port": 80.0}])).stored["spec"]["ports"][0]["port"] == 80
    refused = KIND.judge(widget(low=1.0, high=2))
    assert "invalid data, expected int, got float64" in refused.errors[0].message


def test_updates_run_transition_rules_and_let_old_faults_pass() -> None:
    old = widget(frozen="a")
    assert KIND.judge(widget(frozen="a", size=2), old).code == 200
    refused = KIND.judge(widget(frozen="b"), old)
    assert [(e.field, e.message) for e in refused.errors] == [
        ("spec.frozen", 'Invalid value: "b": frozen is immutable')
    ]
    assert KIND.judge(widget(frozen="b")).accepted, "nothing to compare with on create"
    assert KIND.judge(widget(note="NO", size=2), widget(note="NO")).accepted, "an unchanged fault is let pass"
    assert not KIND.judge(widget(note="NEW"), widget(note="NO")).accepted
    renamed = KIND.judge(widget(metadata={"name": "two"}), widget())
    assert [(e.field, e.message) for e in renamed.errors] == [
        ("metadata.name", 'Invalid value: "two": field is immutable')
    ]


@pytest.mark.parametrize(
    ("metadata", "field"),
    [
        ({"name": "A"}, "metadata.name"),
        ({"name": "a" * 254}, "metadata.name"),
        ({"name": "a", "namespace": "a.b"}, "metadata.namespace"),
        ({"name": "a", "labels": {"a/b/c": "x"}}, "metadata.labels"),
        ({"name": "a", "labels": {"k": "-"}}, "metadata.labels"),
        ({"name": "a", "annotations": {"": "x"}}, "metadata.annotations"),
        ({"generateName": "A-"}, "metadata.generateName"),
        ({"name": "a", "colour": "x"}, "metadata.colour"),
        ({"name": 3}, "metadata"),
        ({"name": "a", "labels": {"k": 1}}, "metadata"),
    ],
)
def test_metadata(metadata: dict[str, Any], field: str) -> None:
    verdict = KIND.judge(widget(metadata=metadata))
    assert not verdict.accepted
    assert field in {e.field for e in verdict.errors}


def test_deep_and_odd_values_are_refused_not_crashed_on() -> None:
    deep: Any = {}
    for _ in range(5000):
        deep = {"a": deep}
    verdict = KIND.judge(widget(free=deep))
    assert (verdict.code, verdict.errors[0].reason) == (400, "DecodeError")
    assert not KIND.judge(widget(size=2**80)).accepted
    assert not KIND.judge(widget(size=True)).accepted


def test_facts() -> None:
    assert KIND.field(("spec", "ports")).list_type == "map"
    assert KIND.list_topology(("spec", "ports")) == ("map", ("name",))
    assert KIND.field(("spec", "ports", 0, "protocol")).default == "TCP"
    assert KIND.field(("spec", "free", "x", 0)).known is False
    assert KIND.field(("spec", "nope")) is None
    assert KIND.field(("metadata", "labels", "a/b")).type == "string"
    assert KIND.field(("metadata", "labels")).map_type == "granular"


def test_rules_inside_all_of_run() -> None:
    crd = widget_crd()
    spec = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["allOf"] = [{"x-kubernetes-validations": [{"rule": "self.size != 7", "message": "not seven"}]}]
    builder = PackBuilder()
    assert builder.add(crd) == ()
    found: Any = SchemaSet((builder.pack(),)).kind("example.org/v1", "Widget")
    assert found.judge(widget(size=6)).accepted
    assert [e.message for e in found.judge(widget(size=7)).errors] == ["Invalid value: not seven"]


def test_rules_that_a_version_cannot_compile_are_named() -> None:
    crd = widget_crd()
    spec = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["x-kubernetes-validations"] = [{"rule": "!has(self.note) || isIP(self.note) || true"}]
    builder = PackBuilder()
    assert builder.add(crd) == ()
    old, new = SchemaSet((builder.pack(),), 30), SchemaSet((builder.pack(),), 36)
    assert [d.code for d in rules_out_of_reach(old, targets=["west"])] == ["SP0814"]
    assert rules_out_of_reach(new) == ()
    refused = old.kind("example.org/v1", "Widget").judge(widget())  # type: ignore[union-attr]
    assert "rule compile error" in refused.errors[0].message
