"""CEL as a real API server compiles and evaluates it: random rules of custom kinds over random objects."""

from __future__ import annotations

import json
import os
import random
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from harness.bed import Bed
from harness.client import Client, Object
from harness.crds import corpus_crds, install_crds
from harness.figures import Say
from product.answers import Answer, ask, decided, worded
from product.definitions import served_pack
from product.expressions import SPEC, ExpressionMaker, define, definition, repeated, specs

from stowplan.cel import Declarations, compile_expression
from stowplan.schema.builtin import judge_builtin
from stowplan.schema.builtin.validation.crd_rules import rule_type
from stowplan.schema.declared_sizes import DeclaredSize
from stowplan.schema.sets import SchemaSet
from stowplan.schema.verdict import Verdict

sys.path.append(str(Path(__file__).parents[1] / "cel"))
from cost_cases import COSTS, DEFINITIONS, SCHEMA

LONGER = "STOWPLAN_EXPRESSIONS"
MINOR = 36
BATCH, BATCHES, OBJECTS = 50, 24, 4
SHOWN = 60
_RULE = re.compile(r"x-kubernetes-validations\[(\d+)\]\.rule$")
_COST = "estimated rule cost"
_TOO_MUCH = re.compile("exceeds budget by factor of")
LIMIT = 10_000_000


@dataclass
class Tally:
    """How far we agree, and where not."""

    what: str
    total: int = 0
    misses: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.what} {self.total - len(self.misses)}/{self.total}"

    def check(self, share: float) -> None:
        """Fail below the stated share; a longer run shows every miss."""
        if os.environ.get(LONGER):
            print("\n".join(self.misses))
        assert self.total and len(self.misses) <= self.total * (1 - share), f"{self}\n" + "\n".join(self.misses[:SHOWN])


@dataclass(frozen=True)
class Batch:
    """Rules that the server and we take, under the name of a kind."""

    name: str
    rules: list[str]


@pytest.fixture(scope="module")
def run() -> tuple[int, int]:
    """Seed and factor: how many times as many rules as usual."""
    seed, _, factor = os.environ.get(LONGER, "").partition(":")
    return int(seed or 2026), int(factor or 1)


@pytest.fixture(scope="module")
def client(module_bed: Bed) -> Client:
    """A server of its own."""
    return module_bed.plane("expressions").client()


def _complaints(causes: Iterable[tuple[str, str]]) -> dict[int, str]:
    """What is said of each rule, by its number: that it costs too much, or else why it does not compile."""
    found: dict[int, str] = {}
    for place, text in causes:
        rule = _RULE.search(place)
        if rule is not None and (_COST not in text or int(rule[1]) not in found):
            found[int(rule[1])] = _COST if _COST in text else text.split("\n")[0]
    return found


def _told(mine: Verdict) -> dict[int, str]:
    return _complaints((error.field, error.message) for error in mine.errors)


def _heard(theirs: Answer) -> dict[int, str]:
    return _complaints((one.get("field", ""), one.get("message", "")) for one in theirs.causes)


@pytest.fixture(scope="module")
def compiled(client: Client, run: tuple[int, int]) -> tuple[Tally, list[Batch]]:
    """Every rule offered to the server in a definition, and to us."""
    seed, factor = run
    tally, batches = Tally("rules compiled"), []
    for number in range(BATCHES * factor):
        maker = ExpressionMaker(seed * 1000 + number)
        rules = list(dict.fromkeys(maker.rule() for _ in range(BATCH)))
        document = definition(f"sample{number}", rules)
        theirs, mine = ask(client, document), judge_builtin(document, MINOR, None, True)
        assert theirs is not None
        said, heard = _told(mine), _heard(theirs)
        for index, rule in enumerate(rules):
            tally.total += 1
            if (index in said, said.get(index) == _COST) != (index in heard, heard.get(index) == _COST):
                tally.misses.append(f"{rule}\n    we say {said.get(index)}, the server {heard.get(index)}")
        taken = [rule for index, rule in enumerate(rules) if index not in heard and index not in said]
        batches.append(Batch(f"sample{number}", taken))
    return tally, batches


@pytest.fixture(scope="module")
def schemas(client: Client, compiled: tuple[Tally, list[Batch]]) -> SchemaSet:
    """The definitions with all rules that compile, served."""
    install_crds(client, [definition(batch.name, batch.rules) for batch in compiled[1]])
    return SchemaSet((served_pack(client),), MINOR)


def test_what_compiles(compiled: tuple[Tally, list[Batch]], say: Say) -> None:
    tally, _ = compiled
    say(str(tally))
    tally.check(0.995)


def _costs(causes: Iterable[tuple[str, str]]) -> Iterator[tuple[int, str]]:
    """What is said of the cost of each list's rule, and of all together (-1)."""
    for place, text in causes:
        found = re.search(r"\[list(\d+)\]", place)
        if _TOO_MUCH.search(text):
            yield int(found[1]) if found else -1, text


