"""Rules of the security contexts of Pods and containers, including what an operating system rules out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .environment import check_descending_path
from .names import dns_subdomain, range_error
from .report import Report, Struct, Word, go_quote

__all__ = ["check_container_security", "check_os", "check_pod_security", "check_profile_annotations", "each_container"]

_PROFILE_ANNOTATION = "container.apparmor.security.beta.kubernetes.io/"
_MAXIMUM_ID = 2**31 - 1
_LOCAL_PROFILE_BYTES = 4095
_PROFILES = ("Localhost", "RuntimeDefault", "Unconfined")
_match_sysctl = re.compile(r"([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?").fullmatch
_SYSCTL = r"must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$"
_POD_LINUX_ONLY = (
    ("securityContext", "appArmorProfile"),
    ("securityContext", "seLinuxOptions"),
    ("", "hostUsers"),
    ("", "hostPID"),
    ("", "hostIPC"),
    ("securityContext", "seccompProfile"),
    ("securityContext", "fsGroup"),
    ("securityContext", "fsGroupChangePolicy"),
    ("securityContext", "sysctls"),
    ("", "shareProcessNamespace"),
    ("securityContext", "runAsUser"),
    ("securityContext", "runAsGroup"),
    ("securityContext", "supplementalGroups"),
    ("securityContext", "supplementalGroupsPolicy"),
    ("securityContext", "seLinuxChangePolicy"),
)
_CONTAINER_LINUX_ONLY = (
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
)
_STRUCTURE = (
    "capabilities",
    "privileged",
    "sELinuxOptions",
    "windowsOptions",
    "runAsUser",
    "runAsGroup",
    "runAsNonRoot",
    "readOnlyRootFilesystem",
    "allowPrivilegeEscalation",
    "procMount",
    "seccompProfile",
    "appArmorProfile",
)


def each_container(spec: Mapping[str, Any], path: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    """All containers of a Pod with their paths: init, regular, ephemeral."""
    for member in ("initContainers", "containers", "ephemeralContainers"):
        for position, container in enumerate(spec.get(member) or ()):
            yield container, f"{path}.{member}[{position}]"


def _check_id(value: int | None, path: str, report: Report) -> None:
    if value is not None and not 0 <= value <= _MAXIMUM_ID:
        report.invalid(path, value, range_error(0, _MAXIMUM_ID))


def check_pod_security(spec: Mapping[str, Any], path: str, report: Report) -> None:
    """The security context of a Pod."""
    context = spec.get("securityContext")
    if context is None:
        return
    get = context.get
    for member in ("fsGroup", "runAsUser", "runAsGroup"):
        _check_id(get(member), f"{path}.{member}", report)
    for position, group in enumerate(get("supplementalGroups") or ()):
        _check_id(group, f"{path}.supplementalGroups[{position}]", report)
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        detail = "ShareProcessNamespace and HostPID cannot both be enabled"
        report.invalid(f"{path}.shareProcessNamespace", True, detail)
    if get("sysctls"):
        _check_sysctls(spec, context, f"{path}.sysctls", report)
    if get("fsGroupChangePolicy") is not None:
        report.choice(f"{path}.fsGroupChangePolicy", get("fsGroupChangePolicy"), ("Always", "OnRootMismatch"))
    _check_profiles(context, path, report)
    if get("supplementalGroupsPolicy") is not None:
        report.choice(f"{path}.supplementalGroupsPolicy", get("supplementalGroupsPolicy"), ("Merge", "Strict"))
    if get("seLinuxChangePolicy") is not None:
        report.choice(f"{path}.seLinuxChangePolicy", get("seLinuxChangePolicy"), ("Recursive",))


def _check_sysctls(spec: Mapping[str, Any], context: Mapping[str, Any], path: str, report: Report) -> None:
    names: set[str] = set()
    for position, sysctl in enumerate(context["sysctls"]):
        name, place = sysctl.get("name") or "", f"{path}[{position}].name"
        if not name:
            report.required(place)
        elif len(name) > 253 or not _match_sysctl(name):
            report.invalid(place, name, _SYSCTL)
        elif name in names:
            report.duplicate(place, name)
        dotted = name.replace("/", ".")
        if spec.get("hostNetwork") and dotted.startswith("net."):
            report.invalid(place, name, "may not be specified when 'hostNetwork' is true")
        elif spec.get("hostIPC") and dotted.startswith(("kernel.shm", "kernel.msg", "kernel.sem", "fs.mqueue.")):
            report.invalid(place, name, "may not be specified when 'hostIPC' is true")
        names.add(name)


def _check_profiles(context: Mapping[str, Any], path: str, report: Report) -> None:
    _check_seccomp(context.get("seccompProfile"), f"{path}.seccompProfile", report)
    _check_windows(context.get("windowsOptions"), f"{path}.windowsOptions", report)
    _check_apparmor(context.get("appArmorProfile"), f"{path}.appArmorProfile", report)


def _check_seccomp(profile: Mapping[str, Any] | None, path: str, report: Report) -> None:
    if profile is None:
        return
    kind, local = profile.get("type") or "", profile.get("localhostProfile")
    report.required_choice(f"{path}.type", kind, _PROFILES, "type is required when seccompProfile is set")
    if kind == "Localhost":
        if local is None:
            report.required(f"{path}.localhostProfile", "must be set when seccomp type is Localhost")
        else:
            check_descending_path(local, f"{path}.localhostProfile", report)
    elif local is not None:
        value = Struct(Type=kind, LocalhostProfile=local)
        report.invalid(f"{path}.localhostProfile", value, "can only be set when seccomp type is Localhost")


def check_profile_annotations(
    annotations: Mapping[str, str] | None, spec: Mapping[str, Any], path: str, report: Report
) -> None:
    """AppArmor profiles in the old annotations: of a container that is there, and of a known form."""
    for key, profile in sorted((annotations or {}).items()):
        if not key.startswith(_PROFILE_ANNOTATION):
            continue
        name = key.removeprefix(_PROFILE_ANNOTATION)
        if all(container.get("name") != name for container, _ in each_container(spec, "")):
            report.invalid(f"{path}[{key}]", name, "container not found")
        if profile not in ("", "runtime/default", "unconfined") and not profile.startswith("localhost/"):
            report.invalid(f"{path}[{key}]", profile, f"invalid AppArmor profile name: {go_quote(profile)}")


def _check_apparmor(profile: Mapping[str, Any] | None, path: str, report: Report) -> None:
    if profile is None:
        return
    kind, local = profile.get("type") or "", profile.get("localhostProfile")
    place = f"{path}.localhostProfile"
    if kind == "Localhost":
        if local is None or local == "":
            report.required(place, "must be set when AppArmor type is Localhost")
        elif local != local.strip():
            report.invalid(place, local, "must not be padded with whitespace")
        if local and len(local.encode()) > _LOCAL_PROFILE_BYTES:
            report.too_long(place, _LOCAL_PROFILE_BYTES)
    elif kind in _PROFILES:
        if local is not None:
            report.invalid(place, local, "can only be set when AppArmor type is Localhost")
    else:
        report.required_choice(f"{path}.type", kind, _PROFILES, "type is required when appArmorProfile is set")


def _check_windows(options: Mapping[str, Any] | None, path: str, report: Report) -> None:
    if options is None:
        return
    name, spec, user = (options.get(key) for key in ("gmsaCredentialSpecName", "gmsaCredentialSpec", "runAsUserName"))
    if name is not None:
        report.invalid_all(f"{path}.gmsaCredentialSpecName", name, dns_subdomain(name))
    if spec == "":
        report.invalid(f"{path}.gmsaCredentialSpec", spec, "gmsaCredentialSpec cannot be an empty string")
    elif spec is not None and len(spec.encode()) > 64 * 1024:
        report.invalid(f"{path}.gmsaCredentialSpec", spec, "gmsaCredentialSpec size must be under 64 KiB")
    if user is not None:
        for detail in _windows_user(user):
            report.invalid(f"{path}.runAsUserName", Word(user), f"runAsUserName{detail}")


def _windows_user(name: str) -> Iterator[str]:
    if not name:
        yield " cannot be an empty string"
    elif re.search(r"[\x00-\x1f\x7f]", name):
        yield " cannot contain control characters"
    elif name.count("\\") > 1:
        yield " cannot contain more than one backslash"
    else:
        domain, slash, user = name.rpartition("\\")
        if len(domain.encode()) >= 256:
            yield "'s Domain length must be under 256 characters"
        net_bios = re.fullmatch(r'[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}', domain)
        label = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
        if slash and not net_bios and not re.fullmatch(rf"{label}(?:\.{label})*", domain):
            yield "'s Domain doesn't match the NetBios nor the DNS format"
        if not user:
            yield "'s User cannot be empty"
        elif len(user.encode()) > 104:
            yield "'s User length must not be longer than 104 characters"
        if re.fullmatch("[. ]+", user):
            yield "'s User cannot contain only periods or spaces"
        if re.search(r'["/\\:;|=,+*?<>@\[\]]', user):
            yield "'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"


def check_container_security(context: Mapping[str, Any], host_users: bool, path: str, report: Report) -> None:
    """The security context of a container; `host_users` tells whether the Pod shares the node's users."""
    get = context.get
    _check_id(get("runAsUser"), f"{path}.runAsUser", report)
    _check_id(get("runAsGroup"), f"{path}.runAsGroup", report)
    mount = get("procMount")
    if mount is not None:
        report.choice(f"{path}.procMount", mount, ("Default", "Unmasked"))
        if host_users and mount == "Unmasked":
            report.invalid(f"{path}.procMount", mount, "`hostUsers` must be false to use `Unmasked`")
    _check_seccomp(get("seccompProfile"), f"{path}.seccompProfile", report)
    if get("allowPrivilegeEscalation") is False:
        refused = "cannot set `allowPrivilegeEscalation` to false and "
        value = Struct({member[0].upper() + member[1:]: get(member.replace("sEL", "seL")) for member in _STRUCTURE})
        if get("privileged"):
            report.invalid(path, value, refused + "`privileged` to true")
        if "CAP_SYS_ADMIN" in ((get("capabilities") or {}).get("add") or ()):
            report.invalid(path, value, refused + "`capabilities.Add` CAP_SYS_ADMIN")
    _check_windows(get("windowsOptions"), f"{path}.windowsOptions", report)
    _check_apparmor(get("appArmorProfile"), f"{path}.appArmorProfile", report)


