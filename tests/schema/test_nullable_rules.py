"""A declared field that holds null is absent for rules; items of lists and values of maps that are null are there."""

from __future__ import annotations

import pytest

from stowplan.schema.importing import import_text
from stowplan.schema.sets import SchemaSet

DEFINITION = """apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: things, singular: thing, kind: Thing, listKind: ThingList}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              x-kubernetes-validations: [{rule: "RULE"}]
              properties:
                maybe: {type: string, nullable: true}
                inner: {type: object, nullable: true, properties: {n: {type: integer}}}
                map: {type: object, additionalProperties: {type: string, nullable: true}}
                list: {type: array, items: {type: string, nullable: true}}
"""
NULLS = {"maybe": None, "inner": None, "map": {"a": None}, "list": [None]}
HOLDS = [
    "!has(self.maybe)",
    "!self.?maybe.hasValue()",
    "self.?maybe.orValue('z') == 'z'",
    "!has(self.inner)",
    "!self.?inner.?n.hasValue()",
    "self.?inner.n.orValue(3) == 3",
    "has(self.map.a)",
    "'a' in self.map",
    "self.map.a != 'x'",
    "self.list.size() == 1",
    "self.list[0] != 'x'",
    "self == self",
]
REFUSED = {
    "self.maybe == 'x'": "no such key: maybe",
    "self.maybe != 'x'": "no such key: maybe",
    "has(self.inner.n)": "no such key: inner",
    "self.inner.n == 1": "no such key: inner",
}


def judge(rule: str, spec: dict[str, object]) -> tuple[str, ...]:
    outcome = import_text(DEFINITION.replace("RULE", rule), "thing.yaml", "thing")
    kind = SchemaSet((outcome.value,), 36).kind("example.com/v1", "Thing")
    assert kind is not None
    document = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": spec}
    return tuple(error.message for error in kind.judge(document).errors)


@pytest.mark.parametrize("rule", HOLDS)
def test_null_counts_as_absent(rule: str) -> None:
    assert judge(rule, NULLS) == ()


@pytest.mark.parametrize("rule", REFUSED)
def test_null_cannot_be_read(rule: str) -> None:
    [message] = judge(rule, NULLS)
    assert REFUSED[rule] in message


def test_a_value_can() -> None:
    assert (
        judge(
            "has(self.maybe) && self.maybe == 'x' && self.?inner.?n.orValue(0) == 2", {"maybe": "x", "inner": {"n": 2}}
        )
        == ()
    )
