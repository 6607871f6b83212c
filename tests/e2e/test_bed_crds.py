"""CustomResourceDefinitions come from the Go modules and from the corpus, and are served once installed."""

from __future__ import annotations

import pytest
from harness.bed import Bed
from harness.client import Client, reference
from harness.crds import CORPUS_REPOSITORIES, crds, install_components, install_crds
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
    "cluster-profile": ("multicluster.x-k8s.io/v1alpha1", "ClusterProfile"),
}
CORPUS_KINDS = {
    "karmada": ("policy.karmada.io/v1alpha1", "PropagationPolicy"),
    "inference-extension": ("inference.networking.k8s.io/v1", "InferencePool"),
    "kserve": ("serving.kserve.io/v1beta1", "InferenceService"),
}


INSTALLED_ELSEWHERE = ("jobset", "trainer", "argocd", "flux", "flux-source", "cluster-profile")
ONLY_READ = ("kuberay", "training-operator", "prometheus-operator", "kserve")  # the largest: each takes seconds


@pytest.fixture(scope="module")
def client(module_bed: Bed) -> Client:
    return module_bed.plane("crds").client()


def _kinds(component: str) -> set[tuple[str, str]]:
    specs = [document["spec"] for document in crds(component)]
    return {
        (f"{spec['group']}/{version['name']}", spec["names"]["kind"])
        for spec in specs
        for version in spec["versions"]
        if version["served"]
    }


def test_every_component_has_a_kind_to_look_for() -> None:
    assert set(KINDS) == set(SOURCES)
    assert set(CORPUS_KINDS) == set(CORPUS_REPOSITORIES)


@pytest.mark.parametrize("component", [*KINDS, *CORPUS_KINDS])
def test_the_crds_of_a_component_are_found(component: str) -> None:
    assert (KINDS | CORPUS_KINDS)[component] in _kinds(component)


@pytest.mark.parametrize("kinds", [KINDS, CORPUS_KINDS], ids=["modules", "corpus"])
def test_components_are_served_once_installed(client: Client, kinds: dict[str, tuple[str, str]]) -> None:
    chosen = [name for name in kinds if name not in (*INSTALLED_ELSEWHERE, *ONLY_READ)]
    install_components(client, *chosen)
    assert {name: client.discovery.served(*kinds[name]) for name in chosen} == dict.fromkeys(chosen, True)


def test_installing_again_changes_nothing(client: Client) -> None:
    documents = crds("lws")
    install_crds(client, documents)
    before = [client.get(one)["metadata"]["resourceVersion"] for one in documents]
    install_crds(client, documents)
    assert [client.get(one)["metadata"]["resourceVersion"] for one in documents] == before


def test_an_object_of_a_new_kind_is_accepted_at_once(client: Client) -> None:
    install_components(client, "keda")
    rule = reference("keda.sh/v1alpha1", "ScaledObject", "one", "default")
    rule["spec"] = {"scaleTargetRef": {"name": "web"}, "triggers": [{"type": "cpu", "metadata": {"value": "1"}}]}
    assert client.apply(rule).warnings == ()