def check_host_process(spec: Mapping[str, Any], path: str, report: Report) -> None:
    """Windows host processes: all containers or none, and only on the node's network."""
    of_pod = ((spec.get("securityContext") or {}).get("windowsOptions") or {}).get("hostProcess")
    total = hosted = 0
    for container, place in each_container(spec, path):
        total += 1
        own = ((container.get("securityContext") or {}).get("windowsOptions") or {}).get("hostProcess")
        if own is not None and of_pod is not None and own != of_pod:
            was = "true" if of_pod else "false"
            detail = f"pod hostProcess value must be identical if both are specified, was {was}"
            report.invalid(f"{place}.securityContext.windowsOptions.hostProcess", own, detail)
        hosted += bool(own if own is not None else of_pod)
    if hosted and hosted != total:
        text = "If pod contains any hostProcess containers then all containers must be HostProcess containers"
        report.invalid(path, "", text)
    if hosted and not spec.get("hostNetwork"):
        detail = "hostNetwork must be true if pod contains any hostProcess containers"
        report.invalid(f"{path}.hostNetwork", False, detail)


def check_host_users(spec: Mapping[str, Any], path: str, report: Report) -> None:
    """What goes with users of its own (`hostUsers: false`)."""
    detail = "when `hostUsers` is false"
    for member, shown in (("hostNetwork", "hostNetwork"), ("hostPID", "HostPID"), ("hostIPC", "HostIPC")):
        if spec.get(member):
            report.forbidden(f"{path}.{shown}", detail)
    for container, place in each_container(spec, path):
        if container.get("volumeDevices"):
            report.forbidden(f"{place}.volumeDevices", detail)


