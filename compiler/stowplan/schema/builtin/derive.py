"""Defaults of built-in kinds that are computed from other members, named by the table's `derived` entries.

Each function changes a stored value in place: a value of the type it is listed for, or the whole object for a kind.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final

from stowplan.schema.builtin import derive_pod

__all__ = ["FUNCTIONS", "pull_policy"]

_IMAGE_DOMAIN: Final = r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*|\[[A-Fa-f0-9:]+\])(?::[0-9]+)?"
_IMAGE_PART: Final = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_IMAGE: Final = re.compile(
    rf"(?P<name>(?:{_IMAGE_DOMAIN}/)?{_IMAGE_PART}(?:/{_IMAGE_PART})*)"
    r"(?::(?P<tag>\w[\w.-]{0,127}))?(?:@(?P<digest>[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?",
    re.ASCII,
)


_IDENTIFIER: Final = re.compile("[a-f0-9]{64}")


def _repository(name: str) -> str:
    """The part of an image's name that is no host, as it is completed."""
    first, slash, rest = name.partition("/")
    if not slash:
        return f"library/{name}"
    if first in ("docker.io", "index.docker.io"):
        return rest if "/" in rest else f"library/{rest}"
    return rest if first == "localhost" or "." in first or ":" in first or first.lower() != first else name


@lru_cache(maxsize=4096)
def pull_policy(image: Any) -> str:
    """Always for the tag latest or neither tag nor digest; a reference that cannot be read counts as tagged."""
    match = _IMAGE.fullmatch(image) if isinstance(image, str) and len(image) <= 4096 else None
    if match is None or len(_repository(match["name"])) > 255 or _IDENTIFIER.fullmatch(image):
        return "IfNotPresent"
    tag = match["tag"] or ("" if match["digest"] else "latest")
    return "Always" if tag == "latest" else "IfNotPresent"


def image_pull_policy(container: dict[str, Any]) -> None:
    """The pull policy of a container, from its image."""
    if "imagePullPolicy" not in container:
        container["imagePullPolicy"] = pull_policy(container.get("image"))


def image_volume_pull_policy(source: dict[str, Any]) -> None:
    """The pull policy of an image volume, from its reference."""
    if "pullPolicy" not in source:
        source["pullPolicy"] = pull_policy(source.get("reference"))


def mirror_service_account(spec: dict[str, Any]) -> None:
    """`serviceAccount` is the old name of `serviceAccountName`; either fills the other, the new one wins."""
    name = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if name:
        spec["serviceAccountName"] = spec["serviceAccount"] = name


def positive_grace_period(pod: dict[str, Any]) -> None:
    """A negative grace period of a Pod is stored as one second; templates keep theirs."""
    spec = pod["spec"]
    if spec["terminationGracePeriodSeconds"] < 0:
        spec["terminationGracePeriodSeconds"] = 1


def daemon_max_unavailable(strategy: dict[str, Any]) -> None:
    """A rolling update that is given but silent allows one unavailable Pod, or none under another strategy."""
    rolling = strategy.get("rollingUpdate")
    if rolling is not None:
        rolling.setdefault("maxUnavailable", 1 if strategy["type"] == "RollingUpdate" else 0)


def _scaling_policy(kind: str, value: int) -> dict[str, Any]:
    return {"type": kind, "value": value, "periodSeconds": 15}


def scaling_behaviour(spec: dict[str, Any]) -> None:
    """Any `behavior`, even an empty one, is completed in both directions."""
    behaviour = spec.get("behavior")
    if behaviour is None:
        return
    up = behaviour.setdefault("scaleUp", {})
    up.setdefault("stabilizationWindowSeconds", 0)
    up.setdefault("selectPolicy", "Max")
    up.setdefault("policies", [_scaling_policy("Pods", 4), _scaling_policy("Percent", 100)])
    down = behaviour.setdefault("scaleDown", {})
    down.setdefault("selectPolicy", "Max")
    down.setdefault("policies", [_scaling_policy("Percent", 100)])


def limit_range_defaults(item: dict[str, Any]) -> None:
    """For containers the default limit comes from the maximum, the default request from that and the minimum."""
    if item.get("type") != "Container":
        return
    limits = {**item.get("max", {}), **item.get("default", {})}
    requests = {**item.get("min", {}), **limits, **item.get("defaultRequest", {})}
    if limits:
        item["default"] = limits
    if requests:
        item["defaultRequest"] = requests


def drop_affinity_config(spec: dict[str, Any]) -> None:
    """Without session affinity there is nothing to configure."""
    if spec["sessionAffinity"] == "None":
        spec.pop("sessionAffinityConfig", None)


