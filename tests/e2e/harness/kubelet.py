"""Plays the kubelet: a plane has no nodes, so pods move on only when a test says so."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from harness.client import Client, Object

_MANAGER = "kubelet"


def set_pods(client: Client, namespace: str, labels: str, phase: str, *, count: int = 1, timeout: float = 30) -> None:
    """Bring the pods with the labels (`job-name=work`) into a phase: Running (and ready), Succeeded or Failed.

    Waits until there are at least `count` of them.

    Raises:
        AssertionError: there were fewer within `timeout` seconds.
    """
    deadline = time.monotonic() + timeout
    while len(pods := client.list("v1", "Pod", namespace, labels=labels)) < count:
        if time.monotonic() > deadline:
            raise AssertionError(f"{len(pods)} pods with {labels} in {namespace} after {timeout:g} s, not {count}")
        time.sleep(0.05)
    for pod in pods:
        client.patch_status(pod, _status(phase), manager=_MANAGER)


def _status(phase: str) -> Object:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    ready = {"type": "Ready", "status": "True" if phase == "Running" else "False", "lastTransitionTime": now}
    return {"phase": phase, "startTime": now, "conditions": [ready]}
