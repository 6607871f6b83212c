"""The check of a shape gives what judging each of its objects gives."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stowplan.schema.builtin import judge_builtin, normalise_builtin
from stowplan.schema.builtin.specialise import specialise_builtin
from stowplan.source.yaml_writer import WriteError
from stowplan.templates.fill import FillError
from stowplan.templates.shape import Hole, Joined, Shape

MINOR = 36


def deployment() -> dict[Any, Any]:
    labels = {"app": Hole(0), "team": Hole(1), "app.kubernetes.io/name": "web"}
    container = {
        "name": Hole(2),
        "image": Joined((Hole(3), ":", Hole(4))),
        "args": [Joined(("--name=", Hole(0))), Hole(5)],
        "env": [{"name": "A", "value": Hole(5)}, {"name": "B", "value": "1"}],
        "resources": {"limits": {"cpu": Hole(6), "memory": "1Gi"}},
        "volumeMounts": [{"name": Hole(8), "mountPath": "/data"}],
        "ports": [{"name": Hole(9), "containerPort": 80}],
    }
    spec = {
        "containers": [container, {"name": "sidecar", "image": "proxy:1"}],
        "volumes": [{"name": Hole(8), "configMap": {"name": Joined((Hole(0), "-config"))}}],
        "serviceAccountName": Hole(2),
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": Hole(0), "namespace": Hole(1), "labels": labels, "annotations": {"note": Hole(5)}},
        "spec": {
            "replicas": Hole(7),
            "selector": {"matchLabels": {"app": Hole(0)}},
            "template": {"metadata": {"labels": labels}, "spec": spec},
        },
    }


def stateful_set() -> dict[Any, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": Joined((Hole(0), "-", Hole(1)))},
        "spec": {
            "serviceName": Hole(2),
            "selector": {"matchLabels": {"app": Hole(3)}},
            "template": {
                "metadata": {"labels": {"app": Hole(4)}},
                "spec": {"containers": [{"name": Hole(5), "image": "a:1"}], "terminationGracePeriodSeconds": Hole(7)},
            },
        },
    }


def spread() -> dict[Any, Any]:
    """Holes in places of full weight, whole maps among them, beside names and labels that may equal them."""
    constraint = {
        "maxSkew": 1,
        "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": Hole(3)}},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": Hole(0)},
        "spec": {
            "selector": {"matchLabels": {"app": Hole(0)}},
            "template": {
                "metadata": {"labels": Hole(1)},
                "spec": {
                    "containers": [{"name": Hole(2), "image": "a:1"}, {"name": Hole(0), "image": "b:1"}],
                    "topologySpreadConstraints": [constraint],
                    "hostname": Hole(2),
                },
            },
        },
    }


def service() -> dict[Any, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": Hole(0), "labels": {"a": Hole(1)}},
        "spec": {
            "selector": {"app": Hole(2)},
            "ports": [{"port": Hole(7), "name": Hole(3)}, {"port": 81, "name": "b"}],
        },
    }


def config_map() -> dict[Any, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": Hole(0), "annotations": {"kubernetes.io/x": Hole(1), "y": Hole(2)}},
        "data": {"key": Hole(3), Hole(4): "value"},
    }


def priority_class() -> dict[Any, Any]:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": Hole(0)},
        "value": Hole(7),
    }


def controller() -> dict[Any, Any]:
    """Labels and selector are copied from the template, target ports from ports."""
    template = {"metadata": {"labels": {"app": Hole(0)}}, "spec": {"containers": [{"name": "c", "image": Hole(4)}]}}
    return {
        "apiVersion": "v1",
        "kind": "ReplicationController",
        "metadata": {"name": Hole(1)},
        "spec": {"template": template},
    }


TREES = {
    "controller": controller(),
    "deployment": deployment(),
    "stateful set": stateful_set(),
    "spread": spread(),
    "service": service(),
    "config map": config_map(),
    "priority class": priority_class(),
}
SHAPES = {name: (shape := Shape(tree, 10), specialise_builtin(shape, MINOR)) for name, tree in TREES.items()}

LONG = ["x" * 40, "x" * 41, "y" * 63, "z" * 64, "e" * 254]
ODD = ["Web", "a.b", "-a", "a_b", "1a", "", " a", "a ", "a/b", "A", "note\nmore", "é"]
WORDS = st.sampled_from(["web", "sidecar", "a", "b", "default", "latest", "1", "0", "500m", "1Gi", "-1", *LONG, *ODD])
NUMBERS = st.sampled_from([0, 1, 2, 80, 81, 65536, -1, 2**31, 1.5, True])
VALUES = st.one_of(
    WORDS,
    WORDS,
    WORDS,
    NUMBERS,
    st.just(None),
    st.just([]),
    st.sampled_from([{"a": "b"}, {"app": "web"}, {"app": "api"}]),
)
GOOD = st.tuples(
    *[st.sampled_from(["web", "api", "db", "cache", "sidecar"])] * 3,
    st.sampled_from(["registry.example.com/a", "b"]),
    st.sampled_from(["1", "latest"]),
    st.text(max_size=8).filter(lambda text: "\x00" not in text and text.isprintable()),
    st.sampled_from(["1", "500m"]),
    st.sampled_from([1, 2, 3]),
    st.sampled_from(["data", "web", "api"]),
    st.sampled_from(["http", "web"]),
)


def normal(value: Any) -> Any:
    try:
        return normalise_builtin(value, MINOR)
    except ValueError:
        return value


def expect_the_same(name: str, values: tuple[Any, ...]) -> None:
    shape, check = SHAPES[name]
    try:
        value = shape.build(values)
    except (FillError, WriteError) as problem:  # what cannot be built cannot be checked either, for the same reason
        for ask in (check.check, check.stored, check.is_fixed_point):
            with pytest.raises(type(problem)):
                ask(values)
        return
    for _ in range(2):  # remembered or not
        assert check.check(values) == judge_builtin(value, MINOR).errors
        assert check.stored(values) == normal(value)
        assert check.is_fixed_point(values) == (value == normal(value))


@settings(max_examples=120, deadline=None, derandomize=True)
@given(st.sampled_from(sorted(TREES)), GOOD, st.lists(st.tuples(st.integers(0, 9), VALUES), max_size=2))
def test_a_shape_is_checked_as_its_objects_are(
    name: str, good: tuple[Any, ...], changes: list[tuple[int, Any]]
) -> None:
    values = list(good)
    if name == "spread":
        values[1] = {"app": good[1]}
    for index, value in changes:
        values[index] = value
    expect_the_same(name, tuple(values))


def test_objects_that_differ_in_names_only_are_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from stowplan.schema.builtin import specialise

    judged = []
    real = specialise.judge_builtin
    monkeypatch.setattr(
        specialise, "judge_builtin", lambda value, minor, **how: (judged.append(1), real(value, minor, **how))[1]
    )
    check = specialise_builtin(Shape(deployment(), 10), MINOR)
    for number in range(50):
        name = f"worker-{number}"
        values = (name, "team", "main", "img", f"v{number}", f"text {number}", "1", 2, f"vol-{number}", "http")
        assert check.check(values) == ()
    assert len(judged) == 1
    assert check.check(("UPPER", "team", "main", "img", "v1", "t", "1", 2, "vol", "http")) != ()


def test_an_equal_name_is_noticed() -> None:
    check = specialise_builtin(Shape(deployment(), 10), MINOR)
    good = ("web-1", "team", "main", "img", "v1", "t", "1", 2, "vol", "http")
    assert check.check(good) == ()
    twice = check.check((*good[:2], "sidecar", *good[3:]))
    assert [error.reason for error in twice] == ["FieldValueDuplicate"]
