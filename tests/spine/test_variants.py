"""Variants of the example workspace in which price, time, carbon, data, quota, or N-1 decides otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from stowplan.driver import Compilation, compile_workspace
from stowplan.source.files import SourceTree

EXAMPLE = Path(__file__).parent.parent / "data" / "example"
BASE = {p.relative_to(EXAMPLE).as_posix(): p.read_text() for p in sorted(EXAMPLE.rglob("*")) if p.is_file()}

Edit = tuple[str, str, str]


def compiled(*edits: Edit) -> Compilation:
    files = dict(BASE)
    for path, old, new in edits:
        assert old in files[path], (path, old)
        files[path] = files[path].replace(old, new, 1)
    done = compile_workspace(SourceTree.from_texts(files))
    assert not done.failed(), done.diagnostics
    return done


def places(done: Compilation, name: str) -> list[tuple[str, str, tuple[str, ...] | None, int]]:
    assert done.plan is not None
    return [(a.cluster, a.flavor, a.domain, a.accelerators) for a in done.plan.placements[name].assignments]


def reasons(done: Compilation, name: str, cluster: str) -> set[str]:
    assert done.plan is not None
    return {r.reason.predicate.value for r in done.plan.placements[name].rejections if r.cluster == cluster}


def codes(done: Compilation) -> set[str]:
    return {d.code for d in done.diagnostics}


@dataclass(frozen=True)
class Variant:
    edits: tuple[Edit, ...]
    check: Callable[[Compilation], None]


TENANTS, BATCH, TRAINING = "fleet/tenants.yaml", "fleet/intents/batch.yaml", "fleet/intents/training.yaml"
ARTIFACTS, POLICY = "fleet/artifacts.yaml", "policies/placement.yaml"
H200, L40S, SPOT = (f"fleet/inventory/{n}.yaml" for n in ("eu-west-h200", "eu-west-l40s", "us-east-spot"))
COPY = (
    ARTIFACTS,
    "    - {cluster: eu-west-l40s, uri: s3://eu-west-l40s/image-set/v7}",
    "    - {cluster: eu-west-l40s, uri: s3://eu-west-l40s/image-set/v7}\n"
    "    - {cluster: us-east-spot, uri: s3://us-east-aurora/image-set/v7}",
)
HOME, AWAY = ("eu-west-l40s", "l40s", None, 6), ("us-east-spot", "a100-spot", None, 6)


def quota_decides(done: Compilation) -> None:
    assert places(done, "asr-pretrain") == []
    assert reasons(done, "asr-pretrain", "eu-west-h200") == {"quota"}


def driver_decides(done: Compilation) -> None:
    assert places(done, "asr-pretrain") == []
    assert reasons(done, "asr-pretrain", "eu-west-h200") == {"driver"}


def data_stays(done: Compilation) -> None:
    assert places(done, "detector-finetune") == []
    assert "residency" in reasons(done, "detector-finetune", "us-east-spot")


def queue_beats_copying(done: Compilation) -> None:
    assert places(done, "augment-images") == [HOME]


def copying_beats_queue(done: Compilation) -> None:
    assert places(done, "augment-images") == [AWAY]


def reserve_gap(done: Compilation) -> None:
    assert done.plan is not None
    asr = done.plan.placements["asr"]
    assert asr.status == "placed"
    assert [(a.cluster, a.reserved) for a in asr.assignments] == [("eu-west-l40s", 4), ("us-east-spot", 8)]
    assert [(g.lost, g.missing) for g in asr.reserve_gaps] == [("eu-west-l40s", 4)]
    assert "SP0603" in codes(done)


def waits(done: Compilation) -> None:
    assert done.plan is not None
    placement = done.plan.placements["asr-pretrain"]
    assert placement.status == "queued"
    assert [(a.cluster, a.accelerators) for a in placement.assignments] == [("eu-west-h200", 40)]
    assert "SP0602" in codes(done)


def keeps_its_place(done: Compilation) -> None:
    assert places(done, "detector-finetune") == [("us-east-spot", "a100-spot", ("nn-1",), 32)]


def giant_fits(done: Compilation) -> None:
    assert places(done, "asr-giant") == [("eu-west-h200", "h200-sxm", ("b1",), 72)]
    assert done.plan is not None
    assert done.plan.placements["asr-pretrain"].status in ("placed", "queued")


VARIANTS = {
    "quota below one gang": Variant(
        ((TENANTS, 'cluster: "*", nominal: 80', 'cluster: "*", nominal: 44'),), quota_decides
    ),
    "driver too old": Variant(((TRAINING, 'minDriver: "570"', 'minDriver: "590"'),), driver_decides),
    "residency": Variant(
        (
            (
                ARTIFACTS,
                "  dataClass: public\n  locations:\n    - {cluster: eu-west-l40s, uri: s3",
                "  dataClass: public\n  residency: [EU]\n  locations:\n    - {cluster: eu-west-l40s, uri: s3",
            ),
        ),
        data_stays,
    ),
    "two hours of queue against three of copying": Variant(
        ((L40S, "waitEstimate: 10m", "waitEstimate: 2h"),), queue_beats_copying
    ),
    "five hours of queue against three of copying": Variant(
        ((L40S, "waitEstimate: 10m", "waitEstimate: 5h"),), copying_beats_queue
    ),
    "data in both places, time decides": Variant(
        (COPY, (L40S, "waitEstimate: 10m", "waitEstimate: 1h")), copying_beats_queue
    ),
    "data in both places, carbon decides": Variant(
        (COPY, (L40S, "gramsPerKilowattHour: 56", "gramsPerKilowattHour: 900")), copying_beats_queue
    ),
    "a spot price never moves a short shard": Variant(
        (
            (L40S, "perAcceleratorHour: 1.4", "perAcceleratorHour: 9"),
            (POLICY, "weightPerHour: 3", "weightPerHour: 0.3"),
        ),
        queue_beats_copying,
    ),
    "a spot price moves a long shard": Variant(
        (
            (L40S, "perAcceleratorHour: 1.4", "perAcceleratorHour: 9"),
            (POLICY, "weightPerHour: 3", "weightPerHour: 0.3"),
            (BATCH, "expectedPerShard: 90m", "expectedPerShard: 9h"),
        ),
        copying_beats_queue,
    ),
    "between the thresholds a saving of 30 % moves": Variant(
        (
            (L40S, "perAcceleratorHour: 1.4", "perAcceleratorHour: 9"),
            (POLICY, "weightPerHour: 3", "weightPerHour: 0.3"),
            (BATCH, "expectedPerShard: 90m", "expectedPerShard: 4h"),
        ),
        copying_beats_queue,
    ),
    "between the thresholds a smaller saving does not": Variant(
        (
            (L40S, "perAcceleratorHour: 1.4", "perAcceleratorHour: 4.5"),
            (POLICY, "weightPerHour: 3", "weightPerHour: 0.1"),
            (BATCH, "expectedPerShard: 90m", "expectedPerShard: 4h"),
        ),
        queue_beats_copying,
    ),
    "N-1 does not hold": Variant(((TENANTS, "us-east-spot, nominal: 16", "us-east-spot, nominal: 12"),), reserve_gap),
    "no room now": Variant(
        ((H200, "nodes: 4, freeNodes: 4, freeAccelerators: 32", "nodes: 4, freeNodes: 1, freeAccelerators: 8"),), waits
    ),
    "running work keeps its place": Variant(
        (
            (
                SPOT,
                "  queues:\n",
                "  running:\n    - {intent: detector-finetune, flavor: a100-spot, domain: [nn-1], accelerators: 32}\n  queues:\n",
            ),
            (
                SPOT,
                "{path: [nn-1], nodeGroup: a100, nodes: 8, freeNodes: 8, freeAccelerators: 64}",
                "{path: [nn-1], nodeGroup: a100, nodes: 8, freeNodes: 4, freeAccelerators: 32}",
            ),
        ),
        keeps_its_place,
    ),
    "a larger block": Variant(
        (
            (H200, "nodes: 12\n", "nodes: 13\n"),
            (
                H200,
                "{path: [b1, r1], nodeGroup: h200, nodes: 4, freeNodes: 4, freeAccelerators: 32}",
                "{path: [b1, r1], nodeGroup: h200, nodes: 5, freeNodes: 5, freeAccelerators: 40}",
            ),
            (TRAINING, "priority: production", "priority: scavenger"),
            (H200, "nodes: 4, freeNodes: 2, freeAccelerators: 16}", "nodes: 4, freeNodes: 4, freeAccelerators: 32}"),
        ),
        giant_fits,
    ),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_variant(name: str) -> None:
    variant = VARIANTS[name]
    variant.check(compiled(*variant.edits))


def test_names_do_not_matter() -> None:
    """Clusters, tenants, and intents under other names: the same plan, renamed."""
    names = {
        "eu-west-h200": "aaa",
        "eu-west-l40s": "zzz",
        "us-east-spot": "mmm",
        "asr-pretrain": "one",
        "detector-finetune": "two",
    }

    def renamed(text: str) -> str:
        for old, new in names.items():
            text = text.replace(old, new)
        return text

    before = compiled()
    after = compile_workspace(SourceTree.from_texts({renamed(p): renamed(t) for p, t in BASE.items()}))
    assert before.plan is not None
    assert after.plan is not None
    for name, placement in before.plan.placements.items():
        other = after.plan.placements[renamed(name)]
        want = sorted(
            (renamed(a.cluster), a.flavor, a.domain, a.accelerators, a.reserved) for a in placement.assignments
        )
        assert sorted((a.cluster, a.flavor, a.domain, a.accelerators, a.reserved) for a in other.assignments) == want
        assert other.status == placement.status


def test_file_order_and_layout_do_not_matter() -> None:
    """All documents in one file, in reverse order: the same bytes, input digests aside."""
    documents: list[str] = []
    for path, text in BASE.items():
        if path.endswith(".yaml"):
            documents.extend(d for d in text.split("\n---\n") if d.strip())
    one = {
        "fleet/all.yaml": "\n---\n".join(reversed(documents)),
        **{p: t for p, t in BASE.items() if p.endswith(".j2")},
    }
    before, after = compiled(), compile_workspace(SourceTree.from_texts(one))
    assert after.files == before.files
