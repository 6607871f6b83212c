"""Finds the address of a kind: what the API server lists under /api and /apis, remembered until something is missing."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from harness.patience import PATIENCE


@dataclass(frozen=True, slots=True)
class Resource:
    """One listed kind: its group and version, plural name and whether it lies in namespaces."""

    api_version: str
    kind: str
    plural: str
    namespaced: bool

    @property
    def root(self) -> str:
        """`/api/v1` or `/apis/GROUP/VERSION`."""
        return f"/apis/{self.api_version}" if "/" in self.api_version else f"/api/{self.api_version}"

    def path(self, namespace: str = "") -> str:
        """The address of the collection, of one namespace when one is named."""
        within = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        return f"{self.root}{within}/{self.plural}"


class UnknownKindError(LookupError):
    """The API server does not list the kind."""


class Discovery:
    """Looks kinds up with the `get` of a client; a group and version is asked for again only when a kind is missing."""

    def __init__(self, get: Callable[[str], Mapping[str, Any]]) -> None:
        self._get = get
        self._known: dict[str, dict[str, Resource]] = {}

    def resource(self, api_version: str, kind: str) -> Resource:
        """The listed kind.

        Raises:
            UnknownKindError: it is not served.
        """
        found = self._known.get(api_version, {}).get(kind) or self._ask(api_version).get(kind)
        if found is None:
            raise UnknownKindError(f"the API server serves no {kind} of {api_version}")
        return found

    def served(self, api_version: str, kind: str) -> bool:
        """Whether the kind is listed now."""
        try:
            self.resource(api_version, kind)
        except UnknownKindError:
            return False
        return True

    def wait_served(self, api_version: str, kind: str, timeout: float = PATIENCE) -> None:
        """Wait until the kind is listed: a new CRD takes a moment after it is established."""
        deadline = time.monotonic() + timeout
        while not self.served(api_version, kind):
            if time.monotonic() > deadline:
                raise UnknownKindError(f"{kind} of {api_version} is still not listed after {timeout:g} s")
            time.sleep(0.05)

    def _ask(self, api_version: str) -> dict[str, Resource]:
        root = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
        try:
            listed = self._get(root)["resources"]
        except Exception as error:
            if getattr(error, "code", None) != 404:
                raise
            listed = []
        self._known[api_version] = {
            one["kind"]: Resource(api_version, one["kind"], one["name"], one["namespaced"])
            for one in listed
            if "/" not in one["name"]
        }
        return self._known[api_version]
