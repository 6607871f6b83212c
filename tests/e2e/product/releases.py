"""The release of Kueue that a run is held to, as workspaces state it."""

from __future__ import annotations

from pathlib import Path

from harness.servers import SERVERS, chosen

KUEUE = chosen("kueue").release
"""The release that the run's server is of, as 0.17.0."""


def version() -> tuple[int, int, int]:
    """The release as numbers."""
    major, minor, patch = map(int, KUEUE.split("."))
    return major, minor, patch


def keeps_order() -> bool:
    """Whether the manager keeps the order of a set's clusters."""
    return version() >= (0, 19, 0)


def state_release(root: Path) -> None:
    """Let a workspace state the run's release in place of the default server's, and sets of several where they have an order."""
    stated, wanted = (f"kueue: {release}," for release in (SERVERS["kueue"].release, KUEUE))
    if stated == wanted:
        return
    for file in sorted((root / "fleet" / "clusters").glob("*.yaml")):
        _put(file, stated, wanted)
    if keeps_order():
        _put(root / "fleet" / "fleet.yaml", "kueue: {cluster: hub}", "kueue: {cluster: hub, dispatcher: Incremental}")


def _put(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text, f"{file.name} does not say {old!r}"
    file.write_text(text.replace(old, new), encoding="utf-8")
