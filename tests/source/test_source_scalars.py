"""Plain scalars: accepted where all readers agree, refused with their readings where they do not."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import pytest
import yaml
from ruamel.yaml import YAML

from stowplan.source.scalars import Refused, readings, resolve_plain

ACCEPTED = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "FALSE": False,
    "0": 0, "-0": 0, "7": 7, "+5": 5, "-12": -12, "0x1F": 31, "00": 0,
    "9223372036854775807": 2**63 - 1, "-9223372036854775808": -(2**63),
    "1.5": 1.5, "-1.5": -1.5, "1.": 1.0, ".5": 0.5, "1.5e+3": 1500.0, "2.0E-3": 0.002, "13.0": 13.0, "012.5": 12.5,
    "text": "text", "v1.36.3": "v1.36.3", "1.2.3": "1.2.3", "580.82.07": "580.82.07", "64Gi": "64Gi", "100m": "100m",
    "2h": "2h", "tRue": "tRue", "nan": "nan", "inf": "inf", "Infinity": "Infinity", "-": "-", ".": ".", "+": "+", "-x": "-x",
    "8080:80": "8080:80", "nope": "nope", "None": "None", "nO": "nO", "0x": "0x", "..": "..", "b1": "b1", "_1": "_1",
    "=1": "=1", "<": "<", "<<<": "<<<", "sha256:12": "sha256:12", "10:": "10:", "2026-13": "2026-13",
}  # fmt: skip

AMBIGUOUS = [
    "yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF", "y", "Y", "n", "N",
    "012", "-012", "0777", "08", "09", "0o14", "0O14", "0b1", "0B1", "0X1F", "-0x1F", "+0x1F", "1_000", "1__0", "0_", "+_1",
    "1:30", "1:30:45", "10:22", "-1:30", "0:0", "1:30.5", "1e3", "1E3", "12e5", "0e0", "1.5e3", ".5e3", "-.5", "+.5", "1e+3",
    "1_0.5", ".5_0", "2026-11-01", "2026-1-1", "2026-11-29T06:00:00Z", "2026-11-29 06:00:00", "2026-11-29t06:00:00.5+01:00",
    "=", "<<",
]  # fmt: skip

NUMBERS = [".inf", "-.inf", "+.Inf", ".INF", ".nan", ".NaN", ".NAN", "9223372036854775808", "-9223372036854775809",
           "18446744073709551616", "1.0e+999", "-1.5e+400", "0x8000000000000000"]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), ACCEPTED.items())
def test_accepted(text: str, value: object) -> None:
    resolved = resolve_plain(text)
    assert type(resolved) is type(value) and resolved == value


@pytest.mark.parametrize("text", AMBIGUOUS)
def test_ambiguous(text: str) -> None:
    refused = resolve_plain(text)
    assert isinstance(refused, Refused) and not refused.number
    assert len(set(refused.readings)) > 1


@pytest.mark.parametrize("text", NUMBERS)
def test_unrepresentable(text: str) -> None:
    refused = resolve_plain(text)
    assert isinstance(refused, Refused) and refused.number


ALPHABET = ["", "0", "1", "8", "-", "+", ".", "_", ":", "e", "x", "o", "b", "E", "T", "-01-02", "inf", "y"]


def spellings() -> list[str]:
    """Every text of up to three of the pieces that numbers, dates and switches are made of."""
    return sorted({"".join(parts) for parts in product(ALPHABET, repeat=3)})


def same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one) and math.isnan(other):
        return True
    return type(one) is type(other) and one == other


def test_what_is_accepted_reads_the_same_in_pyyaml_and_ruamel() -> None:
    """Both are real readers of other authors: of YAML 1.1 and of YAML 1.2."""
    new = YAML(typ="safe", pure=True)
    checked = 0
    for text in spellings():
        value = resolve_plain(text)
        if isinstance(value, Refused):
            continue
        try:
            events = list(yaml.parse(text, Loader=yaml.CSafeLoader))
        except yaml.YAMLError:
            continue
        scalar = events[2] if len(events) > 2 else None
        if len(events) != 5 or not isinstance(scalar, yaml.ScalarEvent) or scalar.value != text:
            continue
        assert same(value, yaml.load(text, Loader=yaml.CSafeLoader)), text
        checked += 1
        try:
            new_value = new.load(text)
        except ValueError:
            # ruamel takes `+._` for a number and fails.
            continue
        # ruamel takes some texts for numbers that the core schema leaves as strings: -0x1, 0_1, 1_0.
        assert same(value, new_value) or "_" in text, (text, value, new_value)
    assert checked > 500


def test_readings_of_every_spelling_terminate_and_agree_or_not() -> None:
    for text in spellings():
        old, new, kubernetes = readings(text)
        agree = same(old, new) and same(new, kubernetes)
        assert isinstance(resolve_plain(text), Refused) <= (not agree or not isinstance(new, str | int | float | None))
