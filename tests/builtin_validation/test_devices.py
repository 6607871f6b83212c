"""Rules of devices, one broken rule per case: where the sample is changed, and all that is reported."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from builtin_validation_samples import MINOR, put

from stowplan.schema.builtin import judge_builtin

SHARED: dict[str, Any] = {
    "value": "80Gi",
    "requestPolicy": {"default": "2Gi", "validRange": {"min": "1Gi", "max": "8Gi", "step": "1Gi"}},
}
SLICE: dict[str, Any] = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceSlice",
    "metadata": {"name": "node-1"},
    "spec": {
        "driver": "gpu.example.com",
        "nodeName": "node-1",
        "pool": {"name": "node-1", "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": "gpu-0", "allowMultipleAllocations": True, "capacity": {"memory": SHARED}}],
    },
}
CLAIM: dict[str, Any] = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceClaim",
    "metadata": {"name": "one", "namespace": "team-a"},
    "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}]}},
}
D = "spec.devices[0]"
POLICY = f"{D}.capacity[memory].requestPolicy"

SLICES: list[tuple[str, Any, list[tuple[str, str]]]] = [
    ("devices.0.name", "gpu-1", []),
    ("devices.0.allowMultipleAllocations", False, [(POLICY, "allowMultipleAllocations must be true")]),
    (
        "devices.0.capacity.memory.requestPolicy.validValues",
        ["2Gi"],
        [(POLICY, 'cannot specify "validValues" and "validRange" at the same time')],
    ),
    (
        "devices.0.capacity.memory.requestPolicy",
        {"default": "3Gi", "validValues": ["2Gi", "1Gi", "1Gi", "90Gi"]},
        [
            (f"{POLICY}.validValues[1]", "sorted in ascending order"),
            (f"{POLICY}.validValues[3]", "option is larger than capacity value: 80Gi"),
            (f"{POLICY}.validValues[2]", 'Duplicate value: "1073741824"'),
            (f"{POLICY}.validValues", '"3Gi": default value is not valid'),
        ],
    ),
    ("devices.0.capacity.memory.requestPolicy.default", None, [(f"{POLICY}.default", "when validRange is defined")]),
    (
        "devices.0.capacity.memory.requestPolicy.validRange",
        {"min": "4Gi", "max": "3Gi"},
        [
            (f"{POLICY}.validRange.min", '"2Gi": default is less than min: 4Gi'),
            (f"{POLICY}.validRange.max", '"4Gi": min is larger than max: 3Gi'),
        ],
    ),
    (
        "devices.0.capacity.memory.requestPolicy.validRange",
        {"min": "1Gi", "max": "4Gi", "step": "80Gi"},
        [
            (f"{POLICY}.validRange.step", "one step 81Gi is larger than capacity value: 80Gi"),
            (f"{POLICY}.validRange.step", '"2Gi": value is not a multiple'),
            (f"{POLICY}.validRange.step", '"4Gi": value is not a multiple'),
        ],
    ),
    (
        "devices.0.bindingConditions",
        ["ready", "ready"],
        [
            (f"{D}.bindingConditions[1]", "Duplicate value"),
            (f"{D}.bindingFailureConditions", "required to use bindingConditions"),
        ],
    ),
    ("devices.0.nodeName", "node-2", [(D, "can only be set if `perDeviceNodeSelection`")]),
    (
        "nodeSelector",
        {"nodeSelectorTerms": []},
        [
            ("spec.nodeSelector.nodeSelectorTerms", "at least one node selector term"),
            ("spec.nodeSelector.nodeSelectorTerms", "Invalid value: []: must have exactly one"),
            ("spec", "but multiple fields are set"),
        ],
    ),
]

CLAIMS: list[tuple[str, Any, list[tuple[str, str]]]] = [
    ("requests.0.name", "gpu-2", []),
    (
        "requests.0.firstAvailable",
        [{"name": "Bad Name"}],
        [("spec.devices.requests[0]", "but multiple fields are set")],
    ),
    (
        "config",
        [{"opaque": {"driver": "gpu.example.com", "parameters": 1}}],
        [("spec.devices.config[0].opaque.parameters", '"<value omitted>": must be a valid JSON object')],
    ),
    (
        "constraints",
        [{"requests": ["a/b/c"], "matchAttribute": "/x"}],
        [
            ("spec.devices.constraints[0].requests[0]", "must be the name of a request"),
            ("spec.devices.constraints[0].matchAttribute", 'Invalid value: "": the domain must not be empty'),
        ],
    ),
    (
        "requests.0.exactly.tolerations",
        [{"operator": "Never"}] * 17,
        [("spec.devices.requests[0].exactly.tolerations", "Too many: 17")],
    ),
]


def reported(sample: dict[str, Any], path: str, value: Any) -> list[tuple[str, str]]:
    changed = copy.deepcopy(sample)
    put(changed, path, value)
    return [(error.field, error.message) for error in judge_builtin(changed, MINOR).errors]


def assert_same(found: list[tuple[str, str]], wanted: list[tuple[str, str]]) -> None:
    assert [field for field, _ in found] == [field for field, _ in wanted]
    assert [text for (_, text), (_, part) in zip(found, wanted, strict=True) if part not in text] == []


@pytest.mark.parametrize(("path", "value", "wanted"), SLICES)
def test_slices(path: str, value: Any, wanted: list[tuple[str, str]]) -> None:
    assert_same(reported(SLICE, f"spec.{path}", value), wanted)


@pytest.mark.parametrize(("path", "value", "wanted"), CLAIMS)
def test_claims(path: str, value: Any, wanted: list[tuple[str, str]]) -> None:
    assert_same(reported(CLAIM, f"spec.devices.{path}", value), wanted)
