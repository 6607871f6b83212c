"""Faults planted into a tree that is well: rendered objects changed, added, or taken out, and what the rules then say."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import yaml
from kueue_fleet import Document, Edit, compile_documents, documents

from stowplan.driver import Compilation
from stowplan.kueue.admission import Admission
from stowplan.kueue.findings import judged_tree, kueue_findings
from stowplan.model.rendered import RenderedObject
from stowplan.templates.engine import TemplateSet

Change = Callable[[dict[str, Any]], None]


class Tree:
    """The rendered objects of a compile, to be changed."""

    def __init__(self, done: Compilation) -> None:
        assert done.fleet is not None and done.plan is not None and done.rendered is not None
        self.fleet, self.plan = done.fleet, done.plan
        self.objects = list(done.rendered.objects)

    def change(self, end: str, change: Change) -> None:
        """Changes every object whose path ends so; at least one does."""
        hits = [i for i, made in enumerate(self.objects) if made.path.endswith(end)]
        assert hits, f"no object {end}"
        for index in hits:
            made = copy.deepcopy(self.objects[index].object)
            change(made)
            self.objects[index] = remade(self.objects[index], made)

    def drop(self, end: str) -> None:
        """Takes objects out."""
        before = len(self.objects)
        self.objects = [made for made in self.objects if not made.path.endswith(end)]
        assert len(self.objects) < before, f"no object {end}"

    def add(self, beside: str, made: dict[str, Any]) -> None:
        """Adds an object to the unit of another one."""
        host = next(o for o in self.objects if o.path.endswith(beside))
        self.objects.append(remade(host, made))

    def findings(self) -> list[tuple[str, str]]:
        """(code, message) of everything that the rules say."""
        return [(d.code, d.message) for d in kueue_findings(judged_tree(self.fleet, self.plan, self.objects))]


def remade(host: RenderedObject, made: dict[str, Any]) -> RenderedObject:
    """The object as the template engine would render it from its text."""
    text = yaml.safe_dump(made)
    (rendered,) = TemplateSet({"planted": text}).render("planted", {}).value
    metadata = made["metadata"]
    return replace(
        host, rendered=rendered, api_version=made["apiVersion"], kind=made["kind"], namespace=metadata.get("namespace"),
        name=metadata["name"],
    )  # fmt: skip


def set_at(*path: Any) -> Callable[[Any], Change]:
    """`set_at("spec", "suspend")(True)` sets a field, making maps on the way."""

    def with_value(value: Any) -> Change:
        def change(made: dict[str, Any]) -> None:
            here: Any = made
            for step in path[:-1]:
                here = here[step] if isinstance(here, list) else here.setdefault(step, {})
            here[path[-1]] = value

        return change

    return with_value


def without(*path: Any) -> Change:
    """Takes a field away."""

    def change(made: dict[str, Any]) -> None:
        here: Any = made
        for step in path[:-1]:
            here = here[step]
        del here[path[-1]]

    return change


def codes(found: Iterable[tuple[str, str]]) -> set[str]:
    """The codes alone."""
    return {code for code, _ in found}


def only(*mine: Document, edits: tuple[Edit, ...] = (), kueue: str = "0.17.0") -> Tree:
    """The fleet with these intents and no others."""
    made = {k: v for k, v in documents(kueue).items() if not k.startswith(("TrainingIntent/", "BatchIntent/"))}
    made |= {f"{d['kind']}/{d['metadata']['name']}": d for d in mine}
    done = compile_documents(made, edits)
    assert not done.failed(), done.diagnostics
    return Tree(done)


def outcomes(tree: Tree) -> dict[str, Admission]:
    """By intent."""
    return {a.intent: a for a in judged_tree(tree.fleet, tree.plan, tree.objects).admissions}
