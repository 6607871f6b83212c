"""Which checks a standard has in which version, and what they find in a Pod."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from stowplan.schema.builtin.podsecurity import baseline, restricted
from stowplan.schema.builtin.podsecurity.labels import LATEST, Standard
from stowplan.schema.builtin.podsecurity.pod import Pod, Violation

__all__ = ["evaluate"]

Check = Callable[[Pod, int], Violation | None]

_BASELINE: Final[tuple[tuple[str, int, int, Check], ...]] = (
    ("appArmor", 0, LATEST, baseline.app_armor),
    ("capabilities", 0, LATEST, baseline.capabilities),
    ("hostNamespaces", 0, LATEST, baseline.host_namespaces),
    ("hostPaths", 0, LATEST, baseline.host_path_volumes),
    ("hostPorts", 0, LATEST, baseline.host_ports),
    ("probeHosts", 34, LATEST, baseline.probe_hosts),
    ("privileged", 0, LATEST, baseline.privileged),
    ("procMount", 0, 34, baseline.proc_mount),
    ("procMount", 35, LATEST, baseline.proc_mount_with_users),
    ("seLinux", 0, LATEST, baseline.se_linux),
    ("seccomp", 0, 18, baseline.seccomp_annotations),
    ("seccomp", 19, LATEST, baseline.seccomp),
    ("sysctls", 0, LATEST, baseline.sysctls),
    ("windows", 0, LATEST, baseline.windows_host),
)
"""Name, first and last minor, and check, in the order of the server's messages."""
_RESTRICTED: Final[tuple[tuple[str, int, int, Check], ...]] = (
    ("privilegeEscalation", 8, LATEST, restricted.privilege_escalation),
    ("capabilities", 22, LATEST, restricted.capabilities),
    ("procMount", 35, LATEST, baseline.proc_mount),
    ("hostPaths", 0, LATEST, restricted.volumes),
    ("nonRoot", 0, LATEST, restricted.non_root),
    ("nonRootUser", 23, LATEST, restricted.non_root_user),
    ("seccomp", 19, LATEST, restricted.seccomp_required),
)
"""The same; one of the name of a baseline check takes its place."""


def evaluate(manifest: Mapping[str, Any], standard: Standard, minor: int) -> tuple[Violation, ...]:
    """What a Pod or a template breaks of a standard on a server of 1.`minor`; the Pod is stored, so its types are right."""
    if standard.level == "privileged":
        return ()
    version = min(standard.minor, minor)
    pod = Pod.of(manifest)
    strict = [row for row in _RESTRICTED if standard.level == "restricted" and row[1] <= version <= row[2]]
    taken = {row[0] for row in strict}
    checks = [row for row in _BASELINE if row[1] <= version <= row[2] and row[0] not in taken] + strict
    found = (check(pod, version) for *_, check in checks)
    return tuple(one for one in found if one is not None)
