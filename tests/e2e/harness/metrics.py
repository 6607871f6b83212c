"""Plays a custom metrics adapter: an aggregated API on loopback that gives every pod the same value of each metric."""

from __future__ import annotations

import json
import ssl
import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import parse_qs, unquote, urlsplit

from harness.client import Client, Object, reference
from harness.control_plane import ControlPlane
from harness.patience import PATIENCE

GROUP_VERSION = "custom.metrics.k8s.io/v1beta2"
_ROOT = f"/apis/{GROUP_VERSION}"
_NAMESPACE = "kube-system"
_NAME = "played-metrics"


class Metrics:
    """The adapter of one plane, in a thread of its own; set `values` by the metric's name, `asked` are those asked for."""

    def __init__(self, plane: ControlPlane) -> None:
        self.values: dict[str, str] = {}
        self.asked: set[str] = set()
        self._client = plane.client("played-metrics-adapter")
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(plane.certificates.server, plane.certificates.server_key)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def register(self, timeout: float = PATIENCE) -> Self:
        """Have the API server pass the group on to this adapter; returns when it does."""
        port = self._server.server_address[1]
        service = reference("v1", "Service", _NAME, _NAMESPACE)
        self._client.apply(service | {"spec": {"type": "ExternalName", "externalName": "localhost"}})
        version = reference("apiregistration.k8s.io/v1", "APIService", f"v1beta2.{GROUP_VERSION.partition('/')[0]}")
        version["spec"] = {
            "group": GROUP_VERSION.partition("/")[0],
            "version": "v1beta2",
            "groupPriorityMinimum": 100,
            "versionPriority": 100,
            "insecureSkipTLSVerify": True,
            "service": {"name": _NAME, "namespace": _NAMESPACE, "port": port},
        }
        self._client.apply(version)
        self._client.wait_until(
            version,
            lambda one: any(
                (row["type"], row["status"]) == ("Available", "True")
                for row in (one or {}).get("status", {}).get("conditions", ())
            ),
            timeout=timeout,
            what="to be available",
        )
        return self

    def answer(self, target: str) -> Object | None:
        """The document at an address, None where there is none."""
        url = urlsplit(target)
        if url.path == _ROOT:
            resource = {"namespaced": True, "kind": "MetricValueList", "singularName": "", "verbs": ["get"]}
            rows = [{**resource, "name": f"pods/{name}"} for name in sorted(self.values)]
            return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": GROUP_VERSION, "resources": rows}
        steps = unquote(url.path.removeprefix(f"{_ROOT}/")).split("/")
        if len(steps) != 5 or steps[0] != "namespaces" or steps[2:4] != ["pods", "*"] or steps[4] not in self.values:
            return None
        self.asked.add(steps[4])
        (labels,) = parse_qs(url.query).get("labelSelector", [""])
        items = [_value(pod, steps[4], self.values[steps[4]]) for pod in _pods(self._client, steps[1], labels)]
        return {"kind": "MetricValueList", "apiVersion": GROUP_VERSION, "metadata": {}, "items": items}

    def stop(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=10)


def _pods(client: Client, namespace: str, labels: str) -> list[Object]:
    return [
        pod for pod in client.list("v1", "Pod", namespace, labels=labels) if "deletionTimestamp" not in pod["metadata"]
    ]


def _value(pod: Object, metric: str, value: str) -> Object:
    metadata = pod["metadata"]
    described = {"apiVersion": "v1", "kind": "Pod", "namespace": metadata["namespace"], "name": metadata["name"]}
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"describedObject": described, "metric": {"name": metric}, "timestamp": now, "value": value}


def _handler(metrics: Metrics) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            document = metrics.answer(self.path)
            content = json.dumps(document or {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404})
            self.send_response(200 if document is not None else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content.encode())))
            self.end_headers()
            self.wfile.write(content.encode())

        def log_message(self, format: str, *args: object) -> None:
            return

    return Handler
