"""Bring image and model to the nodes before a replica lands there: a DaemonSet, which settles and has no end.

A Job would have one: engines run it again, or keep what is over. The DaemonSet mounts both as image volumes, so
that the kubelet pulls them, holds nothing but a paused process, and follows new nodes by itself.
"""

from __future__ import annotations

from typing import Any

from stowplan.diagnostics.model import Diagnostic, Label, warning
from stowplan.passes.lower.images import mirrored
from stowplan.passes.lower.inference.names import object_name, selector, work_labels
from stowplan.passes.lower.inference.pods import CONTAINER_SECURITY, placement_variables
from stowplan.passes.lower.inference.service import Service

__all__ = ["prewarm"]

_PAUSE = "registry.k8s.io/pause"
_PAUSE_DIGEST = "sha256:278fb9dbcca9518083ad1e11276933a2e96f23de604a3a08cc3c80002767d24c"
"""Release 3.10.1."""
_IMAGE_VOLUMES_FROM = 35


def prewarm(service: Service) -> tuple[dict[str, Any], tuple[Diagnostic, ...]]:
    """Variables of the DaemonSet, and a warning where the model cannot be brought along."""
    images = {"image": service.image[0]}
    if service.model.image is not None:
        images["model"] = service.model.image
    by_volume = service.cluster.minor >= _IMAGE_VOLUMES_FROM
    pulled = images if by_volume else {}
    variables = {
        "name": object_name(service.workload.name, "prewarm"),
        "namespace": service.workload.namespace,
        "labels": work_labels(service.workload),
        "selector": selector(service.workload, "prewarm"),
        "pod_labels": selector(service.workload, "prewarm") | work_labels(service.workload),
        "account": service.account,
        "image": f"{mirrored(_PAUSE, service.cluster)}@{_PAUSE_DIGEST}",
        "pulls": [] if by_volume else [{"name": "pull", "image": service.image[0]}],
        "volumes": [
            {"name": name, "image": {"reference": reference, "pullPolicy": "IfNotPresent"}}
            for name, reference in pulled.items()
        ],
        "mounts": [{"name": name, "mountPath": f"/prewarm/{name}", "readOnly": True} for name in pulled],
        "resources": {"limits": {"memory": "32Mi"}, "requests": {"cpu": "10m", "memory": "32Mi"}},
        "container_security": CONTAINER_SECURITY,
        **placement_variables(service),
    }
    is_lost = service.model.image is None and service.model.volume is None
    return variables, (_model_is_left(service),) if is_lost else ()


def _model_is_left(service: Service) -> Diagnostic:
    entity = service.workload.entity
    return warning(
        "SP0731",
        f"only the image of `{service.workload.name}` is brought to the nodes of `{service.cluster.name}` first, not the model",
        entity.at("prewarm"),
        "asked for here",
        secondary=(Label(service.model.origin, "this copy is loaded by each replica itself"),),
        helps=("put the model into a registry (`oci://`) or on a volume (`pvc://CLAIM/PATH`)",),
        targets=(service.cluster.name,),
    )
