"""A small client for an API server: JSON over HTTPS with a token, discovery, server-side apply, watches.

Every answer keeps the server's warnings. An answer of 400 or more is raised as `ApiError`, with the server's Status.
"""

from __future__ import annotations

import http.client
import json
import re
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from harness.discovery import Discovery, Resource
from harness.patience import PATIENCE

Object = dict[str, Any]
"""A Kubernetes object as JSON has it."""

DEFAULT_MANAGER = "stowplan-e2e"
_PAUSES = (0.5, 2.0, 8.0)
"""Seconds between attempts at what a busy server turned down."""

_METHOD_PATCHES = {
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
    "strategic": "application/strategic-merge-patch+json",
}


class ApiError(Exception):
    """The server refused: `code`, `reason` and `status` (the Status object) say how."""

    def __init__(self, method: str, path: str, code: int, status: Object) -> None:
        super().__init__(f"{method} {path}: {code} {status.get('reason', '')}: {status.get('message', '')}")
        self.code = code
        self.reason = str(status.get("reason", ""))
        self.status = status

    @property
    def passing(self) -> bool:
        """Whether the server was only too busy: the same request may be sent again."""
        late = ("context deadline exceeded", "etcdserver: ", "request timed out")
        message = str(self.status.get("message", ""))
        return self.code in (429, 503, 504) or (self.code == 500 and any(words in message for words in late))

    @property
    def conflicts(self) -> tuple[tuple[str, str], ...]:
        """Of a refused apply: pairs of the field (as the server prints it) and its sentence naming the owner."""
        causes = self.status.get("details", {}).get("causes", [])
        return tuple(
            (cause["field"], cause["message"]) for cause in causes if cause["reason"] == "FieldManagerConflict"
        )


class NotYetError(AssertionError):
    """What was waited for did not come in time; the text shows the last state of the object."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer: the object, and the texts of the server's warnings in their order."""

    object: Object
    warnings: tuple[str, ...] = ()


