"""`schema`: every document of the example validates, every field is described, and what is wrong is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from conftest import EXAMPLE, Ran

from stowplan.model.inputs.json_schema import json_schema
from stowplan.model.inputs.kinds import SPEC_BY_KIND
from stowplan.resources import builtin_folder

ROOTS: list[Path] = [EXAMPLE / "fleet", EXAMPLE / "policies", builtin_folder("init")]
DOCUMENTS = [
    pytest.param(document, id=f"{path.name}:{document['kind']}/{document['metadata']['name']}")
    for root in ROOTS
    for path in sorted(root.rglob("*.yaml"))
    for document in yaml.safe_load_all(path.read_text())
]


@pytest.fixture(scope="module")
def validators() -> dict[str | None, Any]:
    made = {}
    for kind in (None, *SPEC_BY_KIND):
        schema = json_schema(kind)
        jsonschema.Draft202012Validator.check_schema(schema)
        made[kind] = jsonschema.Draft202012Validator(schema)
    return made


@pytest.mark.parametrize("document", DOCUMENTS)
def test_document_validates(document: dict[str, Any], validators: dict[str | None, Any]) -> None:
    for kind in (document["kind"], None):
        assert [error.message for error in validators[kind].iter_errors(document)] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_unknown_fields_are_refused(document: dict[str, Any], validators: dict[str | None, Any]) -> None:
    validator = validators[document["kind"]]
    assert not validator.is_valid({**document, "spec": {**document["spec"], "nosuch": 1}})
    assert not validator.is_valid({**document, "nosuch": 1})
    assert not validator.is_valid({**document, "kind": "Nosuch"})


def fields(schema: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(schema, dict):
        for name, field in schema.get("properties", {}).items():
            yield f"{path}.{name}", field
        for key, part in schema.items():
            yield from fields(part, f"{path}.{key}")
    elif isinstance(schema, list):
        for part in schema:
            yield from fields(part, path)


@pytest.mark.parametrize("kind", SPEC_BY_KIND)
def test_every_field_is_described(kind: str) -> None:
    schema = json_schema(kind)
    spec = schema["properties"]["spec"]
    found = dict(fields({"spec": spec, "$defs": schema["$defs"]}))
    assert found
    assert [path for path, field in found.items() if not field.get("description")] == []
    assert schema["description"]


def test_command(run: Callable[..., Ran]) -> None:
    assert json.loads(run("schema", "Cluster").out)["title"] == "Cluster"
    everything = json.loads(run("schema").out)
    assert [part["title"] for part in everything["oneOf"]] == sorted(SPEC_BY_KIND)
