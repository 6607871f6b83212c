"""The atlas: the shipped one loads and is broad; a broken one is refused with its place named."""

from __future__ import annotations

import pytest

from stowplan.ownership.atlas import AtlasError, load_atlas, read_atlas
from stowplan.ownership.fieldpath import field, item, value
from stowplan.ownership.pattern import PatternError, parse_pattern
from stowplan.ownership.versions import version_in_range


def test_the_shipped_atlas_names_the_controllers_that_matter() -> None:
    atlas = load_atlas()
    assert len(atlas.rows) >= 40
    controllers = " ".join(row.controller for row in atlas.rows)
    for name in ("Kueue", "Karmada", "Argo CD", "Flux", "KEDA", "HorizontalPodAutoscaler", "Istio", "API server"):
        assert name in controllers
    for row in atlas.rows:
        assert row.evidence
        assert row.cure
        assert not row.cure.endswith("."), row.id
    assert [row.id for row in atlas.rows] == sorted(row.id for row in atlas.rows)


ROW = "{id: a, controller: C, kinds: ['*'], fields: [spec], how: update, evidence: e, cure: c%s}"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("rows: [" + ROW % ", colour: red" + "]", "unknown keys \\['colour'\\]"),
        ("rows: [{id: a}]", "`controller` is missing"),
        ("rows: [" + ROW % ", sharing: often" + "]", "`sharing` is 'often'"),
        ("rows: [" + ROW % ", when: {moon: full}" + "]", "unknown conditions \\['moon'\\]"),
        ("rows: [" + ROW % "" + ", " + ROW % "" + "]", "the id 'a' is taken"),
        ("rows: [" + ROW.replace("[spec]", "['a..b']") % "" + "]", "cannot read the field pattern"),
        ("planes: [{plane: traffic}]", "a plane has"),
        ("- 1", "an atlas file has"),
        ("rows: [", "x.yaml:"),
    ],
)
def test_a_broken_atlas_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(AtlasError, match=complaint):
        read_atlas([("x.yaml", text)])


PATH = (field("spec"), field("containers"), item({"name": "app"}), field("image"))


@pytest.mark.parametrize(
    ("pattern", "covers", "below"),
    [
        ("spec", True, False),
        ("spec.containers[*].image", True, False),
        ("spec.containers[name=a*].image", True, False),
        ("spec.containers[name=b].image", False, False),
        ("spec.containers[*].image.digest", False, True),
        ("spec.*s[*]", True, False),
        ("status", False, False),
        ("*", True, False),
    ],
)
def test_patterns(pattern: str, covers: bool, below: bool) -> None:
    found = parse_pattern(pattern)
    assert (found.covers(PATH), found.lies_below(PATH)) == (covers, below)


def test_pattern_of_a_set_item_and_a_quoted_name() -> None:
    assert parse_pattern("metadata.finalizers[=kueue*]").covers(
        (field("metadata"), field("finalizers"), value("kueue.x-k8s.io/in-use"))
    )
    labels = (field("metadata"), field("labels"))
    assert parse_pattern('metadata.labels["*.karmada.io/*"]').covers((*labels, field("work.karmada.io/id")))
    assert not parse_pattern('metadata.labels["*.karmada.io/*"]').covers((*labels, field("app")))


@pytest.mark.parametrize("text", ["", "a..b", "a[", "[x", "a.", "a b"])
def test_unreadable_patterns(text: str) -> None:
    with pytest.raises(PatternError):
        parse_pattern(text)


@pytest.mark.parametrize(
    ("version", "wanted", "holds"),
    [
        ("v0.19.2", ">=0.18", True), ("0.9", ">=0.10", False), ("0.10.0", ">=0.9,<0.19", True),
        ("0.19.0", "<0.19", False), ("1.2.3", "=1.2.3", True), ("main", ">=9", True), ("1.0-rc1", ">=1.0", True),
    ],
)  # fmt: skip
def test_version_ranges(version: str, wanted: str, holds: bool) -> None:
    assert version_in_range(version, wanted) is holds
