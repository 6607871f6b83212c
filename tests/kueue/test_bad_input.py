"""Mistakes about queues, each with the line that is named first, the lines beside it, and the numbers that disagree."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from stowplan.diagnostics.placed import place_all
from stowplan.driver import compile_workspace
from stowplan.source.files import SourceTree

BASE = Path(__file__).parents[1] / "data" / "kueue"
FILES = {p.relative_to(BASE).as_posix(): p.read_text() for p in sorted(BASE.rglob("*")) if p.is_file()}
HEAD = "apiVersion: stowplan.io/v1alpha1\nkind: KIND\nmetadata:\n  name: NAME\nspec:\n"
TENANTS, SOUTH, OWN = "fleet/tenants.yaml", "fleet/inventory/south.yaml", "fleet/components/north/own.yaml"
SPEECH_NORTH = "    - {flavor: h200, cluster: north, nominal: 48}"


def document(kind: str, name: str, *lines: str) -> str:
    return HEAD.replace("KIND", kind).replace("NAME", name) + "".join(f"  {line}\n" for line in lines)


def gang(count: int, *more: str) -> str:
    return document(
        "TrainingIntent", "tts", "tenant: speech", "runtime: Job", "image: trainer", "command: [train]",
        f"workers: {{count: {count}, accelerators: 8, cpu: 90, memory: 700Gi}}",
        "accelerator: {vendor: nvidia, minMemory: 100Gi}", "duration: {expected: 4h}", "interruptible: true", *more,
    )  # fmt: skip


def batch(name: str, cluster: str, queue: str) -> str:
    return document(
        "BatchIntent", name, "tenant: speech", "runtime: Job", "image: trainer", "command: [eval]",
        "shards: {count: 4, accelerators: 1, cpu: 8, memory: 64Gi}", "duration: {expectedPerShard: 1h}",
        "interruptible: true", f"route: {{cluster: {cluster}, localQueue: {queue}}}",
    )  # fmt: skip


def edited(path: str, old: str, new: str) -> dict[str, str]:
    assert old in FILES[path]
    return {path: FILES[path].replace(old, new, 1)}


class Mistake(NamedTuple):
    """`at` is where the code is reported, `beside` further places of it, `words` stand in its text, labels, or notes."""

    code: str
    files: dict[str, str]
    at: str
    beside: tuple[str, ...]
    words: tuple[str, ...]


def own(kind: str, name: str, spec: str, namespace: str = "") -> str:
    place = f"  namespace: {namespace}\n" if namespace else ""
    return f"apiVersion: kueue.x-k8s.io/v1beta2\nkind: {kind}\nmetadata:\n  name: {name}\n{place}spec: {spec}\n"


QUEUE = (
    "{cohortName: research, namespaceSelector: {}, queueingStrategy: BestEffortFIFO, stopPolicy: None, "
    "flavorFungibility: {whenCanBorrow: MayStopSearch, whenCanPreempt: TryNextFlavor}, preemption: {reclaimWithinCohort: Any, "
    "withinClusterQueue: Never, borrowWithinCohort: {policy: Never}}}"
)
MISTAKES = {
    "cohorts in a circle": Mistake(
        "SP0304",
        edited(TENANTS, "  fairSharing: {weight: 1}", "  parent: above") | {"fleet/above.yaml": document("Cohort", "above", "parent: research")},
        "fleet/above.yaml:6", (f"{TENANTS}:6",), ("above → research → above", "parent of `research`"),
    ),
    "a cohort above itself": Mistake(
        "SP0304", edited(TENANTS, "  fairSharing: {weight: 1}", "  parent: research"), f"{TENANTS}:6", (), ("research → research",),
    ),
    "quota below what is admitted": Mistake(
        "SP2095",
        {SOUTH: FILES[SOUTH] + "  kueue: {usage: [{queue: speech, flavor: l40s, accelerators: 20}]}\n"},
        f"{TENANTS}:18", (f"{SOUTH}:30",), ("16 accelerators of `l40s`", "20 are admitted"),
    ),
    "a limit without a cohort": Mistake(
        "SP0305",
        {TENANTS: FILES[TENANTS].replace("  cohort: research\n", "", 1).replace(SPEECH_NORTH, SPEECH_NORTH.replace("}", ", lendingLimit: 8}"), 1)},
        f"{TENANTS}:16", (), ("`lendingLimit` of 8", "tenant `speech`"),
    ),
    "lending more than there is": Mistake(
        "SP0207", edited(TENANTS, SPEECH_NORTH, SPEECH_NORTH.replace("}", ", lendingLimit: 64}")),
        f"{TENANTS}:17", (f"{TENANTS}:17",), ("`lendingLimit` (64)", "`nominal` (48)"),
    ),
    "a limit of a cohort without a parent": Mistake(
        "SP0305",
        edited(TENANTS, "  fairSharing: {weight: 1}", "  quota: [{flavor: l40s, cluster: south, nominal: 0, borrowingLimit: 4}]"),
        f"{TENANTS}:6", (), ("`borrowingLimit` of 4", "without a parent"),
    ),
    "a level that there is not": Mistake(
        "SP0316", {"fleet/tts.yaml": gang(2, "topology: {required: rack}")}, "fleet/tts.yaml:14", (),
        ("level `rack`", "`block`, `node`"),
    ),
    "a gang larger than any quota": Mistake(
        "SP0601", {"fleet/tts.yaml": gang(9)}, "fleet/tts.yaml:4", (f"{TENANTS}:17", f"{SOUTH}:16"),
        ("72 accelerators", "64 (nominal 48, borrowing included 64)", "32 (nominal 16, borrowing included 32)"),
    ),
    "a gang larger than any quota that must run": Mistake(
        "SP0601", {"fleet/tts.yaml": gang(9, "onUnplaced: error")}, "fleet/tts.yaml:4", (f"{TENANTS}:17", f"{SOUTH}:16"),
        ("72 accelerators", "nominal 48"),
    ),
    "two tenants of one name": Mistake(
        "SP0303", {"fleet/a.yaml": document("Tenant", "speech", "namespaces: [audio]", "priorities: [normal]")},
        f"{TENANTS}:11", ("fleet/a.yaml:4",), ("Tenant `speech`",),
    ),
    "two cohorts of one name": Mistake(
        "SP0303", {"fleet/a.yaml": document("Cohort", "research", "fairSharing: {weight: 2}")},
        f"{TENANTS}:4", ("fleet/a.yaml:4",), ("Cohort `research`",),
    ),
    "two routes of one queue": Mistake(
        "SP2021", {"fleet/a.yaml": batch("one", "north", "nightly") + "---\n" + batch("two", "south", "nightly")},
        "fleet/a.yaml:27", ("fleet/a.yaml:4",), ("LocalQueue `nightly` of namespace `speech`", "`speech-north` and `speech-south`"),
    ),
    "a route by the name of a set": Mistake(
        "SP2021", {"fleet/a.yaml": batch("one", "south", "north")}, "fleet/a.yaml:13", ("fleet/intents/asr.yaml:5",),
        ("LocalQueue `north`", "`speech-north` and `speech-south`"),
    ),
    "a ClusterQueue of one's own by the name of a tenant": Mistake(
        "SP0903", {OWN: own("ClusterQueue", "speech", QUEUE)}, f"{OWN}:1", (f"{TENANTS}:8",), ("ClusterQueue speech is rendered twice",),
    ),
    "a LocalQueue of one's own by the name of a tenant": Mistake(
        "SP0903", {OWN: own("LocalQueue", "speech", "{clusterQueue: vision, stopPolicy: None}", "speech")},
        f"{OWN}:1", (f"{TENANTS}:13",), ("LocalQueue speech/speech is rendered twice",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(name: str) -> None:
    mistake = MISTAKES[name]
    done = compile_workspace(SourceTree.from_texts({**FILES, **mistake.files}))
    (found,) = [p for p in place_all(done.diagnostics, done.tree.locate) if p.diagnostic.code == mistake.code]

    def where(place: object) -> str:
        span = getattr(place, "span", None)
        return f"{getattr(place, 'path', '')}:{span.line if span else 0}"

    assert where(found.primary.place) == mistake.at
    assert {where(label.place) for label in found.secondary} == set(mistake.beside)
    one = found.diagnostic
    text = " | ".join([one.message, *(label.text for label in (one.primary, *one.secondary)), *one.notes, *one.helps])
    assert [words for words in mistake.words if words not in text] == [], text
    errors = {d.code for d in done.diagnostics if d.severity.name == "ERROR"}
    assert errors <= {mistake.code}, "one mistake, one kind of error"
