"""Times the judging of objects: by shape, by the full walk, rule by rule, and the loading of packs, as ratios.

`python tests/bench/schema_bench.py`. The yardstick is `is_valid` of jsonschema_rs on the same objects with the same
schemas in the same run, which checks types and bounds only: no defaults, no pruning, no list keys, no rules. CPU time,
the least of several rounds. The full walk and the rules are timed on the folder that STOWPLAN_CORPUS names, and left
out without it.
"""

from __future__ import annotations

import json
import lzma
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema_rs
from reference import reference_fleet

from stowplan.cel import CelEvaluationError, Declarations, compile_expression
from stowplan.driver import compile_workspace
from stowplan.model.rendered import RenderedObject
from stowplan.schema.builtin.pack import Member, kind_type, type_facts
from stowplan.schema.crd import PackBuilder
from stowplan.schema.custom import CustomKind
from stowplan.schema.node import Node
from stowplan.schema.pack import read_pack
from stowplan.schema.sets import SchemaSet
from stowplan.schema.shipped import shipped_pack
from stowplan.source.files import SourceTree

MINOR = 36
ROUNDS = 5
BUDGETS = {"shape": 10.0, "walk": 60.0, "rule": 3.0, "load": 15_000.0}
"""Microseconds on a quiet machine."""
Judged = tuple[Callable[[Any], Any], Any]


def least(work: Callable[[], Any]) -> float:
    """CPU microseconds of the quickest of several rounds, after one to warm up."""
    work()
    spent = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent) * 1e6


def over(pairs: Sequence[Judged]) -> float:
    """Microseconds for one of many calls."""

    def work() -> None:
        for function, argument in pairs:
            function(argument)

    return least(work) / len(pairs)


def told(name: str, own: float, budget: str, count: int, other: float | None = None) -> None:
    """One line: our time, the budget, the yardstick's time, and the ratio."""
    beside = f", jsonschema_rs {other:.1f} us, ratio {own / other:.1f}" if other else ""
    print(f"{name}: {own:.1f} us (budget {BUDGETS[budget]:.0f}) over {count}{beside}")


# Yardstick


def schema_of(node: Node) -> dict[str, Any]:
    """The JSON schema that a node stands for, less what JSON Schema does not know."""
    schema = {
        key: value
        for key, value in node.raw.items()
        if not key.startswith("x-")
        and key not in ("properties", "items", "additionalProperties", "nullable", "default")
    }
    for keyword in ("allOf", "anyOf", "oneOf"):
        if keyword in schema:
            schema[keyword] = [schema_of(option) for option in node.alternatives(keyword)]
    if "not" in schema:
        schema["not"] = schema_of(node.alternatives("not")[0])
    properties = {name: schema_of(child) for name, child in node.properties()}
    if properties:
        schema["properties"] = properties
    if node.items is not None:
        schema["items"] = schema_of(node.items)
    if node.additional is not None:
        schema["additionalProperties"] = schema_of(node.additional)
    return schema


LETTERS = {"s": "string", "b": "boolean", "i": "integer", "l": "integer", "f": "number", "y": "string", "t": "string"}


def builtin_schema(type_name: str, definitions: dict[str, Any]) -> dict[str, Any]:
    """The JSON schema of a built-in type, as a reference; its parts go into `definitions`."""
    if type_name not in definitions:
        definitions[type_name] = {}
        facts = type_facts(type_name, MINOR)
        members = facts.members.values() if facts is not None else ()
        properties = {member.name: _member_schema(member, definitions) for member in members}
        definitions[type_name] = {"type": "object", "properties": properties} if facts is not None else {}
    return {"$ref": f"#/definitions/{type_name}"}


def _member_schema(member: Member, definitions: dict[str, Any]) -> dict[str, Any]:
    element = member.element
    if member.nested is not None:
        inner = _member_schema(member.nested, definitions)
    elif element.letter == "@":
        inner = builtin_schema(element.type_name, definitions)
    else:
        inner = {"type": LETTERS[element.letter]} if element.letter in LETTERS else {}
    if member.shape == "[":
        return {"type": "array", "items": inner}
    return {"type": "object", "additionalProperties": inner} if member.shape else inner


def yardstick(kind: Any) -> Callable[[Any], bool] | None:
    """The validator of a kind; None where it cannot be made of the schema."""
    if isinstance(kind, CustomKind):
        schema = schema_of(kind.root)
    else:
        definitions: dict[str, Any] = {}
        name = kind_type(kind.api_version, kind.kind, MINOR)
        assert name is not None
        schema = {**builtin_schema(name, definitions), "definitions": definitions}
    try:
        return jsonschema_rs.Draft4Validator(schema).is_valid
    except (ValueError, jsonschema_rs.ValidationError):
        return None


# What is timed


