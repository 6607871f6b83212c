"""Applies rendered objects to a server as an engine would, and measures whether they stay as they were rendered."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from harness.client import ApiError, Client, NotYetError, Object, managed_fields, reference
from harness.patience import PATIENCE

from product.comparing import Predictor, changes, owner_differences, unforeseen_owners
from product.definitions import Kind
from stowplan.ownership.atlas import AtlasRow

JOB_KINDS = frozenset({"Job", "JobSet", "TrainJob", "RayJob", "PyTorchJob", "MPIJob", "LeaderWorkerSet"})
"""Kinds that Kueue makes Workloads for."""


@dataclass
class Tally:
    """Counts of what was applied to one server, and everything that was not as predicted."""

    target: str
    n_applied: int = 0
    n_settled: int = 0
    n_owned: int = 0
    n_stored: int = 0
    uncovered: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def line(self) -> str:
        """The counts as one line."""
        counts = f"{self.n_applied} applied, {self.n_stored} stored as rendered, {self.n_settled} settled"
        rest = f"; not covered: {', '.join(self.uncovered)}" if self.uncovered else ""
        return f"{self.target}: {counts}, {self.n_owned} owned as predicted{rest}"


@dataclass(frozen=True)
class Settler:
    """Applies to one server under the name of one engine."""

    client: Client
    manager: str
    engine: str
    predictor: Predictor

    def settle(self, tally: Tally, document: Object, rows: Sequence[AtlasRow]) -> None:
        """Apply once and again; note every warning, refusal, changed field and owner that was not predicted."""
        name = f"{tally.target}: {document['kind']} {document['metadata'].get('namespace', '')}/{document['metadata']['name']}"
        try:
            answer = self.client.apply(document, manager=self.manager)
        except ApiError as refused:
            tally.faults.append(f"{name}: refused: {refused}")
            return
        tally.n_applied += 1
        tally.faults += [f"{name}: warned: {text}" for text in answer.warnings]
        self._compare(tally, name, document, answer.object, rows)
        self._again(tally, name, document)

    def _compare(self, tally: Tally, name: str, document: Object, stored: Object, rows: Sequence[AtlasRow]) -> None:
        found = [
            change
            for change in changes(document, stored)
            if not (change.added and self.predictor.foreseen(stored, change, rows))
        ]
        tally.faults += [f"{name}: {change}" for change in found]
        tally.n_stored += not found
        owners = [
            *owner_differences(document, stored, self.manager, self.predictor),
            *unforeseen_owners(stored, self.engine, rows),
        ]
        tally.faults += [f"{name}: owner: {text}" for text in owners]
        tally.n_owned += not owners

    def _again(self, tally: Tally, name: str, document: Object, patience: float = 20) -> None:
        """A second apply must leave the object at its version; controllers may write in between, so look again then."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            before = self.client.get(document)
            after = self.client.apply(document, manager=self.manager).object
            if before["metadata"]["resourceVersion"] == after["metadata"]["resourceVersion"]:
                tally.n_settled += 1
                return
            time.sleep(0.1)
        tally.faults.append(f"{name}: a second apply changed it: {_what_changed(before, after)}")


def _what_changed(before: Object, after: Object) -> str:
    fields = "; ".join(
        map(
            str,
            changes(
                {k: v for k, v in before.items() if k != "status"}
                | {
                    "metadata": {
                        k: v
                        for k, v in before["metadata"].items()
                        if k in ("name", "namespace", "labels", "annotations", "finalizers")
                    }
                },
                after,
            ),
        )
    )
    owners = [key for key, owned in managed_fields(after).items() if managed_fields(before).get(key) != owned]
    return fields or f"owners {owners}" if owners or fields else "only the version"


def covered(client: Client, kinds: Iterable[Kind]) -> set[Kind]:
    """The kinds that the server serves."""
    return {kind for kind in kinds if client.discovery.served(*kind)}


def clear(client: Client, documents: Iterable[Object]) -> None:
    """Remove what was applied, the last first, and what Kueue made of it, so that the next cluster finds an empty server.

    There is no namespace controller: namespaces are finalised by hand.
    """
    documents = list(documents)
    namespaces = [one for one in documents if one["kind"] == "Namespace"]
    removed = [one for one in reversed(documents) if one["kind"] != "Namespace"]
    jobs = [one for one in removed if one["kind"] in JOB_KINDS]
    _remove(client, jobs)
    if client.discovery.served("kueue.x-k8s.io/v1beta2", "Workload"):
        _remove(client, client.list("kueue.x-k8s.io/v1beta2", "Workload"))
    _remove(client, [one for one in removed if one["kind"] not in JOB_KINDS])
    for document in namespaces:
        client.delete(document, missing_ok=True)
        stored = client.find(document)
        if stored is not None:
            client.update(stored | {"spec": {"finalizers": []}}, subresource="finalize")
        client.wait_until(document, lambda found: found is None, what="to be gone")


def _remove(client: Client, documents: Iterable[Object]) -> None:
    documents = list(documents)
    for document in documents:
        client.delete(document, missing_ok=True)
    for document in documents:
        _wait_gone(client, document)


def _wait_gone(client: Client, document: Object, patience: float = 3, limit: float = PATIENCE) -> None:
    """Wait until an object is gone; finalizers of controllers that do not run here are taken off after a while."""
    start = time.monotonic()
    while (found := client.find(document)) is not None:
        waited = time.monotonic() - start
        if waited > limit:
            raise NotYetError(f"{found['kind']} {found['metadata']['name']} does not go: {found['metadata']}")
        if waited > patience:
            named = reference(
                found["apiVersion"], found["kind"], found["metadata"]["name"], found["metadata"].get("namespace", "")
            )
            client.patch(named, {"metadata": {"finalizers": None}})
        time.sleep(0.05)