def check_os(spec: Mapping[str, Any], path: str, report: Report) -> None:
    """The operating system, and the settings it rules out."""
    name = spec["os"].get("name") or ""
    if not name:
        report.required(f"{path}.os.name")
    elif name == "linux":
        if (spec.get("securityContext") or {}).get("windowsOptions") is not None:
            report.forbidden(f"{path}.securityContext.windowsOptions", "windows options cannot be set for a linux pod")
        for container, place in each_container(spec, path):
            if (container.get("securityContext") or {}).get("windowsOptions") is not None:
                detail = "windows options cannot be set for a linux pod"
                report.forbidden(f"{place}.securityContext.windowsOptions", detail)
    elif name == "windows":
        _check_windows_pod(spec, path, report)
    else:
        report.unsupported(f"{path}.os", name, ("linux", "windows"))


def _check_windows_pod(spec: Mapping[str, Any], path: str, report: Report) -> None:
    context = spec.get("securityContext") or {}
    for parent, member in _POD_LINUX_ONLY:
        value = (context if parent else spec).get(member)
        if value is not None and not (member in ("hostPID", "hostIPC", "sysctls") and not value):
            place = f"{path}.{parent}.{member}" if parent else f"{path}.{member}"
            report.forbidden(place, "cannot be set for a windows pod")
    for container, place in each_container(spec, path):
        own = container.get("securityContext") or {}
        for member in _CONTAINER_LINUX_ONLY:
            if own.get(member) is not None:
                report.forbidden(f"{place}.securityContext.{member}", "cannot be set for a windows pod")
