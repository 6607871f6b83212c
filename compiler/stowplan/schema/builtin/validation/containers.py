"""Rules of containers: regular, init and ephemeral."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .environment import check_environment, check_environment_from
from .mounts import check_devices, check_mounts
from .names import dns_label, port_name, port_number
from .probes import check_lifecycle, check_probe
from .report import Report
from .resources import check_container_resources
from .security import check_container_security

__all__ = [
    "PodContext",
    "check_containers",
    "check_ephemeral_containers",
    "check_image_padding",
    "check_init_containers",
]

_MESSAGE_POLICIES = ("File", "FallbackToLogsOnError")
_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_RESIZE_POLICIES = ("NotRequired", "RestartContainer")
_RESTART_POLICIES = ("Always", "Never", "OnFailure")
_RULE_ACTIONS = ("Restart", "RestartAllContainers")
_PROTOCOLS = ("SCTP", "TCP", "UDP")
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_ONLY_SIDECARS = "may not be set for init containers without restartPolicy=Always"
_NO_RESTART = "must not be set to 'RestartContainer' for non-sidecar initContainers"
_NOT_EPHEMERAL = ("ports", "resources", *_PROBES, "lifecycle", "resizePolicy", "restartPolicy", "restartPolicyRules")
_EPHEMERAL = "cannot be set for an Ephemeral Container"
_MAXIMUM_CODES = 255


@dataclass(frozen=True, slots=True)
class PodContext:
    """What a container's rules need to know of its Pod; `volumes` are those that are well, `named_volumes` all."""

    volumes: Mapping[str, Mapping[str, Any]]
    named_volumes: Mapping[str, Mapping[str, Any]]
    claims: Collection[str]
    grace: int | None
    restart_policy: str
    host_users: bool


def _check_common(container: Mapping[str, Any], pod: PodContext, path: str, report: Report) -> None:
    get = container.get
    name = get("name") or ""
    if not name:
        report.required(f"{path}.name")
    elif complaints := dns_label(name):
        report.invalid_all(f"{path}.name", name, complaints)
    if not get("image"):
        report.required(f"{path}.image")
    if (policy := get("terminationMessagePolicy")) not in _MESSAGE_POLICIES:
        report.required_choice(f"{path}.terminationMessagePolicy", policy, _MESSAGE_POLICIES)
    if ports := get("ports"):
        _check_ports(ports, f"{path}.ports", report)
    if environment := get("env"):
        check_environment(environment, pod.named_volumes, f"{path}.env", report)
    if sources := get("envFrom"):
        check_environment_from(sources, f"{path}.envFrom", report)
    if get("volumeMounts"):
        check_mounts(container, pod.volumes, f"{path}.volumeMounts", report)
    if devices := get("volumeDevices"):
        check_devices(devices, get("volumeMounts") or (), pod.volumes, f"{path}.volumeDevices", report)
    if (policy := get("imagePullPolicy")) not in _PULL_POLICIES:
        report.required_choice(f"{path}.imagePullPolicy", policy, _PULL_POLICIES)
    if resources := get("resources"):
        check_container_resources(resources, pod.claims, f"{path}.resources", report)
    if policies := get("resizePolicy"):
        _check_resize(policies, pod, f"{path}.resizePolicy", report)
    if context := get("securityContext"):
        check_container_security(context, pod.host_users, f"{path}.securityContext", report)


def _check_ports(ports: Sequence[Mapping[str, Any]], path: str, report: Report) -> None:
    names: set[str] = set()
    for position, port in enumerate(ports):
        place = f"{path}[{position}]"
        if name := port.get("name"):
            complaints = port_name(name)
            if complaints:
                report.invalid_all(f"{place}.name", name, complaints)
            elif name in names:
                report.duplicate(f"{place}.name", name)
            names.add(name)
        if not port.get("containerPort"):
            report.required(f"{place}.containerPort")
        else:
            report.invalid_all(f"{place}.containerPort", port["containerPort"], port_number(port["containerPort"]))
        if port.get("hostPort"):
            report.invalid_all(f"{place}.hostPort", port["hostPort"], port_number(port["hostPort"]))
        if (protocol := port.get("protocol")) not in _PROTOCOLS:
            report.required_choice(f"{place}.protocol", protocol, _PROTOCOLS)