def test_what_rules_cost(client: Client, compiled: tuple[Tally, list[Batch]], run: tuple[int, int], say: Say) -> None:
    """Each rule is put where there are so many values that it costs a fifth too much, which is told to the millionth."""
    tally, declared = Tally("costs of rules"), DeclaredSize.of(SPEC)
    assert declared is not None
    kind = rule_type(SPEC, root=False)
    assert kind is not None
    declarations = Declarations({"self": kind, "oldSelf": kind})
    for number, batch in enumerate(compiled[1]):
        rules = list(batch.rules)
        costs = [compile_expression(rule, declarations, minor=MINOR).cost(declared) for rule in rules]
        counts = [max(1, LIMIT * 6 // 5 // max(1, cost)) for cost in costs]
        document = repeated(f"costly{number}", list(zip(rules, counts, strict=True)))
        theirs, mine = ask(client, document), judge_builtin(document, MINOR, None, True)
        assert theirs is not None
        said = dict(_costs((error.field, error.message) for error in mine.errors))
        heard = dict(_costs((str(one.get("field")), str(one.get("message"))) for one in theirs.causes))
        for index, rule in enumerate(rules):
            tally.total += 1
            if said.get(index) != heard.get(index) or (costs[index] > 0 and index not in said):
                tally.misses.append(
                    f"{rule}\n    we say {costs[index]} {said.get(index)}, the server {heard.get(index)}"
                )
        if not tally.misses:
            assert said == heard, "the whole"
    say(str(tally))
    tally.check(0.999)


def test_the_table_of_costs(client: Client, say: Say) -> None:
    """The rows that the other tests know: each rule where it is a fifth too much, and definitions as a whole."""
    tally = Tally("rows of the table of costs")
    document = repeated("rows", [(rule, max(1, LIMIT * 6 // 5 // max(1, cost))) for rule, cost in COSTS], SCHEMA)
    for name, spec in [("rows", None), *((name, spec) for name, (spec, _) in DEFINITIONS.items())]:
        made = document if spec is None else define(name.replace("-", ""), spec)
        theirs, mine = ask(client, made), judge_builtin(made, MINOR, None, True)
        assert theirs is not None
        said = [(error.field, error.message) for error in mine.errors]
        heard = [(str(one.get("field")), str(one.get("message"))) for one in theirs.causes]
        if spec is None:  # of equal costs servers name any four
            said, heard = ([row for row in rows if _TOO_MUCH.search(row[1])] for rows in (said, heard))
        tally.total += max(1, len(heard))
        tally.misses += [f"{name}: {row}" for row in sorted({*said} ^ {*heard})]
    say(str(tally))
    tally.check(1)


def _unbounded(chance: random.Random, schema: Any) -> Any:
    """A schema without some of its bounds."""
    if isinstance(schema, list):
        return [_unbounded(chance, part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: _unbounded(chance, part)
        for name, part in schema.items()
        if name not in ("maxItems", "maxLength", "maxProperties") or isinstance(part, dict) or chance.random() < 0.5
    }


def test_what_rules_of_real_definitions_cost(client: Client, run: tuple[int, int], say: Say) -> None:
    """Definitions of others, with some of their bounds taken away: what is too much, of what, and by how much."""
    tally, refused = Tally("budgets of real definitions"), 0
    chance = random.Random(run[0])
    for document in corpus_crds():
        if "x-kubernetes-validations" not in json.dumps(document):
            continue
        for version in document["spec"]["versions"]:
            version["schema"]["openAPIV3Schema"] = _unbounded(chance, version["schema"]["openAPIV3Schema"])
        theirs, mine = ask(client, document), judge_builtin(document, MINOR, None, True)
        if theirs is None or theirs.code == 409:
            continue
        said = {(error.field, error.message) for error in mine.errors if _TOO_MUCH.search(error.message)}
        causes = {(str(one.get("field")), str(one.get("message"))) for one in theirs.causes}
        heard = {(place, text) for place, text in causes if _TOO_MUCH.search(text)}
        tally.total += 1
        refused += bool(heard)
        if said != heard:
            tally.misses.append(f"{document['metadata']['name']}\n    {sorted(said ^ heard)[:4]}")
    say(f"{tally}, {refused} refused")
    assert refused > 5
    tally.check(0.99)


def test_what_holds(
    client: Client, schemas: SchemaSet, compiled: tuple[Tally, list[Batch]], run: tuple[int, int], say: Say
) -> None:
    tally, worded_tally = Tally("rules evaluated"), Tally("objects refused in the same words")
    for number, batch in enumerate(compiled[1]):
        kind = schemas.kind("example.com/v1", batch.name.capitalize())
        assert kind is not None
        for turn, spec in enumerate(specs(run[0] * 1000 + number, OBJECTS)):
            document: Object = {
                "apiVersion": "example.com/v1", "kind": batch.name.capitalize(), "metadata": {"name": f"o{turn}"}, "spec": spec,
            }  # fmt: skip
            theirs, mine = ask(client, document), kind.judge(document, None, True)
            assert theirs is not None
            said, heard = _refused(mine), _causes(theirs)
            tally.total += len(batch.rules)
            for index, rule in enumerate(batch.rules):
                if (index in said) != (index in heard):
                    tally.misses.append(
                        f"{rule}\n    we say {said.get(index)}, the server {heard.get(index)}\n    {json.dumps(spec)}"
                    )
            worded_tally.total += 1
            if text := decided(mine, theirs) or worded(mine, theirs, document["kind"]):
                about = {int(n) for n in re.findall(r"rule (\d+)'", text)}
                worded_tally.misses.append("\n".join([text, *(f"    {n}: {batch.rules[n]}" for n in sorted(about))]))
    say(f"{tally}, {worded_tally}")
    tally.check(0.999)
    worded_tally.check(0.9)


_NUMBER = re.compile(r"rule (\d+)$")


def _refused(mine: Verdict) -> dict[int, str]:
    return _numbered(error.message for error in mine.errors)


def _causes(theirs: Answer) -> dict[int, str]:
    return _numbered(str(one.get("message", "")) for one in theirs.causes)


def _numbered(texts: Iterable[str]) -> dict[int, str]:
    return {int(found[1]): text for text in texts if (found := _NUMBER.search(text))}
