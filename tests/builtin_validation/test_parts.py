"""The pieces that rules are made of: syntax, quantities, schedules, places and wording."""

from __future__ import annotations

import timeit
from fractions import Fraction

import pytest
from builtin_validation_samples import MINOR, changed

from stowplan.schema.builtin.validation import names as syntax
from stowplan.schema.builtin.validation import validate_create, validate_update
from stowplan.schema.builtin.validation.percentages import amount_of
from stowplan.schema.builtin.validation.pointers import locate
from stowplan.schema.builtin.validation.quantities import quantity
from stowplan.schema.builtin.validation.report import Report, Struct, go_json, go_quote

LONG = "a" * 64


@pytest.mark.parametrize(
    ("function", "good", "bad"),
    [
        ("dns_label", ["a", "0a", "a-b", "a" * 63], ["", "A", "a.b", "-a", LONG, "ü"]),
        ("dns_subdomain", ["a", "a.b", "1.2"], ["", "a..b", ".a", "a_b", "a" * 254]),
        ("dns_label_1035", ["a", "a1"], ["1a", "", "a."]),
        ("qualified_name", ["a", "A_b.c", "example.com/a"], ["", "/a", "a/", "a/b/c", "A.b/c d", LONG]),
        ("label_value", ["", "a", "A-1_b"], ["-a", "a b", LONG]),
        ("config_key", ["a", ".a", "A_b-c"], ["", ".", "..", "..a", "a/b"]),
        ("port_name", ["http", "a-1"], ["", "1", "a--b", "-a", "much-too-long-name", "A"]),
        ("path_segment", ["a", "system:a"], [".", "..", "a/b", "a%b"]),
        ("wildcard_subdomain", ["*.a.b"], ["*", "a.b", "*a.b"]),
    ],
)
def test_syntax(function: str, good: list[str], bad: list[str]) -> None:
    check = getattr(syntax, function)
    assert [text for text in good if check(text)] == []
    assert [text for text in bad if not check(text)] == []


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", 1),
        ("100m", Fraction(1, 10)),
        ("1Ki", 1024),
        ("1.5Gi", 1536 * 1024**2),
        ("-2k", -2000),
        ("1e3", 1000),
        ("12E-1", Fraction(6, 5)),
        (".5", Fraction(1, 2)),
        (None, 0),
    ],
)
def test_quantity(text: str | None, number: Fraction | int) -> None:
    assert quantity(text) == number


def test_percentages() -> None:
    assert [amount_of(value) for value in (3, "25%", None, "x")] == [3, 25, 0, 0]


@pytest.mark.parametrize(
    ("schedule", "good"),
    [
        ("0 3 * * 1-5", True),
        ("@daily", True),
        ("@every 1h", True),
        ("*/15 0 1,15 JAN mon", True),
        ("* * * *", False),
        ("60 * * * *", False),
        ("* * 0 * *", False),
        ("a * * * *", False),
        ("5-1 * * * *", False),
        ("*/0 * * * *", False),
        ("TZ=UTC 0 3 * * *", False),
    ],
)
def test_schedule(schedule: str, good: bool) -> None:
    causes = validate_create(changed("CronJob", ("spec.schedule", schedule)), MINOR)
    assert (causes == []) == good, causes


def test_places() -> None:
    value = {"spec": {"containers": [{"ports": [{}, {}]}], "hard": {"a.b/c": "1"}}}
    assert locate(value, "spec.containers[0].ports[1].name") == ("spec", "containers", 0, "ports", 1, "name")
    assert locate(value, "spec.hard[a.b/c]") == ("spec", "hard", "a.b/c")


def test_places_that_all_versions_of_a_definition_share() -> None:
    schema = {"openAPIV3Schema": {"properties": {"spec": {"type": "object"}}}}
    version = {"schema": schema, "additionalPrinterColumns": [{"name": "a"}]}
    value = {"spec": {"versions": [version, version]}}
    first = ("spec", "versions", 0)
    place = "spec.validation.openAPIV3Schema.properties[spec].type"
    assert locate(value, place) == (*first, "schema", "openAPIV3Schema", "properties", "spec", "type")
    assert locate(value, "spec.additionalPrinterColumns[0].name") == (*first, "additionalPrinterColumns", 0, "name")
    assert locate(value, "spec.versions[1].schema") == ("spec", "versions", 1, "schema")
    for other in ({"spec": {}}, {"spec": {"versions": []}}, {"spec": {"versions": "v1"}}):
        assert locate(other, place) == ("spec", "validation")


def test_causes_carry_places() -> None:
    cause = validate_create(changed("Service", ("spec.ports.0.port", 0)), MINOR)[0]
    assert (cause.field, cause.pointer) == ("spec.ports[0].port", ("spec", "ports", 0, "port"))


def test_wording() -> None:
    assert go_quote('a"b\n') == '"a\\"b\\n"'
    assert go_json({"b": "<", "a": 1}) == '{"a":1,"b":"\\u003c"}'
    report = Report()
    report.invalid("a", [Struct(B=1, A=None)], "no")
    report.unsupported("b", "x", ("y", "z"))
    assert [cause.message for cause in report.errors] == [
        'Invalid value: [{"B":1,"A":null}]: no',
        'Unsupported value: "x": supported values: "y", "z"',
    ]


def test_speed() -> None:
    """A Deployment takes some 20 microseconds; the bound leaves room for slow machines."""
    value = changed("Deployment")
    for judged in (lambda: validate_create(value, MINOR), lambda: validate_update(value, value, MINOR)):
        taken = min(timeit.repeat(judged, number=500, repeat=5)) / 500
        print(f"{taken * 1e6:.1f} us")
        assert taken < 400e-6
