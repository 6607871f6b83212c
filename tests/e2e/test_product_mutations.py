"""The offline API server and a real one agree on objects that nobody has seen: mutants of every kind, by its schema."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import pytest
from harness.bed import Bed
from harness.client import Client, Object
from harness.crds import crds, install_crds
from harness.figures import Say
from harness.modules import SOURCES, load_all, module_directory
from product.answers import Answer, ask, decided, worded
from product.bases import (
    NAMESPACE,
    SURROUNDINGS,
    Base,
    create_live,
    custom_forms,
    furnish,
    placed,
    recorded,
    rendered,
)
from product.definitions import served_pack
from product.forms import builtin_form
from product.mutating import Mutant, Mutator

from stowplan.schema.builtin import judge_builtin
from stowplan.schema.sets import SchemaSet
from stowplan.schema.verdict import Verdict

LONGER = "STOWPLAN_MUTATIONS"
MINOR = 36
SHOWN = 40
COMPONENTS = ("jobset", "lws", "flux", "flux-source", "gateway-api", "cert-manager", "karmada", "inference-extension")
"""Whose definitions are soon installed; longer runs take them all."""
_DETAILS = re.compile(r"[0-9]+|\"[^\"]*\"")
Judge = Callable[[Object, Object | None, bool], Verdict]


@dataclass
class Tally:
    """How far a family agrees: in verdict and stored object, and in the words of refusals too."""

    family: str
    total: int = 0
    undecided: list[str] = field(default_factory=list)
    unworded: list[str] = field(default_factory=list)
    codes: Counter[int] = field(default_factory=Counter)

    def __str__(self) -> str:
        agreed, said = self.total - len(self.undecided), self.total - len(self.undecided) - len(self.unworded)
        codes = " ".join(f"{code}:{count}" for code, count in sorted(self.codes.items()))
        return f"{self.family} {agreed}/{self.total}, in the same words {said}/{self.total} (server codes {codes})"

    def add(self, mutant: Mutant, mine: Verdict, theirs: Answer, *, builtin: bool) -> None:
        """Count one mutant."""
        self.total += 1
        self.codes[theirs.code] += 1
        if text := decided(mine, theirs, SURROUNDINGS if builtin else None):
            self.undecided.append(f"{mutant}: {text}\n    {json.dumps(mutant.document)}")
        elif text := worded(mine, theirs, mutant.document.get("kind", "")):
            self.unworded.append(f"{mutant}: {text}\n    {json.dumps(mutant.document)}")

    def check(self, share: float, share_in_words: float) -> None:
        """Fail below the stated shares."""
        wanted = (self.total * share, self.total * share_in_words)
        agreed, said = self.total - len(self.undecided), self.total - len(self.undecided) - len(self.unworded)
        assert agreed >= wanted[0], f"{self}\n" + _grouped(self.undecided)
        assert said >= wanted[1], f"{self}\n" + _grouped(self.unworded)


def _grouped(misses: Iterable[str]) -> str:
    """One example of each sort of miss, the most frequent first."""
    groups: dict[str, list[str]] = {}
    for miss in misses:
        kind, _, text = miss.partition(": ")
        key = f"{kind.split(' ')[0]} {_DETAILS.sub('', text)[:120]}"
        groups.setdefault(key, []).append(miss)
    ranked = sorted(groups.values(), key=len, reverse=True)
    return "\n".join(f"{len(group)} x {group[0][:2500]}" for group in ranked[:SHOWN])


@pytest.fixture(scope="module")
def run() -> tuple[int, int]:
    """Seed and factor: how many times as many mutants as usual."""
    seed, _, factor = os.environ.get(LONGER, "").partition(":")
    return int(seed or 2026), int(factor or 1)


@pytest.fixture(scope="module")
def client(module_bed: Bed, run: tuple[int, int]) -> Client:
    """A server with the definitions of every component, and no webhooks."""
    client = module_bed.plane("mutants").client()
    bases = module_directory("kueue", "sigs.k8s.io/kueue") / "config/components/crd/bases"
    kueue = [one for file in sorted(bases.glob("*.yaml")) for one in load_all(file.read_text())]
    names = COMPONENTS if run[1] == 1 else (*SOURCES, "karmada", "inference-extension")
    install_crds(client, [*kueue, *(one for name in names for one in crds(name))])
    furnish(client)
    return client


@pytest.fixture(scope="module")
def builtin() -> list[Base]:
    """Objects of built-in kinds."""
    found = recorded()
    for document in rendered():
        if (form := builtin_form(document["apiVersion"], document["kind"])) is not None:
            found.append((placed(document, "namespace" in document["metadata"]), form))
    return found


@pytest.fixture(scope="module")
def custom(client: Client, run: tuple[int, int]) -> list[Base]:
    """Objects of custom kinds: what is rendered, and something of every other kind that is served."""
    forms, mutator = custom_forms(client), Mutator(run[0])
    found = [
        (placed(one, client.resource(one).namespaced), forms[one["apiVersion"], one["kind"]])
        for one in rendered()
        if (one["apiVersion"], one["kind"]) in forms
    ]
    for (api_version, kind), form in sorted(forms.items()):
        named: Object = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "made"}}
        named = placed(named, client.resource(named).namespaced)
        parts = {name: part for name, part in form.parts.items() if name not in (*named, "status")}
        found += [(named | {name: mutator.value(part, 1) for name, part in parts.items()}, form) for _ in range(2)]
    return found


def judge_built_in(document: Object, old: Object | None, strict: bool) -> Verdict:
    """Our answer for a built-in kind."""
    namespace = NAMESPACE if old is None else old["metadata"].get("namespace")
    return judge_builtin(document, MINOR, old, strict, namespace=namespace, surroundings=SURROUNDINGS)


@pytest.fixture(scope="module")
def judge_custom(client: Client) -> Judge:
    """Our answer for a custom kind, by the server's own definitions."""
    schemas = SchemaSet((served_pack(client),), MINOR)

    def judge(document: Object, old: Object | None, strict: bool) -> Verdict:
        kind = schemas.kind(document["apiVersion"], document["kind"])
        assert kind is not None
        return kind.judge(document, old, strict)

    return judge


