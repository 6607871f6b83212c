"""Reads files that come with the Go modules: CustomResourceDefinitions, and Kueue's manifests."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

from harness.binaries import absent
from harness.build import go_environment
from harness.servers import MODULES, SERVERS, chosen

Object = dict[str, Any]

_FAST: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_UNKNOWN_TO_JSON = ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:value")


class Loader(_FAST):  # type: ignore[misc,valid-type]
    """Reads YAML as Kubernetes does: times stay text, and `=` is text too."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in _UNKNOWN_TO_JSON]
    for first, resolvers in _FAST.yaml_implicit_resolvers.items()
}


@dataclass(frozen=True, slots=True)
class Source:
    """Where the CRDs of one component lie: our module that pins it, the Go module, and files in it (a pattern)."""

    pinned_by: str
    module: str
    pattern: str


SOURCES: Mapping[str, Source] = MappingProxyType(
    {
        "jobset": Source("kueue", "sigs.k8s.io/jobset", "config/components/crd/bases/*.yaml"),
        "lws": Source("kueue", "sigs.k8s.io/lws", "config/crd/bases/*.yaml"),
        "trainer": Source("kueue", "github.com/kubeflow/trainer/v2", "manifests/base/crds/trainer.*.yaml"),
        "training-operator": Source(
            "kueue", "github.com/kubeflow/training-operator", "manifests/base/crds/kubeflow.org_[!m]*"
        ),
        "mpi-operator": Source("kueue", "github.com/kubeflow/mpi-operator", "manifests/base/kubeflow.org_mpijobs.yaml"),
        "kuberay": Source("kueue", "github.com/ray-project/kuberay/ray-operator", "config/crd/bases/*.yaml"),
        "cluster-profile": Source(
            "kueue", "sigs.k8s.io/cluster-inventory-api", "config/crd/bases/multicluster.x-k8s.io_clusterprofiles.yaml"
        ),
        "argocd": Source("argocd", "github.com/argoproj/argo-cd/v3", "manifests/crds/*-crd.yaml"),
        "flux": Source("flux", "github.com/fluxcd/kustomize-controller", "config/crd/bases/*.yaml"),
        "flux-source": Source("crds", "github.com/fluxcd/source-controller", "config/crd/bases/*.yaml"),
        "gateway-api": Source("crds", "sigs.k8s.io/gateway-api", "config/crd/standard/gateway*.yaml"),
        "istio": Source("crds", "istio.io/api", "kubernetes/customresourcedefinitions.gen.yaml"),
        "cert-manager": Source("crds", "github.com/cert-manager/cert-manager", "deploy/crds/*_*.yaml"),
        "keda": Source("crds", "github.com/kedacore/keda/v2", "config/crd/bases/*.yaml"),
        "prometheus-operator": Source(
            "crds",
            "github.com/prometheus-operator/prometheus-operator",
            "example/prometheus-operator-crd/*.yaml",
        ),
    }
)
"""Components whose CRDs come with Go modules; Kueue's own come with conversion, by `harness.kueue`.

The training operator's MPIJob is left out: it and the MPI operator's bear the same name, and a cluster holds one.
"""


def module_directory(pinned_by: str, module: str) -> Path:
    """The directory of a module at the version that `servers/PINNED_BY/go.mod` pins; fetched when it is not there.

    Where the run chose another server for `PINNED_BY`, that one's go.mod says it. Skips (or fails) the test where it is
    not to be had.
    """
    return _directory(chosen(pinned_by).module if pinned_by in SERVERS else pinned_by, module)


@cache
def _directory(pinned_by: str, module: str) -> Path:
    if shutil.which("go") is None:
        absent(f"{module}: its files come with the Go module, and Go is not on the PATH")
    done = subprocess.run(
        ("go", "mod", "download", "-json", module),
        cwd=MODULES / pinned_by,
        env=go_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        words = (done.stdout + done.stderr).strip()[-600:]
        absent(f"{module}: `go mod download` in servers/{pinned_by} ended with {done.returncode}: {words}")
    return Path(json.loads(done.stdout)["Dir"])


@cache
def module_documents(name: str) -> tuple[Object, ...]:
    """The CRDs of a component of `SOURCES`, in the order of their files. Do not change what this returns."""
    source = SOURCES[name]
    directory = module_directory(source.pinned_by, source.module)
    paths = sorted(directory.glob(source.pattern))
    if not paths:
        raise FileNotFoundError(f"{name}: no file {source.pattern} in {directory}")
    documents = (document for path in paths for document in load_all(path.read_text(encoding="utf-8")))
    return tuple(one for one in documents if one["kind"] == "CustomResourceDefinition")


def load_all(text: str) -> list[Object]:
    """The documents of a YAML stream that are not empty."""
    return [document for document in yaml.load_all(text, Loader) if document]
