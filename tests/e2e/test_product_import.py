"""`stowplan schemas import` of a live cluster gives the pack that the same definitions give as a file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from harness.bed import Bed
from harness.crds import install_crds
from harness.modules import load_all, module_directory

from stowplan.schema.pack import read_pack


def schemas(*arguments: str) -> str:
    command = [sys.executable, "-m", "stowplan", "schemas", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def test_a_cluster_and_its_definitions_as_a_file_give_one_pack(bed: Bed, tmp_path: Path) -> None:
    plane = bed.plane("definitions")
    client = plane.client()
    bases = module_directory("kueue", "sigs.k8s.io/kueue") / "config/components/crd/bases"
    install_crds(client, [one for file in sorted(bases.glob("*.yaml")) for one in load_all(file.read_text())])
    items = client.list("apiextensions.k8s.io/v1", "CustomResourceDefinition")
    assert len(items) > 5
    file = tmp_path / "crds.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    kubeconfig = bed.kubeconfig([plane])
    live, read = str(tmp_path / "live.pack"), str(tmp_path / "read.pack")
    schemas("import", "--context", plane.name, "--kubeconfig", str(kubeconfig), "-o", live)
    schemas("import", str(file), "-o", read)
    kinds = {kind for _, kind in read_pack(Path(live).read_bytes(), "live").by_kind}
    assert kinds == {one["spec"]["names"]["kind"] for one in items}
    schemas("diff", live, read)  # exit code 1 where they differ
