"""Reads live objects through the Kubernetes API: paged lists, kinds and clusters in parallel, failures named."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from stowplan.drift.model import LiveCluster

__all__ = ["ApiError", "Fetch", "KindWanted", "connect", "read_cluster", "read_clusters"]

PAGE: Final = 500
"""Objects asked for in one request."""

_MAX_PAGES: Final = 10_000
_MAX_WORKERS: Final = 16

KindWanted = tuple[str, str]
"""apiVersion and kind of what is to be listed."""

Fetch = Callable[[str, Mapping[str, str]], Mapping[str, Any]]
"""Gets a path of the API server with a query; raises `ApiError`."""


@dataclass(frozen=True, slots=True)
class ApiError(Exception):
    """An answer that is no list: `status` is the HTTP status, 0 where the server could not be reached."""

    status: int
    text: str

    def __str__(self) -> str:
        return f"{self.text} (HTTP {self.status})" if self.status else self.text


def read_clusters(
    contexts: Mapping[str, str], wanted: Mapping[str, Sequence[KindWanted]], *, kubeconfig: str | None = None,
    timeout: float = 20.0,
) -> dict[str, LiveCluster]:  # fmt: skip
    """What each cluster holds of the wanted kinds; `contexts` maps a cluster to its kubeconfig context.

    A cluster that cannot be reached is returned unanswered, with the reason.
    """
    with ThreadPoolExecutor(min(_MAX_WORKERS, max(len(contexts), 1))) as pool:
        read = pool.map(
            lambda name: _read_one(name, contexts[name], wanted.get(name, ()), kubeconfig, timeout), contexts
        )
        return dict(zip(contexts, read, strict=True))


def _read_one(
    name: str, context: str, wanted: Sequence[KindWanted], kubeconfig: str | None, timeout: float
) -> LiveCluster:
    try:
        fetch = connect(context, kubeconfig, timeout)
    except ApiError as problem:
        return LiveCluster(name, answered=False, problems=(str(problem),))
    return read_cluster(name, wanted, fetch)


def connect(context: str, kubeconfig: str | None = None, timeout: float = 20.0) -> Fetch:
    """A way to get paths of the API server that a kubeconfig context names; `timeout` is in seconds for one request.

    Raises:
        ApiError: there is no such context, or its credentials cannot be loaded.
    """
    import urllib3
    from kubernetes import config

    try:
        client = config.new_client_from_config(config_file=kubeconfig, context=context, persist_config=False)  # type: ignore[no-untyped-call]
    except (config.ConfigException, OSError, ValueError) as problem:
        raise ApiError(0, f"context `{context}`: {problem}") from None
    settings, pool = client.configuration, client.rest_client.pool_manager
    limits = urllib3.Timeout(connect=timeout, read=timeout)

    def fetch(path: str, query: Mapping[str, str]) -> Mapping[str, Any]:
        headers = {"Accept": "application/json", **client.default_headers}
        for credential in settings.auth_settings().values():
            if credential["in"] == "header" and credential["value"]:
                headers[credential["key"]] = credential["value"]
        url = settings.host + path + (f"?{urlencode(query)}" if query else "")
        try:
            answer = pool.request("GET", url, headers=headers, timeout=limits, retries=1)
        except urllib3.exceptions.HTTPError as problem:
            raise ApiError(0, _one_line(problem)) from None
        return _decode(answer.status, answer.data)

    return fetch


def _decode(status: int, body: bytes) -> Mapping[str, Any]:
    try:
        data = json.loads(body)
    except ValueError:
        data = None
    if status >= 400:
        message = data.get("message") if isinstance(data, dict) else ""
        raise ApiError(status, str(message or "the server refused"))
    if not isinstance(data, dict):
        raise ApiError(0, "the answer is no JSON object")
    return data


def read_cluster(name: str, wanted: Iterable[KindWanted], fetch: Fetch, *, n_parallel: int = 4) -> LiveCluster:
    """The objects of the wanted kinds in one cluster, read in parallel.

    A kind that the cluster does not serve has no objects; a kind that may not be listed, or times out, is a failure of
    that kind alone. A cluster that answers nothing at all is unanswered.
    """
    kinds = sorted(set(wanted))
    with ThreadPoolExecutor(n_parallel) as pool:
        results = list(pool.map(lambda kind: _list_kind(kind, fetch), kinds))
    objects: list[Mapping[str, Any]] = []
    problems: list[str] = []
    failed: set[tuple[str, str]] = set()
    for (api_version, kind), (found, problem) in zip(kinds, results, strict=True):
        objects.extend(found)
        if problem is not None:
            problems.append(f"{api_version} {kind}: {problem}")
            failed.add((api_version.rpartition("/")[0], kind))
    if kinds and len(failed) == len(kinds):
        return LiveCluster(name, answered=False, problems=tuple(dict.fromkeys(problems))[:5])
    return LiveCluster(name, tuple(objects), True, tuple(problems), frozenset(failed))


def _list_kind(wanted: KindWanted, fetch: Fetch) -> tuple[list[Mapping[str, Any]], ApiError | None]:
    api_version, kind = wanted
    base = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
    try:
        plural = _plural(fetch(base, {}), kind)
        if plural is None:
            return [], None
        return _all_pages(f"{base}/{plural}", api_version, kind, fetch), None
    except ApiError as problem:
        # A group or version that is not served has no objects; that is an answer.
        return [], None if problem.status == 404 else problem


def _plural(resources: Mapping[str, Any], kind: str) -> str | None:
    for entry in resources.get("resources") or ():
        if isinstance(entry, dict) and entry.get("kind") == kind and "/" not in str(entry.get("name")):
            return str(entry["name"])
    return None


def _all_pages(path: str, api_version: str, kind: str, fetch: Fetch) -> list[Mapping[str, Any]]:
    """All objects of a list; a token that expired on the way makes it start again, once, without pages."""
    try:
        return _pages(path, api_version, kind, fetch, PAGE)
    except ApiError as problem:
        if problem.status != 410:
            raise
        return _pages(path, api_version, kind, fetch, 0)


def _pages(path: str, api_version: str, kind: str, fetch: Fetch, limit: int) -> list[Mapping[str, Any]]:
    objects: list[Mapping[str, Any]] = []
    query = {"limit": str(limit)} if limit else {}
    for _ in range(_MAX_PAGES):
        page = fetch(path, query)
        for entry in page.get("items") or ():
            if isinstance(entry, dict):
                objects.append({"apiVersion": api_version, "kind": kind, **entry})
        token = (page.get("metadata") or {}).get("continue")
        if not token:
            return objects
        query = {**query, "continue": str(token)}
    raise ApiError(0, f"the list did not end after {_MAX_PAGES} pages")


def _one_line(problem: BaseException) -> str:
    return " ".join(str(problem).split())[:300] or type(problem).__name__
