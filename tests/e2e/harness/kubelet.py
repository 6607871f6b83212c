"""Plays the kubelet: a plane has no nodes, so pods move on only when a test says so."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime
from typing import Self

from harness.client import ApiError, Client, Object
from harness.patience import PATIENCE

_MANAGER = "kubelet"


def set_pods(
    client: Client, namespace: str, labels: str, phase: str, *, count: int = 1, timeout: float = PATIENCE
) -> None:
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
        try:
            client.patch_status(pod, _status(phase), manager=_MANAGER)
        except ApiError as gone:
            if gone.code != 404:
                raise


class Kubelet:
    """Has every pod of a namespace run, those that come later too, until it is stopped."""

    def __init__(self, client: Client, namespace: str) -> None:
        self._client, self._namespace = client, namespace
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> Self:
        """Begin."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Leave all pods as they are."""
        self._end.set()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        while not self._end.wait(0.3):
            try:
                for pod in self._client.list("v1", "Pod", self._namespace):
                    if pod.get("status", {}).get("phase") == "Pending" and "deletionTimestamp" not in pod["metadata"]:
                        self._client.patch_status(pod, _status("Running"), manager=_MANAGER)
            except (ApiError, OSError):
                continue  # the pod went, or the namespace is not there yet


def _status(phase: str) -> Object:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    ready = {"type": "Ready", "status": "True" if phase == "Running" else "False", "lastTransitionTime": now}
    return {"phase": phase, "startTime": now, "conditions": [ready]}
