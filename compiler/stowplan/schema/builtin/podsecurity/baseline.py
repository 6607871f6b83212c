"""The baseline standard: nothing that is known to lead out of a container."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from stowplan.schema.builtin.podsecurity.pod import Container, Pod, Violation, named, plural, quoted, setters

__all__ = [
    "app_armor", "capabilities", "host_namespaces", "host_path_volumes", "host_ports", "privileged", "probe_hosts",
    "proc_mount", "proc_mount_with_users", "se_linux", "seccomp", "seccomp_annotations", "sysctls", "windows_host",
]  # fmt: skip

Found = Violation | None
_PROFILES: Final = ("RuntimeDefault", "Localhost")
_ADDED: Final = frozenset(
    (
        "AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP", "SETGID",
        "SETPCAP", "SETUID", "SYS_CHROOT",
    )
)  # fmt: skip
_APP_ARMOR: Final = "container.apparmor.security.beta.kubernetes.io/"
_SECCOMP_POD: Final = "seccomp.security.alpha.kubernetes.io/pod"
_SECCOMP_CONTAINER: Final = "container.seccomp.security.alpha.kubernetes.io/"
_SE_LINUX: Final = ("", "container_t", "container_init_t", "container_kvm_t")
_SYSCTLS: Final = (
    (0, ("kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_syncookies", "net.ipv4.ping_group_range",
         "net.ipv4.ip_unprivileged_port_start")),
    (27, ("net.ipv4.ip_local_reserved_ports",)),
    (29, ("net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl",
          "net.ipv4.tcp_keepalive_probes")),
    (32, ("net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem")),
)  # fmt: skip
"""Harmless kernel parameters by the minor that took them in."""


def _bad(pod: Pod, test: Callable[[Container], Any]) -> list[Container]:
    return [one for one in pod.containers if test(one)]


def _at(pod_does: bool, containers: list[Container]) -> Any:
    return ("spec", "securityContext") if pod_does or not containers else (*containers[0].pointer, "securityContext")


def app_armor(pod: Pod, _: int) -> Found:
    """Profiles of AppArmor other than the runtime's and local ones."""

    def kind(security: Mapping[str, Any]) -> str | None:
        profile = security.get("appArmorProfile")
        found = profile.get("type", "") if profile is not None else None
        return None if found in _PROFILES else found

    mine, bad = kind(pod.security), _bad(pod, lambda one: kind(one.security) is not None)
    values = sorted({*([mine] if mine is not None else []), *(str(kind(one.security)) for one in bad)})
    notes = sorted(
        f'{key}="{value}"'
        for key, value in pod.annotations.items()
        if key.startswith(_APP_ARMOR) and value not in ("", "runtime/default") and not value.startswith("localhost/")
    )
    who = setters(mine is not None, bad)
    if notes:
        who = f"{who} and " * bool(who) + plural(len(notes), "annotation", "annotations")
    if not who:
        return None
    told = [*values, *notes]
    reason = plural(len(told), "forbidden AppArmor profile", "forbidden AppArmor profiles")
    where = _at(mine is not None, bad) if mine is not None or bad else ("metadata", "annotations")
    return Violation(reason, f"{who} must not set AppArmor profile type to {quoted(told)}", where)


def capabilities(pod: Pod, _: int) -> Found:
    """Capabilities that a runtime does not give by itself."""

    def added(one: Container) -> list[str]:
        return [name for name in (one.security.get("capabilities") or {}).get("add") or () if name not in _ADDED]

    bad = _bad(pod, added)
    if not bad:
        return None
    names = quoted(sorted({name for one in bad for name in added(one)}))
    detail = f"{named(bad)} must not include {names} in securityContext.capabilities.add"
    return Violation("non-default capabilities", detail, _at(False, bad))


def host_namespaces(pod: Pod, _: int) -> Found:
    """Namespaces of the node."""
    found = [name for name in ("hostNetwork", "hostPID", "hostIPC") if pod.spec.get(name)]
    return (
        Violation("host namespaces", ", ".join(f"{name}=true" for name in found), ("spec", found[0])) if found else None
    )


def host_path_volumes(pod: Pod, _: int) -> Found:
    """Folders of the node."""
    volumes = [(n, one) for n, one in enumerate(pod.spec.get("volumes") or ()) if one.get("hostPath") is not None]
    if not volumes:
        return None
    names = quoted(str(one.get("name", "")) for _, one in volumes)
    return Violation(
        "hostPath volumes", f"{plural(len(volumes), 'volume', 'volumes')} {names}", ("spec", "volumes", volumes[0][0])
    )


def host_ports(pod: Pod, _: int) -> Found:
    """Ports of the node."""

    def taken(one: Container) -> list[str]:
        return [str(port["hostPort"]) for port in one.value.get("ports") or () if port.get("hostPort")]

    bad = _bad(pod, taken)
    if not bad:
        return None
    numbers = sorted({number for one in bad for number in taken(one)})
    word = plural(len(numbers), "hostPort", "hostPorts")
    detail = f"{named(bad)} {plural(len(bad), 'uses', 'use')} {word} {', '.join(numbers)}"
    return Violation("hostPort", detail, (*bad[0].pointer, "ports"))


