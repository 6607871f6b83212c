"""Brings the definitions of the kinds that are rendered, and names those that nobody can bring."""

from __future__ import annotations

import json
import lzma
import os
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from harness.client import Client, Object
from harness.crds import CORPUS, crds, install_crds

from stowplan.diagnostics.model import Severity
from stowplan.schema.importing import import_text
from stowplan.schema.pack import Pack

KUEUE_GROUP = "kueue.x-k8s.io"
"""Kinds of Kueue come with Kueue itself, conversion and webhooks included."""

COMPONENT_OF: Mapping[str, str] = MappingProxyType(
    {
        "jobset.x-k8s.io": "jobset",
        "leaderworkerset.x-k8s.io": "lws",
        "trainer.kubeflow.org": "trainer",
        "kubeflow.org": "training-operator",
        "ray.io": "kuberay",
        "argoproj.io": "argocd",
        "kustomize.toolkit.fluxcd.io": "flux",
        "source.toolkit.fluxcd.io": "flux-source",
        "gateway.networking.k8s.io": "gateway-api",
        "networking.istio.io": "istio",
        "cert-manager.io": "cert-manager",
        "keda.sh": "keda",
        "monitoring.coreos.com": "prometheus-operator",
        "policy.karmada.io": "karmada",
        "config.karmada.io": "karmada",
        "inference.networking.k8s.io": "inference-extension",
        "serving.kserve.io": "kserve",
    }
)
"""Which component of the bed brings an API group."""

WHOLE = frozenset({"jobset.x-k8s.io", "trainer.kubeflow.org"})
"""Groups that Kueue looks into: it does not start where only some kinds of them are served."""

FRAMEWORK_OF: Mapping[str, str] = MappingProxyType(
    {"jobset.x-k8s.io": "jobset.x-k8s.io/jobset", "trainer.kubeflow.org": "trainer.kubeflow.org/trainjob"}
)
"""Kueue's framework for a group's jobs."""

Kind = tuple[str, str]
"""apiVersion and kind."""


def group_of(api_version: str) -> str:
    """The API group, empty for the core group."""
    return api_version.rpartition("/")[0]


def definitions(kinds: Iterable[Kind]) -> tuple[list[Object], tuple[Kind, ...]]:
    """The CRDs of those kinds that are custom and not Kueue's, and the custom kinds that no source has."""
    found: dict[str, Object] = {}
    missing: list[Kind] = []
    for api_version, kind in sorted(set(kinds)):
        group = group_of(api_version)
        if "." not in group or group == KUEUE_GROUP:
            continue
        definition = next((one for one in _of_group(group) if _serves(one, group, api_version, kind)), None)
        if definition is not None:
            siblings = _of_group(group) if group in WHOLE else (definition,)
            found.update((one["metadata"]["name"], one) for one in siblings)
        elif not group.endswith(".k8s.io"):
            missing.append((api_version, kind))
    return list(found.values()), tuple(missing)


def frameworks(documents: Iterable[Object]) -> tuple[str, ...]:
    """The frameworks that Kueue can run where these CRDs are installed."""
    groups = sorted({one["spec"]["group"] for one in documents})
    return ("batch/job", *(FRAMEWORK_OF[group] for group in groups if group in FRAMEWORK_OF))


def install_definitions(client: Client, kinds: Iterable[Kind]) -> tuple[Kind, ...]:
    """Install what `kinds` need (Kueue's aside); the kinds that the server does not serve afterwards."""
    kinds = sorted(set(kinds))
    documents, _ = definitions(kinds)
    install_crds(client, documents)
    return tuple(one for one in kinds if group_of(one[0]) != KUEUE_GROUP and not client.discovery.served(*one))


def served_pack(client: Client) -> Pack:
    """The pack of a server's own CRDs, imported as a user imports them."""
    documents = client.list("apiextensions.k8s.io/v1", "CustomResourceDefinition")
    outcome = import_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": documents}), "server.json", "server")
    assert not [one for one in outcome.diagnostics if one.severity is Severity.ERROR], outcome.diagnostics
    return outcome.value


@cache
def _of_group(group: str) -> tuple[Object, ...]:
    component = COMPONENT_OF.get(group)
    brought = tuple(one for one in crds(component) if one["spec"]["group"] == group) if component else ()
    return brought or tuple(one for one in _corpus() if one["spec"]["group"] == group)


@cache
def _corpus() -> tuple[Object, ...]:
    folder = os.environ.get(CORPUS)
    path = Path(folder or ".") / "crds.jsonl.xz"
    if not folder or not path.exists():
        return ()
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return tuple(json.loads(line)["crd"] for line in lines)


def _serves(definition: Object, group: str, api_version: str, kind: str) -> bool:
    spec = definition["spec"]
    version = api_version.rpartition("/")[2]
    served = any(one["name"] == version and one["served"] for one in spec["versions"])
    return bool(spec["group"] == group and spec["names"]["kind"] == kind and served)