def target_ports(spec: dict[str, Any]) -> None:
    """A target port that is absent, zero or empty is the port itself."""
    for port in spec.get("ports", ()):
        if not port.get("targetPort"):
            port["targetPort"] = port["port"]


def crd_names(definition: dict[str, Any]) -> None:
    """The singular and list kind of a custom resource, from its kind."""
    names = definition["spec"]["names"]
    kind = names["kind"]
    if not names.get("singular"):
        names["singular"] = kind.lower()
    if not names.get("listKind"):
        names["listKind"] = f"{kind}List" if kind else ""


def crd_conversion(definition: dict[str, Any]) -> None:
    """A webhook section without content is not stored."""
    conversion = definition["spec"].get("conversion", {})
    webhook = conversion.get("webhook")
    if webhook is not None and "clientConfig" not in webhook and not any(webhook.values()):
        del conversion["webhook"]


def claim_template_kind(stateful_set: dict[str, Any]) -> None:
    """Claim templates are stored as PersistentVolumeClaims whatever they call themselves."""
    for claim in stateful_set["spec"].get("volumeClaimTemplates", ()):
        claim["apiVersion"], claim["kind"] = "v1", "PersistentVolumeClaim"


def generated_selector(job: dict[str, Any]) -> None:
    """An empty selector of a Job is as none, for the server makes one, unless it is told not to."""
    if job["spec"].get("selector") == {} and not job["spec"].get("manualSelector"):
        del job["spec"]["selector"]


def _template_labels(owner: dict[str, Any]) -> dict[str, Any]:
    labels: dict[str, Any] = owner["spec"].get("template", {}).get("metadata", {}).get("labels", {})
    return labels


def labels_from_template(owner: dict[str, Any]) -> None:
    """An object without labels gets those of its template."""
    labels = _template_labels(owner)
    if labels and not owner["metadata"].get("labels"):
        owner["metadata"]["labels"] = dict(labels)


def controller_selector(controller: dict[str, Any]) -> None:
    """A ReplicationController without selector selects its template's labels."""
    labels = _template_labels(controller)
    if labels and not controller["spec"].get("selector"):
        controller["spec"]["selector"] = dict(labels)


def namespace_label(namespace: dict[str, Any]) -> None:
    """The label that names a Namespace cannot say anything else."""
    labels, name = namespace["metadata"].get("labels", {}), namespace["metadata"].get("name")
    if name and "kubernetes.io/metadata.name" in labels:
        labels["kubernetes.io/metadata.name"] = name


def string_data(secret: dict[str, Any]) -> None:
    """`stringData` is moved into `data`, over what is there."""
    texts = secret.pop("stringData", None)
    if texts:
        data = secret.setdefault("data", {})
        for key, text in texts.items():
            data[key] = base64.b64encode(text.encode("utf-8", "replace")).decode()


def secret_names(account: dict[str, Any]) -> None:
    """Of a ServiceAccount's secrets only the names are stored."""
    if "secrets" in account:
        account["secrets"] = [{"name": secret["name"]} if "name" in secret else {} for secret in account["secrets"]]


_CLAIM_SOURCES: Final = frozenset({("", "PersistentVolumeClaim"), ("snapshot.storage.k8s.io", "VolumeSnapshot")})


def claim_sources(claim: dict[str, Any]) -> None:
    """A claim's two sources mirror each other; what the server does not support vanishes first."""
    spec = claim["spec"]
    if (spec.get("dataSourceRef") or {}).get("namespace"):
        del spec["dataSourceRef"]
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    known = source is None or (source.get("apiGroup") or "", source["kind"]) in _CLAIM_SOURCES
    if reference is None and not known:
        del spec["dataSource"]
        return
    if source is not None and reference is None:
        spec["dataSourceRef"] = dict(source)
    elif reference is not None and source is None:
        spec["dataSource"] = {key: value for key, value in reference.items() if key != "namespace"}


def _registry(functions: Iterable[Callable[[dict[str, Any]], None]]) -> dict[str, Callable[[dict[str, Any]], None]]:
    return {function.__name__: function for function in functions}


FUNCTIONS: Final = _registry(
    (
        image_pull_policy,
        image_volume_pull_policy,
        mirror_service_account,
        positive_grace_period,
        daemon_max_unavailable,
        scaling_behaviour,
        limit_range_defaults,
        drop_affinity_config,
        target_ports,
        crd_names,
        crd_conversion,
        claim_template_kind,
        generated_selector,
        labels_from_template,
        controller_selector,
        namespace_label,
        string_data,
        secret_names,
        claim_sources,
        *derive_pod.FUNCTIONS,
    )
)
