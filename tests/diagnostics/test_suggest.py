"""Did you mean: near names, in a fixed order, and silence where nothing is near."""

from __future__ import annotations

import pytest

from stowplan.diagnostics.suggest import did_you_mean, distance, suggest

NAMES = (
    "h200-sxm",
    "h100-sxm",
    "a100-spot",
    "l40s",
    "eu-west",
    "eu-east",
    "us-west",
    "TrainJob",
    "minMemory",
    "maxMemory",
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("h20-sxm", ("h200-sxm", "h100-sxm")),
        ("h200_sxm", ("h200-sxm", "h100-sxm")),
        ("H200-SXM", ("h200-sxm", "h100-sxm")),
        ("trainjob", ("TrainJob",)),
        ("Trainjbo", ("TrainJob",)),
        ("minMemroy", ("minMemory",)),
        ("eu-wets", ("eu-west",)),
        ("l40", ("l40s",)),
        ("zebra", ()),
        ("", ()),
        ("x", ()),
        ("l40s", ()),
        ("x" * 1000, ()),
    ],
)
def test_suggest(name: str, expected: tuple[str, ...]) -> None:
    found = suggest(name, NAMES)
    assert found[: len(expected)] == expected
    assert bool(found) == bool(expected)
    assert suggest(name, NAMES[::-1]) == found


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [("", "", 0), ("a", "", 1), ("abc", "abc", 0), ("abc", "acb", 1), ("abc", "adc", 1), ("abc", "abcd", 1), ("ca", "abc", 3),
     ("kitten", "sitting", 3), ("abcdef", "zzzzzz", 5)],
)  # fmt: skip
def test_distance(one: str, other: str, apart: int) -> None:
    assert distance(one, other, 4) == apart == distance(other, one, 4)


def test_did_you_mean() -> None:
    assert did_you_mean("l40", NAMES) == ("did you mean `l40s`?",)
    assert did_you_mean("ab", ["abx", "aby", "abz"]) == ("did you mean `abx`, `aby` or `abz`?",)
    assert did_you_mean("zebra", NAMES) == ()


def test_a_fleet_of_names_is_searched_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the first names is compared once, and only near the diagonal."""
    bands: list[int] = []

    def counted(one: str, other: str, within: int) -> int:
        bands.append(within)
        return distance(one, other, within)

    monkeypatch.setattr("stowplan.diagnostics.suggest.distance", counted)
    names = [f"cluster-{n:05}-eu-west-with-a-long-name" for n in range(30_000)]
    assert suggest("cluster-00017-eu-west-with-a-long-nmae", names)[0] == "cluster-00017-eu-west-with-a-long-name"
    assert len(bands) == 20_000
    assert max(bands) <= 12
