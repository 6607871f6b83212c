"""What a namespace lets in: Pod security, limits, and quotas, told by a server and by the compiler in the same words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from harness.bed import Bed
from harness.client import ApiError, Client, Object, reference
from product.workspaces import REPOSITORY

from stowplan.schema.builtin import Surroundings, judge_builtin, normalise_builtin
from stowplan.schema.builtin.neighbourhood import NOTHING_KNOWN, with_object

DATA = yaml.safe_load((REPOSITORY / "tests" / "data" / "admission.yaml").read_text())
MINOR = 36
PREFIX = "pod-security.kubernetes.io/"


@pytest.fixture(scope="module")
def client(module_bed: Bed) -> Client:
    return module_bed.plane("admission", controller_manager=True).client()


def pods() -> Iterator[tuple[str, Object]]:
    for number, (name, given) in enumerate(DATA["pods"].items()):
        spec = {"containers": [{"name": "a", "image": "a:1"}], **{k: v for k, v in given.items() if k != "metadata"}}
        yield name, {"metadata": {"name": f"pod-{number}", **given.get("metadata", {})}, "spec": spec}


def of_resources() -> Iterator[tuple[str, Object]]:
    for number, (name, given) in enumerate(DATA["resources"].items()):
        containers = [{"name": "a", "image": "a:1", "resources": given}]
        yield name, {"metadata": {"name": f"pod-{number}"}, "spec": {"containers": containers}}
        more = [{"name": "i", "image": "a:1", "resources": DATA["resources"]["wide"]}]
        spec = {"containers": [*containers, {**containers[0], "name": "b"}], "initContainers": more}
        yield f"{name}, twice", {"metadata": {"name": f"pods-{number}"}, "spec": spec}


def asked(client: Client, document: Object) -> tuple[int, str, tuple[str, ...], Object]:
    """Code, message, warnings of Pod security, and the object, from a server that is asked without effect."""
    try:
        answer = client.request("POST", client.path(document, collection=True), document, {"dryRun": "All"})
    except ApiError as problem:
        return problem.code, str(problem.status.get("message", "")), (), {}
    return 201, "", tuple(one for one in answer.warnings if "PodSecurity" in one), answer.object


def compare(client: Client, namespace: str, context: list[Object], given: Iterator[tuple[str, Object]]) -> Counter[int]:
    """How often both gave which code; they must agree in everything."""
    around = NOTHING_KNOWN
    for one in context:
        around = with_object(around, normalise_builtin(one, MINOR))
    surroundings = Surroundings(namespaces={namespace: around}, has_classes=False)
    codes: Counter[int] = Counter()
    differing = []
    for name, made in given:
        pod = {"apiVersion": "v1", "kind": "Pod", **made}
        pod["metadata"] = {**made["metadata"], "namespace": namespace}
        code, message, warnings, stored = asked(client, pod)
        verdict = judge_builtin(pod, MINOR, namespace=namespace, surroundings=surroundings)
        mine = verdict.errors[0].message if verdict.code == 403 else message
        told = tuple(one for one in verdict.warnings if "PodSecurity" in one)
        same = (verdict.code, unordered(mine), told) == (code, unordered(message), warnings)
        if same and code == 201:
            same = resources(verdict.stored) == resources(stored)
        codes[code] += 1
        if not same:
            differing.append((name, (code, message, warnings), (verdict.code, mine, told)))
    assert differing == []
    return codes


def unordered(message: str) -> list[str]:
    """The parts of a message; the server lists what several limits refuse in no fixed order."""
    head, several, rest = message.partition("forbidden: [")
    return [head, *sorted(rest.removesuffix("]").split(", "))] if several else [message]


def resources(pod: Object | None) -> Any:
    assert pod is not None
    containers = [*pod["spec"]["containers"], *pod["spec"].get("initContainers", ())]
    note = (pod["metadata"].get("annotations") or {}).get("kubernetes.io/limit-ranger")
    return note, [one.get("resources") for one in containers]


@pytest.mark.parametrize("number", range(len(DATA["standards"])))
def test_pod_security(client: Client, number: int) -> None:
    labels = {f"{PREFIX}{mode}": value for mode, value in DATA["standards"][number].items()}
    namespace = reference("v1", "Namespace", f"standard-{number}")
    namespace["metadata"]["labels"] = labels
    prepare(client, namespace)
    codes = compare(client, f"standard-{number}", [namespace], pods())
    assert codes[201] > 2
    assert codes[403] > 10 or DATA["standards"][number].get("enforce", "privileged") == "privileged"


@pytest.mark.parametrize("number", range(len(DATA["limits"])))
def test_limits(client: Client, number: int) -> None:
    prepare(client, reference("v1", "Namespace", f"limits-{number}"))
    limits = reference("v1", "LimitRange", "limits", f"limits-{number}") | {"spec": {"limits": DATA["limits"][number]}}
    client.apply(limits)
    assert compare(client, f"limits-{number}", [limits], of_resources()).total() == 12


@pytest.mark.parametrize("number", range(len(DATA["quotas"])))
def test_quotas(client: Client, number: int) -> None:
    prepare(client, reference("v1", "Namespace", f"quota-{number}"))
    quota = reference("v1", "ResourceQuota", "quota", f"quota-{number}") | {"spec": DATA["quotas"][number]}
    client.apply(quota)
    client.wait_until(quota, lambda found: bool((found or {}).get("status", {}).get("hard")))
    assert compare(client, f"quota-{number}", [quota], of_resources()).total() == 12


def prepare(client: Client, namespace: Object) -> None:
    """A namespace with the account that every Pod has; the controller makes it in its own time."""
    client.apply(namespace)
    account = reference("v1", "ServiceAccount", "default", namespace["metadata"]["name"])
    client.wait_until(account, lambda found: found is not None)
