"""Times a whole compile of the reference fleet, as ratios to a floor and to Helm's engine on the same machine.

`make bench` runs the quick size; `python tests/bench/bench.py --clusters 200` the full one. CPU seconds of child processes, the least of
several runs. Helm's engine is measured where the Python package `helm-python-sdk` is installed and STOWPLAN_PEERS_BENCH names the folder
with its fleet; without them its column stays empty.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from reference import reference_fleet

from stowplan.source.files import SourceTree


def cpu_of(arguments: list[str], cwd: Path | None = None, codes: tuple[int, ...] = (0,)) -> tuple[float, float, float]:
    """CPU seconds, wall seconds, and peak MiB of a child process (of the largest so far)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        arguments, cwd=cwd, env=environment, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    if done.returncode not in codes:
        raise SystemExit(f"{' '.join(arguments)} ended with {done.returncode}")
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, wall, after.ru_maxrss / 1024


def best(times: int, run: Callable[[], tuple[float, float, float]]) -> tuple[float, float, float]:
    """The run with the least CPU time."""
    return min(run() for _ in range(times))


def stowplan(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "stowplan", *arguments]


def write_workspace(root: Path, clusters: int, tenants: int, intents: int) -> None:
    for path, text in reference_fleet(clusters, tenants, intents).items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def floor(rendered: Path, copy: Path) -> tuple[float, int]:
    """CPU seconds to write the same bytes with canonical text made anew from plain objects, and the number of objects."""
    from stowplan.source.yaml_writer import dumps

    tree = SourceTree.read(rendered.parent, settings=_settings(rendered.name))
    objects = [(f.path, f.documents[0].data) for f in tree.files if f.documents]
    start = time.process_time()
    for path, data in objects:
        target = copy / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(dumps(data))
    return time.process_time() - start, len(objects)


def _settings(folder: str):  # type: ignore[no-untyped-def]
    from stowplan.source.files import ReadSettings
    from stowplan.source.limits import Limits

    return ReadSettings(folders=(folder,), optional_folders=(), limits=Limits(files=200_000, total_bytes=2**31))


def helm_per_object(folder: Path, clusters: int, objects: int) -> float | None:
    """CPU seconds an object of Helm's engine in one process, on the fleet of the peers' benchmark; None without it."""
    peers = os.environ.get("STOWPLAN_PEERS_BENCH")
    if (
        peers is None
        or subprocess.run([sys.executable, "-c", "import helm_python"], check=False, capture_output=True).returncode
    ):
        return None
    environment = {**os.environ, "PYTHONPATH": peers, "PYTHONDONTWRITEBYTECODE": "1"}
    project = folder / "helm"
    made = subprocess.run(
        [sys.executable, f"{peers}/projects.py", str(project), str(clusters), str(objects), "helm"],
        env=environment, check=False, capture_output=True,
    )  # fmt: skip
    home = next((p.parent for p in project.rglob("chart") if p.is_dir()), None)
    if made.returncode or home is None:
        return None
    cpu, _, _ = best(2, lambda: cpu_of([sys.executable, f"{peers}/helm_sdk.py", "out"], cwd=home))
    return cpu / (clusters * objects)


def row(name: str, figures: tuple[float, float, float], objects: int, base: float, helm: float | None) -> None:
    cpu, wall, peak = figures
    against_helm = f"{cpu / objects / helm:8.2f}" if helm else "       -"
    print(f"{name:34s}{cpu:9.2f}{wall:9.2f}{peak:9.0f}{1e6 * cpu / objects:11.1f}{cpu / base:9.2f}{against_helm}")


def export(rendered: Path, live: Path) -> None:
    """What `kubectl get -o yaml` would print of a cluster that holds just what is rendered for it: a file a cluster."""
    live.mkdir()
    for cluster in sorted((rendered / "clusters").iterdir()):
        files = sorted(path for path in cluster.rglob("*.yaml") if path.name != "kustomization.yaml")
        (live / f"{cluster.name}.yaml").write_text("---\n".join(path.read_text() for path in files))


def compiled_cold(root: Path) -> tuple[float, float, float]:
    shutil.rmtree(root / "rendered", ignore_errors=True)
    return cpu_of(stowplan("compile", "-qq", "--no-cache", "-C", str(root)))


def measure(folder: Path, options: argparse.Namespace) -> None:
    root = folder / "workspace"
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    write_workspace(root, options.clusters, options.tenants, options.intents)
    compiled_cold(root)  # so that the program's own bytecode is there, as it is once installed
    compiled = best(options.runs, lambda: compiled_cold(root))
    base, objects = floor(root / "rendered", folder / "copy")
    helm = helm_per_object(folder, options.clusters, max(1, objects // options.clusters))
    print(f"{options.clusters} clusters, {options.tenants} tenants, {options.intents} intents: {objects} objects")
    print(f"{'':34s}{'cpu s':>9}{'wall s':>9}{'MiB':>9}{'us/object':>11}{'x floor':>9}{'x Helm':>8}")
    row("floor: text and files anew", (base, base, 0.0), objects, base, helm)
    if helm:
        row("Helm's engine, nothing checked", (helm * objects, 0.0, 0.0), objects, base, helm)
    row("cold compile, everything on", compiled, objects, base, helm)
    again = stowplan("compile", "-qq", "-C", str(root))
    cpu_of(again)
    row("nothing changed, first time", cpu_of(again), objects, base, helm)
    time.sleep(3)  # files younger than two seconds are told by their digests
    cpu_of(again)
    row("nothing changed, later", best(options.runs + 1, lambda: cpu_of(again)), objects, base, helm)
    jobs = root / "fleet" / "intents" / "jobs.yaml"
    jobs.write_text(jobs.read_text().replace("priority: normal", "priority: high", 1))  # what a running job takes
    row("one intent changed", cpu_of(again), objects, base, helm)
    export(root / "rendered", folder / "live")
    drift = stowplan("drift", "-C", str(root), "--live", str(folder / "live"))
    row("drift of exported files", cpu_of(drift, codes=(0, 1)), objects, base, helm)
    if options.growth:
        small = folder / "small"
        write_workspace(small, max(1, options.clusters // 10), options.tenants, options.intents)
        before = best(options.runs, lambda: compiled_cold(small))
        print(
            f"a tenth of the clusters: {before[0]:.2f} CPU s, so ten times the fleet takes {compiled[0] / before[0]:.1f} times the CPU"
        )
    for command in ("--help", "version"):
        cpu, wall, peak = best(5, lambda command=command: cpu_of(stowplan(command)))  # type: ignore[misc]
        print(f"stowplan {command:25s}{cpu:9.3f}{wall:9.3f}{peak:9.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clusters", type=int, default=50)
    parser.add_argument("--tenants", type=int, default=5)
    parser.add_argument("--intents", type=int, default=50)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--growth", action="store_true", help="also compile a tenth of the clusters")
    parser.add_argument(
        "--folder", help="where to work; a file system in memory by default, so that the disk is not measured"
    )
    options = parser.parse_args()
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=options.folder or memory) as name:
        measure(Path(name), options)


if __name__ == "__main__":
    main()