def shapes() -> None:
    """Every object of the reference fleet by its shape, each checked and proved a fixed point."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in reference_fleet(20, 10, 100).items():
            target = Path(folder) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        done = compile_workspace(SourceTree.read(Path(folder)))
    if done.rendered is None:
        sys.exit("the reference fleet does not compile: " + "; ".join(d.message for d in done.diagnostics[:3]))
    sets = SchemaSet((shipped_pack(),), MINOR)
    checks: list[Judged] = []
    walks: list[Judged] = []
    others: list[Judged] = []
    known: dict[tuple[str, str], Any] = {}
    for made in done.rendered.objects:
        kind = sets.kind(made.api_version, made.kind)
        if kind is None:
            continue
        checks.append((_by_shape(kind, made, known), made.rendered.values))
        walks.append((kind.judge, made.object))
        is_valid = known.setdefault((made.api_version, made.kind), yardstick(kind))
        if is_valid is not None:
            others.append((is_valid, made.object))
    other = over(others)
    told("by shape, reference fleet", over(checks), "shape", len(checks), other)
    told(
        "by shape, each object for the first time",
        _first_time(sets, done.rendered.objects),
        "shape",
        len(checks),
        other,
    )
    told("full walk, reference fleet", over(walks), "walk", len(walks), other)


def _first_time(sets: SchemaSet, objects: Sequence[RenderedObject]) -> float:
    """The same with the shapes compiled anew before each round, so that no shape remembers values that it let pass."""
    spent = []
    for _ in range(ROUNDS):
        known: dict[Any, Any] = {}
        pairs = []
        for made in objects:
            kind = sets.kind(made.api_version, made.kind)
            if kind is not None:
                pairs.append((_by_shape(kind, made, known), made.rendered.values))
        start = time.process_time()
        for function, argument in pairs:
            function(argument)
        spent.append((time.process_time() - start) / len(pairs))
    return min(spent) * 1e6


def _by_shape(kind: Any, made: RenderedObject, known: dict[Any, Any]) -> Callable[[Any], Any]:
    key = ("shape", id(made.rendered.shape))
    if key not in known:
        check = kind.specialise(made.rendered.shape)

        def both(values: Any) -> bool:
            return not check.check(values) and bool(check.is_fixed_point(values))

        known[key] = both
    found: Callable[[Any], Any] = known[key]
    return found


def rows(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    with lzma.open(folder / name) as stream:
        for line in stream:
            if "meta" not in (row := json.loads(line)):
                yield row


def walk(folder: Path) -> None:
    """Every recorded object of a custom kind, well or broken, with CEL rules; and those alone that are accepted."""
    sets = []
    for row in rows(folder, "crds.jsonl.xz"):
        builder = PackBuilder()
        builder.add(row["crd"])
        sets.append(SchemaSet((builder.pack(),), MINOR))
    known: dict[Any, Any] = {}
    judged: list[tuple[Judged, Judged, bool]] = []
    for row in rows(folder, "crd-verdicts.jsonl.xz"):
        value = row["object"]
        kind = sets[row["crd"]].kind(value["apiVersion"], value["kind"])
        if kind is None:
            continue
        is_valid = known.setdefault(id(kind), yardstick(kind))
        if is_valid is not None:
            judged.append(((kind.judge, value), (is_valid, value), kind.judge(value).accepted))
    for name, chosen in (("all", judged), ("accepted", [entry for entry in judged if entry[2]])):
        own, other = over([entry[0] for entry in chosen]), over([entry[1] for entry in chosen])
        told(f"full walk with rules, recorded objects, {name}", own, "walk", len(chosen), other)


def rules(folder: Path) -> None:
    """Every rule of the recorded definitions on its recorded instances."""
    pairs: list[Judged] = []
    with lzma.open(folder / "cel-rule-cases.json.xz") as stream:
        for rule in json.load(stream):
            program = compile_expression(rule["rule"], Declarations.dynamic("self", "oldSelf"))
            pairs += [(_forgiving(program.evaluate_bool), case) for case in rule["cases"]]
    told("rule evaluation", over(pairs), "rule", len(pairs))


def _forgiving(evaluate: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def run(variables: Any) -> Any:
        try:
            return evaluate(variables)
        except CelEvaluationError:
            return None

    return run


def load() -> None:
    """The shipped pack of custom kinds, from its bytes."""
    data = (resources.files("stowplan") / "data" / "packs" / "custom.pack").read_bytes()
    told("pack load", least(lambda: read_pack(data)), "load", 1)


def main() -> None:
    """All of it."""
    load()
    shapes()
    folder = os.environ.get("STOWPLAN_CORPUS", "")
    if not folder:
        print("STOWPLAN_CORPUS names no folder: the full walk and the rules are left out")
        return
    walk(Path(folder))
    rules(Path(folder))


if __name__ == "__main__":
    main()