def compare(
    tally: Tally,
    client: Client,
    mutants: Iterable[Mutant],
    judge: Judge,
    *,
    builtin: bool,
    live: dict[str, Object] | None = None,
    validation: str = "Strict",
) -> Tally:
    """Judge each mutant and ask the server; with `live` objects by uid, as their updates."""
    for mutant in mutants:
        document = mutant.document
        old = None if live is None else live[document["metadata"]["uid"]]
        try:
            mine = judge(document, old, validation == "Strict")
        except Exception as crash:
            crash.add_note(f"{mutant}\n{json.dumps(document)}")
            raise
        theirs = ask(client, document, method="POST" if old is None else "PUT", validation=validation)
        if theirs is not None:
            tally.add(mutant, mine, theirs, builtin=builtin)
    return tally


def tell(say: Say, tally: Tally) -> None:
    say(str(tally))
    if os.environ.get(LONGER) and (tally.undecided or tally.unworded):
        say(_grouped([*tally.undecided, *tally.unworded]))


def test_creates(client: Client, builtin: list[Base], run: tuple[int, int], say: Say) -> None:
    seed, factor = run
    mutants = Mutator(seed).mutants(builtin, 2500 * factor)
    tally = compare(Tally("creates"), client, mutants, judge_built_in, builtin=True)
    tell(say, tally)
    tally.check(0.998, 0.99)


def test_creates_that_are_read_leniently(client: Client, builtin: list[Base], run: tuple[int, int], say: Say) -> None:
    seed, factor = run
    mutants = Mutator(seed + 1).mutants(builtin, 500 * factor)
    tally = compare(Tally("lenient creates"), client, mutants, judge_built_in, builtin=True, validation="Warn")
    tell(say, tally)
    tally.check(0.995, 0.98)


def test_updates(client: Client, builtin: list[Base], run: tuple[int, int], say: Say) -> None:
    seed, factor = run
    bases = create_live(client, builtin)
    live = {one["metadata"]["uid"]: one for one, _ in bases}
    mutants = Mutator(seed + 2, renames=False).mutants(bases, 1500 * factor)
    tally = compare(Tally("updates"), client, mutants, judge_built_in, builtin=True, live=live)
    tell(say, tally)
    tally.check(0.995, 0.98)


def test_custom_creates(
    client: Client, custom: list[Base], judge_custom: Judge, run: tuple[int, int], say: Say
) -> None:
    seed, factor = run
    mutants = Mutator(seed + 3).mutants(custom, 1500 * factor)
    tally = compare(Tally("custom creates"), client, mutants, judge_custom, builtin=False)
    tell(say, tally)
    tally.check(0.998, 0.996)


def test_custom_updates(
    client: Client, custom: list[Base], judge_custom: Judge, run: tuple[int, int], say: Say
) -> None:
    seed, factor = run
    bases = create_live(client, custom)
    live = {one["metadata"]["uid"]: one for one, _ in bases}
    mutants = Mutator(seed + 4, renames=False).mutants(bases, 1000 * factor)
    tally = compare(Tally("custom updates"), client, mutants, judge_custom, builtin=False, live=live)
    tell(say, tally)
    tally.check(0.998, 0.996)


def test_a_wrong_answer_is_noticed(client: Client, builtin: list[Base]) -> None:
    """The test of the tests: another code, a default left out, and another text are each told."""
    document, _ = next(base for base in builtin if base[0]["kind"] == "Deployment")
    theirs = ask(client, document)
    mine = judge_built_in(document, None, True)
    assert theirs is not None
    assert theirs.code == 201
    assert decided(mine, theirs, SURROUNDINGS) == ""
    assert mine.stored is not None
    mine.stored["spec"].pop("revisionHistoryLimit")
    assert "revisionHistoryLimit" in decided(mine, theirs, SURROUNDINGS)
    assert "code: we say 422" in decided(Verdict(422), theirs, SURROUNDINGS)
    document = {**document, "spec": {**document["spec"], "minReadySeconds": -1}}
    theirs, mine = ask(client, document), judge_built_in(document, None, True)
    assert theirs is not None
    assert worded(mine, theirs, "Deployment") == ""
    assert "minReadySeconds" in worded(Verdict(422, mine.errors[1:]), theirs, "Deployment")
