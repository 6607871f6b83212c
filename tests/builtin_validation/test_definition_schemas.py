"""The schema inside a CustomResourceDefinition: what is put into it, and all that is reported of it."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from builtin_validation_samples import MINOR, SAMPLES

from stowplan.schema.builtin import judge_builtin

ROOT = "spec.validation.openAPIV3Schema"
SPEC = f"{ROOT}.properties[spec]"
N = f"{SPEC}.properties[n]"

CASES: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
    ({}, []),
    ({"type": "integer", "default": 3}, []),
    ({"type": "integer", "maximum": 2, "default": 3}, [(f"{N}.default", "should be less than or equal to 2")]),
    ({"type": "string", "default": 3}, [(f"{N}.default", 'must be of type string: "integer"')]),
    ({"type": "object", "default": {"a": 1}}, [(f"{N}.default", "must not have unknown fields")]),
    (
        {"type": "integer", "default": 3, "x-kubernetes-validations": [{"rule": "self > 5"}]},
        [(f"{N}.default", "failed rule: self > 5")],
    ),
    ({"x-kubernetes-int-or-string": True, "default": {"a": 1}}, [(f"{N}.default", "must not have unknown fields")]),
    ({"type": "string", "id": "x"}, [(f"{N}.id", "id is not supported")]),
    ({"type": "string", "$schema": "x"}, [(ROOT, "OpenAPIV3Schema 'schema' is not supported")]),
    ({}, []),
    ({"type": "widget"}, [(f"{N}.type", 'Unsupported value: "widget"')]),
    ({"type": ""}, [(f"{N}.type", "must not be empty for specified object fields")]),
    ({"type": "integer", "x-kubernetes-int-or-string": True}, []),
    ({"type": "array"}, [(f"{N}.items", "must be specified")]),
    (
        {"type": "integer", "allOf": [{"type": "integer", "default": 1}]},
        [
            (f"{N}.allOf[0].type", "must be empty to be structural"),
            (f"{N}.allOf[0].default", "must be undefined to be structural"),
        ],
    ),
    (
        {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["a", "a"],
            "items": {"type": "object", "properties": {"a": {"type": "object"}}},
        },
        [
            (f"{N}.items.properties[a].type", "must be a scalar type"),
            (f"{N}.items.properties[a].type", "must be a scalar type"),
            (f"{N}.x-kubernetes-list-map-keys", "must not contain duplicate entries"),
            (f"{N}.items.properties[a].default", "must have a default or be a required property"),
            (f"{N}.items.properties[a].default", "must have a default or be a required property"),
        ],
    ),
    (
        {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object", "nullable": True}},
        [
            (f"{N}.items.x-kubernetes-map-type", "must be atomic as item of a list"),
            (f"{N}.items.nullable", "cannot be nullable when x-kubernetes-list-type is set"),
        ],
    ),
    (
        {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 0", "messageExpression": "1 + 1"}]},
        [(f"{N}.x-kubernetes-validations[0].messageExpression", "messageExpression must evaluate to a string")],
    ),
    (
        {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 0", "messageExpression": "a"}]},
        [(f"{N}.x-kubernetes-validations[0].messageExpression", "messageExpression compilation failed")],
    ),
    (
        {"type": "array", "items": {"type": "integer", "x-kubernetes-validations": [{"rule": "self > oldSelf"}]}},
        [(f"{N}.items.x-kubernetes-validations[0].rule", f"uncorrelatable portion of the schema within {N}")],
    ),
]


def definition(schema: dict[str, Any], root: dict[str, Any] | None = None, **version: Any) -> dict[str, Any]:
    value = copy.deepcopy(SAMPLES["Definition"])
    whole = value["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    whole |= root or {}
    whole["properties"]["spec"]["properties"]["n"] = schema or {"type": "integer"}
    value["spec"]["versions"][0] |= version
    return value


def reported(value: dict[str, Any]) -> list[tuple[str, str]]:
    return [(error.field, error.message) for error in judge_builtin(value, MINOR).errors]


def assert_same(found: list[tuple[str, str]], wanted: list[tuple[str, str]]) -> None:
    assert sorted(field for field, _ in found) == sorted(field for field, _ in wanted), found
    for field, part in wanted:
        assert any(place == field and part in text for place, text in found), found


@pytest.mark.parametrize(("schema", "wanted"), CASES, ids=lambda value: str(value)[:60])
def test_members(schema: dict[str, Any], wanted: list[tuple[str, str]]) -> None:
    assert_same(reported(definition(schema)), wanted)


@pytest.mark.parametrize(
    ("root", "wanted"),
    [
        ({"nullable": True}, [(ROOT, "fields are allowed at"), (f"{ROOT}.nullable", "nullable cannot be true at the root")]),
        ({"minProperties": 1}, [(ROOT, "fields are allowed at the root of the schema")]),
        ({"default": {}}, [(ROOT, "fields are allowed at"), (f"{ROOT}.default.apiVersion", "Required"), (f"{ROOT}.default.kind", "Required")]),
        ({"minItems": 1, "description": "things"}, []),
    ],
    ids=str,
)  # fmt: skip
def test_a_root_whose_status_is_apart(root: dict[str, Any], wanted: list[tuple[str, str]]) -> None:
    assert_same(reported(definition({}, root, subresources={"status": {}})), wanted)


def test_alternatives_of_the_root_speak_of_what_is_there() -> None:
    found = reported(definition({}, {"anyOf": [{"properties": {"other": {}}}, {"properties": {"spec": {}}}]}))
    detail = f"because it is defined in {ROOT}.anyOf[0].properties[other]"
    assert found == [(f"{ROOT}.properties[other]", f"Required value: {detail}")]


def test_defaults_of_metadata_are_not_for_definitions_to_say() -> None:
    value = definition({})
    properties = value["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    properties["metadata"] = {"type": "object", "properties": {"name": {"type": "string", "default": "x"}}}
    where = f"{ROOT}.properties[metadata].properties[name].default"
    assert (where, "Forbidden: must not be set in top-level metadata") in reported(value)


def test_a_schema_that_is_nested_without_end_is_refused() -> None:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(150):
        schema = {"type": "object", "properties": {"a": schema}}
    assert any("nested too deeply" in text for _, text in reported(definition(schema)))
