"""What is said of a service that each of some clusters would take, and none of the ways to spread it."""

from __future__ import annotations

from pathlib import Path

from stowplan.driver import compile_workspace
from stowplan.source.files import SourceTree

EXAMPLE = Path(__file__).parent.parent / "data" / "example"
BASE = {p.relative_to(EXAMPLE).as_posix(): p.read_text() for p in sorted(EXAMPLE.rglob("*")) if p.is_file()}
ASR = "fleet/intents/inference.yaml"


def test_spread_that_no_set_of_clusters_gives() -> None:
    text = BASE[ASR].replace("{region: us-east, replicas: 2}", "{region: us-east, replicas: 0}")
    assert text != BASE[ASR]
    done = compile_workspace(SourceTree.from_texts({**BASE, ASR: text}))
    [found] = [d for d in done.diagnostics if d.code == "SP0601"]
    assert found.message == "inference intent `asr` fits nowhere as a whole"
    assert "would take a part of it; it declares replicas: 6 in eu-west; on at least 2 clusters" in found.notes[0]
    assert not [note for note in found.notes if "interrupted" in note], "a cluster that would do is not refused"