class Client:
    """Talks to one API server as one user. `manager` is the field manager of requests that name none.

    One connection a thread is kept open; the client may be shared by threads.
    """

    def __init__(self, port: int, token: str, trust: ssl.SSLContext, manager: str = DEFAULT_MANAGER) -> None:
        self.port = port
        self.manager = manager
        self._token = token
        self._trust = trust
        self._local = threading.local()
        self._lock = threading.Lock()
        self._connections: list[http.client.HTTPSConnection] = []
        self.discovery = Discovery(lambda path: self.request("GET", path).object)

    def close(self) -> None:
        """Close the connections of all threads; a later request opens a new one."""
        with self._lock:
            connections, self._connections = self._connections, []
        for connection in connections:
            connection.close()

    # Requests

    def request(
        self, method: str, path: str, body: Any = None, query: Mapping[str, Any] | None = None, kind: str = ""
    ) -> Answer:
        """Any request; `kind` is the content type of the body (JSON when empty).

        Raises:
            ApiError: the server answered with 400 or more.
        """
        target = f"{path}?{urlencode(query)}" if query else path
        payload = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        response, content = self._send(method, target, payload, self._headers(kind))
        document = json.loads(content) if content.lstrip()[:1] in (b"{", b"[") else {"message": content.decode()}
        if response.status >= 400:
            raise ApiError(method, target, response.status, document)
        return Answer(document, _warnings(response))

    def _patiently(self, *request: Any, **options: Any) -> Answer:
        """A request that may be sent again, for servers that are only too busy."""
        for pause in _PAUSES:
            try:
                return self.request(*request, **options)
            except ApiError as error:
                if not error.passing:
                    raise
            time.sleep(pause)
        return self.request(*request, **options)

    def _headers(self, kind: str) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {self._token}",
            "Accept": "application/json",
            "Content-Type": kind or "application/json",
        }

    def _send(
        self, method: str, target: str, payload: bytes | None, headers: Mapping[str, str]
    ) -> tuple[http.client.HTTPResponse, bytes]:
        """One exchange; a connection that the server closed while idle is opened again once."""
        for fresh in (False, True):
            connection = self._connection(fresh)
            try:
                connection.request(method, target, payload, dict(headers))
                response = connection.getresponse()
                return response, response.read()
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError, ssl.SSLEOFError):
                connection.close()
                if fresh:
                    raise
            except BaseException:
                connection.close()
                self._local.connection = None
                raise
        raise AssertionError("unreachable")

    def _connection(self, fresh: bool, timeout: float = 60) -> http.client.HTTPSConnection:
        connection: http.client.HTTPSConnection | None = getattr(self._local, "connection", None)
        if connection is None or fresh:
            connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout, context=self._trust)
            self._local.connection = connection
            with self._lock:
                self._connections.append(connection)
        return connection

    # Addresses

    def resource(self, of: Object) -> Resource:
        """What discovery says of an object's apiVersion and kind."""
        return self.discovery.resource(of["apiVersion"], of["kind"])

    def path(self, of: Object, subresource: str = "", *, collection: bool = False) -> str:
        """The address of an object (or of the collection it lies in), by its apiVersion, kind, namespace and name."""
        resource = self.resource(of)
        path = resource.path(of["metadata"].get("namespace", "default") if resource.namespaced else "")
        if not collection:
            path += "/" + quote(of["metadata"]["name"], safe="")
        return f"{path}/{subresource}" if subresource else path

    # Writing

    def apply(
        self,
        document: Object,
        *,
        manager: str = "",
        force: bool = False,
        validation: str = "Strict",
        dry_run: bool = False,
        subresource: str = "",
    ) -> Answer:
        """Server-side apply. `validation` is Strict, Warn or Ignore; strict refuses unknown and duplicate fields."""
        query: dict[str, Any] = {"fieldManager": manager or self.manager, "fieldValidation": validation}
        query |= {"force": "true"} if force else {}
        query |= {"dryRun": "All"} if dry_run else {}
        path = self.path(document, subresource)
        return self._patiently("PATCH", path, document, query, "application/apply-patch+yaml")

    def create(self, document: Object, *, manager: str = "", validation: str = "Strict") -> Answer:
        """POST the object."""
        query = {"fieldManager": manager or self.manager, "fieldValidation": validation}
        return self.request("POST", self.path(document, collection=True), document, query)

    def update(self, document: Object, *, manager: str = "", subresource: str = "") -> Answer:
        """PUT the whole object, as a client does that read it before."""
        query = {"fieldManager": manager or self.manager, "fieldValidation": "Strict"}
        return self.request("PUT", self.path(document, subresource), document, query)

    def patch(self, of: Object, change: Any, *, how: str = "merge", manager: str = "", subresource: str = "") -> Answer:
        """Patch the object named by `of`; `how` is merge, json or strategic."""
        query = {"fieldManager": manager or self.manager}
        return self.request("PATCH", self.path(of, subresource), change, query, _METHOD_PATCHES[how])

    def patch_status(self, of: Object, status: Object, *, manager: str = "") -> Answer:
        """Merge into the status subresource, as a controller does."""
        return self.patch(of, {"status": status}, manager=manager, subresource="status")

    def delete(self, of: Object, *, propagation: str = "Background", missing_ok: bool = False) -> None:
        """Delete the object named by `of`; `propagation` is Background, Foreground or Orphan."""
        try:
            self.request("DELETE", self.path(of), {"propagationPolicy": propagation})
        except ApiError as error:
            if not (missing_ok and error.code == 404):
                raise

    def wait_allowed(
        self, verb: str, group: str, plural: str, namespace: str = "", *, timeout: float = PATIENCE
    ) -> None:
        """Wait until this user may do something: a new role takes a moment to be seen.

        Raises:
            AssertionError: not allowed within `timeout` seconds.
        """
        attributes = {"verb": verb, "group": group, "resource": plural, "namespace": namespace}
        review: Object = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "metadata": {}}
        review["spec"] = {"resourceAttributes": attributes}
        deadline = time.monotonic() + timeout
        while not self.create(review).object["status"]["allowed"]:
            if time.monotonic() > deadline:
                raise AssertionError(f"may still not {verb} {plural} of {group!r} in {namespace!r} after {timeout:g} s")
            time.sleep(0.05)

    # Reading

    def get(self, of: Object) -> Object:
        """The stored object named by `of` (apiVersion, kind, metadata.name, metadata.namespace)."""
        return self._patiently("GET", self.path(of)).object

    def find(self, of: Object) -> Object | None:
        """The stored object, or None when there is none."""
        try:
            return self.get(of)
        except ApiError as error:
            if error.code == 404:
                return None
            raise

    def list(
        self, api_version: str, kind: str, namespace: str = "", *, labels: str = "", fields: str = "", page: int = 500
    ) -> list[Object]:
        """All objects of a kind (of all namespaces when none is named), read in pages; each with its type set."""
        query: dict[str, Any] = {"limit": page}
        query |= {"labelSelector": labels} if labels else {}
        query |= {"fieldSelector": fields} if fields else {}
        path = self.discovery.resource(api_version, kind).path(namespace)
        found: list[Object] = []
        while True:
            answer = self._patiently("GET", path, query=query).object
            found += [{"apiVersion": api_version, "kind": kind, **item} for item in answer["items"]]
            going_on = answer["metadata"].get("continue")
            if not going_on:
                return found
            query["continue"] = going_on

    def wait_until(
        self, of: Object, met: Callable[[Object | None], Any], *, timeout: float = PATIENCE, what: str = ""
    ) -> Object:
        """Watch the object named by `of` until `met` says so (given None while there is none); the object then.

        An object that is awaited to go comes back as an empty mapping.

        Raises:
            NotYetError: not met within `timeout` seconds; shows the last state seen.
        """
        deadline = time.monotonic() + timeout
        last: Object | None = None
        while time.monotonic() < deadline:
            try:
                for last in self._states(of, deadline):
                    if met(last):
                        return last or {}
            except ApiError as error:
                if not error.passing:
                    raise
                time.sleep(0.5)
            except (OSError, http.client.HTTPException):
                time.sleep(0.5)
        raise NotYetError(_late(of, timeout, what, last))

    def _states(self, of: Object, deadline: float) -> Iterator[Object | None]:
        """The states of one object: now, then at each event, until the watch ends."""
        name = of["metadata"]["name"]
        selected = {"fieldSelector": f"metadata.name={name}"}
        collection = self.path(of, collection=True)
        listed = self.request("GET", collection, query=selected).object
        yield next(iter({"apiVersion": of["apiVersion"], "kind": of["kind"], **item} for item in listed["items"]), None)
        query = {**selected, "watch": "1", "resourceVersion": listed["metadata"]["resourceVersion"]}
        for event in self.watch(collection, query, max(0.1, deadline - time.monotonic())):
            if event["type"] == "ERROR":
                return
            yield None if event["type"] == "DELETED" else event["object"]

    def watch(self, path: str, query: Mapping[str, Any], seconds: float) -> Iterator[Object]:
        """The events of a watch on a connection of its own, for so many seconds at most."""
        limited = {**query, "timeoutSeconds": max(1, int(seconds + 1))}
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=seconds, context=self._trust)
        deadline = time.monotonic() + seconds
        try:
            connection.request("GET", f"{path}?{urlencode(limited)}", headers=self._headers(""))
            with connection.getresponse() as response:
                if response.status >= 400:
                    raise ApiError("GET", path, response.status, json.loads(response.read()))
                while time.monotonic() < deadline and (line := response.readline()):
                    yield json.loads(line)
        except (TimeoutError, http.client.IncompleteRead):
            return
        finally:
            connection.close()