def _check_resize(policies: Sequence[Mapping[str, Any]], pod: PodContext, path: str, report: Report) -> None:
    seen: set[str] = set()
    for position, policy in enumerate(policies):
        name, restart = policy.get("resourceName") or "", policy.get("restartPolicy") or ""
        if name in seen:
            report.duplicate(f"{path}[{position}]", name)
        seen.add(name)
        report.required_choice(path, name, ("cpu", "memory"))
        report.required_choice(path, restart, _RESIZE_POLICIES)
        if pod.restart_policy == "Never" and restart != "NotRequired":
            report.invalid(path, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'")


def _check_actions(container: Mapping[str, Any], pod: PodContext, path: str, report: Report) -> None:
    if (lifecycle := container.get("lifecycle")) is not None:
        check_lifecycle(lifecycle, pod.grace, f"{path}.lifecycle", report)
    for member in _PROBES:
        if (probe := container.get(member)) is not None:
            check_probe(probe, member, f"{path}.{member}", report)


def _check_restart(container: Mapping[str, Any], path: str, report: Report, *, initial: bool = False) -> None:
    """When a container restarts; rules without a policy are not looked into for an `initial` one."""
    policy, rules = container.get("restartPolicy"), container.get("restartPolicyRules") or ()
    if policy is not None:
        report.choice(f"{path}.restartPolicy", policy, _RESTART_POLICIES)
    if not rules:
        return
    if policy is None:
        report.required(f"{path}.restartPolicy", "must specify restartPolicy when restart rules are used")
        if initial:
            return
    place = f"{path}.restartPolicyRules"
    if len(rules) > 20:
        report.too_many(place, len(rules), 20)
    for position, rule in enumerate(rules):
        report.choice(f"{place}[{position}].action", rule.get("action") or "", _RULE_ACTIONS)
        codes = rule.get("exitCodes")
        if codes is None:
            report.required(f"{place}[{position}].exitCodes", "must be specified")
            continue
        report.choice(f"{place}[{position}].exitCodes.operator", codes.get("operator") or "", ("In", "NotIn"))
        if len(codes.get("values") or ()) > _MAXIMUM_CODES:
            report.too_many(f"{place}[{position}].exitCodes.values", len(codes["values"]), _MAXIMUM_CODES)


def _check_host_ports(containers: Sequence[Mapping[str, Any]], path: str, report: Report) -> None:
    taken: set[str] = set()
    for index, container in enumerate(containers):
        for position, port in enumerate(container.get("ports") or ()):
            if not port.get("hostPort"):
                continue
            key = f"{port.get('protocol') or ''}/{port.get('hostIP') or ''}/{port['hostPort']}"
            if key in taken:
                report.duplicate(f"{path}[{index}].ports[{position}].hostPort", key)
            taken.add(key)


def check_containers(containers: Sequence[Mapping[str, Any]], pod: PodContext, path: str, report: Report) -> None:
    """The regular containers; there must be one."""
    if not containers:
        report.required(path)
        return
    names: set[str] = set()
    for position, container in enumerate(containers):
        place = f"{path}[{position}]"
        _check_common(container, pod, place, report)
        name = container.get("name") or ""
        if name in names:
            report.duplicate(f"{place}.name", name)
        names.add(name)
        _check_actions(container, pod, place, report)
        _check_restart(container, place, report)
    _check_host_ports(containers, path, report)


def check_init_containers(
    containers: Sequence[Mapping[str, Any]],
    regular: Sequence[Mapping[str, Any]],
    pod: PodContext,
    path: str,
    report: Report,
) -> None:
    """The init containers, sidecars among them."""
    names = {container.get("name") or "" for container in regular}
    for position, container in enumerate(containers):
        place = f"{path}[{position}]"
        _check_common(container, pod, place, report)
        _check_restart(container, place, report, initial=True)
        name = container.get("name") or ""
        if name in names:
            report.duplicate(f"{place}.name", name)
        elif name:
            names.add(name)
        _check_host_ports([container], path, report)
        if container.get("restartPolicy") == "Always":
            _check_actions(container, pod, place, report)
            continue
        for member in ("lifecycle", *_PROBES):
            if container.get(member) is not None:
                report.forbidden(f"{place}.{member}", _ONLY_SIDECARS)
        for index, policy in enumerate(container.get("resizePolicy") or ()):
            if policy.get("restartPolicy") == "RestartContainer":
                where = f"{place}.resizePolicy[{index}].restartPolicy"
                report.invalid(where, "RestartContainer", _NO_RESTART)


def check_ephemeral_containers(spec: Mapping[str, Any], pod: PodContext, path: str, report: Report) -> None:
    """Ephemeral containers, which may hold little."""
    others = {
        container.get("name") or ""
        for member in ("containers", "initContainers")
        for container in spec.get(member) or ()
    }
    names = set(others)
    for position, container in enumerate(spec["ephemeralContainers"]):
        place = f"{path}[{position}]"
        _check_common(container, pod, place, report)
        check_image_padding(container, place, report)
        name = container.get("name") or ""
        if name in names:
            report.duplicate(f"{place}.name", name)
        names.add(name)
        target = container.get("targetContainerName")
        if target and target not in others:
            report.not_found(f"{place}.targetContainerName", target)
        for member in _NOT_EPHEMERAL:
            if container.get(member):
                report.forbidden(f"{place}.{member}", _EPHEMERAL)
        for index, mount in enumerate(container.get("volumeMounts") or ()):
            for member in ("subPath", "subPathExpr"):
                if mount.get(member):
                    report.forbidden(f"{place}.volumeMounts[{index}].{member}", _EPHEMERAL)


def check_image_padding(container: Mapping[str, Any], path: str, report: Report) -> None:
    """Pods, unlike templates, refuse images with blanks around."""
    image = container.get("image") or ""
    if image != image.strip():
        report.invalid(f"{path}.image", image, "must not have leading or trailing whitespace")
