"""CustomResourceDefinitions come from the Go modules and from the corpus, and are served once installed."""

from __future__ import annotations

import pytest
from harness.bed import Bed
from harness.client import Client, reference
from harness.crds import crds, install_components, install_crds
from harness.modules import SOURCES

KINDS = {
    "jobset": ("jobset.x-k8s.io/v1alpha2", "JobSet"),
    "lws": ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"),
    "trainer": ("trainer.kubeflow.org/v1alpha1", "TrainJob"),
    "training-operator": ("kubeflow.org/v1", "PyTorchJob"),
    "mpi-operator": ("kubeflow.org/v2beta1", "MPIJob"),
    "kuberay": ("ray.io/v1", "RayJob"),
    "argocd": ("argoproj.io/v1alpha1", "Application"),
    "flux": ("kustomize.toolkit.fluxcd.io/v1", "Kustomization"),
    "flux-source": ("source.toolkit.fluxcd.io/v1", "GitRepository"),
    "gateway-api": ("gateway.networking.k8s.io/v1", "HTTPRoute"),
    "istio": ("networking.istio.io/v1", "DestinationRule"),
    "cert-manager": ("cert-manager.io/v1", "Certificate"),
    "keda": ("keda.sh/v1alpha1", "ScaledObject"),
    "prometheus-operator": ("monitoring.coreos.com/v1", "PrometheusRule"),
}
CORPUS_KINDS = {
    "karmada": ("policy.karmada.io/v1alpha1", "PropagationPolicy"),
    "inference-extension": ("inference.networking.k8s.io/v1", "InferencePool"),
    "kserve": ("serving.kserve.io/v1beta1", "InferenceService"),
}


@pytest.fixture(scope="module")
def client(module_bed: Bed) -> Client:
    return module_bed.plane("crds").client()


def _served(client: Client, kinds: dict[str, tuple[str, str]]) -> dict[str, bool]:
    return {name: client.discovery.served(*kind) for name, kind in kinds.items()}


def test_every_component_of_the_go_modules_is_served(client: Client) -> None:
    assert set(KINDS) == set(SOURCES)
    install_components(client, *KINDS)
    assert _served(client, KINDS) == dict.fromkeys(KINDS, True)


def test_components_of_the_corpus_are_served(client: Client) -> None:
    install_components(client, *CORPUS_KINDS)
    assert _served(client, CORPUS_KINDS) == dict.fromkeys(CORPUS_KINDS, True)


def test_installing_again_changes_nothing(client: Client) -> None:
    documents = crds("jobset")
    install_crds(client, documents)
    before = [client.get(one)["metadata"]["resourceVersion"] for one in documents]
    install_crds(client, documents)
    assert [client.get(one)["metadata"]["resourceVersion"] for one in documents] == before


def test_an_object_of_a_new_kind_is_accepted_at_once(client: Client) -> None:
    install_components(client, "keda")
    rule = reference("keda.sh/v1alpha1", "ScaledObject", "one", "default")
    rule["spec"] = {"scaleTargetRef": {"name": "web"}, "triggers": [{"type": "cpu", "metadata": {"value": "1"}}]}
    assert client.apply(rule).warnings == ()