def condition(document: Object | None, kind: str) -> Object:
    """The status condition of a type, or an empty mapping."""
    conditions: Sequence[Object] = (document or {}).get("status", {}).get("conditions") or []
    return next((one for one in conditions if one["type"] == kind), {})


def has_condition(kind: str, status: str = "True") -> Callable[[Object | None], bool]:
    """A test for `wait_until`: the condition has that status."""
    return lambda document: condition(document, kind).get("status") == status


def managed_fields(document: Object) -> dict[tuple[str, str, str], Object]:
    """The field sets of an object by (manager, operation, subresource)."""
    entries = document["metadata"].get("managedFields", [])
    return {(one["manager"], one["operation"], one.get("subresource", "")): one.get("fieldsV1", {}) for one in entries}


def reference(api_version: str, kind: str, name: str, namespace: str = "") -> Object:
    """What names an object: as much of it as an address needs."""
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata}


def _warnings(response: http.client.HTTPResponse) -> tuple[str, ...]:
    """The texts of Warning headers: `299 - "text"`, with quotes and backslashes escaped, in UTF-8."""
    found = [one.split(" ", 2)[2].strip()[1:-1] for one in response.headers.get_all("Warning") or []]
    return tuple(re.sub(r"\\(.)", r"\1", text).encode("latin-1").decode(errors="replace") for text in found)


def _late(of: Object, timeout: float, what: str, last: Object | None) -> str:
    named = f"{of['kind']} {of['metadata'].get('namespace', '')}/{of['metadata']['name']}"
    shown = (
        "there is none" if last is None else json.dumps({k: v for k, v in last.items() if k != "metadata"}, indent=1)
    )
    return f"{named}: {what or 'the state waited for'} did not come within {timeout:g} s; last state: {shown}"
