"""Quantities, durations and int-or-strings: exact values, stored spellings, refusals."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stowplan.model.quantity import (
    DurationError,
    QuantityError,
    QuantityForm,
    canonical_duration,
    canonical_quantity,
    format_duration,
    format_quantity,
    parse_duration,
    parse_percent,
    parse_quantity,
    quantity_bytes,
)


@pytest.mark.parametrize(
    ("text", "value", "stored"),
    [
        ("0", 0, "0"),
        ("-0.0", 0, "0"),
        ("7", 7, "7"),
        ("2000", 2000, "2k"),
        ("0.25", Fraction(1, 4), "250m"),
        ("3072Mi", 3 * 2**30, "3Gi"),
        ("2.5Gi", 5 * 2**29, "2560Mi"),
        ("0.3Ki", Fraction(3072, 10), "307200m"),
        ("512Ki", 2**19, "512Ki"),
        ("0.25Ki", 256, "256"),
        ("1e4", 10_000, "10e3"),
        ("1e2", 100, "100"),
        ("1E6", 10**6, "1E6"),
        ("+5", 5, "+5"),
        ("007", 7, "007"),
        ("3.", 3, "3."),
        ("3.0", 3, "3"),
        ("-1500m", Fraction(-3, 2), "-1500m"),
        ("0.0000000001", Fraction(1, 10**9), "1n"),
        ("1e-30", Fraction(1, 10**9), "1e-9"),
        ("16Ei", 2**63 - 1, "9223372036854775807"),
        ("  2 ", 2, "2"),
        ("k", 0, "0"),
        ("2000E", 2 * 10**21, "2"),
        ("123456789123456789123", 123456789123456789123, "123456789123456789123"),
    ],
)
def test_values_and_stored_spellings(text: str, value: int | Fraction, stored: str) -> None:
    assert parse_quantity(text) == value
    assert canonical_quantity(text) == stored


@pytest.mark.parametrize(
    ("text", "stored"), [("250u", "1m"), ("1500u", "2m"), ("1n", "1m"), ("1e-5", "1e-3"), ("2Gi", "2Gi"), ("+1", "+1")]
)
def test_resource_lists_are_rounded_up_to_thousandths(text: str, stored: str) -> None:
    assert canonical_quantity(text, resource_list=True) == stored


@pytest.mark.parametrize(
    "text", ["", " ", "1 Gi", "1gi", "Gi1", "1e", "1ee3", "1e3k", "--1", "1.2.3", "0x1", "٣", "nan"]
)
def test_what_is_no_quantity(text: str) -> None:
    with pytest.raises(QuantityError):
        parse_quantity(text)


@pytest.mark.parametrize("text", ["1e2000000000", "1e-2000000000", "9" * 5000, "1" + "0" * 600])
def test_hostile_quantities_cost_nothing(text: str) -> None:
    with contextlib.suppress(QuantityError):
        assert parse_quantity(text) < 1


def test_the_complaint_is_the_servers() -> None:
    with pytest.raises(QuantityError, match="unable to parse quantity's suffix"):
        parse_quantity("1kM")
    with pytest.raises(QuantityError, match="must match the regular expression"):
        parse_quantity("abc")


SPELLINGS = st.builds(
    lambda sign, whole, part, suffix: f"{sign}{whole}{part}{suffix}",
    st.sampled_from(["", "+", "-"]),
    st.from_regex(r"[0-9]{1,20}", fullmatch=True),
    st.one_of(st.just(""), st.from_regex(r"\.[0-9]{0,12}", fullmatch=True)),
    st.sampled_from(["", "n", "u", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti", "e3", "E-2", "e+12", "e0"]),
)


@settings(max_examples=300, deadline=None)
@given(SPELLINGS)
def test_the_stored_spelling_is_a_fixed_point_and_loses_nothing(text: str) -> None:
    stored = canonical_quantity(text)
    assert canonical_quantity(stored) == stored
    if abs(parse_quantity(text)) < 10**21:  # beyond, the server itself forgets the unit
        assert parse_quantity(stored) == parse_quantity(text)


@given(st.integers(-(2**62), 2**62), st.sampled_from(list(QuantityForm)))
def test_formatting_is_undone_by_parsing(value: int, form: QuantityForm) -> None:
    assert parse_quantity(format_quantity(value, form)) == value


def test_bytes_are_rounded_up() -> None:
    assert [quantity_bytes(text) for text in ("1Ki", "1500m", "0")] == [1024, 2, 0]


@pytest.mark.parametrize(
    ("text", "seconds", "stored"),
    [
        ("45m", 2700, "45m0s"),
        ("90m", 5400, "1h30m0s"),
        ("36h", 129_600, "36h0m0s"),
        ("1.5s", Fraction(3, 2), "1.5s"),
        ("1500us", Fraction(3, 2000), "1.5ms"),
        ("250ns", Fraction(1, 4_000_000), "250ns"),
        ("-1m", -60, "-1m0s"),
        ("+1h1m", 3660, "1h1m0s"),
        ("0", 0, "0s"),
        (".5h", 1800, "30m0s"),
    ],
)
def test_durations(text: str, seconds: int | Fraction, stored: str) -> None:
    assert parse_duration(text) == seconds
    assert canonical_duration(text) == format_duration(seconds) == stored


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "invalid duration"),
        ("5", "missing unit"),
        ("1d", 'unknown unit "d"'),
        ("h", "invalid duration"),
        ("1 h", 'unknown unit " h"'),
        ("9999999h", "invalid duration"),
        ("1h" * 400, "invalid duration"),
    ],
)
def test_what_is_no_duration(text: str, complaint: str) -> None:
    with pytest.raises(DurationError, match=complaint):
        parse_duration(text)


def test_percentages() -> None:
    assert parse_percent(3) == (3, False)
    assert parse_percent("25%") == (25, True)
    for text in ("25", "%", "-1%", "1.5%", "٣%", ""):
        with pytest.raises(ValueError, match="neither"):
            parse_percent(text)
