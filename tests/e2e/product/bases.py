"""The objects that mutants are made of: recorded ones of every built-in kind, and what is rendered."""

from __future__ import annotations

import json
import lzma
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from harness.binaries import absent
from harness.client import ApiError, Client, Object, reference
from harness.crds import CORPUS

from product.forms import Form, builtin_form, custom_form
from product.workspaces import REPOSITORY
from stowplan.schema.builtin import PriorityClass, RuntimeClass, Surroundings

Base = tuple[Object, Form]
NAMESPACE, LIVE = "team-a", "live"
"""Where dry runs go, and where objects to update really are."""

FILE = "builtin-verdicts.jsonl.xz"
KATA: Object = {
    "handler": "kata",
    "overhead": {"podFixed": {"cpu": "250m", "memory": "120Mi"}},
    "scheduling": {"nodeSelector": {"kata": "true"}, "tolerations": [{"key": "kata", "operator": "Exists"}]},
}
SURROUNDINGS = Surroundings(
    {"gpu-high": PriorityClass(100_000), "gpu-low": PriorityClass(-5, "Never")},
    {
        "nvidia": RuntimeClass(),
        "kata": RuntimeClass(KATA["overhead"]["podFixed"], {"kata": "true"}, ({"key": "kata", "operator": "Exists"},)),
    },
    workloads=(),
    admin_namespaces=(),
)
"""What `furnish` puts into the cluster, as we are told of it."""

_NEVER_LIVE = frozenset({"APIService", "ResourceQuota", "LimitRange", "ServiceCIDR", "Endpoints"})
"""Kinds that change what the server does with others, or that it changes by itself."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def furnish(client: Client) -> None:
    """Namespaces and classes."""
    for name in (NAMESPACE, LIVE):
        client.apply(reference("v1", "Namespace", name))
    for name, known in SURROUNDINGS.priority_classes.items():
        policy = {"value": known.value, "preemptionPolicy": known.preemption_policy}
        client.apply(reference("scheduling.k8s.io/v1", "PriorityClass", name) | policy)
    client.apply(reference("node.k8s.io/v1", "RuntimeClass", "nvidia") | {"handler": "nvidia"})
    client.apply(reference("node.k8s.io/v1", "RuntimeClass", "kata") | KATA)


def recorded() -> list[Base]:
    """Objects of all built-in kinds that a server took; skips the test where the recording is not there."""
    folder = os.environ.get(CORPUS)
    path = Path(folder or ".") / FILE
    if not folder or not path.exists():
        absent(f"{FILE}: not in the folder that {CORPUS} names")
    found: list[Base] = []
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row.get("mut") == "" and row.get("code") == 201 and not row.get("ctx") and "object" in row:
                form = builtin_form(row["object"]["apiVersion"], row["object"]["kind"])
                assert form is not None
                found.append((row["object"], form))
    return found


def rendered() -> Iterator[Object]:
    """The objects of the repository's own tree, each kind's by size and only a few of equal kind."""
    by_kind: dict[tuple[str, str], list[Object]] = {}
    for file in sorted((REPOSITORY / "rendered").rglob("*.yaml")):
        for one in yaml.load_all(file.read_text(), _LOADER):
            if isinstance(one, dict) and "kind" in one and one["kind"] != "List":
                by_kind.setdefault((one["apiVersion"], one["kind"]), []).append(one)
    for key in sorted(by_kind):
        ranked = sorted(by_kind[key], key=lambda one: -len(json.dumps(one)))
        yield from ranked[:: max(1, len(ranked) // 3)][:4]


def placed(document: Object, namespaced: bool, namespace: str = NAMESPACE) -> Object:
    """The object in the namespace of the test."""
    metadata = {key: value for key, value in document["metadata"].items() if key != "namespace"}
    return {**document, "metadata": metadata | ({"namespace": namespace} if namespaced else {})}


def custom_forms(client: Client) -> dict[tuple[str, str], Form]:
    """The form of every version of every custom kind that the server serves."""
    found: dict[tuple[str, str], Form] = {}
    for one in client.list("apiextensions.k8s.io/v1", "CustomResourceDefinition"):
        spec = one["spec"]
        for version in spec["versions"]:
            if version["served"]:
                key = (f"{spec['group']}/{version['name']}", spec["names"]["kind"])
                found[key] = custom_form(version["schema"]["openAPIV3Schema"])
    return found


def create_live(client: Client, bases: list[Base]) -> list[Base]:
    """Create what can be created for real, under names of their own; as the server stores it."""
    found: list[Base] = []
    for number, (document, form) in enumerate(bases):
        if document["kind"] in _NEVER_LIVE or document.get("globalDefault"):
            continue
        namespaced = client.resource(document).namespaced
        candidate = harmless(placed(document, namespaced, LIVE))
        candidate["metadata"].pop("generateName", None)
        if document["kind"] not in ("CustomResourceDefinition", "Namespace"):
            candidate["metadata"]["name"] = f"{candidate['metadata'].get('name') or 'live'}-{number}"
        try:
            found.append((client.create(candidate).object, form))
        except ApiError:
            continue
    return settled(client, found)


def settled(client: Client, bases: list[Base], seconds: float = 20) -> list[Base]:
    """The objects as they are when the server's own controllers have stopped writing."""
    deadline = time.monotonic() + seconds
    while True:
        time.sleep(1)
        now = [(client.get(document), form) for document, form in bases]
        versions = [[one["metadata"]["resourceVersion"] for one, _ in each] for each in (bases, now)]
        if versions[0] == versions[1] or time.monotonic() > deadline:
            return now
        bases = now


def harmless(document: Object) -> Object:
    """An admission rule that applies to nothing; other objects as they are."""
    if not document["apiVersion"].startswith("admissionregistration.k8s.io/"):
        return document
    copied: Object = json.loads(json.dumps(document))
    _disarm(copied)
    return copied


def _disarm(value: Any) -> None:
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _disarm(item)
    if isinstance(value, dict) and "apiGroups" in value:
        value["apiGroups"] = ["none.example.com"]
