"""Turns webhook manifests that name a service inside a cluster to a port on loopback."""

from __future__ import annotations

import copy
from collections.abc import Iterable

from harness.certificates import Certificates
from harness.client import Client, Object
from harness.crds import install_crds

HOOK_KINDS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")


def turned_to_loopback(document: Object, port: int, certificates: Certificates) -> Object:
    """A copy of a webhook configuration or CRD whose services are addresses on loopback, with our authority."""
    document = copy.deepcopy(document)
    for configuration in _client_configurations(document):
        path = configuration.pop("service")["path"]
        configuration |= {"url": f"https://127.0.0.1:{port}{path}", "caBundle": certificates.bundle()}
    return document


def install_hooked(client: Client, documents: Iterable[Object], port: int, certificates: Certificates) -> None:
    """Install CRDs first, then webhooks and cluster roles, of an operator whose webhooks listen on the port."""
    turned = [turned_to_loopback(document, port, certificates) for document in documents]
    install_crds(client, [one for one in turned if one["kind"] == "CustomResourceDefinition"])
    for document in turned:
        if document["kind"] in (*HOOK_KINDS, "ClusterRole"):
            client.apply(document, force=True)


def _client_configurations(document: Object) -> list[Object]:
    """The places of a document that say where a webhook is."""
    if document["kind"] in HOOK_KINDS:
        return [hook["clientConfig"] for hook in document["webhooks"]]
    if document["kind"] == "CustomResourceDefinition":
        conversion = document["spec"].get("conversion", {})
        return [conversion["webhook"]["clientConfig"]] if "webhook" in conversion else []
    return []
