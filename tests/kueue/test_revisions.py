"""Changes that Kueue refuses, against what the last compile wrote: on disk, with the lock, and through the cache."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from stowplan.cli.main import run
from stowplan.emission.lock import LOCK_NAME
from stowplan.workspace import compile_directory

BASE = Path(__file__).parents[1] / "data" / "kueue"
INTENT = """
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: eval-all
spec:
  tenant: speech
  runtime: Job
  image: trainer
  command: [python, eval.py]
  shards: {count: 4, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
  route: {cluster: CLUSTER, localQueue: nightly}
"""
QUEUE = "hubs/kueue/kueue/localqueue-speech-nightly.yaml"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """The workspace of Kueue's examples, compiled with a batch that is routed to north."""
    root = tmp_path / "workspace"
    shutil.copytree(BASE, root)
    route(root, "north")
    assert compiled(root) == 0
    return root


def route(root: Path, cluster: str) -> None:
    (root / "fleet" / "eval-all.yaml").write_text(INTENT.replace("CLUSTER", cluster))


def compiled(root: Path, *options: str) -> int:
    return run(["compile", "-C", str(root), *options])


def test_a_moved_queue_stops_the_compile_and_changes_nothing(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (workspace / "rendered" / QUEUE).read_bytes()
    lock = (workspace / "rendered" / LOCK_NAME).read_bytes()
    route(workspace, "south")
    assert compiled(workspace) == 1
    said = capsys.readouterr().err
    assert "error[SP2020]: the change of LocalQueue `speech/nightly` would be refused: `spec.clusterQueue`" in said
    assert "`spec.clusterQueue` goes from `speech-north` to `speech-south`" in said
    assert "fleet/eval-all.yaml:14:" in said
    assert (workspace / "rendered" / QUEUE).read_bytes() == before
    assert (workspace / "rendered" / LOCK_NAME).read_bytes() == lock
    route(workspace, "north")
    assert compiled(workspace) == 0


def test_at_a_lower_level_the_move_is_written_and_told_once(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A compile that has written it does not remember what it said of the change."""
    levels = (
        "apiVersion: stowplan.io/v1alpha1\nkind: RuleLevels\nmetadata: {name: house}\nspec:\n  levels: {SP2020: warn}\n"
    )
    (workspace / "policies").mkdir(exist_ok=True)
    (workspace / "policies" / "levels.yaml").write_text(levels)
    route(workspace, "south")
    assert compiled(workspace) == 0
    assert "warning[SP2020]" in capsys.readouterr().err
    assert "clusterQueue: speech-south" in (workspace / "rendered" / QUEUE).read_text()
    for _ in range(2):
        assert compiled(workspace) == 0
        assert "SP2020" not in capsys.readouterr().err


def test_a_tree_that_was_edited_by_hand_is_no_revision(workspace: Path) -> None:
    """What the lock does not vouch for was never what the compiler wrote."""
    path = workspace / "rendered" / QUEUE
    path.write_text(path.read_text().replace("speech-north", "speech-west"))
    route(workspace, "south")
    assert "SP2020" not in {d.code for d in compile_directory(workspace).diagnostics}
