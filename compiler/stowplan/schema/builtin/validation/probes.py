"""Rules of probes and lifecycle handlers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .names import http_header, port_name, port_number
from .report import Report

__all__ = ["check_lifecycle", "check_port", "check_probe"]

_ONE = "may not specify more than 1 handler type"
_PROBE_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc")
_LIFECYCLE_HANDLERS = ("exec", "httpGet", "tcpSocket", "sleep")


def check_port(port: object, path: str, report: Report) -> None:
    """A port given by number or by name."""
    if isinstance(port, str):
        report.invalid_all(path, port, port_name(port))
    else:
        number = port if isinstance(port, int) else 0
        report.invalid_all(path, number, port_number(number))


def check_probe(probe: Mapping[str, Any], kind: str, path: str, report: Report) -> None:
    """A probe; `kind` is `livenessProbe`, `readinessProbe` or `startupProbe`."""
    get = probe.get
    _check_handler(probe, _PROBE_HANDLERS, None, path, report)
    for member in ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"):
        report.non_negative(f"{path}.{member}", get(member))
    grace = get("terminationGracePeriodSeconds")
    if grace is not None and grace <= 0:
        report.invalid(f"{path}.terminationGracePeriodSeconds", grace, "must be greater than 0")
    if kind == "readinessProbe":
        if grace is not None:
            detail = "must not be set for readinessProbes"
            report.invalid(f"{path}.terminationGracePeriodSeconds", grace, detail)
    elif (get("successThreshold") or 0) != 1:
        report.invalid(f"{path}.successThreshold", get("successThreshold") or 0, "must be 1")


def check_lifecycle(lifecycle: Mapping[str, Any], grace: int | None, path: str, report: Report) -> None:
    """Handlers around start and stop; `grace` is the Pod's termination period in seconds."""
    for member in ("postStart", "preStop"):
        handler = lifecycle.get(member)
        if handler is not None:
            _check_handler(handler, _LIFECYCLE_HANDLERS, grace, f"{path}.{member}", report)


def _check_handler(
    handler: Mapping[str, Any], members: tuple[str, ...], grace: int | None, path: str, report: Report
) -> None:
    found = False
    for member in members:
        action = handler.get(member)
        if action is None:
            continue
        if found:
            report.forbidden(f"{path}.{member}", _ONE)
            continue
        found = True
        _check_action(member, action, grace, f"{path}.{member}", report)
    if not found:
        report.required(path, "must specify a handler type")


def _check_action(member: str, action: Mapping[str, Any], grace: int | None, path: str, report: Report) -> None:
    if member == "exec":
        if not action.get("command"):
            report.required(f"{path}.command")
    elif member == "httpGet":
        _check_http(action, path, report)
    elif member == "sleep":
        seconds = action.get("seconds") or 0
        if grace is not None and not 0 <= seconds <= grace:
            detail = f"must be non-negative and less than terminationGracePeriodSeconds ({grace})"
            report.invalid(path, seconds, detail)
    else:
        check_port(action.get("port"), f"{path}.port", report)


def _check_http(action: Mapping[str, Any], path: str, report: Report) -> None:
    if not action.get("path"):
        report.required(f"{path}.path")
    check_port(action.get("port"), f"{path}.port", report)
    report.choice(f"{path}.scheme", action.get("scheme"), ("HTTP", "HTTPS"))
    for header in action.get("httpHeaders") or ():
        name = header.get("name") or ""
        report.invalid_all(f"{path}.httpHeaders", name, http_header(name))
