"""What strict decoding refuses, in the server's words, and where it was."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stowplan.schema.builtin import JsonError, decode_json, judge_builtin, judge_builtin_text

MINOR = 36


def pod(**container: Any) -> dict[str, Any]:
    spec = {"containers": [{"name": "c", "image": "i:1", **container}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}


PREFIX = 'Pod in version "v1" cannot be handled as a Pod: '


@pytest.mark.parametrize(
    ("container", "complaint", "field"),
    [
        ({"tty": "yes"}, "string into Go struct field Container.spec.containers.tty of type bool", "tty"),
        ({"args": "a"}, "string into Go struct field Container.spec.containers.args of type []string", "args"),
        ({"args": [1]}, "number into Go struct field Container.spec.containers.args of type string", "args[0]"),
        (
            {"livenessProbe": {"periodSeconds": 1.5}},
            "number 1.5 into Go struct field Probe.spec.containers.livenessProbe.periodSeconds of type int32",
            "livenessProbe.periodSeconds",
        ),
        (
            {"livenessProbe": {"httpGet": {"port": True}}},
            "bool into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port"
            " of type int32",
            "livenessProbe.httpGet.port",
        ),
        (
            {"ports": [{"containerPort": 2**31}]},
            "number 2147483648 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32",
            "ports[0].containerPort",
        ),
        (
            {"resources": []},
            "array into Go struct field Container.spec.containers.resources of type v1.ResourceRequirements",
            "resources",
        ),
    ],
)
def test_wrong_types(container: dict[str, Any], complaint: str, field: str) -> None:
    verdict = judge_builtin(pod(**container), MINOR)
    assert verdict.code == 400
    (error,) = verdict.errors
    assert error.message == f"{PREFIX}json: cannot unmarshal {complaint}"
    assert error.field == f"spec.containers[0].{field}"
    assert error.pointer[:3] == ("spec", "containers", 0)


def test_quantities_stop_the_decoder() -> None:
    verdict = judge_builtin(pod(resources={"limits": {"cpu": "1x"}}, tty="yes"), MINOR)
    assert [error.pointer[-1] for error in verdict.errors] == ["cpu"]


def test_unknown_members_are_all_named() -> None:
    verdict = judge_builtin(pod(Image="x", nope=1), MINOR)
    assert verdict.code == 400
    assert [error.message.rpartition(": ")[2] for error in verdict.errors] == [
        'unknown field "spec.containers[0].Image"',
        'unknown field "spec.containers[0].nope"',
    ]


def test_a_lenient_server_warns() -> None:
    verdict = judge_builtin(pod(nope=1), MINOR, strict=False)
    assert verdict.code == 201
    assert verdict.warnings == ('unknown field "spec.containers[0].nope"',)
    assert verdict.stored is not None
    assert "nope" not in verdict.stored["spec"]["containers"][0]


def test_repeated_keys_are_faults_of_the_text() -> None:
    text = json.dumps(pod()).replace('"image": "i:1"', '"image": "i:1", "image": "i:2"')
    verdict = judge_builtin_text(text.encode(), MINOR)
    assert [error.message.rpartition(": ")[2] for error in verdict.errors] == [
        'duplicate field "spec.containers[0].image"'
    ]
    assert judge_builtin_text(text.encode(), MINOR, strict=False).accepted


@pytest.mark.parametrize("spelling", ["1.0", "1E2", "1e0"])
def test_whole_numbers_must_be_spelt_as_such(spelling: str) -> None:
    text = json.dumps(pod(ports=[{"containerPort": 4711}])).replace("4711", spelling)
    (error,) = judge_builtin_text(text.encode(), MINOR).errors
    assert f"cannot unmarshal number {spelling} into" in error.message


@pytest.mark.parametrize(
    "text", ["", "{", "[1,]", '{"a":1}x', '{"a":NaN}', "{'a':1}", "{/**/}", '{"a":01}', '"\t"', "[" * 100_000]
)
def test_what_is_no_json(text: str) -> None:
    with pytest.raises(JsonError):
        decode_json(text.encode())
    assert judge_builtin_text(text.encode(), MINOR).code == 400


def test_lone_surrogates_and_bad_utf8_become_replacement_characters() -> None:
    assert decode_json(b'{"a":"\\ud800","b":"\xff"}').value == {"a": "\ufffd", "b": "\ufffd"}


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ([], 400),
        ({}, 400),
        ({"apiVersion": 1, "kind": "Pod"}, 400),
        ({"apiVersion": "v1", "kind": "Nothing"}, 404),
        ({"apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup"}, 404),
        ({"apiVersion": "v1", "kind": "Pod", "metadata": []}, 400),
        ({"apiVersion": "v1", "kind": "Pod", "metadata": {"creationTimestamp": "now"}}, 400),
    ],
)
def test_objects_that_are_none(value: Any, code: int) -> None:
    assert judge_builtin(value, MINOR).code == code


def test_the_schema_of_a_custom_resource_is_read_leniently_below_its_alternatives() -> None:
    inner = {"type": "array", "items": {"type": "string", "nope": 1}}
    schema = {"type": "object", "properties": {"a": inner}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    spec = {"group": "e.org", "scope": "Cluster", "names": {"plural": "things", "kind": "Thing"}, "versions": [version]}
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.e.org"},
        "spec": spec,
    }
    assert judge_builtin(crd, MINOR).code != 400
    schema["nope"] = 1
    assert judge_builtin(crd, MINOR).code == 400


def test_deep_objects_are_refused_in_bounded_time() -> None:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(5000):
        schema = {"type": "object", "properties": {"a": schema}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "a"},
        "spec": {"versions": [version]},
    }
    assert judge_builtin(crd, MINOR).code == 400