def probe_hosts(pod: Pod, _: int) -> Found:
    """Probes and hooks that ask another host than the Pod."""
    bad = _bad(pod, lambda one: list(_hosts(one.value)))
    if not bad:
        return None
    hosts = sorted({host for one in bad for host in _hosts(one.value)})
    names = sorted({one.name for one in bad})
    what = plural(len(hosts), "probe or lifecycle host", "probe or lifecycle hosts")
    who = f"{plural(len(names), 'container', 'containers')} {quoted(names)} {plural(len(names), 'uses', 'use')}"
    return Violation("probe or lifecycle host", f"{who} {what} {quoted(hosts)}", bad[0].pointer)


def _hosts(container: Mapping[str, Any]) -> Iterator[str]:
    lifecycle = container.get("lifecycle") or {}
    handlers = [container.get(name) for name in ("livenessProbe", "readinessProbe", "startupProbe")]
    for handler in (*handlers, lifecycle.get("postStart"), lifecycle.get("preStop")):
        for way in ("httpGet", "tcpSocket"):
            host = ((handler or {}).get(way) or {}).get("host")
            if host:
                yield host


def privileged(pod: Pod, _: int) -> Found:
    """Containers with all rights."""
    bad = _bad(pod, lambda one: one.security.get("privileged"))
    detail = f"{named(bad)} must not set securityContext.privileged=true"
    return Violation("privileged", detail, _at(False, bad)) if bad else None


def proc_mount(pod: Pod, _: int) -> Found:
    """`/proc` without its masks."""
    bad = _bad(pod, lambda one: one.security.get("procMount") not in (None, "Default"))
    if not bad:
        return None
    kinds = quoted(sorted({one.security["procMount"] for one in bad}))
    return Violation("procMount", f"{named(bad)} must not set securityContext.procMount to {kinds}", _at(False, bad))


def proc_mount_with_users(pod: Pod, minor: int) -> Found:
    """As `proc_mount`, but in a user namespace it may be unmasked."""
    return None if pod.has_own_users else proc_mount(pod, minor)


def se_linux(pod: Pod, minor: int) -> Found:
    """Other types of SELinux than those of containers; any user or role."""
    allowed = (*_SE_LINUX, "container_engine_t") if minor >= 31 else _SE_LINUX

    def is_bad(security: Mapping[str, Any]) -> bool:
        options = security.get("seLinuxOptions") or {}
        return options.get("type", "") not in allowed or bool(options.get("user") or options.get("role"))

    mine, bad = is_bad(pod.security), _bad(pod, lambda one: is_bad(one.security))
    if not mine and not bad:
        return None
    options = [one.security["seLinuxOptions"] for one in bad] + ([pod.security["seLinuxOptions"]] if mine else [])
    types = sorted({one.get("type", "") for one in options} - set(allowed))
    told = [f"{plural(len(types), 'type', 'types')} {quoted(types)}"] if types else []
    told += [f"{name} may not be set" for name in ("user", "role") if any(one.get(name) for one in options)]
    detail = f"{setters(mine, bad)} set forbidden securityContext.seLinuxOptions: {'; '.join(told)}"
    return Violation("seLinuxOptions", detail, _at(mine, bad))


def seccomp_annotations(pod: Pod, _: int) -> Found:
    """Profiles of seccomp as they were stated before 1.19."""
    keys = [_SECCOMP_POD, *(f"{_SECCOMP_CONTAINER}{one.name}" for one in pod.containers)]
    stated = {key: pod.annotations[key] for key in keys if key in pod.annotations}
    bad = sorted(
        f'{key}="{value}"'
        for key, value in stated.items()
        if value not in ("runtime/default", "docker/default") and not value.startswith("localhost/")
    )
    detail = f"forbidden {plural(len(bad), 'annotation', 'annotations')} {', '.join(bad)}"
    return Violation("seccompProfile", detail, ("metadata", "annotations")) if bad else None


def seccomp(pod: Pod, _: int) -> Found:
    """Profiles of seccomp other than the runtime's and local ones."""
    mine, bad = _seccomp_is_bad(pod.security), _bad(pod, lambda one: _seccomp_is_bad(one.security))
    if not mine and not bad:
        return None
    stated = [pod.security, *(one.security for one in bad)] if mine else [one.security for one in bad]
    kinds = quoted(sorted({one["seccompProfile"].get("type", "") for one in stated}))
    detail = f"{setters(mine, bad)} must not set securityContext.seccompProfile.type to {kinds}"
    return Violation("seccompProfile", detail, _at(mine, bad))


def _seccomp_is_bad(security: Mapping[str, Any]) -> bool:
    profile = security.get("seccompProfile")
    return profile is not None and profile.get("type", "") not in _PROFILES


def sysctls(pod: Pod, minor: int) -> Found:
    """Kernel parameters that others would feel."""
    allowed = {name for since, names in _SYSCTLS if minor >= since for name in names}
    bad = [str(one.get("name", "")) for one in pod.security.get("sysctls") or () if one.get("name") not in allowed]
    return Violation("forbidden sysctls", ", ".join(bad), ("spec", "securityContext", "sysctls")) if bad else None


def windows_host(pod: Pod, _: int) -> Found:
    """Processes of a Windows node."""

    def is_host(security: Mapping[str, Any]) -> bool:
        return bool((security.get("windowsOptions") or {}).get("hostProcess"))

    mine, bad = is_host(pod.security), _bad(pod, lambda one: is_host(one.security))
    detail = f"{setters(mine, bad)} must not set securityContext.windowsOptions.hostProcess=true"
    return Violation("hostProcess", detail, _at(mine, bad)) if mine or bad else None
