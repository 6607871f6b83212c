"""What only servers write: left out of every comparison, each entry with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any, Final

__all__ = ["DROPPED", "DROPPED_METADATA", "DROPPED_METADATA_KEYS", "is_server_default", "is_server_key"]

DROPPED: Final = frozenset(
    {
        "status",  # what controllers observed, never what somebody wants
    }
)
"""Fields of the root that are not compared."""

DROPPED_METADATA: Final = frozenset(
    {
        "uid",  # given at creation
        "resourceVersion",  # changes with every write
        "generation",  # counted up by the API server
        "creationTimestamp",  # given at creation
        "deletionTimestamp",  # set by a deletion in progress
        "deletionGracePeriodSeconds",  # belongs to the deletion timestamp
        "managedFields",  # read for ownership, never compared
        "selfLink",  # gone since 1.24, still in old exports
        "generateName",  # stays beside the name that was made from it
        "ownerReferences",  # names UIDs, which Git cannot know
    }
)
"""Fields of metadata that are not compared."""

DROPPED_METADATA_KEYS: Final = (
    "kubectl.kubernetes.io/last-applied-configuration",  # memory of client-side apply
    "argocd.argoproj.io/tracking-id",  # Argo CD's mark on what it tracks
    "argocd.argoproj.io/installation-id",  # the same, of which Argo CD
    "kustomize.toolkit.fluxcd.io/name",  # Flux' mark: which Kustomization
    "kustomize.toolkit.fluxcd.io/namespace",  # the same, its namespace
    "kustomize.toolkit.fluxcd.io/checksum",  # old Flux versions
    "deployment.kubernetes.io/revision",  # counted by the Deployment controller
    "deprecated.daemonset.template.generation",  # counted by the DaemonSet controller
    "kubernetes.io/metadata.name",  # on every Namespace
    "karmada.io/managed",  # Karmada's marks on what it puts into members
    "*.karmada.io/permanent-id",
    "propagationpolicy.karmada.io/*",
    "clusterpropagationpolicy.karmada.io/*",
    "resourcebinding.karmada.io/*",
    "clusterresourcebinding.karmada.io/*",
    "resourcetemplate.karmada.io/uid",
    "resourcetemplate.karmada.io/generation",
    "resourcetemplate.karmada.io/managed-labels",
    "resourcetemplate.karmada.io/managed-annotations",
    "work.karmada.io/*",
    "pv.kubernetes.io/*",  # volume binding
    "volume.kubernetes.io/*",
    "volume.beta.kubernetes.io/*",
)
"""Keys of labels and annotations that are not compared where Git does not render them; `*` stands for any characters."""

_SERVER_DEFAULTS: Final[Mapping[str, tuple[str, ...]]] = {
    # addresses and families are allotted
    "Service": (
        "spec.clusterIP", "spec.clusterIPs", "spec.ipFamilies", "spec.ipFamilyPolicy", "spec.internalTrafficPolicy",
        "spec.sessionAffinity", "spec.type", "spec.ports[*].nodePort", "spec.healthCheckNodePort",
        "spec.allocateLoadBalancerNodePorts", "spec.externalTrafficPolicy",
    ),
    "PersistentVolumeClaim": ("spec.volumeName", "spec.storageClassName", "spec.volumeMode"),  # binding
    "PersistentVolume": ("spec.claimRef*", "spec.volumeMode"),  # binding
    "Job": (  # generated from the UID
        "spec.selector*", 'spec.template.metadata.labels["*controller-uid"]',
        'spec.template.metadata.labels["*job-name"]',
    ),
    "ServiceAccount": ("secrets*", "imagePullSecrets*"),  # token and registry controllers
    "Namespace": ("spec.finalizers", "spec"),  # life cycle
    "Secret": ("data.token", "data.ca.crt", "data.namespace"),  # token controller
    "MutatingWebhookConfiguration": ("webhooks[*].clientConfig.caBundle",),  # certificate injection
    "ValidatingWebhookConfiguration": ("webhooks[*].clientConfig.caBundle",),
    "CustomResourceDefinition": ("spec.conversion*",),
    "APIService": ("spec.caBundle",),
}  # fmt: skip
"""Live-only fields that the API server or its controllers fill in, by kind."""


def is_server_key(key: str) -> bool:
    """Whether a label or annotation key is one of `DROPPED_METADATA_KEYS`."""
    return any(key == pattern or ("*" in pattern and fnmatchcase(key, pattern)) for pattern in DROPPED_METADATA_KEYS)


def is_server_default(kind: str, path: str, value: Any) -> bool:
    """Whether a live-only field is known to be the server's: by kind and path, or because it holds nothing."""
    if value is None or value == {} or value == []:
        return True
    return any(_matches(path, pattern) for pattern in _SERVER_DEFAULTS.get(kind, ()))


def _matches(path: str, pattern: str) -> bool:
    if path == pattern:
        return True
    # Brackets are ordinary characters here, but mean a choice to fnmatch.
    return "*" in pattern and fnmatchcase(_flat(path), _flat(pattern))


def _flat(text: str) -> str:
    return text.replace("[", "(").replace("]", ")")
